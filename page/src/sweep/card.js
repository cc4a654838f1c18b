// One run, opened beside the page: its knobs, what came of it, and how to repeat it.

import { button, el, ICONS } from '../dom.js';
import { command, keptLinks } from './command.js';
import { KINDS } from './table.js';

// Pages from files may not have a clipboard of their own.
async function copy(text, box) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(box);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand('copy');
  }
}

const KEPT = { report: 'Open its report', trajectory: 'Its trajectory' };
const BADGE = { finished: 'ok', stopped: 'info', failed: 'bad', interrupted: 'warn' };

export class Card {
  constructor(table) {
    this.table = table;
    this.title = el('h2', { id: 'run-title', tabindex: '-1' });
    this.badge = el('span', {});
    this.body = el('div', { class: 'scroll' });
    this.node = el('aside', { id: 'run', class: 'card', hidden: true, 'aria-labelledby': 'run-title', 'aria-live': 'polite' },
      el('div', { class: 'head' }, this.title, this.badge, el('div', { class: 'tools' },
        button('Run before', ICONS.left, () => this.step(-1)), button('Run after', ICONS.right, () => this.step(1)),
        button('Close', null, () => this.close(), { class: 'tool close' }))), this.body);
    table.on('open', () => this.refresh());
    this.node.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  // The run before or after among those that pass.
  step(by) {
    const { table } = this;
    for (let r = table.opened + by; r >= 0 && r < table.rows; r += by) {
      if (!table.pass[r]) continue;
      table.open(r);
      return;
    }
  }

  close() {
    this.table.open(-1);
    this.back?.focus({ preventScroll: true });
  }

  refresh() {
    const { table } = this;
    const row = table.opened;
    if (this.node.hidden && row >= 0) this.back = document.activeElement;
    this.node.hidden = row < 0;
    if (row < 0) return;
    const status = table.status ? table.text(table.status, row) : null;
    this.title.textContent = `Run ${table.run[row]}`;
    this.badge.className = `badge ${BADGE[status] ?? 'info'}`;
    this.badge.textContent = status ?? '';
    const message = ['reason', 'message'].flatMap((kind) => table.of(kind)).map((c) => table.text(c, row)).filter((t) => t !== '–' && t !== '').join(': ');
    const lists = ['knob', 'outcome', 'time', 'count', 'condition', 'end'].map((kind) => this.#list(kind, row));
    this.body.replaceChildren(...[message ? el('p', { class: `banner ${status === 'failed' ? 'bad' : ''}`, text: message }) : null,
      ...this.#repeat(row), ...lists].flat().filter(Boolean));
  }

  #list(kind, row) {
    const columns = this.table.of(kind);
    if (!columns.length) return null;
    return [el('h3', { text: KINDS[kind] }), el('dl', {}, columns.map((c) => {
      const v = c.values[row];
      return el('div', { class: 'pair' }, el('dt', { text: c.name }),
        el('dd', { title: c.labels || Number.isNaN(v) ? null : String(v) }, el('span', { text: this.table.text(c, row, 10) }),
          c.unit ? el('small', { text: ` ${c.unit}` }) : null));
    }))];
  }

  #repeat(row) {
    const text = command(this.table, row);
    const code = el('code', { text });
    const done = el('span', { class: 'readout', role: 'status' });
    const links = keptLinks(this.table, row).map(({ what, href }) => el('a', { href, target: '_blank', rel: 'noopener', text: KEPT[what] ?? what }));
    return [el('h3', { text: 'Repeat this run' }), el('pre', { class: 'command', tabindex: '0', 'aria-label': 'command' }, code),
      el('div', { class: 'options' }, button('Copy', null, async () => {
        done.textContent = (await copy(text, code)) ? 'Copied.' : 'Press Ctrl+C: the command is selected.';
      }), done, links)];
  }
}
