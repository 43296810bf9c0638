"""Secrets in documents that a run writes: what a person gave to it, however it is spelt, and what a person would choose
as a password. Documents speak of passwords all the time, so what only names or describes one is left alone.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote, quote_plus

from andon.domain.secrets import FORMS, PLACEHOLDER, PRIVATE_KEY, REDACTED, entropy, is_example, looks_fake

LONGEST = 2_000_000
"""Characters of a text that are searched."""
GIVEN = "the value of {name}, which a person gave as a secret,"

_DOCUMENT = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|txt)$", re.IGNORECASE)
_DATA = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|fixtures?|testdata|mocks?|__mocks__|stubs?|snapshots?)/"
    r"|(?:^|/)(?:(?:dev-)?requirements|constraints|CMakeLists|robots|llms)[\w.-]*\.txt$",
    re.IGNORECASE,
)
_KEY = (
    r"(?:passw(?:or)?ds?|passwd|passphrase|passwort|kennwort|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key"
    r"|credentials?|비밀번호|패스워드|암호)"
)
_NAMED = re.compile(
    rf"(?i:{_KEY})\w{{0,20}}[*_`'\"]{{0,3}}[ \t]{{0,4}}(?P<mark>[:=|]|:=|=>|is[ \t])[*_]{{0,3}}[ \t]{{0,4}}"
    r"(?P<quote>[`'\"]?)(?P<value>[^\s`'\"<>(){}\[\]|,;\\]{6,200})(?P<end>[`'\"]?)"
)
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+]{1,20}://[^\s:/@'\"`<>]{0,60}:(?P<value>[^\s:/@'\"`<>]{6,100})@(?!localhost|127\.|\[)",
    re.IGNORECASE,
)
_MARK = re.compile(r"[!@#$%^&*]")
_NOTATION = re.compile(r"^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)?\d{0,4}(?:[-_.:/](?:[A-Za-z]+\d{0,4}|\d+))*$")
"""Names, versions and words in one notation or another, such as `sha256_of_body`."""
_WORD_AND_YEAR = re.compile(r"^[A-Z][a-z]{3,}[-_.]?\d{2,8}$")
_ALGORITHM = re.compile(
    r"(?i)sha|hmac|base|argon|utf|oauth|bcrypt|scrypt|pbkdf|uuid|ulid|char|bearer|basic|digest|aes|rsa"
)
_INVENTED = re.compile(
    r"passw|(?:my|new|old|user|secure|strong|valid|wrong|super|some).{0,10}pass|qwerty|letmein|12345"
)
"""What examples of requests have for a password, with digits and marks in place of letters or not."""
_LETTERS = str.maketrans("@$0135", "asoles")
_NO_VALUE = re.compile(r"^(?:[a-z][\w-]*://|[./~$%]|process\.|os\.|env[.:]|vault:|arn:|@|#|--)|://")


@dataclass(frozen=True, slots=True)
class Spotted:
    """A secret in a text: where, and what it seems to be."""

    line: int
    kind: str
    start: int
    end: int


def is_document(path: str) -> bool:
    """A text for people, not data that a test or a tool reads."""
    return _DOCUMENT.search(path) is not None and _DATA.search(path) is None


def added_lines(old: str, new: str) -> Iterator[tuple[int, str]]:
    """Number and text of those that the new text has and the old one had not, wherever they stand now. Only a line feed
    ends a line: what other characters do to one is for others to judge."""
    had = Counter(old.split("\n"))
    for number, line in enumerate(new.split("\n"), 1):
        had[line] -= 1
        if had[line] < 0:
            yield number, line


def spotted(text: str, given: Mapping[str, str], before: str = "") -> list[Spotted]:
    """Those in lines that were not there before, the first ones first."""
    fresh = {number for number, _ in added_lines(before, text)}
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines = {number: at for number, at in enumerate(starts, 1) if number in fresh}
    found = [*given_in(text, given), *_forms(text[:LONGEST]), *_chosen(text[:LONGEST])]
    told: list[Spotted] = []
    for kind, start, end in sorted(found, key=lambda each: (each[1], -each[2])):
        number = text.count("\n", 0, start) + 1
        touched = range(number, number + text.count("\n", start, end) + 1)
        if any(line in lines for line in touched) and not (told and start < told[-1].end):
            told.append(Spotted(number, kind, start, end))
    return told


def hidden(text: str, found: list[Spotted]) -> str:
    """The same text with every value in it hidden."""
    edges = [(0, 0), *((each.start, each.end) for each in found), (len(text), len(text))]
    return REDACTED.join(text[end:start] for (_, end), (start, _) in pairwise(edges))


def given_in(text: str, given: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """What a person gave, as it is and in the encodings that programs would read it back from."""
    for name, value in given.items():
        for spelt in sorted(_spelt(value), key=len, reverse=True):
            for match in re.finditer(re.escape(spelt), text):
                yield GIVEN.format(name=name), *match.span()


def _spelt(value: str) -> Iterator[str]:
    raw = value.encode()
    yield from {value, json.dumps(value)[1:-1], quote(value, safe=""), quote_plus(value), raw.hex(), raw.hex().upper()}
    for shift in range(3):  # wherever in a longer text it begins, such as after `user:`
        whole = (len(raw) + shift) // 3 * 3 - shift
        told = base64.b64encode(bytes(shift) + raw[:whole]).decode()[(0, 2, 3)[shift] :]
        yield from {told, told.replace("+", "-").replace("/", "_")}


def _forms(text: str) -> Iterator[tuple[str, int, int]]:
    for match in PRIVATE_KEY.finditer(text):
        if not PLACEHOLDER.search(match[0]):
            yield "private key", *match.span()
    for kind, pattern in FORMS:
        if kind in ("private key", "password in an address"):
            continue
        for match in pattern.finditer(text):
            if not is_example(kind, match[1], strict=False):
                yield kind, *match.span(1)


def _chosen(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _ADDRESS.finditer(text):
        if is_password(match["value"], assigned=True):
            yield "password in an address", *match.span("value")
    for match in _NAMED.finditer(text):
        value = match["value"] if match["quote"] else match["value"].rstrip(".:")
        quoted = bool(match["quote"]) and match["quote"] == match["end"]
        if len(value) >= 6 and is_password(value, assigned=quoted or match["mark"] in ("=", ":=", "=>")):
            yield "password", match.start("value"), match.start("value") + len(value)


def is_password(value: str, *, assigned: bool) -> bool:
    """Chosen by a person, or by chance. What stands in prose has to look more like one than what is assigned."""
    if _INVENTED.search(value.casefold()) or _INVENTED.search(value.casefold().translate(_LETTERS)):
        return False
    if looks_fake(value, strict=False) or _NO_VALUE.search(value) or _ALGORITHM.search(value):
        return False
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if _MARK.search(value.strip("*#")):
        return True
    if assigned and _WORD_AND_YEAR.search(value):
        return True
    if _NOTATION.search(value):
        return False
    longest, least = (10, 3.0) if assigned else (20, 3.5)
    return len(value) >= longest and len(re.findall(r"\d", value)) > 1 and entropy(value) >= least
