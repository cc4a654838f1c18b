// Reports as the program writes them, made from closed forms, so that a test knows every value.
import { deflateSync } from 'node:zlib';

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array };

export function pack(numbers, type = 'f8') {
  const typed = TYPES[type].from(numbers);
  if (!typed.length) return { type, count: 0, data: '' };
  const bytes = new Uint8Array(typed.buffer);
  const width = typed.BYTES_PER_ELEMENT;
  const shuffled = new Uint8Array(bytes.length);
  for (let i = 0; i < typed.length; i++) {
    for (let b = 0; b < width; b++) shuffled[b * typed.length + i] = bytes[i * width + b];
  }
  return { type, count: typed.length, data: deflateSync(shuffled).toString('base64') };
}

const MARKER = '<script id="brink-data" type="application/json">null</script>';

// The page with a report in it, as the program puts it there.
export function fill(template, report) {
  const json = JSON.stringify(report).replaceAll('<', '\\u003c');
  const at = template.indexOf(MARKER);
  if (at < 0) throw new Error('no data marker');
  return template.slice(0, at) + MARKER.replace('null', () => json) + template.slice(at + MARKER.length);
}

const real = (name, kind = 'state', unit = null) => ({ name, variable: name, kind, type: 'real', unit, labels: null });

export function report(parts) {
  const { rows = parts.time?.length ?? 0 } = parts;
  const columns = parts.columns ?? [];
  const events = parts.events ?? [];
  return {
    format: 1,
    until: 1, started: 0, columns_total: columns.length, rows, thinned: false, row_width: 0, events, events_total: events.length,
    slides: [], misses: [], approaches: [], populations: [],
    source: { file: 'model.hsml', text: '% nothing\nsystem Model is\nend Model;\n' },
    parameters: [], provenance: [['program', 'brink 0.1.0'], ['written', '2026-01-01T00:00:00Z']], conditions: null,
    ...parts,
    summary: { model: 'Model', status: 'finished', t: 1, seed: 1, method: 'adams', events_method: 'extrapolate', rtol: 1e-6,
      atol: 1e-9, final: {}, stats: { steps: 100, rejected: 2, rhs: 310, guards: 240, roots: 7, rhs_past_guard: 0, compile_s: 0.05, wall_s: 0.0012 },
      ...parts.summary },
    columns,
    time: pack(parts.time ?? []), values: (parts.values ?? []).map((v) => pack(v)),
    steps: { count: parts.steps?.t?.length ?? 0, thinned: false, t: pack(parts.steps?.t ?? []), h: pack(parts.steps?.h ?? []), order: pack(parts.steps?.order ?? [], 'i4') },
  };
}

function approach(event, flag, t, g, tolerance = null) {
  const dt = [];
  for (let k = 0; k <= 60; k++) dt.push(-(10 ** (-k / 5)));
  for (let k = 60; k >= 0; k--) dt.push(10 ** (-k / 5));
  const steps = [-0.3, -0.1, -0.02, -0.004, -5e-4, -3e-6, -1e-9, 0.01, 0.1, 0.4];
  return { event, flag, t, tolerance, along: { dt: pack(dt), g: pack(dt.map(g)) }, steps: { dt: pack(steps), g: pack(steps.map(g)) } };
}

// x'' = -sgn(x) from (1/4, 0): parabolas, switches at (2n - 1)/sqrt(2).
export function relayAt(t) {
  const half = Math.SQRT1_2;
  const n = Math.floor((t / half + 1) / 2); // switches so far
  const s = n % 2 ? -1 : 1;
  const tau = t - 2 * n * half; // from the last extreme, -half … half
  return { x1: s * (0.25 - (tau * tau) / 2), x2: -s * tau, s };
}

export function relay() {
  const time = [];
  const values = [[], [], [], []];
  const events = [];
  const push = (t, s) => {
    const r = relayAt(t);
    time.push(t);
    values[0].push(r.x1);
    values[1].push(r.x2);
    values[2].push(0.25);
    values[3].push((s ?? r.s) > 0 ? 0 : 1);
  };
  const switches = [1, 3, 5, 7, 9, 11, 13].map((k) => k * Math.SQRT1_2);
  let next = 0;
  for (let i = 0; i <= 400; i++) {
    const t = i / 40;
    while (next < switches.length && switches[next] <= t) {
      const direction = next % 2 ? 'positive' : 'negative';
      events.push({ t: switches[next], flag: 'plant.phi', direction, changes: `side = ${next % 2 ? 'right' : 'left'}`, line: 12, column: 7, generated: false, agents: null });
      push(switches[next], next % 2 ? -1 : 1);
      push(switches[next], next % 2 ? 1 : -1);
      next++;
    }
    push(t);
  }
  const h = [];
  const t = [];
  const order = [];
  for (let at = 0, k = 0; at < 10; k++) {
    h.push(0.02 + 0.1 * Math.abs(Math.sin(k / 3)));
    at += h[k];
    t.push(Math.min(at, 10));
    order.push(1 + (k % 5));
  }
  return report({
    summary: { model: 'RelayLoop', t: 10, final: { 'plant.x1': -0.2449493661166534, 'plant.x2': 0.1005050633883347 } },
    until: 10,
    columns: [real('plant.x1', 'state', 'm'), real('plant.x2', 'state', 'm/s'), real('plant.energy', 'output'),
      { name: 'plant.side', variable: 'plant.side', kind: 'mode', type: 'string', unit: null, labels: ['right', 'left'] }],
    time, values, events, steps: { t, h, order },
    approaches: events.map((e, i) => approach(i, e.flag, e.t, (dt) => (i % 2 ? 1 : -1) * dt * 0.7)),
    misses: [{ flag: 'plant.near', t: 4.2, value: 1e-8, tolerance: 1e-9, distance: 2e-8 }],
    conditions: [...events.map((e, i) => ({ t: e.t, flag: e.flag, event: true, published: i === 3 ? 1094.62867781192701 : 1.5, scaled: i === 3 ? 1063.65 : 2,
      posed: i === 3 ? 'grazing' : 'well-posed', verdict: i === 3 ? 'grazing: a change of 0.009 in plant.x1 makes an event at t = 4.2 happen' : 'well-posed',
      approaches: i === 3 ? [{ t: 4.2, value: 0.00904524, distance: 0.00904524, relative: 9.4e-4, certainty: 1e6, factor: 784.592 }] : [], omitted: 0 })),
    { t: 10, flag: 'plant.far', event: false, published: 0.5, scaled: 4, posed: 'well-posed', verdict: 'well-posed', approaches: [], omitted: 3 }],
    slides: [{ flag: 'plant.v', from: 8, to: 8.6 }],
    parameters: [{ name: 'plant.k', value: 2.5, unit: 'm2' }, { name: 'plant.big', value: 'inf', unit: null }],
    source: { file: 'models/relay/model.hsml', text: '% Double integrator under a relay.\n\nctc Relay is\n  body\n    declarations\n      state(x1, real);\n      state(x2, real);\n      flag(phi);\n    end declarations;\n    dynamics\n      x1\' = x2;\n      phi = x1;\n    end dynamics;\n  end body;\nend Relay;\n' },
  });
}

// A mass on a string that gets taut at t = 0.4 and slack again at 0.7; no modes.
export function string() {
  const time = Array.from({ length: 101 }, (_, k) => k / 100);
  const span = (from, to, taut) => ({ from, to, index: taut ? 3 : 1, free: taut ? 2 : 4, states: 4, tied: taut ? [['x', 'y'], ['vx', 'vy']] : [] });
  return report({
    summary: { model: 'String', structure: [span(0, 0.4, false), span(0.4, 0.7, true), span(0.7, 1, false)] },
    columns: [real('x'), real('tension', 'output')],
    time, values: [time.map((t) => Math.cos(t)), time.map((t) => (t >= 0.4 && t < 0.7 ? 10 : 0))],
  });
}

// Agents that go round on circles of their own.
export function crowd(count = 20, frames = 200) {
  const t = [];
  const x = [];
  const y = [];
  const heading = [];
  for (let f = 0; f < frames; f++) {
    t.push((f / (frames - 1)) * 100);
    for (let k = 0; k < count; k++) {
      const a = (k * 2.399963) + t[f] * (0.05 + 0.1 * ((k * 7) % 5));
      const r = 0.4 + ((k * 37) % 23) / 23;
      x.push(((k * 0.618034) % 1) * 8 + 1 + r * Math.cos(a));
      y.push(((k * 0.754877) % 1) * 8 + 1 + r * Math.sin(a));
      heading.push(a + Math.PI / 2);
    }
  }
  const meetings = [];
  for (let m = 0; m < 60; m++) meetings.push({ t: 1.2 + m * 1.6, x: 1 + ((m * 0.618) % 1) * 8, y: 1 + ((m * 0.377) % 1) * 8, a: m % count, b: (m * 3 + 1) % count, flag: 'gap' });
  const events = meetings.map((m) => ({ t: m.t, flag: 'gap', direction: 'negative', changes: 'car[1].v = 1', line: 2, column: 1, generated: false, agents: [`car[${m.a + 1}]`, `car[${m.b + 1}]`] }));
  const shown = Math.min(count, 20);
  const columns = [];
  const values = [];
  for (const [name, from] of [['x', x], ['y', y]]) {
    for (let k = 0; k < shown; k++) {
      columns.push(real(`car[${k + 1}].${name}`));
      values.push(t.map((_, f) => from[f * count + k]));
    }
  }
  return report({
    summary: { model: 'Crowd', t: 100 }, until: 100, columns, columns_total: count * 2, time: t, values, events,
    populations: [{ name: 'car', count, frames, t: pack(t), x: pack(x, 'f4'), y: pack(y, 'f4'), heading: pack(heading, 'f4'),
      radius: pack(new Array(count).fill(count > 1000 ? 0.01 : 0.1), 'f4'), meetings }],
  });
}

// As large as a report becomes.
export function large(rows = 16000, columns = 60, events = 2000) {
  const time = Array.from({ length: rows }, (_, i) => (i / rows) * 1000);
  const values = Array.from({ length: columns }, (_, c) => time.map((t, i) => Math.sin(t * 0.01 * (c + 1)) + 1e-3 * ((i * 7919) % 101)));
  return report({
    summary: { model: 'Large', t: 1000 }, until: 1000, thinned: true, row_width: 0.125, columns_total: 500,
    columns: values.map((_, c) => real(`part.q${c}`)), time, values,
    events: Array.from({ length: events }, (_, i) => ({ t: (i / events) * 1000, flag: `part.f${i % 3}`, direction: i % 2 ? 'positive' : 'negative', changes: `m = ${i}`, line: (i % 3) + 1, column: 1, generated: i % 3 === 2, agents: null })),
    events_total: 1234567,
    steps: { t: time.slice(1), h: time.slice(1).map((_, i) => 10 ** (-6 * Math.random() * 0 - (i % 7))), order: time.slice(1).map((_, i) => 1 + (i % 12)) },
  });
}

// Text that would do harm if it were taken for HTML, and numbers that are none.
export function hostile() {
  const bad = '<img src=x onerror="window.harmed=1">&amp;"\'`</script><script>window.harmed=1</script>';
  return report({
    summary: { model: bad, status: 'failed', reason: 'range', message: bad, t: 2, final: { [bad]: 'nan', y: 'inf' }, warnings: [bad, { message: bad }] },
    until: 10,
    columns: [real(bad), { ...real('y'), unit: bad }, { name: 'm', variable: 'm', kind: 'mode', type: 'string', unit: null, labels: [bad, '<b>b</b>'] },
      { name: 'on', variable: 'on', kind: 'mode', type: 'boolean', unit: null, labels: null }, { ...real('k', 'mode'), type: 'integer' }],
    time: [0, 0.5, 1, 1, 1.5, 2],
    values: [[0, NaN, 1, Infinity, -Infinity, 2], [NaN, NaN, NaN, NaN, NaN, NaN], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [1, 1, 1, 4, 4, 4]],
    events: [{ t: 1, flag: bad, direction: 'negative', changes: bad, line: null, column: null, generated: true, agents: [bad, bad] }],
    approaches: [approach(0, bad, 1, (dt) => (dt < 0 ? 0 : NaN))],
    source: { file: bad, text: `${bad}\n% ${bad}\n` },
    parameters: [{ name: bad, value: bad, unit: bad }],
    provenance: [[bad, bad]],
    conditions: [{ t: 1, flag: bad, event: true, published: 'inf', scaled: null, posed: 'ill-posed', verdict: `ill-posed: ${bad}`, approaches: [] }],
    populations: [{ name: bad, count: 1, frames: 1, t: pack([0]), x: pack([NaN], 'f4'), y: pack([0], 'f4'), heading: null, radius: null, meetings: [{ t: 0, x: 0, y: 0, a: 0, b: -1, flag: bad }] }],
  });
}

export const empty = () => report({});
export const oneRow = () => report({ columns: [real('x'), real('y')], time: [0], values: [[1], [2]], summary: { t: 0 }, until: 0 });
