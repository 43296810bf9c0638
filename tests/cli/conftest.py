"""A small repository without a language, agents that need no environment, and a terminal to watch them in."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from andon.app.queries import list_runs, open_questions, open_store
from andon.app.store import Store
from andon.engine.holds import Hold
from homes import make_home
from warm import Command, Finished, outside, warm

SECONDS = 60.0
"""Deadline of everything that is waited for: a loaded machine is slow, a hanging program is slower."""
PLAN = """# Plan
## Background
Somebody wants to be greeted in a friendly way.
## Scope
- the file a.txt
## Affected files
- `a.txt`
## Acceptance criteria
- a.txt says good day
## Risks
- none that we know of
"""
JUDGEMENT = {
    **{"files": ["a.txt"], "files_reason": "one file", "new_pattern": False, "pattern_reason": "none"},
    **{"new_dependency": False, "dependency_reason": "none", "modules": ["a"], "modules_reason": "one"},
}
RULES: dict[str, dict[str, Any]] = {
    "doc-analyst": {"reply": f"Nothing there.\n```json\n{json.dumps(JUDGEMENT)}\n```"},
    "issue-analyst": {"reply": "none"},
    "planner": {"do": [{"write": {"path": "docs/01-plan/greet.plan.md", "text": PLAN}}], "reply": "Planned."},
    "executor": {"do": [{"write": {"path": "a.txt", "text": "good day\n"}}], "reply": "Done."},
    "verifier": {"reply": "VERDICT: APPROVE\nIt does."},
    "reporter": {
        "do": [{"write": {"path": "docs/04-report/greet.report.md", "text": "# Report\nAll well.\n"}}],
        "reply": "Reported.",
    },
}
"""Agents that carry out the task `greet` in LIGHT mode."""


def until(true: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s for: {what}"
        time.sleep(0.05)
    return found


class Person:
    """Someone at a terminal: an empty home folder, a data folder, a repository with one commit, a scenario."""

    def __init__(self, folder: Path, environments: Path) -> None:
        self.folder = folder
        self.home = folder / "andon-home"
        self.repository = folder / "repository"
        self.scenario = folder / "scenario.yaml"
        self.started: list[Command] = []
        make_home(self.home, environments)
        (folder / "user").mkdir()
        self.make_repository(self.repository)
        self.play()

    def make_repository(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", at=path)
        (path / "a.txt").write_text("hello\n")
        self.git("add", "--all", at=path)
        self.git("commit", "--quiet", "--message", "first", at=path)

    def play(
        self, changed: Mapping[str, dict[str, Any]] | None = None, *, without: str = "", task: str = "greet"
    ) -> Path:
        """Write the scenario: the agents of RULES, some of them changed or left out."""
        rules = copy.deepcopy(RULES) | dict(changed or {})
        rules.pop(without, None)
        listed = [{"match": {"name": name}, **rule} for name, rule in rules.items()]
        text = json.dumps({"scenario": 1, "rules": listed}, ensure_ascii=False).replace("greet.", f"{task}.")
        self.scenario.write_text(text)
        return self.scenario

    def environment(self, more: Mapping[str, str | None] | None = None) -> dict[str, str]:
        kept = outside() | {"HOME": str(self.folder / "user"), "ANDON_HOME": str(self.home)}
        changed = kept | dict(more or {})
        return {name: value for name, value in changed.items() if value is not None}

    def git(self, *words: str, at: Path | None = None) -> str:
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        done = subprocess.run(
            ["git", *words],
            cwd=at or self.repository,
            env=self.environment() | names,
            capture_output=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def andon(self, *words: str, at: Path | None = None, env: Mapping[str, str | None] | None = None) -> Finished:
        ran = warm().start(*words, cwd=at or self.repository, env=self.environment(env)).finish(SECONDS)
        assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
        return ran

    def auto(self, *words: str, at: Path | None = None, env: Mapping[str, str | None] | None = None) -> Finished:
        return self.andon("auto", "greet", "--scenario", str(self.scenario), *words, at=at, env=env)

    def start(self, *words: str) -> Command:
        """A command that is still running; killed after the test."""
        with (self.folder / f"out-{len(self.started)}").open("wb") as output:
            command = warm().start(*words, cwd=self.repository, env=self.environment(), output=output)
        self.started.append(command)
        return command

    def until(self, true: Callable[[], Any], what: str) -> Any:
        return until(true, what)

    def runs(self) -> list[dict[str, Any]]:
        """As `andon runs --all --json` lists them, without the cost of a process."""
        with self.store() as store:
            return [view.as_json() for view in list_runs(store, 50, None, whole=True)]

    def journal(self) -> list[dict[str, Any]]:
        """Of the newest run."""
        with self.store() as store:
            [newest, *_] = list_runs(store, 1, None)
            return [asdict(entry) for entry in store.journal.entries(newest.row.id)]

    def questions(self) -> list[Hold]:
        with self.store() as store:
            return open_questions(store)

    @contextmanager
    def store(self) -> Iterator[Store]:
        store = open_store(self.environment())
        try:
            yield store
        finally:
            store.engine.dispose()

    def fingerprint(self, path: Path | None = None) -> dict[str, str]:
        """Every file of the repository, git's own included: equal before and after means that nothing was changed."""
        top = path or self.repository
        found: dict[str, str] = {}
        for each in sorted(top.rglob("*")):
            content = bytes(each.readlink()) if each.is_symlink() else each.read_bytes() if each.is_file() else b""
            found[str(each.relative_to(top))] = hashlib.sha256(content).hexdigest()
        return found


@pytest.fixture(scope="module")
def someone(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Callable[[str], Person]:
    """someone("name"): another person, for as long as the module's tests run. For runs that many of them look at."""
    return lambda name: Person(tmp_path_factory.mktemp(name), shared_environments)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Person:
    """A person whose run is done, for tests that only look."""
    someone = Person(tmp_path_factory.mktemp("done"), shared_environments)
    ran = someone.auto()
    assert ran.code == 0, ran.stdout + ran.stderr
    return someone


@pytest.fixture
def person(tmp_path: Path, shared_environments: Path) -> Iterator[Person]:
    someone = Person(tmp_path, shared_environments)
    yield someone
    for process in someone.started:
        process.terminate()  # a run that is still going stops in an orderly way, its agents with it
    for process in someone.started:
        try:
            process.wait(timeout=SECONDS)
        finally:
            process.kill()


class Terminal:
    """A real terminal of a certain size, with a shell in it (tmux)."""

    def __init__(self, person: Person, columns: int, rows: int) -> None:
        self.columns = columns
        self._name = f"andon-{uuid.uuid4().hex[:12]}"
        environment = person.environment({"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"})
        # Not in the test's folder: the name of a socket has room for 107 bytes.
        self._sockets = tempfile.mkdtemp(prefix="andon-tmux-")
        environment |= {"TMUX_TMPDIR": self._sockets, "PS1": "ready> "}
        self._environment = environment
        shell = ["env", "-i", *(f"{k}={v}" for k, v in environment.items() if k != "TMUX_TMPDIR"), "sh"]
        self._size = ("-x", str(columns), "-y", str(rows))
        self._command = ("-c", str(person.repository), *shell)

    def open(self) -> None:
        self._tmux("new-session", "-d", *self._size, *self._command)
        self._tmux("set-option", "history-limit", "5000")
        self.wait("ready>")

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-f", "/dev/null", "-L", self._name, *words],
            env=self._environment | {"PATH": os.environ["PATH"]},
            capture_output=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        self._tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)

    def screen(self) -> str:
        """Everything that was shown, with what scrolled away; a line that was too long is one line again."""
        return "\n".join(line.rstrip() for line in self._tmux("capture-pane", "-p", "-J", "-S", "-2000").split("\n"))

    def wait(self, text: str) -> str:
        until(lambda: text in self.screen(), f"{text!r} on the screen")
        return self.screen()

    def run(self, *words: str) -> str:
        """Type a command of andon and wait for its end; what it showed."""
        id = uuid.uuid4().hex[:6]
        # The quotes keep the marks out of the command as it is typed.
        self.type(f"echo 'begin'-{id}; {sys.executable} -m andon {' '.join(words)}; echo 'end'-{id}=$?")
        self.wait(f"end-{id}=")
        shown = self.screen()
        return shown[shown.index(f"begin-{id}") + 13 : shown.index(f"end-{id}=")]

    def close(self) -> None:
        subprocess.run(
            ["tmux", "-L", self._name, "kill-server"],
            env=self._environment | {"PATH": os.environ["PATH"]},
            capture_output=True,
            timeout=SECONDS,
        )
        shutil.rmtree(self._sockets, ignore_errors=True)


@pytest.fixture
def terminal(person: Person) -> Iterator[Callable[..., Terminal]]:
    """terminal(columns=80, rows=24): opens one."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    opened: list[Terminal] = []

    def open_terminal(columns: int = 80, rows: int = 24) -> Terminal:
        opened.append(Terminal(person, columns, rows))
        opened[-1].open()
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()


class Disks:
    """Small disks (tmpfs) at folders of the test's choice."""

    def __init__(self) -> None:
        self.folders: list[Path] = []

    def mount(self, folder: Path, size: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
        self.folders.append(folder)

    def bind(self, folder: Path) -> None:
        """The folder as a disk of its own, with what is in it."""
        _mount("--bind", str(folder), str(folder))
        self.folders.append(folder)

    def change(self, folder: Path, options: str) -> None:
        _mount("-o", f"remount,{options}", str(folder))


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, timeout=SECONDS)
    if done.returncode != 0:
        pytest.skip(f"mounting is not possible here: {done.stderr.decode().strip()}")


@pytest.fixture
def disks() -> Iterator[Disks]:
    """What was mounted is taken away after the test."""
    made = Disks()
    yield made
    for folder in reversed(made.folders):
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=SECONDS)
