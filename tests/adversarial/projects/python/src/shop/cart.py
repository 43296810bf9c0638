"""A cart, what it costs, and its receipt."""

from dataclasses import dataclass, field


def discounted(cents: int, percent: int) -> int:
    """Rounded to the customer's advantage."""
    if not 0 <= percent <= 100:
        raise ValueError("a discount is between 0 and 100 percent")
    return cents - -(-cents * percent // 100)


@dataclass
class Cart:
    lines: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, name: str, cents: int, count: int = 1) -> None:
        if count < 1:
            raise ValueError("count must be positive")
        self.lines.append((name, cents, count))

    @property
    def total(self) -> int:
        return sum(cents * count for _, cents, count in self.lines)

    @property
    def average(self) -> float:
        """Of one piece, in cents."""
        return self.total / sum(count for _, _, count in self.lines)

    def receipt(self) -> str:
        rows = [_row(name, cents, count) for name, cents, count in self.lines]
        return "\n".join([*rows, f"{'total':<10}{self.total / 100:>14.2f}"]) + "\n"


def _row(name: str, cents: int, count: int) -> str:
    return f"{name:<10}{count:>3} x {cents / 100:>8.2f}"
