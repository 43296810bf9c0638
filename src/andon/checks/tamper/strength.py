"""How strong one check is against another, told from their texts: of any language, as far as its words are known.

Knows nothing of tests or files. Where two checks have nothing in common it says so, and whoever asks decides.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from andon.checks.python_syntax import expression_of
from andon.checks.tamper.python_names import literal, source
from andon.checks.tamper.python_truth import truth


class Strength(IntEnum):
    NOTHING = 0
    """It holds whatever the code does."""
    EXISTS = 1
    """Truthy, defined, not null, does not throw."""
    PART = 2
    """Contains, matches, is of a type, is greater."""
    CLOSE = 3
    EQUAL = 4


class Relation(StrEnum):
    SAME = "same"
    STRICTER = "stricter"
    WEAKER = "weaker"
    CHANGED = "changed"
    """About the same thing, and as strong, but something else is expected."""
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Check:
    strength: Strength
    subjects: tuple[str, ...]
    """What it is about: of a comparison all that is no literal."""
    expected: str = ""
    negated: bool = False
    tolerance: float | None = None
    wrapped: bool = False
    """Only something about the subject is asked: its length, its type, its text."""


_WRAPPED = re.compile(
    r"(?:len|set|sorted|str|bool|type|repr|round|int|abs|list|any|all|isinstance|hasattr|callable)\((.+)\)"
)
_TAIL = re.compile(r"(.+?)(?:\.(?:length|size|size\(\)|len\(\)|is_some\(\)|is_ok\(\)|isEmpty\(\)|is_empty\(\)))")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_QUOTED = re.compile(r"""(['"`])(?:(?!\1).)*\1""")
_VALUE = re.compile(r"\b(?:true|false|null|none|nil|undefined)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W\d]")
_WORDS: tuple[tuple[Strength, str], ...] = (
    (Strength.CLOSE, r"(?:to)?(?:be)?(?:closeto|indelta|inepsilon|iscloseto|almostequals?|allclose|approx\w*)"),
    (
        Strength.EQUAL,
        r"(?:to)?(?:be)?(?:strictly|deeply|deep|array)?(?:equals?|eq|eql|same|is|isequalto|equalto"
        r"|strictequal|deepequal|deepstrictequal|deepequals|issameas|containsexactly|bytrueequal|array_equal|arrayequals"
        r"|iterableequals|jsoneq|calledoncewith|havebeencalledoncewith|havebeenlastcalledwith)?",
    ),
    (
        Strength.EXISTS,
        r"(?:to)?(?:be)?(?:truthy|defined|ok|exists?|true|notnull|notnil|isnotnull|notnone|noerror"
        r"|doesnotthrow|called|havebeencalled|notempty|isnotempty|isok|issome)",
    ),
)
_PREFIX = re.compile(
    r"(?:t\.|assert(?:ions)?\.|require\.|self\.|chai\.|expect\.)?(?:debug_)?(?:assert)?_?(?P<word>\w+?)!?$"
)


def relation(old: str, new: str) -> Relation:
    """What the new text is to the old one."""
    if old == new:
        return Relation.SAME
    if new.endswith(f": {old}"):
        return Relation.WEAKER
    if old.endswith(f": {new}"):
        return Relation.STRICTER
    if "raises(" in old[:80] and "raises(" in new[:80]:
        return _raised(old, new)
    first, second = read_check(old), read_check(new)
    if second.strength is Strength.NOTHING and first.strength is not Strength.NOTHING:
        return Relation.UNRELATED
    if not _shared(first, second):
        return Relation.UNRELATED
    return _related(first, second)


def trivial(text: str) -> bool:
    return read_check(text).strength is Strength.NOTHING


def _shared(first: Check, second: Check) -> bool:
    return bool({*first.subjects} & {*second.subjects})


def _related(old: Check, new: Check) -> Relation:
    if old.negated != new.negated:
        return Relation.CHANGED if old.strength == new.strength else _by_strength(old, new)
    if not old.wrapped and new.wrapped and new.strength <= old.strength:
        return Relation.WEAKER
    if old.wrapped and not new.wrapped and new.strength >= old.strength:
        return Relation.STRICTER
    numeric = Strength.CLOSE in (old.strength, new.strength)
    if numeric and min(old.strength, new.strength) >= Strength.CLOSE and not _same_value(old.expected, new.expected):
        return Relation.CHANGED
    if old.strength == new.strength:
        if old.strength is Strength.CLOSE and old.tolerance is not None and new.tolerance is not None:
            wider = new.tolerance > old.tolerance
            return Relation.WEAKER if wider else Relation.STRICTER if new.tolerance < old.tolerance else Relation.SAME
        same = old.expected == new.expected and {*old.subjects} == {*new.subjects}
        return Relation.SAME if same and old.tolerance == new.tolerance else Relation.CHANGED
    return _by_strength(old, new)


def _by_strength(old: Check, new: Check) -> Relation:
    return Relation.WEAKER if new.strength < old.strength else Relation.STRICTER


def _same_value(first: str, second: str) -> bool:
    if first == second:
        return True
    known, value = literal(first)
    other_known, other = literal(second)
    return known and other_known and value == other


def read_check(text: str) -> Check:
    if text.startswith("assert "):
        return _condition(text.removeprefix("assert "))
    return _call(text)


# --- conditions

_NAMING = ast.Name | ast.Call | ast.Attribute | ast.Await


def _condition(text: str) -> Check:
    if truth(text) is True:
        return Check(Strength.NOTHING, ())
    try:
        node = expression_of(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Check(Strength.PART, (text,))
    if truth(text) is None and not any(isinstance(each, _NAMING) for each in ast.walk(node)):
        return Check(Strength.NOTHING, ())
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    if isinstance(node, ast.UnaryOp) and negated:
        node = node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _comparison(node, negated)
    if isinstance(node, ast.BoolOp):
        subjects = [subject for each in node.values for subject in _condition(source(each)).subjects]
        return Check(Strength.EXISTS, tuple(subjects), source(node), negated)
    inner, wrapped = _unwrapped(source(node))
    if isinstance(node, ast.Call) and source(node.func) == "isinstance" and len(node.args) == 2:
        return Check(Strength.PART, (source(node.args[0]),), source(node.args[1]), negated, wrapped=True)
    return Check(Strength.EXISTS, inner, "", negated, wrapped=wrapped)


def _comparison(node: ast.Compare, negated: bool) -> Check:
    op, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(op, ast.In | ast.NotIn):
        subjects, wrapped = _unwrapped(source(right))
        negated = negated != isinstance(op, ast.NotIn)
        kept = subjects if not literal(source(right))[0] else (source(left),)
        return Check(Strength.PART, kept, f"{source(left)} in {source(right)}", negated, wrapped=wrapped)
    for this, other in ((left, right), (right, left)):
        if isinstance(this, ast.Call) and source(this.func).rpartition(".")[2] == "approx" and this.args:
            return Check(Strength.CLOSE, (source(other),), source(this.args[0]), negated, _approx(this))
    sides = [source(left), source(right)]
    named = [each for each in sides if not literal(each)[0]] or sides
    subjects, wrapped = _unwrapped(named[0])
    subjects += tuple(named[1:])
    expected = sides[1] if named[0] == sides[0] else sides[0]
    if isinstance(op, ast.Is | ast.IsNot | ast.NotEq) and expected == "None" and not isinstance(op, ast.Is):
        return Check(Strength.EXISTS, subjects, "", negated, wrapped=wrapped)
    if isinstance(op, ast.Eq | ast.Is):
        return Check(Strength.EQUAL, subjects, expected, negated, wrapped=wrapped)
    return Check(Strength.PART, subjects, f"{type(op).__name__} {expected}", negated, wrapped=wrapped)


def _approx(call: ast.Call) -> float:
    """As a share of one: only ever compared with another of the same kind of check."""
    words = {each.arg: literal(source(each.value))[1] for each in call.keywords}
    places = zip(("rel", "abs"), call.args[1:], strict=False)
    words |= {name: literal(source(each))[1] for name, each in places}
    given = [float(each) for each in words.values() if isinstance(each, int | float)]
    return max(given, default=1e-6)


def _unwrapped(text: str) -> tuple[tuple[str, ...], bool]:
    """What it is about, and whether that is only asked for something: `len(x)` is about x, and about `len(x)`."""
    match = _WRAPPED.fullmatch(text) or _TAIL.fullmatch(text)
    if match is None:
        return (text,), False
    return (text, _split(match.group(1))[0]), True


# --- calls


def _call(text: str) -> Check:
    """`expect(x).toBe(3)`, `assert_eq!(x, 3)`, `assertEquals(3, x)`, `m.assert_called_once_with(1)`."""
    links = [*_links(text)]
    if not links:
        return Check(Strength.PART, (text,))
    names = [name for name, _ in links]
    last, given = links[-1]
    negated = any(re.search(r"(?:^|\.)(?:not|rejects)$", part) for name in names for part in (name.rpartition(".")[0],))
    first = links[0][1]
    chained = len(links) > 1
    subjects = [*first, *(() if chained else given)] if chained else [*given]
    subjects = [each for each in subjects if not _constant(each) and each not in ("t", "self")]
    word = last if chained else names[0]
    expected = ", ".join(each for each in given if _constant(each) or chained)
    if not chained and "assert_" in word and "." in word:
        return Check(_mock_strength(word), (word.rpartition(".")[0],), ", ".join(given))
    strength = _word_strength(word, has_expected=chained or len(given) > 1)
    if strength is not Strength.PART and not subjects:
        values = [each for each in (*first, *(given if chained else ())) if each != "t"]
        return Check(Strength.NOTHING if _holds(values) else strength, (text,))
    if strength is Strength.EXISTS and not chained and len(subjects) == 1 and re.search(r"[=!<>]=|[<>]", subjects[0]):
        inner = re.sub(r"([=!])==", r"\1=", subjects[0])
        return _condition(inner)
    if strength is Strength.CLOSE:
        expected = expected.partition(",")[0]
    flat = tuple(part for each in subjects for part in _unwrapped(each)[0])
    wrapped = bool(subjects) and _unwrapped(subjects[0])[1]
    return Check(strength, flat, expected, negated, _tolerance(strength, word, given), wrapped)


def _mock_strength(word: str) -> Strength:
    kind = word.rpartition(".")[2]
    return Strength.EQUAL if "_with" in kind or "calls" in kind or "any_call" in kind else Strength.EXISTS


def _word_strength(word: str, has_expected: bool) -> Strength:
    bare = word.rpartition(".")[2]
    match = _PREFIX.match(bare)
    plain = (match.group("word") if match else bare).replace("_", "").lower()
    if re.fullmatch(r"(?:debug)?assert!?", bare):
        return Strength.EXISTS
    for strength, pattern in _WORDS:
        if plain and re.fullmatch(pattern, plain) and (strength is not Strength.EQUAL or has_expected or plain != "is"):
            return strength
    return Strength.EQUAL if plain == "tobe" and has_expected else Strength.PART


def _holds(values: list[str]) -> bool:
    """Whether a check of nothing but constants holds: one that always fails, like `assert False`, says something."""
    if len(values) < 2:
        return not values or values[0].lower() not in ("false", "null", "undefined", "0", "nil", "none")
    return values[0] == values[1] or not all(_plain(each) for each in values[:2])


def _tolerance(strength: Strength, word: str, given: list[str]) -> float | None:
    if strength is not Strength.CLOSE:
        return None
    numbers = [each.partition("=")[2].strip() if "=" in each else each for each in given]
    found = [float(each) for each in numbers if _NUMBER.fullmatch(each)]
    places = re.search(r"almost|closeto", word, re.IGNORECASE) and not any("delta" in each for each in given)
    named = [each for each in given if re.match(r"(?:places|decimal|delta|rtol|atol|rel|abs)\s*=", each)]
    value = found[-1] if found and (named or len(found) > 1) else None
    if value is None:
        return 10**-7 if places else 1e-7
    return 10.0**-value if places and value == int(value) and abs(value) < 100 else value


def _links(text: str) -> Iterator[tuple[str, list[str]]]:
    """The calls of a chain, each with its name and its arguments."""
    place = 0
    while (start := text.find("(", place)) >= 0:
        end = _closing(text, start)
        if end < 0:
            return
        yield text[place:start].strip().strip("."), [each for each in _split(text[start + 1 : end]) if each]
        place = end + 1


def _closing(text: str, start: int) -> int:
    depth = 0
    place = start
    while place < len(text):
        each = text[place]
        if each in "'\"`":
            end = text.find(each, place + 1)
            if end < 0:
                return -1
            place = end
        depth += (each in "([{") - (each in ")]}")
        if depth == 0:
            return place
        place += 1
    return -1


def _split(text: str) -> list[str]:
    """Arguments, at the commas that stand outside of all brackets and quotes."""
    found, depth, start, place = list[str](), 0, 0, 0
    while place < len(text):
        each = text[place]
        if each in "'\"`":
            end = text.find(each, place + 1)
            place = end if end >= 0 else len(text)
        elif each in "([{":
            depth += 1
        elif each in ")]}":
            depth -= 1
        elif each == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
        place += 1
    return [each for each in (*found, text[start:].strip()) if each] or [text]


def _constant(text: str) -> bool:
    """Whether no name stands in it: a value, or a sum of values."""
    plain = text.strip()
    if not plain or literal(plain)[0]:
        return True
    bare = _QUOTED.sub("", plain)
    return not _IDENTIFIER.search(_VALUE.sub("", bare))


def _plain(text: str) -> bool:
    return bool(
        _NUMBER.fullmatch(text) or _QUOTED.fullmatch(text) or _VALUE.fullmatch(text.lower()) or literal(text)[0]
    )


# --- exceptions

_RAISES = re.compile(r"raises\((?P<what>.*?)(?:, match=(?P<match>.*?))?\)(?=:|$)(?P<rest>.*)", re.DOTALL)


def _raised(old: str, new: str) -> Relation:
    first, second = _RAISES.search(old), _RAISES.search(new)
    if first is None or second is None:
        return Relation.UNRELATED
    if first["rest"] != second["rest"]:
        return Relation.CHANGED if first["what"] == second["what"] else Relation.UNRELATED
    broader, narrower = _covers(second["what"], first["what"]), _covers(first["what"], second["what"])
    if first["match"] and not second["match"]:
        return Relation.WEAKER
    if first["match"] and first["match"] != second["match"]:
        return Relation.CHANGED
    if first["what"] == second["what"]:
        return Relation.STRICTER
    return Relation.WEAKER if broader else Relation.STRICTER if narrower else Relation.CHANGED


def _covers(wide: str, narrow: str) -> bool:
    """Whether every exception the narrow text names is one that the wide text takes."""
    wides, narrows = (
        [each.strip().rpartition(".")[2] for each in text.strip("()").split(",") if each.strip()]
        for text in (wide, narrow)
    )
    return all(any(_is_kind(each, other) for other in wides) for each in narrows)


def _is_kind(name: str, other: str) -> bool:
    if name == other or other in ("Exception", "BaseException"):
        return True
    this, that = getattr(builtins, name, None), getattr(builtins, other, None)
    return isinstance(this, type) and isinstance(that, type) and issubclass(this, that)
