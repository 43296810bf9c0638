"""Changes that nobody here wrote, as git repositories: releases out of archives, and histories out of a folder.

Each honest change has an undone twin: its tests, on the product code from before it. Repositories of people are cloned,
never written to.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wild_archives import archive, unpack

HONEST, UNDONE = "honest", "undone"
SECONDS = 300
_TEST_FOLDERS = re.compile(r"(^|/)(tests?|__tests__|specs?)/")
_TEST_FILES = re.compile(
    r"(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.py$|[.-](test|spec)\.[cm]?[jt]sx?$|_test\.go$|(^|/)[^/]*Test\.java$"
)
_TEST_AT_THE_TOP = re.compile(r"^[^/]*tests?\.([cm]?[jt]sx?|py)$")
_CODE = re.compile(r"\.(py|pyi|pyx|pxd|c|h|cc|cpp|rs|go|java|[cm]?[jt]sx?)$")
# Code that builds, documents or measures a project is not what its tests look at.
_BESIDE = re.compile(
    r"^(docs?|examples?|bench(mark)?s?|scripts|tools|\.[^/]*)/|(^|/)(setup|noxfile|tasks|fabfile)\.py$"
    r"|(^|/)(\.[^/]*|[^/]*\.config|Gruntfile|gulpfile|karma\.[^/]*)\.[cm]?[jt]s$"
)
_AUTHOR = ("-c", "user.name=wild", "-c", "user.email=wild@localhost", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Release:
    """Two releases of a package, as the list has them."""

    kind: str
    name: str
    before: str
    after: str
    no_twin: str = ""
    """Why its undone twin is no lie, where somebody looked."""
    quick: bool = False

    @property
    def title(self) -> str:
        return f"{self.name} {self.before}→{self.after}"


@dataclass(frozen=True, slots=True)
class Change:
    title: str
    kind: str
    role: str
    repository: Path
    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Changes:
    """An honest change, its twin, or why it has none."""

    honest: Change
    undone: Change | None
    no_twin: str = ""

    @property
    def all(self) -> tuple[Change, ...]:
        return (self.honest, self.undone) if self.undone else (self.honest,)


class NotMade(Exception):
    """Git did not do what it was asked for."""


def is_test(path: str) -> bool:
    return bool(_TEST_FOLDERS.search(path) or _TEST_FILES.search(path) or _TEST_AT_THE_TOP.match(path))


def is_product(path: str) -> bool:
    return bool(_CODE.search(path)) and not is_test(path) and not _BESIDE.search(path)


def of_release(release: Release, home: Path) -> Changes:
    """A repository with a commit for each of the two releases, made once."""
    title = f"{release.name.replace('/', '+')}-{release.before}-{release.after}"
    repository = home / "repositories" / release.kind / title
    if not repository.exists():
        _make(repository, release, home)
    base, head = (_git(repository, "rev-parse", f"v{version}") for version in (release.before, release.after))
    return _with_twin(release.title, release.kind, repository, base, head, release.no_twin)


def _make(repository: Path, release: Release, home: Path) -> None:
    making = repository.with_name(f"{repository.name}.making-{os.getpid()}")
    making.mkdir(parents=True)
    try:
        _git(making, "init", "-q", "-b", "main")
        for version in (release.before, release.after):
            file = archive(home / "archives", release.kind, release.name, version)
            for each in making.iterdir():
                if each.name != ".git":
                    shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
            unpack(file, making)
            # What a project ignores may be in its archive, and its product may need it: the number of its version.
            _git(making, "add", "-A", "-f")
            _git(making, *_AUTHOR, "commit", "-q", "--allow-empty", "-m", f"Release {version}")
            _git(making, "tag", f"v{version}")
        making.rename(repository)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def of_history(source: Path, newest: int, home: Path) -> Iterator[Changes]:
    """The newest commits of somebody's repository that touch product or tests, each against its first parent."""
    repository = home / "repositories" / "history" / source.name
    if not repository.exists():
        repository.mkdir(parents=True)
        _git(repository, "init", "-q", "-b", "main")
    _git(
        repository,
        "fetch",
        "-q",
        "--no-tags",
        "--update-shallow",
        str(source.resolve()),
        "--update-head-ok",
        "+HEAD:refs/heads/main",
    )
    log = ("rev-list", "--first-parent", "--parents", "-n", str(newest * 20), "main")
    found = 0
    for commit, *parents in map(str.split, _git(repository, *log).splitlines()):
        if found == newest or not parents:
            break
        paths = _changed(repository, parents[0], commit)
        if any(is_product(path) or is_test(path) for path in paths):
            found += 1
            yield _with_twin(f"{source.name} {commit[:10]}", "history", repository, parents[0], commit)


def _with_twin(title: str, kind: str, repository: Path, base: str, head: str, no_twin: str = "") -> Changes:
    honest = Change(title, kind, HONEST, repository, base, head)
    paths = _changed(repository, base, head)
    product = [path for path in paths if is_product(path)]
    if not product:
        no_twin = no_twin or "its product did not change"
    elif not any(is_test(path) for path in paths):
        no_twin = no_twin or "its tests did not change"
    if no_twin:
        return Changes(honest, None, no_twin)
    undone = _undo(repository, base, head, product)
    return Changes(honest, Change(title, kind, UNDONE, repository, base, undone))


def _undo(repository: Path, base: str, head: str, product: list[str]) -> str:
    """A commit that is `head` but for its product, which is that of `base`."""
    before = {
        path: f"{mode},{name}"
        for mode, _, name, path in (
            re.split(r"[ \t]", entry, maxsplit=3)
            for entry in _git(repository, "ls-tree", "-r", "-z", base).split("\0")
            if entry
        )
    }
    with tempfile.TemporaryDirectory(prefix="andon-wild-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        _git(repository, "read-tree", head, more=index)
        for path in product:
            entry = ("--add", "--cacheinfo", f"{before[path]},{path}") if path in before else ("--force-remove", path)
            _git(repository, "update-index", *entry, more=index)
        tree = _git(repository, "write-tree", more=index)
    return _git(repository, *_AUTHOR, "commit-tree", tree, "-p", base, "-m", "The same tests without the product")


def _changed(repository: Path, base: str, head: str) -> list[str]:
    told = _git(repository, "diff", "--name-only", "--no-renames", "-z", base, head)
    return [path for path in told.split("\0") if path]


def _git(folder: Path, *words: str, more: dict[str, str] | None = None) -> str:
    # One date for all: the same content is the same commit, whenever it is made.
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2001-01-01T00:00:00Z")
    apart = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "safe.directory=*", *words],
        cwd=folder,
        env=os.environ | dates | apart | (more or {}),
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise NotMade(f"git {words[0]} in {folder.name}: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()
