// The range of time that all plots over time share.

export class Timeline {
  constructor(start, end) {
    this.start = start;
    this.end = end > start ? end : start + 1;
    this.min = this.start;
    this.max = this.end;
    this.listeners = new Set();
    this.watchers = new Set();
    this.players = new Set();
    this.now = null; // where an animation stands
  }

  on(fn) {
    this.listeners.add(fn);
  }

  // Told of the time under the cursor, or null.
  onCursor(fn) {
    this.watchers.add(fn);
  }

  // Told where an animation stands.
  onPlay(fn) {
    this.players.add(fn);
    return () => this.players.delete(fn);
  }

  play(t) {
    this.now = t;
    for (const fn of this.players) fn();
  }

  point(t) {
    for (const fn of this.watchers) fn(t);
  }

  set(min, max) {
    if (!Number.isFinite(min) || !Number.isFinite(max)) return;
    const least = Math.max((this.end - this.start) * 1e-12, Math.max(Math.abs(min), Math.abs(max)) * 1e-14);
    if (max - min < least) {
      const mid = (min + max) / 2;
      min = mid - least / 2;
      max = mid + least / 2;
    }
    const span = Math.min(max - min, this.end - this.start);
    this.min = Math.min(Math.max(min, this.start), this.end - span);
    this.max = span === this.end - this.start ? this.end : this.min + span;
    for (const fn of this.listeners) fn();
  }

  zoom(factor, at = (this.min + this.max) / 2) {
    this.set(at - (at - this.min) / factor, at + (this.max - at) / factor);
  }

  pan(share) {
    const d = (this.max - this.min) * share;
    this.set(this.min + d, this.max + d);
  }

  reset() {
    this.set(this.start, this.end);
  }

  // Around an instant, near enough to see it, far enough to know where it is.
  show(t) {
    const span = Math.min(this.max - this.min, (this.end - this.start) / 12);
    this.set(t - span / 2, t + span / 2);
  }

  get whole() {
    return this.min === this.start && this.max === this.end;
  }

  // True where the key meant something.
  key(name) {
    switch (name) {
      case 'ArrowLeft': this.pan(-0.15); return true;
      case 'ArrowRight': this.pan(0.15); return true;
      case '+': case '=': this.zoom(1.5); return true;
      case '-': case '_': this.zoom(1 / 1.5); return true;
      case '0': this.reset(); return true;
      default: return false;
    }
  }
}

// Mouse wheel, panning and fingers on a plot over time; uPlot itself draws boxes with the mouse.
export function gestures(over, timeline, scale, mode) {
  const rect = () => over.getBoundingClientRect();
  const timeAt = (clientX) => scale(clientX - rect().left);

  // A plain wheel scrolls the page, unless the plots have the focus.
  over.addEventListener('wheel', (event) => {
    if (!(event.ctrlKey || event.metaKey || over.closest('.plots')?.contains(document.activeElement))) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.pan(event.deltaX / rect().width);
    else timeline.zoom(Math.exp(-event.deltaY * 0.0015), timeAt(event.clientX));
  }, { passive: false });

  over.addEventListener('mousedown', (event) => {
    if (!(event.button === 1 || (event.button === 0 && (event.shiftKey || mode() === 'pan')))) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // no box
    const from = { x: event.clientX, min: timeline.min, max: timeline.max };
    const move = (e) => {
      const d = ((from.x - e.clientX) / rect().width) * (from.max - from.min);
      timeline.set(from.min + d, from.max + d);
    };
    const up = () => {
      removeEventListener('mousemove', move);
      removeEventListener('mouseup', up);
      over.classList.remove('panning');
    };
    over.classList.add('panning');
    addEventListener('mousemove', move);
    addEventListener('mouseup', up);
  }, { capture: true });

  const fingers = new Map();
  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, event.clientX);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, event.clientX);
    const after = [...fingers.values()];
    if (before.length === 1) {
      timeline.pan((before[0] - after[0]) / rect().width);
    } else {
      const gap = (v) => Math.max(10, Math.abs(v[0] - v[1]));
      timeline.zoom(gap(after) / gap(before), timeAt((after[0] + after[1]) / 2));
    }
  });
  const lift = (event) => fingers.delete(event.pointerId);
  over.addEventListener('pointerup', lift);
  over.addEventListener('pointercancel', lift);
}
