"""File paths named in a document: in bullets, inline code, tables, fences and prose, with those marked as new (X-12).

Finds candidates by their shape alone; whether a path exists is the caller's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.language import Section


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXTENSIONS = _words(
    """py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro html htm css scss sass less json jsonc json5 yaml
    yml toml ini cfg conf env md mdx rst txt csv tsv xml svg png jpg jpeg gif ico sh bash zsh fish ps1 bat cmd sql go rs
    java kt kts scala swift c h cc cpp cxx hpp hh cs fs rb php pl lua r jl dart ex exs erl hs clj proto graphql gql tf
    lock mk gradle properties j2 jinja tmpl template prisma pdf"""
)
BARE_NAMES = _words(
    "Makefile Dockerfile Containerfile LICENSE Procfile Jenkinsfile Vagrantfile Gemfile Rakefile Justfile CODEOWNERS"
)
FOLDERS = _words(
    "src lib libs app apps tests test docs doc scripts bin cmd pkg internal packages config configs .github .claude"
)
PRODUCTS = _words(
    """node.js next.js vue.js nuxt.js react.js express.js nest.js three.js d3.js ember.js backbone.js alpine.js chart.js
    p5.js asp.net deno.ts"""
)
"""Names of products that look like file names."""


KINDS = (EXTENSIONS | _words("tmp bak log exe dll zip gz tar net")) - {"env"}
LONGEST_PATH = 400


@dataclass(frozen=True, slots=True)
class NamedPath:
    path: str
    line: int
    new: bool = False
    """Marked as to be created."""
    file: bool = True
    """False: a folder."""
    listed: bool = False
    """Stands in a list, a table, a fence or the section of affected files, not only in prose."""
    affected: bool = False
    """Stands in the section of affected files."""


_NOISE = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://[^\s)>\]`]+|www\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,255}|<br\s{0,3}/?>",
    re.IGNORECASE,
)
_TREE = re.compile(r"[│├└─┬]+")
_CODE_SPAN = re.compile(r"`([^`]+)`")
_PLAIN = re.compile(r"[^\s|,;()\[\]\"'“”‘’「」《》→⇒=]+")
_SPAN_WORD = re.compile(r"[^\s,;\"']+")
_PARTICLE = "(?:으로|에서|에게|까지|부터|에|의|을|를|은|는|이|가|와|과|로|도|만|및)"
_AFTER_NAME = re.compile(rf"(.*[A-Za-z0-9_/]){_PARTICLE}$")
_EMPHASIS = re.compile(r"(\*{1,3}|_)(?![*_/])(.+?)(?<![*_/])\1")
_POSITION = re.compile(r"(?:::.*|:\d+(?:[-:,]\d+)*|#L\d+.*|:)$")
_DOMAIN_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|kr|jp|cn|ai|edu|gov|me|co)", re.IGNORECASE)
_SEGMENT = re.compile(r"[\w@.+~()\[\]-]+")


def named_paths(text: str) -> tuple[NamedPath, ...]:
    """Each path once, at its first mention; new when any mention, or a folder above it, is marked as new."""
    found: dict[str, NamedPath] = {}
    for line in read_outline(text):
        for each in _in_line(line):
            known = found.get(each.path)
            found[each.path] = each if known is None else _merged(known, each)
    fresh = tuple(each.path for each in found.values() if each.new and not each.file)
    return tuple(replace(each, new=True) if fresh and each.path.startswith(fresh) else each for each in found.values())


def affected_files(text: str) -> tuple[str, ...]:
    """Files a plan says it touches: those of its section of affected files, else all it names (A-65).

    andon's own documents are not counted.
    """
    files = [each for each in named_paths(text) if each.file and not each.path.startswith(DOCUMENT_FOLDERS)]
    listed = [each for each in files if each.affected]
    return tuple(each.path for each in listed or files)


DOCUMENTS = _words("md mdx rst txt adoc pdf svg png jpg jpeg gif ico")


def only_documents(text: str) -> bool:
    """Whether all files a plan says it touches are for reading: nothing comes of them that could be run."""
    files = affected_files(text)
    return bool(files) and all(map(_is_document, files))


def _is_document(path: str) -> bool:
    name = path.rpartition("/")[2]
    if name.casefold().startswith("requirements"):
        return False
    return name in ("LICENSE", "CODEOWNERS") or name.rpartition(".")[2].casefold() in DOCUMENTS


def _merged(first: NamedPath, again: NamedPath) -> NamedPath:
    return replace(
        first,
        new=first.new or again.new,
        listed=first.listed or again.listed,
        affected=first.affected or again.affected,
    )


def _in_line(line: Line) -> Iterator[NamedPath]:
    text = _NOISE.sub(
        lambda match: " " * len(match.group()), _TREE.sub(lambda match: " " * len(match.group()), line.text)
    )
    spots = [*_spots(text)]
    in_section = bool(line.sections & {Section.FILES, Section.NEW_FILES})
    for index, (path, start, end) in enumerate(spots):
        before = text[spots[index - 1][2] if index else 0 : start]
        after = text[end : spots[index + 1][1] if index + 1 < len(spots) else len(text)]
        yield NamedPath(
            path,
            line.number,
            new=Section.NEW_FILES in line.sections or _marked_new(before, after),
            file=not path.endswith("/"),
            listed=in_section or line.kind in (Kind.ITEM, Kind.ROW, Kind.CODE),
            affected=in_section,
        )


def _spots(text: str) -> Iterator[tuple[str, int, int]]:
    """Paths of a line with where they stand, inline code first read as one piece (Next.js has `app/[id]/page.tsx`)."""
    spans = [*_CODE_SPAN.finditer(text)]
    words = [
        (word.group(), span.start(1) + word.start(), span.start(1) + word.end())
        for span in spans
        for word in _SPAN_WORD.finditer(span.group(1))
    ]
    rest = _CODE_SPAN.sub(lambda match: " " * len(match.group()), text).replace("`", " ")
    words += [(word.group(), word.start(), word.end()) for word in _PLAIN.finditer(rest)]
    for word, start, end in sorted(words, key=lambda each: each[1]):
        path = as_path(word)
        if path:
            yield path, start, end


def as_path(word: str) -> str:
    """The path a word names, or "" when it names none."""
    if len(word) > LONGEST_PATH:
        return ""
    word = _unwrapped(word).replace("\\", "/")
    particle = _AFTER_NAME.fullmatch(word)
    word = _POSITION.sub("", particle.group(1) if particle else word).removeprefix("./")
    if not word or any(letter in word for letter in "*{}<>$%^&!?\0") or word.casefold() in PRODUCTS:
        return ""
    return word if _looks_like_path(word) else ""


def _unwrapped(word: str) -> str:
    """Without quotation, emphasis and the sentence's punctuation; the stars of a glob stay."""
    word = word.strip("<>“”‘’\"'`").rstrip(".,;:!?")
    emphasis = _EMPHASIS.fullmatch(word)
    word = emphasis.group(2) if emphasis else re.sub(r"^\*{1,3}(?=\w)|(?<=[\w)])\*{1,3}$", "", word)
    return word.rstrip(".,;:!?")


def _looks_like_path(word: str) -> bool:
    segments = [part for part in re.sub(r"^[A-Za-z]:/", "/", word).split("/") if part]
    if not segments or not all(_SEGMENT.fullmatch(part) for part in segments):
        return False
    name, folders = segments[-1], segments[:-1]
    if (folders and _DOMAIN_NAME.fullmatch(segments[0])) or set(name) <= {"."}:
        return False
    if word.endswith("/"):
        return len(segments) > 1 or re.search(r"[A-Za-z가-힣]", name) is not None
    stem, dot, extension = name.rpartition(".")
    if name in BARE_NAMES:
        return True
    if dot and not stem:
        # `.env` and `.gitignore` are files, `.json` in a sentence is a kind of file.
        return len(extension) > 2 and extension.isidentifier() and (bool(folders) or extension not in KINDS)
    if dot and extension.casefold() in EXTENSIONS:
        return bool(stem)
    if dot and folders:
        return bool(stem) and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,9}", extension) is not None
    return bool(folders) and not word.startswith("/") and segments[0] in FOLDERS


_NEW = (
    r"(?:new\s+(?:files?|modules?|tests?|documents?|pages?|components?|class|package|script|folder|directory|service|model)"
    r"|new(?=\s*(?:$|[^\w\s]))|created?"
    r"|신규(?:\s*(?:파일|생성|추가|작성))?|새\s?파일|새로|생성(?:\s*예정)?)"
)
_NEW_AFTER = re.compile(
    rf"^[\s|:*`(\[\-–—_]*(?:(?:파일)?[을를은는이가]?\s*(?:파일[을를은는이가]?\s*)?)?"
    rf"(?:will be |to be |is |is a |a )?{_NEW}(?![A-Za-z])",
    re.IGNORECASE,
)
_NEW_BRACKET = re.compile(rf"[(\[]\s*{_NEW}\s*[)\]]", re.IGNORECASE)
_NEW_BEFORE = re.compile(
    r"(?:(?<!\w)(?:create|creates|creating|add|adds|new(?:\s+(?:file|module|test|document))?)|신규(?:\s*파일)?|새(?:\s*파일)?|생성)"
    r"(?:\s+an?\b|\s+the\b|\s+file\b)*[\s|:*`(\[\])\-–—_]*$",
    re.IGNORECASE,
)


def _marked_new(before: str, after: str) -> bool:
    """A mark counts next to its path only: `a.py (changed), b.py (new)` marks one of the two."""
    first_clause = re.split(r"[,;]", after, maxsplit=1)[0]
    return bool(_NEW_AFTER.match(after) or _NEW_BRACKET.search(first_clause) or _NEW_BEFORE.search(before))
