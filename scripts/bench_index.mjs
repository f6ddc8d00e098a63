// How long the page of 100,000 models takes: to write, to open, to search, to sort.
//
//   scripts/browser bench        prepares the browser and runs this
//
// CALIPERS, CHROMIUM and FOLDER are set by scripts/browser.

import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';

import { dataset, scanned } from '../tests/browser/registry.mjs';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const [COUNT, ROUNDS] = [100_000, 9];
const folder = join(FOLDER, 'bench');
mkdirSync(folder, { recursive: true });

const { page: file } = dataset(join(folder, 'registry'), scanned(join(folder, 'registry-scan')), COUNT);
let began = performance.now();
execFileSync(CALIPERS, ['index', join(folder, 'registry')], { stdio: 'ignore' });
const written = performance.now() - began;

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
began = performance.now();
await page.goto(`file://${file}`);
await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60_000 });
console.log(`page of ${COUNT.toLocaleString('en-US')} models: ${(statSync(file).size / 1e6).toFixed(1)} MB, written in ${written.toFixed(0)} ms, opened in ${(performance.now() - began).toFixed(0)} ms`);

// From the event until the new rows are laid out: milliseconds, middle and worst of the rounds.
const timed = async (name, act, argument) => {
  const times = await page.evaluate(async ([act, argument, rounds]) => {
    const field = document.getElementById('search');
    const acts = {
      search: () => { field.value = argument; field.dispatchEvent(new Event('input')); },
      sort: () => document.querySelectorAll('#models thead button')[argument].click(),
    };
    const all = [];
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      acts[act]();
      void document.body.offsetHeight;
      all.push(performance.now() - start);
      await new Promise((done) => requestAnimationFrame(done));
    }
    return all.sort((a, b) => a - b);
  }, [act, argument, ROUNDS]);
  console.log(`${name.padEnd(24)} ${times[ROUNDS >> 1].toFixed(1).padStart(6)} ms, worst ${times[ROUNDS - 1].toFixed(1)} ms`);
};
for (const words of ['r', 'resnet', 'bert mit', 'no such model']) await timed(`search "${words}"`, 'search', words);
await timed('search ""', 'search', '');
await timed('sort by name', 'sort', 0);
await timed('sort by parameters', 'sort', 4);
await browser.close();
