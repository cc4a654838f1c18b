// The page of a sweep: reads its data, builds its views, which share one filter and one opened run.

import { button, el, typing } from '../dom.js';
import { isDark, setTheme, startTheme } from '../theme.js';
import { count, num } from '../format.js';
import { banner, buildProvenance, message, themeButton, tile } from '../facts.js';
import { buildSource } from '../source.js';
import { decodeTable } from './table.js';
import { Scatter } from './scatter.js';
import { HeatMap } from './heat.js';
import { Times } from './times.js';
import { Parallel } from './parallel.js';
import { Runs } from './runs.js';
import { Card } from './card.js';
import { buildIndices } from './indices.js';
import { command, keptLinks } from './command.js';

const $ = (id) => document.getElementById(id);

const DESIGNS = { grid: 'grid', random: 'random', lhs: 'Latin hypercube', sobol: "Sobol' points", table: 'table' };

function tiles(raw) {
  const failed = raw.counts.failed ?? 0;
  const rest = Object.entries(raw.counts).filter(([name, n]) => n > 0 && name !== 'failed').map(([name, n]) => `${count(n)} ${name}`);
  const knobs = raw.columns.filter((c) => c.kind === 'knob');
  return el('dl', { class: 'tiles' }, [tile('Runs', count(raw.runs), rest.join(', ')),
    tile('Failed', count(failed), failed ? `${num((100 * failed) / raw.runs, 3)} %` : null),
    tile('Knobs', count(knobs.length), knobs.length <= 4 ? knobs.map((c) => c.name).join(', ') : null),
    tile('Design', DESIGNS[raw.design] ?? raw.design, null)]);
}

function buildHead(host, table, links) {
  const { raw } = table;
  const status = el('output', { class: 'readout', 'aria-live': 'polite' });
  const clear = button('Clear the filter', null, () => table.clear(), { class: 'tool chip', hidden: true });
  table.on('filter', () => {
    clear.hidden = !table.filtered;
    status.textContent = table.filtered ? `${count(table.passed)} of ${count(table.rows)} runs` : '';
  });
  const badge = raw.counts.failed ? ['warn', `${count(raw.counts.failed)} failed`] : ['ok', 'no run failed'];
  host.append(el('div', { class: 'bar' }, el('h1', { text: raw.model }), el('span', { class: `badge ${badge[0]}`, text: badge[1] }),
    status, clear, el('nav', { 'aria-label': 'sections' }, links.map(([id, title]) => el('a', { href: `#${id}`, text: title }))),
    themeButton()), tiles(raw));
  if (raw.unfinished) host.append(banner('warn', 'The sweep is not finished.', `${count(raw.unfinished)} runs are still to be made; this page holds those that were.`));
  if (table.rows < raw.runs) {
    host.append(banner('info', 'A selection.', `This page holds ${count(table.rows)} of ${count(raw.runs)} runs, evenly chosen; the table that the sweep wrote has all of them.`));
  }
}

function arrange(table, parts) {
  const { scatter, heat, times, parallel, runs, indices, card } = parts;
  const provenance = buildProvenance(table.raw);
  const source = buildSource({ source: table.raw.source, events: [] }, () => {});
  const plots = [scatter, heat].filter((p) => p.node);
  const pair = plots.length ? el('div', { class: `columns of-${plots.length}` }, plots.map((p) => p.node)) : null;
  const links = [[scatter, 'scatter', 'Scatter'], [heat, 'heat', 'Heat map'], [parallel, 'parallel', 'Parallel'], [times, 'times', 'Times'],
    [indices, 'indices', 'Sensitivity'], [runs, 'runs', 'Runs'], [source, 'source', 'Model']]
    .filter(([part]) => part?.node).map(([, id, title]) => [id, title]);
  buildHead($('top'), table, links);
  $('main').replaceChildren(...[pair, parallel.node, times.node, indices?.node, runs.node, source?.node, provenance?.node].filter(Boolean));
  document.body.append(card.node);
  $('foot').textContent = 'Written by Brink. This page is complete in itself and asks nothing of the network.';
}

function keys(table, card) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || typing(event)) return;
    if (event.key === 'Escape' && table.opened >= 0) card.close();
    else if (event.key === '[' && table.opened >= 0) card.step(-1);
    else if (event.key === ']' && table.opened >= 0) card.step(1);
    else return;
    event.preventDefault();
  });
}

// For tests and the curious: what the page shows, read back.
function expose(raw, table, parts) {
  const { scatter, heat, times, parallel, runs, card } = parts;
  window.brink = {
    ready: true,
    opened: performance.now(), // milliseconds from the start of loading
    data: raw,
    table,
    brush: (column, range) => table.brush(column, range),
    clear: () => table.clear(),
    open: (row) => table.open(row),
    scatter: () => scatter.node && { x: scatter.x.index, y: scatter.y.index, colour: table.colour, view: scatter.view },
    setScatter: (x, y) => scatter.set(x, y),
    heat: () => heat.node && { x: heat.x.index, y: heat.y.index, z: heat.z.index, cells: heat.cells, note: heat.note.textContent, view: heat.view },
    times: () => (times.panels ?? []).map((p) => ({ column: p.column.index, ...p.data })),
    parallel: () => parallel.node && { axes: parallel.axes.map((a) => a.column.index), drawn: parallel.drawn, note: parallel.note.textContent },
    runs: () => ({ rows: runs.grid.rows, picked: runs.grid.picked, drawn: runs.grid.body.querySelectorAll('tr[data-row]').length }),
    command: (row) => command(table, row),
    kept: (row) => keptLinks(table, row),
    card: () => (card.node.hidden ? null : card.node.textContent),
    theme: () => (isDark() ? 'dark' : 'light'),
    setTheme,
  };
}

async function main() {
  startTheme();
  const raw = JSON.parse($('brink-data').textContent);
  if (raw === null) {
    message($('main'), 'A report without runs', 'This is the empty page that brink fills with the results of a sweep.',
      'Write one with: brink sweep MODEL.hsml --vary NAME=LOW:HIGH:COUNT --report FILE.html');
    window.brink = { ready: true, data: null };
    return;
  }
  if (typeof DecompressionStream !== 'function') {
    message($('main'), 'This browser is too old for the report', 'It needs DecompressionStream: Chrome 103, Firefox 113, Safari 16.4 or later.');
    return;
  }
  const table = await decodeTable(raw);
  document.title = `${raw.model}: ${count(raw.runs)} runs · Brink`;
  const parts = { scatter: new Scatter(table), heat: new HeatMap(table), times: new Times(table), parallel: new Parallel(table),
    runs: new Runs(table), indices: buildIndices(table), card: new Card(table) };
  arrange(table, parts);
  keys(table, parts.card);
  expose(raw, table, parts);
}

main().catch((error) => {
  message($('main'), 'This report could not be read', String(error?.message ?? error));
  throw error;
});
