"""What in JavaScript and TypeScript product code takes two looks: a stack that is read, assertions by another name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct, shown

_STACK = re.compile(
    r"(?:\b(?:const|let|var)\s+(?P<name>\w+)[^=\n;]{0,30}=\s*)?\(?\bnew\s+Error\b\s*(?:\([^()\n]*\))?\)?\s*(?:\?\.|!?\.)\s*stack\b(?P<rest>[^\n;]*)"
)
_PARSED = re.compile(r"\.(?:split|includes|match|matchAll|indexOf|search|startsWith|some|find|replace)\s*\(")
_ANY_STACK = re.compile(r"\.\s*stack\b|\[\s*['\"`]stack['\"`]\s*\]")
_TEST_FILE = re.compile(
    r"\.(?:includes|indexOf|match|search|endsWith|lastIndexOf)\s*\(\s*['\"`/][^'\"`\n]{0,20}(?:[./\\](?:test|spec)\b|__tests__|node_modules)"
    r"|/[^/\n]{0,30}(?:[./\\](?:test|spec)\b|__tests__)[^/\n]{0,20}/\w*\.test\s*\("
)


def stack_read(text: str) -> Iterator[Construct]:
    """A new error's stack that is taken apart, or any where a test file is looked for; not one that is only logged."""
    for match in _STACK.finditer(text):
        name = match["name"]
        later = name and re.search(
            rf"\b{re.escape(name)}\s*[?!]?(?:\?\.|\.)\s*(?:split|includes|match|matchAll|indexOf|search|startsWith)\s*\("
            rf"|\.test\(\s*{re.escape(name)}\s*\)",
            text[match.end() :],
        )
        tested = re.search(r"\.test\(?\s*$", text[max(0, match.start() - 40) : match.start()])
        if _PARSED.search(match["rest"]) or later or tested:
            yield Construct("reads_frames", "reads its caller from a stack", "new Error().stack", _line(text, match))
    if _ANY_STACK.search(text) and (match := _TEST_FILE.search(text)):
        told = f"looks for a test file, and reads a stack: {shown(match[0])}"
        yield Construct("reads_frames", told, told, _line(text, match))


_ASSERT = r"['\"`](?:node:)?assert(?:/strict)?['\"`]"
_BOUND = re.compile(
    rf"\bimport\s+(?P<imported>[^'\"`;]{{1,200}}?)\s*\bfrom\s*{_ASSERT}"
    rf"|\b(?:const|let|var)\s+(?P<made>\w+|\{{[^{{}}]{{1,200}}\}})\s*(?::[^=\n]{{1,60}})?=[^;\n]{{0,80}}\(\s*{_ASSERT}"
)


_AGAIN = re.compile(
    r"\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]{1,60})?=\s*([\w$]+)(?:\.(?:default|strict))*\s*(?:;|$)", re.M
)


def patched_assertions(text: str) -> Iterator[Construct]:
    """Functions of node's assert that are replaced, whatever the module is called in this file."""
    names = {
        word
        for match in _BOUND.finditer(text)
        for word in re.findall(r"[\w$]+", match["imported"] or match["made"])
        if word not in ("as", "type", "strict", "default")
    }
    for _ in range(3):
        names |= {match[1] for match in _AGAIN.finditer(text) if match[2] in names}
    for name in sorted(names):
        own = rf"(?<![\w$.]){re.escape(name)}(?:\.strict)?"
        pattern = (
            rf"{own}\s*(?:\.\s*\w+|\[[^\]\n]*\])\s*=(?![=>])"
            rf"|\b(?:Object|Reflect)\.(?:assign|set|define(?:Property|Properties)|setPrototypeOf)\s*\(\s*{own}\b"
        )
        for match in re.finditer(pattern, text):
            told = f"changes assertions: {shown(match[0])}"
            yield Construct("patches_runner", told, told, _line(text, match))


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1
