// Cells of a heat map and bars of a histogram.

import { count, extent } from '../format.js';

const MOST_VALUES = 64; // more different values than this are put into bins

// The values of a column in order, each once; null where there are more than `most`.
export function distinct(places, most) {
  const seen = new Set();
  for (const p of places) {
    if (Number.isNaN(p)) continue;
    seen.add(p);
    if (seen.size > most) return null;
  }
  return Float64Array.from(seen).sort();
}

// Between the values of a grid, and as far beyond its ends.
function edgesAround(values) {
  if (values.length === 1) return Float64Array.of(values[0] - 0.5, values[0] + 0.5);
  const edges = new Float64Array(values.length + 1);
  for (let k = 1; k < values.length; k++) edges[k] = (values[k - 1] + values[k]) / 2;
  edges[0] = 2 * values[0] - edges[1];
  edges[values.length] = 2 * values[values.length - 1] - edges[values.length - 1];
  return edges;
}

// The cells of one direction: one for each value of a grid, or `bins` of equal width.
export function cellsOf(column, bins, sampled) {
  const values = sampled && !column.labels ? null : distinct(column.places, MOST_VALUES);
  if (values !== null) return { edges: edgesAround(values), values };
  const [lo, hi] = extent(column.places) ?? [0, 1];
  const width = (hi - lo || 1) / bins;
  return { edges: Float64Array.from({ length: bins + 1 }, (_, k) => (k === bins && hi > lo ? hi : lo + k * width)), values: null };
}

// In which cell a place is; -1: in none.
export function cellAt(edges, place) {
  const last = edges.length - 1;
  if (!(place >= edges[0] && place <= edges[last])) return -1;
  let lo = 0;
  let hi = last - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (edges[mid] <= place) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

// Means of z over the rows that pass, in cells of x and y: cell (i, j) is number j*nx + i. `runs` counts the rows of a cell,
// `used` those with a value.
export function means(table, x, y, z, sampled) {
  const bins = Math.min(Math.max(Math.round(Math.sqrt(table.rows / 8)), 4), 40);
  const across = cellsOf(x, bins, sampled);
  const up = cellsOf(y, bins, sampled);
  const nx = across.edges.length - 1;
  const ny = up.edges.length - 1;
  const sum = new Float64Array(nx * ny);
  const used = new Int32Array(nx * ny);
  const runs = new Int32Array(nx * ny);
  const first = new Int32Array(nx * ny).fill(-1);
  for (let r = 0; r < table.rows; r++) {
    if (!table.pass[r]) continue;
    const i = cellAt(across.edges, x.places[r]);
    const j = cellAt(up.edges, y.places[r]);
    if (i < 0 || j < 0) continue;
    const k = j * nx + i;
    if (runs[k]++ === 0) first[k] = r;
    if (!Number.isFinite(z.values[r])) continue;
    sum[k] += z.values[r];
    used[k]++;
  }
  const mean = sum.map((s, k) => (used[k] ? s / used[k] : NaN));
  return { across, up, nx, ny, mean, used, runs, first };
}

// What a cell is, in words.
export function explained(cells, sampled, knobs) {
  const binned = cells.across.values === null || cells.up.values === null;
  if (binned) {
    return `Means of the runs in ${cells.nx} × ${cells.ny} bins${sampled ? ': the runs are samples, not a grid' : ''}.`;
  }
  const most = cells.runs.reduce((a, b) => Math.max(a, b), 0);
  return most > 1 ? `Means of up to ${count(most)} runs in a cell${knobs > 2 ? ': the other knobs vary, too' : ''}.` : 'Every cell is one run.';
}

// Counts of all rows and of those that pass, in bars of equal width.
export function histogram(table, column) {
  const range = extent(column.places);
  if (!range) return null;
  const some = column.places.reduce((n, p) => n + !Number.isNaN(p), 0);
  const bars = Math.min(Math.max(Math.ceil(Math.sqrt(some)), 5), 60);
  const [lo, hi] = range[1] > range[0] ? range : [range[0] - 0.5, range[1] + 0.5];
  const all = new Int32Array(bars);
  const passed = new Int32Array(bars);
  for (let r = 0; r < table.rows; r++) {
    const p = column.places[r];
    if (Number.isNaN(p)) continue;
    const k = Math.min(Math.floor(((p - lo) / (hi - lo)) * bars), bars - 1);
    all[k]++;
    if (table.pass[r]) passed[k]++;
  }
  return { lo, hi, bars, all, passed, some };
}
