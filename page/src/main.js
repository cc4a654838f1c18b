// The report page: reads its data, builds its sections, answers the keyboard.

import { el, typing } from './dom.js';
import { decodeReport } from './decode.js';
import { isDark, onTheme, setTheme, startTheme } from './theme.js';
import { Timeline } from './timeline.js';
import { Marks } from './marks.js';
import { Panels } from './panels.js';
import { Phase } from './phase.js';
import { Approach } from './approach.js';
import { Agents } from './agents.js';
import { EventTable } from './events.js';
import { buildSteps } from './steps.js';
import { buildSource } from './source.js';
import { buildConditions } from './conditions.js';
import { buildFinal, buildHead, buildParameters, buildProvenance, buildStatistics, message } from './facts.js';
import { thumb } from './thumb.js';

const $ = (id) => document.getElementById(id);

function timelineOf(report) {
  const { time, steps } = report;
  const start = time.length ? time[0] : report.started ?? 0;
  const last = [time.length ? time[time.length - 1] : -Infinity, steps.t.length ? steps.t[steps.t.length - 1] : -Infinity,
    typeof report.summary.t === 'number' ? report.summary.t : -Infinity].filter(Number.isFinite);
  return new Timeline(start, last.length ? Math.max(...last) : start + 1);
}

function build(report) {
  const timeline = timelineOf(report);
  const marks = new Marks(report, timeline);
  const context = { timeline, marks, mode: () => 'zoom', others: [] };
  const panels = new Panels(report, context);
  const phase = new Phase(report, timeline);
  const approach = new Approach(report);
  const agents = new Agents(report, timeline);
  const steps = buildSteps(report, context);
  const events = new EventTable(report, (index) => pick(index, true));

  // An event chosen in one place is shown in all of them.
  function pick(index, zoom) {
    marks.selected = index;
    if (approach.node) approach.showEvent(index);
    if (zoom) timeline.show(report.events[index].t);
    if (agents.available && zoom) agents.seek(report.events[index].t);
    panels.redraw();
  }
  context.onEvent = (index) => {
    events.select(index);
    pick(index, false);
  };
  const source = buildSource(report, (line) => {
    events.filterLine(line);
    events.node.scrollIntoView({ block: 'start' });
  });
  return { timeline, marks, context, panels, phase, approach, agents, steps, events, source, pick };
}

function arrange(report, parts) {
  // Beside the agents, the phase plot is as high as they are.
  if (parts.agents.available && !parts.agents.wide && parts.phase.available) {
    parts.phase.view.options.height = (width) => parts.agents.height(width);
  }
  const pair = (...nodes) => {
    const some = nodes.filter((p) => p?.node);
    return some.length ? el('div', { class: `columns of-${some.length}` }, some.map((p) => p.node)) : null;
  };
  const { panels, phase, approach, agents, steps, events, source } = parts;
  const facts = [buildStatistics(report), buildFinal(report), buildParameters(report)];
  const provenance = buildProvenance(report);
  const conditions = buildConditions(report, (t) => {
    parts.timeline.show(t);
    if (agents.available) agents.seek(t);
  });
  const [statistics, ...values] = facts;
  const nodes = (agents.available
    ? [agents.wide ? agents.node : pair(agents, phase), panels.node, agents.wide ? pair(phase, approach) : pair(approach, statistics),
      events.node, conditions?.node, steps?.node, pair(...(agents.wide ? facts : values))]
    : [panels.node, pair(phase, approach), events.node, conditions?.node, steps?.node, pair(...facts)])
    .concat(source?.node, provenance?.node).filter(Boolean);
  const links = [[agents, 'agents', 'Agents'], [panels, 'time', 'Time'], [phase, 'phase', 'Phase'], [approach, 'approach', 'Approach'],
    [events, 'events', 'Events'], [conditions, 'conditions', 'Condition'], [steps, 'steps', 'Steps'], [facts[0], 'statistics', 'Statistics'], [source, 'source', 'Model']]
    .filter(([part]) => part?.node).map(([, id, title]) => [id, title]);
  buildHead($('top'), report, links);
  $('main').replaceChildren(...nodes);
  $('foot').textContent = 'Written by Brink. This page is complete in itself and asks nothing of the network.';
}

function keys(parts) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || typing(event)) return;
    if (event.key === ' ' && parts.agents.available && !event.target.closest('button, a')) {
      event.preventDefault();
      parts.agents.toggle();
    } else if (!event.target.closest('.source, .pairs') && parts.timeline.key(event.key)) {
      event.preventDefault();
    }
  });
}

// For tests and the curious: what the page shows, read back.
function expose(raw, report, parts) {
  const { timeline, panels, phase, approach, agents, events, context } = parts;
  window.brink = {
    ready: true,
    opened: performance.now(), // milliseconds from the start of loading
    data: raw,
    time: report.time,
    values: report.values,
    columns: report.columns,
    range: () => [timeline.min, timeline.max],
    setRange: (a, b) => timeline.set(a, b),
    panels: () => [...panels.open.values()].map(({ group, u }) => ({
      name: group.name, columns: group.columns, data: u.data, x: [u.scales.x.min, u.scales.x.max],
      y: [u.scales.y.min, u.scales.y.max], plot: u })),
    lanes: () => panels.lanes.map((l) => ({ name: l.column.name, labels: l.labels, runs: l.runs })),
    bands: () => panels.bandLane?.column.name ?? null,
    steps: () => context.others.map((u) => ({ data: u.data, x: [u.scales.x.min, u.scales.x.max], plot: u })),
    phase: () => phase.available && { a: phase.a, b: phase.b, range: phase.view.shown, equal: phase.view.equal, view: phase.view },
    approach: () => approach.node && { index: approach.index, ...approach.list[approach.index], verdict: approach.verdict.textContent },
    events: () => events.node && { rows: events.rows.map((e) => e.index), picked: events.picked, drawn: events.body.querySelectorAll('tr[data-row]').length },
    frame: () => agents.available && { t: agents.time, start: agents.start, end: agents.end, playing: agents.playing, speed: agents.speed,
      flashing: agents.flashing, view: agents.view,
      places: agents.list.map((p) => Array.from({ length: Math.min(p.count, 100) }, (_, k) => agents.place(p, k, agents.between(p)))) },
    seek: (t) => agents.available && agents.seek(t),
    theme: () => (isDark() ? 'dark' : 'light'),
    setTheme,
    onTheme,
  };
}

async function main() {
  startTheme();
  const raw = JSON.parse($('brink-data').textContent);
  if (raw === null) {
    message($('main'), 'A report without a run', 'This is the empty page that brink fills with the results of a run.',
      'Write one with: brink run MODEL.hsml --report FILE.html');
    window.brink = { ready: true, data: null };
    return;
  }
  if (typeof DecompressionStream !== 'function') {
    message($('main'), 'This browser is too old for the report', 'It needs DecompressionStream: Chrome 103, Firefox 113, Safari 16.4 or later.');
    return;
  }
  const report = await decodeReport(raw);
  document.title = `${report.summary.model ?? 'Report'} · Brink`;
  const parts = build(report);
  if (location.hash === '#thumb') {
    window.brink = { ready: true, data: raw, thumb: thumb(report, parts) };
    return;
  }
  arrange(report, parts);
  parts.panels.start();
  parts.steps?.start();
  keys(parts);
  expose(raw, report, parts);
}

main().catch((error) => {
  message($('main'), 'This report could not be read', String(error?.message ?? error));
  throw error;
});
