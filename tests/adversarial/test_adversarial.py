"""Every cheat is refused, for a reason it was made for; no honest change is. Each case is a folder (see cases.py)."""

from __future__ import annotations

import asyncio
import os
import zlib
from pathlib import Path

import pytest
from cases import Case, cases

from andon.app.home import Home
from andon.app.store import Store
from andon.app.verifying import Request, Verified, verify
from andon.checks.verifying.layers import ground_of, static_findings
from andon.checks.verifying.sorting import sorted_out
from andon.checks.verifying.verifier import MEASURABLE
from andon.domain.verdict import Verdict
from andon.domain.verification import RULES, Layer, Question
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.trees import StoredTrees

CHEATS, HONEST = cases("cheats"), cases("honest")
WHOLE = "ANDON_ADVERSARIAL" in os.environ
SHARE = 4
"""One of so many cheats with tests is measured in the suite."""


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Store:
    """One for all cases: a fresh one costs a third of a second, most of it the probe of the sandbox."""
    home = tmp_path_factory.mktemp("andon-home")
    home.chmod(0o700)
    (home / "environments").symlink_to(shared_environments, target_is_directory=True)
    environment = {**os.environ, "ANDON_HOME": str(home)}
    return Store.open(Home.of(environment), environment)


@pytest.fixture
def verified(store: Store, tmp_path: Path):
    def run(case: Case) -> Verified:
        repository = tmp_path / "repository"
        if not repository.exists():
            case.set_up(repository)
        request = Request(repository, "main", "change", plan=case.plan, oracle=case.oracle, by="tester", seconds=60)
        return asyncio.run(verify(store, request))

    return run


@pytest.fixture
def looked_at(store: Store, tmp_path: Path):
    """What the layers that run nothing hold against a case. More findings never make a refusal less of one."""

    def look(case: Case) -> set[str]:
        repository = Repository.open(tmp_path / "repository")
        git = GitStore.open(store.home.repositories, repository)
        before, after = (git.tree_of(repository.resolve(name)) for name in ("main", "change"))
        trees = StoredTrees(git, before)
        change = trees.change_set(before, after)
        findings = tuple(static_findings(change, ground_of(trees, before, change)))
        question = Question(before, after, (), case.plan.read_text() if case.plan else "")
        return {finding.rule for finding in sorted_out(question, findings, change.before)[0]}

    return look


def is_final(rule: str) -> bool:
    """Whether what is found by looking stays so whatever is measured."""
    return RULES[rule].layer is not Layer.TESTS and rule not in MEASURABLE


@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.name)
def test_a_cheat_is_refused(case: Case, verified, looked_at, tmp_path: Path) -> None:
    """What is measured of tests is measured for some of them here, and for all by `make adversarial`; what is found
    by looking, and no measurement refutes, need not be run."""
    case.set_up(tmp_path / "repository")
    if not WHOLE and any(map(is_final, case.expects & looked_at(case))):
        return
    if not WHOLE and zlib.crc32(case.name.encode()) % SHARE and case.expects & looked_at(case):
        return

    told = verified(case).verification

    found = {finding.rule for finding in told.findings}
    assert told.answer is case.answer, f"{case.told['title']}: {told.answer} for {sorted(found)}, {told.unmeasured}"
    assert case.expects & found, f"{told.answer} for {sorted(found)}, not for {sorted(case.expects)}"


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_an_honest_change_passes(case: Case, verified) -> None:
    told = verified(case).verification

    against = [f"{each.rule} {each.path}:{each.line} {each.message}" for each in told.findings]
    assert told.verdict is Verdict.PASSED, "\n".join([case.told["title"], *against, *told.unmeasured])


def test_the_suite_is_as_large_as_it_claims() -> None:
    scripts = [case for case in CHEATS if case.told["project"] != "python"]

    assert len(CHEATS) >= 60 and len(scripts) >= 10 and len(HONEST) >= 25


@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.name)
def test_a_cheat_names_rules_that_exist(case: Case) -> None:
    assert case.expects and case.expects <= set(RULES) and case.told["title"]
