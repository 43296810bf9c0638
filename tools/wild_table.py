"""The table of answers: a line per change, and what they come to, with intervals. Computes and renders only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from wild_answers import ASKED, NOT_MEASURED, REFUSED, VERIFIED, Answer
from wild_changes import HONEST, UNDONE

Z = 1.959964
"""Of the normal distribution: 95 %."""
WIDTH = 110


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson: honest also for 0 of few."""
    if not of:
        return 0.0, 1.0
    share = count / of
    middle = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def totals(answers: Sequence[Answer]) -> dict[str, Any]:
    honest = [each for each in answers if each.role == HONEST]
    undone = [each for each in answers if each.role == UNDONE]
    ratios = [each.ratio for each in answers if each.ratio is not None and each.answer != NOT_MEASURED]
    again = [each.same for each in answers if each.same is not None]
    return {
        "honest": _counted(honest),
        "undone": _counted(undone),
        "false alarms": _share(honest, REFUSED),
        "asked": _share(honest, ASKED),
        "not measured": _share(honest, NOT_MEASURED),
        "undone twins accepted": _share(undone, VERIFIED),
        "time ÷ plain suite": {
            "of": len(ratios),
            "median": round(median(ratios), 2) if ratios else None,
            "p90": round(percentile(ratios, 0.9), 2) if ratios else None,
        },
        "answered otherwise when asked again": {"count": again.count(False), "of": len(again)},
    }


def _counted(answers: Sequence[Answer]) -> dict[str, int]:
    return {name: sum(each.answer == name for each in answers) for name in (VERIFIED, ASKED, REFUSED, NOT_MEASURED)}


def _share(answers: Sequence[Answer], name: str) -> dict[str, Any]:
    count = sum(each.answer == name for each in answers)
    return {"count": count, "of": len(answers), "interval": [round(end, 4) for end in wilson(count, len(answers))]}


def as_json(answers: Sequence[Answer], without: Sequence[tuple[str, str]], not_made: Sequence[tuple[str, str]]) -> Any:
    return {
        "kind": "andon.wild",
        "version": 1,
        "changes": [asdict(each) | {"ratio": each.ratio and round(each.ratio, 2)} for each in answers],
        "totals": totals(answers),
        "without_twin": [{"change": title, "because": why} for title, why in without],
        "not_made": [{"change": title, "because": why} for title, why in not_made],
    }


def text(answers: Sequence[Answer], without: Sequence[tuple[str, str]], not_made: Sequence[tuple[str, str]]) -> str:
    widest = max((len(each.change) for each in answers), default=6)
    lines = [f"{'change':{widest}}  {'what':6}  {'answer':12}  {'s':>6}  {'÷':>5}  first reason"]
    for each in answers:
        ratio = f"{each.ratio:.1f}" if each.ratio is not None else "–"
        seconds = each.again if each.again is not None else each.seconds
        mark = "*" if each.built and each.again is None else " "
        reason = each.reason if len(each.reason) <= WIDTH else each.reason[: WIDTH - 1] + "…"
        row = f"{each.change:{widest}}  {each.role:6}  {each.answer:12}  {seconds:6.1f}{mark} {ratio:>5}  {reason}"
        lines.append(row.rstrip())
    lines.append("")
    if any(each.built and each.again is None for each in answers):
        lines += ["* an environment was built in this time, so that it says nothing about verifying", ""]
    lines += _sums(totals(answers))
    for heading, pairs in (("no twin", without), ("could not be made", not_made)):
        if pairs:
            lines += ["", f"{heading}:", *(f"  {title}: {why}" for title, why in pairs)]
    return "\n".join(lines)


def _sums(sums: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for name in ("false alarms", "asked", "not measured", "undone twins accepted"):
        share = sums[name]
        low, high = (100 * end for end in share["interval"])
        lines.append(f"{name:22} {share['count']:3} of {share['of']:3}   95 %: {low:.1f} % to {high:.1f} %")
    time = sums["time ÷ plain suite"]
    if time["of"]:
        lines.append(f"{'time ÷ plain suite':22} median {time['median']:.1f}, p90 {time['p90']:.1f}   of {time['of']}")
    again = sums["answered otherwise when asked again"]
    if again["of"]:
        lines.append(f"{'asked twice':22} {again['count']:3} of {again['of']:3} answered otherwise the second time")
    return lines
