"""A-150, Tier 3: what counts as an open to-do, and what only looks like one."""

from __future__ import annotations

import pytest

from andon.domain.auto.todos import Todo, in_order, todos_of

LIST = """# Next
- [ ] Write the manual
- [x] Ship
* [ ]   Sign the release
```
- [ ] only an example
```
1. not a box
"""


def found(path: str, text: str) -> list[str]:
    return [todo.finding for todo in todos_of(path, text)]


def test_A_150_unticked_boxes_outside_code_blocks_are_to_dos() -> None:
    assert found("TODO.md", LIST) == ["TODO.md:2: Write the manual", "TODO.md:4: Sign the release"]


@pytest.mark.parametrize("path", ["Todo.md", "docs/ROADMAP.md", "roadmap.md"])
def test_A_150_lists_are_known_by_their_names(path: str) -> None:
    assert len(found(path, LIST)) == 2


@pytest.mark.parametrize("path", ["README.md", "docs/01-plan/greet.plan.md", "deep/TODO.md"])
def test_A_150_boxes_elsewhere_belong_to_somebody_else(path: str) -> None:
    assert found(path, LIST) == []


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "x = 1  # TODO: say why\n", "a.py:1: TODO say why"),
        ("a.py", "# FIXME(ada) it breaks\n", "a.py:1: FIXME it breaks"),
        ("a.ts", "f();\n// TODO handle errors\n", "a.ts:2: TODO handle errors"),
        ("a.go", "/* FIXME: slow */\n", "a.go:1: FIXME slow"),
        ("a.java", "/**\n * TODO: tell\n */\n", "a.java:2: TODO tell"),
        ("a.sql", "select 1 -- TODO: more\n", "a.sql:1: TODO more"),
        ("a.html", "<!-- TODO: title -->\n", "a.html:1: TODO title"),
    ],
)
def test_A_150_comments_that_begin_with_the_word(path: str, text: str, expected: str) -> None:
    assert found(path, text) == [expected]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 's = "# TODO: not a comment"\n'),
        ("a.py", "# see the TODO list\n"),
        ("a.py", "TODO = 1\n"),
        ("a.py", "# TODOS are elsewhere\n"),
        ("a.py", 'x = """\n'),
        ("a.ts", "const TODO = 1\n"),
        ("a.bin", "// TODO: unknown language\n"),
    ],
)
def test_A_150_what_only_looks_like_one(path: str, text: str) -> None:
    assert found(path, text) == []


def test_A_150_lists_come_first_then_what_is_broken() -> None:
    given = [
        Todo("b.py", 1, "TODO b"),
        Todo("c.py", 9, "FIXME c", urgent=True),
        Todo("ROADMAP.md", 1, "later"),
        Todo("TODO.md", 5, "second"),
        Todo("TODO.md", 2, "first"),
    ]

    assert [todo.text for todo in in_order(given)] == ["first", "second", "later", "FIXME c", "TODO b"]
