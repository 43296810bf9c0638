import { describe, expect, it } from 'vitest';

import { formatted, parsePrice } from '../src/prices';

describe('prices', () => {
  it.each([
    ['12', 1200],
    ['1.5', 150],
    ['1,234.50', 123450],
    ['€ 3', 300],
  ])('reads %s as %i cents', (text, cents) => {
    expect(parsePrice(text)).toBe(cents);
  });

  it('refuses what is no price', () => {
    expect(() => parsePrice('abc')).toThrow(RangeError);
    expect(() => parsePrice('')).toThrow('not a price');
  });

  it('writes them for people', () => {
    expect(formatted(1999)).toBe('€ 19.99');
  });
});
