// What is drawn behind and over every plot against time: bands of modes, slides, events, near misses.

import { colors, fade } from './theme.js';
import { flagLabel, lowerBound, num } from './format.js';

const MANY = 70; // lines across a plot before they hide it: from there on only the strip at the top

// Runs of equal values in a held column: { from, to, value }.
export function runsOf(time, values, end) {
  const runs = [];
  for (let i = 0; i < values.length; i++) {
    const last = runs[runs.length - 1];
    if (last && (last.value === values[i] || (Number.isNaN(last.value) && Number.isNaN(values[i])))) continue;
    if (last) last.to = time[i];
    runs.push({ from: time[i], to: time[i], value: values[i] });
  }
  if (runs.length) runs[runs.length - 1].to = Math.max(end, time[time.length - 1]);
  return runs.filter((r) => r.to > r.from || runs.length === 1);
}

export class Marks {
  constructor(report, timeline) {
    this.timeline = timeline;
    this.events = report.events;
    this.times = Float64Array.from(report.events, (e) => e.t);
    this.slides = report.slides;
    this.misses = report.misses;
    this.bands = null; // { runs, color(value) }
    this.shown = true;
    this.selected = -1;
  }

  // Groups of the events in sight, one for each few pixels: { x, first, count }.
  groups(u, gap = 3) {
    const groups = [];
    const from = lowerBound(this.times, this.timeline.min);
    for (let i = from; i < this.times.length && this.times[i] <= this.timeline.max; i++) {
      const x = u.valToPos(this.times[i], 'x');
      const last = groups[groups.length - 1];
      if (last && x - last.x < gap) last.count++;
      else groups.push({ x, first: i, count: 1 });
    }
    return groups;
  }

  // The group within a few pixels of a place, or null.
  near(u, left) {
    let best = null;
    for (const g of this.groups(u)) {
      const d = Math.abs(g.x - left);
      if (d <= 5 && (!best || d < Math.abs(best.x - left))) best = g;
    }
    return best;
  }

  describe(group) {
    const e = this.events[group.first];
    const arrow = e.direction === 'negative' ? '↓' : e.direction === 'positive' ? '↑' : '';
    const lines = [`${flagLabel(e)} ${arrow}`, `t = ${num(e.t, 9)}`];
    if (e.agents) lines.push(e.agents.join(', '));
    if (e.changes) lines.push(e.changes);
    if (group.count > 1) lines.push(`and ${group.count - 1} more here`);
    return lines;
  }

  behind(u) {
    const { ctx, bbox } = u;
    const c = colors();
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (this.bands) {
      for (const run of this.bands.runs) {
        this.#fill(u, run.from, run.to, fade(this.bands.color(run.value), this.bands.strength));
      }
    }
    for (const slide of this.slides) this.#hatch(u, slide.from, slide.to, fade(c.slide, 0.5));
    ctx.restore();
  }

  #fill(u, from, to, style) {
    if (to < this.timeline.min || from > this.timeline.max) return;
    const { ctx, bbox } = u;
    const a = u.valToPos(from, 'x', true);
    const b = u.valToPos(to, 'x', true);
    ctx.fillStyle = style;
    ctx.fillRect(a, bbox.top, Math.max(b - a, 0.5), bbox.height);
  }

  // Sliding is hatched, so that it is told from a band without colour.
  #hatch(u, from, to, style) {
    if (to < this.timeline.min || from > this.timeline.max) return;
    const { ctx, bbox } = u;
    const px = devicePixelRatio || 1;
    const a = Math.max(u.valToPos(from, 'x', true), bbox.left);
    const b = Math.min(u.valToPos(to, 'x', true), bbox.left + bbox.width);
    ctx.save();
    ctx.beginPath();
    ctx.rect(a, bbox.top, Math.max(b - a, px), bbox.height);
    ctx.clip();
    ctx.strokeStyle = style;
    ctx.lineWidth = px;
    ctx.beginPath();
    const step = 7 * px;
    for (let x = Math.floor((a - bbox.height) / step) * step; x < b; x += step) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }

  over(u, plain = false) {
    if (!this.shown) return;
    const { ctx, bbox } = u;
    const px = devicePixelRatio || 1;
    const c = colors();
    const groups = this.groups(u);
    const lines = !plain && groups.length <= MANY;
    const most = groups.reduce((n, g) => Math.max(n, g.count), 1);
    const left = bbox.left;
    ctx.save();
    for (const g of groups) {
      const event = this.events[g.first];
      const x = Math.round(left + g.x * px) + 0.5;
      if (x < left - 1 || x > left + bbox.width + 1) continue;
      ctx.strokeStyle = event.generated ? c.generated : c.event;
      ctx.lineWidth = px;
      if (lines) {
        ctx.globalAlpha = groups.length > 30 ? 0.3 : 0.5;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
      ctx.globalAlpha = lines ? Math.min(1, 0.5 + 0.1 * g.count) : 0.2 + (0.6 * g.count) / most;
      ctx.lineWidth = 2 * px;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + 6 * px);
      ctx.stroke();
    }
    this.#selected(u, px, c);
    this.#misses(u, px, c);
    ctx.restore();
  }

  #selected(u, px, c) {
    const t = this.times[this.selected];
    if (!(t >= this.timeline.min && t <= this.timeline.max)) return;
    const { ctx, bbox } = u;
    const x = u.valToPos(t, 'x', true);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = c.event;
    ctx.fillStyle = c.event;
    ctx.lineWidth = 1.5 * px;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - 5 * px, bbox.top);
    ctx.lineTo(x + 5 * px, bbox.top);
    ctx.lineTo(x, bbox.top + 8 * px);
    ctx.fill();
  }

  // A near miss is an open triangle at the foot of the plot.
  #misses(u, px, c) {
    const { ctx, bbox } = u;
    ctx.globalAlpha = 1;
    ctx.strokeStyle = c.miss;
    ctx.lineWidth = 1.2 * px;
    const foot = bbox.top + bbox.height;
    let last = -Infinity;
    for (const miss of this.misses) {
      if (!(miss.t >= this.timeline.min && miss.t <= this.timeline.max)) continue;
      const x = u.valToPos(miss.t, 'x', true);
      if (x - last < 6 * px) continue;
      last = x;
      ctx.beginPath();
      ctx.moveTo(x - 4 * px, foot);
      ctx.lineTo(x, foot - 7 * px);
      ctx.lineTo(x + 4 * px, foot);
      ctx.closePath();
      ctx.stroke();
    }
  }
}
