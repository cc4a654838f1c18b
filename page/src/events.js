// The table of events.

import { button, el, section } from './dom.js';
import { count, flagLabel, num } from './format.js';
import { Grid } from './grid.js';

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
    this.order = { column: 0, down: false };
    this.words = '';
    this.line = null;
    if (!this.all.length) return;
    const has = (key) => this.all.some((e) => (key === 'agents' ? e.agents : key === 'changes' ? e.changes : key === 'line' ? e.line : true));
    this.columns = COLUMNS.filter((c) => has(c.key));
    this.#build();
    this.refresh();
  }

  get rows() { return this.grid.rows; }

  get picked() { return this.grid.picked; }

  get body() { return this.grid.body; }

  #build() {
    const { node, head } = section('events', 'Events');
    this.status = el('output', { class: 'readout' });
    this.search = el('input', { type: 'search', placeholder: 'Search events', 'aria-label': 'search events',
      oninput: () => { this.words = this.search.value.toLowerCase(); this.refresh(); } });
    this.clear = button('Line', null, () => this.filterLine(null), { class: 'tool chip', hidden: true });
    head.append(this.status, el('div', { class: 'tools' }, this.clear, this.search));
    this.grid = new Grid({ label: 'events', columns: this.columns, total: this.all.length, id: (e) => e.index,
      rowClass: (e) => (e.generated ? 'generated' : ''), onSort: (k) => this.sortBy(k), onPick: (e) => this.onPick(e.index) });
    node.append(this.grid.node);
    if (this.total > this.all.length) {
      node.append(el('p', { class: 'hint', text: `The first ${count(this.all.length)} of ${count(this.total)} events.` }));
    }
    this.node = node;
  }

  sortBy(column) {
    this.order = { column, down: this.order.column === column ? !this.order.down : false };
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
    const { sort } = this.columns[this.order.column];
    const sign = this.order.down ? -1 : 1;
    const rows = this.all.filter(match).sort((a, b) => {
      const [u, v] = [sort(a), sort(b)];
      return (u < v ? -1 : u > v ? 1 : a.index - b.index) * sign;
    });
    this.status.textContent = rows.length === this.all.length ? count(this.total)
      : `${count(rows.length)} of ${count(this.all.length)}`;
    this.grid.show(rows, this.order.column, this.order.down);
  }

  // Marks an event, and brings its row into sight.
  select(index) {
    this.grid.select(index);
  }
}
