"""A person's checkout as a tree, with what is not committed, taken without git ever touching the checkout's own index.

Neither its index nor its settings take part: what those hide (assume-unchanged, skip-worktree, filters) is seen here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from andon.workspace import listing
from andon.workspace.git import joined
from andon.workspace.store import Store


def tree_of_checkout(store: Store, folder: Path, head: str, excluded: Iterable[str] = ()) -> str:
    """The tree of all files that are committed or neither ignored nor excluded. Its objects are kept in the store."""
    with TemporaryDirectory(prefix="andon-") as scratch:
        git = store.git(tree=folder, index=Path(scratch) / "index")
        git.call("read-tree", head)
        tracked = listing.entries(git)
        files = listing.present(folder, tracked, excluded, partial(listing.ignored, git))
        kept = set(files)
        gone = [
            path
            for path, entry in tracked.items()
            if path not in kept and not (entry.is_gitlink and (folder / path).is_dir())
        ]
        git.call("update-index", "-z", "--force-remove", "--stdin", stdin=joined(gone))
        git.call("update-index", "-z", "--add", "--replace", "--stdin", stdin=joined(files))
        return git.line("write-tree", "--missing-ok")
