"""Reads the facts of a Go project from go.mod, go.work and the names of its files. Runs nothing."""

from __future__ import annotations

import re
from pathlib import Path

from andon.checks.facts import Go
from andon.checks.reading import Unreadable, is_folder, is_present, read_text, source_files

_COMMENT = re.compile(r"//.*")
_USE = re.compile(r"^use\s+(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
_REQUIRE = re.compile(r"^require\s+(?:\(\s*\S|\S)", re.MULTILINE)


def detect_go(folder: Path) -> tuple[Go | None, tuple[Unreadable, ...]]:
    read = {name: read_text(folder, name) for name in ("go.mod", "go.work") if is_present(folder, name)}
    if not read:
        return None, ()
    problems = tuple(text for text in read.values() if isinstance(text, Unreadable))
    texts = {name: _COMMENT.sub("", text) for name, text in read.items() if isinstance(text, str)}
    modules = _modules(texts.get("go.work", "")) or (".",)
    files = [path for path in source_files(folder) if path.endswith(".go")]
    return (
        Go(
            modules=modules,
            has_code=bool(files),
            has_tests=any(path.endswith("_test.go") for path in files),
            has_dependencies=not is_folder(folder, "vendor") and any(_requires(folder, module) for module in modules),
        ),
        problems,
    )


def _modules(work: str) -> tuple[str, ...]:
    named = " ".join(block or single for block, single in _USE.findall(work)).split()
    plain = (name.strip('"`').removeprefix("./").rstrip("/") or "." for name in named)
    return tuple(name for name in dict.fromkeys(plain) if ".." not in name.split("/") and not name.startswith("/"))


def _requires(folder: Path, module: str) -> bool:
    text = read_text(folder, "go.mod" if module == "." else f"{module}/go.mod")
    return isinstance(text, str) and _REQUIRE.search(_COMMENT.sub("", text)) is not None
