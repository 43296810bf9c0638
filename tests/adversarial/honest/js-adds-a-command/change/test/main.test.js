import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
const shop = (...words) => spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' });

test('prices come to a sum', () => {
  assert.equal(shop('1.50', '2.50').stdout, '4.00 EUR\n');
});

test('what is no price is refused', () => {
  const { status, stderr } = shop('abc');
  assert.equal(status, 1);
  assert.match(stderr, /not a price/);
});
