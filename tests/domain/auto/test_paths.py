"""A-44, A-58, A-65, X-12: file paths named in a plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.paths import affected_files, as_path, named_paths, only_documents


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("- src/a.py", ["src/a.py"]),
        ("* `src/a.py`: login", ["src/a.py"]),
        ("1. **src/a.py** and tests/test_a.py.", ["src/a.py", "tests/test_a.py"]),
        ("| 1 | `src/a.ts` | 수정 |", ["src/a.ts"]),
        ("| a.py<br>b.py |", ["a.py", "b.py"]),
        ("[the module](src/a.py) changes", ["src/a.py"]),
        ("`app/[id]/page.tsx` and `app/(auth)/layout.tsx`", ["app/[id]/page.tsx", "app/(auth)/layout.tsx"]),
        ("src/a.py에 함수를 추가하고 `lib/b.py`를 수정", ["src/a.py", "lib/b.py"]),
        ("see src/a.py:12-20 and src/b.py::test_x and c.go#L4", ["src/a.py", "src/b.py", "c.go"]),
        ("./src/a.py", ["src/a.py"]),
        ("lib/slack에 검색 추가", ["lib/slack"]),
        ("**src/a.py**: x and _src/b.py_", ["src/a.py", "src/b.py"]),
        (".env and .github/x.yml", [".env", ".github/x.yml"]),
        (r"src\win\a.py", ["src/win/a.py"]),
        ("docs/설계.md", ["docs/설계.md"]),
        ("__init__.py", ["__init__.py"]),
        (".gitignore and Makefile", [".gitignore", "Makefile"]),
        ("the folder src/api/ only", ["src/api/"]),
        ("README.md에 설치 방법 추가", ["README.md"]),
        ("```\nsrc/a.py\n```", ["src/a.py"]),
    ],
)
def test_A_58_paths_are_found(text: str, paths: list[str]) -> None:
    assert [each.path for each in named_paths(text)] == paths


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a/b.py",
        "see <https://github.com/x/y/blob/main/a.py>",
        "github.com/x/y",
        "www.example.com/a.html",
        "me@example.com",
        "Python 3.11.7, v2.0 and 1.2.3",
        "Node.js with Next.js",
        "PASS/FAIL, and/or, N/A, I/O, 24/48/72, 1/5",
        "GET /api/v1/users",
        "e.g. this, i.e. that, etc.",
        "object.method and os.path",
        "src/**/*.py",
        "*.tmp, **/package.json and `*.bak`",
        "files ending in .json or .py",
        "docs/{feature}.md",
        "/auto resume",
        "...",
        "2024/01/02",
    ],
)
def test_A_44_what_is_not_a_path(text: str) -> None:
    assert named_paths(text) == ()


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("- src/a.py (new)", ["src/a.py"]),
        ("- src/a.py (신규)", ["src/a.py"]),
        ("- `src/a.py` [NEW] login", ["src/a.py"]),
        ("- src/a.py: new module for login", ["src/a.py"]),
        ("- Create `src/a.py`", ["src/a.py"]),
        ("- 신규 파일: src/a.py", ["src/a.py"]),
        ("- src/a.py를 새로 작성", ["src/a.py"]),
        ("- src/a.py 파일을 생성한다", ["src/a.py"]),
        ("- src/a.py will be created", ["src/a.py"]),
        ("| 1 | `src/a.py` | 신규 | ~50 |", ["src/a.py"]),
        ("- src/a.py: login form (new)", ["src/a.py"]),
        ("- src/a.py (modified), src/b.py (new)", ["src/b.py"]),
        ("## New files\n- src/a.py\n## Affected files\n- src/b.py", ["src/a.py"]),
        ("- src/pkg/ (new)\n- src/pkg/a.py", ["src/pkg/", "src/pkg/a.py"]),
        ("- src/a.py\n\nCreate `src/a.py` first", ["src/a.py"]),
        ("- src/a.py: change the new user page", []),
        ("- Modify src/a.py to create users", []),
        ("| 1 | `src/a.py` | 수정 | 새 함수 추가 |", []),
        ("- src/a.py (new endpoint for login)", []),
        ("- src/renewed.py", []),
    ],
)
def test_X_12_paths_marked_as_new(text: str, new: list[str]) -> None:
    assert [each.path for each in named_paths(text) if each.new] == new


def test_A_65_files_of_the_section_count_and_documents_do_not() -> None:
    plan = """# Plan
Like src/pattern.py does it. See docs/01-plan/f.plan.md.
## 영향 파일
- src/a.py
- src/b.py, src/a.py
- src/sub/
## 위험
- src/c.py may break
"""
    assert affected_files(plan) == ("src/a.py", "src/b.py")


def test_A_65_without_such_a_section_all_named_files_count() -> None:
    assert affected_files("change a.py, b.py and docs/02-design/f.design.md") == ("a.py", "b.py")


@given(st.text())
def test_A_44_any_text_can_be_searched(text: str) -> None:
    for each in named_paths(text):
        assert each.path and not any(letter.isspace() for letter in each.path)
        assert 1 <= each.line <= len(text.splitlines())


NAME = st.text("abcdefgh_0123456789", min_size=1, max_size=8).filter(lambda name: name.strip("_0123456789"))


@given(st.lists(NAME, min_size=1, max_size=4), st.sampled_from(["py", "ts", "md"]))
def test_A_58_a_made_up_path_is_found_in_every_dress(parts: list[str], extension: str) -> None:
    path = "/".join(["src", *parts]) + "." + extension

    for dress in ("- {}", "`{}`", "| {} | x |", "see {}, please", "{}를 수정", "**{}**", "({})"):
        assert [each.path for each in named_paths(dress.format(path))] == [path]
    assert as_path(path) == path


@pytest.mark.parametrize(
    ("files", "only"),
    [
        (("README.md", "docs/guide.rst", "LICENSE", "logo.SVG"), True),
        (("README.md", "tests/test_ready.py"), False),
        (("README.md", "Makefile"), False),
        (("README.md", "package.json"), False),
        (("requirements-dev.txt",), False),
        ((), False),
    ],
)
def test_A_07_a_plan_for_documents_alone_brings_nothing_that_could_be_run(files: tuple[str, ...], only: bool) -> None:
    plan = "## Affected files\n" + "\n".join(f"- `{path}`" for path in files)

    assert only_documents(plan) is only
