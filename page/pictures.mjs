// Pictures of reports: node pictures.mjs reports|gallery DIRECTORY PROGRAM MODELS
//
//   reports   the page in light, dark and narrow, for docs/images/
//   gallery   one small picture of every model
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, open } from './test/browser.mjs';

const [what, directory, program, models] = process.argv.slice(2);
const room = mkdtempSync(join(tmpdir(), 'brink-pictures-'));

const model = (name) => (name.endsWith('.hsml') ? name : join(models, name, 'model.hsml'));

// Some models end with an exit code that says so: they, too, have a report.
function write(name, options, command = 'run') {
  const file = join(room, 'report.html');
  rmSync(file, { force: true });
  try {
    execFileSync(program, [command, model(name), '--quiet', '--report', file, ...options], { stdio: 'ignore' });
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
  return file;
}

async function shoot(browser, { name, model: of, command, options = [], width = 1200, height = 800, prepare, ...rest }) {
  const { page, problems, close } = await open(browser, write(of, options, command), { viewport: { width, height }, reducedMotion: 'reduce', ...rest });
  if (problems.length) throw new Error(`${name}: ${problems.join('\n')}`);
  await prepare?.(page);
  await page.waitForTimeout(300);
  const path = join(directory, `${name}.png`);
  await page.screenshot({ path });
  await close();
  console.log(`${path} ${Math.round(statSync(path).size / 1024)} kB`);
}

const scroll = (id) => (page) => page.evaluate((to) => scrollTo(0, document.getElementById(to).getBoundingClientRect().top + scrollY - 64), id);

const crowd = fileURLToPath(new URL('crowd.hsml', import.meta.url));

// The water that two tanks hold; with indices, of samples.
const TANKS = ['--limit', '2', '--measure', 'max(tanks.h1)', '--measure', 'max(tanks.h2)', '--out', '-'];
const GRID = ['--vary', 'tanks.A1=0.5:3:16', '--vary', 'tanks.k=log:0.05:2:12', ...TANKS];
const SAMPLES = ['--samples', '512', '--vary', 'tanks.A1=0.5:3', '--vary', 'tanks.k=0.2:1', '--vary', 'tanks.H=0.5:1', '--indices', '/dev/null', ...TANKS];

const REPORTS = [
  { name: 'report-relay-light', model: 'relay', options: ['--method', 'adams'] },
  { name: 'report-relay-dark', model: 'relay', options: ['--method', 'adams'], colorScheme: 'dark', prepare: scroll('phase') },
  { name: 'report-corridor-light', model: 'corridor', options: ['--method', 'adams'] },
  { name: 'report-corridor-approach', model: 'corridor', options: ['--method', 'adams'], height: 620, prepare: async (page) => {
    await page.locator('.events tr[data-row="1"]').click();
    await page.evaluate(() => window.brink.setRange(0, 10));
    await scroll('phase')(page);
  } },
  { name: 'report-corridor-narrow', model: 'corridor', options: ['--method', 'adams'], width: 390, height: 844 },
  { name: 'report-crowd-dark', model: crowd, colorScheme: 'dark', prepare: async (page) => {
    await page.getByLabel('Trails').check();
    await page.evaluate(() => window.brink.seek(window.brink.data.populations[0].meetings.find((m) => m.t > 8 && m.b >= 0).t + 0.1));
  } },
  { name: 'report-sweep-light', command: 'sweep', model: 'tanks-that-join', options: GRID, height: 1120, prepare: async (page) => {
    await page.getByLabel('vertical axis').selectOption({ label: 'first(tanks.full)' });
    await page.evaluate(() => window.brink.brush(1, [-0.6, 0.3]));
  } },
  { name: 'report-sweep-dark', command: 'sweep', model: 'tanks-that-join', options: SAMPLES, height: 900, colorScheme: 'dark', prepare: async (page) => {
    await scroll('times')(page);
    await page.evaluate(() => window.brink.open(100));
  } },
  { name: 'report-cars-light', model: 'bumper-cars', prepare: async (page) => {
    await page.getByLabel('Trails').check();
    await page.evaluate(() => window.brink.seek(33.1));
  } },
  { name: 'report-cars-narrow', model: 'bumper-cars', colorScheme: 'dark', width: 390, height: 844, prepare: async (page) => {
    await page.evaluate(() => window.brink.seek(20));
  } },
];

async function main() {
  mkdirSync(directory, { recursive: true });
  const browser = await launch();
  try {
    if (what === 'reports') {
      for (const shot of REPORTS) await shoot(browser, shot);
    } else {
      for (const name of readdirSync(models).sort()) {
        if (!existsSync(model(name))) continue;
        await shoot(browser, { name, model: name, width: 480, height: 270, hash: '#thumb' });
      }
    }
  } finally {
    await browser.close();
    rmSync(room, { recursive: true, force: true });
  }
}

await main();
