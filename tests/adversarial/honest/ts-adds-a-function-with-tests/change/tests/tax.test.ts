import { expect, test } from 'vitest';

import { withTax } from '../src/cart';

test.each([
  { cents: 999, percent: 10, sum: 1098 },
  { cents: 100, percent: 0, sum: 100 },
])('$cents with $percent percent', ({ cents, percent, sum }) => {
  expect(withTax(cents, percent)).toBe(sum);
});
