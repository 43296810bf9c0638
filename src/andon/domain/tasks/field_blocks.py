"""Steps and integrations of a workflow's design, each with the fields it says and those it leaves out (D-44, D-45)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.language import announces
from andon.domain.tasks.automation import INTEGRATION_FIELDS, STEP_FIELDS
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import label_of, rows
from andon.domain.tasks.phases import Part

_STEP = re.compile(r"[\s#>*+•_`-]*(?:step|단계)\s*(?P<number>\d+[A-Za-z]?)\s*[:：.)–—-]*\s*(?P<name>.*)", re.IGNORECASE)
_SERVICE = re.compile(r"[\s#>*+•_`-]*(?:service|서비스)(?:\s*\d+)?\s*[*_`]*\s*[:：]\s*(?P<name>.+)", re.IGNORECASE)
_NOTHING = re.compile(r"(?:none|no|n/a|not needed|never|없음|해당 없음|불필요|-)\.?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+|once|twice|한 번|두 번", re.IGNORECASE)


@dataclass(slots=True)
class Block:
    """One step or integration: its name, and the value of each field that it says."""

    name: str
    fields: dict[str, str] = field(default_factory=dict[str, str])


def steps_of(text: str) -> tuple[Block, ...]:
    """Every `Step N: name` with its labelled lines, in prose, lists or fences, and every row of a table (D-44)."""
    return (
        *_blocks(text, _STEP, STEP_FIELDS),
        *_rows(text, STEP_FIELDS, ("step", "단계", "name", "이름")),
    )


def integrations_of(text: str) -> tuple[Block, ...]:
    """Every `Service: name` with its labelled lines, and every row of a table (D-45)."""
    found = _blocks(text, _SERVICE, INTEGRATION_FIELDS)
    for each in found:
        each.fields.setdefault("service", each.name)
    return (*found, *_rows(text, INTEGRATION_FIELDS, ("service", "서비스")))


def _blocks(text: str, opening: re.Pattern[str], fields: Sequence[Part]) -> list[Block]:
    found: list[Block] = []
    level = 0
    inside = False
    for line in read_outline(text):
        if line.kind is Kind.ROW:
            continue
        start = opening.fullmatch(line.text)
        if start and not _is_arrow(line.text):
            found.append(Block(_title(start)))
            level, inside = _level(line), True
        elif line.kind is Kind.HEADING and _level(line) <= (level or 6) and not _field(line.text.strip(" #"), fields):
            inside = False
        elif inside:
            _read(line, found[-1], fields)
    return found


def _title(start: re.Match[str]) -> str:
    number = start.groupdict().get("number")
    name = start["name"].strip(" *_`[]:")
    return f"step {number} ({name})" if number and name else f"step {number}" if number else name


def _is_arrow(text: str) -> bool:
    """A line of a diagram names steps too."""
    return re.search(r"→|->|=>|└|├", text) is not None


def _level(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip(" #")) if line.kind is Kind.HEADING else 0


def _read(line: Line, block: Block, fields: Sequence[Part]) -> None:
    told = label_of(line.text)
    if told and (name := _field(told[0], fields)):
        block.fields[name] = told[1]
        return
    if line.kind is Kind.HEADING:
        if name := _field(line.text.strip(" #"), fields):
            block.fields[name] = ""
        return
    last = next(reversed(block.fields), None)
    if last is not None and not block.fields[last] and line.text.strip(" `~"):
        block.fields[last] = line.text.strip()


def _field(label: str, fields: Sequence[Part]) -> str:
    return next((each.name for each in fields if announces(label, each.names)), "")


def _rows(text: str, fields: Sequence[Part], keys: tuple[str, ...]) -> list[Block]:
    """A table whose first column is the step or the service, and whose others are fields."""
    found: list[Block] = []
    lines = read_outline(text)
    starts = [
        i for i, line in enumerate(lines) if line.kind is Kind.ROW and (i == 0 or lines[i - 1].kind is not Kind.ROW)
    ]
    for start in starts:
        end = next((i for i in range(start, len(lines)) if lines[i].kind is not Kind.ROW), len(lines))
        table = rows(lines[start:end])
        if not table:
            continue
        columns = [_field(cell, fields) for cell in table[0]]
        if not announces(table[0][0], keys) or sum(bool(each) for each in columns) < 2:
            continue
        for row in table[1:]:
            values = {name: cell for name, cell in zip(columns, row, strict=False) if name and cell}
            found.append(Block(row[0], {"service": row[0], **values} if "service" in keys else values))
    return found


def missing_fields(block: Block, fields: Sequence[Part]) -> tuple[str, ...]:
    """Fields that a block leaves out or empty. A retry tells how often and with which delay (D-44, D-45)."""
    missing = [each.name for each in fields if not block.fields.get(each.name)]
    retry = block.fields.get("retry", "")
    if retry and not _NOTHING.fullmatch(retry) and len(_NUMBER.findall(retry)) < 2:
        missing.append("retry with count and delay")
    return tuple(missing)


def step_fields(text: str) -> Criterion:
    """Step and field are named where a step lacks one (D-44)."""
    return _criterion("step_fields", steps_of(text), STEP_FIELDS, "no step is defined")


def integration_fields(text: str) -> Criterion:
    """Service and field are named where an integration lacks one (D-45)."""
    return _criterion("integration_fields", integrations_of(text), INTEGRATION_FIELDS, "no integration is specified")


def _criterion(id: str, blocks: Sequence[Block], fields: Sequence[Part], none: str) -> Criterion:
    if not blocks:
        return Criterion(id, passed=False, detail=none)
    return Criterion.of(id, [f"{each.name} has no {name}" for each in blocks for name in missing_fields(each, fields)])
