"""A person's own repository. It is read; written are only andon's pins (refs/andon/…) and published branches.

Their checkout, index and HEAD are never touched and their hooks never run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.git import Git, failed, persons_environment, split

STALE_LOCK_SECONDS = 5.0
"""git holds the lock of one ref for milliseconds; a lock this old belongs to a git that was killed."""

_READ_ONLY = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "core.filesRefLockTimeout=6000"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
)


@dataclass(frozen=True, slots=True)
class Identity:
    name: str
    email: str

    def stamp(self, at: int) -> str:
        """As a commit has it. Brackets and line ends would break the commit's own grammar."""
        name, email = (re.sub(r"[<>\n\0]", "", text).strip() for text in (self.name, self.email))
        return f"{name} <{email}> {at} +0000"


ANDON = Identity("andon", "andon@localhost")


@dataclass(frozen=True, slots=True)
class Repository:
    root: Path
    git_folder: Path
    """Of this checkout; a linked worktree has its own."""
    common_folder: Path
    """Where objects and refs are, shared by all checkouts."""
    head: str
    branch: str | None
    """None when HEAD is detached."""
    object_format: str = "sha1"

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository that contains `path`, if a run can start from it."""
        if not path.is_dir():
            raise UserError(f"{path} is not a folder")
        git = Git(path, persons_environment(), _READ_ONLY)
        found = git.attempt("rev-parse", "--is-bare-repository", "--is-inside-work-tree")
        if found.code != 0:
            raise _not_opened(path, found.stderr.decode("utf-8", "replace"))
        if found.stdout.split() != [b"false", b"true"]:
            raise UserError(
                f"{path} is a bare repository or inside a .git folder",
                "run andon in a checkout: git clone it, or git worktree add",
            )
        head = git.attempt("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if head.code != 0:
            raise UserError(f"the repository at {path} has no commits yet", "commit once, so that there is a base")
        branch = git.attempt("symbolic-ref", "--quiet", "--short", "HEAD")
        return cls(
            root=Path(git.line("rev-parse", "--path-format=absolute", "--show-toplevel")),
            git_folder=Path(git.line("rev-parse", "--path-format=absolute", "--git-dir")),
            common_folder=Path(git.line("rev-parse", "--path-format=absolute", "--git-common-dir")),
            head=head.stdout.decode().strip(),
            branch=branch.stdout.decode("utf-8", "surrogateescape").strip() if branch.code == 0 else None,
            object_format=git.line("rev-parse", "--show-object-format"),
        )

    @property
    def objects(self) -> Path:
        return self.common_folder / "objects"

    @property
    def git(self) -> Git:
        return Git(self.root, persons_environment(), _READ_ONLY)

    def resolve(self, revision: str) -> str:
        """The commit a person means."""
        found = self.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found.code != 0:
            raise UserError(f"no commit is called {revision!r} in {self.root}", "git log or git branch shows the names")
        return found.stdout.decode().strip()

    def fork_point(self, base: str, head: str) -> str:
        """The newest commit of the base that the head is built on: what the base got since is not the head's doing."""
        found = self.git.attempt("merge-base", base, head)
        if found.code != 0:
            raise UserError(
                f"{base[:12]} and {head[:12]} have no commit in common",
                "a shallow clone has no history: git fetch --unshallow (in GitHub Actions: fetch-depth: 0)",
            )
        return found.stdout.decode().strip()

    def has(self, commit: str) -> bool:
        return self.git.attempt("cat-file", "-e", f"{commit}^{{commit}}").code == 0

    def dirty(self, ignoring: Iterable[str] = ()) -> list[str]:
        """Changed and untracked paths, without the given ones and what lies below them."""
        printed = self.git.call(
            *("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
        )
        ignored = tuple(path.rstrip("/") for path in ignoring)
        paths = [entry[3:] for entry in split(printed)]
        return [path for path in paths if not any(path == top or path.startswith(f"{top}/") for top in ignored)]

    def subjects(self, count: int) -> list[str]:
        """First lines of the newest commits, the newest first."""
        return self.git.line("log", "--no-show-signature", f"--max-count={count}", "--format=%s").splitlines()

    def branches(self) -> list[str]:
        return self.git.line("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").splitlines()

    def identity(self) -> Identity | None:
        """Who the person is to git, if they said so."""
        name, email = (self.git.attempt("config", "--get", key) for key in ("user.name", "user.email"))
        if name.code != 0 or email.code != 0:
            return None
        found = Identity(
            name.stdout.decode("utf-8", "replace").strip(), email.stdout.decode("utf-8", "replace").strip()
        )
        return found if found.name and found.email else None

    def ref(self, name: str) -> str | None:
        found = self.git.attempt("rev-parse", "--verify", "--quiet", name)
        return found.stdout.decode().strip() if found.code == 0 else None

    def pin(self, name: str, commit: str) -> None:
        """Keep a commit from being collected as garbage while a run borrows its objects."""
        if self.ref(name) != commit:
            self._change_ref(name, "update-ref", "-m", "andon: pin", name, commit)

    def unpin(self, prefix: str) -> None:
        for name in self.git.line("for-each-ref", "--format=%(refname)", prefix).splitlines():
            self._change_ref(name, "update-ref", "-d", name)
        with suppress(OSError):  # git leaves the folder; others may still have pins in it
            (self.common_folder / prefix).parent.rmdir()

    def receive(self, pack: bytes) -> None:
        self.git.call("unpack-objects", "-q", stdin=pack)

    def create_branch(self, branch: str, commit: str) -> None:
        """Only if there is none of this name, decided by git at the moment of writing."""
        name = f"refs/heads/{branch}"
        self._change_ref(name, "update-ref", "--no-deref", "-m", "andon: publish", name, commit, "0" * len(commit))

    def takes_branch(self, branch: str) -> bool:
        # Not --branch, which takes @{-1} for the branch that was checked out before.
        if branch.startswith("-") or branch == "HEAD":
            return False
        return self.git.attempt("check-ref-format", f"refs/heads/{branch}").code == 0

    def refuse_obstructed(self, branch: str) -> None:
        """`feat` and `feat/x` cannot both be branches."""
        parts = branch.split("/")
        above = {"/".join(parts[:count]) for count in range(1, len(parts))}
        for other in self.branches():
            if other in above or other.startswith(f"{branch}/"):
                raise UserError(
                    f"branch {branch!r} cannot be made while there is a branch {other!r}",
                    f"rename that one: git branch -m {other} {other.replace('/', '-')}-old",
                )

    def _change_ref(self, name: str, *words: str) -> None:
        git = replace(self.git, environment={**self.git.environment, **_committer()})
        finished = git.attempt(*words)
        if finished.code != 0 and self._unlock(name):
            finished = git.attempt(*words)
        if finished.code != 0:
            raise failed(words, finished)

    def _unlock(self, name: str) -> bool:
        """Take away the lock of one of our refs if the git that made it is long dead."""
        lock = self.common_folder / f"{name}.lock"
        try:
            if time.time() - lock.stat().st_mtime < STALE_LOCK_SECONDS:
                return False
            lock.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True


def _committer() -> dict[str, str]:
    # Reflog lines carry a name, and git refuses to make one up on machines without a host name.
    return {"GIT_COMMITTER_NAME": ANDON.name, "GIT_COMMITTER_EMAIL": ANDON.email}


def _not_opened(path: Path, said: str) -> UserError:
    if "dubious ownership" in said:
        return UserError(
            f"the repository at {path} belongs to someone else, so git does not open it",
            f"git config --global --add safe.directory {path}",
        )
    if "not a git repository" in said:
        return UserError(f"{path} is not in a git repository", "git init, commit once, and try again")
    return EnvironmentProblem(f"git cannot open {path}: {said.strip()}")
