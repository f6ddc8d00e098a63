// What the tests of pages share: the command, the browser, pages that may neither log an error nor ask for anything,
// and the run of all tests.
//
// scripts/browser sets CALIPERS, CHROMIUM and FOLDER.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const { CALIPERS, CHROMIUM, FOLDER } = process.env;
const require = createRequire(join(FOLDER, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const run = promisify(execFile);
const limits = { maxBuffer: 1 << 28 };
const fixtures = new URL('../fixtures/', import.meta.url).pathname;

// Folders for pages and for screenshots.
export const pages = join(FOLDER, 'pages');
export const screenshots = join(FOLDER, 'screenshots');
for (const folder of [pages, screenshots]) mkdirSync(folder, { recursive: true });

export const model = (name) => join(fixtures, name);
export const command = async (...args) => (await run(CALIPERS, args, limits)).stdout;

export const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

// Opens a page, and notes any error it logs and anything it asks for.
export async function open(file, { hash = '', hasScripts = true, ...options } = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (entry) => ['error', 'warning'].includes(entry.type()) && wrong.push(entry.text()));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || wrong.push(`requested ${request.url()}`));
  page.wrong = wrong;
  await page.goto(`file://${file}${hash}`);
  if (options.javaScriptEnabled === false || !hasScripts) return page;
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 60_000 });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), 'yes');
  return page;
}

// Closes a page, and fails on what was noted.
export async function close(page) {
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

// Runs axe by the debugger, which the page's policy does not bind.
export async function violations(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const result = await session.send('Runtime.evaluate', {
    expression: `axe.run(document).then((it) => JSON.stringify(it.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary)])))`,
    awaitPromise: true,
  });
  return JSON.parse(result.result.value);
}

// Runs the tests, or those whose names contain the first argument; the exit status says whether all passed.
export async function runTests(tests) {
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
}
