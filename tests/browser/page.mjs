// The report's page in a real browser: opened from disk, it must work by pointer and by keyboard,
// agree with the command, ask for nothing, and let no name be more than text.
//
// Run by scripts/browser, which sets CALIPERS, CHROMIUM and FOLDER.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { hostileModels } from './hostile.mjs';
import { largeModel } from './large.mjs';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const run = promisify(execFile);
const group = { maxBuffer: 1 << 28 };
const fixtures = new URL('../fixtures/', import.meta.url).pathname;
const pages = join(FOLDER, 'pages');
mkdirSync(pages, { recursive: true });

const model = (name) => join(fixtures, name);
const command = async (...args) => (await run(CALIPERS, args, group)).stdout;
const inspect = async (...args) => JSON.parse(await command('inspect', '--format', 'json', ...args));

async function write(path, name, ...args) {
  const page = join(pages, `${name}.html`);
  await command('report', path, '-o', page, ...args);
  return page;
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

// Opens a page, and fails on any error it logs and on anything it asks for.
async function open(file, { hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (entry) => ['error', 'warning'].includes(entry.type()) && wrong.push(entry.text()));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || wrong.push(`asked for ${request.url()}`));
  page.wrong = wrong;
  await page.goto(`file://${file}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'yes');
  return page;
}

async function close(page) {
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

const boxes = (page) => page.evaluate(() => Number(document.querySelector('.stage').dataset.boxes));
const text = (page, selector) => page.locator(selector).first().textContent();

const tests = {
  async 'search finds a node, and the panel tells of it'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    await page.fill('#find', 'layer.1/attention/self/query/matmul');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    const panel = await text(page, '#panel');
    assert.match(panel, /MatMul/);
    assert.match(panel, /layer\.1\/attention\/self\/query\/MatMul/);
    await close(page);
  },

  async 'groups open and close'() {
    const page = await open(await write(model('zoo/resnet50.onnx'), 'resnet50'));
    const first = await boxes(page);
    await page.click('#more');
    const opened = await boxes(page);
    assert.ok(opened > first, `${opened} boxes after opening, ${first} before`);
    await page.click('#less');
    assert.ok((await boxes(page)) < opened);
    await close(page);
  },

  async 'subgraphs are groups to enter'() {
    const page = await open(await write(model('zoo/script_loop_if_op17.onnx'), 'loop'));
    await page.fill('#find', 'loop');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    await page.locator('#panel button', { hasText: 'Enter body' }).click();
    assert.match(await text(page, '#crumbs'), /Graph › .*body/);
    await page.locator('#crumbs button', { hasText: 'Graph' }).click();
    await close(page);
  },

  async 'paths of a node are marked'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    await page.fill('#find', 'Gemm');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    await page.keyboard.press('p');
    await page.locator('#panel button', { hasText: 'Paths' }).click();
    await page.locator('#panel button', { hasText: 'Paths' }).click();
    assert.match(await text(page, '#said'), /nodes before/);
    await close(page);
  },

  async 'a link to a node opens it'() {
    const file = await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert');
    const page = await open(file, { hash: '#node=%2Fclassifier%2FGemm' });
    assert.match(await text(page, '#panel'), /Gemm/);
    await page.goto(`file://${file}#findings`);
    await page.locator('.finding a[href^="#node="], .finding a[href^="#value="]').first().click();
    await page.waitForFunction(() => !document.getElementById('panel').hidden);
    await close(page);
  },

  async 'sizes give what the command prints for the same binding'() {
    for (const [name, size_controls, args] of [
      ['zoo/bert_tiny_cls_op17.onnx', { batch: 8, sequence: 77 }, ['--dim', 'batch=8', '--dim', 'sequence=77']],
      ['zoo/llama_tiny_gqa_kv_op17.onnx', { batch: 3, context: 300 }, ['--batch', '3', '--context', '300']],
      ['zoo/e5-small-v2.onnx', { batch: 5, sequence: 200 }, ['--batch', '5', '--context', '200']],
      ['zoo/gpt2.onnx', { batch: 2, sequence: 33 }, ['--batch', '2', '--context', '33']],
      ['zoo/gpt2_tiny_kv_op17.onnx', { context: 200 }, ['--context', '200']],
      ['zoo/mobilenet_v2_op17.onnx', { batch: 7 }, ['--batch', '7']],
      ['zoo/t5_tiny_encdec_op17.onnx', { batch: 4, sequence: 61 }, ['--batch', '4', '--context', '61']],
    ]) {
      const page = await open(await write(model(name), 'sizes'));
      for (const [size_control, size] of Object.entries(size_controls)) {
        const label = page.locator('#sizes label', { hasText: new RegExp(`^${size_control}$`) });
        await page.locator(`#${await label.getAttribute('for')}`).fill(String(size));
      }
      const said = await inspect(model(name), ...args);
      const exact = async (key) => (await text(page, `dd[data-figure="${key}"] small`)).replace(/[^0-9]/g, '');
      for (const [key, value] of [
        ['macs', said.cost.macs], ['flops', said.cost.flops], ['other_flops', said.cost.other_flops],
        ['bytes_moved', said.cost.bytes_moved], ['peak', said.memory.peak_activation_bytes],
        ['in_place', said.memory.peak_activation_in_place_bytes],
      ]) assert.equal(await exact(key), String(value), `${key} of ${name}`);
      await page.locator('#sizes button', { hasText: 'Reset' }).click();
      assert.equal(await exact('macs'), String((await inspect(model(name))).cost.macs));
      await close(page);
    }
  },

  async 'times are those of the command'() {
    const path = model('zoo/bert_tiny_cls_op17.onnx');
    const page = await open(await write(path, 'bert'));
    await page.selectOption('#device', 'rtx-4090');
    const label = page.locator('#device-bar label', { hasText: /^batch$/ });
    await page.locator(`#${await label.getAttribute('for')}`).fill('16');
    const said = JSON.parse(await command('hardware', path, '--device', 'rtx-4090', '--batch', '16', '--format', 'json'));
    const screen = await command('hardware', path, '--device', 'rtx-4090', '--batch', '16', '--color', 'never');
    const shown = await page.locator('#device-now dd').nth(1).textContent();
    assert.match(shown, /^[\d.,]+ (µs|ms|s) \([\d.,]+–[\d.,]+\)$/);
    assert.ok(screen.includes(shown), `${shown} is not on the command's screen, ${said.latency_ms.expected} ms expected`);
    await close(page);
  },

  async 'sizes that the file fixes can still be asked of a device'() {
    const page = await open(await write(model('zoo/resnet18_op17_static.onnx'), 'fixed'));
    const label = page.locator('#device-bar label', { hasText: /^batch$/ });
    await page.locator(`#${await label.getAttribute('for')}`).fill('8');
    assert.match(await text(page, '#device-now'), /batch 8/);
    await close(page);
  },

  async 'the summary and the shapes that were found are reported'() {
    const path = model('zoo/t5_tiny_encdec_op17.onnx');
    const page = await open(await write(path, 'reported'));
    const said = await inspect(path, '--device', 'h200-sxm');
    assert.equal(await text(page, '#verdict'), said.summary.title);
    assert.equal(await page.locator('#summary p').count(), said.summary.text.split('\n\n').length);
    const found = said.graph.outputs.find((port) => port.inferred).inferred;
    assert.ok((await text(page, '#ports')).includes(`[${found.join(', ')}]`));
    await close(page);
  },

  async 'a table of 100,000 rows sorts and filters'() {
    const path = join(pages, 'large.onnx');
    writeFileSync(path, largeModel(100_000));
    const page = await open(await write(path, 'large'));
    const first = () => text(page, '#layer-table tbody tr:nth-child(2) td:nth-child(2)');
    assert.match(await text(page, '#layer-count'), /100,000 nodes/);
    assert.ok((await page.locator('#layer-table tbody tr').count()) < 100);
    await page.locator('#layer-table th button', { hasText: 'MACs' }).click();
    assert.match(await first(), /MatMul/);
    await page.fill('#layer-text', '_99999');
    await page.waitForFunction(() => document.getElementById('layer-count').textContent.startsWith('1 of'));
    assert.match(await first(), /_99999$/);
    await page.fill('#layer-text', '');
    await page.selectOption('#layer-op', 'Tanh');
    assert.match(await first(), /Tanh/);
    await page.evaluate(() => { document.getElementById('layer-scroll').scrollTop = 1e9; });
    await page.waitForTimeout(100);
    assert.ok((await page.locator('#layer-table tbody tr').count()) < 100);
    // The graph shows segments of it, and finds one node among all.
    assert.ok((await boxes(page)) < 200);
    await page.fill('#find', '_73912');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    assert.match(await text(page, '#panel'), /_73912/);
    await close(page);
  },

  async 'rows are saved as CSV, the graph as SVG and PNG'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    const saved = async (selector) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
      return readFileSync(await download.path());
    };
    const csv = (await saved('#layer-csv')).toString();
    const said = await inspect(model('zoo/bert_tiny_cls_op17.onnx'));
    assert.equal(csv.trim().split('\n').length, said.graph.nodes + 1);
    const svg = (await saved('#save-svg')).toString();
    assert.match(svg, /^<svg xmlns.*<\/svg>$/s);
    assert.deepEqual([...(await saved('#save-png')).subarray(1, 4)], [...Buffer.from('PNG')]);
    await close(page);
  },

  async 'hostile names stay text'() {
    const folder = join(FOLDER, 'models');
    mkdirSync(folder, { recursive: true });
    const models = hostileModels().map(([name, bytes]) => {
      const path = join(folder, `${name}.onnx`);
      writeFileSync(path, bytes);
      return path;
    });
    const injected = model('hostile/injection_names.onnx');
    for (const path of [...models, injected, model('hostile/unicode_names.onnx')]) {
      const page = await open(await write(path, 'hostile'));
      await page.keyboard.press('/');
      for (let i = 0; i < 4; i++) await page.click('#more');
      await page.evaluate(() => document.getElementById('canvas').focus());
      for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
      const found = await page.evaluate(() => ({
        ran: window.ran,
        scripts: document.querySelectorAll('script').length,
        odd: document.querySelectorAll('img, iframe, object, embed, form[action], a[href^="javascript:"]').length,
        handlers: [...document.querySelectorAll('*')].filter((it) => [...it.attributes].some((at) => at.name.startsWith('on') || at.name === 'style' && !it.style)).length,
        links: [...document.querySelectorAll('a')].filter((it) => !it.getAttribute('href').startsWith('#')).length,
      }));
      assert.deepEqual(found, { ran: undefined, scripts: 2, odd: 0, handlers: 0, links: 0 }, path);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-svg')]);
      const svg = readFileSync(await download.path(), 'utf8');
      const names = [...svg.matchAll(/<([a-z!/][^\s>]*)/gi)].map(([, name]) => name.replace('/', ''));
      assert.deepEqual([...new Set(names)].filter((name) => !['svg', 'title', 'rect', 'text', 'path'].includes(name)), [], path);
      await close(page);
    }
  },

  async 'the policy lets nothing else run'() {
    const page = await open(await write(model('zoo/mlp.onnx'), 'mlp'));
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.ran = 1';
      document.body.append(script);
      const button = document.createElement('button');
      button.setAttribute('onclick', 'window.ran = 2');
      document.body.append(button);
      button.click();
      return window.ran;
    });
    assert.equal(ran, undefined);
    // What was just refused is what the browser complains of.
    page.wrong.length = 0;
    await close(page);
  },

  async 'dark, printed and 360 pixels wide'() {
    const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    for (const name of ['zoo/resnet50.onnx', 'zoo/llama_tiny_gqa_kv_op17.onnx', 'hostile/injection_names.onnx']) {
      const file = await write(model(name), 'looks');
      const light = await open(file);
      const dark = await open(file, { colorScheme: 'dark' });
      assert.notEqual(await paper(light), await paper(dark));
      await dark.click('#theme');
      assert.equal(await paper(light), await paper(dark));
      await light.emulateMedia({ media: 'print' });
      assert.equal(await light.isVisible('.top nav'), false);
      // Paper is light, whatever the screen is.
      await dark.click('#theme');
      const onScreen = await paper(dark);
      await dark.emulateMedia({ media: 'print' });
      assert.notEqual(await paper(dark), onScreen);
      assert.equal(await paper(dark), await paper(light));
      assert.ok((await light.pdf({ format: 'A4' })).length > 10_000);
      const narrow = await open(file, { viewport: { width: 360, height: 740 } });
      const wide = await narrow.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${name} is ${wide} pixels wide`);
      const still = await open(file, { reducedMotion: 'reduce' });
      assert.equal(await still.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
      for (const page of [light, dark, narrow, still]) await close(page);
    }
  },

  async 'the keyboard alone is enough'() {
    const page = await open(await write(model('zoo/resnet50.onnx'), 'resnet50'));
    const focused = () => page.evaluate(() => document.activeElement.id);
    for (let i = 0; i < 80 && (await focused()) !== 'canvas'; i++) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'canvas');
    const before = await boxes(page);
    await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('ArrowDown');
      if (/nodes/.test(await text(page, '#said'))) break;
    }
    assert.match(await text(page, '#said'), /nodes/);
    await page.keyboard.press('Enter');
    assert.notEqual(await boxes(page), before);
    await page.keyboard.press('Enter');
    assert.equal(await boxes(page), before);
    await page.keyboard.press('/');
    assert.equal(await focused(), 'find');
    for (let i = 0; i < 60 && !(await page.evaluate(() => document.activeElement.closest('#layer-table'))); i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.ok(await page.locator('#layer-table th[aria-sort]').count());
    await close(page);
  },

  async 'axe finds nothing serious'() {
    for (const name of ['zoo/bert_tiny_cls_op17.onnx', 'zoo/resnet50.onnx', 'zoo/isoforest.onnx', 'hostile/injection_names.onnx']) {
      const file = await write(model(name), 'axe');
      for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 360, height: 740 } }]) {
        const page = await open(file, options);
        await page.focus('#canvas');
        await page.keyboard.press('ArrowDown');
        // By the debugger, which the page's policy does not bind.
        const session = await page.context().newCDPSession(page);
        await session.send('Runtime.evaluate', { expression: axe });
        const result = await session.send('Runtime.evaluate', {
          expression: `axe.run(document).then((it) => JSON.stringify(it.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html + ' ' + n.failureSummary)])))`,
          awaitPromise: true,
        });
        assert.deepEqual(JSON.parse(result.result.value), [], `${name} ${JSON.stringify(options)}`);
        await close(page);
      }
    }
  },

  async 'pages are small'() {
    const size = async (name) => statSync(await write(model(name), 'size')).size;
    for (const name of ['zoo/resnet50.onnx', 'zoo/bert_tiny_cls_op17.onnx', 'zoo/mobilenet_v2_op17.onnx']) {
      assert.ok((await size(name)) < 400_000, name);
    }
    assert.ok((await size('zoo/swin_t.onnx')) < 3_000_000);
  },

  async 'the graph alone is a page as well'() {
    const file = join(pages, 'graph.html');
    await command('graph', model('zoo/unet_c16_op17.onnx'), '-o', file);
    const page = await open(file);
    assert.ok((await boxes(page)) > 3);
    await close(page);
  },
};

const wanted = process.argv[2];
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (wanted && !name.includes(wanted)) continue;
  try {
    await test();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
