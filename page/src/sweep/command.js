// The command that repeats one run of a sweep, and the files that were kept of it.

// As a shell reads it back: plain words stay plain.
export function quoted(word) {
  return /^[\w%+,.\/:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// So that reading it back gives the same double.
export function exact(value) {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

function setting(column, row) {
  const v = column.values[row];
  if (column.labels) return column.labels[v] ?? '';
  if (column.type === 'boolean') return v ? 'true' : 'false';
  return exact(v);
}

// Words of the command line of a run.
export function commandWords(table, row) {
  const knobs = table.of('knob').flatMap((c) => {
    const value = setting(c, row);
    return c.option ? [`--${c.option}`, value] : ['--set', `${c.name}=${value}`];
  });
  return [...table.raw.command, ...knobs];
}

export function command(table, row) {
  return commandWords(table, row).map(quoted).join(' ');
}

// A run that could not begin has no files: it has no end, and did not run out of time.
function hasBegun(table, row) {
  const [end, reason] = ['end', 'reason'].map((kind) => table.of(kind)[0]);
  return !end || !Number.isNaN(end.values[row]) || (reason && table.text(reason, row) === 'limit');
}

// Files that the sweep kept of a run, as links seen from the page. The parts of a path are only ever parts of a path: a
// scheme or a query in them is quoted.
export function keptLinks(table, row) {
  if (!hasBegun(table, row)) return [];
  return table.raw.kept.map(({ what, before, after }) => {
    const path = `${before}${table.run[row]}${after}`;
    const link = path.split('/').map(encodeURIComponent).join('/');
    return { what, href: path.startsWith('/') ? `file://${link}` : `./${link}` };
  });
}
