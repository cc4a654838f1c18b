// One column against another; the colour is a third. Runs that the filter keeps out are grey.

import { button, el, ICONS, section } from '../dom.js';
import { colors, fade, onTheme } from '../theme.js';
import { padded } from '../format.js';
import { View } from '../canvas.js';
import { byShade, legend, paletteOf, shadesOf } from './paint.js';
import { chooser } from './choose.js';
import { nameOf } from './table.js';

const PART = 500; // rows drawn shade by shade
const NEAR = 12; // pixels from a point that still mean it

// Half the side of a point: many points are small ones.
const sizeOf = (rows) => (rows <= 400 ? 3.5 : rows <= 4000 ? 2.5 : rows <= 30000 ? 1.5 : 1);

// The row nearest to a place on the screen, or -1; those that pass come before those that do not.
export function nearest(view, x, y, pass, px, py) {
  let best = -1;
  let least = NEAR * NEAR;
  for (const wanted of [1, 0]) {
    for (let r = 0; r < pass.length; r++) {
      if (pass[r] !== wanted) continue;
      const dx = view.x(x[r]) - px;
      const dy = view.y(y[r]) - py;
      const d = dx * dx + dy * dy;
      if (d < least) {
        least = d;
        best = r;
      }
    }
    if (best >= 0) return best;
  }
  return best;
}

function usual(table) {
  const drawn = table.drawable.filter((c) => c.range);
  const varied = drawn.filter((c) => c.range[1] > c.range[0]);
  const knobs = varied.filter((c) => c.kind === 'knob');
  const rest = [...varied.filter((c) => c.kind === 'outcome'), ...varied.filter((c) => c.kind !== 'knob' && c.kind !== 'outcome')];
  const list = [...knobs.slice(0, 1), ...rest.slice(0, 1), ...knobs.slice(1), ...rest.slice(1), ...drawn];
  return [...new Set(list)].slice(0, 3);
}

export class Scatter {
  constructor(table) {
    this.table = table;
    const [x, y, colour] = usual(table);
    this.x = x ?? null;
    this.y = y ?? x ?? null;
    if (!this.x) return;
    if (table.colour < 0 && colour) table.colour = colour.index;
    this.view = new View({
      label: 'scatter plot', height: (width) => Math.round(Math.min(Math.max(width * 0.66, 280), 440)),
      draw: (view, ctx) => this.#draw(view, ctx), mark: (view, ctx) => this.#mark(view, ctx),
      hover: (px, py) => this.#hover(px, py),
      click: (px, py) => {
        const row = this.at(px, py);
        if (row >= 0) table.open(row);
      },
    });
    this.#build();
    this.#colours();
    this.#home();
    table.on('filter', () => this.view.redraw());
    table.on('open', () => { if (this.view.width) this.view.mark(); });
    table.on('colour', () => this.#colours());
    onTheme(() => this.#colours());
  }

  #build() {
    const { table } = this;
    const { node, head } = section('scatter', 'Scatter plot');
    const pick = (which) => (value) => {
      this[which] = table.columns[value];
      this.#home();
    };
    this.selects = [chooser('horizontal axis', table.drawable, this.x.index, pick('x')),
      chooser('vertical axis', table.drawable, this.y.index, pick('y')),
      chooser('colour', table.drawable, table.colour, (value) => table.colourBy(value), 'one colour')];
    head.append(el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'scatter plot' },
      button('Zoom out', ICONS.minus, () => this.view.zoom(1 / 1.4)),
      button('Zoom in', ICONS.plus, () => this.view.zoom(1.4)),
      button('All', ICONS.fit, () => this.view.fit())));
    this.tip = el('div', { class: 'tip', hidden: true, role: 'status' });
    this.view.node.append(this.tip);
    this.keys = el('p', { class: 'hint' });
    node.append(el('div', { class: 'options' },
      el('span', { class: 'field' }, this.selects[1], el('span', { class: 'against', text: 'against' }), this.selects[0]),
      el('label', { class: 'field' }, 'Colour ', this.selects[2])), this.view.node, this.keys);
    this.node = node;
  }

  set(x, y) {
    [this.x, this.y] = [this.table.columns[x], this.table.columns[y]];
    this.selects[0].value = String(x);
    this.selects[1].value = String(y);
    this.#home();
  }

  #colours() {
    const column = this.table.columns[this.table.colour] ?? null;
    this.selects[2].value = String(this.table.colour);
    this.shades = column && shadesOf(column);
    this.palette = paletteOf(column);
    this.keys.replaceChildren(...legend(column));
    this.view.redraw();
  }

  #home() {
    const range = (c) => (c.range ? padded(...(c.labels ? [c.range[0] - 0.4, c.range[1] + 0.4] : c.range)) : [0, 1]);
    this.view.setHome(...range(this.x), ...range(this.y));
  }

  #draw(view, ctx) {
    const { table } = this;
    view.axes(ctx, [nameOf(this.x), nameOf(this.y)], [this.x.scale, this.y.scale]);
    ctx.save();
    view.clip(ctx);
    const rows = [];
    const others = [];
    for (let r = 0; r < table.rows; r++) (table.pass[r] ? rows : others).push(r);
    const half = sizeOf(table.rows);
    this.#points(view, ctx, others, colors().outside, half);
    // Shade by shade, the last one would hide the others: a part of all runs after the other.
    for (let k = 0; k < rows.length; k += PART) {
      byShade(rows.slice(k, k + PART), this.shades, this.palette.length).forEach((list, shade) => this.#points(view, ctx, list, this.palette[shade], half));
    }
    ctx.restore();
  }

  #points(view, ctx, rows, style, half) {
    const [x, y] = [this.x.places, this.y.places];
    ctx.fillStyle = style;
    for (const r of rows) {
      const px = view.x(x[r]);
      const py = view.y(y[r]);
      if (!(px > -9 && px < view.width + 9 && py > -9 && py < view.height + 9)) continue;
      if (half < 3) ctx.fillRect(px - half, py - half, 2 * half, 2 * half);
      else {
        ctx.beginPath();
        ctx.arc(px, py, half, 0, 7);
        ctx.fill();
      }
    }
  }

  at(px, py) {
    return nearest(this.view, this.x.places, this.y.places, this.table.pass, px, py);
  }

  #hover(px, py) {
    const row = px === null ? -1 : this.at(px, py);
    this.tip.hidden = row < 0;
    this.view.node.classList.toggle('over', row >= 0);
    if (row < 0) return;
    const { table } = this;
    const colour = table.columns[table.colour];
    const lines = [...new Set([this.x, this.y, colour].filter(Boolean))].map((c) => `${c.name} ${table.text(c, row)}${c.unit ? ` ${c.unit}` : ''}`);
    this.tip.replaceChildren(el('b', { text: `Run ${table.run[row]}` }), ...lines.map((text) => el('span', { text })));
    this.tip.style.left = `${Math.min(px + 14, this.view.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(Math.min(py + 14, this.view.height - this.tip.offsetHeight - 4), 0)}px`;
  }

  #mark(view, ctx) {
    const row = this.table.opened;
    if (row < 0) return;
    const px = view.x(this.x.places[row]);
    const py = view.y(this.y.places[row]);
    if (Number.isNaN(px) || Number.isNaN(py)) return;
    const c = colors();
    ctx.lineWidth = 5;
    ctx.strokeStyle = fade(c.card, 0.9);
    ctx.beginPath();
    ctx.arc(px, py, 7, 0, 7);
    ctx.stroke();
    ctx.lineWidth = 2;
    ctx.strokeStyle = c.ink;
    ctx.stroke();
  }
}
