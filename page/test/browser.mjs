// Debian's chromium, driven without a screen and without a network.
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--no-first-run', '--hide-scrollbars', '--force-color-profile=srgb'];

export function launch() {
  return chromium.launch({ executablePath: process.env.BRINK_CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });
}

// A page on a file; what goes wrong in it is collected.
export async function open(browser, file, options = {}) {
  const { hash = '', ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...rest });
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on('console', (m) => {
    // That a test reads pixels back is no fault of the page.
    if (/^(error|warning)$/.test(m.type()) && !m.text().includes('willReadFrequently')) problems.push(m.text());
  });
  page.on('pageerror', (e) => problems.push(String(e)));
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) requests.push(r.url()); });
  await page.goto(`file://${file}${hash}`);
  await page.waitForFunction(() => window.brink?.ready, null, { timeout: 20000 });
  return { page, problems, requests, close: () => context.close() };
}
