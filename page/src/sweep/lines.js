// Parallel coordinates without a screen: which lines come first, and how keys move a brush.

const STEP = 0.02; // of an axis

// Every so many rows, so that the first lines are of the whole table and not of its beginning: the stride has no
// divisor in common with the number of rows, so each comes once.
export function spreadOrder(rows) {
  const n = rows.length;
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  let stride = Math.max(1, Math.round(n * 0.6180339887));
  while (divisor(stride, n) > 1) stride++;
  return Int32Array.from({ length: n }, (_, k) => rows[(k * stride) % n]);
}

// The brush after a key: arrows move it, with shift they move its upper end; places as shares of the axis.
export function moved([low, high], key, shift) {
  const by = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: 5 * STEP, PageDown: -5 * STEP }[key] ?? 0;
  if (shift) return [low, Math.min(Math.max(high + by, low + STEP), 1)];
  const held = Math.min(Math.max(by, -low), 1 - high);
  return [low + held, high + held];
}
