// Sweeps as the program writes them, made from closed forms, so that a test knows every value.
import { pack } from './fixtures.mjs';

const column = (name, kind, rest = {}) => ({ name, kind, type: 'real', unit: null, labels: null, scale: null, ...rest });

// columns: [column, values]; what is not given is that of a small sweep.
export function sweep(columns, rest = {}) {
  const rows = columns[0][1].length;
  const status = columns.find(([c]) => c.kind === 'status');
  const counts = {};
  status?.[0].labels.forEach((label, k) => { counts[label] = status[1].filter((v) => v === k).length; });
  return {
    format: 1, kind: 'sweep', model: 'Tank', design: 'grid', runs: rows, unfinished: 0, counts,
    columns: columns.map(([c]) => c), run: pack(Array.from({ length: rows }, (_, k) => k)), values: columns.map(([, v]) => pack(v)),
    indices: null, command: ['brink', 'run', 'models/tank/model.hsml'], kept: [],
    source: { file: 'model.hsml', text: 'system Tank is\nend Tank;\n' }, provenance: [['program', 'brink 0.1.0']], ...rest,
  };
}

// The level of a tank with area a and outflow k: empty after a/k, highest at k*a. Where both are large the run fails.
export function tank(nx = 20, ny = 15) {
  const [a, k, status, reason, message, n, t, top, word] = Array.from({ length: 9 }, () => []);
  const end = [];
  const messages = [''];
  for (let i = 0; i < nx; i++) {
    for (let j = 0; j < ny; j++) {
      const area = 1 + (9 * i) / (nx - 1);
      const flow = 0.1 * 100 ** (j / (ny - 1));
      const bad = i > nx - 4 && j > ny - 3;
      a.push(area);
      k.push(flow);
      status.push(bad ? 1 : 0);
      reason.push(bad ? 1 : 0);
      if (bad) messages.push(`h is ${area * flow}: it must be at most 80`);
      message.push(bad ? messages.length - 1 : 0);
      n.push(bad ? NaN : i % 3);
      t.push(bad || i % 3 === 0 ? NaN : area / flow);
      top.push(bad ? NaN : area * flow);
      word.push(j % 2);
      end.push(i === 19 && j === 14 ? NaN : 10);
    }
  }
  return sweep([
    [column('area', 'knob', { unit: 'm2' }), a], [column('k', 'knob', { scale: 'log' }), k],
    [column('phase', 'knob', { type: 'string', labels: ['low', 'high'] }), word],
    [column('status', 'status', { type: 'string', labels: ['finished', 'failed'] }), status],
    [column('reason', 'reason', { type: 'string', labels: ['', 'range'] }), reason],
    [column('message', 'message', { type: 'string', labels: messages }), message],
    [column('count(empty)', 'count'), n], [column('first(empty)', 'time', { unit: 's' }), t], [column('max(h)', 'outcome', { unit: 'm' }), top],
    [column('t', 'end'), end],
  ], {
    kept: [{ what: 'report', before: 'kept runs/run-', after: '.html' }, { what: 'trajectory', before: '/data/run-', after: '.csv' }],
    indices: { level: 0.95, outcomes: [
      { name: 'max(h)', samples: 1024, first: [{ knob: 'area', value: 0.31, low: 0.25, high: 0.37 }, { knob: 'k', value: 0.55, low: 0.5, high: 0.6 }, { knob: 'phase', value: -0.01, low: -0.03, high: 0.01 }],
        total: [{ knob: 'area', value: 0.45, low: 0.4, high: 0.5 }, { knob: 'k', value: 0.69, low: 0.62, high: 0.75 }, { knob: 'phase', value: 'nan', low: 'nan', high: 'nan' }] },
      { name: 'first(empty)', samples: 1000, first: [], total: [] }] },
  });
}

// Uniform draws, without a generator: multiples of irrational numbers.
const draw = (k, by) => (k * by) % 1;

// As large as a page becomes: a parabola over three knobs, eleven outcomes of them.
export function large(rows = 100000) {
  const knob = [0.6180339887, 0.7548776662, 0.5698402910].map((by) => Array.from({ length: rows }, (_, k) => draw(k + 1, by)));
  const [x, y, z] = knob;
  const outcome = (f) => x.map((_, k) => f(x[k], y[k], z[k]));
  return sweep([
    ...['x', 'y', 'z'].map((name, k) => [column(name, 'knob'), knob[k]]),
    [column('status', 'status', { type: 'string', labels: ['finished'] }), x.map(() => 0)],
    [column('first(hit)', 'time', { unit: 's' }), outcome((a, b) => 1 + a * b)],
    [column('max(q)', 'outcome'), outcome((a, b, c) => a * a + b - c)],
    ...Array.from({ length: 10 }, (_, m) => [column(`final(q${m})`, 'outcome'), outcome((a, b, c) => Math.sin(m + 3 * a) * b + c)]),
  ], { design: 'sobol', runs: 1000000, run: pack(Array.from({ length: rows }, (_, k) => 10 * k)), counts: { finished: 1000000 } });
}

// Text that would do harm if it were taken for HTML, and numbers that are none.
export function hostile() {
  const bad = '<img src=x onerror="window.harmed=1">&amp;"\'`</script><script>window.harmed=1</script>';
  return sweep([
    [column(bad, 'knob', { unit: bad }), [0, 1, Infinity]], [column('w', 'knob', { type: 'string', labels: [bad, "it's", ''] }), [0, 1, 2]],
    [column('status', 'status', { type: 'string', labels: ['failed', bad] }), [0, 1, 0]],
    [column('reason', 'reason', { type: 'string', labels: [bad, ''] }), [0, 1, 0]], [column('message', 'message', { type: 'string', labels: [bad, ''] }), [0, 1, 0]],
    [column(bad, 'time'), [NaN, NaN, NaN]], [column('y', 'outcome', { unit: bad }), [NaN, -Infinity, 1e300]],
  ], { model: bad, design: bad, command: ['brink', 'run', bad], kept: [{ what: 'report', before: `javascript:${bad}/`, after: bad }, { what: bad, before: 'javascript:alert(', after: ')' }],
    source: { file: bad, text: bad }, provenance: [[bad, bad]],
    indices: { level: 0.95, outcomes: [{ name: bad, samples: 8, first: [{ knob: bad, value: 2, low: -3, high: 4 }], total: [{ knob: bad, value: 'inf', low: 'nan', high: 'nan' }] }] } });
}

export const one = () => sweep([[column('k', 'knob'), [1]], [column('status', 'status', { type: 'string', labels: ['finished'] }), [0]], [column('y', 'outcome'), [2]]]);
export const none = () => sweep([[column('k', 'knob'), []], [column('status', 'status', { type: 'string', labels: [] }), []]]);
