// The page of a comparison in a real browser: opened from disk, both graphs must follow each other, the list must agree
// with the command, and no name may be more than text.
//
// Run by scripts/browser.

import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

import { close, command, model, open as openPage, pages, runTests, screenshots, violations } from './harness.mjs';
import { hostileModels } from './hostile.mjs';
import { largeModel } from './large.mjs';

// Two models with added, removed and changed nodes.
const A = model('zoo/bert_tiny_cls_op17.onnx');
const B = model('zoo/bert_tiny_cls_sdpa_op17.onnx');

async function write(a, b, name) {
  const page = join(pages, `${name}.html`);
  await command('compare', a, b, '-o', page);
  return page;
}
const compared = async (a, b) => JSON.parse(await command('compare', a, b, '--format', 'json')).graph;

// Scrolling that takes time would move what a test has just looked for.
const open = (file, options) => openPage(file, { viewport: { width: 1400, height: 1000 }, reducedMotion: 'reduce', ...options });

const text = async (page, selector) => (await page.locator(selector).first().textContent()).trim();
const boxes = (page, side) => page.evaluate((it) => Number(document.querySelector(`#viewer-${it} .stage`).dataset.boxes), side);
// What the table of details shows for a property of each model.
const details = (page, name) => page.evaluate((wanted) => {
  const row = [...document.querySelectorAll('#details tbody tr')].find((it) => it.cells[0].firstChild?.textContent === wanted);
  return row ? [...row.cells].slice(1).map((cell) => cell.textContent) : null;
}, name);
// Clicks the middle of a stage, where the page has put the selected box, once the stage has stopped moving.
const clickMiddle = (page, side) => page.locator(`#canvas-${side}`).click();
const entries = (page) => page.locator('#changes .entry').count();

// The data of a page, read without its scripts.
function pageData(file) {
  const [, form, contents] = readFileSync(file, 'utf8').match(/<script id="data" type="application\/json"( data-form="deflate")?>([^<]*)</);
  return JSON.parse(form ? inflateRawSync(Buffer.from(contents, 'base64')).toString() : contents);
}

// Moves through the boxes of a side until the details show a group.
async function selectGroup(page, side) {
  await page.focus(`#canvas-${side}`);
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('ArrowDown');
    if (await details(page, 'Nodes that differ')) return;
  }
  assert.fail('there is no group');
}

const tests = {
  async 'both graphs and every change are shown'() {
    const said = await compared(A, B);
    const page = await open(await write(A, B, 'bert-compared'));
    for (const side of ['a', 'b']) assert.ok((await boxes(page, side)) > 3, side);
    const total = said.added.length + said.removed.length + said.changed.length;
    assert.ok(said.added.length && said.removed.length, 'the models differ');
    assert.equal(await text(page, '#change-count'), `${total} changes`);
    const heads = await page.locator('#changes .group-head').allTextContents();
    for (const { text: words } of said.groups) assert.ok(heads.some((head) => head.includes(words.replaceAll('`', ''))), words);
    await close(page);
  },

  async 'a selected node selects its counterpart'() {
    const file = await write(A, B, 'bert-compared');
    const page = await open(file);
    const { pairs, graphs } = pageData(file);
    await page.focus('#canvas-b');
    for (let i = 0; i < 20 && !(await details(page, 'Name'))?.includes('Classifier head'); i++) await page.keyboard.press('ArrowDown');
    await page.locator('#details button', { hasText: 'Focus' }).click();
    assert.match(await text(page, '#crumbs-a'), /Classifier head/);
    let seen = 0;
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('ArrowDown');
      const names = await details(page, 'Name');
      if (!(await details(page, 'Operator')) || !names) continue;
      const place = pairs[1].findIndex((b) => graphs[1].nodes.name[b] === names[1]);
      assert.equal(names[0], graphs[0].nodes.name[pairs[0][place]]);
      seen++;
    }
    assert.ok(seen > 1, 'nodes have counterparts');
    await close(page);
  },

  async 'a click selects on both sides, and on one where they are not linked'() {
    const file = await write(A, B, 'bert-compared');
    const page = await open(file);
    const { added, changed, graphs, removed } = pageData(file);
    // Constants are not drawn.
    const place = changed.a.findIndex((a, i) => graphs[0].nodes.drawn[a] && graphs[1].nodes.drawn[changed.b[i]]);
    const names = [graphs[0].nodes.name[changed.a[place]], graphs[1].nodes.name[changed.b[place]]];
    await page.fill('#find', names[0]);
    await page.locator(`#changes [data-change="${removed.length + added.length + place}"]`).click();
    assert.deepEqual(await details(page, 'Name'), names);
    await page.focus('#canvas-a');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#details').isHidden());
    await clickMiddle(page, 'a');
    assert.deepEqual(await details(page, 'Name'), names);
    await page.focus('#canvas-a');
    await page.keyboard.press('Escape');
    await page.uncheck('#link');
    await clickMiddle(page, 'b');
    assert.deepEqual(await details(page, 'Name'), [names[1]]);
    await close(page);
  },

  async 'a group that expands expands its counterpart'() {
    const page = await open(await write(A, B, 'bert-compared'));
    await selectGroup(page, 'a');
    const before = [await boxes(page, 'a'), await boxes(page, 'b')];
    await page.keyboard.press('Enter');
    assert.ok((await boxes(page, 'a')) > before[0]);
    assert.ok((await boxes(page, 'b')) > before[1]);
    await page.keyboard.press('Enter');
    assert.deepEqual([await boxes(page, 'a'), await boxes(page, 'b')], before);
    await page.uncheck('#link');
    await page.focus('#canvas-a');
    await page.keyboard.press('Enter');
    assert.equal(await boxes(page, 'b'), before[1]);
    await close(page);
  },

  async 'a group counts what differs in it'() {
    const file = await write(A, B, 'bert-compared');
    const page = await open(file);
    const data = pageData(file);
    const graph = data.graphs[0];
    const inside = (group, outer) => group !== null && (group === outer || inside(graph.groups[group].parent, outer));
    let seen = 0;
    await page.focus('#canvas-a');
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('ArrowDown');
      const shown = await details(page, 'Nodes that differ');
      if (!shown) continue;
      const name = (await details(page, 'Name'))[0];
      const group = graph.groups.findIndex((it) => it.name === name);
      const count = (letter) => graph.nodes.group.filter((it, node) => data.status[0][node] === letter && inside(it, group)).length;
      const words = [['−', count('r')], ['~', count('c')]].filter(([, it]) => it).map(([symbol, it]) => symbol + it).join(' ') || 'none';
      assert.equal(shown[0], words, name);
      seen += words === 'none' ? 0 : 1;
    }
    assert.ok(seen > 0, 'a group has a count');
    await close(page);
  },

  async 'filters apply to the list'() {
    const said = await compared(A, B);
    const page = await open(await write(A, B, 'bert-compared'));
    const total = said.added.length + said.removed.length + said.changed.length;
    for (const kind of ['added', 'removed', 'changed']) {
      if (!said[kind].length) continue;
      await page.selectOption('#change-kind', kind);
      assert.equal(await text(page, '#change-count'), `${said[kind].length} of ${total} changes`);
    }
    await page.selectOption('#change-kind', 'removed');
    const { op } = said.removed[0];
    await page.selectOption('#change-op', op);
    const ofOperator = said.removed.filter((it) => it.op === op).length;
    assert.equal(await text(page, '#change-count'), `${ofOperator} of ${total} changes`);
    await page.click('#change-reset');
    assert.equal(await text(page, '#change-count'), `${total} changes`);
    const wanted = said.added[0].b.slice(-12).toLowerCase();
    await page.fill('#find', wanted.toUpperCase());
    const names = [...said.added.map(({ b }) => [b]), ...said.removed.map(({ a }) => [a]), ...said.changed.map(({ a, b }) => [a, b])];
    const found = names.filter((list) => list.some((name) => name.toLowerCase().includes(wanted))).length;
    assert.equal(await text(page, '#change-count'), `${found} of ${total} changes`);
    await page.fill('#find', 'no node has this name');
    assert.match(await text(page, '#changes'), /No change matches/);
    await close(page);
  },

  async 'n and p go through the changes'() {
    const page = await open(await write(A, B, 'bert-compared'));
    const current = () => page.evaluate(() => document.querySelector('#changes [aria-current]')?.dataset.change);
    await page.keyboard.press('n');
    const first = await current();
    assert.ok(first !== undefined && (await details(page, 'Name')));
    await page.keyboard.press('n');
    const second = await current();
    assert.notEqual(second, first);
    await page.keyboard.press('p');
    assert.equal(await current(), first);
    await page.keyboard.press('p');
    await page.keyboard.press('n');
    assert.equal(await current(), first, 'the last change is before the first one');
    await page.focus('#canvas-b');
    await page.keyboard.press('n');
    assert.equal(await current(), second);
    await page.keyboard.press('/');
    await page.keyboard.type('n');
    assert.equal(await page.inputValue('#find'), 'n');
    await close(page);
  },

  async 'the keyboard reaches the list'() {
    const page = await open(await write(A, B, 'bert-compared'));
    await page.locator('#changes .group-head').first().focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#changes .group-head').first().getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-current')), 'true');
    await close(page);
  },

  async 'axe finds no violation'() {
    const file = await write(A, B, 'bert-compared');
    for (const [name, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 360, height: 740 } }]]) {
      const page = await open(file, options);
      assert.deepEqual(await violations(page), [], `${name}, nothing selected`);
      await page.click('#next');
      assert.deepEqual(await violations(page), [], name);
      await page.screenshot({ path: join(screenshots, `comparison-${name}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      assert.ok(!wide, `${name} scrolls sideways`);
      await close(page);
    }
  },

  async 'it can be read without scripts'() {
    const said = await compared(A, B);
    const page = await open(await write(A, B, 'bert-compared'), { javaScriptEnabled: false });
    const shown = await page.evaluate(() => document.body.innerText).catch(() => page.locator('body').innerText());
    for (const { text: words } of said.groups.slice(0, 20)) assert.ok(shown.includes(words.replaceAll('`', '')), words);
    assert.match(shown, /The graphs require JavaScript/);
    await page.context().close();
  },

  async 'names are only text'() {
    const models = hostileModels();
    for (const [number, [name, bytes]] of models.entries()) {
      const [a, b] = [join(pages, `${name}.onnx`), join(pages, 'hostile-b.onnx')];
      writeFileSync(a, bytes);
      writeFileSync(b, models[(number + 1) % models.length][1]);
      const page = await open(await write(a, b, 'hostile'));
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      assert.equal(await page.evaluate(() => window.ran), undefined, name);
      assert.equal(await page.locator('main img, main svg[onload]').count(), 0, name);
      await close(page);
    }
  },

  async 'several models are on one page with their trade-off'() {
    const models = [A, B, model('zoo/minilm_l6.onnx'), model('zoo/bert_base.onnx')];
    const file = join(pages, 'several.html');
    await command('compare', ...models, '--metric', 'accuracy=0.81,0.82,0.9,0.88', '-o', file);
    const { models: named, pareto } = JSON.parse(await command('compare', ...models, '--metric', 'accuracy=0.81,0.82,0.9,0.88', '--format', 'json'));
    for (const [name, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 360, height: 740 } }]]) {
      const page = await open(file, { ...options, hasScripts: false });
      const shown = page.locator(name === 'dark' ? '#pareto .in-dark svg' : '#pareto .in-light svg');
      assert.ok(await shown.isVisible(), name);
      assert.equal(await page.locator('#pareto svg:visible').count(), 1, 'the chart of one theme');
      const alt = await shown.locator('desc').textContent();
      for (const { model: at } of pareto.points) assert.ok(alt.includes(named[at].label), named[at].label);
      // Two more dots are the legend's.
      assert.equal(await shown.locator('circle').count(), pareto.points.length + 2);
      assert.equal(await page.locator('#pareto tbody tr').count(), pareto.points.length);
      // Labels, which have a rim, stay apart as this browser draws them.
      const labels = await shown.locator('g[paint-order] text').evaluateAll((all) => all.map((it) => it.getBoundingClientRect().toJSON()));
      assert.ok(labels.length > 1, 'models have labels');
      for (const [i, one] of labels.entries()) {
        const meets = (other) => one.left < other.right && other.left < one.right && one.top + 3 < other.bottom && other.top + 3 < one.bottom;
        assert.ok(!labels.slice(0, i).some(meets), `${name}: labels overlap`);
      }
      assert.deepEqual(await violations(page), [], name);
      await page.screenshot({ path: join(screenshots, `several-${name}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
      assert.ok(!wide, `${name} scrolls sideways`);
      await close(page);
    }
  },

  async 'the weights have a strip along depth'() {
    const models = [model('zoo/mobilenet_v2_op17.onnx'), model('zoo/mobilenet_v2_qdq_s8_perchannel.onnx')];
    const said = JSON.parse(await command('compare', ...models, '--weights', '--format', 'json')).weights;
    const file = join(pages, 'weights.html');
    await command('compare', ...models, '--weights', '-o', file);
    const page = await open(file);
    assert.ok(said.by_depth.some(({ relative_norm: norm }) => norm > 0), 'the weights differ');
    const cells = await page.locator('#weights .in-light svg g > title').allTextContents();
    assert.equal(cells.length, said.by_depth.length);
    for (const [i, { tensors }] of said.by_depth.entries()) assert.ok(cells[i].endsWith(tensors ? ` ${tensors} tensor${tensors > 1 ? 's' : ''}` : 'no weights compared'), cells[i]);
    assert.deepEqual(await violations(page), []);
    await close(page);
  },

  async 'pages are small'() {
    const file = await write(model('zoo/bert_base.onnx'), model('zoo/minilm_l6.onnx'), 'size');
    assert.ok(statSync(file).size < 700_000, `${statSync(file).size} bytes`);
  },

  async 'many changes are listed in parts'() {
    const count = 20_000;
    const [a, b] = [join(pages, 'large-a.onnx'), join(pages, 'large-b.onnx')];
    writeFileSync(a, largeModel(count));
    writeFileSync(b, largeModel(count, { Relu: 'Abs', Sigmoid: 'Tanh', Tanh: 'Sigmoid', Add: 'Sub', Sub: 'Add', Mul: 'Max', Max: 'Mul' }));
    const page = await open(await write(a, b, 'large'));
    assert.ok((await entries(page)) < 2_000, 'the list is drawn in parts');
    await page.keyboard.press('n');
    // The last change, which is far down in the list.
    await page.keyboard.press('p');
    assert.ok((await entries(page)) < 2_000, 'the list stays short');
    assert.equal(await page.locator('#changes [aria-current]').count(), 1);
    await page.fill('#find', 'block.77');
    await page.waitForFunction(() => / of /.test(document.getElementById('change-count').textContent));
    await close(page);
  },
};

await runTests(tests);
