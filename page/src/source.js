// The model's text, with the number of events at the lines that have some.

import { el, section } from './dom.js';
import { count } from './format.js';
import { tokens } from './hsml.js';

export function buildSource(report, onLine) {
  const { source } = report;
  if (!source?.text) return null;
  const { node, head } = section('source', 'Model');
  if (source.file) head.append(el('span', { class: 'readout', text: source.file }));
  const hits = new Map();
  for (const event of report.events) if (event.line) hits.set(event.line, (hits.get(event.line) ?? 0) + 1);
  const lines = source.text.replace(/\n$/, '').split(/\r?\n/);
  const rows = lines.map((line, i) => {
    const n = hits.get(i + 1);
    const mark = n ? el('button', { type: 'button', class: 'hits', text: n > 999 ? '999+' : String(n),
      title: `${count(n)} ${n === 1 ? 'event' : 'events'}: show in the table`,
      'aria-label': `${n} ${n === 1 ? 'event' : 'events'} at line ${i + 1}: show in the table`,
      onclick: () => onLine(i + 1) }) : el('span', {});
    return el('div', { class: n ? 'line hit' : 'line' }, mark, el('span', { class: 'no', text: String(i + 1) }),
      el('code', {}, tokens(line).map(([kind, text]) => (kind ? el('span', { class: `k-${kind}`, text }) : text))));
  });
  node.append(el('div', { class: 'scroll source', tabindex: '0', role: 'region', 'aria-label': 'source of the model' }, rows));
  return { node, rows };
}
