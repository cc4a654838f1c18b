// A canvas with a view of the plane: sharp on every screen, moved by mouse, wheel, fingers and keys.

import { coalesce, el } from './dom.js';
import { colors, onTheme } from './theme.js';
import { LINEAR } from './scales.js';

export class View {
  // options: label, height(width), margins, draw(view, ctx), mark(view, ctx), moved(), hover(x, y), click(x, y),
  // keys (what they do)
  constructor(options) {
    this.options = options;
    this.equal = options.equal ?? false;
    this.margins = options.margins ?? { left: 58, right: 14, top: 22, bottom: 40 };
    this.home = [0, 1, 0, 1];
    this.range = [0, 1, 0, 1];
    this.canvas = el('canvas', { role: 'img', 'aria-label': options.label });
    this.top = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    this.node = el('div', { class: 'view', tabindex: '0', role: 'group',
      'aria-label': `${options.label}. ${options.keys ?? 'Arrow keys move, plus and minus zoom, 0 shows all.'}` }, this.canvas, this.top);
    this.redraw = coalesce(() => this.paint());
    onTheme(this.redraw);
    new ResizeObserver(() => this.resize()).observe(this.node);
    if (options.moves !== false) this.#listen();
  }

  resize() {
    const width = this.node.clientWidth;
    if (!width) return;
    // At least as high as asked for; where the card has more room, as high as that.
    this.node.style.minHeight = `${this.options.height(width)}px`;
    this.width = width;
    this.height = this.node.clientHeight;
    this.ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.top]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${this.height}px`;
    }
    this.paint();
  }

  // What "all" is. The view goes there unless it is to stay.
  setHome(x0, x1, y0, y1, stay = false) {
    this.home = [x0, x1, y0, y1];
    if (!stay) this.range = [...this.home];
    this.redraw();
  }

  fit() {
    this.range = [...this.home];
    this.redraw();
    this.options.moved?.();
  }

  get inner() {
    const m = this.margins;
    return { left: m.left, top: m.top, width: Math.max(this.width - m.left - m.right, 10),
      height: Math.max(this.height - m.top - m.bottom, 10) };
  }

  // The range as drawn: with equal scales, one direction shows more than was asked for.
  #shown() {
    const [x0, x1, y0, y1] = this.range;
    if (!this.equal) return this.range;
    const { width, height } = this.inner;
    const scale = Math.max((x1 - x0) / width, (y1 - y0) / height);
    const cx = (x0 + x1) / 2;
    const cy = (y0 + y1) / 2;
    return [cx - (scale * width) / 2, cx + (scale * width) / 2, cy - (scale * height) / 2, cy + (scale * height) / 2];
  }

  #map() {
    const [x0, x1, y0, y1] = this.#shown();
    const { left, top, width, height } = this.inner;
    this.shown = [x0, x1, y0, y1];
    this.sx = width / (x1 - x0);
    this.sy = height / (y1 - y0);
    this.ox = left - x0 * this.sx;
    this.oy = top + height + y0 * this.sy;
  }

  x(v) { return this.ox + v * this.sx; }

  y(v) { return this.oy - v * this.sy; }

  paint() {
    if (!this.width) return;
    this.#map();
    const ctx = this.canvas.getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    this.options.draw(this, ctx);
    this.mark();
  }

  // The layer above, for what changes with the cursor.
  mark() {
    const ctx = this.top.getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    this.options.mark?.(this, ctx);
  }

  clip(ctx) {
    const { left, top, width, height } = this.inner;
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
  }

  // scales (scales.js) say what the numbers of the plane stand for: themselves, logarithms, words.
  axes(ctx, names, scales = [LINEAR, LINEAR]) {
    const c = colors();
    const { left, top, width, height } = this.inner;
    const [x0, x1, y0, y1] = this.shown;
    const small = this.width < 480;
    const xs = scales[0].ticks(x0, x1, width, 70, 9);
    const ys = scales[1].ticks(y0, y1, height, 36, small ? 6 : 8);
    ctx.font = c.font;
    ctx.lineWidth = 1;
    ctx.strokeStyle = c.grid;
    ctx.fillStyle = c.muted;
    ctx.beginPath();
    for (const { at } of xs) {
      const x = Math.round(this.x(at)) + 0.5;
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
    }
    for (const { at } of ys) {
      const y = Math.round(this.y(at)) + 0.5;
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
    }
    ctx.stroke();
    ctx.textAlign = 'center';
    ctx.textBaseline = 'top';
    for (const { at, text } of xs) ctx.fillText(text, this.x(at), top + height + 6);
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (const { at, text } of ys) ctx.fillText(text, left - 7, this.y(at));
    ctx.fillStyle = c.ink;
    ctx.textBaseline = 'alphabetic';
    if (names?.[0]) ctx.fillText(names[0], left + width, this.height - 5);
    ctx.textAlign = 'left';
    if (names?.[1]) ctx.fillText(names[1], left - (small ? 30 : 40), top - 9);
  }

  zoom(factor, px = null, py = null) {
    this.#map();
    const { left, top, width, height } = this.inner;
    const u = px === null ? 0.5 : (px - left) / width;
    const v = py === null ? 0.5 : 1 - (py - top) / height;
    const [x0, x1, y0, y1] = this.shown;
    const cx = x0 + u * (x1 - x0);
    const cy = y0 + v * (y1 - y0);
    const next = [cx - (cx - x0) / factor, cx + (x1 - cx) / factor, cy - (cy - y0) / factor, cy + (y1 - cy) / factor];
    const size = Math.max(...next.map(Math.abs));
    if (!(next[1] - next[0] > size * 1e-13 && next[3] - next[2] > size * 1e-13)) return;
    if (next.some((w) => !Number.isFinite(w))) return;
    this.range = next;
    this.redraw();
    this.options.moved?.();
  }

  pan(dx, dy) {
    this.#map();
    const [x0, x1, y0, y1] = this.shown;
    const ux = dx / this.sx;
    const uy = dy / this.sy;
    this.range = [x0 - ux, x1 - ux, y0 + uy, y1 + uy];
    this.redraw();
    this.options.moved?.();
  }

  key(name) {
    const step = 40;
    switch (name) {
      case 'ArrowLeft': this.pan(step, 0); return true;
      case 'ArrowRight': this.pan(-step, 0); return true;
      case 'ArrowUp': this.pan(0, step); return true;
      case 'ArrowDown': this.pan(0, -step); return true;
      case '+': case '=': this.zoom(1.4); return true;
      case '-': case '_': this.zoom(1 / 1.4); return true;
      case '0': this.fit(); return true;
      default: return false;
    }
  }

  #listen() {
    const { node } = this;
    const place = (event) => {
      const box = node.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    node.addEventListener('wheel', (event) => {
      if (!(event.ctrlKey || event.metaKey || node.contains(document.activeElement))) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), ...place(event));
    }, { passive: false });
    node.addEventListener('dblclick', () => this.fit());
    node.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target !== node) return;
      if (!this.key(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    const pointers = new Map();
    let begun = null;
    node.addEventListener('click', (event) => {
      const [x, y] = place(event);
      // The end of a drag is not a click.
      if (begun && Math.hypot(x - begun[0], y - begun[1]) < 4) this.options.click?.(x, y);
    });
    node.addEventListener('pointerdown', (event) => {
      if (event.button > 1) return;
      begun = place(event);
      pointers.set(event.pointerId, place(event));
      // One finger scrolls the page; a second one takes hold of the plot.
      if (event.pointerType !== 'touch' || pointers.size > 1) node.setPointerCapture(event.pointerId);
      node.classList.add('panning');
    });
    node.addEventListener('pointermove', (event) => {
      const now = place(event);
      this.options.hover?.(now[0], now[1]);
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const old = [...pointers.values()];
      pointers.set(event.pointerId, now);
      if (pointers.size === 1) this.pan(now[0] - before[0], now[1] - before[1]);
      else this.#pinch(old, [...pointers.values()]);
    });
    const lift = (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) node.classList.remove('panning');
    };
    node.addEventListener('pointerup', lift);
    node.addEventListener('pointercancel', lift);
    node.addEventListener('pointerleave', () => this.options.hover?.(null, null));
  }

  #pinch(before, after) {
    const gap = (p) => Math.max(Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]), 10);
    const mid = (p) => [(p[0][0] + p[1][0]) / 2, (p[0][1] + p[1][1]) / 2];
    const m = mid(after);
    const o = mid(before);
    this.pan(m[0] - o[0], m[1] - o[1]);
    this.zoom(gap(after) / gap(before), m[0], m[1]);
  }
}
