import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';

import { parsePrice, roman } from '../src/index.js';

describe('prices', () => {
  for (const [text, cents] of [['12', 1200], ['1.5', 150], ['1,234.50', 123450], ['€ 3', 300], ['0.99', 99]]) {
    it(`reads ${text} as cents`, () => {
      assert.equal(parsePrice(text), cents);
    });
  }

  it('refuses what is no price', () => {
    for (const text of ['', 'abc', '1.x', '-']) assert.throws(() => parsePrice(text), /not a price/);
  });
});

test('shelves have roman numbers', async (t) => {
  await t.test('small ones', () => {
    assert.equal(roman(4), 'IV');
    assert.equal(roman(9), 'IX');
  });
  await t.test('large ones', () => {
    assert.equal(roman(1994), 'MCMXCIV');
  });
});
