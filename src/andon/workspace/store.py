"""The gitdir andon owns for one repository: objects and refs of snapshots, and a settings file nobody else writes.

Objects of the base are borrowed from the person's repository for reading. When writing, nothing is borrowed: what a
snapshot needs is either here or reachable from its pinned base, so garbage collection over there cannot break it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from andon.domain.errors import EnvironmentProblem
from andon.domain.feature import feature_name
from andon.workspace.files import write_atomic
from andon.workspace.git import Git, sealed_environment
from andon.workspace.locks import locked
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Identity, Repository

LOCK_RETRIES = 600
"""About ten minutes: as long as the longest git call may take."""

_SETTINGS = """\
[core]
\trepositoryformatversion = {version}
\tbare = true
\tfilemode = true
\tsymlinks = true
\tignorecase = false
\tprecomposeunicode = false
\tautocrlf = false
\tsafecrlf = false
\tquotepath = false
\thookspath = /dev/null
\tattributesfile = /dev/null
\texcludesfile = /dev/null
\tfsmonitor = false
\tuntrackedcache = false
\tsplitindex = false
\tlogallrefupdates = false
\tsshcommand = false
\tpager = cat
\tfsync = committed,loose-object
\tfsyncmethod = batch
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
{extensions}"""

_ATTRIBUTES = (
    "* -text !eol -ident -filter -working-tree-encoding !diff !merge -export-subst -export-ignore !whitespace\n"
)
"""Outranks every .gitattributes of the tree: files are taken and put back byte by byte, and no diff is hidden."""

_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")


@dataclass(frozen=True, slots=True)
class Record:
    """What is known about one worktree, on disk beside its index."""

    run: str
    name: str
    folder: str
    base: str
    excluded: tuple[str, ...] = ()
    ready: bool = False
    """Written last. A record without it is a claim on the folder by a creation that was interrupted."""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Store:
    repository: Repository
    folder: Path
    _trees: dict[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)
    """Of commits that were asked for: what a commit holds never changes."""
    pinned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]], compare=False, repr=False)
    """Runs and bases that are kept from being collected already."""
    author: list[Identity] = field(default_factory=list["Identity"], compare=False, repr=False)
    """Of commits for the person, once that is known."""

    @classmethod
    def open(cls, data: Path, repository: Repository) -> Store:
        """The store of a repository below `data`, made if it is not there; safe to repeat at any time."""
        identity = f"{repository.common_folder}\0{repository.object_format}"
        digest = hashlib.sha256(os.fsencode(identity)).hexdigest()
        store = cls(repository, data / f"{feature_name(repository.root.name)}-{digest[:12]}")
        if not store.git_folder.is_dir():
            store._make()
        settings = store._settings()
        if store.git_folder.joinpath("config").read_text() != settings:
            write_atomic(store.git_folder / "config", settings)
        return store

    @property
    def git_folder(self) -> Path:
        return self.folder / "git"

    def git(self, *, tree: Path | None = None, index: Path | None = None, borrow: bool = True) -> Git:
        """git on this store, and on a folder and an index if given. Without `borrow` it sees only its own objects."""
        environment = sealed_environment() | {"GIT_DIR": str(self.git_folder)}
        if tree is not None:
            environment["GIT_WORK_TREE"] = str(tree)
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        if borrow:
            environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(self.repository.objects)
        return Git(tree or self.git_folder, environment)

    def home(self, run: str, name: str) -> Path:
        """Where the index and the record of a worktree are: out of every agent's reach."""
        return self.folder / "worktrees" / checked(run) / checked(name)

    def lock(self, run: str, name: str) -> AbstractContextManager[None]:
        """One process at a time works on a worktree. Kept apart from its home, which may be removed under the lock."""
        path = self.folder / "locks" / f"{checked(run)}.{checked(name)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        return locked(path, retries=LOCK_RETRIES)

    def worktrees(self, run: str = "*") -> list[Record]:
        """Every worktree of the repository, or of one run, the ones whose creation was interrupted included."""
        found = (read_record(path) for path in sorted(self.folder.glob(f"worktrees/{run}/*")))
        return [record for record in found if record is not None]

    def ref(self, run: str, label: str) -> str | None:
        try:
            return self._ref_path(run, label).read_text().strip()
        except FileNotFoundError:
            return None

    def set_ref(self, run: str, label: str, commit: str) -> None:
        # Written by rename rather than by git: no lock file can stay behind when andon is killed.
        path, drafts = self._ref_path(run, label), self.folder / "drafts"
        path.parent.mkdir(parents=True, exist_ok=True)
        drafts.mkdir(exist_ok=True)
        # The draft lies elsewhere: below refs git would take it for a ref, and a broken one at that.
        write_atomic(path, f"{commit}\n", drafts=drafts)

    def labels(self, run: str) -> list[str]:
        folder = self.git_folder / "refs" / "andon" / checked(run)
        return sorted(path.name for path in folder.glob("*") if _NAME.fullmatch(path.name) and path.suffix != ".tmp")

    def forget(self, run: str) -> None:
        """Give up the history of a run: its snapshots here and its pins in the person's repository."""
        remove_tree(self.git_folder / "refs" / "andon" / checked(run))
        self.repository.unpin(f"refs/andon/{run}/")

    def holds(self, revision: str, path: str) -> bool:
        """Whether the tree of a revision has something at that path."""
        return bool(self.git().call("ls-tree", revision, "--", path))

    def tree_of(self, commit: str) -> str:
        if commit in self._trees:
            return self._trees[commit]
        found = self.git().attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
        if found.code != 0:
            raise EnvironmentProblem(
                f"{commit} is missing from the store of {self.repository.root}",
                "if the repository was moved, move it back; a partial or damaged clone needs git fetch --refetch",
            )
        tree = found.stdout.decode().strip()
        if _OBJECT.fullmatch(commit):
            self._trees[commit] = tree
        return tree

    def write_commit(self, tree: str, parents: Sequence[str], message: str, author: Identity, at: int) -> str:
        """A commit that depends on nothing but what is given: the same input is the same commit, also after a kill."""
        stamp = author.stamp(at)
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {stamp}", f"committer {stamp}"]
        text = "\n".join([*lines, "", message.replace("\0", "").strip(), ""])
        return self._write_object("commit", text.encode("utf-8", "replace"))

    def _write_object(self, kind: str, content: bytes) -> str:
        """A loose object as git writes it, without a process: a sprint makes hundreds of commits that nobody sees."""
        whole = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.new(self.repository.object_format, whole).hexdigest()
        place = self.git_folder / "objects" / name[:2] / name[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            write_atomic(place, zlib.compress(whole, 1))
            place.chmod(0o444)
        return name

    def _ref_path(self, run: str, label: str) -> Path:
        return self.git_folder / "refs" / "andon" / checked(run) / checked(label)

    def _settings(self) -> str:
        sha1 = self.repository.object_format == "sha1"
        extensions = "" if sha1 else f"[extensions]\n\tobjectformat = {self.repository.object_format}\n"
        return _SETTINGS.format(version=0 if sha1 else 1, extensions=extensions)

    def _make(self) -> None:
        """Under another name first: a gitdir is there completely or not at all."""
        draft = self.folder / f"git.{uuid.uuid4().hex}.tmp"
        for name in ("objects/info", "objects/pack", "refs/heads", "refs/andon", "info"):
            (draft / name).mkdir(parents=True)
        (draft / "HEAD").write_text("ref: refs/heads/none\n")
        (draft / "config").write_text(self._settings())
        (draft / "info" / "attributes").write_text(_ATTRIBUTES)
        (draft / "repository.json").write_text(json.dumps({"root": str(self.repository.root), "version": 1}))
        try:
            draft.rename(self.git_folder)
        except OSError:
            if not self.git_folder.is_dir():
                raise
            remove_tree(draft)  # another process was faster
        # Only now, when the gitdir is there, is every other draft one that a killed process left.
        for stray in self.folder.glob("git.*.tmp"):
            with suppress(OSError):
                remove_tree(stray)


def checked(name: str) -> str:
    """Runs, labels and worktree names become parts of refs and paths."""
    if not _NAME.fullmatch(name) or name.endswith((".lock", ".tmp")) or len(name) > 200:
        raise ValueError(f"{name!r} cannot be part of a ref")
    return name


def read_record(home: Path) -> Record | None:
    try:
        data: dict[str, Any] = json.loads((home / "worktree.json").read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    data["excluded"] = tuple(data["excluded"])
    return Record(**data)


def write_record(home: Path, record: Record) -> None:
    write_atomic(home / "worktree.json", json.dumps(asdict(record)))


def _quoted(path: Path) -> str:
    # The variable is a list separated by colons; in quotes a colon is just a colon.
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
