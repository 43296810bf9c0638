"""What tokens and keys of well-known services look like, and text without them."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter

REDACTED = "[redacted]"
FORMS = tuple(
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
PLACEHOLDER = re.compile(
    r"example|dummy|fake|placeholder|change[-_]?me|your[-_]|redacted|sample|insert|x{4,}|\*{3,}|\.{3}|<[^>]*>|\$\{|\{\{|%\(|0{8,}|(.)\1{7,}",
    re.IGNORECASE,
)
_FAKE = re.compile(
    r"test|mock|1234|abcd|secret|password|token|foo|bar|demo|invalid|not[-_]?real|stub|(.)\1{3,}", re.IGNORECASE
)
_BREAK = r"(?:\s|\\[nr])*"
PRIVATE_KEY = re.compile(
    rf"-----BEGIN ((?:[A-Z0-9]{{1,12}} )?PRIVATE KEY(?: BLOCK)?)-----{_BREAK}(?:[\w-]{{1,40}}: .{{0,200}}\n)*{_BREAK}"
    rf"(?:[A-Za-z0-9+/=]{{16,}}+{_BREAK})+[A-Za-z0-9+/=]*{_BREAK}(?:-----END \1-----)?"
)
"""The whole of it, also when its end is cut off, and in a text of another language with its line ends escaped."""


def without_tokens(text: str) -> str:
    """The same text, every known kind of token hidden in it. What says itself that it is an example stays."""
    text = PRIVATE_KEY.sub(REDACTED, text)
    for _, pattern in FORMS:
        text = pattern.sub(_hidden, text)
    return text


def _hidden(match: re.Match[str]) -> str:
    value = match[1]
    if PLACEHOLDER.search(value) or not re.search(r"\d", value):
        return match[0]
    return match[0].replace(value, REDACTED)


def looks_fake(value: str, *, strict: bool) -> bool:
    """It says itself that it stands for another one. Unless strict, as tests and documents do too: `secret123`."""
    return bool(PLACEHOLDER.search(value)) or (not strict and bool(_FAKE.search(value)))


def is_example(kind: str, value: str, *, strict: bool) -> bool:
    """What has one of the forms and stands for another one all the same, or is a word of that form."""
    if kind == "JWT":
        value = _payload(value)
        return "John Doe" in value or looks_fake(value, strict=strict)
    if looks_fake(value, strict=strict) or not re.search(r"\d", value):
        return True
    letters = value.rpartition("_")[2].rpartition("-")[2] or value
    return kind == "OpenAI key" and not (re.search(r"\d", letters) and re.search(r"[A-Z]", letters))


def _payload(token: str) -> str:
    part = token.split(".")[1]
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return ""


def entropy(value: str) -> float:
    """Bits per character."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
