// Plots over time: a panel for each variable, and one with a lane for each mode.

import { button, coalesce, el, ICONS, section, select } from './dom.js';
import { colors, fade, onTheme, seriesColor } from './theme.js';
import { count, num, valueText } from './format.js';
import { runsOf } from './marks.js';
import { picker } from './picker.js';
import { drawable, stepped, timePlot } from './plot.js';

const FIRST = 6; // panels shown at the start
const LEGEND = 8; // values named in the head of a panel
const MOST = 200; // lines in a panel

const isLane = (column) => column.type === 'string' || column.type === 'boolean';
const RANK = { state: 0, output: 1, mode: 2, input: 3, variable: 4, derivative: 5, flag: 6, parameter: 7 };

// car[3].x and car[4].x are one family; so are the elements of a vector.
export function familyOf(column) {
  return (column.variable ?? column.name).replace(/\[\d+(,\s*\d+)*\]/g, '[ ]');
}

export function groupColumns(columns) {
  const groups = new Map();
  columns.forEach((column, index) => {
    if (isLane(column)) return;
    const name = familyOf(column);
    if (!groups.has(name)) {
      groups.set(name, { name, kind: column.kind, unit: column.unit, held: column.kind === 'mode' || column.type !== 'real', columns: [] });
    }
    groups.get(name).columns.push(index);
  });
  for (const group of groups.values()) {
    if (group.columns.length === 1) group.name = columns[group.columns[0]].name;
  }
  return [...groups.values()].sort((a, b) => (RANK[a.kind] ?? 8) - (RANK[b.kind] ?? 8));
}

// Which constraints held, as a lane of its own beside those of modes; none if they never changed.
export function structureLane(summary) {
  const spans = summary?.structure ?? [];
  if (spans.length < 2) return [];
  const texts = spans.map((s) => `index ${s.index}, ${s.free} of ${s.states} free`);
  const labels = [...new Set(texts)];
  const runs = spans.map((s, k) => ({ from: s.from, to: s.to, value: labels.indexOf(texts[k]) })).filter((r) => r.to > r.from);
  const used = labels.map((_, k) => k);
  return [{ column: { name: 'constraints', type: 'structure' }, index: 'structure', labels, runs, used,
    rank: new Map(used.map((v) => [v, v + 4])), color: (v) => colors().bands[(v + 4) % 8] }];
}

// One line has the colour of its kind; several are told apart.
const KIND = { state: 0, output: 2, mode: 3, input: 4, variable: 1, derivative: 5, flag: 6, parameter: 3 };

function colorOf(group, i, n) {
  return n === 1 ? colors().series[KIND[group.kind] ?? 0] : seriesColor(i, n);
}

export class Panels {
  constructor(report, context) {
    this.report = report;
    this.context = context;
    this.timeline = context.timeline;
    this.marks = context.marks;
    this.groups = groupColumns(report.columns);
    this.lanes = [...report.columns.flatMap((column, index) => (isLane(column) ? [this.#lane(column, index)] : [])),
      ...structureLane(report.summary)];
    this.shown = new Set(this.groups.slice(0, FIRST));
    this.open = new Map(); // group → { u, host }
    this.plots = [];
    this.drag = 'zoom';
    context.mode = () => this.drag;
    this.#build();
    const redraw = coalesce(() => this.rescale());
    this.timeline.on(redraw);
    onTheme(() => this.redraw());
    let width = 0;
    new ResizeObserver(() => {
      if (this.stack.clientWidth === width || !this.stack.clientWidth) return;
      width = this.stack.clientWidth;
      for (const { u, host, height } of this.plots) u.setSize({ width: host.clientWidth, height });
    }).observe(this.stack);
  }

  #lane(column, index) {
    const labels = column.labels ?? ['false', 'true'];
    const runs = runsOf(this.report.time, this.report.values[index], this.timeline.end);
    // Labels may be those of the whole model: colours go by the values that occur.
    const used = [...new Set(runs.map((r) => r.value))].sort((a, b) => a - b);
    const rank = new Map(used.map((v, k) => [v, column.type === 'boolean' ? v : k]));
    const color = (v) => colors().bands[(rank.get(v) ?? 0) % 8];
    return { column, index, labels, runs, used, rank, color };
  }

  #build() {
    const { node, head } = section('time', 'Over time');
    this.node = node;
    this.readout = el('output', { class: 'readout', 'aria-live': 'off' });
    const tools = el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'range of time' },
      this.#modeSwitch(),
      button('Earlier (left arrow)', ICONS.left, () => this.timeline.pan(-0.25)),
      button('Later (right arrow)', ICONS.right, () => this.timeline.pan(0.25)),
      button('Zoom out (-)', ICONS.minus, () => this.timeline.zoom(1 / 1.5)),
      button('Zoom in (+)', ICONS.plus, () => this.timeline.zoom(1.5)),
      button('All (0, or double-click)', ICONS.fit, () => this.timeline.reset()));
    head.append(this.readout, tools);
    this.options = el('div', { class: 'options' });
    this.stack = el('div', { class: 'plots', tabindex: '0', role: 'group',
      'aria-label': 'Plots over time. Arrow keys pan, plus and minus zoom, 0 shows all.' });
    node.append(this.options, this.stack,
      el('p', { class: 'hint', text: 'Drag to zoom, shift-drag to pan, double-click for all. '
        + 'The wheel zooms after a click, or with Ctrl. Keys: ← → + − 0.' }));
    this.#buildOptions();
  }

  // Plots can be made only when the page has its width.
  start() {
    this.layout();
  }

  #modeSwitch() {
    const node = button('Dragging zooms; press to pan', ICONS.zoom, () => {
      this.drag = this.drag === 'zoom' ? 'pan' : 'zoom';
      const pan = this.drag === 'pan';
      node.setAttribute('aria-pressed', String(pan));
      node.title = pan ? 'Dragging pans; press to zoom' : 'Dragging zooms; press to pan';
      node.replaceChildren(button('', pan ? ICONS.move : ICONS.zoom, () => {}).firstChild);
      this.stack.classList.toggle('drag-pan', pan);
    }, { 'aria-pressed': 'false' });
    return node;
  }

  #buildOptions() {
    if (this.groups.length > 1) this.options.append(this.#picker());
    const bands = this.lanes.filter((lane) => lane.runs.length > 0);
    if (bands.length) {
      const first = bands.find((l) => l.runs.length > 1 && l.column.type === 'string') ?? bands.find((l) => l.runs.length > 1) ?? null;
      const key = first ? String(first.index) : '';
      this.bandKeys = el('span', { class: 'keys' });
      this.options.append(el('label', { class: 'field' }, 'Bands ',
        select('bands by mode', [['', 'none'], ...bands.map((l) => [String(l.index), l.column.name])], key,
          (value) => this.setBands(value))), this.bandKeys);
      this.setBands(key);
    }
    if (this.report.events.length) {
      const box = el('input', { type: 'checkbox', checked: true, onchange: () => {
        this.marks.shown = box.checked;
        this.redraw();
      } });
      const { events, events_total: total } = this.report;
      const note = total > events.length ? ` Events (the first ${count(events.length)})` : ' Events';
      this.options.append(el('label', { class: 'field' }, box, note));
    }
    const keys = [];
    if (this.report.slides.length) keys.push(el('span', { class: 'key' }, el('i', { class: 'hatch' }), 'sliding'));
    if (this.report.misses.length) keys.push(el('span', { class: 'key' }, el('i', { class: 'triangle' }), 'near miss'));
    if (keys.length) this.options.append(el('span', { class: 'keys' }, keys));
  }

  #picker() {
    const items = this.groups.map((group) => ({ group, name: group.name, on: this.shown.has(group),
      note: group.columns.length > 1 ? `×${group.columns.length}` : null }));
    const change = () => {
      this.shown = new Set(items.filter((i) => i.on).map((i) => i.group));
      this.layout();
    };
    const { columns, columns_total: total } = this.report;
    return picker('Variables', items, change,
      total > columns.length ? `The report holds ${count(columns.length)} of ${count(total)} columns.` : null);
  }

  setBands(key) {
    const lane = this.lanes.find((l) => String(l.index) === key);
    this.marks.bands = lane ? { runs: lane.runs, strength: 0.13, color: lane.color } : null;
    this.bandKeys.replaceChildren(...(lane?.used ?? []).slice(0, 10).map((v) => el('span', { class: 'key' },
      el('i', { class: `band b${(lane.rank.get(v) % 8) + 1}` }), lane.labels[v] ?? '–')));
    this.bandLane = lane ?? null;
    this.redraw();
  }

  layout() {
    for (const [group, panel] of this.open) {
      if (this.shown.has(group)) continue;
      panel.u.destroy();
      panel.box.remove();
      this.open.delete(group);
    }
    let after = null;
    for (const group of this.groups) {
      if (!this.shown.has(group)) continue;
      const panel = this.open.get(group) ?? this.#panel(group);
      if (after ? after.nextSibling !== panel.box : this.stack.firstChild !== panel.box) {
        if (after) after.after(panel.box);
        else this.stack.prepend(panel.box);
      }
      if (!panel.u) panel.make();
      this.open.set(group, panel);
      after = panel.box;
    }
    if (this.lanes.length && !this.modes) this.#modes();
    this.plots = [...this.open.values(), this.modes].filter(Boolean);
    if (!this.plots.length && !this.report.columns.length) {
      this.stack.replaceChildren(el('p', { class: 'empty', text: 'Nothing was recorded over time.' }));
    }
    this.rescale();
  }

  #panel(group) {
    const { report } = this;
    const columns = group.columns.slice(0, MOST);
    const values = [];
    const legend = columns.slice(0, LEGEND).map((index, i) => {
      const value = el('span', { class: 'value' });
      values.push(value);
      const swatch = el('i', { class: 'swatch' });
      const paint = () => { swatch.style.backgroundColor = colorOf(group, i, columns.length); };
      paint();
      onTheme(paint);
      const label = columns.length > 1 ? this.#shortName(report.columns[index].name, group.name) : '';
      return el('span', { class: 'entry' }, swatch, label, value);
    });
    if (group.columns.length > LEGEND) legend.push(el('span', { class: 'more', text: `and ${group.columns.length - LEGEND} more` }));
    const host = el('div', { class: 'canvas' });
    const box = el('figure', { class: 'panel' }, el('figcaption', {},
      el('b', { text: group.name }), group.unit ? el('span', { class: 'unit', text: group.unit }) : null,
      el('span', { class: 'legend' }, legend)), host);
    const last = report.time.length - 1;
    const show = (idx) => columns.slice(0, LEGEND).forEach((index, i) => {
      values[i].textContent = last < 0 ? '–' : valueText(report.columns[index], report.values[index][idx ?? last]);
      values[i].classList.toggle('live', idx !== null && idx !== undefined);
    });
    show(null);
    const panel = { group, box, host, height: columns.length > 1 ? 190 : 150, u: null };
    const lone = report.time.length < 2;
    panel.make = () => {
      const data = [report.time, ...columns.map((i) => drawable(report.values[i]))];
      panel.u = timePlot({
        host, height: panel.height, label: `${group.name} over time`, onIndex: show,
        data,
        series: columns.map((index, i) => ({
          label: report.columns[index].name,
          stroke: () => colorOf(group, i, columns.length),
          width: columns.length > 20 ? 1 : 1.6,
          paths: group.held ? stepped : undefined,
          points: { show: lone || (report.time.length < 500 && Array.isArray(data[i + 1])), size: lone ? 6 : 4 },
        })),
      }, this.context);
    };
    return panel;
  }

  // What tells an element from its brothers: the indices.
  #shortName(name, family) {
    const indices = name.match(/\[\d+(,\s*\d+)*\]/g);
    const bare = (text) => text.replace(/\[[\d,\s]*\]/g, '');
    return indices && bare(name) === bare(family) ? indices.join('') : name;
  }

  #modes() {
    const lanes = this.lanes.slice(0, 40);
    const row = lanes.length === 1 ? 24 : 36;
    const { report } = this;
    const host = el('div', { class: 'canvas' });
    const value = el('span', { class: 'legend' });
    const box = el('figure', { class: 'panel' }, el('figcaption', {},
      el('b', { text: lanes.length === 1 ? lanes[0].column.name : 'Modes' }), value), host);
    this.stack.append(box);
    const show = (idx) => {
      if (lanes.length > 1) return; // they have their names and values inside
      const at = idx ?? report.time.length - 1;
      value.replaceChildren(...(at < 0 ? [] : lanes.slice(0, 1).map((lane) => el('span', { class: 'entry' },
        el('span', { class: idx === null || idx === undefined ? 'value' : 'value live', text: this.#laneText(lane, at) })))));
    };
    show(null);
    const n = lanes.length;
    const height = n * row + 34;
    const u = timePlot({
      host, height, onIndex: show, label: 'modes over time',
      data: [report.time, ...(lanes.length ? [new Float64Array(report.time.length)] : [])],
      series: [{ show: true, stroke: () => 'rgba(0,0,0,0)', width: 0, points: { show: false }, paths: () => null }],
      scales: { y: { dir: -1, range: () => [0, n] } },
      side: { splits: () => [], grid: { show: false }, values: () => [] },
      plain: true,
      over: (self) => this.#drawLanes(self, lanes),
    }, this.context);
    this.modes = { u, host, height, box, group: null };
  }

  #laneText(lane, at) {
    if (lane.column.type !== 'structure') return valueText(lane.column, this.report.values[lane.index][at]);
    const t = this.report.time[at];
    const run = lane.runs.filter((r) => r.from <= t).pop();
    return run ? lane.labels[run.value] : '';
  }

  #drawLanes(u, lanes) {
    const { ctx, bbox } = u;
    const c = colors();
    const px = devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * px}px ${c.font.slice(5)}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    lanes.forEach((lane, k) => {
      let top = u.valToPos(k, 'y', true) + 2 * px;
      let high = u.valToPos(k + 1, 'y', true) - 2 * px - top;
      if (lanes.length > 1) { // the name stands above its lane
        ctx.fillStyle = c.muted;
        ctx.fillText(lane.column.name, bbox.left + px, top + 6 * px);
        top += 14 * px;
        high -= 14 * px;
      }
      let done = -Infinity; // pixels already painted: slivers do not paint over each other for ever
      for (const run of lane.runs) {
        if (run.to < this.timeline.min) continue;
        if (run.from > this.timeline.max) break;
        const a = Math.max(u.valToPos(run.from, 'x', true), bbox.left);
        const b = Math.min(u.valToPos(run.to, 'x', true), bbox.left + bbox.width);
        if (b - a < 0.5 && a - done < 0.5) continue;
        done = b;
        ctx.fillStyle = fade(lane.color(run.value), lane.column.type === 'boolean' && !run.value ? 0.12 : 0.42);
        ctx.fillRect(a, top, Math.max(b - a - (b - a > 4 ? px : 0), 0.5), high);
        const label = lane.labels[run.value] ?? '';
        if (b - a > 24 * px && ctx.measureText(label).width < b - a - 10 * px) {
          ctx.fillStyle = c.ink;
          ctx.fillText(label, a + 6 * px, top + high / 2 + 0.5 * px);
        }
      }
    });
    ctx.restore();
  }

  rescale() {
    const { min, max } = this.timeline;
    for (const { u } of this.plots) u.setScale('x', { min, max });
    for (const u of this.context.others ?? []) u.setScale('x', { min, max });
    this.readout.textContent = this.timeline.whole ? '' : `t = ${num(min, 7)} … ${num(max, 7)}`;
  }

  redraw() {
    for (const { u } of this.plots) u.redraw(false);
    for (const u of this.context.others ?? []) u.redraw(false);
  }
}
