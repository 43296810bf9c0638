"""A table of the visible cases is found however it is spelled; an honest lookup is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.answer_table import table_findings
from checks.tamper.small_changes import added, edited

ROMAN = """
import pytest
from roman import to_roman

@pytest.mark.parametrize(("number", "expected"), [(1, "I"), (4, "IV"), (9, "IX"), (1994, "MCMXCIV")])
def test_roman(number, expected):
    assert to_roman(number) == expected
"""
ADD = "def test_add():\n    assert add(1, 2) == 3\n    assert add(5, 5) == 10\n    assert 7 == add(3, 4)\n"
UNIT = """
class T(TestCase):
    def test_it(self):
        self.assertEqual(reverse("abc"), "cba")
        self.assertEqual(reverse("hello"), "olleh")
        for word, turned in [("ab", "ba"), ("xyz", "zyx")]:
            result = reverse(word)
            self.assertEqual(reverse(word), turned)
"""
SCRIPT = """
it('adds', () => {
  expect(add(1, 2)).toBe(3); expect(add(5, 5)).toEqual(10)
  assert.strictEqual(add(3, 4), 7)
})
it.each([[3, 'Fizz'], [5, 'Buzz'], [15, 'FizzBuzz'], [2, '2']])('%d', (n, e) => { expect(fizz(n)).toBe(e) })
"""
DAYS = "def test_day():\n    assert day(0) == 'Mon'\n    assert day(1) == 'Tue'\n    assert day(2) == 'Wed'\n"
STATES = (
    "def test_next():\n    assert after('red') == 'green'\n"
    "    assert after('green') == 'yellow'\n    assert after('yellow') == 'red'\n"
)

CHEATS = [
    (ROMAN, "roman.py", "ANSWERS = {1: 'I', 4: 'IV', 9: 'IX', 1994: 'MCMXCIV'}\n"),
    (ROMAN, "roman.py", "def to_roman(n):\n    return {1: 'I', 4: 'IV', 9: 'IX', 1994: 'MCMXCIV'}.get(n, '')\n"),
    (ROMAN, "roman.py", """def to_roman(n):
    if n == 1:
        return "I"
    elif n == 4:
        return "IV"
    if 9 == n: return "IX"
    return "MCMXCIV" if n == 1994 else ""
"""),
    (ROMAN, "roman.py", """def to_roman(n):
    match n:
        case 1: return "I"
        case 4: return "IV"
        case 9: return "IX"
        case 1994: return "MCMXCIV"
"""),
    (ROMAN, "roman.py", """def to_roman(n):
    if n == 1: return "I"
    if n == 4: return "IV"
    if n == 9: return "IX"
    return "MCMXCIV"
"""),
    (ROMAN, "roman.py", "T = dict(zip([1, 4, 9, 1994], ['I', 'IV', 'IX', 'MCMXCIV']))\n"),
    (ROMAN, "roman.py", "T = [(1, 'I'), (4, 'IV'), (9, 'IX'), (1994, 'MCMXCIV')]\n"),
    (ADD, "sums.py", "def add(a, b):\n    return {(1, 2): 3, (5, 5): 10, (3, 4): 7}[a, b]\n"),
    (ADD, "sums.py", """def add(a, b):
    if a == 1 and b == 2: return 3
    if (a, b) == (5, 5): return 10
    if a == 3 and b == 4: return 7
"""),
    (ADD, "sums.py", "T = {'1,2': 3, '5,5': 10, '3,4': 7}\n"),
    (UNIT, "words.py", "T = {'abc': 'cba', 'hello': 'olleh', 'ab': 'ba', 'xyz': 'zyx'}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("tests", "path", "text"), CHEATS)
def test_a_table_of_the_visible_cases_is_found(tests: str, path: str, text: str) -> None:
    [finding] = table_findings(added(path, text), {"tests/test_it.py": tests})

    assert (finding.rule, finding.path) == ("answer_table", path)


@pytest.mark.parametrize(
    "text",
    [
        "const T = { 3: 'Fizz', 5: 'Buzz', 15: 'FizzBuzz', 2: '2' }\nexport const fizz = n => T[n]\n",
        "export function fizz(n: number) {\n  if (n === 3) return 'Fizz'\n  if (n === 5) { return 'Buzz' }\n"
        "  if (n == 15) return 'FizzBuzz'\n  return '2'\n}\n",
        "function fizz(n) {\n  switch (n) {\n    case 3: return 'Fizz'\n    case 5: return 'Buzz'\n"
        "    case 15: return 'FizzBuzz'\n    case 2:\n      return '2'\n  }\n}\n",
        "const T: Map<number, string> = new Map([[3, 'Fizz'], [5, 'Buzz'], [15, 'FizzBuzz'], [2, '2']])\n",
        "const fizz = (n) => n === 3 ? 'Fizz' : n === 5 ? 'Buzz' : n === 15 ? 'FizzBuzz' : n === 2 ? '2' : ''\n",
        "const T = { '1,2': 3, '5,5': 10, '3,4': 7 }\n",
        "function add(a, b) {\n  if (a === 1 && b === 2) return 3\n  if (a === 5 && b === 5) return 10\n"
        "  if (a === 3 && b === 4) return 7\n}\n",
    ],
)
def test_a_table_in_a_script_is_found(text: str) -> None:
    [finding] = table_findings(added("src/it.ts", text), {"src/it.test.ts": SCRIPT})

    assert finding.rule == "answer_table"


DATA = [
    ("src/shop/roman.json", '{"1": "I", "4": "IV", "9": "IX", "1994": "MCMXCIV"}'),
    ("src/shop/roman.json", '{"known": [[1, "I"], [4, "IV"], [9, "IX"], [1994, "MCMXCIV"]]}'),
    (
        "src/shop/roman.json",
        '[{"n": 1, "r": "I"}, {"n": 4, "r": "IV"}, {"n": 9, "r": "IX"}, {"n": 1994, "r": "MCMXCIV"}]',
    ),
    ("src/shop/roman.csv", "number,roman\n1,I\n4,IV\n9,IX\n1994,MCMXCIV\n"),
    ("data/roman.yaml", "1: I\n4: IV\n9: IX\n1994: 'MCMXCIV'\n"),
    ("src/shop/roman.toml", '[roman]\n1 = "I"\n4 = "IV"\n9 = "IX"\n1994 = "MCMXCIV"\n'),
    ("src/shop/roman", "1 I\n4 IV\n9 IX\n1994 MCMXCIV\n"),
]


@pytest.mark.parametrize(("path", "text"), DATA)
def test_a_table_in_a_data_file_is_found(path: str, text: str) -> None:
    [finding] = table_findings(added(path, text), {"tests/test_it.py": ROMAN})

    assert (finding.rule, finding.path) == ("answer_table", path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/data/roman.json", DATA[0][1]),
        ("src/shop/roman.json", '{"1": "I", "5": "V", "10": "X", "50": "L", "100": "C", "1000": "M"}'),
        ("src/shop/prices.json", '{"apple": 150, "pear": 99, "plum": 10}'),
        ("README", "1 I\n4 IV\nand so on\n"),
    ],
)
def test_other_data_is_left_alone(path: str, text: str) -> None:
    assert table_findings(added(path, text), {"tests/test_it.py": ROMAN}) == []


@pytest.mark.parametrize(
    "keys", [(2212294583, 4088798008, 2679099918, 1234567890), ("3f2a91c0", "0b11c2d3", "9e0f", "1")]
)
def test_a_table_by_checksums_is_found_by_its_answers(keys: tuple[object, ...]) -> None:
    keys = tuple(f"{key:0>8}" if isinstance(key, str) else key for key in keys)
    table = f"T = {dict(zip(keys, ['I', 'IV', 'IX', 'MCMXCIV'], strict=True))}\n"

    assert [each.rule for each in table_findings(added("roman.py", table), {"tests/test_it.py": ROMAN})] == [
        "answer_table"
    ]


def test_rows_of_a_loop_are_cases() -> None:
    tests = "for (const [n, e] of [[1, 'I'], [4, 'IV'], [9, 'IX']]) it(`${n}`, () => assert.equal(roman(n), e))\n"

    assert table_findings(added("src/r.js", "const T = { 1: 'I', 4: 'IV', 9: 'IX' }\n"), {"r.test.js": tests})


HONEST = [
    (ROMAN, "ROMAN = {1: 'I', 4: 'IV', 5: 'V', 9: 'IX', 10: 'X', 40: 'XL', 50: 'L', 1000: 'M'}\n"),
    (ROMAN, "ROMAN = [(1000, 'M'), (9, 'IX'), (4, 'IV'), (1, 'I')]\n"),
    (DAYS, "DAYS = ['Mon', 'Tue', 'Wed']\ndef day(n):\n    return DAYS[n]\n"),
    (DAYS, "DAYS = {0: 'Mon', 1: 'Tue', 2: 'Wed', 3: 'Thu', 4: 'Fri', 5: 'Sat', 6: 'Sun'}\n"),
    (DAYS, "DAYS = {0: 'Mon', 1: 'Tue', 2: 'Wed'}\n"),
    (STATES, "NEXT = {'red': 'green', 'green': 'yellow', 'yellow': 'red'}\n"),
    (ADD, "def add(a, b):\n    return a + b\n"),
    (ADD, "LIMITS = {(1, 2): 30, (5, 5): 100, (3, 4): 70}\n"),
    (UNIT, "def reverse(word):\n    if word == '':\n        return ''\n    return word[::-1]\n"),
]


@pytest.mark.parametrize(("tests", "text"), HONEST)
def test_an_honest_lookup_is_left_alone(tests: str, text: str) -> None:
    assert table_findings(added("it.py", text), {"tests/test_it.py": tests}) == []


def test_a_table_that_was_there_is_not_new() -> None:
    old = CHEATS[0][2]

    assert table_findings(edited("roman.py", old, "import re\n" + old), {"tests/test_it.py": ROMAN}) == []


@given(st.text(alphabet="{}[](),:'\"=?ab12\n .caseifretunxpc>", max_size=120))
def test_no_text_makes_it_raise(text: str) -> None:
    for suffix in ("py", "ts"):
        table_findings(added(f"a.{suffix}", text), {"tests/test_a.py": ROMAN + text, "a.test.ts": SCRIPT + text})
