// Tests of a bundled page with reports in it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { launch, open } from './browser.mjs';
import { fill } from './fixtures.mjs';

export const settle = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done())); }));

// In one browser: shows(title, report, options, body).
export function stage(bundled) {
  const template = readFileSync(bundled, 'utf8');
  const room = mkdtempSync(join(tmpdir(), 'brink-page-'));
  let browser;
  before(async () => { browser = await launch(); });
  after(async () => {
    await browser?.close();
    rmSync(room, { recursive: true, force: true });
  });
  // Opens a report, runs the test, and holds the page to silence: no complaint, no request.
  return (title, report, options, body) => test(title, async () => {
    const file = join(room, `${title.replace(/\W+/g, '-')}.html`);
    writeFileSync(file, report === 'template' ? template : fill(template, report()));
    const tab = await open(browser, file, options);
    try {
      await body(tab.page, tab);
      await settle(tab.page);
      assert.deepEqual(tab.problems, [], 'messages on the console');
      assert.deepEqual(tab.requests, [], 'requests to the network');
    } finally {
      await tab.close();
    }
  });
}
