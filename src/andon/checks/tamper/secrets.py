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
from andon.domain.verdict import Finding
from andon.domain.verification import found

SHOWN = 4
"""Characters of a secret that a finding repeats."""
ENTROPY = 3.3
"""Bits per character from which a quoted value is taken for random."""
SHORTEST = 10
LONGEST_LINE = 20_000

_FORMS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("AWS key", r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b"),
        ("AWS secret", r"(?i:aws.{0,20}secret.{0,20})['\"\s:=]+([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
        ("GitHub token", r"\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"),
        ("GitLab token", r"\b(gl(?:pat|dt|rt|cbt)-[\w-]{20,64})"),
        ("Slack token", r"\b(xox[abeoprs]-[\w-]{10,255}|xapp-\d-[\w-]{10,255})"),
        ("Slack address", r"(hooks\.slack\.com/services/T\w{6,14}/B\w{6,14}/\w{16,32})"),
        ("Stripe key", r"\b((?:sk|rk|whsec)_(?:live_)?[0-9a-zA-Z]{24,255})\b"),
        ("Google key", r"\b(AIza[\w-]{35})(?![\w-])"),
        ("Google secret", r"\b(GOCSPX-[\w-]{28}|ya29\.[\w-]{30,255})"),
        ("Anthropic key", r"\b(sk-ant-[\w-]{20,255})"),
        ("OpenAI key", r"\b(sk-(?:proj-|svcacct-)?[A-Za-z0-9_]{20,255})"),
        ("npm token", r"\b(npm_[A-Za-z0-9]{36})\b"),
        ("PyPI token", r"\b(pypi-AgE[\w-]{30,255})"),
        ("SendGrid key", r"\b(SG\.[\w-]{22}\.[\w-]{43})"),
        ("Hugging Face token", r"\b(hf_[A-Za-z0-9]{30,40})\b"),
        ("DigitalOcean token", r"\b(do[opr]_v1_[0-9a-f]{64})\b"),
        ("Telegram token", r"\b(\d{8,10}:AA[\w-]{33})(?![\w-])"),
        ("JWT", r"\b(eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000})"),
        ("private key", r"(-----BEGIN (?:[A-Z0-9]{1,12} )?PRIVATE KEY(?: BLOCK)?-----)"),
        (
            "password in an address",
            r"\b[a-z][a-z0-9+]{1,20}://[^\s:/@'\"]{1,60}:([^\s:/@'\"]{6,100})@(?!localhost|127\.|db[:/'\"\s]|\[)",
        ),
    )
)
_NAMED = re.compile(
    r"(?i:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth[_-]?key)\w{0,20}['\"]?\]?"
    r"\s{0,4}(?::\s{0,4}[\w.\[\]| ]{1,30})?(?:=>|:=|[:=])\s{0,4}(['\"`])([^'\"`\s]{10,200})\1"
)
_PLACEHOLDER = re.compile(
    r"example|dummy|fake|placeholder|change[-_]?me|your[-_]|redacted|sample|insert|x{4,}|\*{3,}|\.{3}|<[^>]*>|\$\{|\{\{|%\(|0{8,}|(.)\1{7,}",
    re.IGNORECASE,
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
    for kind, pattern in _FORMS:
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
            bool(_PLACEHOLDER.search(value)) or "John Doe" in value or (lenient and bool(_FAKE_IN_TESTS.search(value)))
        )
    if _PLACEHOLDER.search(value) or (lenient and _FAKE_IN_TESTS.search(value)) or not re.search(r"\d", value):
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
    if len(value) < SHORTEST or _PLACEHOLDER.search(value) or _REFERENCE.search(value):
        return False
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    if re.fullmatch(r"[a-z]+(?:[-_.:][a-z]+)*[-_.]?v?\d{0,3}", value, re.IGNORECASE):
        return False
    return _entropy(value) >= ENTROPY


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
