/** Rounded to the customer's advantage. */
export function discounted(cents: number, percent: number): number {
  if (percent >= 0 && percent <= 100) return cents - Math.ceil((cents * percent) / 100);
  throw new RangeError('a discount is between 0 and 100 percent');
}
