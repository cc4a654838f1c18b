// Arrays of the report: base64 of deflated, byte-shuffled, little-endian numbers.

const TYPES = { f8: Float64Array, f4: Float32Array, i4: Int32Array };

function bytesOf(base64) {
  if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function unshuffle(bytes, width) {
  const count = bytes.length / width;
  const out = new Uint8Array(bytes.length);
  for (let b = 0; b < width; b++) {
    const base = b * count;
    for (let i = 0, o = b; i < count; i++, o += width) out[o] = bytes[base + i];
  }
  return out;
}

export async function decodeArray(array) {
  const Type = TYPES[array?.type] ?? Float64Array;
  if (!array || !array.count) return new Type(0);
  const bytes = await inflate(bytesOf(array.data));
  if (bytes.length !== array.count * Type.BYTES_PER_ELEMENT) {
    throw new Error(`an array holds ${bytes.length} bytes instead of ${array.count * Type.BYTES_PER_ELEMENT}`);
  }
  return new Type(unshuffle(bytes, Type.BYTES_PER_ELEMENT).buffer);
}

// An event says where its flag is: "model.hsml:13". Lines of imported files are not lines of the text.
function lineOf(event, file) {
  const m = /^(.*?):(\d+)(?::\d+)?$/.exec(event.where ?? '');
  if (!m) return event.line ?? null;
  const base = (path) => path.split('/').pop();
  return !file || base(m[1]) === base(file) ? Number(m[2]) : null;
}

// The report with its arrays decoded; what is missing becomes empty, so that the page need not ask.
export async function decodeReport(raw) {
  const [time, values, t, h, order] = await Promise.all([
    decodeArray(raw.time),
    Promise.all((raw.values ?? []).map(decodeArray)),
    decodeArray(raw.steps?.t), decodeArray(raw.steps?.h), decodeArray(raw.steps?.order),
  ]);
  const together = raw.together && {
    time: await decodeArray(raw.together.time), values: await Promise.all(raw.together.values.map(decodeArray)) };
  const approaches = await Promise.all((raw.approaches ?? []).map(async (a) => {
    const [dt, g, sdt, sg] = await Promise.all([
      decodeArray(a.along?.dt), decodeArray(a.along?.g), decodeArray(a.steps?.dt), decodeArray(a.steps?.g)]);
    const flag = a.flag ?? raw.events?.[a.event]?.flag ?? 'event';
    const text = raw.events?.[a.event]?.text ?? null;
    return { ...a, flag, text, along: { dt, g }, steps: { dt: sdt, g: sg } };
  }));
  const populations = await Promise.all((raw.populations ?? []).map(async (p) => {
    const [pt, x, y, heading, radius] = await Promise.all([
      decodeArray(p.t), decodeArray(p.x), p.y ? decodeArray(p.y) : null,
      p.heading ? decodeArray(p.heading) : null, p.radius ? decodeArray(p.radius) : null]);
    // Agents on a line have no y.
    return { ...p, t: pt, x, y: y ?? new Float32Array(x.length), heading, radius, meetings: p.meetings ?? [] };
  }));
  return {
    ...raw,
    summary: raw.summary ?? {},
    columns: raw.columns ?? [],
    events: (raw.events ?? []).map((e) => ({ ...e, line: lineOf(e, raw.source?.file) })),
    slides: raw.slides ?? [],
    misses: raw.misses ?? [],
    parameters: raw.parameters ?? [],
    provenance: raw.provenance ?? [],
    time, values, together: together ?? null, steps: { ...raw.steps, t, h, order }, approaches, populations,
  };
}
