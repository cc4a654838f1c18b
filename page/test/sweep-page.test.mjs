// The page of a sweep in a browser, with runs whose values are known in closed form.
import assert from 'node:assert/strict';
import { settle, stage } from './stage.mjs';
import * as sweeps from './sweeps.mjs';

const shows = stage(process.env.BRINK_SWEEP_HTML);

const AREA = 0;
const K = 1;
const TOP = 8;

const passed = (page) => page.evaluate(() => window.brink.table.passed);
const runs = (page) => page.evaluate(() => { const r = window.brink.runs(); return { ...r, rows: [...r.rows] }; });
const opened = (page) => page.evaluate(() => window.brink.table.opened);

// Is there a pixel of the colour within two pixels of the place (in data)?
const painted = (page, which, points) => page.evaluate(([name, list]) => {
  const { view } = window.brink[name]();
  const ctx = view.canvas.getContext('2d');
  return list.map(([x, y]) => {
    const at = [view.x(x), view.y(y)].map((v) => Math.round(v * view.ratio));
    return [...ctx.getImageData(at[0], at[1], 1, 1).data];
  });
}, [which, points]);

// Where a value of the scatter plot is on the screen.
async function spot(page, which, x, y) {
  const [px, py] = await page.evaluate(([name, a, b]) => { const { view } = window.brink[name](); return [view.x(a), view.y(b)]; }, [which, x, y]);
  const box = await page.locator(`#${which} .view`).boundingBox();
  return [box.x + px, box.y + py];
}

shows('a template by itself says what it is', 'template', {}, async (page) => {
  assert.match(await page.textContent('main'), /brink sweep MODEL\.hsml --vary .* --report/);
});

shows('every section is there, and the head counts all runs', sweeps.tank, {}, async (page) => {
  for (const id of ['scatter', 'heat', 'parallel', 'times', 'indices', 'runs', 'source', 'provenance']) {
    assert.equal(await page.locator(`#${id} h2`).count(), 1, id);
  }
  const head = await page.textContent('.tiles');
  assert.match(head, /Runs300294 finished/);
  assert.match(head, /Failed62 %/);
  assert.match(await page.title(), /Tank: 300 runs/);
});

shows('a point is painted where its values are, and only there', sweeps.tank, {}, async (page) => {
  await page.evaluate(([x, y]) => window.brink.setScatter(x, y), [AREA, TOP]);
  await settle(page);
  const at = (i, j) => { const area = 1 + (9 * i) / 19; return [area, area * 0.1 * 100 ** (j / 14)]; };
  const [on, off] = [[at(10, 14), at(5, 14), at(15, 12)], [[3, 70], [1.2, 50]]];
  for (const [, , , alpha] of await painted(page, 'scatter', on)) assert.ok(alpha > 200);
  for (const [, , , alpha] of await painted(page, 'scatter', off)) assert.equal(alpha, 0);
});

shows('a click on a point opens its run, with the command that repeats it', sweeps.tank, {}, async (page) => {
  await page.evaluate(([x, y]) => window.brink.setScatter(x, y), [AREA, TOP]);
  await settle(page);
  const row = 10 * 15 + 14;
  const area = 1 + 90 / 19;
  await page.mouse.click(...await spot(page, 'scatter', area, area * 10));
  assert.equal(await opened(page), row);
  const card = await page.textContent('#run');
  assert.match(card, new RegExp(`Run ${row}finished`));
  assert.ok(card.includes(`brink run models/tank/model.hsml --set area=${area} --set k=10 --set phase=low`), card);
  assert.equal(await page.locator('#run a').first().getAttribute('href'), `./kept%20runs/run-${row}.html`);
  assert.equal((await runs(page)).picked, row);
  await page.keyboard.press(']');
  assert.equal(await opened(page), row + 1);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#run').isVisible(), false);
});

shows('the command can be copied', sweeps.tank, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  await page.evaluate(() => window.brink.open(3));
  await page.locator('#run').getByRole('button', { name: 'Copy' }).click();
  await page.waitForFunction(() => document.querySelector('#run .readout').textContent === 'Copied.');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.evaluate(() => window.brink.command(3)));
});

shows('a drag on an axis filters all views', sweeps.tank, {}, async (page) => {
  const axis = page.locator('.axis').first();
  await axis.scrollIntoViewIfNeeded();
  const box = await axis.boundingBox();
  const y = (share) => box.y + 34 + (1 - share) * (box.height - 68);
  await page.mouse.move(box.x + 14, y(0.25));
  await page.mouse.down();
  await page.mouse.move(box.x + 14, y(0.5), { steps: 4 });
  await page.mouse.move(box.x + 14, y(0.75), { steps: 4 });
  await page.mouse.up();
  await settle(page);
  const [low, high] = await page.evaluate(() => window.brink.table.brushes.get(0));
  assert.ok(Math.abs(low - 3.25) < 0.2 && Math.abs(high - 7.75) < 0.2, `${low} … ${high}`);
  const areas = Array.from({ length: 20 }, (_, i) => 1 + (9 * i) / 19).filter((a) => a >= low && a <= high);
  const want = areas.length * 15;
  assert.equal(await passed(page), want);
  assert.equal((await runs(page)).rows.length, want);
  const cells = await page.evaluate(() => window.brink.heat().cells.runs.reduce((a, b) => a + b, 0));
  assert.equal(cells, want);
  const [h] = await page.evaluate(() => window.brink.times().map((t) => ({ all: [...t.all], passed: [...t.passed] })));
  assert.ok(h.passed.reduce((a, b) => a + b) < h.all.reduce((a, b) => a + b));
  assert.match(await page.textContent('.bar output'), new RegExp(`${want} of 300 runs`));
  const outside = areas[0] - 9 / 19;
  await page.evaluate(([x, top]) => window.brink.setScatter(x, top), [AREA, TOP]);
  await settle(page);
  const [[r, g, b]] = await painted(page, 'scatter', [[outside, outside * 10]]);
  assert.ok(Math.abs(r - g) < 12 && Math.abs(g - b) < 12, 'a run that is filtered out is grey');
  await page.mouse.click(box.x + 14, y(0.1));
  await settle(page);
  assert.equal(await passed(page), 300);
});

shows('a brush can be made, moved and removed by keys', sweeps.tank, {}, async (page) => {
  const axis = page.locator('.axis').first();
  await axis.focus();
  await page.keyboard.press('Enter');
  const before = await page.evaluate(() => [...window.brink.table.brushes.get(0)]);
  await page.keyboard.press('ArrowUp');
  const after = await page.evaluate(() => [...window.brink.table.brushes.get(0)]);
  assert.ok(after[0] > before[0] && after[1] > before[1]);
  await page.keyboard.press('Shift+ArrowDown');
  const narrower = await page.evaluate(() => [...window.brink.table.brushes.get(0)]);
  assert.ok(Math.abs(narrower[0] - after[0]) < 1e-9 && narrower[1] < after[1]);
  assert.match(await axis.getAttribute('aria-valuetext'), / to /);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement === document.querySelectorAll('.axis')[1]), true);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Delete');
  assert.equal(await passed(page), 300);
});

shows('the table sorts, and opens runs by keys', sweeps.tank, {}, async (page) => {
  await page.getByRole('button', { name: 'max(h) (m)' }).click();
  await page.getByRole('button', { name: 'max(h) (m)' }).click();
  const { rows } = await runs(page);
  const value = (r) => { const [i, j] = [Math.floor(r / 15), r % 15]; return i > 16 && j > 12 ? NaN : (1 + (9 * i) / 19) * 0.1 * 100 ** (j / 14); };
  rows.slice(1).forEach((r, k) => assert.ok(!(value(r) > value(rows[k]) + 1e-9)));
  assert.ok(rows.slice(-6).every((r) => Number.isNaN(value(r))), 'what failed comes last');
  await page.locator('#runs tr[data-row="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await opened(page), rows[1]);
});

shows('failed runs are shown with their reason', sweeps.tank, {}, async (page) => {
  await page.getByLabel('Only runs that failed').check();
  assert.equal(await passed(page), 6);
  const text = await page.locator('#runs tr[data-row="0"]').textContent();
  assert.match(text, /failedrangeh is .*: it must be at most 80/);
  await page.locator('#runs tr[data-row="0"]').click();
  assert.match(await page.textContent('#run .banner'), /^range: h is /);
  await page.locator('.bar').getByRole('button', { name: 'Clear the filter' }).click();
  assert.equal(await passed(page), 300);
  assert.equal(await page.getByLabel('Only runs that failed').isChecked(), false);
});

shows('cells of the heat map hold the outcome, and open their run', sweeps.tank, {}, async (page) => {
  assert.match(await page.textContent('#heat'), /Every cell is one run\./);
  const [low, high] = await painted(page, 'heat', [[1.02, -0.98], [10, 0.05]]);
  assert.notDeepEqual(low, high);
  await page.mouse.click(...await spot(page, 'heat', 1, -1));
  assert.equal(await opened(page), 0);
  await page.locator('#heat .view').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.equal(await opened(page), 15);
});

shows('samples are shown as means of bins, and a cell of several runs filters', () => sweeps.large(5000), {}, async (page) => {
  assert.match(await page.textContent('#heat'), /Means of the runs in 25 × 25 bins: the runs are samples, not a grid\./);
  const cells = await page.evaluate(() => { const { mean, runs: n, nx } = window.brink.heat().cells; return { mean: [...mean], n: [...n], nx }; });
  assert.equal(cells.n.reduce((a, b) => a + b), 5000);
  await page.mouse.click(...await spot(page, 'heat', 0.5, 0.5));
  const k = 12 * 25 + 12;
  assert.equal(await passed(page), cells.n[k]);
});

shows('the columns of the plots can be chosen', sweeps.tank, {}, async (page) => {
  await page.getByLabel('horizontal axis').selectOption({ label: 'k' });
  await page.getByLabel('vertical axis').selectOption({ label: 'first(empty)' });
  await page.getByLabel('colour', { exact: true }).selectOption({ label: 'status' });
  const s = await page.evaluate(() => { const { view, ...rest } = window.brink.scatter(); return rest; });
  assert.deepEqual(s, { x: K, y: 7, colour: 3 });
  assert.match(await page.textContent('#scatter .hint'), /statusfinishedfailed/);
  await page.getByLabel('colour of a cell').selectOption({ label: 'count(empty)' });
  assert.equal(await page.evaluate(() => window.brink.heat().z), 6);
});

shows('indices have bars and intervals of their size', sweeps.tank, {}, async (page) => {
  const widths = await page.locator('#indices .bars').evaluateAll((list) => list.map((b) => {
    const of = (s) => b.querySelector(s)?.getBoundingClientRect();
    const track = b.getBoundingClientRect().width;
    return [of('.index').width / track, of('.interval') ? of('.interval').width / track : null];
  }));
  const span = 1.03; // from -0.03 to 1
  const near = (a, b) => assert.ok(Math.abs(a - b) < 0.01, `${a} is not ${b}`);
  near(widths[0][0], 0.31 / span);
  near(widths[0][1], 0.12 / span);
  near(widths[3][0], 0.69 / span);
  assert.equal(widths[5][1], null);
  await page.locator('#indices select').selectOption({ label: 'first(empty)' });
  assert.match(await page.textContent('#indices .hint'), /first\(empty\).*1\u2009000 samples/);
});

shows('a hundred thousand runs stay usable, and the page says that they are a selection', sweeps.large, {}, async (page) => {
  assert.match(await page.textContent('#top'), /holds 100\u2009000 of 1\u2009000\u2009000 runs, evenly chosen/);
  assert.match(await page.textContent('#parallel'), /20\u2009000 of 100\u2009000 lines, evenly chosen/);
  await page.waitForFunction(() => window.brink.parallel().drawn === 20000);
  await page.evaluate(() => window.brink.brush(0, [0.25, 0.5]));
  const got = await passed(page);
  assert.ok(Math.abs(got - 25000) < 50, `${got}`);
  const r = await page.evaluate(() => ({ rows: window.brink.runs().rows.length, drawn: window.brink.runs().drawn }));
  assert.equal(r.rows, got);
  assert.ok(r.drawn < 100, 'only rows in sight exist');
  assert.match(await page.evaluate(() => window.brink.open(7) ?? document.querySelector('#run h2').textContent), /Run 70/);
});

shows('foreign text stays text', sweeps.hostile, {}, async (page) => {
  await page.evaluate(() => window.brink.open(0));
  await settle(page);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('img').count(), 0);
  for (const href of await page.locator('#run a').evaluateAll((list) => list.map((a) => a.href))) assert.match(href, /^file:/);
  assert.match(await page.textContent('h1'), /<script>/);
});

for (const [name, report] of [['one run', sweeps.one], ['no run', sweeps.none]]) {
  shows(`a sweep of ${name} has a page`, report, {}, async (page) => {
    assert.equal(await page.locator('#runs').count(), 1);
    assert.equal(await page.locator('#heat').count(), 0);
  });
}

shows('light and dark follow the system, and the button', sweeps.tank, { colorScheme: 'dark' }, async (page) => {
  assert.equal(await page.evaluate(() => window.brink.theme()), 'dark');
  const [dark] = await painted(page, 'heat', [[1, -1]]);
  await page.getByRole('button', { name: 'Light colours' }).click();
  await settle(page);
  const [light] = await painted(page, 'heat', [[1, -1]]);
  assert.notDeepEqual(dark, light);
});

shows('a phone shows all of it, without sideways scrolling', sweeps.tank, { viewport: { width: 390, height: 844 } }, async (page) => {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.equal(await page.locator('.axis').count(), 5);
});
