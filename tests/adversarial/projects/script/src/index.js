export { Cart, discounted } from './cart.js';
export { parsePrice, roman } from './prices.js';
export { receipt } from './receipt.js';
