"""Open to-dos in a repository's own text: a small rule that a person can check by eye. Pure; nothing is read here.

Unticked boxes (`- [ ] …`) in TODO.md and ROADMAP.md, at the top or in docs/; and comments of source files that begin
with FIXME or TODO. Code blocks, quotations and strings are left alone.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

LISTS = ("todo.md", "docs/todo.md", "roadmap.md", "docs/roadmap.md")
"""In the order they are read; upper and lower case are the same."""
_HASH = ("sh", "bash", "rb", "pl", "r", "jl", "tf", "nix")
_SLASH = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "kt", "kts", "c", "h", "cc", "cpp")
_MORE_SLASH = ("hpp", "cs", "swift", "scala", "php", "dart", "css", "scss", "zig", "proto")
_MARKS = {
    **dict.fromkeys(_HASH, r"#"),
    **dict.fromkeys((*_SLASH, *_MORE_SLASH), r"//|/\*|^\s*\*"),
    **dict.fromkeys(("sql", "lua", "hs", "elm"), r"--"),
    **dict.fromkeys(("html", "vue", "svelte"), r"<!--|//|/\*"),
}
"""What begins a comment, by the ending of a file's name. Python's own tokenizer knows its comments."""
_BOX = re.compile(r"\s*[-*+] \[ \]\s+(?P<text>\S.*)")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})")
_SAYS = r"\s*(?P<word>FIXME|TODO)\b(?:\([^)]*\))?:?\s*(?P<text>.*)"
_WORD = re.compile(r"#+" + _SAYS)
_END = re.compile(r"\s*(?:\*/|-->)\s*$")


@dataclass(frozen=True, slots=True)
class Todo:
    path: str
    line: int
    text: str
    urgent: bool = False
    """FIXME: somebody called it broken."""

    @property
    def finding(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def is_list(path: str) -> bool:
    return path.casefold() in LISTS


def may_hold_comments(path: str) -> bool:
    return _ending(path) in ("py", "pyi") or _ending(path) in _MARKS


def todos_of(path: str, text: str) -> tuple[Todo, ...]:
    """The open to-dos of one file, from its beginning to its end."""
    if is_list(path):
        return tuple(_boxes(path, text))
    if "TODO" not in text and "FIXME" not in text:
        return ()  # most files; reading them word by word takes a while
    if _ending(path) in ("py", "pyi"):
        return tuple(_python_comments(path, text))
    return tuple(_comments(path, text)) if may_hold_comments(path) else ()


def in_order(todos: list[Todo]) -> tuple[Todo, ...]:
    """Lists first, in the order of LISTS; then what is called broken; then the rest, by place."""
    return tuple(sorted(todos, key=lambda todo: (_rank(todo.path), not todo.urgent, todo.path, todo.line)))


def _rank(path: str) -> int:
    return LISTS.index(path.casefold()) if is_list(path) else len(LISTS)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].casefold()


def _boxes(path: str, text: str) -> Iterator[Todo]:
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _FENCE.match(line):
            fence = "" if fence and match["fence"].startswith(fence) else fence or match["fence"]
        elif not fence and (match := _BOX.fullmatch(line)):
            yield Todo(path, number, match["text"])


def _python_comments(path: str, text: str) -> Iterator[Todo]:
    lines = iter(text.splitlines(keepends=True))
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT and (match := _WORD.match(token.string)):
                yield _todo(path, token.start[0], match)
    except (tokenize.TokenError, SyntaxError):
        return  # what does not parse is Tier 2's business


def _comments(path: str, text: str) -> Iterator[Todo]:
    shape = re.compile(rf"(?:{_MARKS[_ending(path)]}){_SAYS}")
    for number, line in enumerate(text.splitlines(), start=1):
        if match := shape.search(line[:1000]):
            yield _todo(path, number, match)


def _todo(path: str, line: int, match: re.Match[str]) -> Todo:
    said = _END.sub("", match["text"]).strip()
    return Todo(path, line, f"{match['word']} {said}".strip(), urgent=match["word"] == "FIXME")
