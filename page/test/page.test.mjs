// The page in a browser, with reports whose values are known in closed form.
import assert from 'node:assert/strict';
import { settle, stage } from './stage.mjs';
import * as fixtures from './fixtures.mjs';

const shows = stage(process.env.BRINK_PAGE_HTML);

const range = (page) => page.evaluate(() => window.brink.range());
const frame = (page) => page.evaluate(() => { const { view, ...rest } = window.brink.frame(); return rest; });
const close = (a, b, eps = 1e-9) => assert.ok(Math.abs(a - b) <= eps * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

// Ranges of all plots over time: they are one range.
async function ranges(page) {
  await settle(page);
  return page.evaluate(() => [...window.brink.panels(), ...window.brink.steps()].map((p) => [...p.x]));
}

async function oneRange(page) {
  const [min, max] = await range(page);
  for (const r of await ranges(page)) assert.deepEqual(r, [min, max]);
  return [min, max];
}

shows('a template by itself says what it is', 'template', {}, async (page) => {
  assert.match(await page.textContent('main'), /brink run MODEL\.hsml --report/);
});

shows('the plots hold the values of the run, to the last bit', fixtures.relay, {}, async (page) => {
  const got = await page.evaluate(() => ({ time: [...window.brink.time], panels: window.brink.panels().map((p) => ({ name: p.name, data: p.data.map((d) => [...d]) })) }));
  assert.deepEqual(got.panels.map((p) => p.name), ['plant.x1', 'plant.x2', 'plant.energy']);
  assert.equal(got.time.length, 401 + 14);
  got.time.forEach((t, i) => {
    const want = fixtures.relayAt(t);
    close(got.panels[0].data[1][i], want.x1, 1e-12);
    close(Math.abs(got.panels[1].data[1][i]), Math.abs(want.x2), 1e-12);
    assert.equal(got.panels[2].data[1][i], 0.25);
    assert.equal(got.panels[0].data[0][i], t);
  });
});

// Is there a pixel of the colour within two pixels of the place (in data)?
const painted = (page, panel, points) => page.evaluate(([index, list]) => {
  const { plot } = window.brink.panels()[index];
  const ctx = plot.ctx;
  const want = plot.series[1].stroke(plot, 1);
  const rgb = [1, 3, 5].map((i) => parseInt(want.slice(i, i + 2), 16));
  return list.map(([t, v]) => {
    const x = Math.round(plot.valToPos(t, 'x', true));
    const y = Math.round(plot.valToPos(v, 'y', true));
    const px = ctx.getImageData(x - 2, y - 2, 5, 5).data;
    for (let i = 0; i < px.length; i += 4) if (px[i + 3] > 120 && rgb.every((c, k) => Math.abs(px[i + k] - c) < 60)) return true;
    return false;
  });
}, [panel, points]);

for (const ratio of [1, 2]) {
  shows(`the curve is painted where the values are (${ratio} device pixels)`, fixtures.relay, { deviceScaleFactor: ratio }, async (page) => {
    await settle(page);
    const at = [0.3, 1.1, 1.9, 2.7, 3.3, 5.2, 7.1, 9.9];
    assert.deepEqual(await painted(page, 0, at.map((t) => [t, fixtures.relayAt(t).x1])), at.map(() => true));
    assert.deepEqual(await painted(page, 0, at.map((t) => [t, -fixtures.relayAt(t).x1 * 0.4])), at.map(() => false));
  });
}

shows('dragging, double-click, wheel and shift move all plots together', fixtures.relay, {}, async (page) => {
  const box = await page.locator('.u-over').first().boundingBox();
  const x = (share) => box.x + box.width * share;
  const y = box.y + box.height / 2;
  assert.deepEqual(await oneRange(page), [0, 10]);
  await page.mouse.move(x(0.2), y);
  await page.mouse.down();
  await page.mouse.move(x(0.35), y, { steps: 3 });
  await page.mouse.move(x(0.5), y, { steps: 3 });
  await page.mouse.up();
  let [a, b] = await oneRange(page);
  close(a, 2, 0.02);
  close(b, 5, 0.02);
  await page.keyboard.down('Shift');
  await page.mouse.move(x(0.5), y);
  await page.mouse.down();
  await page.mouse.move(x(0.25), y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  [a, b] = await oneRange(page);
  close(a, 2.75, 0.03);
  close(b - a, 3, 0.02);
  await page.mouse.dblclick(x(0.5), y);
  assert.deepEqual(await oneRange(page), [0, 10]);
  await page.locator('.plots').focus();
  await page.mouse.move(x(0.5), y);
  await page.mouse.wheel(0, -500);
  await page.waitForFunction(() => window.brink.range()[0] > 0);
  [a, b] = await oneRange(page);
  assert.ok(a > 0 && b < 10);
  close((a + b) / 2, 5, 0.02);
});

shows('a plain wheel scrolls the page', fixtures.relay, {}, async (page) => {
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => scrollY > 100);
  assert.deepEqual(await range(page), [0, 10]);
});

shows('keys and buttons move the range of time', fixtures.relay, {}, async (page) => {
  await page.keyboard.press('+');
  let [a, b] = await oneRange(page);
  close(b - a, 10 / 1.5);
  await page.keyboard.press('ArrowRight');
  close((await range(page))[0], a + (b - a) * 0.15);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('-');
  [a, b] = await oneRange(page);
  close(b - a, 10);
  await page.getByRole('button', { name: 'Zoom in (+)' }).click();
  await page.keyboard.press('0');
  assert.deepEqual(await oneRange(page), [0, 10]);
  await page.getByRole('button', { name: 'Dragging zooms; press to pan' }).click();
  await page.evaluate(() => window.brink.setRange(4, 6));
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.move(box.x + 100, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 100 + box.width / 4, box.y + 40, { steps: 3 });
  await page.mouse.up();
  close((await oneRange(page))[0], 3.5, 0.02);
});

shows('an event can be looked at from as near as doubles allow', fixtures.relay, {}, async (page) => {
  await page.evaluate(() => window.brink.setRange(Math.SQRT1_2 - 1e-14, Math.SQRT1_2 + 1e-14));
  const [a, b] = await oneRange(page);
  assert.ok(b > a && b - a < 1e-10);
});

shows('the value under the cursor is told, and a mark tells its event', fixtures.relay, {}, async (page) => {
  const box = await page.locator('.u-over').first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 70);
  await settle(page);
  const value = await page.locator('.panel .value.live').first().textContent();
  close(Number(value), fixtures.relayAt(5).x1, 1e-6);
  await page.mouse.move(box.x + (box.width * 3.5355) / 10, box.y + 70);
  await settle(page);
  const tip = await page.locator('.tip:visible').textContent();
  assert.match(tip, /plant\.phi/);
  assert.match(tip, /3\.5355339/);
});

shows('changes of structure have a lane and bands', fixtures.string, {}, async (page) => {
  const lanes = await page.evaluate(() => window.brink.lanes());
  assert.deepEqual(lanes.map((l) => l.name), ['constraints']);
  assert.deepEqual(lanes[0].labels, ['index 1, 4 of 4 free', 'index 3, 2 of 4 free']);
  assert.deepEqual(lanes[0].runs.map((r) => [r.from, r.to, r.value]), [[0, 0.4, 0], [0.4, 0.7, 1], [0.7, 1, 0]]);
  assert.equal(await page.evaluate(() => window.brink.bands()), 'constraints');
  assert.equal(await page.locator('figure.panel', { hasText: 'constraints' }).locator('.value').textContent(), 'index 1, 4 of 4 free');
});

shows('modes have lanes and bands', fixtures.relay, {}, async (page) => {
  const lanes = await page.evaluate(() => window.brink.lanes());
  assert.deepEqual(lanes.map((l) => l.name), ['plant.side']);
  assert.equal(lanes[0].runs.length, 8);
  lanes[0].runs.slice(1).forEach((r, i) => close(r.from, (2 * i + 1) * Math.SQRT1_2));
  assert.equal(await page.evaluate(() => window.brink.bands()), 'plant.side');
  const color = () => page.evaluate(() => {
    const { plot } = window.brink.panels()[2];
    const at = (t) => [...plot.ctx.getImageData(Math.round(plot.valToPos(t, 'x', true)), plot.bbox.top + 20, 1, 1).data].join();
    return [at(0.33), at(1.33)];
  });
  let [right, left] = await color();
  assert.notEqual(right, left);
  await page.getByLabel('bands by mode').selectOption('');
  [right, left] = await color();
  assert.equal(right, left);
});

shows('variables can be searched and chosen', fixtures.large, {}, async (page) => {
  assert.equal((await page.evaluate(() => window.brink.panels().length)), 6);
  await page.getByText('Variables: 6 of 60').click();
  await page.getByLabel('search variables').fill('q42');
  await page.getByRole('checkbox', { name: 'part.q42' }).check();
  await page.getByLabel('search variables').fill('q0');
  await page.getByRole('checkbox', { name: 'part.q0' }).uncheck();
  assert.deepEqual(await page.evaluate(() => window.brink.panels().map((p) => p.name).sort()), ['part.q1', 'part.q2', 'part.q3', 'part.q4', 'part.q42', 'part.q5']);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.picker[open]').count(), 0);
});

shows('a click on an event shows it everywhere', fixtures.relay, {}, async (page) => {
  await page.locator('.events tr[data-row="2"]').click();
  const t = 5 * Math.SQRT1_2;
  const [a, b] = await oneRange(page);
  assert.ok(a < t && t < b && b - a < 1);
  assert.equal((await page.evaluate(() => window.brink.approach())).index, 2);
  assert.equal(await page.locator('.events tr[aria-selected="true"]').getAttribute('data-row'), '2');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal((await page.evaluate(() => window.brink.events())).picked, 3);
  await page.getByRole('button', { name: 'Next event' }).click();
  assert.equal((await page.evaluate(() => window.brink.approach())).index, 4);
});

shows('the approach says on which side the steps ended', fixtures.relay, {}, async (page) => {
  const a = await page.evaluate(() => { const p = window.brink.approach(); return { verdict: p.verdict, dt: [...p.steps.dt], g: [...p.steps.g] }; });
  assert.match(a.verdict, /^All 7 accepted steps before the event end on the side the guard came from/);
  a.dt.forEach((dt, i) => close(a.g[i], -0.7 * dt));
});

shows('2000 events are sorted, searched and filtered, and few rows exist', fixtures.large, {}, async (page) => {
  const rows = async () => page.evaluate(() => window.brink.events());
  let e = await rows();
  assert.equal(e.rows.length, 2000);
  assert.ok(e.drawn < 60, `${e.drawn} rows`);
  await page.getByRole('button', { name: 'Time', exact: true }).click();
  await page.getByRole('button', { name: 'Time', exact: true }).click();
  assert.equal((await rows()).rows[0], 1999);
  await page.getByLabel('search events').fill('part.f2');
  assert.equal((await rows()).rows.length, 666);
  await page.getByLabel('search events').fill('');
  await page.locator('.events').evaluate((box) => { box.scrollTop = box.scrollHeight; });
  await page.waitForFunction(() => document.querySelector('.events tr[data-row="1999"]'));
  await page.getByRole('button', { name: '667 events at line 1: show in the table' }).click();
  assert.equal((await rows()).rows.length, 667);
  await page.getByRole('button', { name: 'show all lines, not only line 1' }).click();
  assert.equal((await rows()).rows.length, 2000);
});

shows('thousands of marks do not paint over the plot', fixtures.large, {}, async (page) => {
  await settle(page);
  const share = await page.evaluate(() => {
    const { plot } = window.brink.panels()[0];
    const { left, top, width, height } = plot.bbox;
    const px = plot.ctx.getImageData(left, top + 12, width, height - 12).data;
    let n = 0;
    for (let i = 0; i < px.length; i += 4) if (px[i] > 150 && px[i + 2] < 120 && px[i + 3] > 40) n++;
    return n / (px.length / 4);
  });
  assert.ok(share < 0.02, `${share} of the plot has the colour of events`);
});

shows('the phase plot shows the chosen pair', fixtures.relay, {}, async (page) => {
  const look = (points) => page.evaluate((list) => {
    const { view } = window.brink.phase();
    const ctx = view.canvas.getContext('2d');
    return list.map(([x, y]) => {
      const px = ctx.getImageData(Math.round(view.x(x) * view.ratio) - 2, Math.round(view.y(y) * view.ratio) - 2, 5, 5).data;
      let strong = 0;
      for (let i = 0; i < px.length; i += 4) if (px[i + 3] > 200 && px[i] + px[i + 1] + px[i + 2] < 600) strong++;
      return strong > 2;
    });
  }, points);
  await page.locator('#phase').scrollIntoViewIfNeeded();
  await settle(page);
  const at = [0.2, 1.3, 2.9, 4.0].map((t) => { const r = fixtures.relayAt(t); return [r.x1, r.x2]; });
  assert.deepEqual(await look(at), at.map(() => true));
  assert.deepEqual(await look([[0.05, 0.05], [-0.1, 0.2]]), [false, false]);
  const before = (await page.evaluate(() => { const { view, ...p } = window.brink.phase(); return p; }));
  assert.deepEqual([before.a, before.b], [0, 1]);
  await page.getByLabel('Equal scales').check();
  await settle(page);
  const unit = await page.evaluate(() => { const { view } = window.brink.phase(); return [view.sx, view.sy]; });
  close(unit[0], unit[1]);
  await page.locator('#phase .view').focus();
  await page.keyboard.press('+');
  await settle(page);
  assert.ok((await page.evaluate(() => window.brink.phase().view.sx)) > unit[0] * 1.3);
  await page.keyboard.press('0');
  await page.getByLabel('horizontal axis').selectOption('-1');
  await settle(page);
  const after = await page.evaluate(() => { const { view, ...p } = window.brink.phase(); return p; });
  assert.equal(after.a, -1);
  close(after.range[1], 10.6, 1e-6);
});

shows('the phase plot of a thinned run shows values that belong together', () => {
  const time = Array.from({ length: 400 }, (_, i) => i);
  const turn = (f) => time.map((t) => f(t * 0.7));
  const report = fixtures.large(100, 2, 0);
  return { ...report, together: { time: fixtures.pack(time), values: [fixtures.pack(turn(Math.cos)), fixtures.pack(turn(Math.sin))] } };
}, {}, async (page) => {
  await page.locator('#phase').scrollIntoViewIfNeeded();
  await settle(page);
  const [on, off] = await page.evaluate(() => {
    const { view } = window.brink.phase();
    const ctx = view.canvas.getContext('2d');
    const ink = (x, y) => ctx.getImageData(Math.round(view.x(x) * view.ratio), Math.round(view.y(y) * view.ratio), 1, 1).data[3];
    return [ink(Math.cos(70), Math.sin(70)), ink(0.31, 0.17)];
  });
  assert.ok(on > 200 && off < 200, `${on} ${off}`);
});

shows('step sizes and orders are those of the run', fixtures.relay, {}, async (page) => {
  const [h, order] = await page.evaluate(() => window.brink.steps().map((p) => p.data.map((d) => [...d])));
  assert.equal(h[0].length, order[0].length);
  for (let k = 1; k < 40; k++) {
    close(h[1][k], 0.02 + 0.1 * Math.abs(Math.sin((k - 1) / 3)), 1e-12);
    assert.equal(order[1][k], 1 + ((k - 1) % 5));
  }
  close(h[0][0], 0);
});

shows('colours follow the system and the button', fixtures.relay, { colorScheme: 'dark' }, async (page) => {
  assert.equal(await page.evaluate(() => window.brink.theme()), 'dark');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.locator('#theme').click();
  assert.equal(await page.evaluate(() => window.brink.theme()), 'light');
  assert.notEqual(await ground(), dark);
  await page.reload();
  await page.waitForFunction(() => window.brink?.ready);
  assert.equal(await page.evaluate(() => window.brink.theme()), 'light');
});

shows('text is readable in both colours', fixtures.relay, {}, async (page) => {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((t) => window.brink.setTheme(t), theme);
    const ratios = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const v = parseInt(style.getPropertyValue(name).trim().slice(1), 16);
        const [r, g, b] = [(v >> 16) & 255, (v >> 8) & 255, v & 255].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
      return [...['--ink', '--muted', '--accent', '--s1', '--s3', '--s4', '--s5', '--event'].map((n) => [n, ratio(n, '--card'), 4.5]),
        ['--s2', ratio('--s2', '--card'), 4.2], ['--muted on the page', ratio('--muted', '--page'), 4.5],
        ...['ok', 'bad', 'warn', 'info'].map((n) => [n, ratio(`--${n}`, `--${n}-soft`), 4.5]), ['--s6', ratio('--s6', '--card'), 3]];
    });
    for (const [name, got, want] of ratios) assert.ok(got >= want, `${theme} ${name}: ${got.toFixed(2)} < ${want}`);
  }
});

shows('agents play, pause, scrub, and are where they should be', fixtures.crowd, {}, async (page) => {
  const start = await frame(page);
  assert.equal(start.playing, false);
  assert.equal(start.t, 0);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.brink.frame().t > 0.5);
  await page.keyboard.press(' ');
  const paused = await frame(page);
  assert.equal(paused.playing, false);
  await page.getByLabel('time', { exact: true }).fill('5000');
  close((await frame(page)).t, 50, 1e-3);
  await page.getByLabel('speed').selectOption({ index: 0 });
  assert.ok((await frame(page)).speed < start.speed);
  await page.evaluate(() => window.brink.seek(33.3));
  await settle(page);
  const f = await frame(page);
  f.places[0].forEach(([x, y], k) => {
    const a = k * 2.399963 + 33.3 * (0.05 + 0.1 * ((k * 7) % 5));
    const r = 0.4 + ((k * 37) % 23) / 23;
    close(x, ((k * 0.618034) % 1) * 8 + 1 + r * Math.cos(a), 0.002);
    close(y, ((k * 0.754877) % 1) * 8 + 1 + r * Math.sin(a), 0.002);
  });
  const inked = await page.evaluate(() => {
    const { view, places } = window.brink.frame();
    const ctx = view.canvas.getContext('2d');
    return places[0].filter(([x, y]) => ctx.getImageData(Math.round((view.x(x) + 2) * view.ratio), Math.round((view.y(y) + 2) * view.ratio), 1, 1).data[3] > 60).length;
  });
  assert.equal(inked, 20);
});

shows('meetings flash at their time', fixtures.crowd, {}, async (page) => {
  await page.evaluate(() => window.brink.seek(1.0));
  await settle(page);
  assert.equal((await frame(page)).flashing, 0);
  await page.getByRole('button', { name: 'Next meeting' }).click();
  await settle(page);
  const f = await frame(page);
  close(f.t, 1.2);
  assert.equal(f.flashing, 1);
  await page.getByLabel('Trails').check();
  await settle(page);
});

shows('a hundred thousand agents are drawn', () => fixtures.crowd(100000, 3), {}, async (page) => {
  const took = await page.evaluate(() => {
    const { view } = window.brink.frame();
    const from = performance.now();
    view.paint();
    const px = view.canvas.getContext('2d').getImageData(0, 0, view.canvas.width, view.canvas.height).data;
    let n = 0;
    for (let i = 3; i < px.length; i += 4) if (px[i] > 200) n++;
    return [n, performance.now() - from];
  });
  assert.ok(took[0] > 50000, `${took[0]} pixels`);
  console.log(`# 100000 agents painted and read back in ${took[1].toFixed(0)} ms`);
});

shows('text is never taken for HTML', fixtures.hostile, {}, async (page) => {
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.match(await page.textContent('.banner.bad'), /The run failed: range\. <img src=x/);
  assert.match(await page.textContent('#conditions'), /∞/);
});

shows('conditions are in order of time, or the worst first, and lead to their time', fixtures.relay, {}, async (page) => {
  const rows = () => page.locator('#conditions table[aria-label="condition of events"] tr.pick').allTextContents();
  let list = await rows();
  assert.equal(list.length, 8);
  assert.match(list[0], /0\.70710678.*plant\.phi.*1\.5.*2.*well-posed/);
  assert.match(list[7], /no event/);
  assert.match(await page.textContent('#conditions .readout'), /6 well-posed, 1 grazing/);
  assert.match(await page.textContent('#conditions'), /closest approach× 784\.592/);
  await page.click('#conditions button:has-text("Worst first")');
  list = await rows();
  assert.match(list[0], /1094\.63.*grazing.*a change of 0\.009 in plant\.x1/);
  await page.locator('#conditions tr.pick').first().click();
  const [min, max] = await range(page);
  assert.ok(max - min < 10 && min < 4.95 && max > 4.94, `${min} … ${max}`);
  const near = await page.locator('#conditions table[aria-label="near misses"] tr.pick').allTextContents();
  assert.deepEqual(near.length, 1);
  assert.match(near[0], /4\.2plant\.near1e-82e-810/);
});

shows('the policy stops scripts that are not the page’s own', fixtures.relay, {}, async (page, tab) => {
  await page.evaluate(() => {
    const s = document.createElement('script');
    s.textContent = 'window.harmed = 1';
    document.body.append(s);
  });
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  tab.problems.length = 0; // that the browser complains is the point
});

for (const [name, make] of [['nothing', fixtures.empty], ['one row', fixtures.oneRow]]) {
  shows(`a report of ${name} opens`, make, {}, async (page) => {
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.textContent('h1'), /Model/);
    assert.equal(await page.locator('#conditions').count(), 0);
  });
}

for (const [name, make] of [['relay', fixtures.relay], ['crowd', fixtures.crowd], ['hostile', fixtures.hostile], ['large', fixtures.large]]) {
  shows(`${name} fits on a phone`, make, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }, async (page) => {
    await settle(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} pixels wide`);
  });
}

shows('every control has a name, and the keyboard reaches it', fixtures.crowd, {}, async (page) => {
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, [tabindex="0"]')].filter((e) => {
    const label = e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim();
    return !label;
  }).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.closest('section')?.id ?? document.activeElement.tagName));
  }
  for (const id of ['agents', 'time', 'phase', 'events']) assert.ok(reached.has(id), `${id} not in ${[...reached]}`);
});

shows('it prints on white', fixtures.relay, { colorScheme: 'dark' }, async (page) => {
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 20000);
  assert.equal(await page.evaluate(() => window.brink.theme()), 'dark');
});

shows('16000 rows of 60 columns open quickly', fixtures.large, {}, async (page) => {
  const size = await page.evaluate(() => document.getElementById('brink-data').textContent.length);
  let best = Infinity;
  for (let tries = 0; tries < 4 && best > 1500; tries++) { // other tests may be using the machine
    await page.reload();
    await page.waitForFunction(() => window.brink?.ready);
    best = Math.min(best, await page.evaluate(() => window.brink.opened));
  }
  console.log(`# ${(size / 1e6).toFixed(1)} MB of data are open after ${best.toFixed(0)} ms`);
  assert.ok(best < 2000, `${best} ms`);
});

for (const [kind, make] of [['time', fixtures.relay], ['agents', fixtures.crowd]]) {
  shows(`#thumb is a picture of ${kind}`, make, { hash: '#thumb', viewport: { width: 480, height: 270 } }, async (page) => {
    assert.equal(await page.evaluate(() => window.brink.thumb.kind), kind);
  });
}
