// How far the events can be trusted: condition numbers, verdicts, closest approaches, near misses.

import { button, el, section } from './dom.js';
import { count, flagLabel, num } from './format.js';

const CLASSES = { 'well-posed': 'ok', grazing: 'warn', 'ill-posed': 'bad' };
const AT_ONCE = 200; // rows; more on demand

// "inf" and numbers, the largest first; what has none comes last.
const size = (value) => (value === 'inf' ? Infinity : typeof value === 'number' ? value : -1);
const rank = (e) => ({ 'ill-posed': 3, grazing: 2, 'well-posed': 1 }[e.posed] ?? 0);
const worst = (a, b) => rank(b) - rank(a) || size(b.scaled) - size(a.scaled) || a.t - b.t;

const cell = (value, digits = 6) => (value === null || value === undefined ? '–' : value === 'inf' ? '∞' : num(value, digits));

// "grazing: a change of …": the word as a badge, the reason behind it.
function verdict(e) {
  const text = String(e.verdict ?? e.posed ?? '');
  const at = text.indexOf(': ');
  const word = at < 0 ? text : text.slice(0, at);
  return [el('span', { class: `badge ${CLASSES[e.posed] ?? 'dull'}`, text: word }), at < 0 ? null : ` ${text.slice(at + 2)}`];
}

function approachRow(a) {
  return el('tr', { class: 'under' }, el('td', { class: 'n', text: num(a.t, 10) }), el('td', { text: 'closest approach' }),
    el('td', { class: 'n', title: 'its factor in the published number', text: `× ${cell(a.factor)}` }),
    el('td', { class: 'n', title: '1 / relative distance', text: typeof a.relative === 'number' && a.relative > 0 ? cell(1 / a.relative) : '–' }),
    el('td', { class: 'wide', text: `guard ${cell(a.value)}, distance ${cell(a.distance)}` }));
}

function eventRows(e, onPick) {
  const approaches = Array.isArray(e.approaches) ? e.approaches.slice(-5) : [];
  const more = (e.approaches?.length ?? 0) - approaches.length + (e.omitted ?? 0);
  return [
    el('tr', { tabindex: '0', class: 'pick', onclick: () => onPick(e), onkeydown: (event) => { if (event.key === 'Enter') onPick(e); } },
      el('td', { class: 'n', text: e.event === false ? `until ${num(e.t, 8)}` : num(e.t, 10) }),
      el('td', { text: e.event === false ? `${flagLabel(e)}, no event` : flagLabel(e) }),
      el('td', { class: 'n', text: cell(e.published ?? e.condition) }), el('td', { class: 'n', text: cell(e.scaled) }),
      el('td', { class: 'wide' }, verdict(e))),
    ...approaches.map(approachRow),
    more > 0 ? el('tr', { class: 'under' }, el('td'), el('td', { colspan: '4', text: `and ${count(more)} earlier ones` })) : null,
  ];
}

const table = (titles, body, label) => el('div', { class: 'scroll', tabindex: '0' }, el('table', { 'aria-label': label },
  el('thead', {}, el('tr', {}, titles.map(([title, kind]) => el('th', { scope: 'col', class: kind ?? null, text: title })))), body));

function tally(list) {
  const counts = new Map();
  for (const e of list.filter((x) => x.event !== false)) counts.set(e.posed ?? '', (counts.get(e.posed ?? '') ?? 0) + 1);
  return [...counts].map(([word, n]) => `${count(n)} ${word}`).join(', ');
}

function missTable(report, onPick) {
  const list = report.misses ?? [];
  if (!list.length) return null;
  const rows = list.slice(0, AT_ONCE).map((m) => el('tr', { tabindex: '0', class: 'pick', onclick: () => onPick(m),
    onkeydown: (event) => { if (event.key === 'Enter') onPick(m); } },
  el('td', { class: 'n', text: num(m.t, 10) }), el('td', { text: flagLabel(m) }), el('td', { class: 'n', text: cell(m.value) }),
  el('td', { class: 'n', text: cell(m.distance) }),
  el('td', { class: 'n', text: m.tolerance > 0 ? cell(Math.abs(m.value) / m.tolerance, 3) : '–' })));
  const total = report.misses_total ?? list.length;
  return [el('h3', { text: `Near misses: ${count(total)}` }),
    table([['Time', 'n'], ['Flag'], ['Guard', 'n'], ['Distance', 'n'], ['In tolerances', 'n']], el('tbody', {}, rows), 'near misses'),
    total > rows.length ? el('p', { class: 'hint', text: `The first ${count(rows.length)} of them.` }) : null];
}

// onPick(t) shows a time in the plots.
export function buildConditions(report, onPick) {
  const list = Array.isArray(report.conditions) ? report.conditions.filter((e) => e && typeof e === 'object') : null;
  const pick = (e) => { if (typeof e.t === 'number') onPick(e.t); };
  const misses = missTable(report, pick);
  if (!list?.length && !misses) return null;
  const { node, head } = section('conditions', 'Condition');
  if (list?.length) {
    const body = el('tbody', {});
    let byWorst = false;
    let all = list.length <= AT_ONCE;
    const paint = () => {
      const ordered = byWorst ? [...list].sort(worst) : list;
      body.replaceChildren(...(all ? ordered : ordered.slice(0, AT_ONCE)).flatMap((e) => eventRows(e, pick)).filter(Boolean));
    };
    const order = button('Worst first', null, () => {
      byWorst = !byWorst;
      order.setAttribute('aria-pressed', String(byWorst));
      paint();
    }, { class: 'tool chip', 'aria-pressed': 'false' });
    const rest = button(`Show all ${count(list.length)}`, null, () => {
      all = true;
      rest.hidden = true;
      paint();
    }, { class: 'tool chip', hidden: all });
    head.append(el('output', { class: 'readout', text: tally(list) }), el('div', { class: 'tools' }, rest, order));
    paint();
    node.append(table([['Time', 'n'], ['Flag'], ['Published', 'n'], ['Scaled', 'n'], ['Verdict', 'wide']], body, 'condition of events'),
      el('p', { class: 'hint', text: 'Published: García 2004, corrected; it changes with units. Scaled: the angle at the surface, and how close the '
        + 'guard came before, relative to the sizes of the states; 1 is as good as it gets.' }));
  }
  if (misses) node.append(...misses.filter(Boolean));
  return { node };
}
