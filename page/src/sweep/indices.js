// Sobol' indices: how much of the variance of an outcome each knob explains, with confidence intervals.

import { el, section, select } from '../dom.js';
import { count, num } from '../format.js';

const isNumber = (v) => typeof v === 'number' && Number.isFinite(v);

// What the bars run over: from 0 to 1, or as far as the intervals reach.
export function spanOf(outcome) {
  const all = [...outcome.first, ...outcome.total].flatMap((i) => [i.value, i.low, i.high]).filter(isNumber);
  return [Math.min(0, ...all), Math.max(1, ...all)];
}

function bar(index, [lo, hi], kind) {
  const share = (v) => `${((Math.min(Math.max(v, lo), hi) - lo) / (hi - lo)) * 100}%`;
  const width = (a, b) => `${(Math.abs(b - a) / (hi - lo)) * 100}%`;
  const fill = el('i', { class: `index ${kind}` });
  const zero = el('i', { class: 'zero' });
  const parts = [fill, zero];
  zero.style.left = share(0);
  if (isNumber(index.value)) {
    fill.style.left = share(Math.min(0, index.value));
    fill.style.width = width(0, index.value);
  }
  if (isNumber(index.low) && isNumber(index.high)) {
    const range = el('i', { class: 'interval' });
    range.style.left = share(index.low);
    range.style.width = width(index.low, index.high);
    parts.push(range);
  }
  return el('td', { class: 'track' }, el('div', { class: 'bars' }, parts));
}

const text = (i) => (isNumber(i.value) ? num(i.value, 3) : '–');
const between = (i) => (isNumber(i.low) && isNumber(i.high) ? `${num(i.low, 3)} … ${num(i.high, 3)}` : '');

function rows(outcome) {
  const span = spanOf(outcome);
  return outcome.first.flatMap((first, k) => [[first, 'first', 'alone'], [outcome.total[k], 'total', 'with interactions']].map(([index, kind, title]) => el('tr', { class: kind },
    kind === 'first' ? el('th', { scope: 'rowgroup', rowspan: '2', text: first.knob }) : null,
    el('td', { text: title }), bar(index, span, kind), el('td', { class: 'n', text: text(index) }), el('td', { class: 'n', text: between(index) }))));
}

export function buildIndices(table) {
  const data = table.raw.indices;
  if (!data?.outcomes?.length) return null;
  const { node, head } = section('indices', 'Sensitivity');
  const body = el('tbody', {});
  const note = el('p', { class: 'hint' });
  const show = (k) => {
    const outcome = data.outcomes[k];
    body.replaceChildren(...rows(outcome));
    note.textContent = `Sobol' indices: the share of the variance of ${outcome.name} that a knob explains alone, and together with the others.`
      + ` ${num(data.level * 100, 4)} % confidence intervals, ${count(outcome.samples)} samples.`;
  };
  head.append(el('label', { class: 'field' }, 'Outcome ', select('outcome', data.outcomes.map((o, k) => [String(k), o.name]), '0', (v) => show(Number(v)))));
  node.append(el('div', { class: 'scroll' }, el('table', { class: 'indices', 'aria-label': 'Sobol indices' },
    el('thead', {}, el('tr', {}, ['Knob', '', '', 'Index', 'Interval'].map((t, k) => el('th', { scope: 'col', class: k > 2 ? 'n' : null, text: t })))), body)), note);
  show(0);
  return { node, show };
}
