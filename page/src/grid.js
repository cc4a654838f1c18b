// A table of which only the rows in sight exist, so hundreds of thousands cost nothing. Sorted by a click on a
// heading, moved and picked from by mouse and keys.

import { el } from './dom.js';

const ROW = 33; // height in pixels, as in the style sheet

export class Grid {
  // options: label, columns (title, class, text(row)), total, id(row), rowClass(row), onSort(column number), onPick(row)
  constructor(options) {
    this.options = options;
    this.rows = [];
    this.active = 0; // the row that the keyboard is on
    this.picked = -1; // the id of a row
    const { columns } = options;
    this.heads = columns.map((c, k) => el('th', { scope: 'col', class: c.class, 'aria-sort': 'none' },
      el('button', { type: 'button', text: c.title, onclick: () => options.onSort(k) })));
    this.body = el('tbody', {});
    this.above = el('tr', { class: 'space', 'aria-hidden': 'true' }, el('td', { colspan: String(columns.length) }));
    this.below = this.above.cloneNode(true);
    const table = el('table', { role: 'grid', 'aria-rowcount': String(options.total), 'aria-label': options.label },
      el('thead', {}, el('tr', {}, this.heads)), this.body);
    this.node = el('div', { class: 'scroll events', onscroll: () => this.paint() }, table);
    table.addEventListener('keydown', (event) => this.#key(event));
    table.addEventListener('click', (event) => {
      const row = event.target.closest('tr[data-row]');
      if (row) this.pick(Number(row.dataset.row));
    });
    new ResizeObserver(() => this.paint()).observe(this.node);
  }

  // The rows in their order, and by which column that is.
  show(rows, column, down) {
    this.rows = rows;
    this.heads.forEach((head, k) => head.setAttribute('aria-sort', k === column ? (down ? 'descending' : 'ascending') : 'none'));
    this.active = 0;
    this.node.scrollTop = 0;
    this.paint();
  }

  paint() {
    const high = Math.max(this.node.clientHeight, 200);
    const first = Math.max(Math.floor(this.node.scrollTop / ROW) - 8, 0);
    const last = Math.min(first + Math.ceil(high / ROW) + 16, this.rows.length);
    this.above.firstChild.style.height = `${first * ROW}px`;
    this.below.firstChild.style.height = `${Math.max(this.rows.length - last, 0) * ROW}px`;
    const focused = this.body.contains(document.activeElement);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.#row(i));
    this.body.replaceChildren(...(first ? [this.above] : []), ...rows, ...(last < this.rows.length ? [this.below] : []));
    if (focused) this.body.querySelector(`tr[data-row="${this.active}"]`)?.focus({ preventScroll: true });
  }

  #row(i) {
    const row = this.rows[i];
    const { columns, id, rowClass } = this.options;
    const picked = id(row) === this.picked;
    return el('tr', { 'data-row': String(i), tabindex: i === this.active ? '0' : '-1', 'aria-rowindex': String(i + 1),
      'aria-selected': String(picked), class: `${picked ? 'picked' : ''} ${rowClass(row)}` },
    columns.map((c) => {
      const text = c.text(row);
      return el('td', { class: c.class, text, title: text.length > 24 ? text : null });
    }));
  }

  pick(i) {
    if (i >= this.rows.length) return;
    this.active = i;
    this.select(this.options.id(this.rows[i]));
    this.options.onPick(this.rows[i]);
  }

  // Marks a row by its id, and brings it into sight.
  select(id) {
    this.picked = id;
    const i = this.rows.findIndex((row) => this.options.id(row) === id);
    if (i >= 0) {
      this.active = i;
      const top = i * ROW;
      const { scrollTop, clientHeight } = this.node;
      if (top < scrollTop || top + ROW > scrollTop + clientHeight - ROW) {
        this.node.scrollTop = Math.max(top - clientHeight / 2, 0);
      }
    }
    this.paint();
  }

  #key(event) {
    const page = Math.max(Math.floor(this.node.clientHeight / ROW) - 2, 1);
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      if (!event.target.closest('tr[data-row]')) return;
      event.preventDefault();
      this.pick(this.active);
    } else if (move !== undefined && event.target.closest('tr[data-row]')) {
      event.preventDefault();
      this.active = Math.min(Math.max(this.active + move, 0), this.rows.length - 1);
      const top = this.active * ROW;
      const { scrollTop, clientHeight } = this.node;
      if (top < scrollTop) this.node.scrollTop = top;
      else if (top + 2 * ROW > scrollTop + clientHeight) this.node.scrollTop = top + 2 * ROW - clientHeight;
      this.paint();
      this.body.querySelector(`tr[data-row="${this.active}"]`)?.focus({ preventScroll: true });
    }
  }
}
