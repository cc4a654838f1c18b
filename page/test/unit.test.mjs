// Parts of the page that need no browser.
import assert from 'node:assert/strict';
import test from 'node:test';
import { count, extent, flagLabel, lowerBound, niceTicks, num, padded, seconds, tickLabels } from '../src/format.js';
import { tokens } from '../src/hsml.js';
import { unshuffle } from '../src/decode.js';
import { pack } from './fixtures.mjs';
import { inflateSync } from 'node:zlib';

test('numbers are short, and keep their sign, size and kind', () => {
  assert.equal(num(0.1 + 0.2), '0.3');
  assert.equal(num(1e-9), '1e-9');
  assert.equal(num(1234567), '1.23457e6');
  assert.equal(num(100), '100');
  assert.equal(num(-2.5e-7, 3), '-2.5e-7');
  assert.equal(num(9.6e-10, 2), '9.6e-10');
  assert.equal(num(1.5e20), '1.5e20');
  assert.equal(num(1e-100), '1e-100');
  assert.equal(num(NaN), 'nan');
  assert.equal(num('inf'), 'inf');
  assert.equal(num(null), '–');
  assert.equal(count(1234567), '1\u2009234\u2009567');
  assert.equal(seconds(0.00012), '120 µs');
  assert.equal(seconds(3725), '62 min 5 s');
});

test('a flag that the compiler made is shown by its text', () => {
  assert.equal(flagLabel({ flag: 'plant.empty', text: null }), 'plant.empty');
  assert.equal(flagLabel({ flag: 'plant@12:7', text: 'gap < -b' }), 'gap < -b (plant@12:7)');
  assert.equal(flagLabel({}), '');
});

test('labels of ticks tell the ticks apart', () => {
  for (const [min, max] of [[0, 10], [-1, 1], [0.25 - 1e-9, 0.25 + 1e-9], [1e7, 1e7 + 3], [0, 1e-12], [-3e8, 5e8]]) {
    const { ticks, incr } = niceTicks(min, max, 600);
    assert.ok(ticks.length >= 3, `${min} … ${max}`);
    assert.equal(new Set(tickLabels(ticks, incr)).size, ticks.length, `${min} … ${max}: ${tickLabels(ticks, incr)}`);
  }
});

test('a range that is flat to rounding is opened', () => {
  const [lo, hi] = padded(0.25 - 1e-16, 0.25 + 1e-16);
  assert.ok(hi - lo > 0.01);
  assert.deepEqual(padded(0, 0), [-1, 1]);
});

test('search and extent', () => {
  assert.equal(lowerBound([0, 1, 1, 2], 1), 1);
  assert.equal(lowerBound([0, 1, 1, 2], 3), 4);
  assert.deepEqual(extent([NaN, 3, -Infinity, 1]), [1, 3]);
  assert.equal(extent([NaN]), null);
});

test('arrays come back as they were', () => {
  const values = [0, -0, 1.5, NaN, Infinity, -Infinity, 5e-324, Math.PI];
  const packed = pack(values);
  const bytes = unshuffle(new Uint8Array(inflateSync(Buffer.from(packed.data, 'base64'))), 8);
  assert.deepEqual([...new Float64Array(bytes.buffer)], values);
});

test('HSML is coloured by its words, and no character is lost', () => {
  const line = '  state(x1, real, (0.0, 1e-3)); Output = "a%b" and NOT negative-going; % state';
  const list = tokens(line);
  assert.equal(list.map(([, text]) => text).join(''), line);
  const kind = (text) => list.find(([, t]) => t === text)?.[0];
  assert.equal(kind('state'), 'declare');
  assert.equal(kind('real'), 'type');
  assert.equal(kind('1e-3'), 'number');
  assert.equal(kind('"a%b"'), 'string');
  assert.equal(kind('NOT'), 'keyword');
  assert.equal(kind('negative-going'), 'keyword');
  assert.equal(kind('% state'), 'comment');
});
