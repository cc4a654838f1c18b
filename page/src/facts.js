// What is text: the head of the page, statistics, final values, parameters, provenance.

import { button, el, icon, ICONS, section } from './dom.js';
import { isDark, onTheme, setTheme } from './theme.js';
import { count, num, seconds } from './format.js';

const STATUS = { finished: ['ok', '✓'], stopped: ['info', '■'], failed: ['bad', '✕'], interrupted: ['warn', '!'] };

export function themeButton() {
  const node = button('Dark or light', ICONS.moon, () => setTheme(isDark() ? 'light' : 'dark'), { id: 'theme' });
  const paint = () => {
    node.replaceChildren(icon(isDark() ? ICONS.sun : ICONS.moon));
    node.setAttribute('aria-label', isDark() ? 'Light colours' : 'Dark colours');
    node.title = node.getAttribute('aria-label');
  };
  paint();
  onTheme(paint);
  return node;
}

export const tile = (label, value, note) => el('div', { class: 'tile' }, el('dt', { text: label }),
  el('dd', {}, el('b', { text: value }), note ? el('small', { text: note }) : null));

// All that a page without plots has.
export function message(host, title, ...text) {
  host.replaceChildren(el('section', { class: 'card lonely' }, el('h1', { text: title }), text.map((t) => el('p', { text: t }))));
}

function tiles(report) {
  const s = report.summary;
  const stats = s.stats ?? {};
  const list = [tile('Simulated', num(s.t, 7), report.until !== undefined && report.until !== s.t ? `of ${num(report.until, 7)}` : null),
    tile('Events', count(report.events_total ?? report.events.length), report.slides.length ? `${report.slides.length} sliding` : null),
    tile('Method', s.method ?? '–', s.events_method ?? null),
    tile('Tolerance', num(s.rtol, 3), s.atol !== undefined ? `absolute ${num(s.atol, 3)}` : null)];
  if (stats.steps !== undefined) list.push(tile('Steps', count(stats.steps), stats.rejected ? `${count(stats.rejected)} rejected` : null));
  if (stats.wall_s !== undefined) {
    list.push(tile('Wall time', seconds(stats.wall_s), stats.compile_s ? `compiled in ${seconds(stats.compile_s)}` : null));
  }
  return el('dl', { class: 'tiles' }, list);
}

export function banner(kind, title, text) {
  return el('div', { class: `banner ${kind}`, role: kind === 'bad' ? 'alert' : 'note' }, el('b', { text: title }), text ? ` ${text}` : '');
}

const plain = (value) => (typeof value === 'string' ? value
  : Array.isArray(value) ? value.map(plain).join(', ')
  : value && typeof value.message === 'string' && Object.keys(value).length === 1 ? value.message
    : typeof value === 'object' ? Object.entries(value ?? {}).map(([k, v]) => `${k} ${plain(v)}`).join(', ')
      : num(value));

export function buildHead(host, report, links) {
  const s = report.summary;
  const [kind, sign] = STATUS[s.status] ?? ['info', '•'];
  host.append(el('div', { class: 'bar' },
    el('h1', { text: s.model ?? 'Report' }),
    el('span', { class: `badge ${kind}` }, el('span', { 'aria-hidden': 'true', text: sign }), ` ${s.status ?? 'unknown'}`),
    el('nav', { 'aria-label': 'sections' }, links.map(([id, title]) => el('a', { href: `#${id}`, text: title }))),
    themeButton()), tiles(report));
  if (s.status === 'failed' || s.status === 'interrupted') {
    host.append(banner(s.status === 'failed' ? 'bad' : 'warn', s.reason ? `The run ${s.status}: ${s.reason}.` : `The run ${s.status}.`, s.message ?? ''));
  } else if (s.message) host.append(banner('info', s.status === 'stopped' ? 'Stopped.' : 'Note.', s.message));
  if (s.zeno) host.append(banner('warn', 'Infinitely many events in finite time.', `${plain(s.zeno.flags ?? [])} at t = ${num(s.zeno.t, 9)}`));
  const warnings = Array.isArray(s.warnings) ? s.warnings : [];
  if (warnings.length) {
    host.append(el('details', { class: 'banner warn' }, el('summary', { text: `${count(warnings.length)} ${warnings.length === 1 ? 'warning' : 'warnings'}` }),
      el('ul', {}, warnings.slice(0, 100).map((w) => el('li', { text: plain(w) })))));
  }
  if (report.thinned) {
    host.append(el('p', { class: 'hint', text: `A long run: the plots show the least and the greatest value in each ${num(report.row_width, 3)} of time.` }));
  }
}

const NAMES = {
  steps: 'accepted steps', rejected: 'rejected steps', rhs: 'evaluations of the right-hand side', guards: 'evaluations of guards',
  roots: 'roots located', rhs_past_guard: 'evaluations past a guard', engine_reason: 'interpreted, because',
  native_from: 'machine code since t', compile_s: 'time to compile', wall_s: 'wall time',
};

function flat(object, prefix = '') {
  return Object.entries(object ?? {}).flatMap(([k, v]) => (v && typeof v === 'object' && !Array.isArray(v)
    ? flat(v, `${prefix}${k}.`) : [[`${prefix}${k}`, v]]));
}

// A list of names and values; a long one gets a search box.
function listing(id, title, rows) {
  if (!rows.length) return null;
  const { node, head } = section(id, title);
  const body = rows.map(([name, value, unit, exact]) => el('div', { class: 'pair' }, el('dt', { text: name }),
    el('dd', { title: exact ?? null }, el('span', { text: value }), unit ? el('small', { text: ` ${unit}` }) : null)));
  if (rows.length > 14) {
    const search = el('input', { type: 'search', placeholder: 'Search', 'aria-label': `search ${title}`, oninput: () => {
      const want = search.value.toLowerCase();
      rows.forEach(([name], i) => { body[i].hidden = !name.toLowerCase().includes(want); });
    } });
    head.append(el('div', { class: 'tools' }, search));
  }
  node.append(el('dl', { class: 'pairs scroll', tabindex: rows.length > 14 ? '0' : null }, body));
  return { node };
}

const exactly = (v) => (typeof v === 'number' ? String(v) : null);

export function buildStatistics(report) {
  const stats = flat(report.summary.stats).filter(([, v]) => typeof v !== 'object');
  const rows = stats.map(([k, v]) => [NAMES[k] ?? k.replaceAll('_', ' '),
    k.endsWith('_s') ? seconds(v) : Number.isInteger(v) ? count(v) : num(v), null, exactly(v)]);
  if (report.summary.seed !== undefined) rows.push(['seed', num(report.summary.seed, 17)]);
  return listing('statistics', 'Statistics', rows);
}

export function buildFinal(report) {
  const units = new Map(report.columns.map((c) => [c.name, c.unit]));
  return listing('final', 'Final values', Object.entries(report.summary.final ?? {}).map(([k, v]) => [k,
    Array.isArray(v) ? v.slice(0, 6).map((x) => num(x, 6)).join(', ') + (v.length > 6 ? ', …' : '') : num(v, 10), units.get(k), exactly(v)]));
}

export function buildParameters(report) {
  return listing('parameters', 'Parameters', report.parameters.map((p) => [p.name,
    Array.isArray(p.value) ? p.value.map((x) => num(x, 6)).join(', ') : num(p.value, 10), p.unit, exactly(p.value)]));
}

export function buildProvenance(report) {
  return listing('provenance', 'Provenance', report.provenance.map(([k, v]) => [k, typeof v === 'string' ? v : num(v, 17)]));
}
