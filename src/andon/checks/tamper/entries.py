"""What a change does to the tree itself: links, modes, submodules, git attributes, names, files nobody can read.

Reads entries as git stores them; nothing is looked up on a disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from posixpath import dirname, normpath

from andon.domain.auto.diffs import is_source
from andon.domain.changeset import FILE, LINK, PROGRAM, SUBMODULE, Changed, ChangeSet, Side
from andon.domain.verdict import Finding
from andon.domain.verification import found

_KIND = {FILE: "file", PROGRAM: "file", LINK: "link", SUBMODULE: "submodule"}
_BUILT = re.compile(
    r"(?:^|/)(?:dist|build|vendor|node_modules|third_party|generated|__generated__)/|\.min\.\w+$|\.lock$"
)


def entry_findings(change: ChangeSet) -> list[Finding]:
    findings: list[Finding] = []
    folders = _folders(change.before)
    for file in change:
        findings += _link(file, change, folders)
        findings += _mode(file)
        findings += _submodule(file)
        findings += _attributes(file)
        findings += _unreadable(file)
    return [*findings, *_alike(change)]


# --- links


def _link(file: Changed, change: ChangeSet, folders: frozenset[str]) -> Iterator[Finding]:
    if file.after is None or file.after.mode != LINK or file.after == file.before:
        return
    target = (file.after.content or b"").decode("utf-8", "replace")
    reason = ""
    end = normpath(f"{dirname(file.path)}/{target}" if dirname(file.path) else target)
    if not target or target.startswith(("/", "~")) or re.match(r"[A-Za-z]:|\\\\", target):
        reason = "is absolute"
    elif end == ".." or end.startswith("../"):
        reason = "leads out of the tree"
    elif end == ".git" or end.startswith(".git/") or "/.git/" in f"/{end}/":
        reason = "leads into git's own folder"
    elif file.before is not None and file.before.mode != LINK:
        reason = "stands where a file was"
    elif file.path in folders:
        reason = "stands where a folder was"
    elif not _exists(end, change):
        reason = "leads to nothing in the tree"
    if reason:
        yield found("link_added", f"the link to {target[:100]!r} {reason}", file.path, 0, "link")


def _exists(path: str, change: ChangeSet) -> bool:
    if path == "." or path in change.after:
        return True
    below = path + "/"
    return any(each.startswith(below) for each in change.after)


def _folders(paths: frozenset[str]) -> frozenset[str]:
    found_: set[str] = set()
    for path in paths:
        parent = dirname(path)
        while parent and parent not in found_:
            found_.add(parent)
            parent = dirname(parent)
    return frozenset(found_)


# --- modes and submodules


def _mode(file: Changed) -> Iterator[Finding]:
    before, after = file.before, file.after
    if before is None or after is None or before.mode == after.mode:
        return
    was, now = _KIND.get(before.mode, before.mode), _KIND.get(after.mode, after.mode)
    if was != now:
        if now != "link":
            yield found("mode_changed", f"a {was} became a {now}", file.path, 0, f"{was} → {now}")
    elif after.mode == PROGRAM and not _starts(after):
        yield found("mode_changed", "made executable, without a first line that says how", file.path, 0, "executable")
    elif after.mode == FILE and _starts(after):
        yield found("mode_changed", "no longer executable", file.path, 0, "not executable")


def _starts(side: Side) -> bool:
    return side.content is None or side.content.startswith((b"#!", b"\x7fELF", b"MZ"))


def _submodule(file: Changed) -> Iterator[Finding]:
    if any(side is not None and side.mode == SUBMODULE for side in (file.before, file.after)):
        done = "added" if file.before is None else "removed" if file.after is None else "points elsewhere"
        yield found("submodule_changed", f"submodule {done}", file.path, 0, "submodule")
    elif file.path == ".gitmodules" and file.after is not None:
        yield found("submodule_changed", "the list of submodules changed", file.path, 0, "list")


# --- attributes

_HIDING = re.compile(
    r"^(?:-?(?:filter|export-ignore|export-subst|ident|working-tree-encoding|binary|linguist-generated|linguist-vendored)"
    r"|[-!]?(?:diff|merge)|(?:filter|diff|merge|working-tree-encoding|linguist-\w+|encoding)=.*)$"
)
_KNOWN_DIFFS = re.compile(
    r"(?:diff=(?:python|markdown|html|css|golang|rust|java|csharp|cpp|php|ruby|kotlin|tex|bash))$"
)
_DATA = re.compile(
    r"\.(?:png|jpe?g|gif|ico|webp|pdf|zip|gz|jar|woff2?|ttf|otf|mp[34]|snap|lock|svg|parquet|bin|dll|exe|db|sqlite3?)$"
    r"|lock\.(?:json|ya?ml)$|^(?:/?(?:dist|build|vendor|docs?|\.github)/)|^\.git",
    re.IGNORECASE,
)


def _attributes(file: Changed) -> Iterator[Finding]:
    if file.path.rpartition("/")[2] != ".gitattributes":
        return
    if file.after is not None and file.new is None:
        yield found("attributes_changed", "attributes that cannot be read", file.path, 0, "unreadable")
        return
    had = set(_hiding(file.old or ""))
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate((file.new or "").splitlines(), 1):
        for pattern, attribute in _hiding(line):
            if (pattern, attribute) not in had | seen:
                seen.add((pattern, attribute))
                told = f"{attribute} for {pattern}"
                yield found("attributes_changed", told, file.path, number, told)


def _hiding(text: str) -> Iterator[tuple[str, str]]:
    """Attributes that keep content from being seen, or change it on its way; not those of line ends and pictures."""
    for line in text.splitlines():
        pattern, *attributes = line.split() or [""]
        if not pattern or pattern.startswith("#"):
            continue
        for each in attributes:
            data = _DATA.search(pattern) is not None and "filter" not in each
            large = each.endswith("=lfs") and "." in pattern and not is_source(pattern)
            harmless = data or large or _KNOWN_DIFFS.match(each) is not None
            if pattern.startswith("[attr]") or (_HIDING.match(each) and not harmless):
                yield pattern, each


# --- content and names


def _unreadable(file: Changed) -> Iterator[Finding]:
    after = file.after
    if (
        after is None
        or not after.regular
        or not is_source(file.path)
        or _BUILT.search(file.path)
        or file.new is not None
    ):
        return
    if file.before is not None and file.before.regular and file.old is None:
        return
    if after.content is None:
        told = "larger than what is read"
    elif b"\0" in after.content:
        told = "holds zero bytes"
    else:
        told = "not UTF-8"
    yield found("unreadable_file", f"source that cannot be read: {told}", file.path, 0, "unreadable")


def _alike(change: ChangeSet) -> Iterator[Finding]:
    """Names that some file systems take for the same: which of the two is used depends on the machine."""
    fresh = [file.path for file in change if file.added]
    if not fresh:
        return
    there: dict[str, set[str]] = {}
    for path in change.after:
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            prefix = "/".join(parts[:length])
            there.setdefault(_folded(prefix), set()).add(prefix)
    told: set[str] = set()
    for path in fresh:
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            prefix = "/".join(parts[:length])
            others = sorted(there.get(_folded(prefix), {prefix}) - {prefix})
            if others and prefix not in told:
                told.add(prefix)
                yield found("unreadable_file", f"differs from {others[0]} only in how it is written", path, 0, prefix)
                break


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())
