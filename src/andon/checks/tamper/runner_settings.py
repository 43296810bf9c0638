"""Settings of test runners, coverage and linters, the code around tests, and the commands tests are run with.

Compares what files say, not how: formatting, comments and the other parts of shared files do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from andon.checks.python_syntax import module_of
from andon.checks.tamper.pytest_settings import eased
from andon.checks.tamper.python_names import source
from andon.checks.tamper.settings_values import (
    Values,
    command_values,
    coverage_values,
    parse,
    pytest_values,
    runner_values,
)
from andon.checks.tamper.support_code import bent
from andon.checks.tamper.targets import targets
from andon.checks.tamper.test_paths import is_own_settings, is_runner_settings, is_test_file, is_test_support
from andon.checks.tamper.thresholds import lowered, text_lowered, without_numbers
from andon.checks.tamper.weaker_commands import is_runner, weakens
from andon.domain.auto.linter_settings import changed_settings, sets_linters
from andon.domain.changeset import LINK, Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_PYTEST = re.compile(r"(?:^|/)(?:\.?pytest\.(?:ini|toml)|pyproject\.toml|tox\.ini|setup\.cfg)$")
_VALUES = re.compile(r"\.(?:toml|json|cfg|ini)$|(?:^|/)\.(?:coveragerc[^/]*|nycrc|c8rc|mocharc)$")
_MAKE = re.compile(r"(?:^|/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk|[Jj]ustfile)$")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_BUILD_LINE = re.compile(
    r"skipTests|skipITs|testFailureIgnore|maven\.test|failIfNoTests|ignoreFailures|excludeTags|includeTags|excludedGroups"
    r"|<exclude>|<include>|excludeTestsMatching|onlyIf|haltOnFailure|jacoco|<minimum>|minimum\s*=|enabled\s*=|surefire",
)
_TOKEN = re.compile(r"//|/\*|^[ \t]*#|['\"`]", re.MULTILINE)
_TEST_BLOCK = re.compile(r"\btest\s*:\s*\{")


def settings_findings(change: ChangeSet) -> list[Finding]:
    findings: list[Finding] = []
    for each in change:
        if is_runner_settings(each.path):
            findings += _once(each.path, _settings(each, change))
        elif is_test_support(each.path):
            findings += _support(each, change)
    return findings + linter_findings(change)


def _once(path: str, told: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """One finding for each rule and file, named by all that differs."""
    by_rule: dict[str, list[str]] = {}
    for rule, text in told:
        by_rule.setdefault(rule, []).append(text)
    for rule, texts in by_rule.items():
        more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
        yield found(rule, f"{texts[0][:160]}{more}", path, subject="\n".join(texts))


def _settings(changed: Changed, change: ChangeSet) -> Iterator[tuple[str, str]]:
    path, old, new = changed.path, changed.old, changed.new
    if (changed.before and old is None) or (changed.after and new is None):
        yield "runner_settings", "cannot be read as text"
    elif _MAKE.search(path):
        yield from _commands(targets(old or ""), targets(new or ""))
    elif path.endswith("noxfile.py"):
        yield from _sessions(old or "", new or "")
    elif path.endswith((".xml", ".gradle", ".gradle.kts", ".properties")):
        yield from _lines(old or "", new or "")
    elif _VALUES.search(path):
        yield from _values(changed, change)
    else:
        yield from _code(changed, change)


def _values(changed: Changed, change: ChangeSet) -> Iterator[tuple[str, str]]:
    path = changed.path
    before, after = parse(path, changed.old or _empty(path)), parse(path, changed.new or _empty(path))
    if before is None or after is None:
        if before is not None:
            yield "runner_settings", "cannot be parsed any more"
        return
    if _PYTEST.search(path):
        yield from _pytest(changed, before, after, change)
    if not changed.added or _has_tests(change, path):
        for place, first, second in _differing(runner_values(path, before), runner_values(path, after)):
            if "coverageThreshold" in place or "Threshold" in place:
                yield from (("threshold_lowered", each) for each in lowered({place: first}, {place: second}))
            else:
                yield "runner_settings", f"{place}: {_told(first)} → {_told(second)}"
    yield from (
        ("threshold_lowered", each) for each in lowered(coverage_values(path, before), coverage_values(path, after))
    )
    yield from _commands(command_values(path, before), command_values(path, after))


def _pytest(
    changed: Changed, before: Mapping[str, Any], after: Mapping[str, Any], change: ChangeSet
) -> Iterator[tuple[str, str]]:
    path = changed.path
    old = pytest_values(path, before) if changed.before else None
    new = pytest_values(path, after) if changed.after else None
    folder = path.rpartition("/")[0]
    others = [f"{folder}/{name}".lstrip("/") for name in ("pyproject.toml", "tox.ini", "setup.cfg")]
    if changed.added and is_own_settings(path) and any(each in change.before for each in others):
        yield "runner_settings", "takes the place of what other files set"
    yield from (("runner_settings", each) for each in eased(old, new, change.before))
    texts = [str((each or {}).get("addopts", "")) for each in (old, new)]
    yield from (("threshold_lowered", each) for each in text_lowered(texts[0], texts[1]))


def _commands(old: Values, new: Values) -> Iterator[tuple[str, str]]:
    """Those that were there; of new ones only what runs by itself before or after an old one."""
    for name, first, second in _differing(old, new):
        hook = first is None and re.match(r"(?:pre|post)", name) and re.sub(r"^(?:pre|post)", "", name) in old
        special = first is None and not name[:1].islower()
        if first is None and not hook and not special:
            continue
        texts = [" ".join(str(each or "").split()) for each in (first, second)]
        if texts[0] == texts[1]:
            continue
        if without_numbers(texts[0]) == without_numbers(texts[1]):
            yield from (("threshold_lowered", each) for each in text_lowered(texts[0], texts[1]))
        else:
            why = weakens("\n".join(_text(first)), "\n".join(_text(second)))
            why = why or ("it takes the place of a test runner" if is_runner(name.split()[-1]) else "")
            told = f"{name}: {_told(first)} → {_told(second)}"
            yield ("command_weakened", f"{told}: {why}") if why else ("command_changed", told)


def _text(value: Any) -> list[str]:
    if isinstance(value, list):
        return [line for each in cast("list[Any]", value) for line in _text(each)]
    return [] if value is None else [str(value)]


def _sessions(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Of a noxfile: sessions may be added, and nothing else."""
    try:
        before, after = module_of(old), module_of(new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield "command_changed", "the sessions cannot be read"
        return
    now = {ast.dump(each) for each in after.body}
    plain = (ast.Import, ast.ImportFrom)
    for each in before.body:
        if (
            ast.dump(each) not in now
            and not isinstance(each, plain)
            and not isinstance(getattr(each, "value", None), ast.Constant)
        ):
            yield (
                "command_changed",
                f"{getattr(each, 'name', '') or source(each).splitlines()[0][:80]} is changed or gone",
            )


def _lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Of build files that are no plain values: the lines that speak of running tests."""
    before, after = (
        [" ".join(line.split()) for line in text.splitlines() if _BUILD_LINE.search(line)] for text in (old, new)
    )
    for each in before:
        if each not in after:
            yield "runner_settings", f"{each[:80]} removed"
    for each in after:
        if each not in before:
            yield "runner_settings", f"{each[:80]} added"


def _code(changed: Changed, change: ChangeSet) -> Iterator[tuple[str, str]]:
    """Settings that are code, or a format that is not read: their text without comments and layout."""
    if changed.added and not _has_tests(change, changed.path):
        return
    texts = [_bare(changed.path, text or "") for text in (changed.old, changed.new)]
    yield from (("threshold_lowered", each) for each in text_lowered(texts[0], texts[1]))
    if without_numbers(texts[0]) != without_numbers(texts[1]):
        yield "runner_settings", "deleted" if changed.deleted else "added" if changed.added else "changed"


def _bare(path: str, text: str) -> str:
    text = _uncommented(text)
    if re.search(r"(?:^|/)vite\.config\.", path):
        match = _TEST_BLOCK.search(text)
        text = _block(text, match.end() - 1) if match else ""
    return " ".join(re.sub(r"[,;]", " ", text).split())


def _uncommented(text: str) -> str:
    """Patterns of paths like `**/*.ts` look like comments, so strings are gone over whole."""
    kept: list[str] = []
    place = 0
    while (match := _TOKEN.search(text, place)) is not None:
        token = match.group().strip()
        ends = {"/*": "*/", "//": "\n", "#": "\n"}.get(token, token)
        end = text.find(ends, match.end())
        end = len(text) if end < 0 else end + (0 if ends == "\n" else len(ends))
        kept.append(text[place : end if token in "'\"`" else match.start()])
        place = end
    return "".join((*kept, text[place:]))


def _block(text: str, start: int) -> str:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start : place + 1]
    return text[start:]


def _support(changed: Changed, change: ChangeSet) -> Iterator[Finding]:
    path = changed.path
    if (changed.before and changed.old is None) or (changed.after and changed.new is None):
        yield found("test_support_changed", "cannot be read as text", path)
        return
    if changed.deleted:
        moved = change.renamed.get(path)
        if moved is None or not is_test_support(moved):
            text = (changed.old or "").strip()
            if text and path.endswith("conftest.py"):
                yield found("test_support_changed", "deleted", path, subject="deleted")
        return
    for what, line in bent(path, changed.old, changed.new):
        yield found("test_support_changed", what, path, line, what)


def linter_findings(change: ChangeSet) -> list[Finding]:
    """Settings of linters and type checkers, as the rule for whoever writes code finds them in a diff."""
    stubs = [
        each.path for each in change if each.added and each.path.endswith(".pyi") and each.path[:-1] in change.after
    ]
    read = [each for each in change if sets_linters(each.path) or each.path in stubs]
    present = [each.path for each in change if not each.deleted]
    told = changed_settings("".join(map(_whole, read)), [each.path for each in read], present)
    return [found("linter_settings", each.message, each.path, subject=each.message) for each in told]


def _whole(changed: Changed) -> str:
    """A diff that shows all of both versions."""
    path = changed.path
    head = f"diff --git a/{path} b/{path}\n"
    head += "new file mode 100644\n" if changed.added else "deleted file mode 100644\n" if changed.deleted else ""
    sides = [side for side in (changed.before, changed.after) if side is not None]
    if any(side.mode == LINK or side.text is None for side in sides):
        return f"{head}index 1..2 120000\n"
    old, new = ((text or "").split("\n") if text is not None else [] for text in (changed.old, changed.new))
    body = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    return "\n".join((f"{head}@@ -1,{len(old)} +1,{len(new)} @@", *body, ""))


def _differing(old: Values, new: Values) -> Iterator[tuple[str, object, object]]:
    for place in sorted({*old, *new}):
        if old.get(place) != new.get(place) and place:
            yield place, old.get(place), new.get(place)


def _has_tests(change: ChangeSet, path: str) -> bool:
    """Whether the base has tests that settings of this kind could keep from being run."""
    scripts = _SCRIPT.search(path) is not None or path.endswith((".json", "rc"))
    return any(is_test_file(each) and (not scripts or _SCRIPT.search(each)) for each in change.before)


def _empty(path: str) -> str:
    return "{}" if path.endswith(("json", "rc")) and "coveragerc" not in path else ""


def _told(value: object) -> str:
    return "not set" if value is None else " ".join(str(value).split())[:70]
