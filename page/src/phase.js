// One column against another. The colour runs with time; what is outside the range of time that the
// other plots show is grey.

import { button, coalesce, el, ICONS, section, select } from './dom.js';
import { colors, fade, mix } from './theme.js';
import { extent, lowerBound, num, padded } from './format.js';
import { View } from './canvas.js';

const PIECES = 48; // of different colour

const SCALARS = [['x', 'y'], ['px', 'py'], ['pos_x', 'pos_y'], ['xpos', 'ypos']];
const VECTOR = /^(.*\.)?(r\d*|p\d*|q\d*|pos|position|place)\[1\]$/;

// Pairs of columns that look like positions in the plane: (x, y) of the same thing, or the elements of
// a vector r, p or q.
export function positionPairs(columns) {
  const index = new Map(columns.map((c, i) => [c.name, i]));
  const pairs = [];
  const add = (i, name) => {
    const j = index.get(name);
    if (j !== undefined && columns[i].type === 'real' && columns[j].type === 'real') pairs.push([i, j]);
  };
  columns.forEach(({ name }, i) => {
    const m = name.match(/^(.*?)([A-Za-z_]+)((?:\[\d+\])?)$/);
    const other = SCALARS.find(([a]) => a === m?.[2])?.[1];
    if (other) add(i, `${m[1]}${other}${m[3]}`);
    else if (VECTOR.test(name)) add(i, name.replace(/\[1\]$/, '[2]'));
  });
  return pairs;
}

export class Phase {
  constructor(report, timeline) {
    this.report = report;
    this.timeline = timeline;
    // The rows of a thinned run hold extremes, which need not be of one instant: then there are others
    // that belong together, too far from each other for a line.
    this.rows = report.together ?? report;
    this.dots = report.thinned;
    const usable = report.columns.flatMap((c, i) => (c.type === 'real' || c.type === 'integer' ? [i] : []));
    this.positions = positionPairs(report.columns).filter((p) => p.some((i) => spread(report.values[i]) > 0));
    const pair = this.positions[0] ?? null;
    const changing = usable.filter((i) => report.columns[i].kind !== 'mode' && spread(report.values[i]) > 0);
    const first = changing.length >= 2 ? changing : usable;
    this.available = usable.length >= 2;
    if (!this.available) return;
    [this.a, this.b] = pair ?? first;
    this.position = pair !== null;
    this.view = new View({
      label: 'phase plot', equal: this.position,
      height: (width) => Math.round(Math.min(Math.max(width * 0.62, 260), 420)),
      draw: (view, ctx) => this.#draw(view, ctx),
      mark: (view, ctx) => this.#mark(view, ctx),
    });
    this.#build(usable);
    this.#home();
    timeline.on(coalesce(() => this.view.redraw()));
    timeline.onCursor((t) => {
      this.at = t;
      if (this.view.width) this.view.mark();
    });
  }

  #build(usable) {
    const { node, head } = section('phase', 'Phase plot');
    const options = [['-1', 'time'], ...usable.map((i) => [String(i), this.report.columns[i].name])];
    const pick = (which) => (value) => {
      this[which] = Number(value);
      this.equalBox.checked = this.view.equal = false;
      this.#home();
    };
    this.selects = [select('horizontal axis', options, String(this.a), pick('a')),
      select('vertical axis', options, String(this.b), pick('b'))];
    this.equalBox = el('input', { type: 'checkbox', checked: this.position, onchange: () => {
      this.view.equal = this.equalBox.checked;
      this.view.redraw();
    } });
    head.append(el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'phase plot' },
      button('Zoom out', ICONS.minus, () => this.view.zoom(1 / 1.4)),
      button('Zoom in', ICONS.plus, () => this.view.zoom(1.4)),
      button('All', ICONS.fit, () => this.view.fit())));
    node.append(el('div', { class: 'options' },
      el('span', { class: 'field' }, this.selects[1], el('span', { class: 'against', text: 'against' }), this.selects[0]),
      el('label', { class: 'field' }, this.equalBox, ' Equal scales')), this.view.node,
    el('p', { class: 'hint' }, el('span', { class: 'key' }, el('i', { class: 'ring' }), 'start'),
      el('span', { class: 'key' }, el('i', { class: 'dot' }), 'end'),
      this.report.events.length ? el('span', { class: 'key' }, el('i', { class: 'diamond' }), 'events') : null,
      el('span', { class: 'key' }, el('i', { class: 'ramp' }), 'time')));
    if (this.dots) {
      node.append(el('p', { class: 'hint', text: this.report.together ? 'A long run: points of it, not all of the way.'
        : `A long run: the two values of a point may be ${num(this.report.row_width, 3)} of time apart.` }));
    }
    this.node = node;
  }

  column(i) {
    return i < 0 ? this.rows.time : this.rows.values[i];
  }

  name(i) {
    if (i < 0) return 'time';
    const c = this.report.columns[i];
    return c.unit ? `${c.name} (${c.unit})` : c.name;
  }

  #home() {
    const x = extent(this.column(this.a)) ?? [0, 1];
    const y = extent(this.column(this.b)) ?? [0, 1];
    this.view.setHome(...padded(...x), ...padded(...y));
  }

  set(a, b) {
    this.a = a;
    this.b = b;
    this.selects[0].value = String(a);
    this.selects[1].value = String(b);
    this.#home();
  }

  #draw(view, ctx) {
    const names = [this.name(this.a), this.name(this.b)];
    view.axes(ctx, names);
    ctx.save();
    view.clip(ctx);
    this.trajectory(view, ctx);
    ctx.restore();
  }

  trajectory(view, ctx) {
    const { time } = this.rows;
    const c = colors();
    const from = Math.max(lowerBound(time, this.timeline.min) - 1, 0);
    const to = Math.min(lowerBound(time, this.timeline.max + 1e-300) + 1, time.length);
    ctx.lineJoin = 'round';
    const draw = this.dots ? this.#cloud : this.#line;
    if (!this.timeline.whole) {
      draw.call(this, view, ctx, 0, time.length, c.outside, 1);
    }
    const size = Math.max(1, Math.ceil((to - from) / PIECES));
    for (let k = from; k < to; k += size) {
      const share = time.length > 1 ? (k - from) / Math.max(to - from, 1) : 0;
      draw.call(this, view, ctx, k, Math.min(k + size + 1, to), mix(c.early, c.late, share), 1.8);
    }
    if (!this.dots) this.#jumps(view, ctx, from, to, c);
    this.#points(view, ctx, c);
  }

  #line(view, ctx, from, to, style, width) {
    const x = this.column(this.a);
    const y = this.column(this.b);
    const { time } = this.rows;
    ctx.strokeStyle = style;
    ctx.lineWidth = width;
    ctx.beginPath();
    let pen = false;
    for (let i = from; i < to; i++) {
      const ok = Number.isFinite(x[i]) && Number.isFinite(y[i]);
      if (ok && pen && time[i] > time[i - 1]) ctx.lineTo(view.x(x[i]), view.y(y[i]));
      else if (ok) ctx.moveTo(view.x(x[i]), view.y(y[i]));
      pen = ok;
    }
    ctx.stroke();
  }

  #cloud(view, ctx, from, to, style) {
    const x = this.column(this.a);
    const y = this.column(this.b);
    ctx.fillStyle = style;
    for (let i = from; i < to; i++) {
      if (Number.isFinite(x[i]) && Number.isFinite(y[i])) ctx.fillRect(view.x(x[i]) - 1, view.y(y[i]) - 1, 2, 2);
    }
  }

  // From before an event to after it: dotted, because nothing moves there.
  #jumps(view, ctx, from, to, c) {
    const x = this.column(this.a);
    const y = this.column(this.b);
    const { time } = this.rows;
    ctx.strokeStyle = c.muted;
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    for (let i = Math.max(from, 1); i < to; i++) {
      if (time[i] !== time[i - 1] || (x[i] === x[i - 1] && y[i] === y[i - 1])) continue;
      if (![x[i], y[i], x[i - 1], y[i - 1]].every(Number.isFinite)) continue;
      ctx.moveTo(view.x(x[i - 1]), view.y(y[i - 1]));
      ctx.lineTo(view.x(x[i]), view.y(y[i]));
    }
    ctx.stroke();
    ctx.setLineDash([]);
  }

  // Of a population, only the events of the agent that is shown.
  relevant() {
    const agents = [this.a, this.b].filter((i) => i >= 0)
      .map((i) => /^(.*\])\./.exec(this.report.columns[i].name)?.[1]).filter(Boolean);
    if (!agents.length) return this.report.events;
    return this.report.events.filter((e) => agents.some((a) => (e.agents ?? []).includes(a) || e.flag.startsWith(`${a}.`)));
  }

  #points(view, ctx, c) {
    const x = this.column(this.a);
    const y = this.column(this.b);
    const { time } = this.rows;
    const events = this.relevant();
    const n = time.length;
    if (!n) return;
    const many = events.length > 300;
    const r = many ? 2 : 4;
    ctx.fillStyle = many ? fade(c.event, 0.5) : c.event;
    ctx.strokeStyle = c.card;
    ctx.lineWidth = 1;
    for (const event of events) {
      if (!(event.t >= this.timeline.min && event.t <= this.timeline.max)) continue;
      const i = lowerBound(time, event.t);
      if (i >= n || !Number.isFinite(x[i]) || !Number.isFinite(y[i])) continue;
      const px = view.x(x[i]);
      const py = view.y(y[i]);
      ctx.beginPath();
      ctx.moveTo(px, py - r);
      ctx.lineTo(px + r, py);
      ctx.lineTo(px, py + r);
      ctx.lineTo(px - r, py);
      ctx.closePath();
      ctx.fill();
      if (!many) ctx.stroke();
    }
    ctx.lineWidth = 2;
    ctx.strokeStyle = c.early;
    ctx.fillStyle = c.card;
    ctx.beginPath();
    ctx.arc(view.x(x[0]), view.y(y[0]), 4, 0, 7);
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = c.late;
    ctx.beginPath();
    ctx.arc(view.x(x[n - 1]), view.y(y[n - 1]), 4.5, 0, 7);
    ctx.fill();
  }

  // Where the state is at the time under the cursor of the other plots.
  #mark(view, ctx) {
    const { time } = this.rows;
    if (this.at === null || this.at === undefined || !time.length) return;
    const i = Math.min(lowerBound(time, this.at), time.length - 1);
    const x = this.column(this.a)[i];
    const y = this.column(this.b)[i];
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    const c = colors();
    ctx.fillStyle = c.card;
    ctx.strokeStyle = c.ink;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.arc(view.x(x), view.y(y), 5, 0, 7);
    ctx.fill();
    ctx.stroke();
    ctx.font = c.font;
    ctx.fillStyle = c.ink;
    ctx.textAlign = 'right';
    ctx.fillText(`t = ${num(time[i], 6)}`, view.width - view.margins.right - 6, view.margins.top + 12);
  }
}

function spread(values) {
  const e = extent(values);
  return e ? e[1] - e[0] : 0;
}
