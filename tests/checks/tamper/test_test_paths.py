"""Each path of a repository is told by its name alone: test, support, golden data, settings, or product."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper import test_paths as paths
from andon.domain.auto.diffs import is_source
from andon.domain.auto.implementation import is_test

TESTS = [
    "test_calc.py",
    "tests/test_calc.py",
    "pkg/calc_test.py",
    "app/tests.py",
    "tests/unit/testcalc.py",
    "src/calc.test.ts",
    "src/calc.spec.tsx",
    "src/__tests__/calc.js",
    "test/calc.js",
    "cypress/e2e/login.cy.ts",
    "calc_test.mjs",
    "calc_test.go",
    "tests/adds.rs",
    "src/calc/tests.rs",
    "src/test/java/a/CalcTest.java",
    "a/CalcIT.java",
    "src/test/java/a/Adds.java",
    "spec/calc_spec.rb",
    "tests/CalcTest.php",
    "tests/data/test_data.py",
]
SUPPORT = [
    "conftest.py",
    "tests/conftest.py",
    "tests/helpers.py",
    "tests/__init__.py",
    "tests/helpers/fake.py",
    "jest.setup.ts",
    "setupTests.ts",
    "test/support/server.js",
    "__mocks__/fs.js",
    "src/__mocks__/api.ts",
    "tests/common/mod.rs",
    "tests/fixtures/db.py",
    "vitest.setup.ts",
    "test/utils/render.tsx",
]
GOLDEN = [
    "src/__snapshots__/calc.test.ts.snap",
    "tests/__snapshots__/test_a.ambr",
    "testdata/in.txt",
    "pkg/testdata/src/a.go",
    "tests/fixtures/a.json",
    "fixtures/a.json",
    "golden/report.txt",
    "tests/expected/out.html",
    "tests/cassettes/a.yaml",
    "src/snapshots/app__render.snap",
    "tests/data.csv",
    "src/test/resources/a.xml",
    "page.spec.ts-snapshots/home.png",
]
SETTINGS = [
    "pytest.ini",
    ".coveragerc",
    "jest.config.js",
    "vitest.config.mts",
    "vitest.workspace.ts",
    "playwright.config.ts",
    "karma.conf.js",
    ".mocharc.yml",
    ".nycrc",
    ".nycrc.json",
    ".c8rc.json",
    "noxfile.py",
    "cypress.config.ts",
    ".config/nextest.toml",
    "src/test/resources/junit-platform.properties",
    "jest-e2e.config.ts",
]
SHARED = [
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "package.json",
    "web/package.json",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "Makefile",
]
PRODUCT = [
    "src/calc.py",
    "pkg/testing.py",
    "src/contest.py",
    "src/latest.ts",
    "main.go",
    "src/lib.rs",
    "src/main/java/a/Calc.java",
    "README.md",
    "app/fixtures/initial.json",
    "src/golden/retriever.py",
    "spec/openapi.yaml",
    "specs/api.md",
    "docs/testing.md",
    "src/protest.js",
    "data/prices.csv",
    "src/expected/value.py",
    "src/common/mod.rs",
    "fastest.py",
    "src/inspect.py",
    "tests_tool.toml",
]


@pytest.mark.parametrize("path", TESTS)
def test_a_runner_looks_for_tests_here(path: str) -> None:
    assert paths.is_test_file(path)
    assert not paths.is_test_support(path)
    assert paths.belongs_to_tests(path)


@pytest.mark.parametrize("path", SUPPORT)
def test_code_around_tests_is_support_and_no_test(path: str) -> None:
    assert paths.is_test_support(path)
    assert not paths.is_test_file(path)
    assert paths.belongs_to_tests(path)


@pytest.mark.parametrize("path", GOLDEN)
def test_data_that_tests_compare_with_is_golden(path: str) -> None:
    assert paths.is_golden(path)
    assert not paths.is_test_file(path)
    assert paths.belongs_to_tests(path)


@pytest.mark.parametrize("path", SETTINGS)
def test_files_of_a_runner_alone_are_put_back(path: str) -> None:
    assert paths.is_runner_settings(path)
    assert paths.belongs_to_tests(path)
    assert not paths.is_test_file(path)


@pytest.mark.parametrize("path", SHARED)
def test_files_shared_with_the_product_stay_as_the_change_has_them(path: str) -> None:
    assert paths.is_runner_settings(path)
    assert not paths.belongs_to_tests(path)


@pytest.mark.parametrize("path", PRODUCT)
def test_product_files_are_nothing_of_tests(path: str) -> None:
    assert not paths.belongs_to_tests(path)
    assert not paths.is_runner_settings(path)


@pytest.mark.parametrize("path", ["tests/README.md", "tests/requirements.txt", "tests/.gitignore", "test/package.json"])
def test_papers_in_a_tests_folder_are_not_compared_with(path: str) -> None:
    assert not paths.is_golden(path)


@given(
    st.lists(
        st.sampled_from(
            ["tests", "spec", "src", "fixtures", "e2e", "a.py", "test_a.py", "x.json", "A.java", "conftest.py"]
        ),
        min_size=1,
    )
)
def test_source_that_the_older_rule_takes_for_a_test_belongs_to_the_tests(parts: list[str]) -> None:
    path = "/".join(parts)
    if is_test(path) and is_source(path):
        assert paths.belongs_to_tests(path)


@given(st.text())
def test_any_path_has_an_answer(path: str) -> None:
    paths.belongs_to_tests(path)
    paths.is_runner_settings(path)
