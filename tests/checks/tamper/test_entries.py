"""What a change does to links, modes, submodules, attributes and names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.entries import entry_findings
from andon.domain.changeset import FILE, LINK, PROGRAM, SUBMODULE, Changed, ChangeSet, Side
from checks.tamper.small_changes import Text, change


def link(target: str) -> Side:
    return Side(LINK, target.encode())


SCRIPT = b"#!/bin/sh\nexit 0\n"
BESIDE = ("src/a.py", "src/shop/b.py", "data/x.json", "tests/test_a.py")

CHEATS: list[tuple[str, str, Text, Text]] = [
    ("link_added", "src/key.py", None, link("/etc/passwd")),
    ("link_added", "src/key.py", None, link("../../outside.py")),
    ("link_added", "x", None, link("..")),
    ("link_added", "hooks", None, link(".git/hooks")),
    ("link_added", "src/c.py", "x = 1\n", link("a.py")),
    ("link_added", "data", None, link("src")),
    ("link_added", "src/key.py", None, link("nothing.py")),
    ("link_added", "src/key.py", link("a.py"), link("../../a.py")),
    ("link_added", "x", None, link("C:\\Windows")),
    ("mode_changed", "run.sh", Side(PROGRAM, SCRIPT), Side(FILE, SCRIPT)),
    ("mode_changed", "a.py", Side(FILE, b"x = 1\n"), Side(PROGRAM, b"x = 1\n")),
    ("mode_changed", "a.py", link("src/a.py"), "x = 1\n"),
    ("submodule_changed", "lib", None, Side(SUBMODULE, None)),
    ("submodule_changed", "lib", Side(SUBMODULE, b"a"), Side(SUBMODULE, b"b")),
    ("mode_changed", "lib", Side(SUBMODULE, None), "x"),
    ("submodule_changed", ".gitmodules", None, '[submodule "a"]\n'),
    ("attributes_changed", ".gitattributes", None, "*.py filter=evil\n"),
    ("attributes_changed", ".gitattributes", "* text=auto\n", "* text=auto\ntests/** -diff\n"),
    ("attributes_changed", ".gitattributes", None, "src/*.py linguist-generated=true\n"),
    ("attributes_changed", "src/.gitattributes", None, "*.py export-ignore\n"),
    ("attributes_changed", ".gitattributes", None, "*.py binary\n"),
    ("attributes_changed", ".gitattributes", None, "*.py working-tree-encoding=UTF-16\n"),
    ("attributes_changed", ".gitattributes", None, "[attr]quiet -diff\n"),
    ("attributes_changed", ".gitattributes", None, "*.py merge=ours\n"),
    ("attributes_changed", ".gitattributes", None, "*.png filter=evil\n"),
    ("attributes_changed", ".gitattributes", None, "*.py filter=lfs\n"),
    ("unreadable_file", "src/c.py", "x = 1\n", b"x = 1\n\0"),
    ("unreadable_file", "src/c.py", None, b"x = '\xff\xfe'\n"),
    ("unreadable_file", "src/c.py", None, Side(FILE, None)),
    ("unreadable_file", "src/A.py", None, "x = 1\n"),
    ("unreadable_file", "SRC/new.py", None, "x = 1\n"),
    ("unreadable_file", "src/ａ.py", None, "x = 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "old", "new"), CHEATS)
def test_a_trick_with_the_tree_is_found(rule: str, path: str, old: Text, new: Text) -> None:
    findings = entry_findings(change({path: (old, new)}, BESIDE))

    assert [each.rule for each in findings] == [rule] or rule in {each.rule for each in findings}


HONEST: list[tuple[str, Text, Text]] = [
    ("current", None, link("src")),
    ("src/again.py", None, link("a.py")),
    ("docs/data", None, link("../data/x.json")),
    ("docs/here", None, link("..")),
    ("src/again.py", link("a.py"), link("shop/b.py")),
    ("src/again.py", link("a.py"), None),
    ("run.sh", None, Side(PROGRAM, SCRIPT)),
    ("run.sh", Side(FILE, SCRIPT), Side(PROGRAM, SCRIPT)),
    ("a.txt", Side(PROGRAM, b"text"), Side(FILE, b"text")),
    ("run.sh", Side(PROGRAM, SCRIPT), None),
    (".gitattributes", None, "* text=auto eol=lf\n*.sh text eol=lf\n*.bat text eol=crlf\n"),
    (".gitattributes", None, "*.png binary\n*.pdf -text\npackage-lock.json -diff linguist-generated=true\n"),
    (".gitattributes", None, "*.psd filter=lfs diff=lfs merge=lfs -text\n*.dat -text\n"),
    (".gitattributes", None, "# -diff\n*.py text diff=python\n"),
    (".gitattributes", "*.py filter=x\n", "* text=auto\n*.py filter=x\n"),
    ("logo.png", None, b"\x89PNG\0\0"),
    ("src/old.py", b"x = '\xe9'\n", b"y = '\xe9'\n"),
    ("src/한국어.py", None, "x = 1\n"),
    ("src/new.py", None, "x = '한국어'\n"),
    ("dist/app.min.js", None, Side(FILE, None)),
]


@pytest.mark.parametrize(("path", "old", "new"), HONEST)
def test_honest_entries_are_left_alone(path: str, old: Text, new: Text) -> None:
    assert entry_findings(change({path: (old, new)}, BESIDE)) == []


def test_a_file_whose_case_is_corrected_is_left_alone() -> None:
    assert entry_findings(change({"src/Shop.py": ("x = 1\n", None), "src/shop.py": (None, "x = 1\n")})) == []


def test_a_lower_name_in_another_form_of_unicode_is_found() -> None:
    findings = entry_findings(change({"src/cafe\u0301.py": (None, "x = 1\n")}, ("src/caf\u00e9.py",)))

    assert [each.rule for each in findings] == ["unreadable_file"]


@given(st.text(max_size=30), st.binary(max_size=60), st.sampled_from([FILE, PROGRAM, LINK, SUBMODULE]))
def test_no_entry_makes_it_raise(path: str, content: bytes, mode: str) -> None:
    for name in (path, ".gitattributes"):
        file = Changed(name, None, Side(mode, content))
        entry_findings(ChangeSet((file,), frozenset(), frozenset({name})))
