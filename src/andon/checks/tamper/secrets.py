"""Added lines that hold something which looks like a secret. No finding repeats more of it than its beginning."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Iterator

from andon.checks.tamper.added_lines import added_lines
from andon.checks.tamper.locks import LOCKS
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import ChangeSet
from andon.domain.secrets import FORMS, PLACEHOLDER
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
    r"\s{0,4}(?::\s{0,4}[\w.\[\]| ]{1,30})?(?:=>|:=|[:=])\s{0,4}(['\"`])([^'\"`\s]{10,200})\1"
)
_FAKE_IN_TESTS = re.compile(
    r"test|mock|1234|abcd|secret|password|token|foo|bar|demo|invalid|not[-_]?real|stub|(.)\1{3,}", re.IGNORECASE
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
        lenient = is_test(file.path) or _LENIENT.search(file.path) is not None
        for number, line in added_lines(file):
            for kind, value in _secrets(line[:LONGEST_LINE], lenient):
                told = f"{kind} that begins with {value[:SHOWN]!r}"
                subject = f"{kind} {value[:SHOWN]}… {len(value)}"
                findings.append(found("secret_added", told, file.path, number, subject))
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
        if _is_random(match[2]):
            yield "secret", match[2]


def _is_fake(kind: str, value: str, lenient: bool) -> bool:
    if kind == "private key":
        return lenient
    if kind == "JWT":
        value = _payload(value)
        return (
            bool(PLACEHOLDER.search(value)) or "John Doe" in value or (lenient and bool(_FAKE_IN_TESTS.search(value)))
        )
    if PLACEHOLDER.search(value) or (lenient and _FAKE_IN_TESTS.search(value)) or not re.search(r"\d", value):
        return True
    if kind == "password in an address":
        return lenient or not _is_random(value)
    letters = value.rpartition("_")[2].rpartition("-")[2] or value
    return kind == "OpenAI key" and not (re.search(r"\d", letters) and re.search(r"[A-Z]", letters))


def _payload(token: str) -> str:
    part = token.split(".")[1]
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return ""


def _is_random(value: str) -> bool:
    """Letters and digits with no order in them; not a name, an address, a path or a word in another notation."""
    if len(value) < SHORTEST or PLACEHOLDER.search(value) or _REFERENCE.search(value):
        return False
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if re.fullmatch(r"[a-z]+(?:[-_.:][a-z]+)*[-_.]?v?\d{0,3}", value, re.IGNORECASE):
        return False
    return _entropy(value) >= ENTROPY


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
