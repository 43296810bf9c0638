"""Two machines on one PostgreSQL: each keeps its hands off what is the other's, and says whose it is."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from andon.app.demo import PHASES_TASK, TASK

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]

HOST = socket.gethostname()
ACTS: Mapping[str, tuple[str, ...]] = {
    "resume": ("resume", "ID"),
    "close": ("close", "ID", "--yes"),
    "take over": ("take-over", "ID", "--print"),
    "accept": ("accept", "ID", "scope-000000", "--reason", "it may stay"),
    "fork": ("fork", "ID", "--from", "1"),
    "export": ("evidence", "export", "ID", "elsewhere"),
}


@pytest.fixture
def machines(
    postgres_url: str,
    andon_home: Path,
    tmp_path: Path,
    shared_environments: Path,
    sample_repository: Path,
    run_andon: Callable[..., Any],
) -> Callable[..., Any]:
    """machines("a" or "b", *words): a command on the one or the other. They share the database and nothing else."""
    homes = {"a": andon_home, "b": tmp_path / "andon-home-b"}
    homes["b"].mkdir(mode=0o700)
    (homes["b"] / "environments").symlink_to(shared_environments, target_is_directory=True)

    def on(machine: str, *words: str) -> Any:
        environment = {"ANDON_DATABASE_URL": postgres_url}
        return run_andon(*words, seconds=200, home=homes[machine], cwd=sample_repository, env=environment)

    return on


def test_what_belongs_to_one_machine_the_other_can_look_at_and_not_touch(
    machines: Callable[..., Any], sample_scenario: Path
) -> None:
    # given a run of A that stopped at its budget
    begin = ("auto", TASK, "--runtime", "scripted", "--scenario", str(sample_scenario), "--budget-tokens", "1")
    machines("a", *begin)
    run = json.loads(machines("a", "status", "--json").stdout)
    assert run["status"] == "needs_user"

    # when B looks, then it sees the run as it stands, and whose it is
    seen = machines("b", "status", run["id"], "--json")
    assert (seen.code, json.loads(seen.stdout)["status"]) == (0, "needs_user"), seen.stderr
    assert json.loads(seen.stdout)["machine"] == HOST
    assert f"It belongs to {HOST}" in machines("b", "status", run["id"]).stdout

    # and whatever would touch it is refused, with the name of its machine
    for name, words in ACTS.items():
        refused = machines("b", *(run["id"] if word == "ID" else word for word in words))
        assert refused.code == 3, (name, refused.stdout, refused.stderr)
        assert f"belongs to another machine, {HOST}" in " ".join(refused.stderr.split()), name
    assert json.loads(machines("a", "status", run["id"], "--json").stdout)["leg"] == 1

    # and A goes on with it as if nobody had tried
    done = machines("a", "resume", run["id"], "--budget-tokens", "5000000")
    assert done.code == 0, done.stdout + done.stderr

    # and its evidence holds on A, and is unknown to B: not forged, and not verified either
    assert machines("a", "evidence", "verify", run["id"]).code == 0
    unknown = machines("b", "evidence", "verify", run["id"])
    assert unknown.code == 2 and unknown.stdout.startswith("? "), unknown.stdout
    assert f"signed by a key of {HOST}" in unknown.stdout
    told = json.loads(machines("b", "evidence", "verify", run["id"], "--json").stdout)
    assert (told["intact"], told["breaks"], told["signed_by"]) == (False, [], HOST)


def test_a_run_at_work_on_one_machine_is_not_called_interrupted_on_the_other(
    machines: Callable[..., Any],
    start_andon: Callable[..., Any],
    postgres_url: str,
    sample_repository: Path,
    tmp_path: Path,
    eventually: Callable[..., None],
) -> None:
    scenario = tmp_path / "slow.yaml"
    scenario.write_text("scenario: 1\nrules:\n  - match: {}\n    do: [{sleep: {seconds: 300}}]\n    reply: none\n")
    words = ("auto", TASK, "--runtime", "scripted", "--scenario", str(scenario))
    start_andon(*words, cwd=sample_repository, env={"ANDON_DATABASE_URL": postgres_url})
    eventually(lambda: json.loads(machines("b", "runs", "--json").stdout), seconds=60)
    [run] = json.loads(machines("b", "runs", "--json").stdout)

    assert run["status"] == "running" and run["machine"] == HOST
    refused = machines("b", "resume", run["id"])
    assert refused.code == 3 and "belongs to another machine" in refused.stderr

    # a stop is a row, which its own machine obeys
    assert machines("b", "stop", run["id"]).code == 0
    assert json.loads(machines("a", "status", run["id"], "--json").stdout)["status"] == "stopped"


def test_what_is_approved_on_one_machine_goes_on_where_its_files_are(
    machines: Callable[..., Any],
    start_andon: Callable[..., Any],
    postgres_url: str,
    sample_repository: Path,
    sample_scenario: Path,
    andon_home: Path,
    tmp_path: Path,
    eventually: Callable[..., None],
) -> None:
    # given a task of A that waits for its first review without a process, and A's page
    scenario = str(sample_scenario.with_name("task.yaml"))
    words = ("task", "create", PHASES_TASK, "--type", "modify_app", "--runtime", "scripted", "--scenario", scenario)
    assert machines("a", *words, "--background").code == 0
    [run] = json.loads(machines("a", "runs", "--json").stdout)
    eventually((andon_home / "runs" / run["id"] / "parked").exists, seconds=120)
    start_andon("serve", "--port", "0", cwd=sample_repository, env={"ANDON_DATABASE_URL": postgres_url})
    eventually(lambda: "andon listens on" in (tmp_path / "andon-0.out").read_text(), seconds=60)

    # when a person approves it at B
    approved = machines("b", "task", "approve", run["id"])
    assert approved.code == 0, approved.stderr

    # then A goes on with it
    def phase() -> str:
        return json.loads(machines("a", "status", run["id"], "--json").stdout)["phase"]

    eventually(lambda: phase() == "planning", seconds=120)
    machines("a", "stop", run["id"])
