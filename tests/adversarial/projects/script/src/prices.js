/** Prices as people write them, in cents; and shelf numbers. */

const NUMERALS = [
  [1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'],
  [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I'],
];

/** `1,234.50` or `€ 12` as cents. */
export function parsePrice(text) {
  const digits = text.replaceAll('€', '').replaceAll(',', '').trim();
  const match = /^(\d+)(?:\.(\d*))?$/.exec(digits);
  if (!match) throw new RangeError(`not a price: ${JSON.stringify(text)}`);
  return Number(match[1]) * 100 + Number(`${match[2] ?? ''}00`.slice(0, 2));
}

/** A shelf number. */
export function roman(number) {
  if (number < 1) throw new RangeError('shelves begin at 1');
  let written = '';
  for (const [value, letters] of NUMERALS) {
    written += letters.repeat(Math.floor(number / value));
    number %= value;
  }
  return written;
}
