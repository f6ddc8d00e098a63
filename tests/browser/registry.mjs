// Datasets of many models for the tests of the index and its measurement: the rows of a scan, copied under other names.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { CALIPERS } = process.env;
const fixtures = new URL('../fixtures/', import.meta.url).pathname;

// The rows of all fixtures.
export function scanned(folder) {
  rmSync(folder, { recursive: true, force: true });
  execFileSync(CALIPERS, ['scan', fixtures, '-o', folder, '--format', 'jsonl', '--tables', 'models'], { stdio: 'ignore' });
  const parts = readdirSync(join(folder, 'models'));
  const lines = parts.flatMap((part) => readFileSync(join(folder, 'models', part), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line));
}

const LICENSES = [null, null, null, 'Apache-2.0', 'MIT'];

// A dataset of this many models with its page. One in ten copies has the weights of the one before it.
export function dataset(folder, rows, count) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'models'), { recursive: true });
  const found = [];
  for (let number = 0; number < count; number++) {
    const row = rows[number % rows.length];
    const copy = Math.floor(number / rows.length);
    const name = `copy-${String(copy).padStart(5, '0')}/${row.path.slice(fixtures.length)}`;
    // A figure of its own for each: real models are rarely of exactly one size.
    const scale = (value) => (value === null ? null : value + number);
    const weights = row.weights_digest && `${row.weights_digest.slice(0, -6)}${String(copy - (copy % 10 === 1)).padStart(6, '0')}`;
    found.push({
      ...row, path: `s3://models/${name}`, weights_digest: weights, license: LICENSES[(number + copy) % LICENSES.length],
      parameters: scale(row.parameters), weights_bytes: scale(row.weights_bytes), flops: scale(row.flops), macs: scale(row.macs),
      peak_activation_bytes: scale(row.peak_activation_bytes),
    });
  }
  const part = 'part-00000000000000000000.jsonl';
  writeFileSync(join(folder, 'models', part), found.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const commit = { id: 1, parts: { models: part }, models: {} };
  writeFileSync(join(folder, 'manifest.jsonl'), `${JSON.stringify(commit)}\n`);
  execFileSync(CALIPERS, ['index', folder], { stdio: 'ignore' });
  return { page: join(folder, 'index.html'), rows: found };
}
