// The table of a sweep: one row a run, columns as typed arrays; which runs pass the filter; which one is open.

import { decodeArray } from '../decode.js';
import { extent, num, valueText } from '../format.js';
import { LINEAR, LOG, words } from '../scales.js';

export const KINDS = {
  knob: 'Knobs', outcome: 'Outcomes', time: 'Times of events', count: 'Numbers of events', condition: 'Condition', end: 'End of the run',
  status: 'Status', reason: 'Reason of a failure', message: 'Message',
};

const DECADES = 3; // positive numbers that span more are drawn on a logarithmic scale

function scaleOf(column, values) {
  if (column.labels) return words(column.labels);
  if (column.scale === 'log') return LOG;
  if (column.kind === 'knob' || column.kind === 'count' || column.kind === 'end') return LINEAR;
  const range = extent(values);
  return range && range[0] > 0 && range[1] / range[0] > 10 ** DECADES ? LOG : LINEAR;
}

// The places of all values, and the range of them.
function placed(scale, values) {
  const places = Float64Array.from(values, scale.to);
  return { places, range: extent(places) };
}

export class Table {
  // raw: the data of the page; run: numbers of the runs; values: an array for each column
  constructor(raw, run, values) {
    this.raw = raw;
    this.run = run;
    this.rows = run.length;
    this.columns = raw.columns.map((column, index) => {
      const scale = scaleOf(column, values[index]);
      return { ...column, index, values: values[index], scale, ...placed(scale, values[index]) };
    });
    this.status = this.columns.find((c) => c.kind === 'status') ?? null;
    this.brushes = new Map(); // of a column's index: the lowest and the highest place that pass
    this.pass = new Uint8Array(this.rows).fill(1);
    this.passed = this.rows;
    this.failedOnly = false;
    this.opened = -1;
    this.colour = -1;
    this.listeners = { filter: [], open: [], colour: [] };
  }

  on(what, fn) {
    this.listeners[what].push(fn);
  }

  #announce(what) {
    for (const fn of this.listeners[what]) fn();
  }

  of(...kinds) {
    return this.columns.filter((c) => kinds.includes(c.kind));
  }

  // What can be drawn: messages are for reading.
  get drawable() {
    return this.columns.filter((c) => c.kind !== 'message');
  }

  isFailed(row) {
    return this.status !== null && this.status.labels[this.status.values[row]] === 'failed';
  }

  // Only rows whose place in the column is between low and high pass; null: all.
  brush(column, range) {
    if (range === null) this.brushes.delete(column);
    else this.brushes.set(column, [Math.min(...range), Math.max(...range)]);
    this.refresh();
  }

  // Several at once.
  brushAll(ranges) {
    for (const [column, range] of ranges) this.brushes.set(column, range);
    this.refresh();
  }

  setFailedOnly(on) {
    this.failedOnly = on;
    this.refresh();
  }

  clear() {
    this.brushes.clear();
    this.failedOnly = false;
    this.refresh();
  }

  get filtered() {
    return this.brushes.size > 0 || this.failedOnly;
  }

  refresh() {
    const { pass } = this;
    pass.fill(1);
    for (const [column, [low, high]] of this.brushes) {
      const { places } = this.columns[column];
      // What has no place is in no range: written so that NaN fails.
      for (let i = 0; i < pass.length; i++) if (!(places[i] >= low && places[i] <= high)) pass[i] = 0;
    }
    if (this.failedOnly) for (let i = 0; i < pass.length; i++) if (pass[i] && !this.isFailed(i)) pass[i] = 0;
    this.passed = pass.reduce((sum, p) => sum + p, 0);
    this.#announce('filter');
  }

  open(row) {
    this.opened = row;
    this.#announce('open');
  }

  colourBy(column) {
    this.colour = column;
    this.#announce('colour');
  }

  text(column, row, digits = 6) {
    const v = column.values[row];
    if (Number.isNaN(v)) return '–';
    return column.labels || column.type === 'boolean' ? valueText(column, v) : num(v, digits);
  }
}

export const nameOf = (column) => (column.unit ? `${column.name} (${column.unit})` : column.name);

export async function decodeTable(raw) {
  const [run, values] = await Promise.all([decodeArray(raw.run), Promise.all(raw.columns.map((_, k) => decodeArray(raw.values[k])))]);
  values.forEach((v, k) => {
    if (v.length !== run.length) throw new Error(`column ${k + 1} has ${v.length} values, and there are ${run.length} runs`);
  });
  return new Table(raw, run, values);
}

// The rows that pass, in the order of a column (-1: of the runs). Missing values come last in either direction.
export function sorted(table, column, down) {
  const rows = new Int32Array(table.passed);
  for (let i = 0, k = 0; i < table.rows; i++) if (table.pass[i]) rows[k++] = i;
  const c = table.columns[column];
  const key = !c ? table.run : c.labels ? rankOf(c) : c.values;
  const sign = down ? -1 : 1;
  return rows.sort((a, b) => {
    const [u, v] = [key[a], key[b]];
    if (u < v) return -sign;
    if (u > v) return sign;
    return Number.isNaN(u) - Number.isNaN(v) || a - b;
  });
}

// Words sort as words.
function rankOf(column) {
  const order = column.labels.map((text, k) => [text, k]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const rank = new Float64Array(column.labels.length);
  order.forEach(([, k], place) => { rank[k] = place; });
  return Float64Array.from(column.values, (v) => rank[v] ?? NaN);
}
