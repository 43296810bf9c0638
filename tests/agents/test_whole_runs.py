"""A whole STANDARD run on the real programs: the same scenario leads to the same tree as the scripted runtime does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from stages import PROGRAMS, Program

import andon.app
from andon.app.demo import PHASES_TASK, TASK, make_sample
from andon.app.queries import open_store
from andon.app.store import Store
from andon.app.tasks import Verdict, decide, task_of
from andon.domain.run import Status
from andon.runtimes.identity import IDENTITY
from model_server import ModelServer, Player
from model_server.conversation import Request
from warm import Finished

WHOLE = os.environ.get("ANDON_AGENTS") == "whole"
pytestmark = pytest.mark.skipif(not WHOLE, reason="make agents")
RUNTIMES = ("claude", "codex", "gemini", "opencode", "api-anthropic")


def tree(repository: Path) -> str:
    """Every file of the run's branch, with its content."""
    branches = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)", "refs/heads/feat"],
        cwd=repository,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert len(branches) == 1
    listed = subprocess.run(["git", "ls-tree", "-r", branches[0]], cwd=repository, capture_output=True, text=True)
    return "\n".join(line for line in listed.stdout.splitlines() if "docs/04-report/" not in line)


@pytest.fixture
def played(tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path) -> Path:
    """The repository after the scripted runtime played the scenario."""
    repository = make_sample(tmp_path)
    words = ("auto", TASK, "--runtime", "scripted", "--scenario", str(sample_scenario))
    assert run_andon(*words, cwd=repository, seconds=180).code == 0
    return repository


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", RUNTIMES)
def test_E_02_one_scenario_ends_with_the_same_tree_on_every_runtime_and_in_a_replay_of_it(
    name: str, played: Path, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path
) -> None:
    program, driven, file = PROGRAMS[name], make_sample(tmp_path), tmp_path / "run.yaml"
    with ModelServer(Player(sample_scenario)).serving() as server:
        words = ("auto", TASK, "--runtime", program.runtime, "--record", str(file))
        done = run_andon(*words, cwd=driven, env=_signed_in(program, server.url), seconds=900)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)
    again = make_sample(tmp_path)
    replayed = run_andon("auto", "--replay", str(file), cwd=again, seconds=180)
    assert replayed.code == 0 and "Replayed as recorded" in replayed.stdout, replayed.stdout + replayed.stderr
    assert tree(again) == tree(played)
    text = file.read_text(encoding="utf-8")
    assert "type: tool" in text and "sk-loopback" not in text and str(tmp_path) not in text


@pytest.mark.timeout(600)
def test_E_02_the_judge_of_a_plan_may_be_another_program_than_its_author(
    played: Path, tmp_path: Path, run_andon: Callable[..., Finished], sample_scenario: Path
) -> None:
    driven, home = make_sample(tmp_path), tmp_path / "two"
    home.mkdir()
    (home / "settings.toml").write_text('runtime = "claude"\n[roles.critic]\nruntime = "codex"\n')
    with ModelServer(Player(sample_scenario)).serving() as server:
        environment = _signed_in(PROGRAMS["claude"], server.url)
        done = run_andon("auto", TASK, cwd=driven, home=home, env=environment, seconds=500)

    assert done.code == 0, done.stdout + done.stderr
    assert tree(driven) == tree(played)
    asked = {(request.api, found["role"]) for request in server.seen if (found := _identity(request))}
    assert {api for api, role in asked if role == "critic"} == {"responses"}
    assert {api for api, role in asked if role != "critic"} == {"messages"}


def _identity(request: Request) -> re.Match[str] | None:
    return next((found for turn in request.turns if (found := IDENTITY.search(turn.text))), None)


def _signed_in(program: Program, url: str) -> dict[str, str]:
    return {
        "PATH": f"{program.bin}:{os.environ['PATH']}",
        "ANTHROPIC_API_KEY": "sk-loopback",
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_API_KEY": "sk-loopback",
        "OPENAI_BASE_URL": f"{url}/v1",
        "GEMINI_API_KEY": "sk-loopback",
        "GOOGLE_GEMINI_BASE_URL": url,
    }


UAM_TASK = "Add top(n), the n most frequent words, and a report that prints them as lines of text"
STORIES = Path(__file__).resolve().parents[1] / "pipelines/stories"


@pytest.fixture
def uam_scenario(tmp_path: Path) -> Path:
    """The story of a whole UAM run, whose reviewers all say the same."""
    rules = yaml.safe_load((STORIES / "uam.yaml").read_text(encoding="utf-8"))["rules"]
    [own] = [rule for rule in rules if rule["match"]["name"] == "code-reviewer"]
    rules.append({**own, "match": {"name": "reviewer-*"}})
    path = tmp_path / "uam.yaml"
    path.write_text(json.dumps({"scenario": 1, "rules": rules}, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.timeout(900)
def test_C_47_a_uam_run_on_claude_is_reviewed_by_codex_as_well_and_replays(
    tmp_path: Path, run_andon: Callable[..., Finished], uam_scenario: Path
) -> None:
    driven, home, file = make_sample(tmp_path), tmp_path / "two", tmp_path / "run.yaml"
    home.mkdir()
    (home / "settings.toml").write_text('runtime = "claude"\n[uam]\nreviewers = "codex, gemini"\nplan_seconds = 0\n')
    with ModelServer(Player(uam_scenario)).serving() as server:
        environment = _signed_in(PROGRAMS["claude"], server.url)
        del environment["GEMINI_API_KEY"]  # nobody is signed in there
        words = ("uam", UAM_TASK, "--record", str(file))
        done = run_andon(*words, cwd=driven, home=home, env=environment, seconds=800)

    assert done.code == 0, done.stdout + done.stderr
    review = json.loads((driven / ".uam/gate-results/gate2-review.json").read_text())
    statuses = {row["reviewer"]: row["status"] for row in review["reviewers"]}
    assert statuses == {"uam-code-reviewer": "SHIP", "codex": "SHIP", "gemini": "SKIPPED"}
    asked = {(request.api, found["role"]) for request in server.seen if (found := _identity(request))}
    assert ("responses", "uam-code-reviewer") in asked and ("messages", "uam-worker") in asked
    again = make_sample(tmp_path)
    replayed = run_andon("uam", "--yes", "--replay", str(file), cwd=again, seconds=180)
    assert replayed.code == 0 and "Replayed as recorded" in replayed.stdout, replayed.stdout + replayed.stderr
    assert tree(again) == tree(driven)


@pytest.mark.timeout(900)
def test_D_27_modify_app_on_claude_waits_for_a_person_after_every_phase_and_ends_with_the_same_tree(
    tmp_path: Path, run_andon: Callable[..., Finished]
) -> None:
    scenario = Path(andon.app.__file__).parent / "sample" / "task.yaml"
    trees = list[str]()
    with ModelServer(Player(scenario)).serving() as server:
        for name, more in (("claude", _signed_in(PROGRAMS["claude"], server.url)), ("scripted", {})):
            repository, home = make_sample(tmp_path), tmp_path / name
            words = ("task", "create", "--type", "modify_app", PHASES_TASK, "--runtime", name, "--background")
            words += ("--scenario", str(scenario)) if name == "scripted" else ()
            begun = run_andon(*words, cwd=repository, home=home, env=more, seconds=60)
            assert begun.code == 0, begun.stdout + begun.stderr
            with monkeyed(more):  # whoever approves starts the next process, which needs the same agent
                phases = approve_all(open_store({"ANDON_HOME": str(home)}))
            assert phases == [1, 2, 3, 4], name
            trees.append(tree(repository))

    assert trees[0] == trees[1]
    roles = {found["role"] for request in server.seen if (found := _identity(request))}
    assert roles == {"task-agent", "task-verifier"}


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "http-client-migration"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_B_57_a_team_on_the_real_program_is_measured_reviewed_and_ends_with_the_same_tree(
    name: str, tmp_path: Path, run_andon: Callable[..., Finished]
) -> None:
    scenario, trees = EXAMPLE / "scenario.yaml", list[str]()
    with ModelServer(Player(scenario)).serving() as server:
        for runtime in (name, "scripted"):
            repository = tmp_path / runtime / "project"
            shutil.copytree(EXAMPLE, repository)
            who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
            for words in (("init", "-q"), ("add", "--all"), (*who, "commit", "-qm", "The beginning")):
                subprocess.run(["git", *words], cwd=repository, check=True, timeout=60)
            more = _signed_in(PROGRAMS[name], server.url) if runtime == name else {}
            played = ("--scenario", str(scenario)) if runtime == "scripted" else ()
            words = ("team", "run", "--ralph", "--runtime", runtime, *played)
            done = run_andon(*words, cwd=repository, home=tmp_path / runtime / "home", env=more, seconds=600)
            assert done.code == 0, done.stdout + done.stderr
            trees.append(tree(repository))

    assert trees[0] == trees[1]
    roles = {found["role"] for request in server.seen if (found := _identity(request))}
    assert {"team-worker", "team-reviewer"} <= roles


@contextmanager
def monkeyed(more: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(more)
    yield
    os.environ.clear()
    os.environ.update(before)


def approve_all(store: Store) -> list[int]:
    """Approve every phase; which ones, in order."""
    [run] = store.runs.newest(1)
    phases = list[int]()
    deadline = time.monotonic() + 600
    while not store.runs.get(run.id).status.ended:
        assert time.monotonic() < deadline, [entry.kind for entry in store.journal.entries(run.id)][-5:]
        task = task_of(store, store.runs.get(run.id))
        if task.pending is not None and store.parked(task.run):
            phases.append(task.pending.phase)
            decide(store, task, Verdict(True, "ann"))
        time.sleep(0.1)
    assert store.runs.get(run.id).status is Status.DONE
    return phases
