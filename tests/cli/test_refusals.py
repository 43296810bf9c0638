"""What is wrong from the start is told at once: message, hint, exit code, and nothing was changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.app.new_repository import new_repository

SCENARIO = ("--scenario", "scenario.yaml")


def bare(person: Any) -> Path:
    path = person.folder / "bare"
    person.git("clone", "--quiet", "--bare", str(person.repository), str(path), at=person.folder)
    return path


def unborn(person: Any) -> Path:
    path = person.folder / "unborn"
    path.mkdir()
    person.git("init", "--quiet", at=path)
    return path


def orphaned(person: Any) -> Path:
    person.git("checkout", "--quiet", "--orphan", "fresh")
    person.git("rm", "--quiet", "-r", "--cached", ".")
    return person.repository


def dirty(person: Any) -> Path:
    (person.repository / "a.txt").write_text("changed\n")
    (person.repository / "new.txt").write_text("new\n")
    return person.repository


def docs_as_link(person: Any) -> Path:
    (person.repository / "docs").symlink_to("/tmp")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "docs elsewhere")
    return person.repository


def folder(name: str) -> Callable[[Any], Path]:
    def make(person: Any) -> Path:
        path = person.folder / name
        path.mkdir(exist_ok=True)
        return path

    return make


@pytest.mark.parametrize(
    ("place", "message", "hint"),
    [
        (folder("plain"), "is not in a git repository", "git init"),
        (bare, "is a bare repository", "git clone"),
        (unborn, "has no commits yet", "commit once"),
        (orphaned, "has no commits yet", "commit once"),
        (dirty, "uncommitted changes: a.txt, new.txt", "--allow-dirty"),
        (docs_as_link, "docs is a link", "Rename it"),
        (lambda person: person.folder / "nowhere", "is not a folder", ""),
        (lambda person: person.repository / "a.txt", "is not a folder", ""),
    ],
    ids=["no repository", "bare", "no commits", "unborn branch", "dirty", "docs is a link", "no folder", "a file"],
)
def test_a_run_needs_a_repository_it_can_start_from(
    person: Any, place: Callable[[Any], Path], message: str, hint: str
) -> None:
    where = place(person)
    before = person.fingerprint()

    ran = person.auto("--repo", str(where), at=person.folder)

    assert ran.code == 3
    assert ran.stdout == ""
    assert ran.stderr.startswith("andon: ") and message in " ".join(ran.stderr.split())
    assert hint in ran.stderr
    assert person.fingerprint() == before
    assert person.runs() == []


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("auto", "greet", "--scenrio", "x"), "--scenrio", "--scenario"),
        (("atuo", "greet"), "No command `atuo`", "`auto`"),
        (("evidence", "lst"), "lst", "list"),
        (("auto", "greet"), "No agent runtime is set up", "andon demo"),
        (("auto", "greet", "--runtime", "scriptd"), "no runtime `scriptd`", "scripted"),
        (("auto", "greet", "--runtime", "scripted"), "needs a scenario", "--scenario FILE"),
        (("auto", "greet", "--mockup"), "--mockup", ""),
        (("auto", "greet", "--slack", "general"), "--slack takes the id of a channel, not 'general'", "C0123456789"),
        (("auto", "greet", "--slack", "../../C1"), "--slack takes the id of a channel", ""),
        (("auto", "--slack", "C0123456789"), "Say what to do", ""),
        (("auto", "greet", "--budget-tokens", "many"), "--budget-tokens", "andon auto --help"),
        (("auto", "greet", "--budget-tokens", "-5", *SCENARIO), "--budget-tokens should be greater", ""),
        (("status", "zzz"), "No run zzz", "andon runs"),
        (("resume",), "No runs yet", "andon auto"),
        (("task", "show"), "No tasks yet", "andon task create"),
        (("task", "show", "zzz"), "No task zzz", "andon task list"),
        (("answer", "zzz"), "No open question zzz", "andon answer"),
        (("fork", "zzz"), "--from", "andon fork --help"),
        (("runs", "--limit", "0"), "--limit", "andon runs --help"),
        (("trust",), "There is no ", "andon.toml"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_A_04_A_05_G_01_a_mistake_on_the_command_line_is_named(
    person: Any, words: tuple[str, ...], message: str, hint: str
) -> None:
    shutil.copy(person.scenario, person.repository / "scenario.yaml")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "with a scenario")
    before = person.fingerprint()

    ran = person.andon(*words)

    assert ran.code == 3
    assert ran.stdout == ""
    assert ran.stderr.startswith("andon: ") and message in ran.stderr and hint in ran.stderr
    assert person.fingerprint() == before


@pytest.mark.parametrize(
    "words",
    [
        *((word, "greet") for word in ("/auto", "autopilot", "ulw", "ultrawork", "ralph", "RALPH", "/work", "work")),
        ("work", "--loop", "greet"),
        ("/work", "greet", "--loop"),
    ],
    ids=" ".join,
)
def test_A_01_A_02_every_keyword_of_auto_is_auto(person: Any, words: tuple[str, ...]) -> None:
    plain, ran = person.andon("auto", "greet"), person.andon(*words)

    assert ran == plain and "No agent runtime is set up" in ran.stderr


def test_A_02_a_run_begun_as_work_is_one_of_auto(person: Any) -> None:
    ran = person.andon("work", "greet", "--loop", "--scenario", str(person.scenario), "--dry-run")

    assert ran.code == 0, ran.stdout + ran.stderr
    assert [(run["task"], run["pipeline"]) for run in person.runs()] == [("greet", "auto")]


def occupied(person: Any) -> None:
    (person.folder / "repository-worktrees/greet").mkdir(parents=True)
    (person.folder / "repository-worktrees/greet/mine.txt").write_text("mine\n")


def root_is_a_file(person: Any) -> None:
    (person.folder / "repository-worktrees").write_text("mine\n")


def branch(name: str) -> Callable[[Any], None]:
    return lambda person: person.git("branch", name)


def damaged_key(person: Any) -> None:
    (person.home / "keys").mkdir(mode=0o700)
    (person.home / "keys/ledger.ed25519").write_bytes(b"half")


@pytest.mark.parametrize(
    ("arrange", "words", "code", "message", "hint"),
    [
        (occupied, ("--worktree",), 3, "greet exists and is not an empty folder", "move it away"),
        (root_is_a_file, ("--worktree",), 3, "repository-worktrees is not a folder", "worktree_root"),
        (branch("feat"), (), 3, "while there is a branch 'feat'", "git branch -m feat feat-old"),
        (branch("feat/greet/more"), (), 3, "a branch 'feat/greet/more'", "git branch -m feat/greet/more"),
        (damaged_key, (), 4, "is damaged", "backup"),
    ],
    ids=["occupied folder", "root is a file", "branch above", "branch below", "damaged key"],
)
def test_A_05_A_31_a_run_that_could_not_go_on_is_never_there(
    person: Any, arrange: Callable[[Any], None], words: tuple[str, ...], code: int, message: str, hint: str
) -> None:
    arrange(person)
    before = person.fingerprint()

    ran = person.auto(*words)

    assert ran.code == code, ran.stdout + ran.stderr
    assert message in ran.stderr and hint in ran.stderr
    assert person.fingerprint() == before and person.runs() == []
    assert not list(person.home.glob("runs/*"))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("scenario: 1\nrules:\n\t- reply: x\n", ":3: a tab"),
        ("scenario: 1\nrules:\n  - match: {nme: x}\n    reply: y\n", ":3: "),
        ("scenario: 2\nrules: [{reply: x}]\n", ":1: "),
        ("", ":1: the file is empty"),
        (None, ": cannot be read: No such file"),
    ],
    ids=["a tab", "a misspelt key", "a version of the future", "empty", "missing"],
)
def test_a_scenario_that_cannot_be_played_is_told_with_file_and_line(person: Any, text: str | None, place: str) -> None:
    before = person.fingerprint()
    if text is None:
        person.scenario.unlink()
    else:
        person.scenario.write_text(text)

    ran = person.auto()

    assert ran.code == 3
    assert f"{person.scenario}{place}" in ran.stderr
    assert person.fingerprint() == before and person.runs() == []


def test_git_is_needed_and_said_to_be(person: Any, tmp_path: Path) -> None:
    before = person.fingerprint()
    (tmp_path / "bin").mkdir()

    ran = person.auto(env={"PATH": str(tmp_path / "bin")})

    assert ran.code == 4
    assert "cannot start git" in ran.stderr and "install git" in ran.stderr
    assert person.fingerprint() == before and person.runs() == []


def test_without_a_home_folder_andon_says_where_it_could_keep_its_data(person: Any) -> None:
    """Given a user whom no table knows and no HOME, as in many containers."""
    unknown = "import pwd\ndef getpwuid(number): raise KeyError(number)\npwd.getpwuid = getpwuid\n"

    done = subprocess.run(
        [sys.executable, "-c", f"{unknown}import andon.cli.main as m; m.main()", "runs"],
        cwd=person.folder,
        env=person.environment({"HOME": None, "ANDON_HOME": None}),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 4, done.stderr
    assert "no home folder" in done.stderr and "ANDON_HOME" in done.stderr
    assert not (person.folder / "~").exists()


def test_without_HOME_the_table_of_users_knows_the_folder(person: Any) -> None:
    ran = person.andon("runs", "--json", env={"HOME": None})

    assert (ran.code, json.loads(ran.stdout)) == (0, [])


def test_a_wrong_database_address_is_a_mistake_of_usage(person: Any) -> None:
    ran = person.andon("runs", env={"ANDON_DATABASE_URL": "mysql://host/name"})

    assert ran.code == 3 and "ANDON_DATABASE_URL" in ran.stderr


def test_a_database_server_that_is_not_there_is_the_environments_fault(person: Any) -> None:
    ran = person.andon("runs", env={"ANDON_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/andon"})

    assert ran.code == 4 and "ANDON_DATABASE_URL" in ran.stderr


def test_a_damaged_database_is_left_as_it_is(person: Any) -> None:
    database = person.home / "andon.db"
    database.write_bytes(b"this is no database at all, only words\n" * 200)
    before, content = person.fingerprint(), database.read_bytes()

    ran = person.auto()

    assert ran.code == 4
    assert "is damaged" in ran.stderr and "left as it is" in ran.stderr
    assert database.read_bytes() == content and person.fingerprint() == before


def test_a_database_damaged_in_the_middle_is_noticed_when_it_is_read(person: Any) -> None:
    assert person.andon("runs", "--json").code == 0  # makes the database
    database = person.home / "andon.db"
    content = bytearray(database.read_bytes())
    content[8192:-4096] = b"\xff" * (len(content) - 8192 - 4096)
    database.write_bytes(content)

    ran = person.andon("runs")

    assert ran.code == 4 and "is damaged" in ran.stderr


# --- a start that does not come about ---------------------------------------------------------------------------------


def create_app(person: Any, folder: str, *more: str) -> Any:
    return person.andon("task", "create", "--type", "create_app", "A shop for used books", "--into", folder, *more)


def test_D_07_a_start_that_fails_leaves_no_folder_that_blocks_its_retry(person: Any) -> None:
    # Given a runtime that is not installed, a folder that is to be made and one that is there and empty
    (person.folder / "empty").mkdir()
    play = ("--runtime", "scripted", "--scenario", str(person.scenario))
    person.play()

    for name in ("new/shop", "empty"):
        folder = person.folder / name
        refused = create_app(person, str(folder), "--runtime", "codex")

        # Then everything is as it was
        assert refused.code != 0 and "codex" in refused.stderr
        assert not (person.folder / "new").exists() and not any((person.folder / "empty").iterdir())
        assert person.runs() == []

    # And the same command works once the runtime is there
    begun = create_app(person, str(person.folder / "new/shop"), *play)
    assert "not empty" not in begun.stderr and len(person.runs()) == 1


def test_D_07_what_a_killed_start_left_is_taken_over_and_nothing_else_is(person: Any) -> None:
    left, used = (new_repository(person.folder / name) for name in ("left", "used"))
    (used / "notes.txt").write_text("mine\n")
    play = ("--runtime", "scripted", "--scenario", str(person.scenario))
    person.play()

    refused = create_app(person, str(used), *play)
    begun = create_app(person, str(left), *play)

    assert f"{used} is there already, and not empty" in refused.stderr and (used / "notes.txt").exists()
    assert "not empty" not in begun.stderr and [run["repository"] for run in person.runs()] == [str(left)]


def test_a_kind_of_entry_that_there_is_not_is_refused_with_those_that_are_like_it(done: Any) -> None:
    wrong, strange = (done.andon("logs", "--kind", kind) for kind in ("verdikt", "zzz"))

    assert wrong.code == strange.code == 3 and not wrong.stdout
    assert "of the kind verdikt" in wrong.stderr and "Did you mean verdict" in wrong.stderr
    assert "There are" in strange.stderr and "task_created" in strange.stderr
