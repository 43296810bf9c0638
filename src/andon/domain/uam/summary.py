"""What a failed Gate 1 tells whoever has to fix it, in at most 500 characters (C-42, C-43)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 500
_CUT = "  - …"


def failure_summary(passed: int, total: int, failed: Sequence[tuple[str, str, str]]) -> str:
    """`failed` are test, kind of error and message. When it is too long, tests are left out before anything else."""
    rate = round(100 * passed / total) if total else 0
    head = f"Gate 1 Results: {passed}/{total} passed ({rate}%)"
    kinds: dict[str, int] = {}
    for _, kind, _ in failed:
        kinds[kind] = kinds.get(kind, 0) + 1
    ranked = sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
    foot = _fitting("Error categories: ", [f"{kind}({count})" for kind, count in ranked], LONGEST - len(head) - 60)
    lines: list[str] = []
    for name, kind, message in failed:
        line = " — ".join(filter(None, (f"  - {name}: {kind}", " ".join(message.split()))))
        if _length(head, foot, [*lines, line]) > LONGEST:
            room = LONGEST - _length(head, foot, [*lines, ""])
            lines += [f"{line[: room - 1]}…" if room > 20 else ""] if not lines else []
            if _length(head, foot, [*lines, _CUT]) <= LONGEST:
                lines.append(_CUT)
            break
        lines.append(line)
    return _told(head, foot, lines)


def _told(head: str, foot: str, lines: Sequence[str]) -> str:
    return "\n".join((head, "", "Failed tests:", *lines, "", foot))


def _length(head: str, foot: str, lines: Sequence[str]) -> int:
    return len(_told(head, foot, lines))


def _fitting(start: str, words: Sequence[str], room: int) -> str:
    shown = start + ", ".join(words)
    while len(shown) > room and len(words) > 1:
        words = words[:-1]
        shown = start + ", ".join(words) + ", …"
    return shown[: max(room, len(start))]
