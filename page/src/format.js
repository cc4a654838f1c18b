// Numbers as a person reads them.

function tidy(text) {
  const [mantissa, ...exponent] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return [short, ...exponent].join('e');
}

// To `digits` significant digits; strings ("inf") and booleans pass.
export function num(value, digits = 6) {
  if (typeof value !== 'number') return value === null || value === undefined ? '–' : String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 10 ** Math.max(digits, 6) || size < 1e-4) {
    return tidy(value.toExponential(digits - 1)).replace('e+', 'e');
  }
  return tidy(value.toPrecision(Math.min(digits, 17)));
}

// A flag by its name; one that the compiler made by the text it is of, with its name behind it.
export function flagLabel(item) {
  return item.text ? `${item.text} (${item.flag})` : item.flag ?? '';
}

// Large counts with thin spaces.
export function count(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return num(value);
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

export function seconds(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return num(value);
  if (value === 0) return '0 s';
  if (value < 1e-3) return `${num(value * 1e6, 3)} µs`;
  if (value < 1) return `${num(value * 1e3, 3)} ms`;
  if (value < 120) return `${num(value, 3)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 120 ? `${minutes} min ${Math.round(value % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// The labels of an axis. Where all digits would not fit, the first tick is written out and the others
// as what is added to it.
export function tickLabels(ticks, incr, room = 9) {
  if (ticks.length === 0) return [];
  const largest = Math.max(...ticks.map(Math.abs));
  const decimals = Math.max(0, -Math.floor(Math.log10(incr) + 1e-9));
  if (largest >= 1e6 || (largest < 1e-3 && largest > 0)) {
    const digits = Math.max(0, Math.ceil(Math.log10(largest / incr)));
    if (digits + 6 <= room) return ticks.map((v) => (v === 0 ? '0' : tidy(v.toExponential(digits)).replace('e+', 'e')));
  } else {
    const labels = ticks.map((v) => (Math.abs(v) < incr * 1e-6 ? '0' : tidy(v.toFixed(Math.min(decimals + 1, 20)))));
    if (labels.every((l) => l.length <= room)) return labels;
  }
  return ticks.map((v, i) => (i === 0 ? num(v, 5) : `+${num(v - ticks[0], 2)}`));
}

// Ticks at 1, 2 or 5 times a power of ten, at least `space` pixels apart.
export function niceTicks(min, max, pixels, space = 60) {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return { ticks: [], incr: 1 };
  const least = (span * space) / Math.max(pixels, space);
  const power = 10 ** Math.floor(Math.log10(least));
  const incr = [1, 2, 5, 10].map((m) => m * power).find((i) => i >= least * 0.999) ?? 10 * power;
  const ticks = [];
  for (let k = Math.ceil(min / incr - 1e-9); k * incr <= max + incr * 1e-9 && ticks.length < 200; k++) {
    ticks.push(k * incr);
  }
  return { ticks, incr };
}

// The first index whose value is at least v, in numbers that never decrease.
export function lowerBound(values, v, count = values.length) {
  let lo = 0;
  let hi = count;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (values[mid] < v) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

// Least and greatest finite value, or null.
export function extent(values, into = null) {
  let lo = into ? into[0] : Infinity;
  let hi = into ? into[1] : -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i];
    if (v < lo && v !== -Infinity) lo = v;
    if (v > hi && v !== Infinity) hi = v;
  }
  return lo <= hi ? [lo, hi] : null;
}

// A range with a margin; one that is flat to rounding is opened, so that rounding is not magnified.
export function padded(min, max, share = 0.06) {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (max - min <= size * 1e-9) {
    const room = size > 0 ? size * 0.1 : 1;
    return [min - room, max + room];
  }
  const margin = (max - min) * share;
  return [min - margin, max + margin];
}

// A value of a column, as its type wants it.
export function valueText(column, value) {
  if (column.labels) return column.labels[value] ?? '–';
  if (column.type === 'boolean') return value ? 'true' : 'false';
  return num(value, 7);
}
