"""Stories: runs of the real command line on real repositories, each told once per test session and read by many tests.

A story is a YAML file in stories/: the stage (a repository), the task, options, and the rules its agents play. `like`
names a story whose rules follow its own, so that a file says only what is different. `told_by` names the test module
that tells it in a way of its own; the others are told plainly: one command, from beginning to end. A file may hold a
table of stories instead: `bad-agents@hangs` is the row `hangs` of bad-agents.yaml.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.store import Store
from andon.domain.journal import Entry
from andon.domain.run import RunRow
from andon.engine.ledger import Record
from warm import Command, outside, warm

STORIES = Path(__file__).parent / "stories"
SECONDS = 100.0
"""Longest time one command may take on a loaded machine."""
TEST_SECONDS = 300
"""The first test that asks for a story waits for all its commands."""


@dataclass(frozen=True)
class Ran:
    """One command of a person, to its end."""

    words: tuple[str, ...]
    code: int
    stdout: str
    stderr: str


class Story:
    """A repository and a home folder of its own; and what happened there. The data folder is that of all stories."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.home = folder.parent / "andon-home"
        self.user = folder / "user"
        self.bin = folder / "bin"
        self.scenario = folder / "scenario.yaml"
        self.script = _script(name)
        self.commands: list[Ran] = []
        self.facts: dict[str, Any] = {}
        """What the teller saw on the way and nothing records."""
        self._begun: list[Command] = []
        self._store: Store | None = None

    @property
    def repository(self) -> Path:
        return next(self.folder.glob("andon-demo-*/tally"), self.folder / "project")

    @property
    def environment(self) -> dict[str, str]:
        kept = outside()
        path = kept["PATH"] if "gh" in self.script or not shutil.which("gh") else str(self._programs_but_gh())
        own = {"HOME": str(self.user), "ANDON_HOME": str(self.home), "PATH": f"{self.bin}:{path}"}
        return kept | own | self.script.get("environment", {})

    def _programs_but_gh(self) -> Path:
        """Where the tester has GitHub's program: everything on their PATH except that."""
        folder = self.folder / "programs"
        if not folder.exists():
            folder.mkdir()
            for place in reversed(os.environ["PATH"].split(":")):
                for program in Path(place).glob("*"):
                    if program.name != "gh":
                        (folder / program.name).unlink(missing_ok=True)
                        (folder / program.name).symlink_to(program)
        return folder

    # --- before and while it happens --------------------------------------------------------------------------

    def set_up(self) -> None:
        for folder in (self.user, self.bin):
            folder.mkdir(mode=0o700)
        self.scenario.write_text(json.dumps({"scenario": 1, "rules": _rules(self.name)}, ensure_ascii=False))
        if self.script["stage"] == "sample":
            make_sample(self.folder)
        else:
            self.repository.mkdir()
            self.git("init", "--quiet", "--initial-branch=main")
        for path, text in self.script.get("files", {}).items():
            (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
            (self.repository / path).write_text(text)
        if self.script.get("files"):
            self.git("add", "--all")
            self.git("commit", "--quiet", "--message", "The beginning")
        if gh := self.script.get("gh"):
            (self.bin / "gh").write_text(gh)
            (self.bin / "gh").chmod(0o755)

    def auto(self, *words: str) -> Ran:
        return self.andon(*self.auto_words(*words))

    def auto_words(self, *words: str) -> tuple[str, ...]:
        """The command a story begins with."""
        script = self.script
        runtime = ("--runtime", "scripted", "--scenario", str(self.scenario))
        return (*script.get("door", ("auto",)), script["task"], *runtime, *script.get("options", ()), *words)

    def andon(self, *words: str) -> Ran:
        return self.finish(self.begin(*words), words)

    def finish(self, process: Command, words: tuple[str, ...]) -> Ran:
        finished = process.finish(SECONDS)
        ran = Ran(words, finished.code, finished.stdout, finished.stderr)
        self.commands.append(ran)
        return ran

    def begin(self, *words: str) -> Command:
        """The command in a session of its own, as from another terminal; still running."""
        process = warm().start(*words, cwd=self.repository, env=self.environment)
        self._begun.append(process)
        return process

    def until(self, what: str, happened: Callable[[], Any]) -> Any:
        """Wait until something has happened in another process. Fails after a deadline, saying what did not."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if found := happened():
                return found
            time.sleep(0.1)
        raise AssertionError(f"never happened: {what}\n" + "\n".join(f"{e.kind} {e.data}" for e in self.entries()))

    def end(self) -> None:
        for process in self._begun:
            if process.poll() is None:
                process.kill()
                process.wait(timeout=20)
        self.close()

    def close(self) -> None:
        if self._store is not None:
            self._store.engine.dispose()
            self._store = None

    # --- what is left of it -----------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        if self._store is None:
            self._store = open_store(self.environment)
        return self._store

    def entries(self) -> list[Entry]:
        """The journal as it is now; empty before there is a run."""
        if not (self.home / "andon.db").exists():
            return []
        rows = self.store.runs.newest(1, str(self.repository))
        return self.store.journal.entries(rows[0].id) if rows else []

    def seen(self, kind: str, **data: Any) -> list[Entry]:
        """Entries of that kind whose data has these values, as the journal is now."""
        return [e for e in self.entries() if e.kind == kind and data.items() <= e.data.items()]

    @property
    def row(self) -> RunRow:
        return self.store.runs.newest(1, str(self.repository))[0]

    @property
    def worktree(self) -> Path:
        return Path(self.row.spec["worktree"])

    @property
    def status_file(self) -> dict[str, Any]:
        return json.loads((self.repository / "docs/.pdca-status.json").read_text())

    def git(self, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.user), "GIT_CONFIG_NOSYSTEM": "1"}
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
        done = subprocess.run(
            ["git", *identity, *words], cwd=self.repository, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


class Told(Story):
    """A story that is over: the journal does not change any more."""

    def __init__(self, name: str, folder: Path, commands: list[Ran], facts: dict[str, Any]) -> None:
        super().__init__(name, folder)
        self.commands = commands
        self.facts = facts

    @property
    def first(self) -> Ran:
        return self.commands[0]

    @property
    def last(self) -> Ran:
        return self.commands[-1]

    @cached_property
    def journal(self) -> tuple[Entry, ...]:
        return tuple(self.entries())

    @cached_property
    def evidence(self) -> tuple[Record, ...]:
        return tuple(self.store.ledger.records(self.row.id))

    def of(self, kind: str, **data: Any) -> list[Entry]:
        return [e for e in self.journal if e.kind == kind and data.items() <= e.data.items()]

    @property
    def spawned(self) -> list[str]:
        """Names in the order they were spawned."""
        return [e.data["name"] for e in self.of("spawn")]

    @property
    def prompts(self) -> dict[str, str]:
        """By name; the last one where a name was spawned several times."""
        return {e.data["name"]: e.data["prompt"] for e in self.of("spawn")}

    @property
    def phases(self) -> list[str]:
        return [e.data["name"] for e in self.of("phase_entered")]

    @property
    def ending(self) -> Mapping[str, Any]:
        return self.of("run_ended")[-1].data

    def tools(self, name: str) -> list[dict[str, Any]]:
        """What the agents of that name did in their sandbox, as they reported it."""
        found: list[dict[str, Any]] = []
        for spawn in self.of("spawn", name=name):
            place = spawn.data["instance"].partition("/")[2]
            lines = (self.home / "runs" / spawn.run / "orders" / place / "stdout").read_text().splitlines()
            found += [event for event in map(json.loads, lines) if event["type"] == "tool"]
        return found

    def left_behind(self) -> Iterator[Path]:
        """Every file of the story and of the data folder, but not the packages of prepared environments."""
        for top in (self.folder, self.home):
            for place, folders, names in os.walk(top):  # which minds no folder that another story removes meanwhile
                folders[:] = [name for name in folders if name != "environments"]
                yield from (Path(place, name) for name in names)

    def document(self, path: str) -> str:
        """A file as the run's branch has it."""
        return self.git("show", f"{self.row.branch}:{path}")


def _own(name: str) -> dict[str, Any]:
    file, _, row = name.partition("@")
    told = yaml.safe_load((STORIES / f"{file}.yaml").read_text())
    return told["rows"][row] if row else told


def _script(name: str) -> dict[str, Any]:
    own = _own(name)
    return (_script(own["like"]) if "like" in own else {}) | own


def _rules(name: str) -> list[Any]:
    own = _own(name)
    return [*own.get("rules", ()), *(_rules(own["like"]) if "like" in own else ())]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


Procedure = Callable[[Story], object]
WHOLE = "ANDON_TEST_WHOLE" in os.environ
"""Every story will be asked for."""


def plainly(story: Story) -> object:
    """The usual procedure: one command, from beginning to end."""
    return story.auto(*(("--json",) if story.script.get("json") else ()))


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Told]]:
    """story(name, procedure): the story, told by whichever parallel worker comes first."""
    base = tmp_path_factory.getbasetemp()
    shelf = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "andon-stories"
    shelf.mkdir(exist_ok=True)
    read: dict[str, Told] = {}

    def tell(name: str, procedure: Procedure = plainly) -> Told:
        while name not in read:
            with _only_teller(shelf / f"{name}.lock") as mine:
                if mine:
                    read[name] = _told(name, shelf / name, procedure)
            if name not in read and not (WHOLE and _tell_another(shelf)):
                time.sleep(0.1)
        return read[name]

    yield tell
    for told in read.values():
        told.close()


@contextmanager
def _only_teller(path: Path) -> Iterator[bool]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _tell_another(shelf: Path) -> bool:
    """Instead of waiting for a worker that tells the story one wants. False when there is no other left."""
    for file in sorted(STORIES.glob("*.yaml")):
        if (shelf / file.stem / "told.json").exists() or "told_by" in yaml.safe_load(file.read_text()):
            continue
        with _only_teller(shelf / f"{file.stem}.lock") as mine:
            if mine:
                _told(file.stem, shelf / file.stem, plainly)
                return True
    return False


def _told(name: str, folder: Path, procedure: Procedure) -> Told:
    record = folder / "told.json"
    if not record.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        fresh = Story(name, folder)
        fresh.set_up()
        told: dict[str, Any] = {}
        try:
            procedure(fresh)
        except Exception as error:
            # For the tests that read it too: a story that fails is not told again, which would take its time again.
            told["failure"] = f"{type(error).__name__}: {error}"
        finally:
            fresh.end()
        told |= {"commands": [asdict(ran) for ran in fresh.commands], "facts": fresh.facts}
        record.with_suffix(".new").write_text(json.dumps(told))
        record.with_suffix(".new").rename(record)
    told = json.loads(record.read_text())
    assert "failure" not in told, f"the story {name} could not be told: {told['failure']}"
    commands = [Ran(**{**ran, "words": tuple(ran["words"])}) for ran in told["commands"]]
    return Told(name, folder, commands, told["facts"])
