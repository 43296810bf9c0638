import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import { Cart, discounted } from '../src/index.js';

describe('a cart', () => {
  let cart;

  beforeEach(() => {
    cart = new Cart();
    cart.add('apple', 150, 2);
    cart.add('pear', 99);
  });

  it('adds up', () => {
    assert.equal(cart.total, 399);
  });

  it('costs nothing when it is empty', () => {
    assert.equal(new Cart().total, 0);
  });

  it('refuses a count that is not positive', () => {
    assert.throws(() => cart.add('plum', 10, 0), RangeError);
  });
});

describe('a discount', () => {
  it('is rounded for the customer', () => {
    assert.equal(discounted(999, 10), 899);
  });

  it('may be everything', () => {
    assert.equal(discounted(500, 100), 0);
  });

  it('is not more than everything', () => {
    assert.throws(() => discounted(500, 101), RangeError);
  });
});
