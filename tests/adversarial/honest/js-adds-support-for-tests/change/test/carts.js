import { Cart } from '../src/index.js';

export function cartOf(...lines) {
  const cart = new Cart();
  for (const line of lines) cart.add(...line);
  return cart;
}
