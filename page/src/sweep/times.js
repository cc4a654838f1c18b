// When events happen: a histogram for each column of times.

import { button, el, section } from '../dom.js';
import { colors } from '../theme.js';
import { count } from '../format.js';
import { View } from '../canvas.js';
import { histogram } from './bins.js';
import { nameOf } from './table.js';

const FIRST = 6; // panels shown at the start

export class Times {
  constructor(table) {
    this.table = table;
    this.columns = table.of('time').filter((c) => c.range);
    if (!this.columns.length) return;
    const { node, head } = section('times', 'Times of events');
    this.grid = el('div', { class: 'small-plots' });
    this.panels = [];
    this.#add(FIRST);
    if (this.columns.length > FIRST) {
      const more = button(`All ${count(this.columns.length)}`, null, () => {
        this.#add(this.columns.length);
        more.remove();
      });
      head.append(el('div', { class: 'tools' }, more));
    }
    node.append(this.grid, el('p', { class: 'hint' }, el('span', { class: 'key' }, el('i', { class: 'bar-all' }), 'all runs'),
      el('span', { class: 'key' }, el('i', { class: 'bar-passed' }), 'runs that pass the filter')));
    this.node = node;
    table.on('filter', () => this.panels.forEach((p) => p.refresh()));
  }

  #add(most) {
    for (const column of this.columns.slice(this.panels.length, most)) {
      const panel = new Panel(this.table, column);
      this.panels.push(panel);
      this.grid.append(panel.node);
    }
  }
}

class Panel {
  constructor(table, column) {
    this.table = table;
    this.column = column;
    this.caption = el('figcaption', {});
    this.view = new View({ label: `histogram of ${column.name}`, height: () => 170, moves: false,
      margins: { left: 46, right: 12, top: 8, bottom: 36 }, draw: (view, ctx) => this.#draw(view, ctx) });
    this.view.node.removeAttribute('tabindex');
    this.view.node.setAttribute('aria-label', `histogram of ${column.name}`);
    this.node = el('figure', { class: 'panel' }, this.caption, this.view.node);
    this.refresh();
  }

  refresh() {
    const h = histogram(this.table, this.column);
    this.data = h;
    const most = h.all.reduce((a, b) => Math.max(a, b), 1);
    const passed = h.passed.reduce((a, b) => a + b, 0);
    this.caption.replaceChildren(el('b', { text: this.column.name }), el('span', { class: 'unit',
      text: `in ${count(passed)} of ${count(this.table.passed)} runs` }));
    this.view.setHome(h.lo, h.hi, 0, most * 1.05);
  }

  #draw(view, ctx) {
    const { lo, hi, bars, all, passed } = this.data;
    const c = colors();
    view.axes(ctx, [nameOf(this.column)], [this.column.scale, COUNTS]);
    const edge = (k) => Math.round(view.x(lo + ((hi - lo) * k) / bars));
    for (const [heights, style] of [[all, c.outside], [passed, c.accent]]) {
      ctx.fillStyle = style;
      for (let k = 0; k < bars; k++) {
        const top = view.y(heights[k]);
        ctx.fillRect(edge(k), top, Math.max(edge(k + 1) - edge(k) - 1, 1), view.y(0) - top);
      }
    }
  }
}

// There is no half of a run.
const COUNTS = {
  ticks(min, max, pixels, space) {
    const step = Math.max(1, (max * space) / Math.max(pixels, space));
    const power = 10 ** Math.floor(Math.log10(step));
    const every = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= step * 0.999));
    const list = [];
    for (let at = 0; at <= max; at += every) list.push({ at, text: count(at) });
    return list;
  },
};
