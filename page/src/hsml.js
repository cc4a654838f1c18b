// Just enough of HSML's lexis to colour it.

const words = (text) => new Set(text.split(/\s+/));

const KEYWORDS = words(`and or not if then elsif else end is partial ctc dtc lbc composite system extends interface body
  declarations initial dynamics constraints output update rules event assignments components connections agents
  simulation when do for in loop import function bundle let population pair reach connect negative-going
  positive-going on-event`);
const DECLARATIONS = words('input knob view state parameter variable held flag timer queue mode sample priority');
const TYPES = words('signal real integer boolean string unilateral bilateral crossing silent');
const FUNCTIONS = words(`sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt abs sign min max floor
  ceil mod hypot dot norm sum pre sgn uniform normal exponential poisson choice noevent table delay stop fail note`);
const CONSTANTS = words('true false inf pi time');

const TOKEN = /(%.*)|("[^"]*"?)|((?:negative-going|positive-going|on-event)\b)|([A-Za-z_][A-Za-z0-9_]*)|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(\s+|.)/g;

function kindOf(word, rest) {
  const low = word.toLowerCase();
  const called = /^\s*\(/.test(rest);
  if (KEYWORDS.has(low)) return 'keyword';
  if (low === 'guess' && /^\s+[A-Za-z_]/.test(rest)) return 'keyword';
  if (DECLARATIONS.has(low) && (called || /^\s*;/.test(rest))) return 'declare';
  if (TYPES.has(word)) return 'type';
  if (FUNCTIONS.has(word) && called) return 'function';
  if (CONSTANTS.has(word)) return 'constant';
  return null;
}

// [[kind or null, text], …] of one line; no token of HSML goes over the end of a line.
export function tokens(line) {
  const out = [];
  for (const m of line.matchAll(TOKEN)) {
    let kind = null;
    if (m[1]) kind = 'comment';
    else if (m[2]) kind = 'string';
    else if (m[3]) kind = 'keyword';
    else if (m[4]) kind = kindOf(m[4], line.slice(m.index + m[4].length));
    else if (m[5]) kind = 'number';
    const last = out[out.length - 1];
    if (last && last[0] === kind) last[1] += m[0];
    else out.push([kind, m[0]]);
  }
  return out;
}
