"""Where chains of evidence are anchored: refs in andon's git store and, of ended runs, in the person's repository.

An anchor is a blob, so a ref has something to name and nothing of its history has to come along. Knows where and how to
keep it; what stands in it is the ledger's business.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.engine.anchor import Change, Kept
from andon.engine.ledger import Ledger
from andon.workspace.files import write_atomic
from andon.workspace.git import Git, sealed_environment
from andon.workspace.locks import locked
from andon.workspace.repository import Repository
from andon.workspace.store import checked

LOCK_RETRIES = 100
SHORTEST_WAIT = 0.002
SHA256 = "objectformat = sha256"


class StoreAnchorage:
    """refs/evidence/<run> in the store of the run's repository. Implements engine.anchor.Anchorage.

    Written without starting git: twice for every link, so it has to cost next to nothing.
    """

    def __init__(self, repositories: Path) -> None:
        self._repositories = repositories
        self._found: dict[str, Path] = {}

    def read(self, run: str) -> Kept | None:
        folder = self.store_of(run)
        return _read(folder / "git", run) if folder else None

    def change(self, run: str, change: Change) -> None:
        folder = self.store_of(run)
        if folder is None:
            return
        lock = folder / "locks" / f"{checked(run)}.evidence"
        lock.parent.mkdir(exist_ok=True)
        with locked(lock, retries=LOCK_RETRIES, shortest=SHORTEST_WAIT):
            content = change(_read(folder / "git", run))
            if content is not None:
                path = _ref(folder / "git", run)
                path.parent.mkdir(exist_ok=True)
                write_atomic(path, _write_blob(folder / "git", content) + "\n")

    def store_of(self, run: str) -> Path | None:
        """The run's store, found by what it has of the run: the person's repository may have been moved or removed."""
        if run not in self._found:
            name = checked(run)
            for pattern in (f"git/refs/evidence/{name}", f"worktrees/{name}", f"git/refs/andon/{name}"):
                for path in sorted(self._repositories.glob(f"*/{pattern}")):
                    self._found.setdefault(run, self._repositories / path.relative_to(self._repositories).parts[0])
        return self._found.get(run)


class RepositoryAnchorage:
    """refs/andon/<run>/evidence in the person's repository, beside the pin of the base."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def read(self, run: str) -> Kept | None:
        name = self._repository.ref(_pin(run))
        if name is None:
            return None
        found = self._repository.git.attempt("cat-file", "blob", name)
        return Kept(name, found.stdout if found.code == 0 else b"")

    def change(self, run: str, change: Change) -> None:
        content = change(self.read(run))
        if content is not None:
            blob = self._repository.git.line("hash-object", "-w", "--stdin", "--no-filters", stdin=content)
            self._repository.pin(_pin(run), blob)


def repository_anchorage(run: RunRow) -> RepositoryAnchorage | None:
    """None where the repository is gone, or the run is one that leaves no trace in it (G-01)."""
    if run.spec["request"]["options"]["dry_run"]:
        return None
    try:
        return RepositoryAnchorage(Repository.open(Path(run.repository)))
    except UserError:
        return None


def anchor_at_the_end(ledger: Ledger, run: RunRow, warn: Callable[[str], None]) -> None:
    """What a run measured stays anchored also when andon's own folder is lost. A repository that cannot be written to
    must not keep a run from ending."""
    try:
        place = repository_anchorage(run)
        if place is not None and ledger.records(run.id):
            ledger.anchor(run.id, place)
    except (UserError, OSError) as problem:
        warn(f"The evidence could not be anchored in {run.repository}: {problem}")


def _pin(run: str) -> str:
    return f"refs/andon/{checked(run)}/evidence"


def _ref(git_folder: Path, run: str) -> Path:
    return git_folder / "refs" / "evidence" / checked(run)


def _read(git_folder: Path, run: str) -> Kept | None:
    try:
        name = _ref(git_folder, run).read_text().strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return Kept("", b"")
    return Kept(name, _read_blob(git_folder, name))


def _read_blob(git_folder: Path, name: str) -> bytes:
    """Nothing where it is not there whole, which no anchor is."""
    if not name.isalnum():
        return b""
    try:
        data = zlib.decompress((git_folder / "objects" / name[:2] / name[2:]).read_bytes())
    except FileNotFoundError:
        # Someone packed the store.
        git = Git(git_folder, sealed_environment() | {"GIT_DIR": str(git_folder)})
        found = git.attempt("cat-file", "blob", name)
        return found.stdout if found.code == 0 else b""
    except (OSError, zlib.error):
        return b""
    return data.partition(b"\0")[2]


def _write_blob(git_folder: Path, content: bytes) -> str:
    data = b"blob %d\0%s" % (len(content), content)
    wide = SHA256 in (git_folder / "config").read_text()
    name = (hashlib.sha256(data) if wide else hashlib.sha1(data, usedforsecurity=False)).hexdigest()
    path = git_folder / "objects" / name[:2] / name[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, zlib.compress(data), mode=0o444)
    return name
