import { beforeEach, describe, expect, it } from 'vitest';

import { Cart, discounted } from '../src/cart';

describe('a cart', () => {
  let cart: Cart;

  beforeEach(() => {
    cart = new Cart();
    cart.add('apple', 150, 2);
    cart.add('pear', 99);
  });

  it('adds up', () => {
    expect(cart.total).toBe(399);
  });

  it('keeps its lines', () => {
    expect(cart.lines).toEqual([
      { name: 'apple', cents: 150, count: 2 },
      { name: 'pear', cents: 99, count: 1 },
    ]);
  });

  it('refuses a count that is not positive', () => {
    expect(() => cart.add('plum', 10, 0)).toThrow('count must be positive');
  });

  it('has a summary', () => {
    expect(cart.summary).toMatchSnapshot();
  });
});

describe('a discount', () => {
  it('is rounded for the customer', () => {
    expect(discounted(999, 10)).toBe(899);
  });

  it('is not more than everything', () => {
    expect(() => discounted(500, 101)).toThrow(RangeError);
  });
});
