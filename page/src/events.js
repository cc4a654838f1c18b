// The table of events. Only the rows in sight exist, so thousands cost nothing.

import { button, el, section } from './dom.js';
import { count, flagLabel, num } from './format.js';

const ROW = 33; // height in pixels, as in the style sheet
const SIGN = { negative: '↓', positive: '↑' };

const COLUMNS = [
  { key: 'number', title: '#', class: 'n', text: (e) => String(e.index + 1), sort: (e) => e.index },
  { key: 't', title: 'Time', class: 'n', text: (e) => num(e.t, 12), sort: (e) => e.t },
  { key: 'flag', title: 'Flag', text: flagLabel, sort: flagLabel },
  { key: 'direction', title: 'Direction', class: 'dir', text: (e) => `${SIGN[e.direction] ?? ''} ${e.direction ?? ''}`, sort: (e) => e.direction ?? '' },
  { key: 'agents', title: 'Agents', class: 'wide', text: (e) => (e.agents ?? []).join(', '), sort: (e) => (e.agents ?? []).join() },
  { key: 'changes', title: 'Changes', class: 'wide', text: (e) => e.changes ?? '', sort: (e) => e.changes ?? '' },
  { key: 'line', title: 'Line', class: 'n', text: (e) => (e.line ? String(e.line) : ''), sort: (e) => e.line ?? 0 },
];

export class EventTable {
  constructor(report, onPick) {
    this.all = report.events.map((event, index) => ({ ...event, index }));
    this.total = report.events_total ?? this.all.length;
    this.onPick = onPick;
    this.order = { key: 'number', down: false };
    this.words = '';
    this.line = null;
    this.active = 0; // the row that the keyboard is on
    this.picked = -1;
    if (!this.all.length) return;
    const has = (key) => this.all.some((e) => (key === 'agents' ? e.agents : key === 'changes' ? e.changes : key === 'line' ? e.line : true));
    this.columns = COLUMNS.filter((c) => has(c.key));
    this.#build();
    this.refresh();
  }

  #build() {
    const { node, head } = section('events', 'Events');
    this.status = el('output', { class: 'readout' });
    this.search = el('input', { type: 'search', placeholder: 'Search events', 'aria-label': 'search events',
      oninput: () => { this.words = this.search.value.toLowerCase(); this.refresh(); } });
    this.clear = button('Line', null, () => this.filterLine(null), { class: 'tool chip', hidden: true });
    head.append(this.status, el('div', { class: 'tools' }, this.clear, this.search));
    this.heads = this.columns.map((c) => el('th', { scope: 'col', class: c.class, 'aria-sort': 'none' },
      el('button', { type: 'button', text: c.title, onclick: () => this.sortBy(c.key) })));
    this.body = el('tbody', {});
    this.above = el('tr', { class: 'space', 'aria-hidden': 'true' }, el('td', { colspan: String(this.columns.length) }));
    this.below = this.above.cloneNode(true);
    const table = el('table', { role: 'grid', 'aria-rowcount': String(this.all.length), 'aria-label': 'events' },
      el('thead', {}, el('tr', {}, this.heads)), this.body);
    this.box = el('div', { class: 'scroll events', onscroll: () => this.paint() }, table);
    table.addEventListener('keydown', (event) => this.#key(event));
    table.addEventListener('click', (event) => {
      const row = event.target.closest('tr[data-row]');
      if (row) this.pick(Number(row.dataset.row));
    });
    node.append(this.box);
    if (this.total > this.all.length) {
      node.append(el('p', { class: 'hint', text: `The first ${count(this.all.length)} of ${count(this.total)} events.` }));
    }
    this.node = node;
    new ResizeObserver(() => this.paint()).observe(this.box);
  }

  sortBy(key) {
    this.order = { key, down: this.order.key === key ? !this.order.down : false };
    this.refresh();
  }

  filterLine(line) {
    this.line = line;
    this.clear.hidden = line === null;
    this.clear.textContent = `Line ${line} ✕`;
    this.clear.setAttribute('aria-label', `show all lines, not only line ${line}`);
    this.refresh();
  }

  refresh() {
    const match = (e) => (this.line === null || e.line === this.line)
      && (!this.words || this.columns.some((c) => c.text(e).toLowerCase().includes(this.words)));
    const { sort } = COLUMNS.find((c) => c.key === this.order.key);
    const sign = this.order.down ? -1 : 1;
    this.rows = this.all.filter(match).sort((a, b) => {
      const [u, v] = [sort(a), sort(b)];
      return (u < v ? -1 : u > v ? 1 : a.index - b.index) * sign;
    });
    this.columns.forEach((c, i) => this.heads[i].setAttribute('aria-sort',
      c.key === this.order.key ? (this.order.down ? 'descending' : 'ascending') : 'none'));
    this.status.textContent = this.rows.length === this.all.length ? count(this.total)
      : `${count(this.rows.length)} of ${count(this.all.length)}`;
    this.active = 0;
    this.box.scrollTop = 0;
    this.paint();
  }

  paint() {
    const high = Math.max(this.box.clientHeight, 200);
    const first = Math.max(Math.floor(this.box.scrollTop / ROW) - 8, 0);
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
    const e = this.rows[i];
    const picked = e.index === this.picked;
    return el('tr', { 'data-row': String(i), tabindex: i === this.active ? '0' : '-1', 'aria-rowindex': String(i + 1),
      'aria-selected': String(picked), class: `${picked ? 'picked' : ''}${e.generated ? ' generated' : ''}` },
    this.columns.map((c) => {
      const text = c.text(e);
      return el('td', { class: c.class, text, title: text.length > 24 ? text : null });
    }));
  }

  pick(i) {
    if (!this.rows[i]) return;
    this.active = i;
    this.select(this.rows[i].index);
    this.onPick(this.picked);
  }

  // Marks an event, and brings its row into sight.
  select(index) {
    this.picked = index;
    const i = this.rows.findIndex((e) => e.index === index);
    if (i >= 0) {
      this.active = i;
      const top = i * ROW;
      if (top < this.box.scrollTop || top + ROW > this.box.scrollTop + this.box.clientHeight - ROW) {
        this.box.scrollTop = Math.max(top - this.box.clientHeight / 2, 0);
      }
    }
    this.paint();
  }

  #key(event) {
    const page = Math.max(Math.floor(this.box.clientHeight / ROW) - 2, 1);
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      if (!event.target.closest('tr[data-row]')) return;
      event.preventDefault();
      this.pick(this.active);
    } else if (move !== undefined && event.target.closest('tr[data-row]')) {
      event.preventDefault();
      this.active = Math.min(Math.max(this.active + move, 0), this.rows.length - 1);
      const top = this.active * ROW;
      const { scrollTop, clientHeight } = this.box;
      if (top < scrollTop) this.box.scrollTop = top;
      else if (top + 2 * ROW > scrollTop + clientHeight) this.box.scrollTop = top + 2 * ROW - clientHeight;
      this.paint();
      this.body.querySelector(`tr[data-row="${this.active}"]`)?.focus({ preventScroll: true });
    }
  }
}
