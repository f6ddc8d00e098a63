// Renders drawings with Mermaid in a browser. For each model: the text is taken without an error,
// there is a box for each box of the JSON with just its words, no element or attribute that could
// run anything, and nothing ran.
//
// Run by scripts/browser, which sets CALIPERS, CHROMIUM and FOLDER.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { hostileModels } from './hostile.mjs';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const screenshots = join(FOLDER, 'screenshots');
const run = promisify(execFile);

// Elements that a diagram is made of. Anything else came out of a name.
const ELEMENTS = new Set(
  'svg g style defs marker path rect polygon circle line text tspan foreignobject div span p br filter fedropshadow lineargradient stop'.split(' '),
);

function models() {
  const fixtures = new URL('../fixtures/', import.meta.url).pathname;
  const found = ['zoo', 'hostile'].flatMap((part) =>
    readdirSync(join(fixtures, part))
      .filter((name) => name.endsWith('.onnx'))
      .map((name) => ({ name: `${part}-${name.slice(0, -5)}`, path: join(fixtures, part, name) })),
  );
  const folder = join(FOLDER, 'models');
  mkdirSync(folder, { recursive: true });
  const hostile = hostileModels().map(([name, bytes]) => {
    const path = join(folder, `${name}.onnx`);
    writeFileSync(path, bytes);
    return { name, path };
  });
  // The shared zoo is looked at as well where it is named, for its charts.
  const extra = (process.env.MODELS ?? '').split(' ').filter(Boolean);
  return [...found, ...hostile, ...extra.map((path) => ({ name: path.split('/').pop().slice(0, -5), path }))];
}

// The diagram and the operator flow, each as Mermaid text and as JSON; nothing if the file is not a model. The text of the
// diagram is taken from the card, as a page that shows the card would take it; the card lists the flow as text.
async function drawn(path) {
  const call = async (...words) => (await run(CALIPERS, words, { maxBuffer: 1 << 26 })).stdout;
  const diagram = (format, ...flow) => call('diagram', path, '--format', format, ...flow);
  try {
    const [card, text, json, flow, flowJson] = await Promise.all([
      call('card', path, '--sections', 'diagram'),
      diagram('mermaid'), diagram('json'), diagram('mermaid', '--flow'), diagram('json', '--flow'),
    ]);
    const fenced = [...card.matchAll(/^```mermaid\n([^]*?)\n```$/gm)].map((found) => found[1]);
    const network = JSON.parse(json);
    if (network.boxes.length && !fenced.includes(text.trimEnd())) throw new Error(`${path}: the card has another diagram`);
    const shown = fenced.find((block) => block === text.trimEnd()) ?? text;
    return [{ text: shown, diagram: network }, { text: flow, diagram: JSON.parse(flowJson) }];
  } catch (error) {
    if (error.code === 1 && String(error.stderr).startsWith('error:')) return null;
    throw error;
  }
}

// In the page: renders, and returns its contents. `SECURITY` is Mermaid's laxest, the worst case.
async function render(text) {
  const { svg } = await window.mermaid.render('diagram', text);
  document.body.innerHTML = svg;
  const root = document.querySelector('svg');
  const all = [...root.querySelectorAll('*')];
  const labels = (selector) => [...root.querySelectorAll(selector)].map((label) => label.textContent);
  return {
    role: root.getAttribute('aria-roledescription'),
    boxes: Object.fromEntries(
      [...root.querySelectorAll('g.node')].map((node) => [/-b(\d+)-/.exec(node.id)?.[1], node.textContent]),
    ),
    arrows: root.querySelectorAll('path.flowchart-link').length,
    words: labels('g.edgeLabel'),
    elements: [...new Set(all.map((element) => element.tagName.toLowerCase()))],
    attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))],
    links: all.filter((element) => element.hasAttribute('href') || element.hasAttribute('xlink:href')).length,
    ran: window.ran,
    width: root.getBoundingClientRect().width,
  };
}

// What can be seen of a text, without regard to how lines are broken.
const seen = (text) => text.replace(/[\s\u200b]+/g, '');

// What the diagram says of characters that nobody sees, and of what is too long.
function shown(text) {
  const hidden = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
  const letters = [...text];
  const cut = letters.length > 90 ? [...letters.slice(0, 59), '…', ...letters.slice(-30)] : letters;
  return cut.join('').replace(hidden, '\ufffd');
}

function faults(found, diagram) {
  const faults = [];
  const fault = (holds, words) => holds || faults.push(words);
  fault(found.role?.startsWith('flowchart'), `it is drawn as ${found.role}`);
  diagram.boxes.forEach((box, number) => {
    const times = (box.times ?? 1) > 1 ? `${box.times} × ` : '';
    const wanted = seen(times + shown(box.label) + shown(box.detail ?? ''));
    fault(seen(found.boxes[number] ?? '(no box)') === wanted, `box ${number}: ${found.boxes[number]} for ${wanted}`);
  });
  fault(Object.keys(found.boxes).length === diagram.boxes.length, 'boxes that nobody drew');
  fault(found.arrows === diagram.arrows.length, `${found.arrows} arrows of ${diagram.arrows.length}`);
  const words = found.words.map(seen).filter(Boolean).sort().join('|');
  const wanted = diagram.arrows.map((arrow) => seen(shown(arrow.label ?? ''))).filter(Boolean).sort().join('|');
  fault(words === wanted, `words on arrows: ${words} for ${wanted}`);
  const strange = found.elements.filter((element) => !ELEMENTS.has(element));
  fault(strange.length === 0, `elements ${strange}`);
  fault(!found.attributes.some((name) => /^on/i.test(name)), 'an attribute that runs something');
  fault(found.links === 0, 'a link');
  fault(found.ran === undefined, `a name ran: ${found.ran}`);
  return faults;
}

rmSync(screenshots, { recursive: true, force: true });
mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
await page.route('**/*', (route) => route.abort());
await page.setContent('<!doctype html><body></body>');
await page.addScriptTag({ path: require.resolve('mermaid/dist/mermaid.min.js') });
await page.evaluate(() => window.mermaid.initialize({ startOnLoad: false, securityLevel: 'loose' }));

let passed = 0;
let failed = 0;
let left = 0;
const queue = models();
// The command reads the next model while the browser renders this one.
let next = drawn(queue[0].path);
for (const [number, { name }] of queue.entries()) {
  const both = await next;
  next = number + 1 < queue.length ? drawn(queue[number + 1].path) : null;
  next?.catch(() => {});
  if (!both) {
    left += 2;
    continue;
  }
  for (const [kind, model] of both.entries()) {
    const title = kind ? `${name}-flow` : name;
    let wrong;
    try {
      const found = await page.evaluate(render, model.text);
      wrong = faults(found, model.diagram);
    } catch (error) {
      wrong = [String(error.message ?? error).split('\n')[0]];
    }
    if (process.env.SCREENSHOTS || wrong.length) {
      const file = join(screenshots, `${title.replace(/[^\w.-]/g, '_')}.png`);
      await page.locator('svg').first().screenshot({ path: file }).catch(() => {});
    }
    if (wrong.length) {
      failed += 1;
      console.log(`${title}: ${wrong.join('; ')}`);
    } else {
      passed += 1;
    }
  }
}
await browser.close();
console.log(`drawings: ${passed} passed, ${failed} failed, ${left} of files that are no models`);
process.exitCode = failed ? 1 : 0;
