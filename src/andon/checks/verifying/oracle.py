"""The hidden oracle: cases in a folder outside the repository. The new code is run as a black box, and what it prints
is compared here: what is expected never enters the sandbox, so nothing in it can answer from it.

A case is a table in a TOML file: `run` (a command line), and any of `stdin`, `stdout`, `contains`, `matches`, `exit`.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from andon.domain.errors import UserError
from andon.domain.goal import Goal
from andon.domain.trial import Trial
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import found
from andon.ports import Trials

KEYS = frozenset({"name", "run", "stdin", "stdout", "contains", "matches", "exit"})
MOST_CASES = 500
EXAMPLE = '[[case]] with run = "python -m pkg 2 2" and stdout = "4"'


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    run: tuple[str, ...]
    stdin: str = ""
    stdout: str | None = None
    contains: str = ""
    matches: str = ""
    exit: int = 0

    def objection(self, result: CheckResult, printed: str) -> str:
        """What does not hold, or nothing."""
        if result.exit_code is None:
            return result.reason or "it did not end by itself"
        if result.exit_code != self.exit:
            return f"ended with {result.exit_code} instead of {self.exit}"
        if self.stdout is not None and printed.strip() != self.stdout.strip():
            return "printed something else than expected"
        if self.contains not in printed:
            return "what it printed lacks what is expected"
        if self.matches and not re.search(self.matches, printed):
            return "what it printed does not match what is expected"
        return ""


def read_cases(folder: Path) -> tuple[Case, ...]:
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder", "--oracle names a folder of TOML files with cases.")
    cases = [case for path in sorted(folder.rglob("*.toml")) for case in _cases(path)]
    if not cases:
        raise UserError(f"{folder} has no cases", f"A case looks like this: {EXAMPLE}")
    if len(cases) > MOST_CASES:
        raise UserError(f"{folder} has {len(cases)} cases", f"At most {MOST_CASES} are run.")
    return tuple(cases)


def _cases(path: Path) -> list[Case]:
    try:
        tables = cast("list[Mapping[str, Any]]", tomllib.loads(path.read_text()).get("case", []))
        return [_case(path, number, table) for number, table in enumerate(tables, start=1)]
    except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
        raise UserError(f"{path} cannot be read: {error}", f"A case looks like this: {EXAMPLE}") from error


def _case(path: Path, number: int, table: Mapping[str, Any]) -> Case:
    unknown = sorted(set(table) - KEYS)
    if unknown or "run" not in table:
        raise ValueError(f"case {number}: " + (f"unknown key {unknown[0]!r}" if unknown else "no `run`"))
    run = table["run"]
    re.compile(str(table.get("matches", "")))
    return Case(
        str(table.get("name", f"{path.stem} {number}")),
        tuple(shlex.split(run) if isinstance(run, str) else map(str, run)),
        str(table.get("stdin", "")),
        None if "stdout" not in table else str(table["stdout"]),
        str(table.get("contains", "")),
        str(table.get("matches", "")),
        int(table.get("exit", 0)),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    findings: tuple[Finding, ...]
    """Told without what was expected."""
    results: tuple[CheckResult, ...]
    unmeasured: tuple[str, ...]


async def ask_oracle(tree: str, cases: tuple[Case, ...], trials: Trials) -> Asked:
    asked = await asyncio.gather(*(_asked(tree, number, case, trials) for number, case in enumerate(cases, start=1)))
    findings = [
        found("oracle_failed", f"{case.name}: {result.reason}", subject=case.name)
        for case, result in zip(cases, asked, strict=True)
        if result.verdict is Verdict.FAILED
    ]
    unmeasured = [
        f"oracle {case.name}: {result.reason}"
        for case, result in zip(cases, asked, strict=True)
        if result.verdict is Verdict.NOT_MEASURED
    ]
    return Asked(tuple(findings), tuple(asked), tuple(unmeasured))


async def _asked(tree: str, number: int, case: Case, trials: Trials) -> CheckResult:
    goal = Goal("oracle", commands=(case.run,), stdin=case.stdin)
    tried = await trials.run(Trial(f"oracle-{number}", tree, goal, proves=True))
    if tried.result.exit_code is None or tried.result.environment_error:
        return replace(tried.result, verdict=Verdict.NOT_MEASURED)
    objection = case.objection(tried.result, tried.printed)
    return replace(tried.result, verdict=Verdict.FAILED if objection else Verdict.PASSED, reason=objection)
