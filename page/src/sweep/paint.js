// The colour of a run: by a column, the same in the scatter plot and in the parallel coordinates.

import { el } from '../dom.js';
import { num } from '../format.js';
import { colors, rampColor } from '../theme.js';
import { nameOf } from './table.js';

export const SHADES = 32;

// Of each row the number of its shade; -1: the column has no value there.
export function shadesOf(column) {
  const { places, range, labels } = column;
  if (labels) return Int16Array.from(places, (p) => (Number.isNaN(p) ? -1 : p % colors().series.length));
  const [lo, hi] = range ?? [0, 1];
  const scale = hi > lo ? (SHADES - 1) / (hi - lo) : 0;
  return Int16Array.from(places, (p) => (Number.isNaN(p) ? -1 : Math.round((p - lo) * scale)));
}

// The colours of the shades, and behind them that of runs without a value.
export function paletteOf(column) {
  const c = colors();
  if (!column) return [c.series[0], c.generated];
  if (column.labels) return [...c.series, c.generated];
  return [...Array.from({ length: SHADES }, (_, k) => rampColor(k / (SHADES - 1))), c.generated];
}

// Rows that pass, by shade; the last list is of those without a value.
export function byShade(rows, shades, count) {
  const lists = Array.from({ length: count }, () => []);
  for (const r of rows) lists[shades && shades[r] >= 0 ? shades[r] : shades ? count - 1 : 0].push(r);
  return lists;
}

// What the colours mean.
export function legend(column) {
  if (!column) return [];
  if (column.labels) {
    return [el('span', { class: 'key', text: column.name }), ...column.labels.slice(0, 12).map((text, k) => {
      const swatch = el('i', {});
      swatch.style.background = colors().series[k % colors().series.length];
      return el('span', { class: 'key' }, swatch, text);
    })];
  }
  if (!column.range) return [el('span', { class: 'key', text: `${nameOf(column)}: no values` })];
  const [lo, hi] = column.range.map((p) => num(column.scale.from(p), 4));
  const some = column.places.some(Number.isNaN);
  const none = el('i', { class: 'none' });
  return [el('span', { class: 'key' }, `${nameOf(column)} ${lo}`, el('i', { class: 'scale' }), hi),
    some ? el('span', { class: 'key' }, none, 'no value') : null].filter(Boolean);
}
