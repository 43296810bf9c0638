"""A throw-away .git for sandboxes: one commit without parents that holds the base tree, and nothing else.

Agents and checks get a copy, so that `git status`, `git diff` and `git log` work where they are, and no history is
there to be mined. The host never runs git on a copy.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from pathlib import Path

from andon.workspace.locks import locked
from andon.workspace.removal import remove_tree
from andon.workspace.repository import ANDON
from andon.workspace.store import LOCK_RETRIES, Store

_SETTINGS = """\
[core]
\trepositoryformatversion = {version}
\tbare = false
\tfilemode = true
\tlogallrefupdates = true
[user]
\tname = agent
\temail = agent@localhost
[gc]
\tauto = 0
{extensions}"""
UNUSED_SECONDS = 7 * 86400.0
"""A template that no run has used for so long goes; it can be made again."""


def disposable_git(store: Store, base: str, folder: Path) -> None:
    """Put a fresh copy at `folder`, in place of what is there."""
    template = _template(store, store.tree_of(base))
    draft = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    # Copied, not linked: through a hard link an agent could write into the template of all others.
    _copy(template, draft)
    remove_tree(folder)
    draft.rename(folder)


def _copy(template: Path, draft: Path) -> None:
    """A few small files and folders: `copytree` looks three times as long at them."""
    draft.mkdir()
    with os.scandir(template) as found:
        for entry in found:
            if entry.is_dir():
                _copy(template / entry.name, draft / entry.name)
            else:
                shutil.copyfile(entry.path, draft / entry.name)


def _template(store: Store, tree: str) -> Path:
    template = store.folder / "disposable" / tree
    template.parent.mkdir(exist_ok=True)
    if not template.is_dir():
        with locked(template.parent, retries=LOCK_RETRIES):
            _sweep(template.parent)
            if not template.is_dir():
                _make(store, tree, template)
    os.utime(template)
    return template


def _sweep(folder: Path) -> None:
    """Remove drafts of makers that were killed, and templates nobody uses any more. Nobody else makes one meanwhile."""
    for path in folder.iterdir():
        if path.suffix == ".tmp" or time.time() - path.stat().st_mtime > UNUSED_SECONDS:
            remove_tree(path)


def _make(store: Store, tree: str, template: Path) -> None:
    commit = store.write_commit(tree, [], "base", ANDON, 0)
    draft = template.with_name(f"{tree}.{uuid.uuid4().hex}.tmp")
    # No more than git needs: it is copied for every order and every check.
    for name in ("objects/pack", "refs"):
        (draft / name).mkdir(parents=True)
    sha1 = store.repository.object_format == "sha1"
    extensions = "" if sha1 else f"[extensions]\n\tobjectformat = {store.repository.object_format}\n"
    (draft / "config").write_text(_SETTINGS.format(version=0 if sha1 else 1, extensions=extensions))
    (draft / "HEAD").write_text("ref: refs/heads/main\n")
    (draft / "packed-refs").write_text(f"{commit} refs/heads/main\n")
    git = store.git(index=draft / "index")
    # Searching for better deltas would cost more than the copies save.
    git.call(
        "pack-objects", "-q", "--revs", "--window=0", str(draft / "objects/pack/pack"), stdin=f"{commit}\n".encode()
    )
    git.call("read-tree", tree)
    draft.rename(template)
