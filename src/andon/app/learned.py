"""Where a repository's learnings lie: in andon's own folder, out of every agent's reach."""

from __future__ import annotations

import hashlib
import os
from functools import partial
from pathlib import Path

from andon.app.home import Home
from andon.domain.errors import UserError
from andon.domain.feature import feature_name
from andon.domain.secrets import without_tokens
from andon.engine.redaction import Redaction
from andon.memory.learnings import Learnings
from andon.workspace.repository import Repository

FILE = "learnings.db"


def learnings_of(home: Home, folder: Path, redaction: Redaction) -> Learnings:
    """Of the repository that the folder is in; all its worktrees share them. Of no repository: of the folder."""
    root, identity = identity_of(folder)
    return Learnings(place_of(home, root, identity) / FILE, partial(clean, redaction), about=str(identity))


def clean(redaction: Redaction, text: str) -> str:
    """Without secrets of this machine, and without what looks like one."""
    return without_tokens(redaction.text(text))


def identity_of(folder: Path) -> tuple[Path, Path]:
    """The top of the repository, and what all its worktrees have in common; of no repository, the folder."""
    try:
        opened = Repository.open(folder)
        return opened.root, opened.common_folder
    except UserError:
        return _before_the_first_commit(folder.resolve())


def place_of(home: Home, root: Path, identity: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(identity)).hexdigest()
    return home.memory / f"{feature_name(root.name)}-{digest[:12]}"


def _before_the_first_commit(folder: Path) -> tuple[Path, Path]:
    """The top of the repository and its git folder, by their names alone."""
    tops = (each for each in (folder, *folder.parents) if (each / ".git").is_dir())
    top = next(tops, None)
    return (top, top / ".git") if top else (folder, folder)
