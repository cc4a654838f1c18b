// #thumb: one picture without controls, for galleries.

import { el } from './dom.js';
import { View } from './canvas.js';
import { colors, fade, seriesColor } from './theme.js';
import { extent, num, padded } from './format.js';

function kindOf(report, parts) {
  if (parts.agents.available) return 'agents';
  if (parts.phase.available && parts.phase.position) return 'phase';
  return 'time';
}

// The first few panels that change, one below the other.
function timeView(report, parts, full) {
  const moving = parts.panels.groups.filter((g) => {
    const e = extent(report.values[g.columns[0]]);
    return e && e[1] - e[0] > Math.max(Math.abs(e[0]), Math.abs(e[1])) * 1e-9;
  });
  const groups = (moving.length ? moving : parts.panels.groups).slice(0, 2);
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
    agents.speed = (agents.end - agents.start) / 20;
    const third = agents.start + (agents.end - agents.start) * 0.4;
    const near = agents.meetings.find((m) => m.t >= third);
    agents.seek(near ? near.t : third);
    agents.view.margins = { left: 8, right: 8, top: 8, bottom: 8 };
    agents.view.options.height = full;
    view = agents.view;
  } else if (kind === 'phase') {
    view = parts.phase.view;
    view.margins = { left: 14, right: 14, top: 14, bottom: 14 };
    view.options.height = full;
    view.options.draw = (v, ctx) => parts.phase.trajectory(v, ctx);
  } else {
    view = timeView(report, parts, full);
  }
  document.body.replaceChildren(el('div', { class: 'thumbnail' }, view.node));
  view.resize();
  return { kind, title: report.summary.model, t: num(report.summary.t) };
}
