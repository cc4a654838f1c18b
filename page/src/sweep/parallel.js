// Parallel coordinates: an axis for each column, a line for each run. A brush on an axis filters all views.

import { button, coalesce, el, section } from '../dom.js';
import { colors, onTheme } from '../theme.js';
import { count, num, padded } from '../format.js';
import { picker } from '../picker.js';
import { moved, spreadOrder } from './lines.js';
import { byShade, paletteOf, shadesOf } from './paint.js';
import { nameOf } from './table.js';

const first = () => (innerWidth < 720 ? 5 : 10); // axes shown at the start
const HEIGHT = 340;
const TOP = 34; // room for the names
const BOTTOM = 34; // … for what has no value
const SIDE = 64;
const BATCH = 2000; // lines drawn in one frame
const MOST = 20000; // lines: more only fill the picture

// One axis: where its values are, and its brush.
class Axis {
  constructor(column, parallel) {
    this.column = column;
    this.parallel = parallel;
    const [lo, hi] = column.range ?? [0, 1];
    [this.lo, this.hi] = column.labels ? [lo - 0.4, hi + 0.4] : padded(lo, hi, 0.02);
    this.box = el('i', { class: 'brush', hidden: true });
    this.node = el('div', { class: 'axis', tabindex: '0', role: 'slider', 'aria-orientation': 'vertical',
      'aria-valuemin': '0', 'aria-valuemax': '1' }, this.box);
    this.#listen();
  }

  y(place) {
    return TOP + (1 - (place - this.lo) / (this.hi - this.lo)) * (HEIGHT - TOP - BOTTOM);
  }

  share(py) {
    return Math.min(Math.max(1 - (py - TOP) / (HEIGHT - TOP - BOTTOM), 0), 1);
  }

  place(share) {
    return this.lo + share * (this.hi - this.lo);
  }

  get shares() {
    const brush = this.parallel.table.brushes.get(this.column.index);
    return brush ? brush.map((p) => (p - this.lo) / (this.hi - this.lo)) : null;
  }

  set(shares) {
    this.parallel.table.brush(this.column.index, shares && shares.map((s) => this.place(s)));
  }

  #text(place) {
    const { labels, scale } = this.column;
    return labels ? labels[Math.min(Math.max(Math.round(place), 0), labels.length - 1)] ?? '' : num(scale.from(place), 4);
  }

  refresh() {
    const brush = this.parallel.table.brushes.get(this.column.index);
    this.box.hidden = !brush;
    this.node.setAttribute('aria-label', `filter ${this.column.name}. Enter makes a brush, arrow keys move it, with shift they size it, Delete removes it.`);
    this.node.setAttribute('aria-valuetext', brush ? `${this.#text(brush[0])} to ${this.#text(brush[1])}` : 'all');
    this.node.setAttribute('aria-valuenow', brush ? num((this.shares[0] + this.shares[1]) / 2, 3) : '0.5');
    this.node.title = `${nameOf(this.column)}: ${brush ? `${this.#text(brush[0])} … ${this.#text(brush[1])}` : 'drag to filter'}`;
    if (!brush) return;
    const top = Math.max(this.y(brush[1]), TOP);
    this.box.style.top = `${top}px`;
    this.box.style.height = `${Math.max(Math.min(this.y(brush[0]), HEIGHT - BOTTOM) - top, 3)}px`;
  }

  #listen() {
    const { node } = this;
    let from = null;
    const at = (event) => this.share(event.clientY - node.getBoundingClientRect().top);
    node.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      node.focus({ preventScroll: true });
      node.setPointerCapture(event.pointerId);
      from = at(event);
    });
    node.addEventListener('pointermove', (event) => {
      if (from === null) return;
      const to = at(event);
      if (Math.abs(to - from) > 0.008) this.parallel.soon(this, [Math.min(from, to), Math.max(from, to)]);
    });
    node.addEventListener('pointerup', (event) => {
      // A click without a drag removes the brush.
      if (from !== null && Math.abs(at(event) - from) <= 0.008) this.parallel.soon(this, null);
      from = null;
    });
    node.addEventListener('pointercancel', () => { from = null; });
    node.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { shares } = this;
    if (['Delete', 'Backspace', 'Escape'].includes(event.key) && shares) this.set(null);
    else if (event.key === 'Enter' && !shares) this.set([0.25, 0.75]);
    else if (['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'].includes(event.key)) this.set(moved(shares ?? [0, 1], event.key, event.shiftKey || !shares));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') this.parallel.beside(this, event.key === 'ArrowLeft' ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

export class Parallel {
  constructor(table) {
    this.table = table;
    const usable = table.drawable.filter((c) => c.range);
    if (usable.length < 2) return;
    // Knobs to the left, what came of them to the right; what is the same in all runs, last.
    const rank = (c) => (c.range[1] > c.range[0] ? 0 : 100) + ['knob', 'outcome', 'time', 'count', 'condition', 'end', 'status', 'reason'].indexOf(c.kind);
    const order = [...usable].sort((a, b) => rank(a) - rank(b));
    const shown = new Set(order.filter((c) => c.range[1] > c.range[0]).slice(0, first()));
    if (shown.size < 2) order.slice(0, 2).forEach((c) => shown.add(c));
    this.items = order.map((column) => ({ column, name: column.name, note: column.kind, on: shown.has(column) }));
    this.#build();
    this.paint = coalesce(() => this.#paint());
    this.brushing = coalesce(() => this.waiting?.[0].set(this.waiting[1]));
    this.#axes();
    table.on('filter', () => { this.axes.forEach((a) => a.refresh()); this.paint(); });
    table.on('open', () => this.#mark());
    table.on('colour', () => this.#colours());
    onTheme(() => this.#colours());
    this.#colours();
    new ResizeObserver(() => this.#resize()).observe(this.box);
  }

  #build() {
    const { node, head } = section('parallel', 'Parallel coordinates');
    this.clear = button('Clear the filter', null, () => this.table.clear());
    head.append(el('div', { class: 'tools' }, this.clear));
    this.canvas = el('canvas', { role: 'img', 'aria-label': 'parallel coordinates' });
    this.top = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    this.box = el('div', { class: 'parallel' }, this.canvas, this.top);
    this.box.style.height = `${HEIGHT}px`;
    this.note = el('p', { class: 'hint' });
    node.append(el('div', { class: 'options' }, picker('Axes', this.items, () => this.#axes())), this.box, this.note);
    this.node = node;
  }

  #axes() {
    this.axes?.forEach((a) => a.node.remove());
    this.axes = this.items.filter((i) => i.on).map((i) => new Axis(i.column, this));
    this.box.append(...this.axes.map((a) => a.node));
    this.axes.forEach((a) => a.refresh());
    this.#resize();
  }

  // A brush that is being dragged: once for each frame.
  soon(axis, shares) {
    this.waiting = [axis, shares];
    this.brushing();
  }

  beside(axis, by) {
    this.axes[this.axes.indexOf(axis) + by]?.node.focus();
  }

  #colours() {
    const column = this.table.columns[this.table.colour] ?? null;
    this.shades = column && shadesOf(column);
    this.palette = paletteOf(column);
    this.paint();
  }

  #resize() {
    this.width = this.box.clientWidth;
    if (!this.width) return;
    this.ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.top]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(HEIGHT * this.ratio);
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${HEIGHT}px`;
    }
    this.axes.forEach((a, k) => { a.node.style.left = `${this.x(k) - 14}px`; });
    this.paint();
  }

  x(k) {
    const side = Math.min(SIDE, this.width * 0.12);
    return this.axes.length > 1 ? side + ((this.width - 2 * side) * k) / (this.axes.length - 1) : this.width / 2;
  }

  #context(canvas) {
    const ctx = canvas.getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return ctx;
  }

  // Lines come in batches, one for each frame, so that a drag is never held up.
  #paint() {
    if (!this.width) return;
    const { table } = this;
    const ctx = this.#context(this.canvas);
    ctx.clearRect(0, 0, this.width, HEIGHT);
    const rows = [];
    for (let r = 0; r < table.rows; r++) if (table.pass[r]) rows.push(r);
    const order = spreadOrder(rows).subarray(0, MOST);
    this.note.textContent = `${order.length < rows.length ? `${count(order.length)} of ${count(rows.length)} lines, evenly chosen. ` : ''}`
      + 'Drag on an axis to filter all views; click it to remove the brush. A line at the foot of an axis has no value there.';
    this.clear.disabled = !table.filtered;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.drawn = 0;
    const alpha = Math.min(Math.max(300 / Math.max(order.length, 1), 0.06), 0.75);
    const next = () => {
      if (turn !== this.turn) return;
      this.#lines(ctx, order.subarray(this.drawn, this.drawn + BATCH), alpha);
      this.drawn = Math.min(this.drawn + BATCH, order.length);
      if (this.drawn < order.length) requestAnimationFrame(next);
    };
    next();
    this.#mark();
  }

  #line(ctx, row) {
    this.axes.forEach((a, k) => {
      const p = a.column.places[row];
      const y = Number.isNaN(p) ? HEIGHT - BOTTOM / 2 : a.y(p);
      if (k) ctx.lineTo(this.x(k), y);
      else ctx.moveTo(this.x(k), y);
    });
  }

  #lines(ctx, rows, alpha) {
    ctx.save();
    ctx.globalAlpha = alpha;
    ctx.lineWidth = 1;
    byShade(rows, this.shades, this.palette.length).forEach((list, k) => {
      ctx.strokeStyle = this.palette[k];
      // A path of its own for each line: crossings in one path would be painted once.
      for (const r of list) {
        ctx.beginPath();
        this.#line(ctx, r);
        ctx.stroke();
      }
    });
    ctx.restore();
  }

  // Axes and the opened run lie above the lines.
  #mark() {
    if (!this.width) return;
    const c = colors();
    const ctx = this.#context(this.top);
    ctx.clearRect(0, 0, this.width, HEIGHT);
    if (this.table.opened >= 0) {
      for (const [width, style] of [[5, c.card], [2.5, c.event]]) {
        ctx.lineWidth = width;
        ctx.strokeStyle = style;
        ctx.beginPath();
        this.#line(ctx, this.table.opened);
        ctx.stroke();
      }
    }
    this.axes.forEach((a, k) => this.#axis(ctx, c, a, this.x(k), k));
  }

  #axis(ctx, c, axis, x, k) {
    const high = HEIGHT - TOP - BOTTOM;
    ctx.font = c.font;
    ctx.lineWidth = 1;
    ctx.strokeStyle = c.faint;
    ctx.beginPath();
    ctx.moveTo(Math.round(x) + 0.5, TOP);
    ctx.lineTo(Math.round(x) + 0.5, TOP + high);
    ctx.stroke();
    const room = (this.width - 2 * SIDE) / Math.max(this.axes.length - 1, 1) - 10;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'alphabetic';
    ctx.fillStyle = c.ink;
    ctx.fillText(fitted(ctx, nameOf(axis.column), Math.max(Math.min(room, k === 0 || k === this.axes.length - 1 ? 2 * SIDE - 8 : room), 30)), x, TOP - 14);
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const { at, text } of axis.column.scale.ticks(axis.lo, axis.hi, high, 44, 7)) {
      const y = axis.y(at);
      ctx.fillStyle = c.card;
      ctx.globalAlpha = 0.8;
      ctx.fillRect(x + 3, y - 7, ctx.measureText(text).width + 6, 14);
      ctx.globalAlpha = 1;
      ctx.fillStyle = c.muted;
      ctx.fillText(text, x + 6, y);
    }
  }
}

function fitted(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  let short = text;
  while (short.length > 1 && ctx.measureText(`${short}…`).width > room) short = short.slice(0, -1);
  return `${short}…`;
}
