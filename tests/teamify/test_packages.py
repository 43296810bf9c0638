"""Skills, agents and commands as people publish them on npm: scanned, analysed, composed and checked, never executed.

Each package is fetched once, at a pinned version, into `.agents/packages`; its digest is compared.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from andon.app.teams import Look, analyse, check, keep, look_around, propose
from andon.domain.language import Language
from andon.domain.teams.resources import Inventory
from andon.domain.teams.telling import Teller

CACHE = Path(__file__).resolve().parents[2] / ".agents" / "packages"
SECONDS = 300.0


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    digest: str
    skills: int
    agents: int
    commands: int
    problems: int

    def __str__(self) -> str:
        return self.name


PACKAGES = (
    Package(
        "oh-my-claude-sisyphus",
        "5.5.0",
        "339ddb717c14f009947d65e2b47929e23b602e88ea5e7da954146bdb986f58ae",
        43,
        19,
        21,
        0,
    ),
    Package(
        "claude-flow", "3.43.0", "04f76c3bdd22b45bbc30ec0d0fc64ec67e363dff907b768712869e70d3687f80", 38, 108, 154, 2
    ),
    Package(
        "get-shit-done-cc", "1.32.0", "bc37f2b7aabdebfe7321bcc42d7925c307f44dd66ef247bb94f333f352546b4c", 0, 21, 60, 1
    ),
    Package(
        "ecc-universal", "2.0.0", "14b1afb47e1b21041ff852d7540c07393e2c359addd7ee5e0e7889feac6673eb", 197, 64, 84, 0
    ),
)


def fetched(package: Package) -> Path:
    """The package's folder; its scripts never run."""
    target = CACHE / f"{package.name}-{package.version}"
    if target.is_dir():
        return target
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        words = ["npm", "pack", "--ignore-scripts", "--silent", f"{package.name}@{package.version}"]
        done = subprocess.run(words, cwd=work, env=os.environ | {"HOME": work}, capture_output=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr.decode()
        [archive] = Path(work).glob("*.tgz")
        assert hashlib.sha256(archive.read_bytes()).hexdigest() == package.digest, "not what was looked at before"
        with tarfile.open(archive) as packed:
            packed.extractall(work, filter="data")
        try:
            (Path(work) / "package").rename(target)
        except OSError:
            assert target.is_dir()  # another test was faster
    return target


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """A project with nothing in it, and a machine with no programs that could be asked."""
    folder = tmp_path_factory.mktemp("here")
    return folder, {"PATH": str(folder), "HOME": str(folder)}


def documents(found: Inventory) -> list[Path]:
    return [Path(each.path) for each in (*found.skills, *found.agents, *found.commands)]


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_B_02_B_16_B_32_a_published_package_is_scanned_analysed_composed_and_checked(
    package: Package, here: tuple[Path, Mapping[str, str]], tmp_path: Path
) -> None:
    project, environment = here
    folder = fetched(package)

    found = look_around(Look(project, False, (folder,)), environment)

    files = (*found.skills, *found.agents, *found.commands)
    counts = (len(found.skills), len(found.agents), len(found.commands), sum(bool(each.problem) for each in files))
    assert counts == (package.skills, package.agents, package.commands, package.problems)
    assert all(each.name and each.description for each in files), "each says what it is"
    teams = list[tuple[int, int]]()
    for document in documents(found):
        analysis = analyse(document, found)
        proposal = propose(analysis, found, environment)
        keep(proposal, tmp_path / "team.yaml", replace=True)
        checked = check(tmp_path / "team.yaml")
        assert checked.works == proposal.team.works, "what was written is read again as it was"
        assert Teller(Language.KO).proposal(proposal)
        teams.append((len(checked.works), len(checked.members)))
    small = sum(units <= 15 for units, _ in teams)
    assert small > 0.8 * len(teams), f"most documents make no crowd: {sorted(teams)[-5:]}"


def test_B_17_a_skill_with_much_besides_its_phases_has_these_for_work(here: tuple[Path, Mapping[str, str]]) -> None:
    folder = fetched(PACKAGES[0])
    found = look_around(Look(here[0], False, (folder,)), here[1])

    flow = analyse(folder / "skills" / "team" / "SKILL.md", found).workflow

    titles = [unit.title for unit in flow.units]
    assert [title for title in titles if title.startswith("Phase ")] == [
        "Phase 1: Parse Input",
        "Phase 2: Analyze & Decompose",
        "Phase 3: Initialize Team State",
        "Phase 4: Create Tasks",
        "Phase 5: Spawn Teammates",
        "Phase 6: Monitor",
        "Phase 6.5: Stage Transitions (State Persistence)",
        "Phase 7: Completion",
    ]
    assert len(titles) < 14 and "Gotchas" in flow.about
