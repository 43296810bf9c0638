"""Dependencies that a change brings in, moves to another version or another source, or lets run code when installed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from posixpath import dirname, normpath
from typing import Any

from andon.checks.tamper.locks import lock_findings
from andon.checks.tamper.manifests import INDEXES, Declared, declared, ecosystem, listed, table
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

SHORTEST = 4
"""Letters of a name below which one more or less says nothing."""


def dependency_findings(change: ChangeSet, manifests: Mapping[str, str] | None = None) -> list[Finding]:
    """`manifests`: all manifests of the base, path → text: what one of them declares is not new in another one."""
    base = {each.path: each.old for each in change if each.old is not None and ecosystem(each.path)}
    base = {path: text for path, text in (manifests or {}).items() if ecosystem(path)} | base
    known: dict[str, dict[str, set[Declared]]] = {}
    for path, text in base.items():
        for each in declared(path, text):
            known.setdefault(ecosystem(path), {}).setdefault(each.name, set()).add(each)
    findings: list[Finding] = []
    for file in change:
        kind = ecosystem(file.path)
        if kind and file.new is not None and file.new != file.old and not _is_data(file.path):
            findings += _declarations(file, known.get(kind, {}), change)
        findings += _install_scripts(file)
    return findings + lock_findings(change)


def _is_data(path: str) -> bool:
    """Manifests that tests read are data; the one that installs what tests need is not."""
    return is_test(path) and re.search(r"(?:^|/)(?:fixtures?|data|samples?|testdata|__fixtures__)/", path) is not None


def _declarations(file: Changed, known: dict[str, set[Declared]], change: ChangeSet) -> Iterator[Finding]:
    text = file.new or ""
    told: set[tuple[str, str]] = set()
    for each in declared(file.path, text):
        had = known.get(each.name, set())
        if each in had or (each.name, each.source) in told:
            continue
        told.add((each.name, each.source))
        line = _line(text, each)
        if each.source:
            if not _is_own(each, file.path, change) and not INDEXES.match(each.source):
                message = f"{each.name} comes from {each.source}"
                yield found("dependency_source", message, file.path, line, f"{each.name} {each.source}")
            continue
        if had:
            if each.version not in {other.version for other in had}:
                versions = f"{', '.join(sorted(other.version or 'any' for other in had))} → {each.version or 'any'}"
                message = f"version of {each.name} changed: {versions}"
                yield found("dependency_added", message, file.path, line, each.name)
            continue
        yield found("dependency_added", f"{each.name} added", file.path, line, each.name)
        if other := _looks_like(each.name, known):
            message = f"{each.name} looks like {other}, which is another package"
            yield found("dependency_source", message, file.path, line, f"{each.name} like {other}")


def _is_own(each: Declared, manifest: str, change: ChangeSet) -> bool:
    """A folder of this repository that was there before: a part of the product."""
    if not each.folder or each.folder.startswith("/"):
        return False
    path = normpath(f"{dirname(manifest)}/{each.folder}" if dirname(manifest) else each.folder)
    if path.startswith("../") or path == "..":
        return False
    return path == "." or any(known.startswith(path + "/") for known in change.before)


def _line(text: str, each: Declared) -> int:
    name = each.name.rpartition(" ")[2].rpartition(":")[2]
    pattern = re.compile(
        "[-_.]".join(map(re.escape, name.split("-"))) if name else re.escape(each.source), re.IGNORECASE
    )
    match = pattern.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else 0


def _looks_like(name: str, known: dict[str, set[Declared]]) -> str:
    return next((other for other in known if other != name and _one_apart(name, other)), "")


def _one_apart(first: str, second: str) -> bool:
    """One letter more, less, or other, or two exchanged. A digit at the end is another generation, not a trap."""
    if min(len(first), len(second)) < SHORTEST or abs(len(first) - len(second)) > 1:
        return False
    if first.rstrip("0123456789") == second.rstrip("0123456789"):
        return False
    if len(first) == len(second):
        apart = [index for index in range(len(first)) if first[index] != second[index]]
        if len(apart) == 2 and apart[1] == apart[0] + 1:
            return first[apart[0]] == second[apart[1]] and first[apart[1]] == second[apart[0]]
        return len(apart) == 1
    short, long = sorted((first, second), key=len)
    return any(long[:index] + long[index + 1 :] == short for index in range(len(long)))


# --- code that runs when packages are installed or built

_SCRIPTS = (
    *("preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepack", "postpack"),
    *("prepublish", "prepublishOnly", "dependencies", "preuninstall", "postuninstall"),
)
_HARMLESS = re.compile(r"(?:husky(?: install)?|(?:pnpm|npm|yarn)(?: run)? build|tsc(?: -[\w-]+)*)$")
_ACTING = re.compile(
    r"\b(cmdclass|subprocess|os\.system|os\.popen|urllib|requests|socket|exec\(|eval\(|__import__|importlib|ctypes|base64)"
)
_PLAIN_SETUP = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*(?:from setuptools import setup|import setuptools)\s+(?:setuptools\.)?setup\(\)\s*$"
)
_BACKENDS = re.compile(
    r"^(?:hatchling\.build|setuptools\.build_meta|flit_core\.buildapi|poetry\.core\.masonry\.api|pdm\.backend|uv_build|maturin"
    r"|mesonpy|scikit_build_core\.build|)$"
)


def _install_scripts(file: Changed) -> Iterator[Finding]:
    name = file.path.rpartition("/")[2]
    if file.after is None or file.new == file.old or _is_data(file.path):
        return
    if name == "package.json":
        yield from _package_scripts(file)
    elif name == "pyproject.toml":
        yield from _build_system(file)
    elif name == "setup.py":
        had = set(_ACTING.findall(file.old or ""))
        for word in sorted(set(_ACTING.findall(file.new or "")) - had):
            yield found("install_script", f"setup.py uses {word.rstrip('(')}", file.path, 0, f"setup.py {word}")
        if file.added and not _PLAIN_SETUP.match(file.new or "x"):
            yield found("install_script", "a new setup.py runs when the package is installed", file.path, 0, "setup.py")
    elif name in ("build.rs", "binding.gyp", "hatch_build.py", "conanfile.py") or file.path.endswith("extconf.rb"):
        done = "added" if file.added else "changed"
        yield found("install_script", f"{name} {done}: it runs when the package is built", file.path, 0, name)


def _package_scripts(file: Changed) -> Iterator[Finding]:
    old, new = _json(file.old), _json(file.new)
    for name in _SCRIPTS:
        command = table(new.get("scripts")).get(name)
        if isinstance(command, str) and command != table(old.get("scripts")).get(name) and not _HARMLESS.match(command):
            line = _place(file.new or "", f'"{name}"')
            yield found("install_script", f"{name}: {command[:120]}", file.path, line, f"script {name}")
    for holder, key in (("", "trustedDependencies"), ("pnpm", "onlyBuiltDependencies")):
        before, after = ((table(data.get(holder)) if holder else data).get(key) for data in (old, new))
        for each in listed(after):
            if each not in listed(before):
                message = f"{key}: {each} may run code when it is installed"
                yield found("install_script", message, file.path, _place(file.new or "", f'"{key}"'), f"{key} {each}")


def _build_system(file: Changed) -> Iterator[Finding]:
    old, new = _toml(file.old), _toml(file.new)
    before, after = table(old.get("build-system")), table(new.get("build-system"))
    line = _place(file.new or "", "[build-system]")
    known = _BACKENDS.match(str(after.get("build-backend", ""))) is not None and "backend-path" not in after
    if {key: after.get(key) for key in ("build-backend", "backend-path")} != {
        key: before.get(key) for key in ("build-backend", "backend-path")
    } and not (known and not before):
        yield found("install_script", "what builds the package changed", file.path, line, "build-backend")
    elif before and before.get("requires") != after.get("requires"):
        yield found("install_script", "what building the package needs changed", file.path, line, "build requires")
    for keys in (("hatch", "build", "hooks"), ("poetry", "build"), ("setuptools", "cmdclass"), ("pdm", "build")):
        first, second = (_at(data, "tool", *keys) for data in (old, new))
        if second and second != first:
            name = ".".join(("tool", *keys))
            yield found("install_script", f"{name} changed: it runs when the package is built", file.path, 0, name)


def _at(data: dict[str, Any], *keys: str) -> object:
    value: object = data
    for key in keys:
        value = table(value).get(key)
    return value


def _json(text: str | None) -> dict[str, Any]:
    try:
        return table(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}


def _toml(text: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (ValueError, RecursionError):
        return {}


def _place(text: str, part: str) -> int:
    at = text.find(part)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
