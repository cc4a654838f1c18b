// Bundles src/ into two HTML files: node build.mjs OUT.html
//
// OUT.html is the page of one run, OUT-sweep.html that of many.
//
// The script and the style sheet are named by their hashes in the page's content security policy, so
// nothing else can run in it, whatever a model's text contains.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

const MARKER = '<script id="brink-data" type="application/json">null</script>';

async function bundle(entry, extra) {
  const result = await build({
    entryPoints: [resolve(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    legalComments: 'none',
    target: ['chrome100', 'firefox113', 'safari16.4'], // the first with DecompressionStream('deflate')
    logLevel: 'warning',
    ...extra,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PAGES = [
  { end: '', script: 'main.js', style: 'report.css', licences: ['uPlot'] },
  { end: '-sweep', script: 'sweep/main.js', style: 'sweep/sweep.css', licences: [] },
];

// What others wrote is named with their licence.
function notices(names) {
  return names.map((name) => `<!-- This page contains ${name}.\n\n${
    readFileSync(resolve(here, `../docs/licences/${name}.txt`), 'utf8')}-->\n`).join('');
}

async function page(parts) {
  const script = await bundle(parts.script, { format: 'iife' });
  const style = await bundle(parts.style, { loader: { '.css': 'css' } });
  if (/<\/(script|style)/i.test(script + style)) throw new Error('the bundle closes its own element');
  const values = {
    licences: notices(parts.licences),
    style,
    script,
    policy:
      `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
      `img-src data: blob:; base-uri 'none'; form-action 'none'`,
  };
  const template = readFileSync(resolve(here, 'src/index.html'), 'utf8');
  const html = template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  if (html.split(MARKER).length !== 2) throw new Error('the data marker must be there exactly once');
  return html;
}

const out = resolve(process.argv[2] ?? 'page.html');
mkdirSync(dirname(out), { recursive: true });
for (const parts of PAGES) {
  const file = parts.end ? `${out.replace(/\.html$/, '')}${parts.end}.html` : out;
  writeFileSync(`${file}.new`, await page(parts));
  renameSync(`${file}.new`, file);
}
