"""Keeps secrets out of the documents of a run: what an agent or andon itself adds to one is searched before it is kept,
and the values in it are hidden. Code is not touched: there a secret is a finding of the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andon.domain.document_secrets import Spotted, hidden, is_document, spotted
from andon.ports import Workspace

Told = list[dict[str, Any]]
"""One for each secret: the file, the line, and what it is."""


def hide(path: str, text: str, given: Mapping[str, str], before: str = "") -> tuple[str, Told]:
    """The text to keep. `before` is what stood there: whose secrets are in that is not asked here."""
    found = spotted(text, given, before) if is_document(path) else []
    return hidden(text, found), [_told(path, each) for each in found]


def hide_in_files(workspace: Workspace, given: Mapping[str, str], before: str, after: str) -> Told:
    """In the documents that differ between two trees, of which the second lies in the workspace's folder."""
    paths = [change.path for change in workspace.changes(before, after) if is_document(change.path)]
    old, new = (workspace.contents(tree, paths) if paths else {} for tree in (before, after))
    told: Told = []
    for path, content in new.items():
        text = content.decode("utf-8", "surrogateescape")
        safe, found = hide(path, text, given, old.get(path, b"").decode("utf-8", "surrogateescape"))
        if found:
            workspace.write(path, safe)
            told += found
    return told


def _told(path: str, found: Spotted) -> dict[str, Any]:
    return {"path": path, "line": found.line, "what": found.kind}
