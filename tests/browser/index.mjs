// The index of many models in a real browser: sorted by pointer and by keyboard, searched, with
// files that cannot be read last, and no name more than text.
//
// Run by scripts/browser, which sets CALIPERS, CHROMIUM and FOLDER.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const fixtures = new URL('../fixtures/', import.meta.url).pathname;

// A folder of models, two of them broken, one with a name that would be markup.
const [models, cards] = [join(FOLDER, 'index-models'), join(FOLDER, 'index-cards')];
for (const folder of [models, cards]) rmSync(folder, { recursive: true, force: true });
mkdirSync(models, { recursive: true });
const HOSTILE = '<img src=x onerror=window.ran=1>.onnx';
copyFileSync(join(fixtures, 'zoo/mlp.onnx'), join(models, 'a2.onnx'));
copyFileSync(join(fixtures, 'zoo/resnet50.onnx'), join(models, 'a10.onnx'));
copyFileSync(join(fixtures, 'zoo/bert_tiny_cls_op17.onnx'), join(models, HOSTILE));
writeFileSync(join(models, 'b-empty.onnx'), '');
writeFileSync(join(models, 'a-page.onnx'), '<!doctype html><html></html>');
try {
  execFileSync(CALIPERS, ['card', models, '-o', cards], { stdio: 'ignore' });
} catch (error) {
  // Some could not be read, and the status says so.
  assert.equal(error.status, 1);
}
const figures = execFileSync(CALIPERS, ['card', models, '--format', 'jsonl'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const known = figures.trim().split('\n').map((line) => JSON.parse(line)).filter((model) => model.error === null);
assert.equal(known.length, 3);

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

async function open(options = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })).newPage();
  page.wrong = [];
  page.on('console', (entry) => ['error', 'warning'].includes(entry.type()) && page.wrong.push(entry.text()));
  page.on('pageerror', (error) => page.wrong.push(error.message));
  page.on('request', (request) => request.url().startsWith('file:') || page.wrong.push(`asked for ${request.url()}`));
  await page.goto(`file://${join(cards, 'index.html')}`);
  return page;
}

async function close(page) {
  assert.deepEqual(page.wrong, []);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await page.context().close();
}

const names = (page) => page.locator('tbody tr:not([hidden]) th').allTextContents();
const press = (page, heading) => page.locator('thead button', { hasText: heading }).click();
const order = (page, heading) =>
  page.locator('thead th', { hasText: heading }).getAttribute('aria-sort');
const bySize = (field) => known.toSorted((a, b) => a[field] - b[field]).map((model) => model.path);
const BROKEN = ['a-page.onnx', 'b-empty.onnx'];

const tests = {
  async 'figures are sorted by size, and files that cannot be read stay last'() {
    const page = await open();
    for (const [heading, field] of [['Parameters', 'parameters'], ['FLOPs', 'flops'], ['Weights', 'weights_bytes']]) {
      await press(page, heading);
      assert.equal(await order(page, heading), 'ascending');
      assert.deepEqual(await names(page), [...bySize(field), ...BROKEN], heading);
      await press(page, heading);
      assert.equal(await order(page, heading), 'descending');
      assert.deepEqual(await names(page), [...bySize(field).reverse(), ...BROKEN], heading);
    }
    assert.equal(await page.locator('[aria-sort]').count(), 1);
    await close(page);
  },

  async 'names are sorted as people count, by keyboard too'() {
    const page = await open();
    await page.getByRole('button', { name: 'Model', exact: true }).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await names(page), [HOSTILE, 'a2.onnx', 'a10.onnx', ...BROKEN]);
    await close(page);
  },

  async 'search shows what holds the words, and sorting keeps it'() {
    const page = await open();
    await page.fill('#search', 'A10');
    assert.deepEqual(await names(page), ['a10.onnx']);
    assert.equal(await page.textContent('#shown'), '1 of 5');
    await press(page, 'FLOPs');
    assert.deepEqual(await names(page), ['a10.onnx']);
    await page.fill('#search', 'no such model');
    assert.deepEqual(await names(page), []);
    await page.fill('#search', '');
    assert.equal((await names(page)).length, 5);
    assert.equal(await page.textContent('#shown'), '');
    await close(page);
  },

  async 'links lead to cards'() {
    const page = await open();
    const links = await page.locator('tbody a').evaluateAll((all) => all.map((link) => link.href));
    assert.equal(links.length, 3);
    for (const link of links) assert.match(readFileSync(new URL(link), 'utf8'), /^# /m);
    await close(page);
  },

  async 'it is readable: accessible, light and dark, every column in sight'() {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open({ colorScheme });
      await press(page, 'FLOPs');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than the window');
      await page.screenshot({ path: join(FOLDER, 'screenshots', `index-${colorScheme}.png`) });
      // Asked for in its own world: the page's policy forbids scripts that are not its own.
      const session = await page.context().newCDPSession(page);
      const { frameTree } = await session.send('Page.getFrameTree');
      const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
      await session.send('Runtime.evaluate', { expression: axe, contextId });
      const { result } = await session.send('Runtime.evaluate', {
        expression: 'axe.run().then((found) => JSON.stringify(found.violations.map((v) => `${v.id}: ${v.nodes[0].html}`)))',
        contextId, awaitPromise: true, returnByValue: true,
      });
      assert.deepEqual(JSON.parse(result.value), []);
      await close(page);
    }
  },
};

mkdirSync(join(FOLDER, 'screenshots'), { recursive: true });
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok    index: ${name}`);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  index: ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
