"""docs/uam.md cannot lie: its commands are run here, its numbers are the program's, and the demo tells its story."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from andon.domain.uam import artefacts, gates, state
from andon.domain.uam.convergence import MIN_IMPROVEMENT, REGRESSION
from andon.domain.uam_settings import MATURITY_MODES, UamSettings
from homes import make_home
from warm import Finished, warm

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/uam.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
EXPECTED = {
    "resume": 3,  # the newest run is done, and it says so
    "cancel": 3,
    "adopt": 3,  # no session began anything here
}
SECONDS = 100


@dataclass(frozen=True)
class Visited:
    """Where a person has just watched `andon demo --uam`."""

    repository: Path
    environment: dict[str, str]
    entries: list[dict[str, object]]
    shown: str

    def andon(self, *words: str) -> Finished:
        return warm().start(*words, cwd=self.repository, env=self.environment).finish(SECONDS)

    def of(self, kind: str) -> list[dict[str, object]]:
        return [entry["data"] for entry in self.entries if entry["kind"] == kind]  # type: ignore[misc]


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Visited:
    folder = tmp_path_factory.mktemp("uam-reader")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    environment |= {k: v for k, v in os.environ.items() if k.startswith(("UV_", "PIP_", "SSL_CERT"))}
    environment["ANDON_HOME"] = str(make_home(folder / "data", shared_environments))
    shown = warm().start("demo", "--uam", cwd=folder, env=environment).finish(SECONDS)
    assert shown.code == 0, shown.stdout + shown.stderr
    repository = next(folder.glob("andon-demo-*/tally"))
    environment |= {"ANDON_RUNTIME": "scripted", "ANDON_UAM_PLAN_SECONDS": "0"}
    environment["ANDON_SCENARIO"] = str(ROOT / "src/andon/app/sample/uam.yaml")
    there = Visited(repository, environment, [], shown.stdout)
    lines = there.andon("logs", "--json").stdout.splitlines()
    return Visited(repository, environment, [json.loads(line) for line in lines], shown.stdout)


def test_the_demo_shows_a_liar_a_gate_that_stays_shut_and_one_fix_loop(visited: Visited) -> None:
    assert [told["name"] for told in visited.of("claim_refused")] == ["worker-2"]
    assert [told["todo"] for told in visited.of("reconciliation")] == ["TODO-2"]
    assert [(told["gate"], told["passed"]) for told in visited.of("gate")] == [(1, False), (1, True), (2, True)]
    assert [told["strategy"] for told in visited.of("fix_loop")] == ["fix"]
    assert sorted(str(told["number"]) for told in visited.of("todo")) == ["1", "2", "3"]
    assert visited.of("run_ended")[-1]["status"] == "done"


def test_the_demo_says_what_it_played_and_shows_what_came_of_it(visited: Visited) -> None:
    assert visited.shown.startswith("A sample project, agents that play a script")
    for part in (
        '$ andon uam "Add top(n)',
        "The branch: feat/",
        "+    b 2",
        "signatures and chain hold",
        "Have a look",
    ):
        assert part in visited.shown


def test_the_demo_leaves_the_files_that_the_page_lists(visited: Visited) -> None:
    assert "### [x] TODO 3" in (visited.repository / artefacts.PLAN_PATH).read_text()
    told = json.loads((visited.repository / artefacts.OUTPUTS_PATH).read_text())
    assert sorted(each["todo_id"] for each in told) == ["TODO-0", "TODO-1", "TODO-2", "TODO-2", "TODO-3"]
    for path in ("config.json", "report.md", "project-memory.md", "gate-results/gate1-docker.json"):
        assert (visited.repository / ".uam" / path).exists() and path.rpartition("/")[2] in PAGE


@pytest.mark.timeout(300)
def test_every_command_of_the_page_works(visited: Visited) -> None:
    block = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    commands = [line.partition(" #")[0].strip() for part in block for line in part.splitlines()]
    assert len(commands) == 10 and commands[0] == "andon demo --uam"  # which the fixture has run

    for command in commands[1:]:
        words = shlex.split(command)[1:]
        done = visited.andon(*words)
        told = f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.code == EXPECTED.get(words[1], 0), told
        assert "Traceback" not in told


def test_the_page_names_the_real_numbers_phases_and_modes() -> None:
    settings = UamSettings()
    rows = (
        f"| `parallel` | {settings.parallel} |",
        f"| `reconciliations` | {settings.reconciliations} |",
        f"| `fix_loops`, `small_fixes` | {settings.fix_loops}, {settings.small_fixes} |",
        f"| `bugfix_attempts` | {settings.bugfix_attempts} |",
        f"| `total_tokens`, `iteration_tokens` | {settings.total_tokens}, {settings.iteration_tokens} |",
        f"| `plan_seconds`, `direction_seconds` | {settings.plan_seconds:g}, {settings.direction_seconds:g} |",
        f"| `scenario_runs` | {settings.scenario_runs} |",
        f"{gates.FEWEST_RUNS} of {gates.FEWEST_RUNS} or {gates.MOST_RUNS - 1} of {gates.MOST_RUNS} times",
        f"falls by {-REGRESSION:.0%}".replace("%", " %"),
        f"do not rise by {MIN_IMPROVEMENT:.0%}".replace("%", " %"),
        *(f"`{phase}`" for phase in (state.PLAN, state.SPRINT, state.GATE, state.FIX, state.FINALIZE)),
        *(f"| `{mode}` |" for mode in MATURITY_MODES),
    )
    assert [told for told in rows if told not in TEXT] == []


def test_every_file_the_page_links_to_exists() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", PAGE)
    assert linked and [path for path in linked if not (ROOT / "docs" / path).exists()] == []
