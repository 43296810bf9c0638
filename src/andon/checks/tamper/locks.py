"""Lock files that changed on their own, or that name other content or another host for what they had."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from andon.checks.tamper.manifests import INDEXES, ecosystem, listed, table
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

LOCKS = {
    "uv.lock": "python", "poetry.lock": "python", "pdm.lock": "python", "pylock.toml": "python",
    "Pipfile.lock": "python",
    "package-lock.json": "node", "npm-shrinkwrap.json": "node", "yarn.lock": "node", "pnpm-lock.yaml": "node",
    "bun.lock": "node", "bun.lockb": "node", "Cargo.lock": "rust", "go.sum": "go", "gradle.lockfile": "java",
}  # fmt: skip
MOST_TOLD = 20
"""Findings of one lock file; the first ones say enough."""


@dataclass(frozen=True, slots=True)
class Artifact:
    key: str
    """Package and version, or the file."""
    digest: str
    url: str = ""


def lock_findings(change: ChangeSet) -> list[Finding]:
    # A workspace has one lock file and many manifests.
    changed = {ecosystem(file.path) for file in change if file.new != file.old}
    pnpm = any(file.path.endswith(("pnpm-workspace.yaml", ".yarnrc.yml")) for file in change)
    findings: list[Finding] = []
    for file in change:
        kind = LOCKS.get(file.path.rpartition("/")[2])
        if kind is None or (file.before is not None and file.before == file.after):
            continue
        if file.added and not _has_other(file.path, kind, change):
            findings += _contents(file)
        elif kind not in changed and not (kind == "node" and pnpm):
            done = "removed" if file.deleted else "added" if file.added else "changed"
            findings.append(found("lock_alone", f"{done}, while no manifest changed", file.path, 0, "alone"))
        if not file.added:
            findings += _contents(file)
    return findings


def _has_other(path: str, kind: str, change: ChangeSet) -> bool:
    """Whether the base had a lock file of the same kind; adding the first one is no more than care."""
    return any(LOCKS.get(each.rpartition("/")[2]) == kind for each in change.before if each != path)


def _contents(file: Changed) -> Iterator[Finding]:
    if file.new is None:
        return
    before = {each.key: each for each in _artifacts(file.path, file.old or "")}
    after = _artifacts(file.path, file.new)
    hosts = Counter(_host(each.url) for each in before.values() if each.url)
    if not hosts:
        hosts = Counter(_host(each.url) for each in after if each.url)
        usual = {host for host, count in hosts.items() if count * 2 > hosts.total()}
    else:
        usual = set(hosts)
    told = 0
    for each in after:
        old = before.get(each.key)
        message = ""
        if old and old.digest and each.digest and not _same(old.digest, each.digest):
            message = f"other content for the same version of {each.key}"
        elif each.url and (old is None or old.url != each.url) and not _is_usual(each.url, usual):
            message = f"{each.key} comes from {_host(each.url)}"
        if message and told < MOST_TOLD:
            told += 1
            at = file.new.find(each.digest or each.url)
            line = file.new.count("\n", 0, at) + 1 if at >= 0 else 0
            yield found("lock_changed", message, file.path, line, each.key)


def _kind(digest: str) -> str:
    match = re.match(r"[a-z0-9]{1,8}[-:]", digest)
    return match[0] if match else ""


def _same(old: str, new: str) -> bool:
    """Digests of different kinds do not contradict each other."""
    first, second = ({_kind(part): part for part in text.split()} for text in (old, new))
    shared = first.keys() & second.keys()
    return not shared or any(first[kind] == second[kind] for kind in shared)


def _is_usual(url: str, usual: set[str]) -> bool:
    return _host(url) in usual or INDEXES.match(url) is not None


def _host(url: str) -> str:
    try:
        parts = urlsplit(url.removeprefix("git+"))
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else url[:60]
    except ValueError:
        return url[:60]


def _artifacts(path: str, text: str) -> list[Artifact]:
    name = path.rpartition("/")[2]
    try:
        if name in ("package-lock.json", "npm-shrinkwrap.json"):
            return [*_npm(text)]
        if name == "Pipfile.lock":
            return [*_pipfile(text)]
        if name == "yarn.lock":
            return [*_yarn(text)]
        if name in ("pnpm-lock.yaml", "bun.lock"):
            return [*_lines(text)]
        if name == "go.sum":
            return [Artifact(f"{a} {b}", c) for a, b, c in re.findall(r"^(\S+) (\S+) (h1:\S+)$", text, re.MULTILINE)]
        if name.endswith((".lock", ".toml")):
            return [*_toml(text)]
    except (ValueError, RecursionError):
        return []
    return []


def _npm(text: str) -> Iterator[Artifact]:
    data = table(json.loads(text))
    for place in ("packages", "dependencies"):
        for path, entry in table(data.get(place)).items():
            parts = table(entry)
            if not path or parts.get("link") or not isinstance(parts.get("version"), str):
                continue
            key = f"{path.rpartition('node_modules/')[2]} {parts['version']}"
            yield Artifact(key, str(parts.get("integrity", "")), str(parts.get("resolved", "")))


def _pipfile(text: str) -> Iterator[Artifact]:
    data = table(json.loads(text))
    for place in ("default", "develop"):
        for name, entry in table(data.get(place)).items():
            hashes = sorted(str(each) for each in listed(table(entry).get("hashes")))
            if hashes:
                yield Artifact(f"{name} {table(entry).get('version', '')}", hashes[0] if len(hashes) == 1 else "")


def _yarn(text: str) -> Iterator[Artifact]:
    for block in re.split(r"\n(?=\S)", text):
        name = re.match(r"\"?(@?[^@\"\s,]+)@", block)
        version = re.search(r"^\s+\"?version\"?:? \"?([^\"\n]+)\"?", block, re.MULTILINE)
        if name and version:
            digest = re.search(r"^\s+(?:integrity|checksum):? (\S+)", block, re.MULTILINE)
            url = re.search(r"^\s+resolved \"([^\"#]+)", block, re.MULTILINE)
            yield Artifact(f"{name[1]} {version[1]}", digest[1] if digest else "", url[1] if url else "")


_PACKAGE_LINE = re.compile(r"^\s*['\"]?/?((?:@[\w.-]+/)?[\w.-]+@[^'\"():\s]+)")
_DIGEST = re.compile(r"(sha\d+-[A-Za-z0-9+/=]+)")
_TARBALL = re.compile(r"\b(?:tarball|repo): ([^\s,}]+)")


def _lines(text: str) -> Iterator[Artifact]:
    """pnpm and bun: a line with the package, then its digest on the same or the next lines."""
    key = ""
    for line in text.splitlines():
        line = line[:2000]
        if line.lstrip().startswith('"') and (inner := re.search(r"\[\s*\"((?:@[\w.-]+/)?[\w.-]+@[^\"]+)\"", line)):
            key = inner[1]
        elif match := _PACKAGE_LINE.match(line):
            key = match[1]
        digest, url = _DIGEST.search(line), _TARBALL.search(line)
        if key and (digest or url):
            yield Artifact(key, digest[1] if digest else "", url[1] if url else "")


def _toml(text: str) -> Iterator[Artifact]:
    data = tomllib.loads(text)
    for entry in (*listed(data.get("package")), *listed(data.get("packages"))):
        package = table(entry)
        key = f"{package.get('name', '')} {package.get('version', '')}"
        source = package.get("source")
        if isinstance(source, str):
            yield Artifact(key, str(package.get("checksum", "")), source.partition("+")[2] or source)
            continue
        files = [*listed(package.get("wheels")), *listed(package.get("files")), package.get("sdist")]
        for each in map(table, files):
            url, digest = str(each.get("url", "")), str(each.get("hash", ""))
            file = str(each.get("file") or each.get("name") or url.rpartition("/")[2])
            if file:
                yield Artifact(f"{key} {file}" if file not in key else key, digest.replace(":", "-"), url)
        for kind in ("git", "url"):
            if isinstance(table(source).get(kind), str):
                yield Artifact(key, "", str(table(source)[kind]))
