// The table of runs: those that pass the filter, sorted by any column.

import { el, section } from '../dom.js';
import { count } from '../format.js';
import { Grid } from '../grid.js';
import { nameOf, sorted } from './table.js';

export class Runs {
  constructor(table) {
    this.table = table;
    this.order = { column: 0, down: false };
    const { node, head } = section('runs', 'Runs');
    this.status = el('output', { class: 'readout' });
    head.append(this.status);
    if (table.status && table.columns.some((c) => c === table.status && c.labels.includes('failed'))) {
      this.box = el('input', { type: 'checkbox', onchange: () => table.setFailedOnly(this.box.checked) });
      head.append(el('div', { class: 'tools' }, el('label', { class: 'field' }, this.box, ' Only runs that failed')));
    }
    const columns = [{ title: 'Run', class: 'n', text: (r) => String(table.run[r]) },
      ...table.columns.map((c) => ({ title: nameOf(c), class: c.labels ? null : 'n', text: (r) => table.text(c, r, 9) }))];
    this.grid = new Grid({ label: 'runs', columns, total: table.rows, id: (r) => r, rowClass: (r) => (table.isFailed(r) ? 'failed' : ''),
      onSort: (k) => this.sortBy(k), onPick: (r) => table.open(r) });
    node.append(this.grid.node, el('p', { class: 'hint', text: 'A click on a row, or Enter, opens the run.' }));
    this.node = node;
    table.on('filter', () => this.refresh());
    table.on('open', () => { if (this.grid.picked !== table.opened) this.grid.select(table.opened); });
    this.refresh();
  }

  sortBy(column) {
    this.order = { column, down: this.order.column === column ? !this.order.down : false };
    this.refresh();
  }

  refresh() {
    const { table } = this;
    if (this.box) this.box.checked = table.failedOnly;
    this.grid.show(sorted(table, this.order.column - 1, this.order.down), this.order.column, this.order.down);
    this.status.textContent = table.passed === table.rows ? count(table.rows) : `${count(table.passed)} of ${count(table.rows)}`;
  }
}
