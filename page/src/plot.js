// A uPlot over the shared time, with the marks, the cursor and the gestures that all of them have.

import uPlot from 'uplot';
import { colors } from './theme.js';
import { padded, tickLabels } from './format.js';
import { gestures } from './timeline.js';
import { el } from './dom.js';

const narrow = () => innerWidth < 560;

function axes(side) {
  const c = colors;
  const common = {
    stroke: () => c().muted,
    font: c().font,
    grid: { stroke: () => c().grid, width: 1 },
    ticks: { show: false },
    labelFont: c().font,
  };
  return [
    { ...common, size: 22, gap: 4,
      space: (u, axis, min, max) => (max - min < Math.max(Math.abs(min), Math.abs(max)) * 1e-6 ? 110 : 70),
      values: (u, ticks, axis, space, incr) => tickLabels(ticks, incr, 10) },
    { ...common, size: narrow() ? 46 : 58, gap: 6, space: 28,
      values: (u, ticks, axis, space, incr) => tickLabels(ticks, incr, narrow() ? 6 : 8), ...side },
  ];
}

function bottom(u, event, tip) {
  tip.style.left = `${Math.min(event + 12, u.over.clientWidth - tip.offsetWidth - 4)}px`;
}

// Shows what is marked near the cursor.
function tooltip(u, marks) {
  const tip = el('div', { class: 'tip', hidden: true, role: 'status' });
  u.over.append(tip);
  return () => {
    const { left } = u.cursor;
    const group = left >= 0 && u.over.matches(':hover') ? marks.near(u, left) : null;
    tip.hidden = !group;
    if (!group) return;
    tip.replaceChildren(...marks.describe(group).map((text, i) => el(i ? 'span' : 'b', { text })));
    bottom(u, left, tip);
  };
}

// A line that goes with the animation of the agents.
function playhead(u, timeline) {
  const line = el('i', { class: 'playhead', hidden: true });
  u.over.append(line);
  const move = () => {
    const { now } = timeline;
    line.hidden = now === null || now < timeline.min || now > timeline.max;
    if (!line.hidden) line.style.transform = `translateX(${u.valToPos(now, 'x')}px)`;
  };
  const stop = timeline.onPlay(move);
  u.hooks.destroy = [...(u.hooks.destroy ?? []), stop];
  return move;
}

// definition: { host, data, series, height, label, scales, side, over(u), onIndex(index), plain (no bands, no lines) }
// context: { timeline, marks, mode() }
export function timePlot(definition, context) {
  const { host, data, series, height } = definition;
  const { timeline, marks, mode } = context;
  let tip = () => {};
  let head = () => {};
  const u = new uPlot({
    width: Math.max(host.clientWidth, 200),
    height,
    padding: [8, narrow() ? 10 : 22, 0, 0],
    legend: { show: false },
    pxAlign: 0,
    cursor: {
      sync: { key: 'brink', scales: ['x', null], setSeries: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { size: 7, width: 1.5, stroke: (s, i) => s.series[i].stroke(s, i), fill: () => colors().card },
      bind: { dblclick: () => () => { timeline.reset(); return null; } },
      y: false,
    },
    scales: {
      x: { time: false, range: () => [timeline.min, timeline.max] },
      y: { range: (self, min, max) => (min === null || !Number.isFinite(min) ? [0, 1] : padded(min, max)) },
      ...definition.scales,
    },
    axes: axes(definition.side),
    series: [{}, ...series],
    hooks: {
      drawClear: definition.plain ? [] : [(self) => marks.behind(self)],
      draw: [definition.over, (self) => marks.over(self, definition.plain), () => head()].filter(Boolean),
      setCursor: [(self) => {
        const { idx, left } = self.cursor;
        definition.onIndex?.(left >= 0 ? idx : null);
        if (self.over.matches(':hover')) timeline.point(left >= 0 ? self.posToVal(left, 'x') : null);
        tip();
      }],
      setSelect: [(self) => {
        const { left, width } = self.select;
        if (width < 4) return;
        timeline.set(self.posToVal(left, 'x'), self.posToVal(left + width, 'x'));
        self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  }, data, host);
  tip = tooltip(u, marks);
  head = playhead(u, timeline);
  gestures(u.over, timeline, (left) => u.posToVal(left, 'x'), mode);
  u.over.addEventListener('click', (event) => {
    if (event.shiftKey || u.select.width > 0) return;
    const group = marks.near(u, event.clientX - u.over.getBoundingClientRect().left);
    if (group) context.onEvent?.(group.first);
  });
  const canvas = u.root.querySelector('canvas');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', definition.label ?? 'plot over time');
  return u;
}

// uPlot wants null where there is nothing to draw.
export function drawable(values) {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) return Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  }
  return values;
}

export const stepped = uPlot.paths.stepped({ align: 1 });
export const steppedBack = uPlot.paths.stepped({ align: -1 });
