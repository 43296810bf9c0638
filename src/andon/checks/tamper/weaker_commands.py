"""Commands that a project tests itself with and that no longer fail where they should: scripts, targets, jobs of CI."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from andon.checks.tamper.ci import is_ci
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_RUNNERS = (
    r"pytest|py\.test|unittest|tox|nox|npm|pnpm|yarn|bun|jest|vitest|mocha|\bava\b|\btap\b|tape|node\s+--test|nyc|c8"
    r"|go\s+(?:test|vet)|cargo|mvn|gradle|make|ctest|ruff|flake8|mypy|pyright|tsc|eslint|pre-commit|hatch|pdm|poetry|uv\s+run"
)
_TESTS = re.compile(rf"(?:^|[\s;&|('\"/@-])(?:{_RUNNERS})(?=$|[\s;&|)'\":])")
_FORGIVING = (
    (re.compile(r"\|\|\s*(?:true|:|exit\s+0|echo|printf|exit\s*$|/bin/true)"), "its failure is forgiven"),
    (re.compile(r";\s*(?:true|:|exit\s+0)\s*(?:['\"\])]|$)", re.MULTILINE), "its failure is forgotten"),
    (re.compile(r"^\s*exit\s+0\s*$", re.MULTILINE), "it ends well whatever happened"),
    (re.compile(r"\bset\s+\+(?:\w*e|o\s+errexit)"), "failures no longer end it"),
    (
        re.compile(r"(?:continue-on-error|allow_failure|soft_fail):\s*true|ignore_outcome\s*=\s*true", re.IGNORECASE),
        "its failure counts for nothing",
    ),
    (
        re.compile(r"--(?:exit-zero|passWithNoTests|pass-with-no-tests|allow-empty|no-exit-code)\b"),
        "it ends well without a result",
    ),
    (
        re.compile(r"^\s*-\s*(?!-)(?=\S*(?:pytest|unittest|npm|make|tox|go |cargo|jest|vitest))", re.MULTILINE),
        "its failure is ignored",
    ),
)
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh)$")
_SHEBANG = re.compile(r"#!\s*\S*(?:/|env\s+)(?:ba|z|da|k)?sh\b")
_NOTHING = re.compile(r"\s*(?:@?(?:echo|printf|true|:|exit\s+0)\b[^&|;]*)?\s*$")


def is_runner(name: str) -> bool:
    """Whether a program of this name is one that tests are run by."""
    return re.fullmatch(_RUNNERS, name) is not None and name not in ("make", "npm")


def weakens(old: str, new: str) -> str:
    """Why the new command fails less often than the old one; nothing where it may well fail as often."""
    if not _TESTS.search(old):
        return ""
    if _NOTHING.match(new):
        return "it no longer runs anything"
    for pattern, why in _FORGIVING:
        if len(pattern.findall(new)) > len(pattern.findall(old)):
            return why
    return ""


def weaker_command_findings(change: ChangeSet) -> list[Finding]:
    """Of shell scripts and of CI, whose text is compared; what has values is compared by them (`runner_settings`)."""
    findings: list[Finding] = []
    for each in change:
        if is_ci(each.path):
            why = _weaker_ci(each)
        elif each.old and (_SCRIPT.search(each.path) or _SHEBANG.match(each.old)):
            why = weakens(each.old, each.new or "") if each.new is not None else ""
        else:
            continue
        if why:
            findings.append(found("command_weakened", why, each.path, subject=why))
    return findings


def _weaker_ci(each: Changed) -> str:
    if each.deleted:
        return "nothing of it is run any more" if each.old and _TESTS.search(each.old) else ""
    if each.old is None or each.new is None:
        return ""
    if why := weakens(each.old, each.new):
        return why
    lost = Counter(_test_lines(each.old)) - Counter(_test_lines(each.new))
    return (
        f"`{next(iter(lost))}` is gone, and nothing of CI tests any more" if lost and not _tests_left(each.new) else ""
    )


def _test_lines(text: str) -> Iterator[str]:
    return (" ".join(line.split())[:80] for line in text.splitlines() if _TESTS.search(line))


def _tests_left(text: str) -> bool:
    return any(True for _ in _test_lines(text))
