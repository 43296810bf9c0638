"""Which headings of a document are work, and which tell about it: usage, examples, notes.

Every heading is a candidate (B-17). Published skills and agents hold much besides their steps; a worker for each
"When to use" would be a team of people with nothing to do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from andon.domain.teams.graph import number_of
from andon.domain.teams.units import Unit

MANY = 12
"""Units from which on a document that gives no order is perhaps none to carry out."""
_STEP = re.compile(r"(?:step|phase|stage|단계|스텝)\s*(?:\d|[A-Z]\b)|\d\s*(?:단계|스텝)", re.IGNORECASE)
_LEAD = re.compile(r"^\s*[\d.)\s:-]+")
_ABOUT = re.compile(
    r"""^(?:
    about|overview|introduction|background|purpose|description|usage|how\ to\ use.*|how\ it\ works|
    when\ (?:not\ )?to\ .*|why\b.*|what\ (?:is|are)\b.*|quick\ (?:start|reference).*|getting\ started|
    (?:usage|code|basic|advanced|more|complete|full|good|bad|common|real[- ]world|workflow)\ examples?.*|examples?\b.*|
    (?:important\ |additional\ )?notes?|(?:pro\ )?tips?\b.*|caveats?|gotchas|faq.*|troubleshooting|
    (?:known\ )?(?:issues|limitations?)|warnings?|best\ practices|(?:key\ |core\ |guiding\ )?principles|
    (?:common\ )?(?:pitfalls|mistakes|failures|patterns)|anti-?patterns|guidelines|rules|constraints|philosophy|
    (?:api\ )?references?|resources|links|see\ also|related\b.*|further\ reading|credits|licen[cs]e|changelog|
    pre-?requisites?|configuration|settings|options|parameters|arguments|flags|environment\ variables|
    available\b.*|supported\b.*|features|capabilities|benefits|integration\ points|
    (?:success\ |acceptance\ )?criteria|(?:final\ )?checklist|metrics|glossary|definitions?|terminology|
    tools?(?:\ usage|\ reference)?|output\ formats?|report\ formats?|formats?|file\ structure|directory\ structure|
    개요|소개|배경|목적|사용법|사용\ 방법|예시.*|예제.*|참고.*|주의.*|유의.*|팁|설정|전제.*|원칙|제약.*|용어.*|관련.*|
    체크리스트|문제\ 해결|자주\ 묻는.*
    )\s*:?$""",
    re.IGNORECASE | re.VERBOSE,
)
_FRAME = re.compile(
    r"(?:the )?(?:phases|steps|stages|workflow|process|pipeline|procedure|instructions|단계|절차|워크플로우):?$",
    re.IGNORECASE,
)


def is_work(unit: Unit) -> bool:
    """It says itself what it takes, makes, waits for or asks: whatever it is called."""
    return bool(unit.inputs or unit.outputs or unit.handoff or unit.asks or unit.sequential)


def tells_about(unit: Unit) -> bool:
    return bool(_ABOUT.match(_LEAD.sub("", unit.title).strip())) and not _STEP.search(unit.title)


def selected(units: Sequence[Unit]) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """What is work, and what is not. A document that would have none left is all work."""
    steps = {unit.id for unit in units if number_of(unit.title) is not None and not tells_about(unit)}
    inside = _below(units, steps)
    numbered = len(steps) > 1
    dropped = {unit.id for unit in units if not is_work(unit) and tells_about(unit)}
    dropped |= _below(units, dropped) - {unit.id for unit in units if is_work(unit)} - steps
    if numbered:
        dropped |= {unit.id for unit in units if unit.id not in steps | inside and not is_work(unit)}
    else:
        dropped |= {unit.id for unit in units if _is_frame(unit, units)}
    kept = tuple(unit for unit in units if unit.id not in dropped)
    if not kept:
        return tuple(units), ()
    here = {unit.id for unit in kept}
    linked = tuple(unit if unit.parent in here else replace(unit, parent="") for unit in kept)
    return linked, tuple(unit for unit in units if unit.id in dropped)


def _below(units: Sequence[Unit], above: set[str]) -> set[str]:
    found = set[str]()
    for unit in units:  # a part stands after what it is a part of
        if unit.parent in above or unit.parent in found:
            found.add(unit.id)
    return found


def _is_frame(unit: Unit, units: Sequence[Unit]) -> bool:
    """A heading over the steps, with nothing of its own."""
    return (
        not unit.body.strip()
        and bool(_FRAME.match(unit.title.strip()))
        and any(each.parent == unit.id for each in units)
    )


def remarks(kept: Sequence[Unit], about: Sequence[Unit]) -> list[str]:
    """What a person should know about the choice."""
    told = list[str]()
    if about:
        names = ", ".join(unit.title for unit in about[:5]) + (" …" if len(about) > 5 else "")
        told.append(f"headings about the document, which are no work: {names}")
    if len(kept) > MANY and not any(number_of(unit.title) or is_work(unit) for unit in kept):
        told.append(
            f"its {len(kept)} parts say neither their order nor what comes out of them: "
            "it is rather something to look up than a workflow"
        )
    return told
