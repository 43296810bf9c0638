/** A cart on paper. */

const amount = (cents, width) => (cents / 100).toFixed(2).padStart(width);

export function receipt(cart) {
  const rows = cart.lines.map(
    ({ name, cents, count }) => `${name.padEnd(10)}${String(count).padStart(3)} x ${amount(cents, 8)}`,
  );
  return `${[...rows, `${'total'.padEnd(10)}${amount(cart.total, 14)}`].join('\n')}\n`;
}
