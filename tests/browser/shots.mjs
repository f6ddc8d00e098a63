// Charts of the page for the documentation, light and dark: `scripts/browser shots` leaves them in
// target/browser/shots. To be looked at before they are kept.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { largeModel } from './large.mjs';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const folder = join(FOLDER, 'shots');
mkdirSync(folder, { recursive: true });
const large = join(folder, 'large.onnx');
writeFileSync(large, largeModel(100_000));

const top = async (page, id) => page.evaluate((part) => {
  document.documentElement.style.scrollBehavior = 'auto';
  document.getElementById(part).scrollIntoView();
}, id);

// A model, what is done before the chart is taken, and how the chart is called.
const cases = [
  ['overview', join(fixtures, 'zoo/resnet50.onnx'), async () => {}],
  ['node', join(fixtures, 'zoo/swin_t.onnx'), async (page) => {
    await page.fill('#find', 'features.3.1/attn/matmul');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    await page.keyboard.press('-');
    await top(page, 'graph');
  }],
  ['blocks', join(fixtures, 'zoo/e5-small-v2.onnx'), async (page) => {
    await page.selectOption('#color', 'block');
    await page.click('#more');
    await top(page, 'graph');
  }],
  ['hardware', join(fixtures, 'zoo/llama_tiny_gqa_kv_op17.onnx'), async (page) => top(page, 'hardware')],
  ['large', large, async (page) => top(page, 'graph')],
];

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
for (const [name, path, act] of cases) {
  const file = join(folder, `${name}.html`);
  execFileSync(CALIPERS, ['report', path, '-o', file]);
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 1120, height: 800 }, colorScheme });
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60_000 });
    await act(page);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    await page.close();
  }
  const narrow = await browser.newPage({ viewport: { width: 360, height: 740 } });
  await narrow.goto(`file://${file}`);
  await narrow.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 60_000 });
  await act(narrow);
  await narrow.waitForTimeout(300);
  await narrow.screenshot({ path: join(folder, `${name}-narrow.png`) });
  await narrow.close();
}
await browser.close();
