"""The five-point complexity score, the mode it gives, and the block that shows it (A-38 to A-40).

An agent answers the four rows that need judgement, with reasons; counting and adding up are done here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from andon.domain.auto.mode import Mode
from andon.domain.language import Language

FILES_FOR_A_POINT = 3
MODULES_FOR_A_POINT = 2
_KEYWORD = re.compile(r"(?<![A-Za-z0-9_])ralplan(?![A-Za-z0-9_])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an agent expects of the task, and why."""

    files: tuple[str, ...] = ()
    new_pattern: bool = False
    new_dependency: bool = False
    modules: tuple[str, ...] = ()
    files_reason: str = ""
    pattern_reason: str = ""
    dependency_reason: str = ""
    modules_reason: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    point: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    files: Row
    architecture: Row
    dependencies: Row
    modules: Row
    wish: Row

    @property
    def rows(self) -> tuple[Row, ...]:
        return (self.files, self.architecture, self.dependencies, self.modules, self.wish)

    @property
    def total(self) -> int:
        return sum(row.point for row in self.rows)

    @property
    def mode(self) -> Mode:
        return mode_of(self.total)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the points were given, for the planner's prompt (A-42)."""
        return tuple(row.reason for row in self.rows if row.point and row.reason)


def mode_of(total: int) -> Mode:
    if total <= 1:
        return Mode.LIGHT
    return Mode.STANDARD if total <= 3 else Mode.HEAVY


def score(judgement: Judgement, task: str) -> Score:
    files, modules = _distinct(judgement.files), _distinct(judgement.modules)
    return Score(
        files=Row(int(files >= FILES_FOR_A_POINT), _line(judgement.files_reason) or str(files)),
        architecture=Row(int(judgement.new_pattern), _line(judgement.pattern_reason)),
        dependencies=Row(int(judgement.new_dependency), _line(judgement.dependency_reason)),
        modules=Row(int(modules >= MODULES_FOR_A_POINT), _line(judgement.modules_reason) or str(modules)),
        wish=Row(int(_KEYWORD.search(task) is not None)),
    )


def _distinct(names: tuple[str, ...]) -> int:
    return len({name.strip().removeprefix("./") for name in names if name.strip()})


def _line(reason: str) -> str:
    return " ".join(reason.split())


_BLOCK = {
    Language.KO: """=== 복잡도 판단 ===
파일 범위: {0.point}점 ({0.reason})
아키텍처: {1.point}점 ({1.reason})
의존성:   {2.point}점 ({2.reason})
모듈 영향: {3.point}점 ({3.reason})
사용자 명시: {4.point}점
총점: {total}/5 -> {mode}
===================""",
    Language.EN: """=== Complexity ===
File scope: {0.point} ({0.reason})
Architecture: {1.point} ({1.reason})
Dependencies: {2.point} ({2.reason})
Module impact: {3.point} ({3.reason})
Asked for by the user: {4.point}
Total: {total}/5 -> {mode}
==================""",
}
_NO_REASON = {Language.KO: "근거 없음", Language.EN: "no reason given"}


def score_block(result: Score, language: Language) -> str:
    """The block every run prints (A-39)."""
    rows = [Row(row.point, row.reason or _NO_REASON[language]) for row in result.rows]
    return _BLOCK[language].format(*rows, total=result.total, mode=result.mode.value)
