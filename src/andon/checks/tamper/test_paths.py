"""Which paths are tests, what stands around them, what they compare with, and what sets their runners: by name alone.

Pure rules for all languages. `domain/auto/implementation.is_test` is the older, wider question: everything it takes for
a test belongs to the tests here too, save plain data in folders called `spec`, which are often the product's own.
"""

from __future__ import annotations

import re

from andon.domain.auto.diffs import is_source
from andon.domain.auto.implementation import is_test

_SCRIPT = r"[cm]?[jt]sx?"
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|e2e|testing/e2e|src/test|cypress)/")
_ANY_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress)/")
_TEST_NAME = re.compile(
    r"(?:^|/)(?:"
    r"(?:test_[^/]*|[^/]*_tests?|tests?)\.py"
    rf"|[^/]*[._-](?:test|spec|cy|e2e)\.{_SCRIPT}|test[_-][^/]*\.{_SCRIPT}"
    r"|[^/]*_test\.go"
    r"|(?:tests?|[^/]*_tests?|test_[^/]*)\.rs"
    r"|(?:[^/]*(?:Tests?|TestCase|IT|Spec)|Test[A-Z][^/]*)\.(?:java|kt|groovy|scala|cs|php|swift)"
    r"|[^/]*_(?:test|spec)\.(?:rb|exs?|dart|c|cc|cpp|cxx)|test_[^/]*\.(?:rb|c|cc|cpp|cxx)"
    r")$"
)
_COLLECTED_IN_FOLDER = re.compile(
    rf"(?:^|/)(?:test[^/]*\.py|(?!(?:index|setup|teardown)\.)[^/]*\.{_SCRIPT}|[^/]*\.(?:rs|java|kt|groovy|scala))$"
)
_SUPPORT_NAME = re.compile(
    rf"(?:^|/)(?:conftest\.py|(?:jest|vitest|test|tests)[._-]?(?:setup|teardown|globals?|env)[^/]*\.{_SCRIPT}"
    rf"|(?:setup|global)[._-]?(?:tests?|jest|vitest|setup|teardown)[^/]*\.{_SCRIPT}|(?:spec|test)_helper\.rb)$",
    re.IGNORECASE,
)
_SUPPORT_FOLDER = re.compile(
    r"(?:^|/)(?:__mocks__|(?:tests?|__tests__|specs?|e2e|cypress)/(?:[^/]+/)*"
    r"(?:helpers?|support|utils?|common|mocks?|stubs?|fakes?|factories|setup|fixtures?|data|plugins?))/"
)
_SNAPSHOT = re.compile(
    r"(?:^|/)(?:__snapshots__|__image_snapshots__|__fixtures__|[^/]+-snapshots|cassettes|snapshots/[^/]*\.snap)/"
    r"|\.(?:snap|ambr|golden|approved\.[a-z]+|received\.[a-z]+|snap\.new)$|(?:^|/)snapshots/[^/]+\.snap$"
)
_GOLDEN_FOLDER = re.compile(r"(?:^|/)(?:goldens?|testdata|test[_-]data|test[_-]fixtures|test[_-]resources)/")
_GOLDEN_IN_TESTS = re.compile(
    r"(?:^(?:fixtures?|expected|baselines?)|(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress)/(?:[^/]+/)*"
    r"(?:fixtures?|expected|baselines?|data|samples?|resources|snapshots|outputs?))/"
)
_NOT_DATA = re.compile(
    r"(?:^|/)(?:README[^/]*|CHANGELOG[^/]*|LICENSE[^/]*|requirements[^/]*\.txt|Dockerfile[^/]*|[^/]*compose[^/]*\.ya?ml"
    r"|Makefile|package(?:-lock)?\.json|[^/]*tsconfig[^/]*\.json|py\.typed|\.[^/]*|[^/]*\.(?:toml|cfg|ini|lock|sum|mod))$",
    re.IGNORECASE,
)
_OWN_SETTINGS = re.compile(
    rf"(?:^|/)(?:\.?pytest\.(?:ini|toml)|\.coveragerc[^/]*|noxfile\.py"
    rf"|(?:jest|vitest|playwright|cypress|ava|web-test-runner|jasmine)[^/]*\.(?:config|conf|workspace|projects)\."
    rf"(?:{_SCRIPT}|json)|(?:karma|wdio|protractor)[^/]*\.conf\.{_SCRIPT}|jasmine\.json"
    rf"|\.(?:mocharc|nycrc|c8rc|taprc|jasmine)(?:\.\w+)?|nyc\.config\.{_SCRIPT}|mocha\.opts"
    r"|junit-platform\.properties|nextest\.toml|\.?tarpaulin\.toml|\.rspec|phpunit\.xml(?:\.dist)?)$"
)
_SHARED_SETTINGS = re.compile(
    rf"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|package\.json|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?"
    rf"|(?:GNU)?[Mm]akefile|[^/]+\.mk|[Jj]ustfile|[Tt]askfile\.ya?ml|vite\.config\.{_SCRIPT})$"
)


def is_test_file(path: str) -> bool:
    """Source in which a usual runner looks for tests. Rust's unit tests stand in product files, which are none."""
    if not is_source(path) or is_test_support(path) or _is_snapshot(path) or is_own_settings(path):
        return False
    if _TEST_NAME.search(path):
        return True
    in_folder = _ANY_TEST_FOLDER.search(path) and not _SUPPORT_FOLDER.search(path)
    return bool(in_folder and not _GOLDEN_FOLDER.search(path) and _COLLECTED_IN_FOLDER.search(path))


def is_test_support(path: str) -> bool:
    """Code that runs before or around tests: conftest.py, setup files, helpers, hand-written mocks."""
    if is_own_settings(path) or _is_snapshot(path):
        return False
    if _SUPPORT_NAME.search(path):
        return True
    if not is_source(path) or _TEST_NAME.search(path) or _GOLDEN_FOLDER.search(path):
        return False
    if _SUPPORT_FOLDER.search(path):
        return True
    return bool(_ANY_TEST_FOLDER.search(path)) and not _COLLECTED_IN_FOLDER.search(path)


def is_golden(path: str) -> bool:
    """Data that tests compare with or feed to the product."""
    if _is_snapshot(path):
        return True
    if _NOT_DATA.search(path) or _TEST_NAME.search(path) or _SUPPORT_NAME.search(path) or is_own_settings(path):
        return False
    if is_source(path):
        return bool(_GOLDEN_FOLDER.search(path) and (path.find("testdata/") >= 0 or _ANY_TEST_FOLDER.search(path)))
    return bool(_GOLDEN_FOLDER.search(path) or _GOLDEN_IN_TESTS.search(path) or _TEST_FOLDER.search(path))


def is_own_settings(path: str) -> bool:
    """A file that does nothing but set a runner or its coverage."""
    return _OWN_SETTINGS.search(path) is not None


def is_runner_settings(path: str) -> bool:
    """Whether settings of a runner can stand in it, alone or among others."""
    return is_own_settings(path) or _SHARED_SETTINGS.search(path) is not None


def belongs_to_tests(path: str) -> bool:
    """What is put back to how the base has it when its tests are run on new code."""
    if is_test_file(path) or is_test_support(path) or is_golden(path) or is_own_settings(path):
        return True
    if not is_source(path) and not _TEST_FOLDER.search(path):
        return False
    return is_test(path)


def _is_snapshot(path: str) -> bool:
    return _SNAPSHOT.search(path) is not None
