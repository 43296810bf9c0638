"""A-79, A-85: whoever is measured does not tell the linter to look away unseen."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from andon.domain.auto.red_flags import LONGEST_LINE, Flag, in_diff


def added(path: str, *lines: str, gone: tuple[str, ...] = ()) -> str:
    body = "".join(f"-{line}\n" for line in gone) + "".join(f"+{line}\n" for line in lines)
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,{len(gone)} +1,{len(lines)} @@\n{body}"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "import os  # noqa"),
        ("a.py", "# ruff: noqa: F401"),
        ("a.py", "# ruff: disable[E501]"),
        ("a.py", "x = f()  # type: ignore[arg-type]"),
        ("a.py", "# mypy: ignore-errors"),
        ("a.py", "# mypy: allow-untyped-defs"),
        ("a.py", "# mypy: strict, check_untyped_defs=False"),
        ("a.py", "# pyright: basic"),
        ("a.py", "# pyright: reportMissingImports=false"),
        ("a.py", "@no_type_check"),
        ("a.py", "@typing.no_type_check"),
        ("a.py", "x = 1  # pylint: disable=invalid-name"),
        ("a.py", "# pylint: skip-file"),
        ("a.py", "# isort: skip_file"),
        ("a.ts", "// @ts-ignore"),
        ("a.js", "/* eslint-disable no-undef */"),
        ("a.js", "/* eslint no-unused-vars: 0 */"),
        ("a.js", '/* eslint semi: "error", no-undef: ["off", {}] */'),
        ("a.go", "f() //nolint:errcheck"),
        ("a.rs", "#[allow(dead_code)]"),
        ("a.rs", "#![ allow (dead_code)]"),
        ("a.rs", "#[expect(dead_code)]"),
        ("a.rs", "#[cfg_attr(all(), allow(dead_code))]"),
        ("A.java", '@SuppressWarnings("unchecked")'),
        ("a.py", "if x:  # pragma: no cover"),
        ("a.py", "if x:  # pragma:no branch"),
        ("a.ts", "/* istanbul ignore next */"),
        ("a.ts", "/* c8 ignore start */"),
        ("a.ts", "// v8 ignore next -- why"),
        ("a.rs", "#[coverage(off)]"),
        ("a.rs", "#[cfg_attr(coverage_nightly, coverage(off))]"),
        ("a.c", "f(); // LCOV_EXCL_LINE"),
        ("a.dart", "// coverage:ignore-line"),
        ("a.py", "run(x)  # nosec B602"),
        ("A.java", "f(); // NOSONAR"),
        ("a.py", "x = f()  # nosemgrep"),
        ("a.py", "key = 'x'  # pragma: allowlist secret"),
        ("a.ts", "// biome-ignore lint/suspicious/noExplicitAny: why"),
        ("a.ts", "// deno-lint-ignore no-explicit-any"),
        ("a.ts", "// oxlint-disable-next-line no-eval"),
        ("a.css", "/* stylelint-disable */"),
        ("a.sh", "# shellcheck disable=SC2086"),
        ("a.cpp", "f(); // NOLINTNEXTLINE(bugprone-x)"),
        ("a.cs", "#pragma warning disable CS0168"),
        ("a.go", "//go:nocheckptr"),
        ("a.py", "x = 1" + " " * LONGEST_LINE + "# noqa"),
    ],
)
def test_A_79_A_85_an_added_suppression_is_a_red_flag(path: str, line: str) -> None:
    [flag] = in_diff(added(path, line))

    assert flag.flag is Flag.SUPPRESSION
    assert flag.text in line or flag.text == "… # noqa"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# mypy: strict, disallow-any-generics"),
        ("a.py", "# pyright: strict"),
        ("a.py", "# mypy: cannot see through this"),
        ("a.js", '/* eslint semi: "error" */'),
        ("a.rs", 'let x = y.expect("there");'),
        ("a.ts", "// prettier-ignore"),
        ("a.py", "# fmt: off"),
        ("a.py", "x = 1  # the pragma: once"),
        ("a.ts", "const nosec = biome.ignore(next)"),
        ("a.c", "#pragma once"),
        ("a.rs", "#[cfg(not(coverage))]"),
        ("notes.md", "import os  # noqa"),
    ],
)
def test_A_85_what_asks_for_more_or_says_nothing_to_a_linter_is_none(path: str, line: str) -> None:
    assert in_diff(added(path, line)) == ()


@pytest.mark.parametrize(
    ("old", "new", "flagged"),
    [
        ("x = 1  # noqa: E501", "y = 2  # noqa:E501", False),
        ("x = 1  # noqa: E501, F401", "x = 1  # noqa: F401", False),
        ("x = 1  # noqa", "x = 1  # noqa: F401", False),
        ("x = 1  # noqa: E501", "x = 1  # noqa: E501, F401", True),
        ("x = 1  # noqa: E501", "x = 1  # noqa", True),
        ("x = 1  # noqa: E501", "# ruff: noqa", True),
        ("x = 1  # noqa: E501", "# ruff: noqa: E501", True),
        ("f()  # type: ignore[attr-defined]", "f()  # type: ignore", True),
        ("f()  # type: ignore", "f()  # type: ignore[attr-defined]", False),
        ("// eslint-disable-next-line no-undef -- old", "// eslint-disable-next-line no-undef -- why", False),
        ("// eslint-disable-next-line no-undef", "/* eslint-disable no-undef */", True),
        ("#[allow(dead_code)]", "#![allow(dead_code)]", True),
    ],
)
def test_A_85_a_suppression_that_moved_or_covers_less_is_none_and_one_that_covers_more_is(
    old: str, new: str, flagged: bool
) -> None:
    assert bool(in_diff(added("a.x", new, gone=(old,)))) is flagged


def test_A_85_a_second_suppression_of_a_kind_is_one() -> None:
    old = "import os  # noqa: F401"

    [flag] = in_diff(added("a.py", old, "import re  # noqa: F401", gone=(old,)))

    assert (flag.path, flag.line) == ("a.py", 2)


@pytest.mark.parametrize(
    "piece", ["#" + " " * 999, "# type: ignore[", "#[cfg_attr(", "# noqa: E1", "@SuppressWarnings(("]
)
def test_A_85_a_very_long_line_is_read_whole_in_good_time(piece: str) -> None:
    begun = time.monotonic()

    in_diff(added("a.js", piece * (300_000 // len(piece)) + " "))

    assert time.monotonic() - begun < 5


def test_A_85_a_source_file_that_git_takes_for_a_binary_one_is_a_red_flag(tmp_path: Path) -> None:
    for name, text in (("a", b"x = 1\n"), ("b", b"x = 1 // \0 eslint-disable\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.js").write_bytes(text)
        (tmp_path / name / "logo.png").write_bytes(text)
    words = ["git", "diff", "--no-index", "--no-color", "--no-prefix", "--full-index", "a", "b"]
    diff = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=20).stdout

    assert [(each.flag, each.path) for each in in_diff(diff)] == [(Flag.UNREADABLE, "m.js")]
