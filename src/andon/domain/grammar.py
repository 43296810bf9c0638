"""How agents' messages are read: objects in them, verdicts, diagnoses, match rates (E-06, E-07).

Every parser answers for any text and none raises; what cannot be read never counts as success.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

# --- objects in messages (E-07) ------------------------------------------------------------------------------------

LONGEST_OBJECT = 1_000_000
"""Characters. A longer one is refused rather than parsed."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a message could not be read; also what the agent is told when it is asked again."""

    problem: str


_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"\s*(?:```[A-Za-z0-9_-]*\s*)?(?=\{)")


def read_object(text: str, keyword: str = "") -> Mapping[str, Any] | Unreadable:
    """The object in a message: plain, fenced, after `keyword`, or with Python's single quotes.

    Prose around the object is tolerated, anything wrong inside it is not. With a keyword the object must follow it.
    Else a message ends with it: the last one in a fence is meant, whatever is fenced before may be a quotation. If that
    one is broken or of another form, no earlier one is believed instead; code behind it is no object.
    """
    if len(text) > LONGEST_OBJECT:
        return Unreadable(f"longer than {LONGEST_OBJECT} characters")
    if keyword:
        _, found, rest = text.partition(keyword)
        return object_after(rest) if found else Unreadable(f"no {keyword}")
    fences = [each.group(1) for each in _FENCE.finditer(text) if "{" in each.group(1)] or [text]
    fenced = ([each for each in fences if each.lstrip().startswith("{")] or fences)[-1]
    start = fenced.find("{")
    return _object_at(fenced, start) if start >= 0 else Unreadable("no object")


def object_after(text: str) -> Mapping[str, Any] | Unreadable:
    """The object with which a text begins, in a fence or not."""
    opening = _OPENING.match(text)
    if opening is None or len(text) > LONGEST_OBJECT:
        return Unreadable("no object where one should follow")
    return _object_at(text, opening.end())


def _object_at(text: str, start: int) -> Mapping[str, Any] | Unreadable:
    try:
        value, _ = json.JSONDecoder(parse_constant=_refuse).raw_decode(text, start)
    except (ValueError, RecursionError) as as_json:
        end = _closing(text, start)
        if end is None:
            return Unreadable("the object is not closed")
        try:
            value = ast.literal_eval(text[start:end])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return Unreadable(f"not a JSON object: {as_json}")
    if not _is_json(value) or not isinstance(value, dict):
        return Unreadable("not a JSON object")
    return cast("dict[str, Any]", value)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _closing(text: str, start: int) -> int | None:
    """Where the bracket opened at `start` is closed, strings in either kind of quotes skipped."""
    depth, quote, position = 0, "", start
    while position < len(text):
        letter = text[position]
        if quote:
            if letter == "\\":
                position += 1
            elif letter == quote:
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > 100:
        return False
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        return all(isinstance(key, str) and _is_json(each, depth + 1) for key, each in pairs)
    if isinstance(value, list):
        return all(_is_json(each, depth + 1) for each in cast("list[object]", value))
    return value is None or isinstance(value, str | bool | int | float)


# --- verdicts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CriticReply:
    approved: bool
    feedback: str = ""
    recognised: bool = True
    """False when there was no verdict and REVISE was assumed."""


@dataclass(frozen=True, slots=True)
class ArchitectReply:
    approved: bool
    domain: str = "other"
    reason: str = ""
    recognised: bool = True


@dataclass(frozen=True, slots=True)
class VerifierReply:
    approved: bool
    reason: str = ""
    recognised: bool = True


_VERDICT = re.compile(r"VERDICT\s*:\s*\**\s*(APPROVE|REVISE|REJECT)(?:D|ED)?(?!\w)")
_DOMAIN = re.compile(r"\bDOMAIN\s*:\s*\**\s*([A-Za-z][A-Za-z_-]*)", re.IGNORECASE)
_DECISION = re.compile(r"(?<!\w)(APPROVE|REJECT)(?:D|ED)?(?!\w)")
_LEADING_DECISION = re.compile(
    r"[*_#`\s✅❌]*(?:(?:final\s+)?(?:verdict|decision|conclusion)[*_`]*\s*[:=]|(?:최종\s*)?(?:판정|결론)[*_`]*\s*[:=])?"
    r"[*_`\s✅❌]*(?-i:(APPROVE|REJECT)(?:D|ED)?)(?=\s*(?:$|[^\w\s]))",
    re.IGNORECASE,
)
"""A label that announces it and bold type may stand before it; what is quoted is somebody else's."""
DOMAINS = ("UI", "component", "style", "build", "compile", "type", "test", "coverage", "security", "logic", "other")
_SPELLING = {domain.casefold(): domain for domain in DOMAINS}
_HEAD_LINES = 5
"""DOMAIN is looked for on the verdict's line or just below it (X-16)."""


def _verdict(text: str) -> tuple[str, str]:
    """The one verdict on the first line ("" when none or several) and the text that goes with it."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    found = {match.group(1) for match in _VERDICT.finditer(first)}
    if len(found) != 1:
        return "", stripped
    last = [*_VERDICT.finditer(first)][-1]
    return found.pop(), rest.strip() or first[last.end() :].strip(" *-:.—–")


def read_critic(text: str) -> CriticReply:
    """Critic and Critic-Lite (A-46, A-52, A-53): the first line decides, anything else means REVISE."""
    verdict, feedback = _verdict(text)
    return CriticReply(verdict == "APPROVE", feedback, recognised=verdict in ("APPROVE", "REVISE"))


def read_architect(text: str) -> ArchitectReply:
    """Architect Gate (A-92, X-16, G-05): unreadable means REJECT, domain other."""
    verdict, reason = _verdict(text)
    return ArchitectReply(verdict == "APPROVE", _domain_of(text), reason, recognised=verdict in ("APPROVE", "REJECT"))


def _domain_of(text: str) -> str:
    head = "\n".join(text.strip().splitlines()[:_HEAD_LINES])
    found = _DOMAIN.search(head)
    return _SPELLING.get(found.group(1).casefold(), found.group(1)) if found else "other"


def read_verifier(text: str) -> VerifierReply:
    """Step 4.2 verifier (A-114): APPROVE or REJECT begins the first line and nothing says otherwise; else REJECT."""
    first, _, rest = text.strip().partition("\n")
    first = first[:500]
    found = _LEADING_DECISION.match(first)
    words = {match.group(1) for match in (*_DECISION.finditer(first), *_VERDICT.finditer(rest))}
    if found is None or len(words) != 1:
        return VerifierReply(approved=False, reason=text.strip(), recognised=False)
    return VerifierReply(found.group(1) == "APPROVE", rest.strip() or first[found.end() :].strip(" *-:.—–"))


# --- diagnosis -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Diagnosis:
    diagnosis: str = ""
    fix_guide: str = ""
    domain: str = "other"
    missing: tuple[str, ...] = ()
    """Labels that were absent, empty, or empty talk; not empty means: ask again (A-111)."""

    @property
    def complete(self) -> bool:
        return not self.missing


_LABEL = re.compile(r"^[ \t>*#-]*(DIAGNOSIS|FIX_GUIDE|DOMAIN)\**\s*:\**[ \t]*", re.MULTILINE)
_AIMLESS = re.compile(
    r"이것저것|try (?:various|different|some|a few|many|other)? ?(?:things|approaches)", re.IGNORECASE
)


def read_diagnosis(text: str) -> Diagnosis:
    """The diagnostician's three labels. The first of each counts; a guide that only says to try things is none."""
    marks = [*_LABEL.finditer(text)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=False):
        found.setdefault(mark.group(1), text[mark.end() : end].strip())
    if _AIMLESS.search(found.get("FIX_GUIDE", "")):
        found["FIX_GUIDE"] = ""
    word = re.match(r"[\s*`]*([A-Za-z][A-Za-z_-]*)", found.get("DOMAIN", ""))
    found["DOMAIN"] = word.group(1) if word else ""
    cause = found.get("DIAGNOSIS", "").partition("\n")[0].strip()
    missing = tuple(label for label in ("DIAGNOSIS", "FIX_GUIDE", "DOMAIN") if not found.get(label))
    domain = _SPELLING.get(found["DOMAIN"].casefold(), found["DOMAIN"]) or "other"
    return Diagnosis(cause, found.get("FIX_GUIDE", ""), domain, missing)


# --- gap -------------------------------------------------------------------------------------------------------------

_PERCENT = r"(?<![\d.,~–—-])(\d{1,3}(?:\.\d+)?)\s?%"
_GAP = re.compile(rf"\bGAP\s*:\s*\**\s*{_PERCENT}", re.IGNORECASE)
_ANY_PERCENT = re.compile(_PERCENT)
_MARK_BEFORE = re.compile(
    r"(?:기준|목표|threshold|target|required|requires|goal|at least|minimum|below|under|above|over|[<>≥≤]=?)\D{0,12}$",
    re.IGNORECASE,
)
_MARK_AFTER = re.compile(
    r"\s{0,2}(?:기준|이상|미만|이하|목표|threshold|target|line|mark|or more|required"
    r"|\((?:기준|목표|threshold|target)\))",
    re.IGNORECASE,
)


def read_gap(text: str) -> float | None:
    """The match rate 0 to 100: the last `GAP: NN%`, or the last percentage that is not the pass mark itself (G-05).

    None means unreadable, which counts as below the threshold.
    """
    labelled = _GAP.findall(text)
    if labelled or re.search(r"^[ \t>*#-]*GAP\s*:", text, re.MULTILINE):
        value = float(labelled[-1]) if labelled else 101.0
    else:
        rates = [
            float(match.group(1))
            for match in _ANY_PERCENT.finditer(text)
            if not _MARK_BEFORE.search(text[max(0, match.start() - 30) : match.start()])
            and not _MARK_AFTER.match(text, match.end())
        ]
        value = rates[-1] if rates else 101.0
    return value if value <= 100 else None


# --- numbers -------------------------------------------------------------------------------------------------------


def read_number(text: str) -> int | None:
    """Of nine digits at most: Python refuses to read very long ones, and nothing here is counted so far."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


_REPETITIONS = re.compile(r"\bREPETITIONS\s*:\s*\**\s*(\d{1,4})\b", re.IGNORECASE)


def read_repetitions(text: str) -> int:
    """Rounds the iterator says it made, by the last `REPETITIONS: N`; at least one (A-128)."""
    found = _REPETITIONS.findall(text)
    return max(1, int(found[-1])) if found else 1
