"""What manifests declare: package, version asked for, and where it comes from if not from an index. Reads text only."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any, cast

DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Declared:
    name: str
    version: str = ""
    source: str = ""
    """Where it comes from, if that is not the package index."""
    folder: str = ""
    """Of a source that is a folder: its path as written."""


def ecosystem(path: str) -> str:
    """Empty for what is no manifest."""
    name = path.rpartition("/")[2]
    return next((kind for pattern, kind, _ in _READERS if fnmatch(name, pattern)), "")


def declared(path: str, text: str) -> list[Declared]:
    name = path.rpartition("/")[2]
    for pattern, _, read in _READERS:
        if fnmatch(name, pattern):
            try:
                return [*read(text)]
            except (ValueError, RecursionError):
                return []
    return []


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


# --- Python

_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*")
_URL = re.compile(r"^(?:(?:git|hg|svn|bzr)\+|https?:|file:|ssh:|git@|\.{0,2}/)")


def requirement(line: str) -> Declared | None:
    """One line of PEP 508 or of a requirements file."""
    text = line.split(" #")[0].split(" --hash")[0].strip().rstrip("\\").strip()
    if _URL.match(text):
        name = re.search(r"[#&]egg=([\w.-]+)", text)
        return Declared(plain(name[1]) if name else text[:200], source=text[:200], folder=_folder(text))
    match = _NAME.match(text)
    if match is None or text.startswith("-"):
        return None
    rest = text[match.end() :].partition(";")[0].strip()
    if rest.startswith("@"):
        return Declared(plain(match[1]), source=rest[1:].strip()[:200], folder=_folder(rest[1:].strip()))
    return Declared(plain(match[1]), rest.replace(" ", ""))


def _folder(text: str) -> str:
    path = text.removeprefix("file:").removeprefix("link:").removeprefix("portal:")
    return path if path.startswith((".", "/")) and not path.endswith((".whl", ".gz", ".zip", ".tgz")) else ""


def _requirements(text: str) -> Iterator[Declared]:
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        if match := re.match(r"(?:-e|--editable)[ =](.+)", line):
            line = match[1].strip()
        elif match := re.match(r"(--(?:extra-)?index-url|-i|--find-links|-f|--trusted-host)[ =](\S+)", line):
            yield Declared(match[1], source=match[2])
            continue
        if line and not line.startswith(("#", "-")) and (found := requirement(line)):
            yield found


def _pyproject(text: str) -> Iterator[Declared]:
    data = tomllib.loads(text)
    project, tool = table(data.get("project")), table(data.get("tool"))
    lists = [project.get("dependencies"), *table(project.get("optional-dependencies")).values()]
    lists += [*table(data.get("dependency-groups")).values(), table(tool.get("uv")).get("dev-dependencies")]
    lists += table(table(tool.get("pdm")).get("dev-dependencies")).values()
    lines = [line for each in lists for line in listed(each) if isinstance(line, str)]
    yield from (found for line in lines if (found := requirement(line)))
    poetry, uv = table(tool.get("poetry")), table(tool.get("uv"))
    tables = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    tables += [table(group).get("dependencies") for group in table(poetry.get("group")).values()]
    for each in tables:
        yield from (_specified(name, spec) for name, spec in table(each).items() if name != "python")
    for name, spec in table(uv.get("sources")).items():
        parts = [table(each) for each in listed(spec)] or [table(spec)]
        yield from (_specified(name, part) for part in parts if not part.get("workspace"))
    for place, key in ((uv, "index"), (poetry, "source"), (table(tool.get("pdm")), "source")):
        for each in listed(place.get(key)):
            yield Declared(f"index {table(each).get('name', '')}".strip(), source=str(table(each).get("url", "")))
    for key in ("index-url", "extra-index-url", "find-links"):
        yield from (Declared(key, source=str(each)) for each in listed(uv.get(key)) or [uv.get(key)] if each)


def _specified(name: str, spec: object) -> Declared:
    """`{git = …}`, `{path = …}`, or a version."""
    if isinstance(spec, str):
        return Declared(plain(name), spec)
    parts = table(spec)
    for key in ("git", "url", "path", "file", "registry", "index", "source"):
        if isinstance(parts.get(key), str):
            written = str(parts[key])
            return Declared(plain(name), source=f"{key} {written}"[:200], folder=written if key == "path" else "")
    renamed = f"as {parts['package']} " if isinstance(parts.get("package"), str) else ""
    return Declared(plain(name), renamed + str(parts.get("version", "")))


def _pipfile(text: str) -> Iterator[Declared]:
    data = tomllib.loads(text)
    for key in ("packages", "dev-packages"):
        yield from (_specified(name, spec) for name, spec in table(data.get(key)).items())
    yield from (Declared("index", source=str(table(each).get("url", ""))) for each in listed(data.get("source")))


_SETUP_LIST = re.compile(
    r"\b(?:install_requires|setup_requires|tests_require)\s*=\s*(?:\[([^\]]*)\]|((?:\n[ \t]+\S.*)+|.*))"
)


def _setup(text: str) -> Iterator[Declared]:
    for match in _SETUP_LIST.finditer(text):
        quoted = re.findall(r"['\"]([^'\"\n]+)['\"]", match[1] or "")
        for line in quoted or (match[2] or "").splitlines():
            if line.strip() and (found := requirement(line.strip())):
                yield found


# --- JavaScript

_NPM_SOURCE = re.compile(
    r"^(?:git[+:@]|https?:|github:|gitlab:|bitbucket:|file:|link:|portal:|npm:|[\w.-]+/[\w.-]+(?:#|$))"
)


def _package(text: str) -> Iterator[Declared]:
    data = table(json.loads(text))
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        yield from _npm(table(data.get(key)), "")
    yield from _npm(table(data.get("resolutions")), "override ")
    yield from _npm(table(data.get("overrides")), "override ")
    yield from _npm(table(table(data.get("pnpm")).get("overrides")), "override ")


def _npm(entries: dict[str, Any], prefix: str, depth: int = 0) -> Iterator[Declared]:
    for name, spec in entries.items():
        if isinstance(spec, dict) and depth < DEEPEST:
            yield from _npm(table(cast("object", spec)), f"{prefix}{name} > ", depth + 1)
        elif isinstance(spec, str) and _NPM_SOURCE.match(spec):
            yield Declared(prefix + name, source=spec[:200], folder=_folder(spec))
        elif isinstance(spec, str):
            yield Declared(prefix + name, spec)


# --- Go, Rust, Java

_GO_LINE = re.compile(r"^\s*(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\S+)", re.MULTILINE)
_GO_REPLACE = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+(?:\s+v\S+)?)", re.MULTILINE)


def _go(text: str) -> Iterator[Declared]:
    text = re.sub(r"//[^\n]*", "", text)
    for match in _GO_REPLACE.finditer(text):
        yield Declared(match[1], source=f"replace {match[2]}", folder=match[2] if match[2].startswith(".") else "")
    without = _GO_REPLACE.sub("", text)
    yield from (Declared(match[1], match[2]) for match in _GO_LINE.finditer(without) if not match[1].startswith("go."))


def _cargo(text: str) -> Iterator[Declared]:
    data = tomllib.loads(text)
    places = [data, table(data.get("workspace")), *(table(each) for each in table(data.get("target")).values())]
    for place in places:
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from (_specified(name, spec) for name, spec in table(place.get(key)).items())
    for key in ("patch", "replace"):
        for name, spec in table(data.get(key)).items():
            yield Declared(f"{key} {name}", source=json.dumps(spec, default=str, sort_keys=True)[:200])


_POM = re.compile(r"<(dependency|plugin|parent)>(.{0,2000}?)</\1>", re.DOTALL)
_TAG = re.compile(r"<(groupId|artifactId|version|systemPath)>\s*([^<]*?)\s*</")
_REPOSITORY = re.compile(r"<(?:plugin)?[rR]epository>.{0,800}?<url>\s*([^<]*?)\s*</url>", re.DOTALL)
_GRADLE = re.compile(
    r"^\s*(?:\w*[iI]mplementation|api|compileOnly|runtimeOnly|\w*[cC]lasspath|kapt|ksp|annotationProcessor|test\w+)\b"
    r"[ (]*['\"]([\w.-]+:[\w.-]+)(?::([^'\"]+))?['\"]",
    re.MULTILINE,
)
_GRADLE_FILES = re.compile(r"^\s*\w*(?:[iI]mplementation|api)\b[ (]*(files|fileTree)\s*\(([^)\n]*)\)", re.MULTILINE)
_GRADLE_URL = re.compile(r"\bmaven\s*(?:\{\s*(?:url\s*=?\s*)?(?:uri\()?|\(\s*)['\"]([^'\"]+)['\"]")


def _pom(text: str) -> Iterator[Declared]:
    text = "".join(part.partition("-->")[2] if number else part for number, part in enumerate(text.split("<!--")))
    for match in _POM.finditer(text):
        tags = dict(_TAG.findall(match[2].partition("<exclusions>")[0]))
        name = f"{tags.get('groupId', '')}:{tags.get('artifactId', '')}"
        yield Declared(
            name, tags.get("version", ""), f"systemPath {tags['systemPath']}" if "systemPath" in tags else ""
        )
    yield from (Declared("repository", source=match[1]) for match in _REPOSITORY.finditer(text))


def _gradle(text: str) -> Iterator[Declared]:
    text = re.sub(r"^\s*//[^\n]*", "", text, flags=re.MULTILINE)
    yield from (Declared(match[1], match[2] or "") for match in _GRADLE.finditer(text))
    for match in _GRADLE_FILES.finditer(text):
        yield Declared(match[2].strip(), source=f"{match[1]}({match[2]})")
    yield from (Declared("repository", source=match[1]) for match in _GRADLE_URL.finditer(text))


def _npmrc(text: str) -> Iterator[Declared]:
    for match in re.finditer(r"^\s*((?:@[\w-]+:)?registry)\s*=\s*(\S+)", text, re.MULTILINE):
        yield Declared(match[1], source=match[2])


_READERS: tuple[tuple[str, str, Callable[[str], Iterator[Declared]]], ...] = (
    ("pyproject.toml", "python", _pyproject),
    ("*requirements*.txt", "python", _requirements),
    ("*requirements*.in", "python", _requirements),
    ("constraints*.txt", "python", _requirements),
    ("Pipfile", "python", _pipfile),
    ("setup.cfg", "python", _setup),
    ("setup.py", "python", _setup),
    ("package.json", "node", _package),
    (".npmrc", "node", _npmrc),
    ("go.mod", "go", _go),
    ("Cargo.toml", "rust", _cargo),
    ("pom.xml", "java", _pom),
    ("build.gradle", "java", _gradle),
    ("build.gradle.kts", "java", _gradle),
    ("settings.gradle", "java", _gradle),
    ("settings.gradle.kts", "java", _gradle),
)
INDEXES = re.compile(
    r"^https?://(?:pypi\.org/simple|files\.pythonhosted\.org|pypi\.python\.org|registry\.npmjs\.org|registry\.yarnpkg\.com"
    r"|registry\.npmmirror\.com/?$|repo\d?\.maven\.(?:apache\.)?org|plugins\.gradle\.org|maven\.google\.com|index\.crates\.io"
    r"|static\.crates\.io|proxy\.golang\.org|npm\.jsr\.io|download\.pytorch\.org)(?:[/:?]|$)"
)
"""Public package indexes."""
