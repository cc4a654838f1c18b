// A list of boxes to tick, with a search, that opens over the page.

import { button, el } from './dom.js';

// items: { name, note, on }; change() is called after `on` of any of them has changed.
export function picker(title, items, change, more = null) {
  const list = el('div', { class: 'choices' });
  const summary = el('summary', {});
  const changed = () => {
    summary.textContent = `${title}: ${items.filter((i) => i.on).length} of ${items.length}`;
  };
  const rows = items.map((item) => {
    const box = el('input', { type: 'checkbox', checked: item.on, onchange: () => {
      item.on = box.checked;
      changed();
      change();
    } });
    const label = el('label', {}, box, ` ${item.name}`, item.note ? el('small', { text: ` ${item.note}` }) : null);
    list.append(label);
    return { item, box, label };
  });
  const word = title.toLowerCase();
  const search = el('input', { type: 'search', placeholder: `Search ${word}`, 'aria-label': `search ${word}`, oninput: () => {
    const want = search.value.toLowerCase();
    for (const row of rows) row.label.hidden = !row.item.name.toLowerCase().includes(want);
  } });
  const all = (on) => () => {
    for (const row of rows) if (!row.label.hidden) row.item.on = row.box.checked = on;
    changed();
    change();
  };
  changed();
  const node = el('details', { class: 'picker' }, summary, el('div', { class: 'pop' },
    el('div', { class: 'row' }, search, button('All', null, all(true)), button('None', null, all(false))), list,
    more ? el('p', { class: 'hint', text: more }) : null));
  document.addEventListener('pointerdown', (event) => {
    if (node.open && !node.contains(event.target)) node.open = false;
  });
  node.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    node.open = false;
    summary.focus();
  });
  return node;
}
