"""What a claim of completion must carry, and what makes it void (A-80 to A-88, A-144).

Claims are judged here on parsed data; the builds and tests themselves are measured by andon's checks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.auto.messages import Completed
from andon.domain.limits import AutoLimits

EVIDENCE = ("test_results", "build_results", "lint_results", "self_review")
"""The four texts of the Iron Law; the fifth proof is that all of them are in the message (A-82)."""


class Objection(StrEnum):
    """Why a completion is not accepted."""

    NO_EVIDENCE = "no_evidence"
    UNCERTAIN = "uncertain_language"
    TOO_MANY_ITERATIONS = "too_many_iterations"


@dataclass(frozen=True, slots=True)
class Refusal:
    objection: Objection
    detail: str


class ChangeKind(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class Change:
    kind: ChangeKind
    path: str
    """After the change; for a deletion, what is gone."""
    old_path: str = ""


def refusals(claim: Completed, limits: AutoLimits) -> tuple[Refusal, ...]:
    """Everything that voids the claim; empty means: it may go on to be verified, not that it is true."""
    texts = {name: getattr(claim, name) for name in EVIDENCE}
    found = [Refusal(Objection.NO_EVIDENCE, name) for name, text in texts.items() if not text.strip()]
    found += [
        Refusal(Objection.UNCERTAIN, f'{name}: "{phrase}"')
        for name, text in texts.items()
        for phrase in uncertain(text)
    ]
    if claim.iterations > limits.implementation_iterations:
        found.append(Refusal(Objection.TOO_MANY_ITERATIONS, str(claim.iterations)))
    return tuple(found)


_UNCERTAIN = re.compile(
    r"\bshould (?:now |all |also |still |just |probably )*"
    r"(?:be (?:fine|ok(?:ay)?|good|working)|works?|pass|succeed|build|compile)\b"
    r"|\bprobably\b|\bseems? to\b|\bappears? to\b|\bhopefully\b|\bpresumably\b|\bI (?:think|believe|guess|assume)\b"
    r"|아마(?:도)?(?![가-힣])|것 같(?:다|습니다|아요|음)|것으로 (?:보인|보입|추정|예상)|듯(?:하다|합니다|함)",
    re.IGNORECASE,
)
_TEST_NAME = re.compile(r"\s*(?:[✓✔√✕✗×]|PASS\b|FAIL\b|ok \d|not ok \d|\S+::)")


def uncertain(text: str) -> tuple[str, ...]:
    """Phrases that hope instead of reporting (A-84). Names of test cases, which like to say "should", do not count."""
    claims = "\n".join(line for line in text.splitlines() if not _TEST_NAME.match(line))
    return tuple(dict.fromkeys(match.group() for match in _UNCERTAIN.finditer(claims)))


_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/.+"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*[.-](?:test|spec)|conftest|[^/]*Tests?)\.[A-Za-z0-9]+$"
)


def is_test(path: str) -> bool:
    return _TEST_FILE.search(path) is not None


def deleted_tests(changes: Sequence[Change]) -> tuple[str, ...]:
    """Tests that are gone: deleted, or moved to where no runner looks (A-84)."""
    return tuple(
        change.old_path or change.path
        for change in changes
        if (change.kind is ChangeKind.DELETED and is_test(change.path))
        or (change.kind is ChangeKind.RENAMED and is_test(change.old_path) and not is_test(change.path))
    )


def first_iteration(used: int, limits: AutoLimits) -> int:
    """Where a resumed loop counts from: on from there, or from 1 when most were used up (A-144, X-67)."""
    restart = min(limits.implementation_restart_at, limits.implementation_iterations)
    return used + 1 if 0 <= used < restart else 1


class Place(StrEnum):
    BACKGROUND = "background"
    FOREGROUND = "foreground"


_INSTALL = re.compile(
    r"(?:sudo\s+)?(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add)\b.*"
    r"|(?:sudo\s+)?(?:pip3?|python3?\s+-m\s+pip|uv\s+pip|poetry|pipenv)\s+install\b.*"
    r"|uv\s+sync\b.*|yarn"
)


def place_of(command: str) -> Place:
    """Installing runs in the background; anything whose result is waited for does not (A-88)."""
    parts = [part.strip() for part in re.split(r"&&|\|\||[;|&\n]", command) if part.strip()]
    installs = bool(parts) and all(_INSTALL.fullmatch(part) for part in parts)
    return Place.BACKGROUND if installs else Place.FOREGROUND
