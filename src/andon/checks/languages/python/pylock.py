"""Turns a pylock.toml into pinned requirements with hashes, the one form environments are built from. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from andon.checks.reading import table


def requirements_of(lock: Mapping[str, Any]) -> str | None:
    """One line per package; None when a package comes from a place that cannot be written as a requirement."""
    lines: list[str] = []
    packages: object = lock.get("packages")
    for item in cast("list[object]", packages) if isinstance(packages, list) else []:
        package = table(item)
        if "directory" in package:
            continue  # The project itself, or a part of it: importable from the tree.
        line = _line(package)
        if line is None:
            return None
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _line(package: Mapping[str, Any]) -> str | None:
    name, version, marker = package.get("name"), package.get("version"), package.get("marker")
    if not isinstance(name, str) or "archive" in package:
        return None
    source = table(package.get("vcs"))
    if source:
        address, commit = source.get("url"), source.get("commit-id")
        return f"{name} @ {source.get('type')}+{address}@{commit}" if address and commit else None
    if not isinstance(version, str):
        return None
    line = f"{name}=={version}"
    # Groups and extras of a lock file mean nothing in a requirements file; what was locked for them is wanted here.
    if isinstance(marker, str) and "dependency_groups" not in marker and "extras" not in marker:
        line += f" ; {marker}"
    return line + "".join(f" --hash=sha256:{digest}" for digest in _hashes(package))


def _hashes(package: Mapping[str, Any]) -> Iterator[str]:
    wheels: object = package.get("wheels")
    files = [*(cast("list[object]", wheels) if isinstance(wheels, list) else []), package.get("sdist")]
    for file in files:
        digest = table(table(file).get("hashes")).get("sha256")
        if isinstance(digest, str):
            yield digest
