"""Two checks of any language are told apart: weaker, stricter, another expectation, or nothing but constants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.strength import Relation, relation, trivial

WEAKER = [
    ("assert f(1) == 3", "assert f(1) is not None"),
    ("assert f(1) == 3", "assert f(1)"),
    ("assert f(1) == 3", "assert f(1) >= 3"),
    ("assert f(1) == 3", "assert f(1) in (3, 4)"),
    ("assert f(1) == 3", "assert f(1) == 3 or g"),
    ("assert f(1) == 3", "assert f(1) == approx(3)"),
    ("assert f(1) == [1, 2]", "assert len(f(1)) == 2"),
    ("assert f(1) == [1, 2]", "assert isinstance(f(1), list)"),
    ("assert f(1)", "if ready: assert f(1)"),
    ("assert f(1) == approx(3, abs=0.1)", "assert f(1) == approx(3, abs=1)"),
    ("self.assertAlmostEqual(f(1), 2, places=5)", "self.assertAlmostEqual(f(1), 2, places=1)"),
    ("assert_allclose(f(1), 2, rtol=0.1)", "assert_allclose(f(1), 2, rtol=1)"),
    ("raises(ValueError): f(1)", "raises(Exception): f(1)"),
    ("raises(KeyError): f(1)", "raises((KeyError, TypeError)): f(1)"),
    ("raises(ValueError, match='x'): f(1)", "raises(ValueError): f(1)"),
    ("m.assert_called_once_with(1)", "m.assert_called_once()"),
    ("expect(f(1)).toBe(3)", "expect(f(1)).toBeTruthy()"),
    ("expect(f(1)).toBe(3)", "expect(f(1)).toBeDefined()"),
    ("expect(f(1)).toEqual([1])", "expect(f(1)).toHaveLength(1)"),
    ("expect(x).toBeCloseTo(3, 5)", "expect(x).toBeCloseTo(3, 1)"),
    ("expect(x).to.equal(3)", "expect(x).to.exist()"),
    ("assert.strictEqual(add(1), 3)", "assert.ok(add(1))"),
    ("assert_eq!(add(1, 2), 3)", "assert!(add(1, 2) > 0)"),
    ("assertEquals(3, add(1, 2))", "assertNotNull(add(1, 2))"),
    ("assertEquals(3, add(1, 2))", "assertTrue(add(1, 2) > 0)"),
    ("assertThat(add(1)).isEqualTo(3)", "assertThat(add(1)).isNotNull()"),
    ("assert.Equal(t, 3, Add(1, 2))", "assert.NotNil(t, Add(1, 2))"),
]
CHANGED = [
    ("assert f(1) == 3", "assert f(1) == 4"),
    ("assert f(1) == approx(3)", "assert f(1) == 4"),
    ("raises(ValueError, match='x'): f(1)", "raises(ValueError, match='y'): f(1)"),
    ("raises(ValueError): f(1)", "raises(OSError): f(1)"),
    ("expect(f(1)).toBe(3)", "expect(f(1)).toBe(4)"),
    ("expect(x).toBe(3)", "expect(x).not.toBe(3)"),
    ("assert_eq!(add(1, 2), 3)", "assert_eq!(add(1, 2), 4)"),
    ("assertEquals(3, add(1, 2))", "assertEquals(4, add(1, 2))"),
]
STRICTER = [
    ("assert f(1) == approx(3)", "assert f(1) == 3"),
    ("raises(LookupError): f(1)", "raises(KeyError): f(1)"),
    ("raises(ValueError): f(1)", "raises(ValueError, match='x'): f(1)"),
    *((weak, strong) for strong, weak in WEAKER if not strong.startswith(("raises((", "raises(Key"))),
]


@pytest.mark.parametrize("old, new", WEAKER)
def test_weaker(old: str, new: str) -> None:
    assert relation(old, new) is Relation.WEAKER


@pytest.mark.parametrize("old, new", CHANGED)
def test_as_strong_but_something_else(old: str, new: str) -> None:
    assert relation(old, new) is Relation.CHANGED


@pytest.mark.parametrize("old, new", STRICTER)
def test_stricter(old: str, new: str) -> None:
    assert relation(old, new) is Relation.STRICTER


@pytest.mark.parametrize(
    "text",
    [
        *("assert True", "assert x == x", "assert 1 + 1 == 2", "assert len(x) >= 0", "assert (x == 1, 'no')"),
        *("expect(true).toBe(true)", "expect(1).toBe(1)", "expect(true).toBeTruthy()", "expect(1 + 1).toBe(2)"),
        *("assert_eq!(1, 1)", "assert!(true)", "assertTrue(true)", "assertEquals(1, 1)", "assert.True(t, true)"),
    ],
)
def test_nothing_but_constants(text: str) -> None:
    assert trivial(text)


@pytest.mark.parametrize(
    "text",
    [
        *("assert False", "fail()", "assert f(1) == f(1)", "raises(ValueError): f(1)", "m.assert_called_once()"),
        *("check_all()", "assert_roundtrip(1)", "expect(x).toBe(3)", "expect(f()).toThrow()", "assert_eq!(f(), 1)"),
    ],
)
def test_something_that_the_code_decides(text: str) -> None:
    assert not trivial(text)


@given(st.text(), st.text())
def test_any_two_texts_have_a_relation(old: str, new: str) -> None:
    assert relation(f"assert {old}", f"expect({new})") in Relation
    assert relation(old, new) in Relation
