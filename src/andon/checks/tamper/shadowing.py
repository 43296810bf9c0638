"""Added modules that would be imported instead of another one: of Python, of a test tool, a dependency, or the product.

Decides by names and places alone. Files that run by themselves are `startup_hooks`' subject.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, cast

from andon.domain.auto.implementation import is_test
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_TOOLS = {
    *(
        "pytest",
        "_pytest",
        "pluggy",
        "iniconfig",
        "xdist",
        "execnet",
        "hypothesis",
        "mock",
        "nose",
        "nose2",
        "coverage",
    ),
    *(
        "unittest2",
        "tox",
        "pytest_cov",
        "pytest_asyncio",
        "pytest_mock",
        "anyio",
        "doctest",
        "pkg_resources",
        "setuptools",
    ),
    *("packaging", "exceptiongroup", "tomli", "py", "attr", "attrs", "typing_extensions"),
}
_IMPORT_NAMES = {
    "pyyaml": "yaml", "pillow": "PIL", "beautifulsoup4": "bs4", "scikit-learn": "sklearn",
    "python-dateutil": "dateutil",
    "opencv-python": "cv2", "attrs": "attr", "protobuf": "google", "pyjwt": "jwt", "python-dotenv": "dotenv",
    "gitpython": "git", "msgpack-python": "msgpack", "psycopg2-binary": "psycopg2", "mysqlclient": "MySQLdb",
}  # fmt: skip
_ROOTS = ("", "src", "lib")
_MODULE = re.compile(r"(?P<name>[^/.]+)(?:\.(?:py|pyd|so)|\.(?:cpython|abi3)[\w.-]*\.so|/__init__\.py)$")
_ENDINGS = (".mjs", ".js", ".mts", ".ts", ".jsx", ".tsx")
_SCRIPT = re.compile(r"(?P<stem>.+)\.(?:m?[jt]s|[jt]sx)")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def shadowing_findings(change: ChangeSet, manifests: Mapping[str, str] | None = None) -> list[Finding]:
    """`manifests`: manifests of the base, path → text, for the names of dependencies; those changed are read anyway."""
    texts = {each.path: each.old for each in change if each.old is not None} | dict(manifests or {})
    dependencies = {name for path, text in texts.items() for name in _declared(path, text)}
    roots = _roots(change)
    own = _packages(change.before, roots)
    findings: list[Finding] = []
    told: set[str] = set()
    for file in change:
        if not file.added:
            continue
        if (vendored := _node_module(file.path, change)) and vendored not in told:
            told.add(vendored)
            findings.append(
                found(
                    "module_shadowed",
                    f"{vendored} would be loaded instead of the installed one",
                    file.path,
                    0,
                    vendored,
                )
            )
        if (beside := _script_beside(file.path, change)) and beside not in told:
            told.add(beside)
            what = f"is loaded, or not, instead of {beside}: both have one name for those who import it"
            findings.append(found("module_shadowed", what, file.path, 0, file.path))
        for root, name in _module(file.path, roots):
            reason = _reason(root, name, file.path, dependencies, own, change)
            if reason and (place := f"{root}/{name}") not in told:
                told.add(place)
                findings.append(found("module_shadowed", f"{name} {reason}", file.path, 0, name))
    return findings


def _reason(
    root: str, name: str, path: str, dependencies: set[str], own: dict[str, set[str]], change: ChangeSet
) -> str:
    if name in _TOOLS or name in dependencies:
        # A product that is itself the tool, or is named like what it declares, has had this before.
        if any(name == other for names in own.values() for other in names):
            return ""
        return "has the name of a test tool" if name in _TOOLS else "has the name of a dependency"
    if name in sys.stdlib_module_names:
        # `tests/` folders and scripts are run from their own folder, which then comes first.
        return "has the name of a module of Python" if name != "test" or not root else ""
    others = {other for other, names in own.items() if name in names and other != root}
    if others and not (is_test(path) and not _is_test_root(root)) and not _moved(name, others, change):
        return f"has the name of the product's own {'/'.join(filter(None, (min(others), name)))}"
    prefix = f"{root}/" if root else ""
    if {f"{prefix}{name}.py", f"{prefix}{name}/__init__.py"} <= change.after:
        return "stands beside one of the same name"
    return ""


def _moved(name: str, roots: set[str], change: ChangeSet) -> bool:
    """Whether the one it would hide is gone: then it is the same module in its new place."""
    return not any(
        each.startswith((f"{prefix}{name}/", f"{prefix}{name}.py"))
        for root in roots
        for prefix in (f"{root}/" if root else "",)
        for each in change.after
    )


def _is_test_root(root: str) -> bool:
    return bool(root) and is_test(f"{root}/x")


def _roots(change: ChangeSet) -> set[str]:
    """Folders that Python imports from: the usual ones, and those of tests and of test support."""
    folders = {path.rpartition("/")[0] for path in change.before | change.after if _collected(path)}
    packages = {path.rpartition("/")[0] for path in change.before | change.after if path.endswith("/__init__.py")}
    # A test folder that is a package is imported from the folder above the outermost package.
    return {root for root in _ROOTS if root not in packages} | {_above(folder, packages) for folder in folders}


def _collected(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py")


def _above(folder: str, packages: set[str]) -> str:
    while folder in packages:
        folder = folder.rpartition("/")[0]
    return folder


def _module(path: str, roots: set[str]) -> Iterator[tuple[str, str]]:
    for root in roots:
        prefix = f"{root}/" if root else ""
        if path.startswith(prefix) and (match := _MODULE.fullmatch(path[len(prefix) :])):
            yield root, match["name"]


def _packages(paths: frozenset[str], roots: set[str]) -> dict[str, set[str]]:
    """Root → names of the modules and packages that are importable from there."""
    names: dict[str, set[str]] = {}
    for path in paths:
        for root, name in _module(path, roots):
            if not _collected(path) and name not in ("conftest", "__init__", "__main__", "setup", "noxfile"):
                names.setdefault(root, set()).add(name)
    return names


def _script_beside(path: str, change: ChangeSet) -> str:
    """The base's file that imports without an ending may find instead: Vite takes `.js` before `.ts`, others do not."""
    match = _SCRIPT.fullmatch(path)
    if not match or match["stem"].endswith(".d"):
        return ""
    same = (f"{match['stem']}{ending}" for ending in _ENDINGS)
    return next((each for each in same if each != path and each in change.before and each in change.after), "")


def _node_module(path: str, change: ChangeSet) -> str:
    folder, inside, rest = f"/{path}".partition("/node_modules/")
    if not inside:
        return ""
    place = f"{folder}/node_modules/"[1:]
    if any(each.startswith(place) for each in change.before):
        return ""
    parts = rest.split("/")
    return "/".join(parts[:2] if parts[0].startswith("@") else parts[:1])


def _declared(path: str, text: str) -> Iterator[str]:
    """Import names of what a Python manifest declares."""
    name = path.rpartition("/")[2]
    lines: list[str] = []
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        lines = text.splitlines()
    elif name == "pyproject.toml":
        lines = [*_project_lines(text)]
    for line in lines:
        if match := _REQUIREMENT.match(line.strip()):
            plain = re.sub(r"[-_.]+", "-", match[0]).lower()
            yield _IMPORT_NAMES.get(plain, plain.replace("-", "_"))


def _project_lines(text: str) -> Iterator[str]:
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    project: Any = data.get("project")
    groups: Any = data.get("dependency-groups")
    poetry: Any = data.get("tool")
    for place in (project, groups, poetry):
        yield from _strings(place)


def _strings(value: object, key: str = "", depth: int = 0) -> Iterator[str]:
    """Strings below lists of dependencies, and the keys of Poetry's tables of them."""
    if depth > 8:
        return
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if key.endswith("dependencies") and not isinstance(inner, list) and name != "python":
                yield name
            else:
                yield from _strings(cast("object", inner), name if not key.endswith("dependencies") else key, depth + 1)
    elif isinstance(value, list) and (key.endswith("dependencies") or depth == 1):
        yield from (each for each in cast("list[object]", value) if isinstance(each, str))
