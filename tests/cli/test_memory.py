"""`andon memory` as people type it: search, list, add, forget; servers only when they are asked for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.cli.text import width
from andon.domain.learning import Lesson
from andon.domain.teams.bulletin import BULLETIN, finding
from andon.domain.teams.shared import Shared, Sort
from andon.memory.learnings import Learnings
from andon.memory.sqlite import Database
from memory_servers import HANGS, OTHER, knowledge_graph, python
from warm import Finished

Andon = Callable[..., Finished]
TOUCHES = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def memory(run_andon: Andon, project: Path, tmp_path: Path) -> Iterator[Callable[..., Finished]]:
    environment = {"HOME": str(tmp_path), "ANDON_HOME": str(tmp_path / "andon"), "USER": "kim"}

    def typed(*words: str, **more: str) -> Finished:
        return run_andon("memory", *words, cwd=project, env=environment | more)

    yield typed


def servers(project: Path, **entries: Any) -> None:
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))


def test_an_empty_memory_says_how_it_is_filled_and_makes_no_file(memory: Andon, tmp_path: Path) -> None:
    listed, searched = memory("list"), memory("search", "leap")

    assert (listed.code, searched.code) == (0, 1)
    assert "Nothing is remembered here yet" in listed.stderr and "andon memory add" in searched.stderr
    assert not (tmp_path / "andon" / "memory").exists()


def test_what_a_person_adds_is_found_with_its_origin_and_forgetting_is_undone(memory: Andon) -> None:
    assert memory("add", "Leap days are refused", "--tag", "dates").stdout == "Remembered: 1  Leap days are refused\n"

    shown = memory("search", "LEAP", "refused").stdout
    assert shown.splitlines()[0] == "   1  Leap days are refused"
    assert "kim" in shown and "by hand" in shown and "#dates" in shown and "learnings" in shown
    assert memory("forget", "1").code == 0
    assert memory("search", "leap").code == 1
    assert "Leap days" in memory("list", "--forgotten").stdout
    assert memory("forget", "1", "--undo").code == 0
    assert memory("search", "leap").code == 0
    missing = memory("forget", "7")
    assert missing.code == 3 and "There is no learning 7" in missing.stderr and "memory list" in missing.stderr


def test_learnings_of_repositories_that_are_gone_are_shown_and_removed_when_a_person_says_so(
    memory: Andon, run_andon: Andon, project: Path, tmp_path: Path
) -> None:
    environment = {"HOME": str(tmp_path), "ANDON_HOME": str(tmp_path / "andon")}
    other, odd = tmp_path / "other", tmp_path / "andon" / "memory" / "odd-123"
    (other / ".git").mkdir(parents=True)
    for text in ("One", "Two"):
        run_andon("memory", "add", text, cwd=other, env=environment)
    memory("add", "Stays")
    odd.mkdir()
    Learnings(odd / "learnings.db").add(Lesson("Of whom?"))
    assert "Every repository with learnings is there." in memory("forget", "--gone").stderr
    shutil.rmtree(other)

    shown, told = memory("forget", "--gone"), json.loads(memory("forget", "--gone", "--json").stdout)
    assert shown.stdout == f"Gone: {other}, 2 learnings\n" and "Nothing was removed. --yes" in shown.stderr
    assert str(odd) in shown.stderr and told["unknown"] == [str(odd)]
    assert told["removed"] is False and Path(told["gone"][0]["folder"]).exists()

    removed = memory("forget", "--gone", "--yes")
    assert (removed.code, removed.stdout) == (0, f"Removed: {other}, 2 learnings\n")
    assert not Path(told["gone"][0]["folder"]).exists() and odd.exists()
    assert "Stays" in memory("list").stdout
    for wrong in ((), ("--yes",), ("1", "--yes"), ("1", "--gone")):
        assert memory("forget", *wrong).code == 3


def test_lines_fit_into_eighty_columns(memory: Andon) -> None:
    memory("add", "왜냐하면 " * 80, "--tag", "long-" * 30)
    memory("add", "x" * 3000)

    listed = memory("list").stdout

    assert max(width(line) for line in listed.splitlines()) <= 80
    assert "…" in listed


def test_B_40_every_hit_begins_with_a_mark_and_what_is_not_shown_is_said(memory: Andon, project: Path) -> None:
    file = project / ".team-artifacts" / "memory.db"
    tags = ("bring-the-findings-together", "a-kind-of-work-with-a-long-name")
    found = [Shared(Sort.DISCOVERY, f"reader-of-the-notes-{number}", f"Fact {number}", tags) for number in range(3)]
    Database(file).share(found, 0)

    told = memory("list", "--most", "2")

    assert "   ·  Fact 2\n" in told.stdout and "   ·  Fact 1\n" in told.stdout
    assert told.stdout.count("discoveries") == 2 and "…" not in told.stdout
    assert "These are the first 2; --most looks for more." in told.stderr


def test_E_28_secrets_are_hidden_where_they_are_kept_and_shown(memory: Andon, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Ab1" * 12
    memory("add", f"Sign in with hunter2hunter2 and {key}", SOME_TOKEN="hunter2hunter2")

    shown = memory("list", "--json").stdout

    assert shown.count("[redacted]") == 2
    [file] = (tmp_path / "andon" / "memory").rglob("learnings.db")
    kept = b"".join(each.read_bytes() for each in file.parent.iterdir())
    assert b"hunter2" not in kept and key.encode() not in kept


def test_B_40_every_layer_of_the_project_answers_and_says_where(memory: Andon, project: Path) -> None:
    (project / ".team-os").mkdir()
    artifacts = project / ".team-os" / "artifacts"
    artifacts.mkdir()
    (artifacts / BULLETIN).write_text(finding("2026-11-17", "reader", "read", "The parser is slow").text())
    found = Shared(Sort.DISCOVERY, "scout", "The parser has no tests", ("gap",))
    Database(artifacts / "memory.db").share([found], 0)
    memory("add", "The parser is old")

    told = json.loads(memory("search", "parser", "--json").stdout)
    structured = json.loads(memory("search", "slow", "--kind", "structured", "--json").stdout)
    alone = json.loads(memory("search", "parser", "--layer", "markdown", "--json").stdout)

    assert {(each["place"], each["by"]) for each in told["hits"]} == {
        ("learnings", "kim"),
        ("discoveries", "scout"),
        (".team-os/artifacts/team_bulletin.md", "reader"),
    }
    assert structured["answered"] == ["markdown"]  # the tables know nothing of it
    assert alone["answered"] == ["markdown"]


def test_B_41_files_of_a_team_that_lead_elsewhere_are_not_read(memory: Andon, project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("The parser has a password")
    (project / ".team-artifacts").mkdir()
    (project / ".team-artifacts" / "team_plan.md").symlink_to(tmp_path / "secret")
    (project / ".team-artifacts" / "team_bulletin.md").symlink_to("/dev/zero")

    told = json.loads(memory("search", "parser", "--json").stdout)

    assert told["hits"] == [] and any("outside" in each["problem"] for each in told["asked"])


def test_B_48_a_server_is_started_only_when_a_person_asks_for_it(memory: Andon, project: Path, tmp_path: Path) -> None:
    servers(project, memory=python(TOUCHES, str(tmp_path / "started")))

    quiet = memory("search", "leap")
    memory("list")
    memory("add", "Leap days")
    assert not (tmp_path / "started").exists() and "--server asks it too" in quiet.stderr

    asked = memory("search", "leap", "--server")
    assert (tmp_path / "started").exists()
    assert asked.code == 0 and "memory cannot be asked" in asked.stderr  # and the tables answer


def test_B_48_a_setting_means_the_persons_own_server_whatever_a_repository_calls_by_its_name(
    memory: Andon, project: Path, tmp_path: Path
) -> None:
    servers(project, memory=python(TOUCHES, str(tmp_path / "theirs")))
    servers(tmp_path, memory=python(TOUCHES, str(tmp_path / "mine")))

    memory("search", "leap", ANDON_MEMORY_SERVER="memory")
    assert (tmp_path / "mine").exists() and not (tmp_path / "theirs").exists()

    memory("search", "leap", "--server", ANDON_MEMORY_SERVER="memory")  # who says so here means what is here
    assert (tmp_path / "theirs").exists()


def test_B_48_the_real_server_remembers_what_a_person_adds(memory: Andon, project: Path, tmp_path: Path) -> None:
    servers(project, kg=knowledge_graph(tmp_path))
    setting = {"ANDON_MEMORY_SERVER": "kg"}  # its name says nothing; a person does

    memory("add", "Deploys happen on Mondays", "--tag", "ops", **setting)
    found = json.loads(memory("search", "deploys", "--kind", "semantic", "--json", **setting).stdout)
    without = json.loads(memory("search", "deploys", "--no-server", "--json", **setting).stdout)

    assert found["answered"] == ["mcp"] and "From: kim" in found["hits"][0]["text"]
    assert without["answered"] == ["sqlite"]


def test_B_48_settings_describe_a_server_that_andon_does_not_know(memory: Andon, project: Path) -> None:
    servers(project, other=python(OTHER))
    told = {"ANDON_MEMORY_SERVER": "other", "ANDON_MEMORY_SEARCH_TOOL": "lookup"}
    arguments = {"ANDON_MEMORY_SEARCH_ARGUMENTS": '{"about": "{words}", "limit": 2}'}

    assert "I know of leap days, 2 times" in memory("search", "leap", "days", **told, **arguments).stdout
    broken = memory("search", "leap", **told, ANDON_MEMORY_SEARCH_ARGUMENTS="[1")
    assert broken.code == 3 and "no JSON object" in broken.stderr


def test_B_48_which_server_is_said_plainly(memory: Andon, project: Path) -> None:
    none = memory("search", "x", "--server")
    servers(project, memory=python(HANGS), mem0=python(HANGS))
    several = memory("search", "x", "--server")
    unknown = memory("search", "x", ANDON_MEMORY_SERVER="nobody")

    assert none.code == 3 and "server-memory" in none.stderr
    assert several.code == 3 and "memory, mem0" in several.stderr
    assert unknown.code == 3 and "has no server nobody" in unknown.stderr


def test_a_repository_cannot_choose_a_server_unless_its_settings_are_trusted(
    memory: Andon, project: Path, tmp_path: Path
) -> None:
    servers(project, memory=python(TOUCHES, str(tmp_path / "started")))
    (project / "andon.toml").write_text('[memory]\nserver = "memory"\n')

    ran = memory("search", "leap")

    assert not (tmp_path / "started").exists() and "not trusted" in ran.stderr
