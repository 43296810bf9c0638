import { formatted } from './prices';

export interface Line {
  readonly name: string;
  readonly cents: number;
  readonly count: number;
}

/** Rounded to the customer's advantage. */
export function discounted(cents: number, percent: number): number {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError('a discount is between 0 and 100 percent');
  return cents - Math.ceil((cents * percent) / 100);
}

export class Cart {
  readonly lines: Line[] = [];

  add(name: string, cents: number, count = 1): void {
    if (count < 1) throw new RangeError('count must be positive');
    this.lines.push({ name, cents, count });
  }

  get total(): number {
    return this.lines.reduce((sum, line) => sum + line.cents * line.count, 0);
  }

  get summary(): string {
    return this.lines.map((line) => `${line.count} ${line.name}: ${formatted(line.cents * line.count)}`).join('\n');
  }
}
