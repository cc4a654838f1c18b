// Reports that the program wrote.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { launch, open } from './browser.mjs';
import { relayAt } from './fixtures.mjs';

const { BRINK_PROGRAM: program, BRINK_MODELS: models } = process.env;
const room = mkdtempSync(join(tmpdir(), 'brink-report-'));
let browser;

before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  rmSync(room, { recursive: true, force: true });
});

// Runs a model; gives its summary and the page.
function reported(title, model, options, body) {
  test(title, { skip: program ? false : 'no program' }, async () => {
    const file = join(room, `${title.replace(/\W+/g, '-')}.html`);
    const out = execFileSync(program, ['run', join(models, model, 'model.hsml'), '--json', '--report', file, ...options],
      { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: join(room, 'cache') }, maxBuffer: 1 << 28 });
    const tab = await open(browser, file);
    try {
      await body(tab.page, JSON.parse(out));
      assert.deepEqual(tab.problems, []);
      assert.deepEqual(tab.requests, []);
    } finally {
      await tab.close();
    }
  });
}

const close = (a, b, eps) => assert.ok(Math.abs(a - b) <= eps, `${a} is not ${b}`);

// The last row of every column is what the summary calls final.
async function agrees(page, summary) {
  const last = await page.evaluate(() => window.brink.columns.map((c, i) => {
    const v = window.brink.values[i];
    return [c.name, c.labels ? c.labels[v[v.length - 1]] : c.type === 'boolean' ? Boolean(v[v.length - 1]) : v[v.length - 1]];
  }));
  assert.ok(last.length > 0);
  for (const [name, value] of last) assert.equal(value, summary.final[name], name);
  const events = await page.evaluate(() => window.brink.data.events.map((e) => [e.t, e.flag, e.direction]));
  assert.deepEqual(events, summary.events.map((e) => [e.t, e.flag, e.direction]));
}

reported('the relay follows its parabolas', 'relay', [], async (page, summary) => {
  await agrees(page, summary);
  const got = await page.evaluate(() => window.brink.panels().map((p) => p.data.map((d) => [...d])));
  const [time, x1] = got[0];
  assert.ok(time.length > 100);
  time.forEach((t, i) => close(x1[i], relayAt(t).x1, 1e-9));
  for (let i = 1; i < time.length; i++) assert.ok(time[i] >= time[i - 1]);
  const a = await page.evaluate(() => window.brink.approach());
  assert.equal(a.flag, 'plant.phi');
  close(a.t, Math.SQRT1_2, 1e-9);
  assert.match(await page.locator('.line.hit').first().textContent(), /phi/);
});

reported('the corridor is approached from one side', 'corridor', ['--method', 'adams'], async (page, summary) => {
  await agrees(page, summary);
  const hit = await page.evaluate(() => window.brink.data.events.findIndex((e) => e.flag.endsWith('hit')));
  await page.locator(`.events tr[data-row="${hit}"]`).click();
  const a = await page.evaluate(() => { const p = window.brink.approach(); return { event: p.event, verdict: p.verdict, g: [...p.along.g], dt: [...p.along.dt] }; });
  assert.equal(a.event, hit);
  assert.match(a.verdict, /end on the side the guard came from/);
  a.dt.forEach((dt, i) => { if (dt < 0) assert.ok(a.g[i] < 0, `g(${dt}) = ${a.g[i]}`); });
  const lanes = await page.evaluate(() => window.brink.lanes());
  assert.deepEqual(lanes[0].runs.map((r) => lanes[0].labels[r.value]), ['straight', 'left']);
  const phase = await page.evaluate(() => { const { view, ...p } = window.brink.phase(); return p; });
  assert.equal(phase.equal, true);
  const steps = await page.evaluate(() => window.brink.steps()[0].data[1].length - 1);
  assert.equal(steps, summary.stats.steps);
});

reported('the bumper cars keep to their box', 'bumper-cars', [], async (page, summary) => {
  await agrees(page, summary);
  const f = await page.evaluate(() => { window.brink.seek(50); const { view, ...rest } = window.brink.frame(); return rest; });
  assert.equal(f.places[0].length, 20);
  for (const [x, y] of f.places[0]) assert.ok(x > 0.09 && x < 9.91 && y > 0.09 && y < 9.91, `${x} ${y}`);
  assert.equal(f.end, 100);
  const last = await page.evaluate(() => { window.brink.seek(100); return window.brink.frame().places[0]; });
  last.forEach(([x, y], k) => {
    close(x, summary.final[`car[${k + 1}].x`], 1e-5);
    close(y, summary.final[`car[${k + 1}].y`], 1e-5);
  });
});

reported('a run of ten million steps opens quickly', 'van-der-pol', ['--method', 'adams', '--until', '240000'], async (page, summary) => {
  assert.ok(summary.stats.steps > 1e7, `${summary.stats.steps} steps`);
  let took = await page.evaluate(() => window.brink.opened);
  for (let tries = 0; tries < 3 && took > 1500; tries++) { // other tests may be using the machine
    await page.reload();
    await page.waitForFunction(() => window.brink?.ready);
    took = Math.min(took, await page.evaluate(() => window.brink.opened));
  }
  console.log(`# ${summary.stats.steps} steps are open after ${took.toFixed(0)} ms`);
  assert.ok(took < 2000, `${took} ms`);
  const { thinned, rows, largest } = await page.evaluate(() => ({ thinned: window.brink.data.thinned, rows: window.brink.time.length,
    largest: window.brink.values[0].reduce((a, b) => Math.max(a, b), -Infinity) }));
  assert.ok(thinned && rows < 20000);
  close(largest, 2.0086, 1e-3); // the amplitude of the limit cycle is not thinned away
});

// What a shell makes of a command without double quotes.
const wordsOf = (line) => line.match(/(?:[^\s']+|'[^']*')+/g).map((w) => w.replaceAll("'", ''));

test('the page of a sweep has its table, and the command of a run repeats it', { skip: program ? false : 'no program' }, async () => {
  const env = { ...process.env, XDG_CACHE_HOME: join(room, 'cache') };
  const [file, table] = ['sweep.html', 'sweep.csv'].map((name) => join(room, name));
  execFileSync(program, ['sweep', join(models, 'tanks-that-join', 'model.hsml'), '--vary', 'tanks.A1=0.5:3:7', '--vary', 'tanks.k=log:0.05:2:5',
    '--vary', 'tanks.H=0.6,0.8', '--measure', 'final(tanks.h1)', '--measure', 'max(tanks.h2)', '--measure', 'tanks.levels', '--out', table, '--report', file,
    '--keep', join(room, 'kept'), '--keep-reports', '--quiet'], { env });
  const [names, ...rows] = readFileSync(table, 'utf8').trim().split('\n').map((line) => line.match(/("[^"]*"|[^,]*)(,|$)/g).map((f) => f.replace(/,$/, '').replaceAll('"', '')));
  const tab = await open(browser, file);
  try {
    const got = await tab.page.evaluate(() => window.brink.table.columns.map((c) => ({ name: c.name, labels: c.labels, values: [...c.values] })));
    for (const { name, labels, values } of got) {
      const column = names.indexOf(name);
      values.forEach((v, r) => assert.equal(labels ? labels[v] ?? '' : Number.isNaN(v) ? '' : v, labels || rows[r][column] === '' ? rows[r][column] : Number(rows[r][column]), `${name} of run ${r}`));
    }
    assert.equal(got[0].values.length, 70);
    for (const row of [0, 17, 33, 69]) { // the last one fails
      await tab.page.evaluate((r) => window.brink.open(r), row);
      const line = await tab.page.textContent('#run .command');
      const summary = JSON.parse(spawnSync(program, [...wordsOf(line).slice(1), '--json'], { encoding: 'utf8', env }).stdout);
      assert.equal(summary.status, rows[row][names.indexOf('status')]);
      assert.equal(summary.final['tanks.h1'], got.find((c) => c.name === 'final(tanks.h1)').values[row]);
      const link = await tab.page.locator('#run a').first().evaluate((a) => a.href);
      const own = await open(browser, decodeURIComponent(new URL(link).pathname));
      assert.equal(await own.page.evaluate(() => window.brink.data.summary.final['tanks.h1']), summary.final['tanks.h1']);
      assert.deepEqual(own.problems, []);
      await own.close();
    }
    assert.deepEqual(tab.problems, []);
    assert.deepEqual(tab.requests, []);
  } finally {
    await tab.close();
  }
});
