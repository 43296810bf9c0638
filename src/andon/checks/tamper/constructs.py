"""Things in source that product code rarely has a reason for, and which of them a change brings in.

Owns the comparison of both versions. What counts as one is for the modules that read a language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

MOST_SUBJECT = 120
"""Characters of source a subject repeats."""


@dataclass(frozen=True, slots=True)
class Construct:
    rule: str
    message: str
    subject: str
    """Where nothing but its place changed, the same."""
    line: int


def brought_in(
    change: ChangeSet, wanted: Callable[[Changed], bool], scan: Callable[[str, str], Iterable[Construct]]
) -> list[Finding]:
    """What the new versions have and the old ones had not, in this file or, moved here, in another one.

    `scan` is given a path and a text.
    """
    files = [each for each in change if wanted(each)]
    had = Counter(
        (each.rule, each.subject)
        for file in files
        if file.old is not None and (file.after is None or file.new != file.old)
        for each in scan(file.path, file.old)
    )
    findings: list[Finding] = []
    for file in files:
        if file.new is None or file.new == file.old:
            continue
        for each in scan(file.path, file.new):
            key = (each.rule, each.subject)
            had[key] -= 1
            if had[key] < 0:
                findings.append(found(each.rule, each.message, file.path, each.line, each.subject))
    return findings


_COMMAND_PLACE = re.compile(
    r"(?:^|/)(?:cli|cmd|commands?|management|bin|scripts?|tools?|tasks|dev|ci|examples?|docs?|benchmarks?)/"
    r"|(?:^|/)(?:__main__|main|cli|manage|setup|noxfile|tasks|conf|run|cmd|command|commands|console|server|serve|gulpfile"
    r"|wsgi|asgi)\.\w+$"
)
_SUPPORT_PLACE = re.compile(
    r"(?:^|/)(?:testing|test[-_]?(?:utils?|helpers?|support|kit|setup|lib)|fixtures|mocks|__mocks__|stories|pytest_\w+|\w*pytest_plugin)"
    r"(?:/|\.\w+$|\.\w+\.\w+$)|(?:^|/)(?:setup[-_]?tests?|testing[-_]\w+)\.\w+$|\.(?:stories|config|mock|bench)\.[cm]?[jt]sx?$"
)


def of_a_command(path: str) -> bool:
    """Whether people start this file, so that it may end the process and call test runners."""
    return _COMMAND_PLACE.search(path) is not None


def supports_tests(path: str) -> bool:
    """Whether the place says that this is there for tests, though it is none."""
    return _SUPPORT_PLACE.search(path) is not None


def shown(text: str) -> str:
    """Source on one line, cut."""
    flat = " ".join(text[: 4 * MOST_SUBJECT].split())
    return flat if len(flat) <= MOST_SUBJECT else flat[:MOST_SUBJECT] + "…"
