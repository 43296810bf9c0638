"""Settings of linters and type checkers: whoever changes them decides what their own work is measured by.

Finds changes in a diff that shows whole files. Whether one was declared or accepted is decided elsewhere.
"""

from __future__ import annotations

import configparser
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, cast

from andon.domain.auto.conditions import speaks_of_linters
from andon.domain.auto.diffs import Versions, is_source, versions
from andon.domain.auto.outline import read_outline
from andon.domain.auto.paths import named_paths
from andon.domain.patterns import ignored
from andon.domain.verdict import Finding

_OWN_FILE = re.compile(
    r"(?:^|/)(?:\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc(?:\.toml)?|\.isort\.cfg|pyrightconfig\.json"
    r"|\.eslintignore|\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s|[^/]*tsconfig[^/]*\.json|jsconfig\.json"
    r"|\.golangci\.(?:ya?ml|toml|json)|\.?clippy\.toml|[^/]*checkstyle[^/]*\.xml|checkstyle/[^/]+\.xml)$"
)
_SHARED_FILE = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|package\.json|Cargo\.toml|\.cargo/config(?:\.toml)?)$"
)
_IGNORE_FILE = re.compile(r"(?:^|/)\.(?:git)?ignore$")
_TOOLS = ("ruff", "mypy", "flake8", "pylint", "pyright", "basedpyright", "isort")
_SECTION = re.compile(rf"(?:tool[.:])?(?:{'|'.join(_TOOLS)})\b")
_WHOLE = "(whole file)"
_MOST_SHOWN = 120


def sets_linters(path: str) -> bool:
    return bool(_OWN_FILE.search(path)) or is_shared(path)


def is_shared(path: str) -> bool:
    """Whether other things stand in the file too: a plan that names it does not say that it eases the linter."""
    return bool(_SHARED_FILE.search(path)) or hides_files(path)


def hides_files(path: str) -> bool:
    """Linters pass over what git is told to ignore, even when git has it."""
    return _IGNORE_FILE.search(path) is not None


def names_linter(document: str, path: str) -> bool:
    """Whether a line of the document that names the path speaks of a linter or type checker."""
    for line in read_outline(document):
        named = [each.path for each in named_paths(line.text)] if path in line.text else []
        if path in named:
            rest = line.text
            for each in named:
                rest = rest.replace(each, " ")
            if speaks_of_linters(rest):
                return True
    return False


def changed_settings(diff: str, suspects: Collection[str] = (), changed: Collection[str] = ()) -> list[Finding]:
    """One finding for each file whose settings differ, named by all that differs in it.

    A suspect that the diff does not show counts. `changed` are the files of the work, which nobody may hide.
    """
    shown = versions(diff)
    found: list[Finding] = []
    for path in sorted({*shown, *suspects}):
        what = _change(path, shown[path], changed) if path in shown else "the diff is too large to show it"
        if what is not None:
            found.append(Finding(f"settings of a linter or type checker changed {what}", path))
    return found


def _change(path: str, both: Versions, changed: Collection[str]) -> str | None:
    """What differs, and a digest of all of it; None when nothing does that counts."""
    by_pattern = hides_files(path) and not both.opaque
    differing = [*(_hidden(path, both, changed) if by_pattern else _differing(path, both))]
    if not differing:
        return None
    digest = hashlib.sha256("\n".join(differing).encode("utf-8", "replace")).hexdigest()[:8]
    more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
    first = _first_line(both) if differing[0].startswith(_WHOLE) else differing[0]
    if path.endswith(".pyi"):
        first = f"a stub hides {path.removesuffix('i')}"
    return f"({digest}): {first[:_MOST_SHOWN]}{more}"


def _differing(path: str, both: Versions) -> Iterator[str]:
    if both.opaque:
        yield f"{_WHOLE}{both.before} → {both.after}"
        return
    before, after = _settings(path, both.before), _settings(path, both.after)
    for key in sorted({*before, *after}):
        old, new = before.get(key, "-"), after.get(key, "-")
        if old != new:
            yield f"{'.'.join(key) or _WHOLE} {old} → {new}"


def _hidden(path: str, both: Versions, changed: Collection[str]) -> Iterator[str]:
    """Patterns that are new, or no longer taken back, and the file of the work that each would hide."""
    before, after = ((text or "").splitlines() for text in (both.before, both.after))
    patterns = [line for line in after if line not in before and not line.startswith("!")]
    patterns += [line[1:] for line in before if line.startswith("!") and line not in after]
    folder = path.rpartition("/")[0]
    sources = [each for each in sorted(changed) if is_source(each)]
    for pattern in patterns:
        file = next((each for each in sources if ignored(each, pattern, folder)), None)
        if file is not None:
            yield f"{pattern} hides {file}"


def _first_line(both: Versions) -> str:
    before, after = ((text or "").splitlines() for text in (both.before, both.after))
    for mark, lines, others in (("+", after, {*before}), ("-", before, {*after})):
        for line in lines:
            if line.strip() and line not in others:
                return f"{mark}{line}"
    return "the file"


_Flat = dict[tuple[str, ...], str]


def _settings(path: str, text: str | None) -> _Flat:
    """What of a file counts, by the place where it stands; the whole text where it cannot be read."""
    shared = is_shared(path)
    if text is None:
        return {} if shared else {(): "no file"}
    read, counting = _format(path)
    try:
        value = read(text)
        return _flat(counting(value) if shared else value)
    except (ValueError, configparser.Error, RecursionError, AttributeError, TypeError):
        return {(): text}


def _flat(value: Any, place: tuple[str, ...] = ()) -> _Flat:
    if not (isinstance(value, Mapping) and value):
        return {} if value == {} and not place else {place: json.dumps(value, sort_keys=True, default=str)}
    found: _Flat = {}
    for key, each in cast("Mapping[str, Any]", value).items():
        found |= _flat(each, (*place, key))
    return found


def _format(path: str) -> tuple[Callable[[str], Any], Callable[[Any], Any]]:
    """How a file is read, and what of it is about linters where it is about other things too."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return json.loads, lambda value: _only(value, ("eslintConfig", "eslintIgnore"))
    if name == "pyproject.toml":
        return tomllib.loads, lambda value: _only(value.get("tool", {}), _TOOLS)
    if name == "Cargo.toml":
        return tomllib.loads, _lints
    if name.endswith(".toml") or name == "config":
        return tomllib.loads, lambda value: value
    if name.endswith(".json"):
        return json.loads, lambda value: value
    if name.endswith((".ini", ".cfg", ".flake8", "pylintrc")):
        return _sections, lambda value: {key: each for key, each in value.items() if _SECTION.match(key)}
    return str, str


def _lints(value: dict[str, Any]) -> dict[str, Any]:
    shared = _only(value.get("workspace", {}), ("lints",))
    return _only(value, ("lints",)) | ({"workspace": shared} if shared else {})


def _only(value: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value[key] for key in keys if key in value}


def _sections(text: str) -> dict[str, dict[str, str | None]]:
    parser = configparser.RawConfigParser(allow_no_value=True)
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}
