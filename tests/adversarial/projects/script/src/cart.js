/** A cart, and what it costs. */

/** Rounded to the customer's advantage. */
export function discounted(cents, percent) {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError('a discount is between 0 and 100 percent');
  return cents - Math.ceil((cents * percent) / 100);
}

export class Cart {
  #lines = [];

  add(name, cents, count = 1) {
    if (count < 1) throw new RangeError('count must be positive');
    this.#lines.push({ name, cents, count });
  }

  get lines() {
    return [...this.#lines];
  }

  get total() {
    return this.#lines.reduce((sum, line) => sum + line.cents * line.count, 0);
  }
}
