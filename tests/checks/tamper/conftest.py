"""A change written down as two small trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from andon.domain.changeset import FILE, Changed, ChangeSet, Side

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]


@pytest.fixture
def trees() -> Trees:
    """Makes the change between two trees of path → text; what is the same in both is in the tree, and not changed."""

    def make(before: Mapping[str, str], after: Mapping[str, str]) -> ChangeSet:
        old, new = ({path: dedent(text).lstrip("\n") for path, text in tree.items()} for tree in (before, after))
        files = [
            Changed(path, _side(old.get(path)), _side(new.get(path)))
            for path in sorted({*old, *new})
            if old.get(path) != new.get(path)
        ]
        return ChangeSet(tuple(files), frozenset(old), frozenset(new))

    return make


def _side(text: str | None) -> Side | None:
    return None if text is None else Side(FILE, text.encode())
