import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Cart, receipt } from '../src/index.js';

test('the receipt is as printed', async () => {
  const cart = new Cart();
  cart.add('apple', 150, 2);
  cart.add('pear', 99);
  const expected = await readFile(new URL('./data/receipt.txt', import.meta.url), 'utf8');
  assert.equal(receipt(cart), expected);
});
