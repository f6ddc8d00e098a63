// The report's page in a real browser: opened from disk, it must work by pointer and by keyboard, agree with the
// command at every choice of device and sizes, make no request, and let no name be more than text.
//
// Run by scripts/browser.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { close, command, model, open as openPage, pages, runTests, violations } from './harness.mjs';
import { hostileModels } from './hostile.mjs';
import { largeModel } from './large.mjs';

const inspect = async (...args) => JSON.parse(await command('inspect', '--format', 'json', ...args));

async function write(path, name, ...args) {
  const page = join(pages, `${name}.html`);
  await command('report', path, '-o', page, ...args);
  return page;
}

const open = (file, options) => openPage(file, { viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });

const boxes = (page) => page.evaluate(() => Number(document.querySelector('.stage').dataset.boxes));
const text = (page, selector) => page.locator(selector).first().textContent();

const digits = async (page, key) => (await text(page, `dd[data-figure="${key}"] small`)).replace(/[^0-9]/g, '');
const visible = (page) => page.evaluate(() => document.body.innerText);

// Types a size into its control.
async function setSize(page, name, size) {
  const label = page.locator('#state label', { hasText: new RegExp(`^${name}$`, 'i') });
  await page.locator(`#${await label.getAttribute('for')}`).fill(String(size));
}

// A figure of the chosen device.
const fact = (page, name) => page.locator('#device-now .facts > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).locator('dd').textContent();

const tests = {
  async 'search finds a node, and the panel shows it'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    await page.fill('#find', 'layer.1/attention/self/query/matmul');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    const panel = await text(page, '#panel');
    assert.match(panel, /MatMul/);
    assert.match(panel, /layer\.1\/attention\/self\/query\/MatMul/);
    await close(page);
  },

  async 'groups expand and collapse'() {
    const page = await open(await write(model('zoo/resnet50.onnx'), 'resnet50'));
    const first = await boxes(page);
    await page.click('#more');
    const opened = await boxes(page);
    assert.ok(opened > first, `${opened} boxes after expanding, ${first} before`);
    await page.click('#less');
    assert.ok((await boxes(page)) < opened);
    await close(page);
  },

  async 'subgraphs can be focused, also from the list'() {
    const page = await open(await write(model('zoo/script_loop_if_op17.onnx'), 'loop'));
    await page.fill('#find', 'loop');
    await page.waitForSelector('#found li[data-node]');
    await page.keyboard.press('Enter');
    await page.locator('#panel button', { hasText: 'Focus body' }).click();
    assert.match(await text(page, '#crumbs'), /Graph › .*body/);
    await page.locator('#crumbs button', { hasText: 'Graph' }).click();
    const listed = await page.locator('#jump option', { hasText: 'subgraph body' }).first().getAttribute('value');
    await page.selectOption('#jump', listed);
    assert.match(await text(page, '#crumbs'), /Graph › .*body/);
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
        await setSize(page, size_control, size);
      }
      const said = await inspect(model(name), ...args);
      const exact = async (key) => (await text(page, `dd[data-figure="${key}"] small`)).replace(/[^0-9]/g, '');
      for (const [key, value] of [
        ['macs', said.cost.macs], ['flops', said.cost.flops], ['other_flops', said.cost.other_flops],
        ['bytes_moved', said.cost.bytes_moved], ['peak', said.memory.peak_activation_bytes],
        ['in_place', said.memory.peak_activation_in_place_bytes],
      ]) assert.equal(await exact(key), String(value), `${key} of ${name}`);
      await page.locator('#state button', { hasText: 'Reset' }).click();
      assert.equal(await exact('macs'), String((await inspect(model(name))).cost.macs));
      await close(page);
    }
  },

  async 'times are those of the command'() {
    const path = model('zoo/bert_tiny_cls_op17.onnx');
    const page = await open(await write(path, 'bert'));
    await page.selectOption('#device', 'rtx-4090');
    await setSize(page, 'batch', 16);
    const said = JSON.parse(await command('hardware', path, '--device', 'rtx-4090', '--batch', '16', '--format', 'json'));
    const screen = await command('hardware', path, '--device', 'rtx-4090', '--batch', '16', '--color', 'never');
    const shown = await fact(page, 'Latency');
    assert.match(shown, /^[\d.,]+ (µs|ms|s) \([\d.,]+–[\d.,]+\)$/);
    assert.ok(screen.includes(shown), `${shown} is not on the command's screen, ${said.latency_ms.expected} ms expected`);
    await close(page);
  },

  async 'a batch that the file fixes scales arithmetic and times'() {
    const path = model('zoo/resnet18_op17_static.onnx');
    const page = await open(await write(path, 'fixed'));
    const said = await inspect(path);
    await setSize(page, 'batch', 8);
    assert.match(await text(page, '#device-now'), /batch 8/);
    assert.match(await text(page, '#state-note'), /fixes the batch at 1; other batch sizes require re-exporting/);
    assert.equal(await digits(page, 'macs'), String(said.cost.macs * 8));
    assert.equal(await text(page, '[data-figure="bytes_moved"] strong'), 'unknown');
    await close(page);
  },

  async 'without a device there is no latency'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    assert.equal(await page.inputValue('#device'), '');
    assert.match(await text(page, '[data-figure="latency"]'), /choose a device/);
    assert.equal(await page.locator('#device-table tr.chosen').count(), 0);
    const devices = JSON.parse(await command('devices', '--format', 'json')).devices.length;
    assert.equal(await page.locator('#device-table tbody tr').count(), devices);
    await page.fill('#device-text', '4090');
    assert.equal(await page.locator('#device-table tbody tr').count(), 1);
    await page.locator('#device-table tbody button').click();
    assert.equal(await page.inputValue('#device'), 'rtx-4090');
    assert.match(await text(page, '[data-figure="latency"] strong'), /(µs|ms|s)$/);
    await close(page);
    const chosen = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert', '--device', 'l4'));
    assert.equal(await chosen.inputValue('#device'), 'l4');
    await close(chosen);
  },

  async 'every figure follows the controls'() {
    const path = model('zoo/bert_tiny_cls_op17.onnx');
    const page = await open(await write(path, 'state'));
    const before = await inspect(path);
    const args = ['--batch', '16', '--device', 'rtx-4090', '--precision', 'fp16'];
    const said = await inspect(path, ...args);
    await page.selectOption('#device', 'rtx-4090');
    await page.selectOption('#precision', { label: 'fp16' });
    await setSize(page, 'batch', 16);
    // Tiles.
    for (const [key, value] of [
      ['macs', said.cost.macs], ['flops', said.cost.flops], ['other_flops', said.cost.other_flops],
      ['bytes_moved', said.cost.bytes_moved], ['peak', said.memory.peak_activation_bytes],
      ['in_place', said.memory.peak_activation_in_place_bytes],
    ]) assert.equal(await digits(page, key), String(value), key);
    // The same latency and memory in the tile, the chosen device, its row and the row of the batch.
    const latency = await fact(page, 'Latency');
    const screen = await command('hardware', path, ...args, '--color', 'never');
    assert.ok(screen.includes(latency), `${latency} is not what the command prints`);
    assert.ok(latency.startsWith(await text(page, '[data-figure="latency"] strong')));
    for (const row of ['#device-table tr.chosen', '#batch-scaling tr.chosen']) {
      assert.equal(await page.locator(row).count(), 1);
      assert.ok((await text(page, row)).includes(latency), `${row} has another latency`);
      assert.ok((await text(page, row)).includes(await fact(page, 'Memory needed')), `${row} has other memory`);
    }
    assert.equal(await text(page, '[data-figure="memory"] strong'), await fact(page, 'Memory needed'));
    assert.match(await text(page, '#device-now h3'), /RTX 4090, batch 16, sequence \d+, fp16$/);
    // Layers.
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#layer-csv')]);
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, '')));
    const layers = JSON.parse(await command('layers', path, '--dim', 'batch=16', '--format', 'json')).layers;
    const column = lines[0].indexOf('MACs'), moved = lines[0].indexOf('Bytes moved');
    assert.deepEqual(lines.slice(1).map((line) => Number(line[column])), layers.map((layer) => layer.macs));
    assert.deepEqual(lines.slice(1).map((line) => Number(line[moved])), layers.map((layer) => layer.bytes_moved));
    // The graph: the node with most MACs, in the panel and in the bars.
    const top = said.cost.top_nodes[0];
    await page.evaluate((name) => { location.hash = `#node=${encodeURIComponent(name)}`; }, top.node);
    await page.waitForFunction(() => !document.getElementById('panel').hidden);
    assert.ok((await text(page, '#panel')).includes(top.macs.toLocaleString('en-US')));
    // Nothing visible has a figure of the report's sizes.
    const words = await visible(page);
    for (const old of [before.cost.macs, before.cost.bytes_moved, before.memory.peak_activation_bytes]) {
      assert.ok(!words.includes(old.toLocaleString('en-US')), `${old} is still on the page`);
    }
    assert.equal(await page.isVisible('#verdict'), false);
    assert.equal(await page.locator('.at-report:visible').count(), 0);
    // Reset brings all of it back.
    await page.locator('#state button', { hasText: 'Reset' }).click();
    assert.equal(await digits(page, 'macs'), String(before.cost.macs));
    assert.equal(await page.inputValue('#device'), '');
    assert.equal(await page.isVisible('#verdict'), true);
    await close(page);
  },

  async 'sizes between those of the table are interpolated'() {
    const path = model('zoo/bert_tiny_cls_op17.onnx');
    const page = await open(await write(path, 'bert'));
    await page.selectOption('#device', 'rtx-4090');
    const at = async (batch) => {
      await setSize(page, 'batch', batch);
      const [, value, unit] = (await text(page, '[data-figure="latency"] strong')).match(/^([\d.,]+) (µs|ms|s)$/);
      return Number(value.replaceAll(',', '')) * { 'µs': 1e-3, ms: 1, s: 1e3 }[unit];
    };
    const [low, middle, high] = [await at(64), await at(96), await at(128)];
    assert.ok(low <= middle && middle <= high, `${low}, ${middle}, ${high}`);
    const said = JSON.parse(await command('hardware', path, '--device', 'rtx-4090', '--batch', '96', '--format', 'json'));
    const ratio = middle / said.latency_ms.expected;
    assert.ok(ratio > 0.8 && ratio < 1.25, `${middle} ms interpolated, ${said.latency_ms.expected} ms estimated`);
    await setSize(page, 'batch', 5000);
    assert.match(await text(page, '[data-figure="latency"]'), /unknown.*estimated up to batch 128/);
    await close(page);
  },

  async 'the first screen has the key figures and the diagram'() {
    for (const name of ['zoo/bert_tiny_cls_op17.onnx', 'zoo/resnet50.onnx']) {
      const page = await open(await write(model(name), 'fold'));
      for (const selector of ['#verdict', '.cards', '.diagram', ...['latency', 'memory', 'macs'].map((key) => `[data-figure="${key}"]`)]) {
        const box = await page.locator(selector).first().boundingBox();
        assert.ok(box.y + box.height <= 900, `${selector} of ${name} ends at ${box.y + box.height}`);
      }
      assert.match(await text(page, '.cards'), /Latency.*Memory.*Parameters.*MACs.*Findings/s);
      await close(page);
    }
  },

  async 'five sizes of letters, and no number is cut'() {
    const page = await open(await write(model('zoo/resnet50.onnx'), 'letters'));
    await page.evaluate(() => document.querySelectorAll('details').forEach((it) => { it.open = true; }));
    const found = await page.evaluate(() => {
      const sizes = new Set(), cut = [];
      for (const it of document.querySelectorAll('body *')) {
        if (it.closest('.chart') || ![...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
        sizes.add(getComputedStyle(it).fontSize);
        const isNumber = it.matches('.number, .number *, strong, small, .devices th *');
        if (isNumber && it.scrollWidth > it.clientWidth + 1 && it.clientWidth) cut.push(it.textContent);
      }
      return { sizes: [...sizes].sort(), cut };
    });
    assert.ok(found.sizes.length <= 5, found.sizes.join(' '));
    assert.deepEqual(found.cut, []);
    await close(page);
  },

  async 'the graph can be read at first sight'() {
    for (const [name, repeat] of [['zoo/bert_tiny_cls_op17.onnx', /\d+ × /], ['zoo/resnet50.onnx', null]]) {
      const file = await write(model(name), 'sight');
      const page = await open(file);
      const scale = await page.evaluate(() => Number(document.querySelector('.stage').dataset.scale));
      // The smallest letters of the sheet have 12 pixels.
      assert.ok(scale >= 1, `${name} starts at ${scale}`);
      assert.ok((await page.locator('#legend span').count()) > 2);
      if (repeat) assert.match(await page.locator('#jump').innerText(), repeat);
      await page.click('#fit');
      await close(page);
    }
  },

  async 'the button of the panel follows the state of the box'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'bert'));
    const group = await page.evaluate(() => [...document.querySelectorAll('#jump option')].find((it) => /×/.test(it.textContent)).value);
    await page.selectOption('#jump', group);
    const button = page.locator('#panel .actions button').first();
    assert.equal(await button.textContent(), 'Collapse');
    await page.focus('#canvas');
    await page.keyboard.press('Enter');
    assert.equal(await button.textContent(), 'Expand');
    await button.click();
    assert.equal(await page.locator('#panel .actions button').first().textContent(), 'Collapse');
    await close(page);
  },

  async 'the panel has defaults, documentation and statistics of weights'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'weights', '--weights'), { hash: '#node=%2Fclassifier%2FGemm' });
    const panel = await text(page, '#panel');
    assert.match(panel, /\(default\)/);
    assert.match(panel, /min .* max .* mean .* std /);
    const link = page.locator('#panel a', { hasText: 'Gemm reference' });
    assert.equal(await link.getAttribute('href'), 'https://onnx.ai/onnx/operators/onnx__Gemm.html');
    await close(page);
  },

  async 'on a phone nothing is cut'() {
    const page = await open(await write(model('zoo/bert_tiny_cls_op17.onnx'), 'phone'), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.evaluate(() => document.querySelectorAll('details').forEach((it) => { it.open = true; }));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    // The latency column is in sight, and so are charts as a whole.
    const cell = await page.locator('#device-table tbody tr').first().locator('td:visible').first().boundingBox();
    assert.ok(cell.x + cell.width <= 390, `latency ends at ${cell.x + cell.width}`);
    for (const chart of await page.locator('.chart:visible').all()) {
      const { x, width } = await chart.boundingBox();
      assert.ok(x + width <= 391, `a chart ends at ${x + width}`);
      assert.ok(await chart.evaluate((it) => it.scrollWidth <= it.clientWidth + 1));
    }
    assert.match(await page.locator('#graph-help').innerText(), /pinch/);
    assert.doesNotMatch(await page.locator('#graph-help').innerText(), /double-click/);
    await close(page);
  },

  async 'the summary and inferred shapes are on the page'() {
    const path = model('zoo/t5_tiny_encdec_op17.onnx');
    const page = await open(await write(path, 'reported'));
    const said = await inspect(path);
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
    const folder = join(process.env.FOLDER, 'models');
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
        links: [...document.querySelectorAll('a')].filter((it) => !/^#|^https:\/\/onnx\.ai\/onnx\/operators\/\w+\.html$/.test(it.getAttribute('href'))).length,
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

  async 'axe finds no violation'() {
    for (const name of ['zoo/bert_tiny_cls_op17.onnx', 'zoo/resnet50.onnx', 'zoo/isoforest.onnx', 'hostile/injection_names.onnx']) {
      const file = await write(model(name), 'axe');
      for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 360, height: 740 } }]) {
        const page = await open(file, options);
        await page.focus('#canvas');
        await page.keyboard.press('ArrowDown');
        assert.deepEqual(await violations(page), [], `${name} ${JSON.stringify(options)}`);
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

await runTests(tests);
