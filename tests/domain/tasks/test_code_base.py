"""A code base against what is asked of it: key files, environment, README, plan and report."""

from __future__ import annotations

import pytest

from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.key_files import env_example, env_ignored, has_tests, key_files, variables
from andon.domain.tasks.planned import (
    Change,
    file_plan,
    planned_changes,
    planned_files,
    risks,
    strategy,
    unplanned_changes,
)
from andon.domain.tasks.readme import readme
from andon.domain.tasks.reports import failures_explained, modification_report

NODE = ("package.json", "tsconfig.json", ".gitignore", "README.md", "src/app.ts", "src/app.test.ts")


@pytest.mark.parametrize(
    ("paths", "missing"),
    [
        (NODE, ""),
        (("pyproject.toml", ".gitignore", "README.md", "app.py"), ""),
        (("go.mod", ".gitignore", "README.md"), ""),
        ([each for each in NODE if each != ".gitignore"], ".gitignore is missing"),
        ([each for each in NODE if each != "README.md"], "README.md is missing"),
        ([each for each in NODE if each != "tsconfig.json"], "a configuration file is missing"),
        (
            [each for each in NODE if each != "package.json"],
            "package.json or its equivalent (pyproject.toml, go.mod, Cargo.toml …) is missing",
        ),
        ((*NODE[:2], "packages/a/.gitignore", "README.md"), ".gitignore is missing"),
    ],
)
def test_D_18_key_files(paths: list[str], missing: str) -> None:
    assert key_files(paths) == Criterion("key_files", not missing, missing)


def test_D_19_a_code_base_without_a_test_file_fails() -> None:
    assert has_tests(NODE).passed
    assert has_tests(NODE[:-1]).detail == "there is no test file"


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (".env\n", True),
        ("node_modules\n/.env\n", True),
        ("*.env", True),
        (".env*\n!.env.example\n", True),
        ("", False),
        ("# .env", False),
        (".env.local", False),
        (".environment", False),
        (".env\n!.env\n", False),
    ],
)
def test_D_20_env_is_ignored(text: str, passed: bool) -> None:
    assert env_ignored(text).passed is passed


def test_D_20_variables_that_code_reads_stand_in_the_example() -> None:
    code = {
        "a.ts": "const key = process.env.STRIPE_KEY ?? ''; process.env.NODE_ENV; import.meta.env.VITE_URL",
        "b.py": "os.environ['DATABASE_URL']; os.getenv(\"MAIL_FROM\")",
        "c.go": 'os.Getenv("PORT")',
    }
    needed = variables(code)

    assert needed == ("DATABASE_URL", "MAIL_FROM", "PORT", "STRIPE_KEY", "VITE_URL")
    assert not env_example(needed, None).passed
    whole = "DATABASE_URL=\nexport MAIL_FROM=\n# PORT=8000\nSTRIPE_KEY=\nVITE_URL=x\n"
    assert env_example(needed, whole).passed
    assert env_example(needed, whole.replace("VITE_URL", "URL")).detail == ".env.example has no VITE_URL"
    assert env_example((), None).passed


README = """# Shop
A small shop for books.
## Installation
npm install
## Running
npm start
## Tests
npm test
## Environment variables
STRIPE_KEY
"""


@pytest.mark.parametrize(
    ("cut", "missing"),
    [
        ("## Tests\nnpm test\n", "README.md has no how to test"),
        ("## Installation\nnpm install\n", "README.md has no installation"),
        ("## Running\nnpm start\n", "README.md has no how to run"),
        ("A small shop for books.\n", "README.md has no description"),
        ("## Environment variables\nSTRIPE_KEY\n", "README.md has no environment variables"),
        ("npm test\n", "README.md has no how to test"),
    ],
)
def test_D_21_what_a_readme_lacks_is_reported(cut: str, missing: str) -> None:
    assert readme(README, environment=True).passed
    assert readme(README.replace(cut, ""), environment=True).detail == missing


def test_D_21_badges_are_no_description() -> None:
    badges = "[![build](https://x/b.svg)](https://x/build) [![cover](https://x/c.svg)](https://x/cover)"

    found = readme(README.replace("A small shop for books.", badges), environment=True)

    assert found.detail == "README.md has no description"


def test_D_21_a_project_without_variables_and_a_korean_one() -> None:
    assert readme(README.replace("## Environment variables\nSTRIPE_KEY\n", ""), environment=False).passed
    korean = "# 서점\n## 소개\n책을 파는 서점\n## 설치 방법\nx\n## 실행 방법\nx\n## 테스트\nx\n## 환경 변수\nx\n"
    assert readme(korean, environment=True).passed


PLAN = """# Modification plan
## Requirements
Totals are rounded.
## Files to create
- `src/rounding.py`: rounds half up
## Files to modify
- `src/cart.py`: calls it
## Files to delete
- `src/old_total.py`: nobody calls it any more
## Risks
Breaking changes: none. Performance: none. Security: none. Backward compatibility: totals differ by a cent.
Mitigation: a switch.
## Test strategy
Existing tests of the cart, new tests for rounding, manual scenario: a basket of three.
"""
CHANGED = {
    "src/rounding.py": Change.CREATE,
    "src/cart.py": Change.MODIFY,
    "src/old_total.py": Change.DELETE,
    "docs/planning/modification_plan.md": Change.CREATE,
}


def test_D_31_a_plan_lists_files_by_what_happens_to_them() -> None:
    assert [(each.path, each.change, each.told) for each in planned_files(PLAN)] == [
        ("src/rounding.py", Change.CREATE, "rounds half up"),
        ("src/cart.py", Change.MODIFY, "calls it"),
        ("src/old_total.py", Change.DELETE, "nobody calls it any more"),
    ]
    assert file_plan(PLAN).passed


@pytest.mark.parametrize(
    ("plan", "detail"),
    [
        (PLAN.replace(": rounds half up", ""), "src/rounding.py: no purpose"),
        (PLAN.replace(": calls it", ""), "src/cart.py: no changes"),
        (PLAN.replace(": nobody calls it any more", ""), "src/old_total.py: no reason"),
        (PLAN.replace("- `src/old_total.py`: nobody calls it any more", "- none"), ""),
        (
            PLAN.replace("- `src/old_total.py`: nobody calls it any more", "- whatever"),
            "files to delete: neither a file nor `none`",
        ),
        ("# Plan\n## Files to modify\nsome", "the plan names no file to create, modify or delete"),
    ],
)
def test_D_31_D_32_a_plan_goes_down_to_files_with_a_reason_each(plan: str, detail: str) -> None:
    assert file_plan(plan).detail == detail


def test_D_31_D_32_risks_have_four_kinds_and_a_mitigation() -> None:
    assert risks(PLAN).passed
    assert risks(PLAN.replace("Security: none.", "")).detail == "no word about security"
    assert risks(PLAN.replace("Mitigation: a switch.", "")).detail == "no mitigation"
    assert risks("# Plan").detail == "no risk section"
    korean = "## 위험 평가\n호환성 파괴 없음, 성능 영향 없음, 보안 영향 없음, 하위 호환성 유지\n완화: 스위치\n"
    assert risks(korean).passed


def test_D_31_D_32_a_test_strategy_knows_existing_new_and_manual_tests() -> None:
    assert strategy(PLAN).passed
    assert strategy(PLAN.replace("manual scenario", "scenario")).detail == "no word about manual scenarios"


def test_D_34_a_planned_change_that_is_missing_is_reported() -> None:
    assert planned_changes(PLAN, CHANGED).passed
    two = {path: change for path, change in CHANGED.items() if path != "src/cart.py"}
    assert planned_changes(PLAN, two).detail == "planned change missing: modify src/cart.py"


def test_D_34_a_file_to_delete_that_is_only_changed_is_not_deleted() -> None:
    found = planned_changes(PLAN, {**CHANGED, "src/old_total.py": Change.MODIFY})

    assert found.detail == "planned change missing: delete src/old_total.py"


def test_D_35_a_change_outside_the_plan_is_reported() -> None:
    assert unplanned_changes(PLAN, CHANGED).passed
    found = unplanned_changes(PLAN, {**CHANGED, "src/tax.py": Change.MODIFY})
    assert found.detail == "unplanned change: modify src/tax.py"


def test_D_34_D_35_a_planned_folder_holds_its_files() -> None:
    plan = "# P\n## Files to create\n- src/rounding/: the package\n"

    assert planned_changes(plan, {"src/rounding/a.py": Change.CREATE}).passed
    assert unplanned_changes(plan, {"src/rounding/a.py": Change.CREATE}).passed
    assert not planned_changes(plan, {"src/other.py": Change.CREATE}).passed


REPORT = """# Verification
Existing tests: 40 passed. New tests: 3 passed. No regression.
Manual tests: the new feature works, the old one is not broken, edge cases (an empty basket) and error handling tried.
No console errors, performance as before.
"""


@pytest.mark.parametrize(
    ("word", "missing"),
    [
        ("Manual tests: ", "no word about manual tests"),
        ("No regression.", "no word about regression"),
        ("edge cases", "no word about edge cases"),
    ],
)
def test_D_37_a_report_without_a_part_of_the_checklist_is_incomplete(word: str, missing: str) -> None:
    assert modification_report(REPORT).passed
    assert modification_report(REPORT.replace(word, "")).detail == missing


def test_D_37_a_failure_is_explained() -> None:
    assert failures_explained(REPORT).passed
    assert not failures_explained(REPORT + "\n- test_tax: failed\n").passed
    assert failures_explained(REPORT + "\n- test_tax: failed, known since 2024\n").passed
