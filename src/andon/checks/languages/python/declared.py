"""What a Python project says it needs, read from its manifests: its own dependencies, extras and groups, as plain
requirement lines. Runs nothing; what only build code can tell is left open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from andon.checks.reading import one_or_more, read_table, read_text, strings, table

_NAME = re.compile(r"[A-Za-z0-9][\w.\-]*")
_SELF = re.compile(r"([A-Za-z0-9][\w.\-]*)\s*\[([^\]]*)\]")
_LOCAL = re.compile(r"(?:-e|--editable)?[ =]*(?:\.{1,2}(?=[/\[\s;]|$)|file:|/)")
_OPTIONS = re.compile(r"-(?:i|f)\s|--(?:index-url|extra-index-url|find-links|pre|prefer-binary)\b")
_RELEASE = re.compile(r"(\d+(?:\.\d+)*)")
DEEPEST = 8
POETRY_KEYS = ("version", "extras", "markers", "python")


@dataclass(frozen=True, slots=True)
class Declared:
    name: str = ""
    base: tuple[str, ...] | None = ()
    """What it needs to run; None where only its build code can say."""
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def with_metadata(self, metadata: str) -> Declared:
        """`metadata`: of a wheel that was built, for what the manifests leave open."""
        found = [line.partition(":")[2].strip() for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
        extra = re.compile(r"""\s*(?:and\s+)?extra\s*==\s*["']([^"']+)["']""")
        base = tuple(line for line in found if not extra.search(line))
        extras: dict[str, tuple[str, ...]] = {}
        for line in found:
            for name in extra.findall(line):
                plain = re.sub(r";\s*$", "", extra.sub("", line).replace("()", "")).strip()
                extras[name] = (*extras.get(name, ()), re.sub(r";\s*(?:and|or)\s", "; ", plain))
        return replace(self, base=base, extras={**extras, **self.extras})

    def extra(self, name: str) -> tuple[str, ...]:
        return self._expanded(_pick(self.extras, name), 0)

    def _expanded(self, lines: tuple[str, ...], depth: int) -> tuple[str, ...]:
        """An extra that is made of the project's other extras names the project itself."""
        found: list[str] = []
        for line in lines:
            own = _SELF.match(line)
            if own and plain_name(own[1]) == self.name and depth < DEEPEST:
                for other in own[2].split(","):
                    found += self._expanded(_pick(self.extras, other.strip()), depth + 1)
            else:
                found.append(line)
        return tuple(found)

    def group(self, name: str) -> tuple[str, ...]:
        return self.lines(_pick(self.groups, name))

    def lines(self, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """Requirement lines with `.`, `.[extra]` and `group:name` put in words."""
        found: list[str] = []
        for line in (each.strip() for each in wanted):
            if line.startswith("group:"):
                found += self.group(line.removeprefix("group:"))
                continue
            own = _SELF.match(line)
            if own and plain_name(own[1]) == self.name:
                line = f".[{own[2]}]"
            if not _LOCAL.match(line):
                found.append(line)
                continue
            found += self.base or ()
            for extra in re.findall(r"\[([^\]]*)\]", line)[:1]:
                found += [each for name in extra.split(",") for each in self.extra(name.strip())]
        return tuple(dict.fromkeys(found))


def _pick(named: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return next((lines for key, lines in named.items() if plain_name(key) == plain_name(name)), ())


def plain_name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def requirement_name(line: str) -> str:
    match = _NAME.match(line)
    return plain_name(match[0]) if match else ""


def read_declared(tree: Path, pyproject: Mapping[str, Any], settings: Mapping[str, Mapping[str, str]]) -> Declared:
    project, tool = table(pyproject.get("project")), table(pyproject.get("tool"))
    flit, poetry = table(table(tool.get("flit")).get("metadata")), table(tool.get("poetry"))
    groups = {name: _included(table(pyproject.get("dependency-groups")), name, frozenset())
              for name in table(pyproject.get("dependency-groups"))}  # fmt: skip
    groups |= {name: strings(lines) for name, lines in table(table(tool.get("pdm")).get("dev-dependencies")).items()}
    for place in ("uv", "rye"):
        if more := strings(table(tool.get(place)).get("dev-dependencies")):
            groups["dev"] = (*groups.get("dev", ()), *more)
    groups |= _poetry_groups(poetry)
    pipfile = table(read_table(tree, "Pipfile"))
    groups |= {"dev-packages": _poetry_lines(pipfile.get("dev-packages"))} if "dev-packages" in pipfile else {}
    name: object = project.get("name") or poetry.get("name") or flit.get("module") or ""
    made = Declared(plain_name(name) if isinstance(name, str) else "", groups=groups)
    optional = {name: strings(lines) for name, lines in table(project.get("optional-dependencies")).items()}
    open_ = set(strings(project.get("dynamic")))
    if project and not poetry.get("dependencies"):
        base = None if "dependencies" in open_ else strings(project.get("dependencies"))
        made = replace(made, base=base, extras=optional)
        if open_ & {"dependencies", "optional-dependencies"}:
            told = _from_setup(tree, settings)
            made = replace(made, base=told.base if base is None else base, extras={**told.extras, **optional})
        return made
    if poetry:
        wanted = table(poetry.get("dependencies"))
        needed = {key: spec for key, spec in wanted.items() if not _is_optional(spec)}
        extras = {extra: _poetry_lines({key: wanted[key] for key in strings(names) if key in wanted})
                  for extra, names in table(poetry.get("extras")).items()}  # fmt: skip
        return replace(made, base=_poetry_lines(needed), extras={**extras, **optional})
    if flit:
        extras = {name: strings(lines) for name, lines in table(flit.get("requires-extra")).items()}
        return replace(made, base=strings(flit.get("requires")), extras=extras)
    told = _from_setup(tree, settings)
    more = _poetry_lines(pipfile.get("packages"))
    return replace(told, base=None if told.base is None else (*told.base, *more), groups={**told.groups, **groups})


def _included(groups: Mapping[str, Any], group: str, seen: frozenset[str]) -> tuple[str, ...]:
    value: object = groups.get(group)
    if group in seen or not isinstance(value, list):
        return ()
    found: list[str] = []
    for item in cast("list[object]", value):
        other: object = table(item).get("include-group")
        found += [item] if isinstance(item, str) else []
        found += _included(groups, other, seen | {group}) if isinstance(other, str) else ()
    return tuple(found)


# --- setup.cfg and setup.py -----------------------------------------------------------------------------------------


def _from_setup(tree: Path, settings: Mapping[str, Mapping[str, str]]) -> Declared:
    options = settings.get("options", {})
    extras = {name: _split(lines) for name, lines in settings.get("options.extras_require", {}).items()}
    told = Declared(
        plain_name(settings.get("metadata", {}).get("name", "")), _split(options.get("install_requires", "")), extras
    )
    if tests := _split(options.get("tests_require", "")):
        told = replace(told, groups={"tests_require": tests})
    text = read_text(tree, "setup.py")
    return _from_call(text, told) if isinstance(text, str) else told


def _split(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


def _from_call(text: str, told: Declared) -> Declared:
    """What setup() is called with, where it stands there in plain words."""
    try:
        parsed = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return replace(told, base=None)
    known = {node.targets[0].id: node.value for node in parsed.body
             if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}  # fmt: skip
    calls = (node for node in ast.walk(parsed) if isinstance(node, ast.Call))
    call = next((each for each in calls if ast.unparse(each.func).endswith("setup")), None)
    given = {word.arg: _value(word.value, known) for word in call.keywords if word.arg} if call else {}
    base: tuple[str, ...] | None = told.base
    if "install_requires" in given or (call and any(word.arg is None for word in call.keywords)):
        found = given.get("install_requires")
        base = None if found is None else _split("\n".join(one_or_more(found)))
    extras = {name: strings(lines) for name, lines in table(given.get("extras_require")).items()}
    tests = strings(given.get("tests_require"))
    name = given.get("name")
    return replace(
        told,
        name=told.name or (plain_name(name) if isinstance(name, str) else ""),
        base=base,
        extras={**told.extras, **extras},
        groups={**told.groups, **({"tests_require": tests} if tests else {})},
    )


class _Known(ast.NodeTransformer):
    """Puts in place of a name what it was set to."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._known.get(node.id, node)


def _value(node: ast.expr, known: Mapping[str, ast.expr]) -> object:
    try:
        value: object = ast.literal_eval(_Known(known).visit(node))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value


# --- Poetry and Pipenv ----------------------------------------------------------------------------------------------


def _poetry_groups(poetry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    groups = {
        name: _poetry_lines(table(group).get("dependencies")) for name, group in table(poetry.get("group")).items()
    }
    if "dev-dependencies" in poetry:
        groups["dev"] = (*groups.get("dev", ()), *_poetry_lines(poetry["dev-dependencies"]))
    return groups


def _is_optional(spec: object) -> bool:
    return table(spec).get("optional") is True


def _poetry_lines(wanted: object) -> tuple[str, ...]:
    found: list[str] = []
    for name, spec in table(wanted).items():
        for each in cast("list[object]", spec) if isinstance(spec, list) else [spec]:
            if name != "python" and (line := _poetry_line(name, each)):
                found.append(line)
    return tuple(found)


def _poetry_line(name: str, spec: object) -> str:
    told: Mapping[str, Any] = {"version": spec} if isinstance(spec, str) else table(spec)
    if "path" in told or "file" in told:
        return ""
    extras = ",".join(strings(told.get("extras")))
    line = f"{name}[{extras}]" if extras else name
    if "git" in told:
        revision = next((f"@{told[key]}" for key in ("rev", "ref", "tag", "branch") if key in told), "")
        line += f" @ git+{told['git']}{revision}"
    elif "url" in told:
        line += f" @ {told['url']}"
    else:
        line += version_range(str(told.get("version", "*")))
    markers = [str(told["markers"])] if told.get("markers") else []
    if told.get("python"):
        for part in filter(None, version_range(str(told["python"])).split(",")):
            version = part.lstrip("<>=!~")
            markers.append(f"python_full_version {part[: len(part) - len(version)] or '=='} '{version}'")
    return f"{line} ; {' and '.join(f'({each})' for each in markers)}" if markers else line


def version_range(text: str) -> str:
    """Poetry's ^, ~ and bare versions as everybody else writes them."""
    found = [_comparison(part.strip()) for part in text.split("||")[-1].replace(" ", ",").split(",") if part.strip()]
    return ",".join(each for each in found if each)


def _comparison(part: str) -> str:
    number = _RELEASE.search(part)
    if part in ("*", "") or not number:
        return ""
    if part[0] in "<>=!" or part.startswith("~="):
        return part
    release = [int(each) for each in number[1].split(".")]
    if part[0] == "^":
        place = next((at for at, each in enumerate(release) if each), len(release) - 1)
    elif part[0] == "~":
        place = min(1, len(release) - 1)
    else:
        return f"=={part}"
    upper = ".".join(map(str, (*release[:place], release[place] + 1)))
    return f">={part[1:].strip()},<{upper}"


# --- requirement files ----------------------------------------------------------------------------------------------


def file_lines(tree: Path, path: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The lines of a requirements file and of those it names; `-c LINE` for what only bounds versions."""
    text = read_text(tree, path)
    if not isinstance(text, str) or path in seen or len(seen) > DEEPEST:
        return
    for raw in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"(?:^|\s)#.*", "", raw).strip()
        if other := re.match(r"(?:-r|--requirement|-c|--constraint)[ =]*(\S+)", line):
            below = "/".join(_joined(path, other[1]))
            found = file_lines(tree, below, seen | {path})
            bounding = line.startswith(("-c", "--constraint"))
            yield from (f"-c {each}" if bounding and not each.startswith("-c ") else each for each in found)
        elif _LOCAL.match(line) and not re.match(r"(?:-e|--editable)?[ =]*\.(?:[\[\s;]|/?$)", line):
            continue
        elif line and (not line.startswith("-") or _OPTIONS.match(line) or _LOCAL.match(line)):
            yield line


def _joined(path: str, other: str) -> list[str]:
    parts = path.split("/")[:-1]
    for part in other.removeprefix("./").split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return parts
