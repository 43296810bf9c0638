"""Tells a broken environment from broken code: when the tool itself is missing, no change of the code can help.

Only asked about commands that did not succeed. A word such as PATH inside an assertion is not a broken environment.
"""

from __future__ import annotations

import re

from andon.checks.plain_text import plain_lines

NOT_FOUND = 127

# A runner that got as far as its summary was there; whatever else stands in its output, the code under test printed.
_RAN = re.compile(
    r"=+ .*\b(?:passed|failed|errors?|skipped)\b.* in [\d.]+s"
    r"|\d+ (?:passed|failed).* in [\d.]+s"
    r"|--- (?:PASS|FAIL): \S+ \(|test result: |\[\w+\] Tests run: \d+,"
    r"|Found \d+ errors?|Tests:\s+\d+ |Test Files\s+\d+ |# tests \d+|ℹ tests \d+"
)
_BROKEN = (
    # sh: 1: ruff: not found / bash: line 1: ruff: command not found / ruff: command not found
    re.compile(r"(?:\S*sh: )?(?:line )?(?:\d+: )?[\w./+@-]+: (?:command )?not found$"),
    re.compile(r"(?:zsh: )?command not found: [\w./+@-]+$"),
    re.compile(r"'?[\w./+@-]+'? is not recognized as an internal or external command"),
    re.compile(r"(?:error: |Error: )?'?[\w./+@-]+'? is not installed\b"),
    re.compile(r"(?:[Ee]rror: )?[\w./+@-]+(?: \S+){0,3} (?:not|could not be) found (?:in|on) (?:your |the )?\$?PATH\b"),
    re.compile(r".*\b(?:PATH environment variable|environment variable PATH|\$PATH)\b"),
    re.compile(r"(?:\S*/)?python[\d.]*: No module named '?(?:pytest|ruff|mypy|uv|build)\b"),
    re.compile(r"ModuleNotFoundError: No module named '(?:pytest|_pytest|ruff|mypy)'$"),
    re.compile(r"(?:env|bwrap|prlimit|exec|\S*sh): .*\b[\w./+@-]+'?: No such file or directory$"),
    re.compile(r".*Cannot access \S+ \(\S+\) in offline mode and the artifact "),
    re.compile(r"[>\s]*No cached version (?:of|listing for) .* available for offline mode"),
    re.compile(r"error: linker `[^`]+` not found$"),
    re.compile(r"go: (?:errors parsing go\.mod|go\.mod requires go) .*\(running go .*GOTOOLCHAIN=local\)$"),
    re.compile(r"error: Failed to spawn: `[^`]+`$"),
    re.compile(r"(?:Error: )?\w+\.launch: Executable doesn't exist at "),
    re.compile(r"\S*: error: unrecognized arguments: --cov\b"),
    re.compile(r"npm (?:error|ERR!) npx canceled due to missing packages"),
    re.compile(r"npm (?:error|ERR!) (?:code )?(?:ENOTCACHED|EAI_AGAIN|ENOTFOUND)\b"),
)


def environment_error(output: str, exit_code: int | None) -> str | None:
    """The line that shows the tool is missing, or None when the tool was there."""
    lines = [line.strip() for line in plain_lines(output)]
    if exit_code != NOT_FOUND and any(_RAN.match(line) for line in lines):
        return None
    for line in lines:
        if any(pattern.match(line) for pattern in _BROKEN):
            return line
    if exit_code == NOT_FOUND:
        return next((line for line in reversed(lines) if line), "the command was not found (exit code 127)")
    return None
