"""Characters that make a line read differently from what it does: invisible ones, and letters that look like others."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterator

from andon.checks.tamper.added_lines import added_lines
from andon.checks.tamper.script_text import read_script
from andon.domain.auto.diffs import is_source
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_TURNING = "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"
_OVERRIDES = "\u202d\u202e"
_INVISIBLE = "\u200b\u2060-\u2064\u180e\ufeff\u115f\u1160\u3164\uffa0\u00ad\u2028\u2029\x08\x1b"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_ANY = re.compile(f"[{_TURNING}{_INVISIBLE}{_JOINERS}{_SELECTORS}{_TAGS}]|\r(?!$)")
_PROSE = re.compile(r"\.(?:md|mdx|rst|txt|adoc|html?|po|pot|arb|xlf|xliff|strings|resx|csv|tsv|svg|ftl)$")
_LOCALE = re.compile(r"(?:^|/)(?:locales?|i18n|l10n|lang|langs|languages|translations?|messages|_locales)/")


def character_findings(change: ChangeSet) -> list[Finding]:
    findings: list[Finding] = []
    for file in change:
        if file.new is None or file.new == file.old or file.new.isascii():
            findings += _returns(file)
            continue
        findings += _invisible(file)
        if is_source(file.path):
            findings += _names(file)
    return findings


def _returns(file: Changed) -> Iterator[Finding]:
    """In a file of plain letters, what still misleads: a carriage return inside of a line, or a terminal's orders."""
    if file.new is not None and file.new != file.old and re.search("[\x08\x1b]|\r(?!\n|$)", file.new):
        yield from _invisible(file)


# --- invisible characters


def _invisible(file: Changed) -> Iterator[Finding]:
    prose = bool(_PROSE.search(file.path) or _LOCALE.search(file.path))
    # Without a single line feed, carriage returns are what ends the lines.
    old_style = "\n" not in (file.new or "")
    for number, line in added_lines(file):
        told: set[str] = set()
        for match in _ANY.finditer(line):
            letter = match[0]
            if letter in told or (letter == "\r" and old_style) or _harmless(line, match.start(), number, prose):
                continue
            told.add(letter)
            name = unicodedata.name(letter, "a control character").lower()
            message = f"U+{ord(letter):04X} ({name})"
            context = "".join(each for each in line if each.isprintable()).strip()[:60]
            yield found("bidi_character", message, file.path, number, f"U+{ord(letter):04X} {context}")


def _harmless(line: str, at: int, number: int, prose: bool) -> bool:
    letter, before, after = line[at], line[at - 1 : at], line[at + 1 : at + 2]
    if letter == "\ufeff" and number == 1 and at == 0:
        return True
    if re.match(f"[{_TAGS}]", letter):
        return "\U0001f3f4" in line[max(0, at - 8) : at]
    if re.match(f"[{_SELECTORS}]", letter):
        doubled = re.match(f"[{_SELECTORS}]", after) is not None
        return not doubled and bool(before) and (not before.isascii() or before in "0123456789#*")
    if letter in _JOINERS:
        return _joins(before, after)
    return prose and letter not in _OVERRIDES and letter not in "\x08\x1b"


def _joins(before: str, after: str) -> bool:
    """Inside of an emoji, or of a word in a script that needs joiners."""
    return bool(before and after) and not (before.isascii() or after.isascii()) and not _is_latin(before)


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")


# --- names

_LOOKS = dict(
    zip(
        "аеорсухіјѕһԁԛԝҽգոսցհзᴦВАЕЗІЈКМНОРСТУХЅԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧοіӏƖ",
        "aeopcyxijshdqwegnugh3rBAE3IJKMHOPCTYXSGABEZHIKMNOPTYXoilI",
        strict=True,
    )
)
"""Letters of other scripts that cannot be told from these."""
_WEAKER = dict(zip("ανικρυγητω", "avikpuyntw", strict=True))
"""Greek letters that also stand for themselves in formulas: they count only where a name becomes one that is there."""
_NAME = re.compile(r"[^\W\d]\w*")
_ASCII_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_HASH_COMMENTS = (".py", ".pyi", ".pyx", ".rb", ".sh", ".bash", ".r", ".jl", ".pl", ".ex", ".exs")
_PYTHON_TEXT = re.compile(
    r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*(?:\"\"\"|$)|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|$)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|#[^\n]*",
    re.DOTALL,
)
_KNOWN = {*keyword.kwlist, *dir(builtins), "require", "process", "console", "module", "exports", "window", "function"}


def _names(file: Changed) -> Iterator[Finding]:
    code = _code(file.path, file.new or "")
    here = {*_ASCII_NAME.findall(code), *_KNOWN}
    had = {*_NAME.findall(_code(file.path, file.old))} if file.old else set[str]()
    told: set[str] = set()
    for number, line in enumerate(code.split("\n"), 1):
        if line.isascii():
            continue
        for name in _NAME.findall(line):
            if name.isascii() or name in had or name in told:
                continue
            if reason := _misleads(name, here):
                told.add(name)
                yield found("homoglyph", f"{name!r} {reason}", file.path, number, name)


def _misleads(name: str, here: set[str]) -> str:
    plain = unicodedata.normalize("NFKC", name)
    if plain.isascii() and plain != name:
        return f"is read as {plain}"
    looks = "".join(_LOOKS.get(letter, letter) for letter in plain)
    fully = "".join(_WEAKER.get(letter, letter) for letter in looks)
    for other in (looks, fully):
        if other != name and other in here:
            return f"looks like {other}"
    if any(letter in _LOOKS for letter in plain) and any(letter.isascii() and letter.isalpha() for letter in plain):
        return f"mixes letters of several scripts; it looks like {looks}"
    return ""


def _code(path: str, text: str) -> str:
    """Without comments and strings; lines stay where they are."""
    if path.endswith(_HASH_COMMENTS):
        return _PYTHON_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return read_script(text).code
