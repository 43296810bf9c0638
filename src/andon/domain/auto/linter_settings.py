"""Settings of linters and type checkers: whoever changes them decides what their own work is measured by.

Finds changes in a diff that shows whole files. Whether one was declared or accepted is decided elsewhere.
"""

from __future__ import annotations

import re

from andon.domain.verdict import Finding

_OWN_FILE = re.compile(
    r"(?:^|/)(?:\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.?pylintrc|pyrightconfig\.json|\.eslintignore|\.eslintrc(?:\.\w+)?"
    r"|eslint\.config\.[cm]?[jt]s|tsconfig(?:\.[\w.-]+)?\.json|\.golangci\.ya?ml|\.?clippy\.toml|[^/]*checkstyle[^/]*\.xml)$"
)
_SHARED_FILE = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|package\.json)$")
_SECTION = re.compile(r"\[+\s*(?:tool\.)?(?:ruff|mypy|flake8|pylint|pyright)\b")
_HEAD = re.compile(r"\[+[^\]]+\]+\s*(?:[#;].*)?$")
_ESLINT = re.compile(r'(?P<margin>\s*)"eslint(?:Config|Ignore)"\s*:')
_MOST_SHOWN = 120


def sets_linters(path: str) -> bool:
    return bool(_OWN_FILE.search(path) or _SHARED_FILE.search(path))


def changed_settings(diff: str) -> list[Finding]:
    """The first changed line of each file's settings, where the file has some."""
    found: list[Finding] = []
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n@@ ")
        path = head.splitlines()[0].rpartition(" b/")[2]
        line = _first_change(path, body.split("\n")[1:])
        if line is not None:
            found.append(Finding(f"settings of a linter or type checker changed: {line[:_MOST_SHOWN]}", path))
    return found


def _first_change(path: str, lines: list[str]) -> str | None:
    """None when nothing that counts was changed; a file that is one of settings counts whole."""
    if _OWN_FILE.search(path):
        return next((line for line in lines if line[:1] in ("+", "-") and line[1:].strip()), "the file")
    inside = _inside_json if path.endswith(".json") else _inside_sections
    return next((line for line in inside(lines) if line[:1] in ("+", "-") and line[1:].strip()), None)


def _inside_sections(lines: list[str]) -> list[str]:
    found: list[str] = []
    inside = False
    for line in lines:
        text = line[1:].strip()
        if _HEAD.match(text):
            inside = _SECTION.match(text) is not None
        if inside:
            found.append(line)
    return found


def _inside_json(lines: list[str]) -> list[str]:
    """From the key to the first line that is indented no more than it and closes it."""
    found: list[str] = []
    margin: str | None = None
    for line in lines:
        text = line[1:]
        if margin is None and (match := _ESLINT.match(text)):
            margin = match["margin"]
            found.append(line)
            margin = None if re.search(r"[}\]\"],?\s*$", text) else margin
        elif margin is not None:
            found.append(line)
            margin = None if re.match(rf"{margin}[}}\]]", text) else margin
    return found
