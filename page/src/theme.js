// Light or dark: as the system says, until the reader chooses.

const KEY = 'brink-theme';
const listeners = new Set();
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = null;
let cache = null;

function read(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// What canvases draw with; the style sheet has the values.
export function colors() {
  if (cache) return cache;
  cache = {};
  for (const name of ['ink', 'muted', 'faint', 'grid', 'card', 'accent', 'event', 'generated', 'miss', 'slide',
    'early', 'late', 'outside']) cache[name] = read(`--${name}`);
  cache.series = [1, 2, 3, 4, 5, 6, 7].map((i) => read(`--s${i}`));
  cache.bands = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => read(`--b${i}`));
  cache.ramp = [1, 2, 3, 4, 5, 6].map((i) => read(`--v${i}`));
  cache.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return cache;
}

export const isDark = () => (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark';

function apply() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  cache = null;
  for (const fn of listeners) fn();
}

export function onTheme(fn) {
  listeners.add(fn);
}

export function setTheme(theme) {
  chosen = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch { /* a page from a file may not be allowed to remember */ }
  apply();
}

export function startTheme() {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === 'light' || kept === 'dark') chosen = kept;
  } catch { /* see above */ }
  system.addEventListener('change', apply);
  // Paper is white.
  let before = null;
  addEventListener('beforeprint', () => {
    before = chosen;
    chosen = 'light';
    apply();
  });
  addEventListener('afterprint', () => {
    chosen = before;
    apply();
  });
  apply();
}

function channels(hex) {
  const v = parseInt(hex.slice(1), 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

// Between two #rrggbb colours.
export function mix(a, b, share) {
  const p = channels(a);
  const q = channels(b);
  return `rgb(${p.map((v, i) => Math.round(v + (q[i] - v) * share)).join(',')})`;
}

// A share from 0 to 1 of the ramp from small to large.
export function rampColor(share) {
  const { ramp } = colors();
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const k = Math.min(Math.floor(at), ramp.length - 2);
  return mix(ramp[k], ramp[k + 1], at - k);
}

export function fade(hex, alpha) {
  return `rgba(${channels(hex).join(',')},${alpha})`;
}

// The colour of series i of n: a few are told apart by hue, many run from early to late.
export function seriesColor(i, n) {
  const c = colors();
  if (n <= c.series.length) return c.series[i];
  return mix(c.early, c.late, n > 1 ? i / (n - 1) : 0);
}
