"""Every spelling of a cheat in Python tests is found by its rule, and honest changes of tests are not found at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from andon.checks.tamper import comparing
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

PRODUCT = {"src/pkg/__init__.py": "", "src/pkg/calc.py": "def add(a, b):\n    return a + b\n", "src/pkg/mail.py": ""}
BASE = """
import pytest
from pkg import calc
from pkg.calc import add


def test_adds():
    assert add(2, 3) == 5


def test_rejects_text():
    with pytest.raises(ValueError, match="number"):
        add("a", 1)


@pytest.mark.parametrize("a, b, want", [(1, 1, 2), (2, 2, 4), (3, 3, 6)])
def test_many(a, b, want):
    assert add(a, b) == want


def test_close():
    assert calc.mean([1, 2]) == pytest.approx(1.5, abs=0.01)
"""
ADDS = "def test_adds():\n    assert add(2, 3) == 5\n"
FILE = "tests/test_calc.py"


def edit(*pairs: tuple[str, str]) -> str:
    text = BASE
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def found(trees: Trees, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    change = trees({**PRODUCT, **before}, {**PRODUCT, **after})
    return sorted({each.rule for each in comparing.test_findings(change)})


CHEATS: dict[str, tuple[str, str]] = {
    "function deleted": ("test_deleted", edit((ADDS, ""))),
    "function emptied": ("test_weakened", edit((ADDS, "def test_adds():\n    pass\n"))),
    "renamed to a helper": ("test_uncollected", edit(("def test_adds", "def check_adds"))),
    "renamed with an underscore": ("test_uncollected", edit(("def test_adds", "def _test_adds"))),
    "put into a class that is not collected": (
        "test_uncollected",
        edit((ADDS, "class Old:\n    def test_adds(self):\n        assert add(2, 3) == 5\n")),
    ),
    "class with a constructor": (
        "test_uncollected",
        edit(
            (
                ADDS,
                "class TestOld:\n    def __init__(self):\n        pass\n    def test_adds(self):\n"
                "        assert add(2, 3) == 5\n",
            )
        ),
    ),
    "defined under a condition that never holds": (
        "test_deleted",
        edit((ADDS, "if False:\n    def test_adds():\n        assert add(2, 3) == 5\n")),
    ),
    "deleted below": ("test_shadowed", BASE + "\ndel test_adds\n"),
    "mark skip": ("test_skipped", edit(("def test_adds", "@pytest.mark.skip\ndef test_adds"))),
    "mark skip with reason": ("test_skipped", edit(("def test_adds", "@pytest.mark.skip(reason='x')\ndef test_adds"))),
    "mark skipif": ("test_skipped", edit(("def test_adds", "@pytest.mark.skipif(True, reason='x')\ndef test_adds"))),
    "mark skipif by platform": (
        "test_skipped",
        edit(("def test_adds", "@pytest.mark.skipif(sys.platform == 'linux', reason='x')\ndef test_adds")),
    ),
    "mark under another name": (
        "test_skipped",
        edit(
            ("import pytest\n", "import pytest\nfrom pytest import mark as m\n"),
            ("def test_adds", "@m.skip\ndef test_adds"),
        ),
    ),
    "mark kept in a variable": (
        "test_skipped",
        edit((ADDS, f"slow = pytest.mark.skip(reason='x')\n\n@slow\n{ADDS}")),
    ),
    "unittest skip": ("test_skipped", edit((ADDS, f"import unittest\n\n@unittest.skip('x')\n{ADDS}"))),
    "unittest skipIf": ("test_skipped", edit((ADDS, f"from unittest import skipIf\n\n@skipIf(1, 'x')\n{ADDS}"))),
    "unittest skipUnless": (
        "test_skipped",
        edit((ADDS, f"from unittest import skipUnless as s\n\n@s(X, 'x')\n{ADDS}")),
    ),
    "skip in the body": ("test_skipped", edit(("    assert add(2, 3)", "    pytest.skip('x')\n    assert add(2, 3)"))),
    "skip in the body on a condition": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    if CI:\n        pytest.skip('x')\n    assert add(2, 3)")),
    ),
    "skip through getattr": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    getattr(pytest, 'skip')('x')\n    assert add(2, 3)")),
    ),
    "raise SkipTest": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    import unittest\n    raise unittest.SkipTest\n    assert add(2, 3)")),
    ),
    "skip in a helper": (
        "test_skipped",
        edit(
            (ADDS, "def ready():\n    pytest.skip('x')\n\ndef test_adds():\n    ready()\n    assert add(2, 3) == 5\n")
        ),
    ),
    "skip in a fixture": (
        "test_skipped",
        edit(
            (
                ADDS,
                "@pytest.fixture\ndef db():\n    pytest.skip('x')\n\ndef test_adds(db):\n    assert add(2, 3) == 5\n",
            )
        ),
    ),
    "skip in an autouse fixture": (
        "test_skipped",
        edit((ADDS, f"@pytest.fixture(autouse=True)\ndef db():\n    pytest.skip('x')\n\n{ADDS}")),
    ),
    "module skipped": (
        "test_skipped",
        edit(("import pytest\n", "import pytest\npytest.skip('x', allow_module_level=True)\n")),
    ),
    "unittest is given other tests": ("test_skipped", BASE + "\ndef load_tests(a, b, c):\n    return a.suiteClass()\n"),
    "module marked": ("test_skipped", edit(("import pytest\n", "import pytest\npytestmark = [pytest.mark.skip]\n"))),
    "importorskip": ("test_skipped", edit(("import pytest\n", "import pytest\nnope = pytest.importorskip('nope')\n"))),
    "__test__ of the module": ("test_skipped", edit(("import pytest\n", "import pytest\n__test__ = False\n"))),
    "__test__ of the function": ("test_skipped", BASE + "\ntest_adds.__test__ = False\n"),
    "setup_function skips": ("test_skipped", BASE + "\ndef setup_function():\n    pytest.skip('x')\n"),
    "early return": ("test_skipped", edit(("    assert add(2, 3)", "    return\n    assert add(2, 3)"))),
    "early return on a condition": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    if CI:\n        return\n    assert add(2, 3)")),
    ),
    "body under if False": ("test_skipped", edit(("    assert add(2, 3)", "    if False:\n        assert add(2, 3)"))),
    "body in a loop over nothing": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    for _ in []:\n        assert add(2, 3)")),
    ),
    "decorator that swallows": (
        "test_skipped",
        edit(
            (
                ADDS,
                "def calm(f):\n    def g():\n        try:\n            f()\n        except Exception:\n"
                "            pass\n    return g\n\n@calm\n" + ADDS,
            )
        ),
    ),
    "mark xfail": ("test_expected_to_fail", edit((ADDS, f"@pytest.mark.xfail\n{ADDS}"))),
    "mark xfail with reason": (
        "test_expected_to_fail",
        edit((ADDS, f"@pytest.mark.xfail(reason='x', strict=False)\n{ADDS}")),
    ),
    "xfail in the body": (
        "test_expected_to_fail",
        edit(("    assert add(2, 3)", "    pytest.xfail('x')\n    assert add(2, 3)")),
    ),
    "marker added to the node": (
        "test_expected_to_fail",
        edit(
            (
                ADDS,
                "def test_adds(request):\n    request.node.add_marker(pytest.mark.xfail)\n    assert add(2, 3) == 5\n",
            )
        ),
    ),
    "module expected to fail": (
        "test_expected_to_fail",
        edit(("import pytest\n", "import pytest\npytestmark = pytest.mark.xfail\n")),
    ),
    "equality to truth": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3)"))),
    "equality to not None": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3) is not None"))),
    "equality to containment": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3) in (5, 6)"))),
    "equality to at least": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3) >= 5"))),
    "equality to a type": ("test_weakened", edit(("assert add(2, 3) == 5", "assert isinstance(add(2, 3), int)"))),
    "equality to approx": (
        "test_weakened",
        edit(("assert add(2, 3) == 5", "assert add(2, 3) == pytest.approx(5, abs=2)")),
    ),
    "or True": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3) == 5 or True"))),
    "or something": ("test_weakened", edit(("assert add(2, 3) == 5", "assert add(2, 3) == 5 or calc"))),
    "assert of a tuple": ("test_weakened", edit(("assert add(2, 3) == 5", "assert (add(2, 3) == 5, 'sum')"))),
    "always true": ("test_weakened", edit(("assert add(2, 3) == 5", "assert True"))),
    "compared with itself": (
        "test_weakened",
        edit(("    assert add(2, 3) == 5", "    got = add(2, 3)\n    assert got == got")),
    ),
    "checked only on a condition": (
        "test_weakened",
        edit(("    assert add(2, 3)", "    if FULL:\n        assert add(2, 3)")),
    ),
    "assertion swallowed": (
        "test_weakened",
        edit(
            (
                "    assert add(2, 3) == 5",
                "    try:\n        assert add(2, 3) == 5\n    except AssertionError:\n        pass",
            )
        ),
    ),
    "assertion swallowed by a bare except": (
        "test_weakened",
        edit(("    assert add(2, 3) == 5", "    try:\n        assert add(2, 3) == 5\n    except:\n        print('x')")),
    ),
    "assertion suppressed": (
        "test_weakened",
        edit(("    assert add(2, 3) == 5", "    with contextlib.suppress(Exception):\n        assert add(2, 3) == 5")),
    ),
    "failure expected": (
        "test_weakened",
        edit(("    assert add(2, 3) == 5", "    with pytest.raises(AssertionError):\n        assert add(2, 3) == 5")),
    ),
    "tolerance widened": ("test_weakened", edit(("abs=0.01", "abs=10"))),
    "exception broadened": ("test_weakened", edit(('ValueError, match="number"', 'Exception, match="number"'))),
    "match removed": ("test_weakened", edit((', match="number"', ""))),
    "raises removed": (
        "test_weakened",
        edit(('    with pytest.raises(ValueError, match="number"):\n        add("a", 1)', '    add("a", 1)')),
    ),
    "raises of one's own": ("test_changed", edit(('add("a", 1)', 'raise ValueError("number")'))),
    "other expectation": ("test_changed", edit(("== 5", "== 6"))),
    "other expectation in a variable": (
        "test_changed",
        edit(("    assert add(2, 3) == 5", "    want = 6\n    assert add(2, 3) == want")),
    ),
    "other expectation in a constant": (
        "test_changed",
        edit(("== 5", "== FIVE"), ("import pytest\n", "import pytest\nFIVE = 6\n")),
    ),
    "other expectation in the parameters": ("test_changed", edit(("(2, 2, 4)", "(2, 2, 5)"))),
    "opposite": ("test_weakened", edit(("== 5", "!= 5"))),
    "other message": ("test_changed", edit(('match="number"', 'match=".*"'))),
    "other tolerance base": ("test_changed", edit(("approx(1.5", "approx(2.5"))),
    "parameters removed": ("test_parameters_reduced", edit((", (3, 3, 6)", ""))),
    "no parameters left": ("test_parameters_reduced", edit(("(1, 1, 2), (2, 2, 4), (3, 3, 6)", ""))),
    "a parameter marked": (
        "test_parameters_reduced",
        edit(("(3, 3, 6)", "pytest.param(3, 3, 6, marks=pytest.mark.skip)")),
    ),
    "a parameter expected to fail": (
        "test_parameters_reduced",
        edit(("(3, 3, 6)", "pytest.param(3, 3, 6, marks=[pytest.mark.xfail])")),
    ),
    "patch decorator": (
        "test_mocks_unit",
        edit(
            (
                ADDS,
                "from unittest.mock import patch\n\n@patch('pkg.calc.add', return_value=5)\n"
                + ADDS.replace("()", "(m)", 1),
            )
        ),
    ),
    "patch in a with": (
        "test_mocks_unit",
        edit(
            (
                ADDS,
                "from unittest import mock\n\ndef test_adds():\n"
                "    with mock.patch.object(calc, 'add'):\n        assert add(2, 3) == 5\n",
            )
        ),
    ),
    "monkeypatch": (
        "test_mocks_unit",
        edit(
            (
                ADDS,
                "def test_adds(monkeypatch):\n    monkeypatch.setattr(calc, 'add', lambda a, b: 5)\n"
                "    assert add(2, 3) == 5\n",
            )
        ),
    ),
    "monkeypatch by name": (
        "test_mocks_unit",
        edit(
            (
                ADDS,
                "def test_adds(monkeypatch):\n    monkeypatch.setattr('pkg.calc.add', lambda a, b: 5)\n"
                "    assert add(2, 3) == 5\n",
            )
        ),
    ),
    "assignment to a module": (
        "test_mocks_unit",
        edit(("    assert add(2, 3)", "    calc.add = lambda a, b: 5\n    assert add(2, 3)")),
    ),
    "assignment for all tests": ("test_mocks_unit", edit((ADDS, f"calc.add = lambda a, b: 5\n\n{ADDS}"))),
    "mock in an autouse fixture": (
        "test_mocks_unit",
        edit(
            (
                ADDS,
                f"@pytest.fixture(autouse=True)\ndef f(monkeypatch):\n"
                f"    monkeypatch.setattr(calc, 'add', 1)\n\n{ADDS}",
            )
        ),
    ),
    "sys.modules": ("test_mocks_unit", edit((ADDS, f"import sys\nsys.modules['pkg.calc'] = object()\n\n{ADDS}"))),
    "new test of the replacement": (
        "test_mocks_unit",
        BASE
        + "\ndef test_new(mocker):\n    mocker.patch('pkg.calc.add', return_value=9)\n    assert calc.add(4, 4) == 9\n",
    ),
    "new test that is always true": ("test_trivial", BASE + "\ndef test_new():\n    add(1, 2)\n    assert True\n"),
    "new test of constants": ("test_trivial", BASE + "\ndef test_new():\n    x = 1\n    assert x == 1\n"),
    "new test of a name with itself": (
        "test_trivial",
        BASE + "\ndef test_new():\n    x = add(1, 2)\n    assert x == x\n",
    ),
    "imported from elsewhere": ("test_mocks_unit", edit(("from pkg.calc import add", "from fakes import add"))),
    "defined by the test file": (
        "test_mocks_unit",
        edit(("from pkg.calc import add\n", "from pkg.calc import add\ndef add(a, b):\n    return 5\n")),
    ),
    "check in a function that nobody calls": (
        "test_weakened",
        edit(("    assert add(2, 3)", "    def later():\n        assert add(2, 3)")),
    ),
    "test made a generator": ("test_skipped", edit(("    assert add(2, 3)", "    yield\n    assert add(2, 3)"))),
    "check after continue": (
        "test_skipped",
        edit(("    assert add(2, 3)", "    for _ in go():\n        continue\n        assert add(2, 3)")),
    ),
    "hidden by a second": ("test_shadowed", BASE + "\ndef test_adds():\n    assert add(2, 3) == 5\n"),
    "hidden by an assignment": ("test_shadowed", BASE + "\ntest_adds = None\n"),
    "hidden by an import": ("test_shadowed", BASE + "\nfrom elsewhere import test_adds\n"),
    "no longer Python": ("test_uncollected", BASE + "\ndef test_new(:\n"),
}


@pytest.mark.parametrize("rule, after", CHEATS.values(), ids=CHEATS)
def test_a_cheat_in_a_test_file_is_found(trees: Trees, rule: str, after: str) -> None:
    assert rule in found(trees, {FILE: BASE}, {FILE: after})


HONEST: dict[str, str] = {
    "test added": BASE + "\ndef test_new():\n    assert add(0, 0) == 0\n",
    "comments and layout": edit(
        (ADDS, "def test_adds():  # sums\n    '''Two and three.'''\n    assert (\n        add(2,3)==5\n    )\n")
    ),
    "message added": edit(("== 5", "== 5, 'sum'")),
    "local variable introduced": edit(("    assert add(2, 3) == 5", "    total = add(2, 3)\n    assert total == 5")),
    "expectation named": edit(("== 5", "== FIVE"), ("import pytest\n", "import pytest\nFIVE = 5\n")),
    "fixture extracted": edit((ADDS, "@pytest.fixture\ndef numbers():\n    return 2, 3\n\n" + ADDS)),
    "check added": edit(("== 5\n", "== 5\n    assert add(0, 1) == 1\n")),
    "test renamed": edit(("test_adds", "test_adds_two_numbers")),
    "test put into a class": edit((ADDS, "class TestAdd:\n    def test_adds(self):\n        assert add(2, 3) == 5\n")),
    "parameter added": edit(("(3, 3, 6)", "(3, 3, 6), (4, 4, 8)")),
    "parameters named": edit(("(3, 3, 6)", "pytest.param(3, 3, 6, id='threes')")),
    "parameters renamed": edit(
        ('"a, b, want"', '"x, y, z"'),
        ("(a, b, want):\n    assert add(a, b) == want", "(x, y, z):\n    assert add(x, y) == z"),
    ),
    "a column of parameters added": edit(
        (
            '"a, b, want", [(1, 1, 2), (2, 2, 4), (3, 3, 6)]',
            '"a, b, want, name", [(1, 1, 2, "x"), (2, 2, 4, "y"), (3, 3, 6, "z")]',
        ),
        ("(a, b, want)", "(a, b, want, name)"),
    ),
    "parameters in a constant": edit(
        ("[(1, 1, 2), (2, 2, 4), (3, 3, 6)]", "CASES"),
        ("import pytest\n", "import pytest\nCASES = [(1, 1, 2), (2, 2, 4), (3, 3, 6)]\n"),
    ),
    "parameters written out": edit(
        (
            '@pytest.mark.parametrize("a, b, want", [(1, 1, 2), (2, 2, 4), (3, 3, 6)])\n'
            "def test_many(a, b, want):\n    assert add(a, b) == want",
            "def test_many():\n    assert add(1, 1) == 2\n    assert add(2, 2) == 4\n    assert add(3, 3) == 6",
        )
    ),
    "test made a parameter": edit((ADDS, ""), ("(3, 3, 6)", "(3, 3, 6), (2, 3, 5)")),
    "stricter tolerance": edit(("abs=0.01", "abs=0.001")),
    "approx to equality": edit(("pytest.approx(1.5, abs=0.01)", "1.5")),
    "narrower exception": edit(("ValueError", "UnicodeError")),
    "other way of importing": edit(("from pkg.calc import add\n", "import pkg.calc as c\n"), ("add(", "c.add(")),
    "imported from where it is exported": edit(("from pkg.calc import add", "from pkg import add")),
    "check in a callback": edit(
        (
            ADDS,
            "def test_adds():\n    def seen(got):\n        assert got\n    calc.on(seen)\n    assert add(2, 3) == 5\n",
        )
    ),
    "sides swapped": edit(("add(2, 3) == 5", "5 == add(2, 3)")),
    "helper extracted": edit(
        (ADDS, "def check_sum(a, b, want):\n    assert add(a, b) == want\n\ndef test_adds():\n    check_sum(2, 3, 5)\n")
    ),
    "to unittest": edit(
        (
            ADDS,
            "import unittest\n\nclass AddTest(unittest.TestCase):\n    def test_adds(self):\n"
            "        self.assertEqual(add(2, 3), 5)\n",
        )
    ),
    "new test that skips itself": BASE
    + "\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_new():\n    assert add(1, 1) == 2\n",
    "new test with a mock of something else": BASE
    + "\ndef test_new(mocker):\n    send = mocker.patch('pkg.mail.send')\n    calc.report(1)\n"
    "    send.assert_called_once_with(1)\n",
    "existing test mocks the clock": edit(
        (
            ADDS,
            "def test_adds(monkeypatch):\n    monkeypatch.setattr('time.time', lambda: 0)\n    assert add(2, 3) == 5\n",
        )
    ),
    "new smoke test": BASE + "\ndef test_new():\n    add(1, 1)\n",
    "new test of a helper's constants": BASE + "\ndef test_new():\n    check_roundtrip('x')\n",
    "new test of state": BASE
    + "\ndef test_new():\n    seen = []\n    calc.walk(seen.append)\n    assert seen == [1]\n",
    "new test of determinism": BASE + "\ndef test_new():\n    assert add(1, 2) == add(1, 2)\n",
    "new test of before and after": BASE
    + "\ndef test_new():\n    old = calc.size()\n    calc.grow()\n    new = calc.size()\n    assert old == new\n",
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_an_honest_change_of_a_test_file_passes(trees: Trees, after: str) -> None:
    assert found(trees, {FILE: BASE}, {FILE: after}) == []


CLASSIC = """
import unittest
from pkg.calc import add

class AddTest(unittest.TestCase):
    def setUp(self):
        self.one = 1

    def test_adds(self):
        self.assertEqual(add(2, 3), 5)
        self.assertIn(add(1, 1), [2])

    def test_mean(self):
        self.assertAlmostEqual(add(1, 2), 3, places=5)
"""


@pytest.mark.parametrize(
    "rule, old, new",
    [
        ("test_skipped", "        self.one = 1", "        self.skipTest('x')"),
        ("test_skipped", "    def setUp", "    __test__ = False\n    def setUp"),
        ("test_skipped", "class AddTest", "@unittest.skip('x')\nclass AddTest"),
        ("test_expected_to_fail", "    def test_adds", "    @unittest.expectedFailure\n    def test_adds"),
        ("test_weakened", "assertEqual(add(2, 3), 5)", "assertTrue(add(2, 3))"),
        ("test_weakened", "assertEqual(add(2, 3), 5)", "assertTrue(add(2, 3), 5)"),
        ("test_weakened", "assertEqual(add(2, 3), 5)", "assertIsNotNone(add(2, 3))"),
        ("test_weakened", "places=5", "places=0"),
        ("test_changed", "assertEqual(add(2, 3), 5)", "assertEqual(add(2, 3), 4)"),
        ("test_uncollected", "class AddTest(unittest.TestCase)", "class AddTest"),
    ],
)
def test_unittest_classes_are_read_as_well(trees: Trees, rule: str, old: str, new: str) -> None:
    assert old in CLASSIC
    assert rule in found(trees, {FILE: CLASSIC}, {FILE: CLASSIC.replace(old, new)})


def test_a_deleted_file_is_one_finding_with_its_number_of_tests(trees: Trees) -> None:
    [finding] = comparing.test_findings(trees({FILE: BASE}, {}))
    assert (finding.rule, finding.path) == ("test_deleted", FILE)
    assert finding.message.startswith("4 tests gone")


def test_a_finding_names_the_line_of_the_new_version(trees: Trees) -> None:
    [finding] = comparing.test_findings(trees({FILE: ADDS}, {FILE: "# a\n# b\n" + ADDS.replace("5", "6")}))
    assert (finding.line, finding.subject) == (3, "test_adds")


def test_a_file_renamed_out_of_collection_is_found_at_its_new_place(trees: Trees) -> None:
    [finding] = comparing.test_findings(trees({FILE: BASE}, {"tests/x_test_helpers.py": BASE}))
    assert (finding.rule, finding.path) == ("test_uncollected", "tests/x_test_helpers.py")


def test_a_file_may_move_within_the_tests(trees: Trees) -> None:
    assert found(trees, {FILE: BASE}, {"tests/unit/test_sums.py": BASE}) == []


def test_tests_may_move_to_another_file(trees: Trees) -> None:
    rest = edit((ADDS, ""))
    assert found(trees, {FILE: BASE}, {FILE: rest, "tests/test_more.py": f"from pkg.calc import add\n\n{ADDS}"}) == []


def test_a_test_may_be_split_in_two(trees: Trees) -> None:
    before = "def test_all():\n    assert add(1) == 2\n    assert add(2) == 3\n"
    after = "def test_one():\n    assert add(1) == 2\n\ndef test_two():\n    assert add(2) == 3\n"
    assert found(trees, {FILE: before}, {FILE: after}) == []
    assert found(trees, {FILE: before}, {FILE: after.replace("== 3", "is not None")}) == ["test_deleted"]


CLIENT = (
    "from pkg.web import make\n\ndef test_page():\n    client = make(1)\n"
    "    page = client.get('/')\n    assert page.status == 200\n"
)


@pytest.mark.parametrize(
    "after",
    [
        "import pytest\nfrom pkg.web import make\n\n@pytest.fixture\ndef client():\n    return make(1)\n\n"
        "def test_page(client):\n    page = client.get('/')\n    assert page.status == 200\n",
        "from pkg.web import make\n\ndef test_page():\n    site = make(1)\n    assert site.get('/').status == 200\n",
        "from pkg.web import make\n\ndef test_page():\n    got = make(1).get('/')\n"
        "    assert got.status == 200\n    assert got.text\n",
        "from pkg.web import make\n\ndef site():\n    return make(1)\n\n"
        "def test_page():\n    page = site().get('/')\n    assert page.status == 200\n",
    ],
)
def test_objects_may_be_made_in_another_way(trees: Trees, after: str) -> None:
    assert found(trees, {FILE: CLIENT}, {FILE: after}) == []
    assert found(trees, {FILE: CLIENT}, {FILE: after.replace("200", "500")}) != []
    assert found(trees, {FILE: CLIENT}, {FILE: after.replace("make", "fake")}) != []


def test_tests_may_follow_a_function_to_its_new_name(trees: Trees) -> None:
    test = "from pkg.calc import add\n\ndef test_x():\n    assert add(1, 2) == 3\n"
    old = {"src/pkg/calc.py": "def add(a, b):\n    return a + b\n", FILE: test}
    new = {"src/pkg/calc.py": "def plus(a, b):\n    return a + b\n", FILE: test.replace("add", "plus")}
    assert comparing.test_findings(trees(old, new)) == []
    wrong = {**new, FILE: new[FILE].replace("== 3", "== 4")}
    assert [each.rule for each in comparing.test_findings(trees(old, wrong))] != []


def test_a_check_that_moves_into_a_skipped_test_is_lost(trees: Trees) -> None:
    before = "def test_all():\n    assert add(1) == 2\n    assert add(2) == 3\n"
    after = (
        "import pytest\ndef test_all():\n    assert add(1) == 2\n\n@pytest.mark.skip\n"
        "def test_two():\n    assert add(2) == 3\n"
    )
    assert found(trees, {FILE: before}, {FILE: after}) == ["test_weakened"]


@pytest.mark.parametrize(
    "before, after",
    [
        ("from pkg.calc import add\n", "from pkg.sums import add\n"),
        ("import pkg.calc\nadd = pkg.calc.add\n", "import pkg.sums\nadd = pkg.sums.add\n"),
        ("from pkg import calc\nadd = calc.add\n", "from pkg import sums\nadd = sums.add\n"),
    ],
)
def test_tests_may_follow_a_module_to_its_new_name(trees: Trees, before: str, after: str) -> None:
    code = "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n"
    rest = "\ndef test_x(mocker):\n    mocker.patch('pkg.{}.sub')\n    assert add(1, 2) == 3\n"
    old = {"src/pkg/__init__.py": "", "src/pkg/calc.py": code, FILE: before + rest.format("calc")}
    new = {"src/pkg/__init__.py": "", "src/pkg/sums.py": code, FILE: after + rest.format("sums")}
    assert comparing.test_findings(trees(old, new)) == []


@pytest.mark.parametrize(
    "before, after",
    [
        ("@pytest.mark.skip\n" + ADDS, ADDS),
        (
            f"@pytest.mark.skipif(sys.platform == 'win32', reason='x')\n{ADDS}",
            f"@pytest.mark.skipif(WIN, reason='x')\n{ADDS}",
        ),
        (
            ADDS + "\ndef test_adds():\n    assert add(1, 1) == 2\n",
            ADDS + "\ndef test_ones():\n    assert add(1, 1) == 2\n",
        ),
        (
            "def test_a():\n    x = add(1)\n    assert x is not None\n    assert x == 3\n",
            "def test_a():\n    x = add(1)\n    assert x == 3\n",
        ),
        (
            "def test_a():\n    assert add(1) == 2\n    assert add(2) == 3\n",
            "def test_a():\n    assert add(2) == 3\n    assert add(1) == 2\n",
        ),
        (
            "def test_a():\n    for v in go():\n        assert v == 3\n",
            "def test_a():\n    for value in go():\n        assert value == 3\n",
        ),
        ("def test_a():\n    assert x and y\n", "def test_a():\n    assert x\n    assert y\n"),
    ],
)
def test_more_that_is_honest(trees: Trees, before: str, after: str) -> None:
    head = "import pytest\nfrom pkg.calc import add\n"
    assert found(trees, {FILE: head + before}, {FILE: head + after}) == []


def test_a_lost_check_is_told_as_a_person_would_write_it(trees: Trees) -> None:
    written = "assert.equal(total([], 'a . b'), 0)"
    before, after = (f"test('x', () => {{ {body} }})\n" for body in (written, "run()"))
    change = trees({"test/a.test.js": before}, {"test/a.test.js": after})
    [finding] = [each for each in comparing.test_findings(change) if each.rule == "test_weakened"]
    assert f"`{written}`" in finding.message.replace('"', "'")


METHODS = """import unittest
from pkg.stack import Stack
class StackTest(unittest.TestCase):
    def setUp(self):
        self.stack = Stack()
    def test_pop(self):
        self.stack.push(1)
        self.assertEqual(self.stack.pop(), 1)
"""
FUNCTION = """import pytest
from pkg.stack import Stack
@pytest.fixture
def stack():
    return Stack()
def test_pop(stack):
    stack.push(1)
    assert stack.pop() == {}
"""


def test_a_set_up_may_become_a_fixture(trees: Trees) -> None:
    before = {"tests/test_stack.py": METHODS}

    assert found(trees, before, {"tests/test_stack.py": FUNCTION.format(1)}) == []
    assert found(trees, before, {"tests/test_stack.py": FUNCTION.format(2)}) == ["test_deleted"]
