"""What a plan declares: a finding is excused where the plan says beforehand that this very thing will be done there.

That a plan names a test file is not enough: plans name the files they add tests to. A line must say that something that
exists is changed, removed, skipped or made anew. English and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from andon.domain.auto.linter_settings import hides_files, is_shared, names_linter
from andon.domain.auto.outline import read_outline
from andon.domain.auto.paths import affected_files, named_paths
from andon.domain.verdict import Finding
from andon.domain.verification import RULES, Excuse, Layer

_WORDS = {
    Excuse.CHANGE: re.compile(
        r"\b(?:chang|updat|adapt|adjust|modif|rewrit|rewrot|replac|relax|loosen|lower|correct|edit|alter|migrat|fix)\w*"
        r"|수정|변경|갱신|교체|조정|완화|고친|바꾸|바꿔",
        re.IGNORECASE,
    ),
    Excuse.REMOVE: re.compile(
        r"\b(?:remov|delet|drop|renam|mov|retir|merg|split)\w*|삭제|제거|지운|이동|옮기|이름", re.IGNORECASE
    ),
    Excuse.SKIP: re.compile(r"\b(?:skip|disabl|xfail|expected[ -]to[ -]fail|quarantin)\w*|건너|비활성", re.IGNORECASE),
    Excuse.REGENERATE: re.compile(
        r"\b(?:regenerat|updat|refresh|rebuild|re-record|rerecord|chang)\w*|재생성|갱신|다시 만|변경|수정",
        re.IGNORECASE,
    ),
}


@dataclass(frozen=True, slots=True)
class Declared:
    path: str
    """A file, or a folder with its slash."""
    line: int
    text: str

    def covers(self, path: str) -> bool:
        return path == self.path or (self.path.endswith("/") and path.startswith(self.path))


def declared(plan: str) -> tuple[Declared, ...]:
    """Every line of the plan that names a path, with its words but without its paths."""
    found: list[Declared] = []
    for line in read_outline(plan):
        paths = [each.path for each in named_paths(line.text)]
        rest = line.text
        for path in sorted(paths, key=len, reverse=True):
            rest = rest.replace(path, " ")
        found += [Declared(path, line.number, rest) for path in paths]
    return tuple(found)


def excuse(
    finding: Finding, declarations: Iterable[Declared], plan: str = "", before: Collection[str] | None = None
) -> str:
    """Why a finding is excused, or nothing. What a person alone may accept, no plan excuses.

    `before` are the paths of the base, where they are known: a folder that a plan says is made really is new, and
    where nothing was, settings of runners and linters take nothing back.
    """
    wanted = RULES[finding.rule].excuse
    if wanted is Excuse.NEVER:
        return ""
    if before is not None and not before and RULES[finding.rule].layer is Layer.SETTINGS:
        return "the repository was empty"
    if finding.rule == "linter_settings":
        return _settings_excuse(finding.path, plan, before or ())
    if finding.rule.startswith("dependency") and finding.subject and _names(plan, finding.subject):
        return f"the plan names {finding.subject}"
    for each in declarations:
        if each.covers(finding.path) and (wanted is Excuse.NAMED or _WORDS[wanted].search(each.text)):
            return f"declared in line {each.line} of the plan"
    return ""


def is_declared(path: str, declarations: Iterable[Declared]) -> bool:
    """Whether a line that names the path says that something in it changes."""
    return any(each.covers(path) and _WORDS[Excuse.CHANGE].search(each.text) for each in declarations)


def _settings_excuse(path: str, plan: str, before: Collection[str]) -> str:
    """A file that is not about linters alone is declared where it is said that it is about them. A folder that is made
    brings its settings along."""
    if path in affected_files(plan) and (not is_shared(path) or names_linter(plan, path)):
        return "the plan says that it sets the linter"
    made = [each.path for each in named_paths(plan) if each.new and not each.file and path.startswith(each.path)]
    fresh = any(not any(old.startswith(folder) for old in before) for folder in made)
    return "the plan makes its folder" if fresh and path not in before and not hides_files(path) else ""


def _names(plan: str, subject: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(subject)}(?![\w-])", plan, re.IGNORECASE) is not None
