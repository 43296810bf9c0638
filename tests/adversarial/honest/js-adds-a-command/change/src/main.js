#!/usr/bin/env node
/** `shop 1.50 2.50`: what prices come to. */

import { parsePrice } from './prices.js';

const currency = process.env.SHOP_CURRENCY ?? 'EUR';

try {
  const cents = process.argv.slice(2).reduce((sum, word) => sum + parsePrice(word), 0);
  console.log(`${(cents / 100).toFixed(2)} ${currency}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
