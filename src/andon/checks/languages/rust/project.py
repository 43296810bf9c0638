"""Reads the facts of a Rust project from Cargo.toml and the sources beside it. Runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andon.checks.facts import Rust
from andon.checks.reading import Unreadable, is_present, read_table, read_text, source_files, table

DEPENDENCY_KINDS = ("dependencies", "dev-dependencies", "build-dependencies")
READ_SOURCES = 2000
# #[test], #[tokio::test], #[rstest], #[test_case(…)], and a fenced example in a documentation comment.
_TEST = re.compile(r"#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b|proptest!|^\s*//[/!] ```\s*$", re.MULTILINE)


def detect_rust(folder: Path) -> tuple[Rust | None, tuple[Unreadable, ...]]:
    if not is_present(folder, "Cargo.toml"):
        return None, ()
    manifest = read_table(folder, "Cargo.toml")
    if not isinstance(manifest, Mapping):
        return Rust(), (manifest,) if isinstance(manifest, Unreadable) else ()
    files = list(source_files(folder))
    sources = [path for path in files if path.endswith(".rs")]
    workspace = table(manifest.get("workspace"))
    return (
        Rust(
            has_code=bool(sources),
            has_tests=_has_tests(folder, sources),
            has_dependencies=_has_dependencies(folder, files),
            lock=is_present(folder, "Cargo.lock"),
            whole_workspace="workspace" in manifest and "default-members" not in workspace,
            toolchain=_toolchain(folder),
        ),
        (),
    )


def _has_tests(folder: Path, sources: list[str]) -> bool:
    for path in sources[:READ_SOURCES]:
        text = read_text(folder, path)
        if isinstance(text, str) and _TEST.search(text):
            return True
    return False


def _has_dependencies(folder: Path, files: list[str]) -> bool:
    """Crates from elsewhere: neither a path in the tree, nor one that the workspace's own table names as such."""
    manifests = [table(read_table(folder, path)) for path in files if path.rpartition("/")[2] == "Cargo.toml"]
    return any(_foreign(wanted) for manifest in manifests for wanted in _wanted(manifest))


def _wanted(manifest: Mapping[str, Any]) -> Iterator[object]:
    places = [manifest, table(manifest.get("workspace")), *map(table, table(manifest.get("target")).values())]
    for place in places:
        for kind in DEPENDENCY_KINDS:
            yield from table(place.get(kind)).values()


def _foreign(wanted: object) -> bool:
    return not {"path", "workspace"} & set(table(wanted))


def _toolchain(folder: Path) -> str:
    text = read_text(folder, "rust-toolchain")
    old = text.strip() if isinstance(text, str) and "[" not in text else ""
    file = read_table(folder, "rust-toolchain.toml")
    channel: object = table(table(file).get("toolchain")).get("channel", old)
    return channel if isinstance(channel, str) and re.fullmatch(r"\w[\w.-]*", channel) else ""
