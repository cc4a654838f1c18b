// A list to choose a column from, in groups of one kind.

import { el } from '../dom.js';
import { KINDS } from './table.js';

export function chooser(label, columns, value, onchange, none = null) {
  const groups = Object.keys(KINDS).map((kind) => [KINDS[kind], columns.filter((c) => c.kind === kind)]).filter(([, list]) => list.length);
  const node = el('select', { 'aria-label': label, onchange: () => onchange(Number(node.value)) },
    none ? el('option', { value: '-1', text: none }) : null,
    groups.map(([title, list]) => el('optgroup', { label: title }, list.map((c) => el('option', { value: String(c.index), text: c.name })))));
  node.value = String(value);
  return node;
}
