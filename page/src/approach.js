// How a guard was approached: |g| against the distance in time from the event, both on a log scale,
// before it on the left and after it on the right. A method that stays on one side shows steps that
// come down to the surface and never a mark of the other sign before the event.

import { button, el, ICONS, section, select } from './dom.js';
import { colors, fade } from './theme.js';
import { count, flagLabel, num } from './format.js';
import { View } from './canvas.js';

const GAP = 26; // pixels between before and after

function decades(approach) {
  const x = [Infinity, -Infinity];
  const y = [Infinity, -Infinity];
  const take = (range, v) => {
    if (!(v > 0) || !Number.isFinite(v)) return;
    range[0] = Math.min(range[0], v);
    range[1] = Math.max(range[1], v);
  };
  for (const part of [approach.along, approach.steps]) {
    for (let i = 0; i < part.dt.length; i++) {
      take(x, Math.abs(part.dt[i]));
      take(y, Math.abs(part.g[i]));
    }
  }
  if (approach.tolerance > 0 && y[1] > 0) take(y, approach.tolerance);
  const log = ([a, b]) => (a <= b ? [Math.floor(Math.log10(a) - 0.01), Math.ceil(Math.log10(b) + 0.01)] : [-3, 0]);
  return { x: log(x), y: log(y) };
}

// The sign that the guard has before the event: that of its largest value there.
export function sideBefore(approach) {
  let best = 0;
  for (const part of [approach.steps, approach.along]) {
    for (let i = 0; i < part.dt.length; i++) {
      if (part.dt[i] < 0 && Math.abs(part.g[i]) > Math.abs(best)) best = part.g[i];
    }
    if (best !== 0) break;
  }
  return Math.sign(best);
}

// Step ends before the event that lie past the surface.
export function pastBefore(approach) {
  const side = sideBefore(approach);
  let past = 0;
  let total = 0;
  approach.steps.dt.forEach((dt, i) => {
    if (!(dt <= 0)) return;
    total++;
    if (approach.steps.g[i] * side < 0) past++;
  });
  return { past, total };
}

export class Approach {
  constructor(report) {
    this.report = report;
    this.list = report.approaches;
    this.index = 0;
    if (!this.list.length) return;
    this.view = new View({ label: 'guard near the event', moves: false,
      height: (width) => Math.round(Math.min(Math.max(width * 0.62, 260), 420)),
      margins: { left: 52, right: 14, top: 24, bottom: 40 },
      draw: (view, ctx) => this.#draw(view, ctx) });
    this.view.node.removeAttribute('tabindex');
    const { node, head } = section('approach', 'Approach to the surface');
    this.select = select('event', this.list.map((a, i) => [String(i), `${flagLabel(a)}  t = ${num(a.t, 7)}`]), '0',
      (value) => this.show(Number(value)));
    head.append(el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'event' },
      button('Previous event', ICONS.left, () => this.show(this.index - 1)),
      button('Next event', ICONS.right, () => this.show(this.index + 1))));
    this.verdict = el('p', { class: 'hint' });
    this.legend = el('span', { class: 'keys' });
    node.append(el('div', { class: 'options' }, el('span', { class: 'field' }, this.select), this.legend), this.view.node, this.verdict);
    this.node = node;
    this.show(0);
  }

  show(index) {
    this.index = Math.min(Math.max(index, 0), this.list.length - 1);
    this.select.value = String(this.index);
    const a = this.list[this.index];
    const side = sideBefore(a);
    const { past, total } = pastBefore(a);
    const sign = side < 0 ? '<' : '>';
    const other = side < 0 ? '>' : '<';
    this.legend.replaceChildren(
      el('span', { class: 'key' }, el('i', { class: 'dot inside' }), `g ${sign} 0, where it came from`),
      el('span', { class: 'key' }, el('i', { class: 'cross' }), `g ${other} 0, past the surface`));
    this.verdict.textContent = total === 0 ? 'A single step led to the event.'
      : past === 0 ? `All ${count(total)} accepted steps before the event end on the side the guard came from.`
        : `${count(past)} of ${count(total)} accepted steps before the event end past the surface.`;
    if (typeof a.value === 'number') {
      const where = a.value === 0 || side === 0 ? 'on the surface' : a.value * side > 0 ? 'on that side' : 'past the surface';
      this.verdict.textContent += ` It was met at g = ${num(a.value, 3)}, ${where}.`;
    }
    if (this.list.length < this.report.events_total) {
      this.verdict.textContent += ` Kept for ${count(this.list.length)} of ${count(this.report.events_total)} events.`;
    }
    this.view.redraw();
  }

  // For an event of the table: false where its approach was not kept.
  showEvent(event) {
    const index = this.list.findIndex((a) => a.event === event);
    if (index < 0) return false;
    this.show(index);
    return true;
  }

  #draw(view, ctx) {
    const a = this.list[this.index];
    const c = colors();
    const range = decades(a);
    const { left, top, width, height } = view.inner;
    const half = (width - GAP) / 2;
    const [x0, x1] = range.x;
    const [y0, y1] = range.y;
    const side = sideBefore(a);
    const px = (dt) => {
      const share = Math.min(Math.max((Math.log10(Math.abs(dt)) - x0) / (x1 - x0), -0.04), 1);
      return dt < 0 ? left + half - share * half : dt > 0 ? left + half + GAP + share * half : left + half + GAP / 2;
    };
    const py = (g) => top + height - Math.min(Math.max((Math.log10(Math.abs(g)) - y0) / (y1 - y0), -0.03), 1) * height;
    this.#axes(view, ctx, c, range, px, py, half);
    if (a.tolerance > 0) this.#tolerance(ctx, c, a.tolerance, view, py);
    this.#lines(ctx, c, a.along, side, px, py);
    this.#dots(ctx, c, a.steps, side, px, py);
    if (typeof a.value === 'number') this.#dots(ctx, c, { dt: [0], g: [a.value] }, side, px, py, 6);
  }

  #axes(view, ctx, c, range, px, py, half) {
    const { left, top, width, height } = view.inner;
    ctx.font = c.font;
    ctx.strokeStyle = c.grid;
    ctx.fillStyle = c.muted;
    ctx.lineWidth = 1;
    const steps = (lo, hi, pixels, space) => Math.max(1, Math.ceil((hi - lo) / Math.max(pixels / space, 1)));
    const sx = steps(...range.x, half, 44);
    const sy = steps(...range.y, height, 26);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    for (let k = range.y[0]; k <= range.y[1]; k += sy) {
      const y = Math.round(py(10 ** k)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + half, y);
      ctx.moveTo(left + half + GAP, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
      ctx.fillText(`1e${k}`, left - 7, y);
    }
    ctx.textBaseline = 'top';
    ctx.textAlign = 'center';
    const middle = left + half + GAP / 2;
    for (let k = range.x[0]; k <= range.x[1]; k += sx) {
      for (const sign of [-1, 1]) {
        const x = Math.round(px(sign * 10 ** k)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(x, top);
        ctx.lineTo(x, top + height);
        ctx.stroke();
        if (Math.abs(x - middle) > 30) ctx.fillText(`1e${k}`, x, top + height + 6);
      }
    }
    ctx.strokeStyle = c.event;
    ctx.lineWidth = 1.5;
    ctx.setLineDash([4, 3]);
    ctx.beginPath();
    ctx.moveTo(left + half + GAP / 2, top);
    ctx.lineTo(left + half + GAP / 2, top + height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = c.ink;
    ctx.fillText('time before the event', left + half / 2, top + height + 24);
    ctx.fillText('time after it', left + half + GAP + half / 2, top + height + 24);
    ctx.fillStyle = c.event;
    ctx.fillText('event', left + half + GAP / 2, top + height + 24);
    ctx.textAlign = 'left';
    ctx.fillStyle = c.ink;
    ctx.fillText('|g|', left - 34, top - 20);
  }

  #tolerance(ctx, c, tolerance, view, py) {
    const { left, width } = view.inner;
    const y = py(tolerance);
    ctx.strokeStyle = c.muted;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(left + width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = c.muted;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillText(`tolerance ${num(tolerance, 2)}`, left + width - 4, y - 2);
  }

  #lines(ctx, c, part, side, px, py) {
    ctx.lineWidth = 1.6;
    ctx.lineJoin = 'round';
    const n = part.dt.length;
    for (let i = 1; i < n; i++) {
      const [a, b] = [part.dt[i - 1], part.dt[i]];
      const [g, h] = [part.g[i - 1], part.g[i]];
      if (a * b <= 0 || g === 0 || h === 0 || !Number.isFinite(g) || !Number.isFinite(h)) continue;
      if (Math.sign(g) !== Math.sign(h)) continue;
      ctx.strokeStyle = fade(g * side >= 0 ? c.series[0] : c.series[1], 0.75);
      ctx.beginPath();
      ctx.moveTo(px(a), py(g));
      ctx.lineTo(px(b), py(h));
      ctx.stroke();
    }
  }

  #dots(ctx, c, part, side, px, py, r = 4) {
    for (let i = 0; i < part.dt.length; i++) {
      const g = part.g[i];
      if (!Number.isFinite(g)) continue;
      const x = px(part.dt[i]);
      const y = g === 0 ? py(Number.MIN_VALUE) : py(g);
      ctx.beginPath();
      if (g * side >= 0) {
        ctx.fillStyle = c.series[0];
        ctx.strokeStyle = c.card;
        ctx.lineWidth = 1.2;
        ctx.arc(x, y, r, 0, 7);
        ctx.fill();
      } else {
        ctx.strokeStyle = c.series[1];
        ctx.lineWidth = 2;
        ctx.moveTo(x - r, y - r);
        ctx.lineTo(x + r, y + r);
        ctx.moveTo(x - r, y + r);
        ctx.lineTo(x + r, y - r);
      }
      ctx.stroke();
    }
  }
}
