import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';

import { Cart, discounted, parsePrice, roman } from '../src/index.js';

test('limits', async (t) => {
  await t.test('no discount', () => {
    assert.equal(discounted(1, 0), 1);
  });
  await t.test('the first shelf', () => {
    assert.equal(roman(1), 'I');
    assert.throws(() => roman(0), { message: 'shelves begin at 1' });
  });
});

describe('a cart', () => {
  it('gives away no more than a copy of its lines', () => {
    const cart = new Cart();
    cart.lines.push({ name: 'plum', cents: 1, count: 1 });
    assert.deepEqual(cart.lines, []);
  });
});

test('cents may be left out', () => {
  assert.equal(parsePrice('7.'), 700);
});
