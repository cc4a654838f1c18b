// What the numbers of an axis stand for. A scale maps a value to its place, `to`, and back, `from`; what has no
// place (nothing, or a logarithm of what is not positive) is NaN. `ticks` are places with their texts.

import { niceTicks, num, tickLabels } from './format.js';

export const LINEAR = {
  to: (v) => (Number.isFinite(v) ? v : NaN),
  from: (u) => u,
  ticks(min, max, pixels, space, room = 9) {
    const { ticks, incr } = niceTicks(min, max, pixels, space);
    const texts = tickLabels(ticks, incr, room);
    return ticks.map((at, i) => ({ at, text: texts[i] }));
  },
};

// Powers of ten, with 2 and 5 between where there is room; within less than a decade, round numbers.
function logTicks(min, max, pixels, space, room) {
  const decade = pixels / (max - min);
  if (max - min < 1) {
    return LINEAR.ticks(10 ** min, 10 ** max, pixels, space * 1.4, room).map(({ at, text }) => ({ at: Math.log10(at), text }))
      .filter(({ at }) => Number.isFinite(at));
  }
  const every = Math.max(1, Math.ceil(space / decade));
  const parts = decade > 3.4 * space ? [1, 2, 5] : [1];
  const list = [];
  for (let k = Math.floor(min); k <= max && list.length < 200; k++) {
    if (((k % every) + every) % every !== 0) continue;
    for (const p of parts) {
      const at = k + Math.log10(p);
      if (at >= min - 1e-9 && at <= max + 1e-9) list.push({ at, text: num(p * 10 ** k, 3) });
    }
  }
  return list;
}

export const LOG = {
  to: (v) => (v > 0 && v < Infinity ? Math.log10(v) : NaN),
  from: (u) => 10 ** u,
  ticks: (min, max, pixels, space, room = 9) => (max > min ? logTicks(min, max, pixels, space, room) : []),
};

// Words: the numbers are indices into them.
export function words(labels) {
  return {
    to: (v) => (Number.isInteger(v) && v >= 0 && v < labels.length ? v : NaN),
    from: (u) => Math.round(u),
    ticks(min, max, pixels, space, room = 9) {
      const every = Math.max(1, Math.ceil(((max - min) * space * 0.5) / Math.max(pixels, 1)));
      const list = [];
      for (let k = Math.max(Math.ceil(min), 0); k <= max && k < labels.length; k++) {
        const text = labels[k];
        if (k % every === 0) list.push({ at: k, text: text.length > room + 3 ? `${text.slice(0, room + 2)}…` : text });
      }
      return list;
    },
  };
}
