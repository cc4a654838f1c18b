// Populations in motion: play, scrub, speed; meetings flash and are marked along the time.

import { button, el, icon, ICONS, section, select } from './dom.js';
import { colors, fade, onTheme } from './theme.js';
import { count, extent, lowerBound, num } from './format.js';
import { View } from './canvas.js';

const DISCS = 2500; // agents in sight drawn one by one; more are set pixel by pixel
const TRAIL = 40; // frames at least

function channels(hex) {
  const v = parseInt(hex.slice(1), 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

// 1, 2 or 5 times a power of ten, next to v.
function round125(v) {
  const p = 10 ** Math.floor(Math.log10(v));
  return [1, 2, 5, 10].map((m) => m * p).reduce((a, b) => (Math.abs(Math.log(b / v)) < Math.abs(Math.log(a / v)) ? b : a));
}

export class Agents {
  constructor(report, timeline) {
    this.list = report.populations.filter((p) => p.count > 0 && p.frames > 0 && p.t.length > 0);
    this.available = this.list.length > 0;
    if (!this.available) return;
    this.timeline = timeline;
    this.start = Math.min(...this.list.map((p) => p.t[0]));
    this.end = Math.max(...this.list.map((p) => p.t[p.t.length - 1]));
    this.time = this.start;
    this.playing = false;
    this.trails = false;
    const total = this.list.reduce((n, p) => n + p.count, 0);
    this.tail = total <= 10 ? 0.25 : 0.04; // share of the whole that a trail shows
    this.meetings = this.list.flatMap((p) => p.meetings.map((m) => ({ ...m, population: p }))).sort((a, b) => a.t - b.t);
    this.meetingTimes = Float64Array.from(this.meetings, (m) => m.t);
    const span = Math.max(this.end - this.start, 1e-300);
    this.natural = this.end > this.start ? round125(span / 20) : 1; // the whole in about 20 seconds
    this.speed = this.natural;
    this.#size();
    const box = this.#bounds(true);
    this.wide = (box[1] - box[0]) > 1.5 * (box[3] - box[2]);
    this.view = new View({ label: 'agents in motion', equal: true,
      height: (width) => this.height(width),
      margins: { left: 40, right: 12, top: 12, bottom: 26 },
      draw: (view, ctx) => this.draw(view, ctx) });
    this.#home();
    this.#build();
  }

  // Where nothing says how large an agent is, a size that can be seen and does not cover the others.
  #size() {
    const box = this.#bounds(false);
    const side = Math.max(box[1] - box[0], box[3] - box[2]) || 1;
    for (const p of this.list) p.fallback = Math.min(side * 0.012, (side * 0.3) / Math.sqrt(p.count));
  }

  height(width) {
    return Math.round(Math.min(Math.max(width * (this.wide ? 0.5 : 0.86), 260), 600, Math.max(innerHeight * 0.8, 300)));
  }

  #bounds(sized) {
    let x = null;
    let y = null;
    let r = 0;
    for (const p of this.list) {
      x = extent(p.x, x) ?? x;
      y = extent(p.y, y) ?? y;
      if (sized) r = Math.max(r, p.radius ? extent(p.radius)?.[1] ?? 0 : p.fallback);
    }
    x = x ?? [0, 1];
    y = y ?? [0, 1];
    return [x[0] - r, x[1] + r, y[0] - r, y[1] + r];
  }

  #home() {
    const [x0, x1, y0, y1] = this.#bounds(true);
    const m = Math.max(x1 - x0, y1 - y0) * 0.02 || 1;
    this.view.setHome(x0 - m, x1 + m, y0 - m, y1 + m);
  }

  #build() {
    const total = this.list.reduce((n, p) => n + p.count, 0);
    const { node, head } = section('agents', 'Agents');
    head.append(el('span', { class: 'readout', text: this.list.map((p) => `${count(p.count)}${p.total > p.count ? ` of ${count(p.total)}` : ''} ${p.name}`).join(', ') }),
      el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'view' },
        button('Zoom out', ICONS.minus, () => this.view.zoom(1 / 1.4)),
        button('Zoom in', ICONS.plus, () => this.view.zoom(1.4)),
        button('All', ICONS.fit, () => this.view.fit())));
    this.playButton = button('Play (space)', ICONS.play, () => this.toggle(), { class: 'tool play' });
    this.slider = el('input', { type: 'range', min: '0', max: '10000', step: '1', value: '0', 'aria-label': 'time',
      oninput: () => this.seek(this.start + (Number(this.slider.value) / 10000) * (this.end - this.start)) });
    this.strip = el('canvas', { class: 'strip', 'aria-hidden': 'true' });
    this.clock = el('output', { class: 'clock', 'aria-live': 'off' });
    const speeds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].map((m) => this.natural * m);
    this.speedSelect = select('speed', speeds.map((v) => [String(v), `${num(v, 3)}×`]), String(this.natural),
      (value) => { this.speed = Number(value); });
    const box = el('input', { type: 'checkbox', onchange: () => { this.trails = box.checked; this.view.redraw(); } });
    this.scrubber = el('div', { class: 'scrub' }, this.strip, this.slider);
    node.append(this.view.node, el('div', { class: 'player' }, this.playButton, this.scrubber, this.clock,
      el('label', { class: 'field', title: 'simulated seconds in a second' }, 'Speed ', this.speedSelect),
      total <= 1000 ? el('label', { class: 'field' }, box, ' Trails') : null,
      this.meetings.length ? el('span', { class: 'meet' },
        button('Previous meeting', ICONS.left, () => this.meeting(-1)), this.#meetings(),
        button('Next meeting', ICONS.right, () => this.meeting(1))) : null));
    this.node = node;
    node.addEventListener('keydown', (event) => {
      if (event.key !== ' ' || event.target.closest('button, select, input[type=checkbox]')) return;
      event.preventDefault();
      event.stopPropagation();
      this.toggle();
    });
    onTheme(() => this.#strip());
    new ResizeObserver(() => this.#strip()).observe(this.scrubber);
    this.#tell();
  }

  #meetings() {
    const total = this.list.reduce((n, p) => n + (p.meetings_total ?? p.meetings.length), 0);
    const shown = this.meetings.length;
    return total > shown ? `${count(shown)} of ${count(total)} meetings` : shown === 1 ? '1 meeting' : `${count(shown)} meetings`;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.time >= this.end) this.seek(this.start);
    this.playing = true;
    this.playButton.replaceChildren(icon(ICONS.pause));
    this.playButton.setAttribute('aria-label', 'Pause (space)');
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const dt = Math.min(Math.max(now - before, 0), 200) / 1000;
      before = now;
      this.seek(this.time + dt * this.speed);
      if (this.time >= this.end) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.playing = false;
    this.playButton.replaceChildren(icon(ICONS.play));
    this.playButton.setAttribute('aria-label', 'Play (space)');
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
    this.#tell();
    this.timeline.play(this.time);
    this.view.redraw();
  }

  meeting(step) {
    const eps = (this.end - this.start) * 1e-9;
    const i = step > 0 ? lowerBound(this.meetingTimes, this.time + eps) : lowerBound(this.meetingTimes, this.time - eps) - 1;
    if (this.meetings[i]) this.seek(this.meetings[i].t);
  }

  #tell() {
    const span = this.end - this.start;
    this.slider.value = String(span > 0 ? Math.round(((this.time - this.start) / span) * 10000) : 0);
    const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(span || 1) - 1)));
    this.clock.textContent = `t = ${this.time.toFixed(digits)}`;
    this.slider.setAttribute('aria-valuetext', this.clock.textContent);
  }

  // Meetings along the slider: the more in a place, the stronger.
  #strip() {
    const width = this.scrubber.clientWidth;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    this.strip.width = Math.round(width * ratio);
    this.strip.height = Math.round(8 * ratio);
    const ctx = this.strip.getContext('2d');
    const c = colors();
    const bins = new Float64Array(Math.ceil((width - 16) / 2) + 1);
    const span = this.end - this.start || 1;
    for (const m of this.meetings) bins[Math.round(((m.t - this.start) / span) * (bins.length - 1))]++;
    const most = Math.max(...bins, 1);
    for (let i = 0; i < bins.length; i++) {
      if (!bins[i]) continue;
      ctx.fillStyle = fade(c.event, 0.35 + 0.65 * (bins[i] / most));
      ctx.fillRect((8 + i * 2) * ratio, 0, 1.5 * ratio, 8 * ratio);
    }
  }

  // Two frames and the share between them. At equal times the later frame counts.
  between(p, t = this.time) {
    const n = p.t.length;
    let j = lowerBound(p.t, t);
    while (j + 1 < n && p.t[j + 1] === t) j++;
    if (j >= n) return { i: n - 1, j: n - 1, share: 0 };
    if (j === 0 || p.t[j] === t) return { i: j, j, share: 0 };
    return { i: j - 1, j, share: (t - p.t[j - 1]) / (p.t[j] - p.t[j - 1]) };
  }

  place(p, k, { i, j, share }) {
    const a = i * p.count + k;
    const b = j * p.count + k;
    return [p.x[a] + (p.x[b] - p.x[a]) * share, p.y[a] + (p.y[b] - p.y[a]) * share];
  }

  draw(view, ctx) {
    const c = colors();
    if (view.margins.left > 20) view.axes(ctx, []);
    ctx.save();
    view.clip(ctx);
    const many = this.list.reduce((n, p) => n + p.count, 0) > DISCS;
    if (this.trails && !many) this.list.forEach((p, k) => this.#trail(view, ctx, p, c.series[k % c.series.length]));
    if (many) this.#pixels(view, ctx, c);
    else this.list.forEach((p, k) => this.#discs(view, ctx, p, c.series[k % c.series.length], c));
    this.#flashes(view, ctx, c);
    ctx.restore();
  }

  #discs(view, ctx, p, color, c) {
    const at = this.between(p);
    ctx.lineWidth = 1.2;
    for (let k = 0; k < p.count; k++) {
      const [x, y] = this.place(p, k, at);
      const r = Math.max((p.radius ? p.radius[k] : p.fallback) * view.sx, 1.5);
      const px = view.x(x);
      const py = view.y(y);
      if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
      ctx.fillStyle = fade(color, r > 5 ? 0.32 : 0.85);
      ctx.strokeStyle = color;
      ctx.beginPath();
      ctx.arc(px, py, r, 0, 7);
      ctx.fill();
      if (r > 2.5) ctx.stroke();
      if (p.heading && r > 2.5) this.#tick(ctx, p, k, at, px, py, r, c.ink);
    }
  }

  #tick(ctx, p, k, { i, j, share }, px, py, r, color) {
    const a = p.heading[i * p.count + k];
    const b = p.heading[j * p.count + k];
    // A large difference is a jump or a turn of the clock: no sense in going through what is between.
    const angle = Math.abs(b - a) < 1 ? a + (b - a) * share : share < 0.5 ? a : b;
    ctx.strokeStyle = color;
    ctx.beginPath();
    ctx.moveTo(px, py);
    ctx.lineTo(px + Math.cos(angle) * r * 1.5, py - Math.sin(angle) * r * 1.5);
    ctx.stroke();
  }

  // A crowd: each agent a small square of an image. Faster than any path.
  #pixels(view, ctx, c) {
    const w = view.canvas.width;
    const h = view.canvas.height;
    if (!this.image || this.image.width !== w || this.image.height !== h) this.image = new ImageData(w, h);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    const ratio = view.ratio;
    const { left, top, width, height } = view.inner;
    const [x0, x1] = [Math.round(left * ratio), Math.round((left + width) * ratio)];
    const [y0, y1] = [Math.round(top * ratio), Math.round((top + height) * ratio)];
    this.list.forEach((p, k) => {
      const [r, g, b] = channels(c.series[k % c.series.length]);
      const ink = (230 << 24) | (b << 16) | (g << 8) | r;
      const at = this.between(p);
      const ai = at.i * p.count;
      const aj = at.j * p.count;
      for (let n = 0; n < p.count; n++) {
        const x = p.x[ai + n] + (p.x[aj + n] - p.x[ai + n]) * at.share;
        const y = p.y[ai + n] + (p.y[aj + n] - p.y[ai + n]) * at.share;
        const size = Math.max((p.radius ? p.radius[n] : p.fallback) * view.sx * ratio, 0.5);
        const u0 = Math.max(Math.round(view.x(x) * ratio - size), x0);
        const v0 = Math.max(Math.round(view.y(y) * ratio - size), y0);
        const u1 = Math.min(Math.max(Math.round(view.x(x) * ratio + size), u0 + 1), x1);
        const v1 = Math.min(Math.max(Math.round(view.y(y) * ratio + size), v0 + 1), y1);
        const round = size > 2 ? size * size : Infinity;
        const cu = view.x(x) * ratio;
        const cv = view.y(y) * ratio;
        for (let v = v0; v < v1; v++) {
          for (let u = u0; u < u1; u++) {
            if (round < Infinity && (u + 0.5 - cu) ** 2 + (v + 0.5 - cv) ** 2 > round) continue;
            pixels[v * w + u] = ink;
          }
        }
      }
    });
    // putImageData replaces what is there; by way of a canvas it is laid over the axes.
    if (!this.sheet) this.sheet = document.createElement('canvas');
    this.sheet.width = w;
    this.sheet.height = h;
    this.sheet.getContext('2d').putImageData(this.image, 0, 0);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(this.sheet, 0, 0);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  #trail(view, ctx, p, color) {
    const at = this.between(p);
    const from = Math.max(at.i - Math.max(TRAIL, Math.round(p.frames * this.tail)), 0);
    ctx.lineWidth = 1.2;
    const pieces = 4; // each fainter than the next
    for (let q = 0; q < pieces; q++) {
      const a = from + Math.floor(((at.i - from) * q) / pieces);
      const b = from + Math.floor(((at.i - from) * (q + 1)) / pieces);
      ctx.strokeStyle = fade(color, 0.12 + (0.4 * (q + 1)) / pieces);
      ctx.beginPath();
      for (let k = 0; k < p.count; k++) {
        for (let f = a; f <= b; f++) {
          const n = f * p.count + k;
          if (f === a) ctx.moveTo(view.x(p.x[n]), view.y(p.y[n]));
          else ctx.lineTo(view.x(p.x[n]), view.y(p.y[n]));
        }
        if (q === pieces - 1) {
          const [x, y] = this.place(p, k, at);
          ctx.lineTo(view.x(x), view.y(y));
        }
      }
      ctx.stroke();
    }
  }

  // A ring that opens for half a second of the show after a meeting.
  #flashes(view, ctx, c) {
    const last = this.speed * 0.5;
    const from = lowerBound(this.meetingTimes, this.time - last);
    this.flashing = 0;
    for (let i = from; i < this.meetings.length && this.meetingTimes[i] <= this.time + last * 1e-6; i++) {
      const m = this.meetings[i];
      const age = Math.max((this.time - m.t) / last, 0);
      const r = (m.population.radius?.[m.a] ?? m.population.fallback) * view.sx;
      ctx.strokeStyle = fade(c.event, 1 - age);
      ctx.lineWidth = 2.5 - 1.5 * age;
      ctx.beginPath();
      ctx.arc(view.x(m.x), view.y(m.y), Math.max(r, 3) * (0.8 + 1.6 * age), 0, 7);
      ctx.stroke();
      this.flashing++;
    }
  }
}
