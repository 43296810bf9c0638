/** `1,234.50` or `€ 12` as cents. */
export function parsePrice(text: string): number {
  const digits = text.replace(/[€,]/g, '').trim();
  const match = /^(\d+)(?:\.(\d*))?$/.exec(digits);
  if (!match) throw new RangeError(`not a price: ${JSON.stringify(text)}`);
  return Number(match[1]) * 100 + Number(`${match[2] ?? ''}00`.slice(0, 2));
}

export function formatted(cents: number): string {
  return `€ ${(cents / 100).toFixed(2)}`;
}
