"""The anchor of a chain of evidence: its newest link, signed, kept outside the database.

A cut tail or an emptied table leaves a chain that holds in itself; only what is kept elsewhere tells that there was
more. An anchor follows its chain by at most one link and is never ahead: before a link is written, the one before it
is anchored, and the new link says so. A kill in between therefore never looks like tampering.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from andon.engine.signing import SigningKey

VERSION = 1
_CONTEXT = b"andon anchor v1\n"
"""Signed in front of the content: what the same key signs as evidence can never be taken for an anchor."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What an anchorage holds."""

    name: str
    """By which the place itself names it: a git object id."""
    content: bytes


Change = Callable[[Kept | None], bytes | None]


class Anchorage(Protocol):
    """A place outside the database that holds one anchor for each run."""

    def read(self, run: str) -> Kept | None: ...

    def change(self, run: str, change: Change) -> None:
        """Ask `change` what is to stand in place of the present anchor, while nobody else does; None leaves it.

        What was replaced must be on disk when this returns: later links rely on it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Anchor:
    run: str
    seq: int
    digest: str
    previous: str = ""
    """The name of the anchor before."""

    def signed(self, key: SigningKey) -> bytes:
        told = _told(self)
        signature = base64.b64encode(key.sign(_CONTEXT + _encoded(told))).decode()
        return _encoded(told | {"signature": signature})

    @classmethod
    def opened(cls, content: bytes, key: Ed25519PublicKey) -> Anchor | None:
        """None unless it is, byte by byte, what the owner of the key wrote."""
        try:
            told = json.loads(content)
            signature = base64.b64decode(told.pop("signature"), validate=True)
            anchor = cls(told["run"], told["seq"], told["digest"], told["previous"])
            key.verify(signature, _CONTEXT + _encoded(told))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, InvalidSignature):
            return None
        return anchor if type(anchor.seq) is int and told == _told(anchor) else None


def advanced(run: str, digests: Sequence[str], key: SigningKey) -> Change:
    """The change that anchors a chain of these digests. One that is not the continuation of what is anchored is left
    as it is: whatever was done to the chain, the old anchor is the witness."""

    def change(kept: Kept | None) -> bytes | None:
        if not digests:
            return None
        if kept is None:
            return Anchor(run, len(digests), digests[-1]).signed(key)
        held = Anchor.opened(kept.content, key.public)
        if held is None or held.run != run or not 0 < held.seq < len(digests) or digests[held.seq - 1] != held.digest:
            return None
        return Anchor(run, len(digests), digests[-1], kept.name).signed(key)

    return change


def anchor_faults(
    run: str, digests: Sequence[str], claimed: int, kept: Kept | None, key: Ed25519PublicKey
) -> list[tuple[int, str]]:
    """(record, or 0 for the anchor itself; what is wrong). `claimed` is how far the records say it had come."""
    if kept is None:
        lost = f"the anchor is gone: it had come to record {claimed}"
        return [(0, lost)] if claimed else []
    held = Anchor.opened(kept.content, key)
    if held is None:
        return [(0, "the anchor is not as andon wrote it")]
    if held.run != run:
        return [(0, f"the anchor belongs to run {held.run}")]
    if held.seq > len(digests):
        gone = f"{len(digests) + 1} to {held.seq}" if held.seq > len(digests) + 1 else f"{held.seq}"
        return [(len(digests) + 1, f"missing: the anchor has record {gone}")]
    faults: list[tuple[int, str]] = []
    if held.seq < 1 or digests[held.seq - 1] != held.digest:
        faults.append((held.seq, "is not the record that was anchored"))
    if held.seq < claimed:
        faults.append((0, f"the anchor was set back to record {held.seq}: it had come to record {claimed}"))
    return faults


def _told(anchor: Anchor) -> dict[str, Any]:
    return {
        "kind": "andon.anchor",
        "version": VERSION,
        "run": anchor.run,
        "seq": anchor.seq,
        "digest": anchor.digest,
        "previous": anchor.previous,
    }


def _encoded(told: dict[str, Any]) -> bytes:
    return json.dumps(told, sort_keys=True).encode() + b"\n"
