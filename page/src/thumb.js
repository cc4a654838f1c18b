// #thumb: one picture without controls, for galleries.

import { el } from './dom.js';
import { View } from './canvas.js';
import { colors, fade, seriesColor } from './theme.js';
import { extent, num, padded } from './format.js';

function moves(values) {
  const e = extent(values);
  return e !== null && e[1] - e[0] > Math.max(Math.abs(e[0]), Math.abs(e[1])) * 1e-9;
}

// All things that have a position: one is coloured by time, several by which they are.
function positions(report, phase) {
  const { view, positions: pairs } = phase;
  const x = pairs.reduce((e, p) => extent(report.values[p[0]], e) ?? e, null) ?? [0, 1];
  const y = pairs.reduce((e, p) => extent(report.values[p[1]], e) ?? e, null) ?? [0, 1];
  view.setHome(...padded(...x), ...padded(...y));
  view.options.draw = (v, ctx) => {
    if (pairs.length === 1) {
      phase.trajectory(v, ctx);
      return;
    }
    pairs.slice(0, 60).forEach(([a, b], k) => {
      const [p, q] = [report.values[a], report.values[b]];
      ctx.strokeStyle = seriesColor(k, pairs.length);
      ctx.fillStyle = ctx.strokeStyle;
      ctx.lineWidth = 1.6;
      ctx.beginPath();
      for (let i = 0; i < p.length; i++) ctx.lineTo(v.x(p[i]), v.y(q[i]));
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(v.x(p[p.length - 1]), v.y(q[q.length - 1]), 4.5, 0, 7);
      ctx.fill();
    });
  };
}

function kindOf(report, parts) {
  if (parts.agents.available) return 'agents';
  if (parts.phase.available && parts.phase.position && parts.phase.positions.some((p) => p.every((i) => moves(report.values[i])))) return 'phase';
  return 'time';
}

// The first panels that change, one below the other: two, or three if these are all.
function timeView(report, parts, full) {
  const moving = parts.panels.groups.filter((g) => moves(report.values[g.columns[0]]));
  const groups = (moving.length ? moving : parts.panels.groups).slice(0, moving.length === 3 ? 3 : 2);
  const n = groups.length;
  return new View({ label: 'over time', moves: false, height: full, margins: { left: 14, right: 14, top: 12, bottom: 12 },
    draw: (view, ctx) => {
      const c = colors();
      const { left, width } = view.inner;
      const x = (t) => left + ((t - parts.timeline.start) / (parts.timeline.end - parts.timeline.start)) * width;
      const band = (view.height - 24) / Math.max(n, 1);
      const bands = parts.marks.bands;
      for (const run of bands?.runs ?? []) {
        ctx.fillStyle = fade(bands.color(run.value), 0.16);
        ctx.fillRect(x(run.from), 12, x(run.to) - x(run.from), view.height - 24);
      }
      ctx.strokeStyle = fade(c.event, report.events.length > 60 ? 0.08 : 0.35);
      ctx.beginPath();
      for (const e of report.events.slice(0, 400)) {
        ctx.moveTo(x(e.t), 12);
        ctx.lineTo(x(e.t), view.height - 12);
      }
      ctx.stroke();
      groups.forEach((g, k) => {
        const columns = g.columns.slice(0, 60);
        const range = padded(...(columns.reduce((e, i) => extent(report.values[i], e) ?? e, null) ?? [0, 1]), 0.08);
        const y = (v) => 12 + band * (k + 1) - 4 - ((v - range[0]) / (range[1] - range[0])) * (band - 8);
        columns.forEach((index, s) => {
          const v = report.values[index];
          ctx.strokeStyle = columns.length > 1 ? seriesColor(s, columns.length) : c.series[k];
          ctx.lineWidth = columns.length > 12 ? 1 : 2;
          ctx.beginPath();
          let pen = false;
          for (let i = 0; i < v.length; i++) {
            if (!Number.isFinite(v[i])) { pen = false; continue; }
            if (!pen) ctx.moveTo(x(report.time[i]), y(v[i]));
            else {
              if (g.held) ctx.lineTo(x(report.time[i]), y(v[i - 1]));
              ctx.lineTo(x(report.time[i]), y(v[i]));
            }
            pen = true;
          }
          ctx.stroke();
        });
        ctx.fillStyle = c.muted;
        ctx.font = c.font;
        ctx.strokeStyle = c.card; // a halo, where a curve goes through the name
        ctx.lineWidth = 4;
        ctx.strokeText(g.name, left + 4, 12 + band * k + 12);
        ctx.fillText(g.name, left + 4, 12 + band * k + 12);
      });
    } });
}

export function thumb(report, parts) {
  document.documentElement.classList.add('thumb');
  const full = () => innerHeight;
  const kind = kindOf(report, parts);
  let view;
  if (kind === 'agents') {
    const { agents } = parts;
    agents.trails = true;
    agents.tail = agents.list.reduce((n, p) => n + p.count, 0) <= 10 ? 1 : 0.05;
    agents.speed = (agents.end - agents.start) / 20;
    const third = agents.start + (agents.end - agents.start) * 0.6;
    const near = agents.meetings.find((m) => m.t >= third);
    agents.seek(near ? near.t : third);
    agents.view.margins = { left: 8, right: 8, top: 8, bottom: 8 };
    agents.view.options.height = full;
    view = agents.view;
  } else if (kind === 'phase') {
    view = parts.phase.view;
    view.margins = { left: 14, right: 14, top: 14, bottom: 14 };
    view.options.height = full;
    positions(report, parts.phase);
  } else {
    view = timeView(report, parts, full);
  }
  document.body.replaceChildren(el('div', { class: 'thumbnail' }, view.node));
  view.resize();
  return { kind, title: report.summary.model, t: num(report.summary.t) };
}
