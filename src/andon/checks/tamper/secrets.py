"""Added lines that hold something which looks like a secret. No finding repeats more of it than its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from andon.checks.tamper.added_lines import added_lines
from andon.checks.tamper.locks import LOCKS
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import ChangeSet
from andon.domain.document_secrets import given_in, is_document, is_password, spotted
from andon.domain.secrets import FORMS, PLACEHOLDER, entropy, is_example
from andon.domain.verdict import Finding
from andon.domain.verification import found

SHOWN = 4
"""Characters of a secret that a finding repeats."""
ENTROPY = 3.3
"""Bits per character from which a quoted value is taken for random."""
SHORTEST = 10
LONGEST_LINE = 20_000

_NAMED = re.compile(
    r"(?i:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth[_-]?key)\w{0,20}['\"]?\]?"
    r"\s{0,4}(?::\s{0,4}[\w.\[\]| ]{1,30})?(?:=>|:=|[:=])\s{0,4}(['\"`])([^'\"`\s]{8,200})\1"
)
_REFERENCE = re.compile(
    r"^(?:[a-z][\w-]*://|[./~]|process\.|os\.|env[.:]|vault:|arn:|[A-Za-z_][\w.]*\(|@|#|--)|[/\\]\w+[/\\]"
)
_LENIENT = re.compile(
    r"(?:^|/)(?:fixtures?|testdata|samples?|examples?|docs?|mocks?|__mocks__|stubs?|certs?)/|\.(?:md|mdx|rst|adoc|example|sample|template)$"
    r"|(?:example|sample|dummy|fake|localhost|snakeoil)[\w.-]*$",
    re.IGNORECASE,
)


def secret_findings(change: ChangeSet) -> list[Finding]:
    findings: list[Finding] = []
    for file in change:
        if file.new is None or file.new == file.old or file.path.rpartition("/")[2] in LOCKS:
            continue
        if is_document(file.path):
            places = spotted(file.new, {}, file.old or "")
            seen = [(each.line, each.kind, file.new[each.start : each.end]) for each in places]
        else:
            lenient = is_test(file.path) or _LENIENT.search(file.path) is not None
            lines = added_lines(file)
            seen = [(number, *each) for number, line in lines for each in _secrets(line[:LONGEST_LINE], lenient)]
        for number, kind, value in seen:
            told = f"{kind} that begins with {value[:SHOWN]!r}"
            subject = f"{kind} {value[:SHOWN]}… {len(value)}"
            findings.append(found("secret_added", told, file.path, number, subject))
    return findings


def given_findings(change: ChangeSet, given: Mapping[str, str]) -> list[Finding]:
    """What a person gave to the run as a secret, in any file that it changed. Nothing of it is repeated."""
    findings: list[Finding] = []
    for file in change:
        for number, line in added_lines(file) if given and file.new else ():
            kinds = dict.fromkeys(kind for kind, _, _ in given_in(line, given))
            findings += [found("secret_added", f"{kind} stands here", file.path, number, kind) for kind in kinds]
    return findings


def _secrets(line: str, lenient: bool) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for kind, pattern in FORMS:
        for match in pattern.finditer(line):
            value = match[1]
            if value not in seen and not any(value in other for other in seen) and not _is_fake(kind, value, lenient):
                seen.add(value)
                yield kind, value
    if lenient or seen:
        return
    for match in _NAMED.finditer(line):
        if _is_value(match[2]):
            yield "secret", match[2]


def _is_fake(kind: str, value: str, lenient: bool) -> bool:
    if kind == "private key":
        return lenient
    if is_example(kind, value, strict=not lenient):
        return True
    return kind == "password in an address" and (lenient or not _is_value(value))


def _is_value(value: str) -> bool:
    """Chosen by chance, or by a person."""
    return _is_random(value) or is_password(value, assigned=True)


def _is_random(value: str) -> bool:
    """Letters and digits with no order in them; not a name, an address, a path or a word in another notation."""
    if len(value) < SHORTEST or PLACEHOLDER.search(value) or _REFERENCE.search(value):
        return False
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if re.fullmatch(r"[a-z]+(?:[-_.:][a-z]+)*[-_.]?v?\d{0,3}", value, re.IGNORECASE):
        return False
    return entropy(value) >= ENTROPY
