"""Orders in source to linters, type checkers, scanners and coverage to look away: which a line gives, a change adds.

Lines of any length are read whole, so every pattern takes time in proportion to the line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from andon.domain.auto.diffs import Written

_NOQA = r"\s*:\s*([A-Z]+\d+(?:[\s,]+[A-Z]+\d+)*)"
_BRACKETS = r"\s*\[([^\]]*)"
_PARENTHESES = r"\s*\(([^)]*)"
_DIRECTIVE = re.compile(
    "|".join(
        (
            rf"#\s*(?:(?:ruff|flake8):\s*)?noqa\b(?:{_NOQA})?",
            rf"#\s*(?:(?:type|pyright|ty|pyrefly):\s*ignore|ruff:\s*(?:disable|(?:file-)?ignore)|pyre-(?:ignore|fixme))\b"
            rf"(?:{_BRACKETS})?",
            r"#\s*(?:mypy|pyright):(?P<options>[^#]*)",
            r"#\s*pylint:\s*(?:disable(?:-next|-msg)?\s*=([^#]*)|skip-file|ignore)",
            r"#\s*(?:ruff:\s*)?isort:\s*(?:skip_file|skip|off)\b",
            r"\bno_type_check(?:_decorator)?\b",
            r"\beslint-disable(?:-next-line|-line)?(?P<eslint>[^*]*)",
            r"/\*\s*eslint\s(?P<rules>[^*]*)",
            r"@ts-(?:ignore|nocheck|expect-error)\b",
            r"//\s*nolint\b(?:\s*:\s*([\w,-]*))?",
            rf"#\s*(?:!\s*)?\[\s*(?:cfg_attr\s*\([^\]]{{0,200}}?\b)?(?:allow|expect){_PARENTHESES}",
            rf"@SuppressWarnings\b(?:{_PARENTHESES})?",
            r"CHECKSTYLE:OFF",
            # Coverage.
            r"#\s*pragma:\s*no\s*(?:cover|branch)\b",
            r"(?:/\*|//|<!--)\s*(?:istanbul|c8|v8|vitest|node:coverage)\s+(?:ignore|disable)\b(?:\s+(?:next|if|else|file|start))?",
            r"(?:#|//|/\*)\s*coverage:\s*ignore\b(?:-(?:file|line|start))?",
            r"#\s*(?:!\s*)?\[\s*(?:cfg_attr\s*\([^\]]{0,200}?\b)?(?:coverage\s*\(\s*off|no_coverage|tarpaulin::skip)\b",
            r"\b(?:LCOV|GCOVR?)_EXCL(?:_BR)?_(?:LINE|START)\b",
            # Scanners of security and of secrets.
            r"#\s*nosec\b(?:\s*:?\s*([BS]\d+(?:[\s,]+[BS]\d+)*))?",
            r"\bNOSONAR\b",
            r"(?:#|//|/\*)\s*(?:nosemgrep\b|gitleaks:\s*allow\b|pragma:\s*allowlist\s+secret\b|skipcq\b)",
            # Linters of other languages, and younger ones.
            r"\b(?:biome|deno-lint)-ignore(?:-all|-start|-file)?\b(?:\s+([\w/,-]+))?",
            r"\b(?:oxlint|stylelint|swiftlint|rubocop|tslint|ktlint)[-:]disable(?:[-:]next(?:-line)?|-line|:this)?\b"
            r"(?:[\s:]+([\w/@, -]+))?",
            r"#\s*shellcheck\s+disable=([\w,]+)",
            rf"//\s*NOLINT(?:NEXTLINE|BEGIN)\b(?:{_PARENTHESES})?",
            r"#\s*pragma\s+(?:warning\s+disable|(?:GCC|clang)\s+diagnostic\s+ignored)\b",
            r"//go:nocheckptr\b",
        )
    ),
    re.IGNORECASE,
)
_CODE = re.compile(r"[^\s,\"'{}]+")
_OPTION = re.compile(r"\s*[\w-]+\s*(?:=.*)?")
_STRICTER = re.compile(
    r"\s*(?:strict(?:[-_][\w-]+)?|(?:disallow|warn|check|extra)[-_][\w-]+|report\w+)\s*(?:=\s*(?:true|error)\s*)?"
    r"|\s*enable[-_]error[-_]code\s*=.*",
    re.IGNORECASE,
)
_EASED = re.compile(r":\s*\[?\s*[\"']?(?:0|1|off|warn)\b", re.IGNORECASE)
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Directive:
    kind: str
    """Its words without what they are about: one for a line is not one for a file."""
    codes: frozenset[str]
    """What it is about; empty: everything."""
    shown: str = field(default="", compare=False)

    def covers(self, other: Directive) -> bool:
        return self.kind == other.kind and (not self.codes or (bool(other.codes) and other.codes <= self.codes))


def directives(text: str) -> Iterator[Directive]:
    line = text.strip()[:_MOST_SHOWN]
    for match in _DIRECTIVE.finditer(text):
        if _tightens(match):
            continue
        about = match[match.lastindex] if match.lastindex else ""
        head = text[match.start() : match.start(match.lastindex) if match.lastindex else match.end()]
        kind = re.sub(r"\s+", "", head).rstrip(":=[(").casefold()
        codes = frozenset(_CODE.findall((about.partition("--")[0] if match["eslint"] else about).casefold()))
        said = match.group().strip()
        yield Directive(kind, codes, line if said in line else f"… {said[:_MOST_SHOWN]}")


def _tightens(match: re.Match[str]) -> bool:
    """Settings in a comment can also ask for more; and prose after the name of a tool sets nothing."""
    if match["options"] is not None:
        options = [each for each in match["options"].split(",") if _OPTION.fullmatch(each)]
        return all(_STRICTER.fullmatch(each) for each in options)
    return match["rules"] is not None and not _EASED.search(match["rules"])


def added(lines: Sequence[Written]) -> Iterator[tuple[Written, Directive]]:
    """Those that a file has and had not: one that moved is none, nor is one that now covers less."""
    gone: dict[str, Counter[Directive]] = {}
    new: list[tuple[Written, Directive]] = []
    for line in lines:
        for each in directives(line.text) if line.mark in ("+", "-") else ():
            if line.added:
                new.append((line, each))
            else:
                gone.setdefault(line.path, Counter())[each] += 1
    rest = [(line, each) for line, each in new if not _taken(gone.get(line.path), each)]
    for line, each in rest:
        left = gone.get(line.path, Counter())
        if not _taken(left, next((old for old in left if left[old] > 0 and old.covers(each)), None)):
            yield line, each


def _taken(gone: Counter[Directive] | None, directive: Directive | None) -> bool:
    """Whether one like it is gone, each of which counts once."""
    if gone is None or directive is None or gone[directive] < 1:
        return False
    gone[directive] -= 1
    return True
