// Parts of the page of a sweep that need no browser.
import assert from 'node:assert/strict';
import test from 'node:test';
import { LINEAR, LOG, words } from '../src/scales.js';
import { decodeTable, sorted, Table } from '../src/sweep/table.js';
import { cellAt, cellsOf, distinct, explained, histogram, means } from '../src/sweep/bins.js';
import { command, exact, keptLinks, quoted } from '../src/sweep/command.js';
import { moved, spreadOrder } from '../src/sweep/lines.js';
import { spanOf } from '../src/sweep/indices.js';
import * as sweeps from './sweeps.mjs';

const tank = () => decodeTable(sweeps.tank());
const named = (table, name) => table.columns.find((c) => c.name === name);

function small(columns, design = 'grid') {
  return new Table({ design, columns: columns.map(([c]) => ({ labels: null, ...c })) }, Float64Array.from(columns[0][1].keys()),
    columns.map(([, v]) => Float64Array.from(v)));
}

test('a table has the values and numbers it was given', async () => {
  const table = await tank();
  assert.equal(table.rows, 300);
  assert.equal(named(table, 'area').values[299], 10);
  assert.equal(named(table, 'k').scale, LOG);
  assert.equal(named(table, 'area').scale, LINEAR);
  assert.equal(table.text(named(table, 'phase'), 1), 'high');
  assert.equal(table.text(named(table, 'max(h)'), 299), '–');
  assert.ok(table.isFailed(299) && !table.isFailed(0));
});

test('a column of another length is refused', async () => {
  const raw = sweeps.tank();
  raw.values[1] = sweeps.one().values[0];
  await assert.rejects(decodeTable(raw), /column 2 has 1 values, and there are 300 runs/);
});

test('brushes keep exactly the runs whose values are within all of them', async () => {
  const table = await tank();
  const [area, k] = [named(table, 'area'), named(table, 'k')];
  table.brush(area.index, [area.scale.to(3), area.scale.to(6)]);
  table.brush(k.index, [k.scale.to(5), k.scale.to(1)]); // upside down
  let want = 0;
  for (let r = 0; r < table.rows; r++) {
    const inside = area.values[r] >= 3 && area.values[r] <= 6 && k.values[r] >= 1 - 1e-12 && k.values[r] <= 5 + 1e-12;
    assert.equal(table.pass[r], Number(inside));
    want += inside;
  }
  assert.ok(want > 0);
  assert.equal(table.passed, want);
  table.clear();
  assert.equal(table.passed, table.rows);
});

test('a run without a value passes no brush of it', () => {
  const table = small([[{ name: 'y', kind: 'outcome' }, [NaN, 1, Infinity, -1]]]);
  table.brush(0, [-1e300, 1e300]);
  assert.deepEqual([...table.pass], [0, 1, 0, 1]);
});

test('only failed runs', async () => {
  const table = await tank();
  table.setFailedOnly(true);
  assert.equal(table.passed, 6); // three areas, two flows
  assert.equal(table.passed, table.raw.counts.failed);
});

test('rows are sorted, words as words, missing values last in both directions', () => {
  const table = small([[{ name: 'y', kind: 'outcome' }, [3, NaN, 1, 2]], [{ name: 'w', kind: 'knob', labels: ['pear', 'apple'] }, [0, 1, 0, 1]]]);
  assert.deepEqual([...sorted(table, 0, false)], [2, 3, 0, 1]);
  assert.deepEqual([...sorted(table, 0, true)], [0, 3, 2, 1]);
  assert.deepEqual([...sorted(table, 1, false)], [1, 3, 0, 2]);
  assert.deepEqual([...sorted(table, -1, true)], [3, 2, 1, 0]);
});

test('the command repeats the run to the last bit', async () => {
  const table = await tank();
  assert.match(command(table, 0), /^brink run models\/tank\/model\.hsml --set area=1 --set k=0\.1 --set phase=low$/);
  for (const v of [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -0, 123456789012345680000]) {
    assert.ok(Object.is(Number(exact(v)), v), `${v}`);
  }
  assert.equal(exact(-Infinity), '-inf');
});

test('the seed of a run is an option of its command', () => {
  const table = small([[{ name: 'k', kind: 'knob' }, [2]], [{ name: 'seed', kind: 'knob', option: 'seed' }, [17]]]);
  table.raw.command = ['brink', 'run', 'm.hsml'];
  assert.equal(command(table, 0), 'brink run m.hsml --set k=2 --seed 17');
});

test('words of a command are quoted for a shell', () => {
  assert.equal(quoted('plant.area=2.5'), 'plant.area=2.5');
  assert.equal(quoted('a b'), "'a b'");
  assert.equal(quoted("it's $HOME `x`"), "'it'\\''s $HOME `x`'");
  assert.equal(quoted(''), "''");
  assert.equal(quoted('*'), "'*'");
  assert.equal(quoted('~x'), "'~x'");
});

test('links to kept files are paths and nothing else', async () => {
  const table = await tank();
  assert.deepEqual(keptLinks(table, 7), [{ what: 'report', href: './kept%20runs/run-7.html' }, { what: 'trajectory', href: 'file:///data/run-7.csv' }]);
  assert.deepEqual(keptLinks(table, 299), [], 'a run that could not begin has no files');
  const bad = await decodeTable(sweeps.hostile());
  for (const { href } of keptLinks(bad, 0)) assert.match(href, /^\.\/javascript%3A/);
});

test('a grid has a cell for each value, and the values are in their cells', async () => {
  const table = await tank();
  const cells = cellsOf(named(table, 'k'), 10, false);
  assert.equal(cells.values.length, 15);
  cells.values.forEach((v, k) => assert.equal(cellAt(cells.edges, v), k));
  assert.equal(cellAt(cells.edges, NaN), -1);
  assert.equal(cellAt(cells.edges, cells.edges[15] + 1e-9), -1);
  assert.equal(cellAt(cells.edges, cells.edges[15]), 14);
  assert.equal(distinct([1, 2, 3], 2), null);
});

test('cells of a grid hold the outcome of their run', async () => {
  const table = await tank();
  const cells = means(table, named(table, 'area'), named(table, 'k'), named(table, 'max(h)'), false);
  assert.deepEqual([cells.nx, cells.ny], [20, 15]);
  assert.equal(explained(cells, false, 2), 'Every cell is one run.');
  for (let r = 0; r < table.rows; r++) {
    const k = (r % 15) * 20 + Math.floor(r / 15);
    assert.equal(cells.first[k], r);
    assert.ok(Object.is(cells.mean[k], named(table, 'max(h)').values[r]));
  }
});

test('cells of samples hold means of those that pass', () => {
  const n = 4000;
  const x = Array.from({ length: n }, (_, k) => (k * 0.6180339887) % 1);
  const y = Array.from({ length: n }, (_, k) => (k * 0.7548776662) % 1);
  const table = small([[{ name: 'x', kind: 'knob' }, x], [{ name: 'y', kind: 'knob' }, y], [{ name: 'z', kind: 'outcome' }, x.map((v, k) => 3 * v - y[k])]], 'random');
  const cells = means(table, ...table.columns, true);
  assert.match(explained(cells, true, 2), /^Means of the runs in 22 × 22 bins: the runs are samples/);
  assert.equal(cells.runs.reduce((a, b) => a + b), n);
  for (let k = 0; k < cells.mean.length; k++) {
    if (!cells.runs[k]) continue;
    const mid = (e, i) => (e[i] + e[i + 1]) / 2;
    const want = 3 * mid(cells.across.edges, k % 22) - mid(cells.up.edges, Math.floor(k / 22));
    assert.ok(Math.abs(cells.mean[k] - want) <= 4 / 22 / 2, `cell ${k}: ${cells.mean[k]} and ${want}`);
  }
  table.brush(0, [0.5, 1]);
  assert.equal(means(table, ...table.columns, true).runs.reduce((a, b) => a + b), table.passed);
});

test('a histogram counts every run with a value once', async () => {
  const table = await tank();
  const t = named(table, 'first(empty)');
  const some = t.values.filter((v) => !Number.isNaN(v)).length;
  table.brush(named(table, 'area').index, [0, 5]);
  const h = histogram(table, t);
  assert.equal(h.all.reduce((a, b) => a + b), some);
  assert.equal(h.some, some);
  let passed = 0;
  for (let r = 0; r < table.rows; r++) passed += table.pass[r] && !Number.isNaN(t.values[r]);
  assert.equal(h.passed.reduce((a, b) => a + b), passed);
  assert.equal(histogram(small([[{ name: 't', kind: 'time' }, [NaN]]]), { places: [NaN] }), null);
  const flat = small([[{ name: 't', kind: 'time' }, [2, 2, 2]]]);
  assert.equal(histogram(flat, flat.columns[0]).all.reduce((a, b) => a + b), 3);
});

test('lines are drawn in an order that spreads over the table, each once', () => {
  for (const n of [0, 1, 2, 10, 12, 1000, 4096]) {
    const rows = Array.from({ length: n }, (_, k) => 3 * k);
    const order = spreadOrder(rows);
    assert.deepEqual([...order].sort((a, b) => a - b), rows);
  }
  const early = [...spreadOrder(Array.from({ length: 10000 }, (_, k) => k)).subarray(0, 100)];
  for (let part = 0; part < 10; part++) assert.ok(early.some((r) => Math.floor(r / 1000) === part));
});

test('keys move a brush, and leave it on its axis', () => {
  assert.deepEqual(moved([0.2, 0.4], 'ArrowUp', false).map((v) => Math.round(v * 100)), [22, 42]);
  assert.deepEqual(moved([0.2, 0.4], 'ArrowDown', true).map((v) => Math.round(v * 100)), [20, 38]);
  assert.deepEqual(moved([0.95, 1], 'PageUp', false), [0.95, 1]);
  const [low, high] = moved([0.2, 0.21], 'PageDown', true);
  assert.ok(high > low);
});

test('ticks of a logarithmic axis stand at the numbers they name', () => {
  for (const [lo, hi] of [[0.1, 10], [1e-9, 1e9], [2, 7], [1, 1000], [0.5, 30]]) {
    const ticks = LOG.ticks(Math.log10(lo), Math.log10(hi), 400, 70);
    assert.ok(ticks.length >= 2, `${lo} … ${hi}`);
    for (const { at, text } of ticks) assert.ok(Math.abs(10 ** at / Number(text) - 1) < 1e-9, `${text} at ${10 ** at}`);
  }
  assert.ok(Number.isNaN(LOG.to(0)) && Number.isNaN(LOG.to(-1)));
  assert.deepEqual(words(['a', 'b']).ticks(-0.4, 1.4, 400, 40), [{ at: 0, text: 'a' }, { at: 1, text: 'b' }]);
});

test('bars of indices reach as far as their intervals', () => {
  assert.deepEqual(spanOf({ first: [{ value: 0.2, low: -0.1, high: 0.4 }], total: [{ value: 0.3, low: 0.2, high: 1.2 }] }), [-0.1, 1.2]);
  assert.deepEqual(spanOf({ first: [{ value: 'nan', low: 'nan', high: 'nan' }], total: [] }), [0, 1]);
});
