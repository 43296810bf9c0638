"""Code as HTML: tokens by CSS class, changed words marked. Nothing of the code becomes markup."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename  # pyright: ignore[reportUnknownVariableType]
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from andon.domain.patches import Span

LARGEST = 300_000
"""Characters beyond which code is shown without colours."""
Token = tuple[str, str]
"""Class and text."""


@lru_cache(maxsize=256)
def coloured_lines(path: str, text: str) -> tuple[tuple[Token, ...], ...]:
    """The lines of a file, each as tokens."""
    lexer = _lexer_for(path) if len(text) <= LARGEST else None
    return _lines(lexer, text)


def coloured(code: str, language: str) -> str:
    """A piece of code in a document."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        lexer = None
    return "\n".join(html_of(line) for line in _lines(lexer if len(code) <= LARGEST else None, code))


def _lexer_for(path: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _lines(lexer: Lexer | None, text: str) -> tuple[tuple[Token, ...], ...]:
    plain = text.replace("\r\n", "\n").replace("\r", " ")
    if lexer is None:
        return tuple((("", line),) for line in plain.split("\n"))
    lines: list[list[Token]] = [[]]
    for kind, value in lexer.get_tokens(plain):
        while kind not in STANDARD_TYPES and kind.parent is not None:
            kind = kind.parent
        name = STANDARD_TYPES.get(kind, "")
        for index, part in enumerate(value.split("\n")):
            if index:
                lines.append([])
            if part:
                lines[-1].append((name, part))
    return tuple(tuple(line) for line in lines)


def line_of(lines: Sequence[Sequence[Token]], number: int, text: str) -> Sequence[Token]:
    """The tokens of a line of a diff; the plain text wherever the two do not agree."""
    found = lines[number - 1] if 0 < number <= len(lines) else ()
    return found if "".join(part for _, part in found) == text else (("", text),)


def html_of(tokens: Sequence[Token], marks: Sequence[Span] = ()) -> str:
    if not marks:
        return "".join(_span(name, part) for name, part in tokens)
    made: list[str] = []
    position = 0
    for name, part in tokens:
        for start, end, marked in _cuts(position, position + len(part), marks):
            piece = _span(name, part[start - position : end - position])
            made.append(f"<mark>{piece}</mark>" if marked else piece)
        position += len(part)
    return "".join(made).replace("</mark><mark>", "")


def _cuts(start: int, end: int, marks: Sequence[Span]) -> list[tuple[int, int, bool]]:
    """A stretch of a line, cut where a mark begins or ends."""
    edges = sorted({start, end, *(edge for mark in marks for edge in mark if start < edge < end)})
    inside = [any(a <= left < b for a, b in marks) for left in edges[:-1]]
    return [*zip(edges[:-1], edges[1:], inside, strict=True)]


def _span(name: str, text: str) -> str:
    return f'<span class="y-{name}">{escape(text)}</span>' if name else escape(text)
