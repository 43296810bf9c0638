"""Markdown that somebody else wrote, as HTML that can do nothing: no markup of its own, no images, no odd links.

Raw HTML is never taken as such, and what comes out passes an allow-list all the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import quote, unquote

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from andon.web.highlighting import coloured

LARGEST = 400_000
"""Characters beyond which a document is shown as its source."""
TAGS = frozenset(
    (
        *("a", "blockquote", "br", "code", "del", "em", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li"),
        *("ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    )
)
ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    **{tag: {"class"} for tag in ("span", "pre", "code", "figure", "td", "th")},
}
_CLASS = re.compile(r"[a-z0-9-]{1,20}(?: [a-z0-9-]{1,20})?")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document with the lines it comes from."""

    line: int
    last: int
    html: str


def inline_safe(html: str, own: Mapping[str, str]) -> str:
    """Through the allow-list. `own`: where links to other files of the same tree lead."""

    def kept(tag: str, name: str, value: str) -> str | None:
        if name == "class":
            return value if _CLASS.fullmatch(value) else None
        if name != "href" or value.startswith(("http://", "https://", "mailto:")):
            return value
        return own.get(value)

    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=kept,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


@lru_cache(maxsize=128)
def blocks(text: str, path: str = "", files: frozenset[str] = frozenset()) -> tuple[Block, ...]:
    """A document, block by block; the items of a list one by one."""
    parser = _parser()
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    own = _own_links(tokens, path, files)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):  # below the headings of the page it is shown on
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    found: list[Block] = []
    for group in _groups(tokens):
        first, last = _lines(group)
        made = parser.renderer.render(group, parser.options, env)
        found.append(Block(first + 1, max(first + 1, last), inline_safe(made, own)))
    return tuple(found)


def document(text: str) -> str:
    """A whole text, such as an answer in a conversation."""
    if len(text) > LARGEST:
        return f"<pre>{escape(text)}</pre>"
    return "\n".join(each.html for each in blocks(text))


def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.add_render_rule("fence", _fence)
    made.add_render_rule("code_block", _fence)
    made.add_render_rule("image", _image)
    for kind in ("th_open", "td_open"):
        made.add_render_rule(kind, _cell)
    return made


def _fence(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = (token.info or "").strip().split(" ")[0].lower()
    if language == "mermaid":
        return f'<figure class="diagram"><pre class="term source">{escape(token.content)}</pre></figure>\n'
    return f'<pre class="term"><code>{coloured(token.content.rstrip(chr(10)), language)}</code></pre>\n'


def _image(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """Its words and its address: nothing is fetched because somebody wrote it down."""
    token = tokens[index]
    address = str(token.attrGet("src") or "")
    shown = address if len(address) <= 120 else f"{address[:120]}…"
    return f'<span class="noimage">{escape(token.content)} <code>{escape(shown)}</code></span>'


def _cell(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    side = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} class="{side}">' if side in ("right", "center") else f"<{token.tag}>"


def _own_links(tokens: Sequence[Token], path: str, files: Collection[str]) -> dict[str, str]:
    """Links to other files of this tree, by how they are written."""
    inner = (child for token in tokens for child in token.children or ())
    written = {str(each.attrGet("href") or "") for each in inner if each.type == "link_open"}
    found: dict[str, str] = {}
    for href in written:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href.partition("#")[0])))
        if target in files:
            found[href] = f"#{quote(target)}"
    return found


def _groups(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Top-level blocks; of a list each item, as a list of its own."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            if group[0].type in ("bullet_list_open", "ordered_list_open"):
                yield from _items(group)
            else:
                yield group
            group = []


def _items(group: list[Token]) -> Iterator[list[Token]]:
    opening, closing = group[0], group[-1]
    number = int(opening.attrGet("start") or 1)
    item: list[Token] = []
    for token in group[1:-1]:
        item.append(token)
        if token.type == "list_item_close" and token.level == opening.level + 1:
            start = opening.copy()
            if opening.type == "ordered_list_open":
                start.attrs = {"start": number}
            yield [start, *item, closing]
            item, number = [], number + 1


def _lines(group: Sequence[Token]) -> tuple[int, int]:
    """Of an item of a list its own lines, not those of the list."""
    inner = group[1] if len(group) > 2 and group[1].type == "list_item_open" else group[0]
    return (inner.map[0], inner.map[1]) if inner.map else (0, 1)
