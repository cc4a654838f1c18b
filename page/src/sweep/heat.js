// Two knobs, and the mean of an outcome in each cell of them.

import { el, section } from '../dom.js';
import { colors, onTheme, rampColor } from '../theme.js';
import { count, extent, num } from '../format.js';
import { View } from '../canvas.js';
import { cellAt, explained, means } from './bins.js';
import { chooser } from './choose.js';
import { nameOf } from './table.js';

export class HeatMap {
  constructor(table) {
    this.table = table;
    this.knobs = table.of('knob').filter((c) => c.range && c.range[1] > c.range[0]);
    this.outcomes = table.columns.filter((c) => !c.labels && ['outcome', 'time', 'count', 'condition', 'end'].includes(c.kind) && c.range);
    if (this.knobs.length < 2 || !this.outcomes.length) return;
    [this.x, this.y] = this.knobs;
    this.z = this.outcomes.find((c) => c.kind === 'outcome' && c.range[1] > c.range[0]) ?? this.outcomes.find((c) => c.range[1] > c.range[0]) ?? this.outcomes[0];
    this.sampled = !['grid', 'table'].includes(table.raw.design);
    this.view = new View({
      label: 'heat map', height: (width) => Math.round(Math.min(Math.max(width * 0.66, 280), 440)), moves: false,
      draw: (view, ctx) => this.#draw(view, ctx), mark: (view, ctx) => this.#mark(view, ctx),
    });
    this.#build();
    this.#listen();
    this.refresh();
    table.on('filter', () => this.refresh());
    table.on('open', () => { if (this.view.width) this.view.mark(); });
    onTheme(() => this.#keys());
  }

  #build() {
    const { table } = this;
    const { node } = section('heat', 'Heat map');
    const pick = (which) => (value) => {
      this[which] = table.columns[value];
      this.refresh();
    };
    this.selects = [chooser('horizontal knob', this.knobs, this.x.index, pick('x')),
      chooser('vertical knob', this.knobs, this.y.index, pick('y')),
      chooser('colour of a cell', this.outcomes, this.z.index, pick('z'))];
    this.tip = el('div', { class: 'tip', hidden: true, role: 'status' });
    this.view.node.append(this.tip);
    this.keys = el('p', { class: 'hint' });
    this.note = el('p', { class: 'hint' });
    node.append(el('div', { class: 'options' },
      el('span', { class: 'field' }, this.selects[1], el('span', { class: 'against', text: 'against' }), this.selects[0]),
      el('label', { class: 'field' }, 'Colour ', this.selects[2])), this.view.node, this.keys, this.note);
    this.node = node;
  }

  refresh() {
    this.cursor = -1; // the cell that the keyboard is on
    this.cells = means(this.table, this.x, this.y, this.z, this.sampled);
    this.places = this.cells.mean.map(this.z.scale.to);
    this.range = extent(this.places);
    const { across, up } = this.cells;
    this.view.setHome(across.edges[0], across.edges[this.cells.nx], up.edges[0], up.edges[this.cells.ny]);
    this.note.textContent = explained(this.cells, this.sampled, this.knobs.length);
    this.#keys();
  }

  #keys() {
    if (!this.range) {
      this.keys.replaceChildren(el('span', { class: 'key', text: `${nameOf(this.z)}: no values` }));
      return;
    }
    const [lo, hi] = this.range.map((p) => num(this.z.scale.from(p), 4));
    this.keys.replaceChildren(el('span', { class: 'key' }, `${nameOf(this.z)} ${lo}`, el('i', { class: 'scale' }), hi));
  }

  // Left, top, width and height of a cell on the screen.
  #box(view, k) {
    const { across, up, nx } = this.cells;
    const [i, j] = [k % nx, Math.floor(k / nx)];
    const x0 = Math.round(view.x(across.edges[i]));
    const y0 = Math.round(view.y(up.edges[j + 1]));
    return [x0, y0, Math.round(view.x(across.edges[i + 1])) - x0, Math.round(view.y(up.edges[j])) - y0];
  }

  #draw(view, ctx) {
    view.axes(ctx, [nameOf(this.x), nameOf(this.y)], [this.x.scale, this.y.scale]);
    const [lo, hi] = this.range ?? [0, 1];
    const { runs } = this.cells;
    for (let k = 0; k < this.places.length; k++) {
      if (!runs[k]) continue;
      const share = hi > lo ? (this.places[k] - lo) / (hi - lo) : 0.5;
      // Runs without a value: grey, unlike cells without runs.
      ctx.fillStyle = Number.isNaN(share) ? colors().outside : rampColor(share);
      ctx.fillRect(...this.#box(view, k));
    }
  }

  #mark(view, ctx) {
    const row = this.table.opened;
    if (row >= 0) this.#frame(view, ctx, this.at(this.x.places[row], this.y.places[row]));
    if (this.cursor >= 0) this.#frame(view, ctx, this.cursor);
  }

  #frame(view, ctx, k) {
    if (k < 0) return;
    const [x, y, w, h] = this.#box(view, k);
    const c = colors();
    ctx.lineWidth = 4;
    ctx.strokeStyle = c.card;
    ctx.strokeRect(x, y, w, h);
    ctx.lineWidth = 2;
    ctx.strokeStyle = c.ink;
    ctx.strokeRect(x, y, w, h);
  }

  // The cell of a place, or -1.
  at(x, y) {
    const i = cellAt(this.cells.across.edges, x);
    const j = cellAt(this.cells.up.edges, y);
    return i < 0 || j < 0 ? -1 : j * this.cells.nx + i;
  }

  #under(event) {
    const { view } = this;
    const box = view.node.getBoundingClientRect();
    return this.at((event.clientX - box.left - view.ox) / view.sx, (view.oy - (event.clientY - box.top)) / view.sy);
  }

  // One run is opened; of several, the other views show these.
  choose(k) {
    const { cells } = this;
    if (k < 0 || !cells.runs[k]) return;
    if (cells.runs[k] === 1) {
      this.table.open(cells.first[k]);
      return;
    }
    const [i, j] = [k % cells.nx, Math.floor(k / cells.nx)];
    this.table.brushAll([[this.x.index, [cells.across.edges[i], cells.across.edges[i + 1]]],
      [this.y.index, [cells.up.edges[j], cells.up.edges[j + 1]]]]);
  }

  #listen() {
    const { node } = this.view;
    const leave = () => {
      this.tip.hidden = true;
      this.cursor = -1;
      this.view.mark();
    };
    node.addEventListener('pointermove', (event) => this.#tell(this.#under(event)));
    node.addEventListener('pointerleave', leave);
    node.addEventListener('blur', leave);
    node.addEventListener('click', (event) => this.choose(this.#under(event)));
    node.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  key(name) {
    const { nx, ny } = this.cells;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[name];
    if (!by && name !== 'Enter') return false;
    if (!by) this.choose(this.cursor);
    else if (this.cursor < 0) this.cursor = 0;
    else {
      const i = Math.min(Math.max((this.cursor % nx) + by[0], 0), nx - 1);
      const j = Math.min(Math.max(Math.floor(this.cursor / nx) + by[1], 0), ny - 1);
      this.cursor = j * nx + i;
    }
    this.view.mark();
    this.#tell(this.cursor);
    return true;
  }

  // What a cell holds, beside it.
  #tell(k) {
    this.tip.hidden = k < 0 || !this.cells.runs[k];
    if (this.tip.hidden) return;
    const { nx, across, up, mean, runs, used, first } = this.cells;
    const side = (column, cells, i) => {
      const text = (p) => (column.labels ? column.labels[Math.round(p)] : num(column.scale.from(p), 4));
      return `${column.name} ${cells.values ? text(cells.values[i]) : `${text(cells.edges[i])} … ${text(cells.edges[i + 1])}`}`;
    };
    const who = runs[k] === 1 ? `Run ${this.table.run[first[k]]}` : `${count(runs[k])} runs${used[k] < runs[k] ? `, ${count(used[k])} with a value` : ''}`;
    this.tip.replaceChildren(el('b', { text: `${this.z.name} ${Number.isNaN(mean[k]) ? '–' : num(mean[k])}` }),
      el('span', { text: side(this.x, across, k % nx) }), el('span', { text: side(this.y, up, Math.floor(k / nx)) }), el('span', { text: who }));
    const [x, y, w, h] = this.#box(this.view, k);
    this.tip.style.left = `${Math.min(x + w + 8, this.view.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(Math.min(y + h + 8, this.view.height - this.tip.offsetHeight - 4), 0)}px`;
  }
}
