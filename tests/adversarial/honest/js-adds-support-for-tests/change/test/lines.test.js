import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cartOf } from './carts.js';

test('a cart keeps the order of its lines', () => {
  const names = cartOf(['pear', 99], ['apple', 150, 2]).lines.map((line) => line.name);
  assert.deepEqual(names, ['pear', 'apple']);
});
