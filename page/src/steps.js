// Step size and order over time: a step of size h that ends at t covers (t - h, t].

import { el, section } from './dom.js';
import { colors } from './theme.js';
import { count, extent, num, seconds } from './format.js';
import { steppedBack, timePlot } from './plot.js';

function logTicks(u, axis, min, max) {
  const a = Math.ceil(Math.log10(min) - 1e-9);
  const b = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((b - a + 1) / 6));
  const ticks = [];
  for (let k = a; k <= b; k += every) ticks.push(10 ** k);
  return ticks.length > 1 ? ticks : [min, Math.sqrt(min * max), max];
}

function logRange(min, max) {
  if (!(min > 0)) return [0.1, 1];
  const a = Math.floor(Math.log10(min) - 0.05);
  const b = Math.ceil(Math.log10(max) + 0.05);
  return [10 ** a, 10 ** Math.max(b, a + 1)];
}

export function buildSteps(report, context) {
  if (!report.steps.t.length) return null;
  // The first step, too, has a beginning.
  const before = (values, first) => {
    const all = new Float64Array(values.length + 1);
    all[0] = first;
    all.set(values, 1);
    return all;
  };
  const t = before(report.steps.t, report.steps.t[0] - (report.steps.thinned ? 0 : report.steps.h[0]));
  const h = before(report.steps.h, report.steps.h[0]);
  const order = before(report.steps.order, report.steps.order[0]);
  const { node } = section('steps', 'Steps');
  const live = el('span', { class: 'legend' });
  const box = (title, note) => {
    const host = el('div', { class: 'canvas' });
    node.append(el('figure', { class: 'panel' }, el('figcaption', {}, el('b', { text: title }), note), host));
    return host;
  };
  const sizes = box('Step size h', live);
  const orders = box('Order', null);
  node.classList.add('plots-like');
  const range = extent(h);
  const stats = report.summary.stats ?? {};
  const facts = [`${count(stats.steps ?? report.steps.count ?? t.length)} steps`,
    stats.rejected !== undefined ? `${count(stats.rejected)} rejected` : null,
    range ? `h from ${num(range[0], 3)} to ${num(range[1], 3)}` : null,
    report.steps.thinned ? 'thinned for this page' : null].filter(Boolean);
  node.append(el('p', { class: 'hint', text: `${facts.join(' · ')}.` }));
  const show = (idx) => {
    live.textContent = idx === null || idx === undefined ? '' : `h = ${num(h[idx], 4)}, order ${num(order[idx])}`;
  };
  const start = () => {
    const positive = Array.from(h, (v) => (v > 0 && Number.isFinite(v) ? v : null));
    const common = { onIndex: show };
    context.others = [
      timePlot({ ...common, host: sizes, height: 160, data: [t, positive], label: 'step size over time',
        scales: { y: { distr: 3, range: (u, min, max) => logRange(min, max) } },
        side: { splits: logTicks, values: (u, ticks) => ticks.map((v) => num(v, 2)), filter: (u, ticks) => ticks },
        series: [{ stroke: () => colors().series[0], width: 1.4, paths: steppedBack, points: { show: t.length < 400, size: 4 } }] }, context),
      timePlot({ ...common, host: orders, height: 110, data: [t, order], label: 'order over time',
        scales: { y: { range: (u, min, max) => [Math.max(0, Math.floor((min ?? 0) - 1)), Math.ceil((max ?? 1) + 1)] } },
        series: [{ stroke: () => colors().series[1], width: 1.4, paths: steppedBack, points: { show: false } }] }, context)];
    new ResizeObserver(() => {
      context.others[0].setSize({ width: sizes.clientWidth, height: 160 });
      context.others[1].setSize({ width: orders.clientWidth, height: 110 });
    }).observe(sizes);
  };
  return { node, start, wall: seconds(stats.wall_s) };
}
