"""What building the project itself makes that its tree does not hold: metadata, programs, generated and compiled files.

The project's code stays where it is, in the tree that is measured; only what is not there is taken from the wheel.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.checks.building import Site, Workshop, copy_tree, digest_of
from andon.checks.languages.python.interpreter import Interpreter
from andon.checks.languages.python.running import run_uv
from andon.checks.prepared import NotPrepared
from andon.checks.reading import is_present, read_bytes, read_text, source_files

# A tree has no history, so nothing can be read from its tags.
VERSION = "0.1.dev0"
VERSION_VARIABLES = (
    "SETUPTOOLS_SCM_PRETEND_VERSION",
    "PDM_BUILD_SCM_VERSION",
    "PBR_VERSION",
    "UV_DYNAMIC_VERSIONING_BYPASS",
)
_DECIDING = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|MANIFEST\.in|PKG-INFO|Cargo\.(?:toml|lock)|meson\.build|CMakeLists\.txt"
    r"|_?_?(?:init|about|version|_version)_?_?\.py|VERSION(?:\.txt)?)$|\.(?:c|cc|cpp|h|hpp|pyx|pxd|rs|f90|pyi?\.in)$"
)
MOST_LINKED = 200


@dataclass(frozen=True, slots=True)
class Package:
    """Nothing in it where there is nothing to build."""

    digest: str = ""
    site: Path | None = None
    metadata: str = ""
    places: tuple[str, ...] = ()
    """Folders of the tree that its modules are imported from."""
    linked: tuple[tuple[str, str], ...] = ()


async def build_package(
    workshop: Workshop, tree: Path, pyproject: Mapping[str, Any], interpreter: Interpreter
) -> Package | NotPrepared:
    if "build-system" not in pyproject and not is_present(tree, "setup.py"):
        return Package()
    files = [path for path in source_files(tree) if _DECIDING.search(path)]
    digest = digest_of("package", {path: _sum(tree, path) for path in files}, interpreter.identity)
    made = await workshop.made(digest, lambda site: _build(site, tree, interpreter))
    if isinstance(made, NotPrepared):
        return made
    site = made / "site"
    places, linked = _placed(site, tree)
    return Package(digest, site, _metadata(site), places, linked)


def _sum(tree: Path, path: str) -> str:
    data = read_bytes(tree, path)
    return hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else ""


async def _build(site: Site, tree: Path, interpreter: Interpreter) -> NotPrepared | None:
    await asyncio.to_thread(site.begin, lambda made: copy_tree(tree, made / "tree"))
    told = read_text(tree, "PKG-INFO")
    found = re.search(r"^Version: (\S+)$", told, re.MULTILINE) if isinstance(told, str) else None
    env = dict.fromkeys(VERSION_VARIABLES, found[1] if found else VERSION) | {
        "POETRY_DYNAMIC_VERSIONING_BYPASS": VERSION
    }
    build = (
        "build",
        "--wheel",
        "--out-dir",
        str(site.made / "dist"),
        "--python",
        str(interpreter.program),
        "--no-config",
    )
    problem = await run_uv(
        site,
        "package",
        (*build, str(site.made / "tree")),
        interpreter,
        cwd=site.made,
        fix="uv build",
        code_runs=True,
        env=env,
    )
    wheels = [path.name for path in (site.made / "dist").glob("*.whl")] if problem is None else []
    if not wheels:
        return problem or NotPrepared("building the package left no wheel", "uv build --wheel")
    install = ("pip", "install", "--target", str(site.made / "site"), "--python", str(interpreter.program), "--no-deps")
    problem = await run_uv(
        site, "unpack", (*install, f"dist/{wheels[0]}"), interpreter, cwd=site.made, fix="uv build", code_runs=True
    )
    await asyncio.to_thread(_strip, site.made / "site", tree)
    return problem


def _files(site: Path) -> Iterator[str]:
    for folder, names, files in os.walk(site):
        below = Path(folder).relative_to(site)
        if not below.parts:
            names[:] = [name for name in names if name != "bin" and not name.endswith(".dist-info")]
        yield from (str(below / name) for name in files)


def _strip(site: Path, tree: Path) -> None:
    """Take away what the tree holds itself: a module that a change removes must be gone."""
    roots = _roots(site, tree)
    for path in [*_files(site)]:
        if is_present(tree, f"{roots.get(_top(path), '')}{path}") or path.endswith(".pyc"):
            (site / path).unlink(missing_ok=True)


def _top(path: str) -> str:
    return path.split("/")[0]


def _roots(site: Path, tree: Path) -> dict[str, str]:
    """By the first part of its path, where in the tree what the wheel holds comes from: with the least folders before
    it."""
    named: dict[str, list[str]] = {}
    for source in source_files(tree):
        named.setdefault(source.rpartition("/")[2], []).append(f"/{source}")
    roots: dict[str, str] = {}
    for line in _record(site).splitlines():
        path = line.split(",")[0]
        found = [each[1 : -len(path)] for each in named.get(path.rpartition("/")[2], ()) if each.endswith(f"/{path}")]
        if path.endswith(".py") and found and _top(path) not in roots:
            roots[_top(path)] = min(found, key=lambda root: (root.count("/"), root))
    return roots


def _placed(site: Path, tree: Path) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Where its modules are in the tree, and what has to be put beside them."""
    roots = _roots(site, tree)
    linked: list[tuple[str, str]] = []
    for path in _files(site):
        root = roots.get(_top(path))
        real = (site / path).resolve().is_relative_to(site.resolve())
        if root is not None and real and (tree / root / path).parent.is_dir() and len(linked) < MOST_LINKED:
            linked.append((str(site / path), f"{root}{path}"))
    return tuple(dict.fromkeys(root.rstrip("/") for root in roots.values() if root)), tuple(linked)


def _record(site: Path) -> str:
    return next((text for path in site.glob("*.dist-info/RECORD") if (text := _text(path))), "")


def _metadata(site: Path) -> str:
    return next((text for path in site.glob("*.dist-info/METADATA") if (text := _text(path))), "")


def _text(path: Path) -> str:
    text = read_text(path.parents[1], f"{path.parent.name}/{path.name}")
    return text if isinstance(text, str) else ""
