// The index of many models in a real browser: the one next to cards, and the one of a dataset with a hundred thousand models.
// Sorted by pointer and by keyboard, searched, filtered, with files that cannot be read last, and no name more than text.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { close, model, open, pages, runTests, screenshots, violations } from './harness.mjs';
import { dataset, scanned } from './registry.mjs';

const { CALIPERS } = process.env;

// A folder of models, two of them broken, one with a name that would be markup.
const [models, cards] = [join(pages, 'index-models'), join(pages, 'index-cards')];
for (const folder of [models, cards]) rmSync(folder, { recursive: true, force: true });
mkdirSync(models, { recursive: true });
const HOSTILE = '<img src=x onerror=window.ran=1>.onnx';
copyFileSync(model('zoo/mlp.onnx'), join(models, 'a2.onnx'));
copyFileSync(model('zoo/resnet50.onnx'), join(models, 'a10.onnx'));
copyFileSync(model('zoo/bert_tiny_cls_op17.onnx'), join(models, HOSTILE));
writeFileSync(join(models, 'b-empty.onnx'), '');
writeFileSync(join(models, 'a-page.onnx'), '<!doctype html><html></html>');
try {
  execFileSync(CALIPERS, ['card', models, '-o', cards], { stdio: 'ignore' });
} catch (error) {
  // Some could not be read, and the status says so.
  assert.equal(error.status, 1);
}
const figures = execFileSync(CALIPERS, ['card', models, '--format', 'jsonl'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const known = figures.trim().split('\n').map((line) => JSON.parse(line)).filter((row) => row.error === null);
assert.equal(known.length, 3);
const BROKEN = ['a-page.onnx', 'b-empty.onnx'];

// A dataset of 100,000 models, made of the rows of a scan.
const COUNT = 100_000;
const rows = scanned(join(pages, 'registry-scan'));
const large = dataset(join(pages, 'registry'), rows, COUNT);

const wide = { viewport: { width: 1280, height: 800 } };
const openCards = (options = {}) => open(join(cards, 'index.html'), { ...wide, ...options });
const openLarge = (options = {}) => open(large.page, { ...wide, ...options });
const names = (page) => page.locator('#models tbody th').allTextContents();
const press = (page, heading) => page.locator('#models thead button', { hasText: heading }).click();
const order = (page, heading) => page.locator('#models thead th', { hasText: heading }).getAttribute('aria-sort');
const bySize = (field) => known.toSorted((a, b) => a[field] - b[field]).map((row) => row.path);
const shown = (page) => page.textContent('#shown');
const box = (page, facet, value) =>
  page.locator('fieldset', { has: page.locator('legend', { hasText: new RegExp(`^${facet}$`) }) })
    .locator('label', { has: page.locator(`span[title="${value}"]`) });
const countOf = (where) => large.rows.filter(where).length;
const counted = (number) => number.toLocaleString('en-US');

await runTests({
  async 'figures are sorted by size, and files that cannot be read stay last'() {
    const page = await openCards();
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

  async 'names are sorted as people count, by keyboard too, and are text'() {
    const page = await openCards();
    await page.getByRole('button', { name: 'Model', exact: true }).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await names(page), [HOSTILE, 'a2.onnx', 'a10.onnx', ...BROKEN]);
    assert.equal(await page.evaluate(() => window.ran), undefined);
    await close(page);
  },

  async 'search shows what holds the words, and sorting keeps it'() {
    const page = await openCards();
    await page.fill('#search', 'A10');
    assert.deepEqual(await names(page), ['a10.onnx']);
    assert.equal(await shown(page), '1 of 5 models');
    await press(page, 'FLOPs');
    assert.deepEqual(await names(page), ['a10.onnx']);
    await page.fill('#search', 'resnet onnx');
    assert.deepEqual(await names(page), ['a10.onnx']);
    await page.fill('#search', 'no such model');
    assert.deepEqual(await names(page), []);
    await page.click('#clear');
    assert.equal((await names(page)).length, 5);
    assert.equal(await shown(page), '5 models');
    await close(page);
  },

  async 'a selected model leads to its card'() {
    const page = await openCards();
    for (const row of known) {
      await page.locator('#models tbody tr', { hasText: row.path }).click();
      assert.equal(await page.textContent('#details h2'), row.path);
      const link = await page.locator('#details a').evaluate((found) => found.href);
      assert.match(readFileSync(new URL(link), 'utf8'), /^# /m);
    }
    await page.locator('#models tbody tr', { hasText: BROKEN[1] }).click();
    assert.match(await page.textContent('#details'), /empty/);
    await close(page);
  },

  async 'a hundred thousand models are one page that draws the rows in sight'() {
    assert.ok(statSync(large.page).size < 40e6, `${statSync(large.page).size} bytes`);
    const page = await openLarge();
    assert.equal(await shown(page), '100,000 models');
    assert.ok((await names(page)).length < 100);
    const last = large.rows.map((row) => row.path).sort().at(-1);
    await page.focus('#scroll');
    await page.keyboard.press('End');
    assert.ok(last.endsWith(await page.textContent('#models tr[aria-current] th')));
    assert.equal(await page.locator('#models tr[aria-current]').getAttribute('aria-rowindex'), String(COUNT + 1));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.locator('#models tr[aria-current]').getAttribute('aria-rowindex'), '3');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#details').isHidden());
    await close(page);
  },

  async 'facets count and filter, alone and together, and the address keeps them'() {
    const page = await openLarge();
    const isBert = (row) => row.family === 'bert';
    const warns = (row) => row.error === null && row.errors === 0 && row.warnings > 0;
    assert.equal(await box(page, 'Family', 'BERT').locator('small').textContent(), counted(countOf(isBert)));
    await box(page, 'Family', 'BERT').click();
    assert.equal(await shown(page), `${counted(countOf(isBert))} of 100,000 models`);
    // Other families still show how many models they would add.
    const isResNet = (row) => row.family === 'resnet';
    assert.equal(await box(page, 'Family', 'ResNet').locator('small').textContent(), counted(countOf(isResNet)));
    await box(page, 'Family', 'ResNet').click();
    const both = countOf((row) => isBert(row) || isResNet(row));
    assert.equal(await shown(page), `${counted(both)} of 100,000 models`);
    const warned = countOf((row) => (isBert(row) || isResNet(row)) && warns(row));
    assert.equal(await box(page, 'Status', 'Warnings').locator('small').textContent(), counted(warned));
    await box(page, 'Status', 'Warnings').click();
    assert.equal(await shown(page), `${counted(warned)} of 100,000 models`);
    await page.fill('#search', 'copy-00001');
    const found = countOf((row) => (isBert(row) || isResNet(row)) && warns(row) && row.path.includes('copy-00001'));
    assert.ok(found > 0);
    assert.equal(await shown(page), `${counted(found)} of 100,000 models`);
    const hash = await page.evaluate(() => location.hash);
    const again = await openLarge({ hash });
    assert.equal(await shown(again), `${counted(found)} of 100,000 models`);
    assert.equal(await again.inputValue('#search'), 'copy-00001');
    await close(again);
    await close(page);
  },

  async 'licenses, sizes and findings filter as well'() {
    const page = await openLarge();
    const { license } = large.rows.find((row) => row.license && row.license.length < 30);
    const cases = [
      ['License', license, (row) => row.error === null && row.license === license],
      ['Size of weights', 'Under 1 MB', (row) => row.weights_bytes !== null && row.weights_bytes < 1e6],
      ['Status', 'Unreadable', (row) => row.error !== null],
      ['Finding', 'dynamic-dimensions', (row) => row.findings.includes('dynamic-dimensions')],
    ];
    for (const [facet, value, where] of cases) {
      const more = page.locator('fieldset', { hasText: facet }).getByRole('button', { name: /Show/ });
      if (!(await box(page, facet, value).count())) await more.first().click();
      await box(page, facet, value).click();
      assert.ok(countOf(where) > 0, facet);
      assert.equal(await shown(page), `${counted(countOf(where))} of 100,000 models`, facet);
      await page.click('#clear');
    }
    await close(page);
  },

  async 'duplicates are found from a model, and shown together'() {
    const page = await openLarge();
    const digests = new Map();
    for (const row of large.rows.filter((row) => row.weights_digest)) digests.set(row.weights_digest, [...(digests.get(row.weights_digest) ?? []), row]);
    const isTwin = (row) => (digests.get(row.weights_digest)?.length ?? 0) > 1;
    await box(page, 'Duplicates', 'Same weights').click();
    assert.equal(await shown(page), `${counted(countOf(isTwin))} of 100,000 models`);
    await page.click('#clear');
    const one = large.rows.find(isTwin);
    await page.fill('#search', one.path);
    await page.locator('#models tbody tr[id]').first().click();
    const group = digests.get(one.weights_digest);
    const title = page.locator('#details h3', { hasText: 'Same weights' });
    assert.equal(await title.textContent(), `Same weights: ${group.length === 2 ? '1 other model' : `${counted(group.length - 1)} other models`}`);
    await page.locator('#details button', { hasText: `Show all ${counted(group.length)}` }).first().click();
    assert.equal(await shown(page), `${counted(group.length)} of 100,000 models`);
    await page.locator('#chosen button').click();
    assert.equal(await shown(page), '100,000 models');
    await close(page);
  },

  async 'it is readable: accessible, light and dark, wide and narrow'() {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 400, height: 800 } }]) {
      for (const opened of [openCards, openLarge]) {
        const page = await opened(options);
        await press(page, 'FLOPs');
        await page.locator('#models tbody tr[id]').nth(1).click();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than the window');
        const name = `index-${opened === openCards ? 'cards' : 'large'}-${options.colorScheme ?? 'narrow'}.png`;
        await page.screenshot({ path: join(screenshots, name) });
        assert.deepEqual(await violations(page), []);
        await close(page);
      }
    }
  },
});
