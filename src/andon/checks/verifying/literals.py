"""Literals of Python made into other ones, in place: where a test compares with them, and in its sets of parameters.

A test keeps its id: pytest names a set of parameters by its values, so a changed set is given the name it had.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def is_literal(node: ast.expr) -> bool:
    """A plain value, or a collection of nothing but literals, that can be changed into another one."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, (int, float, str, bytes)) and not isinstance(value, bool)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return all(_is_value(each) for each in elements)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and _is_value(key) for key in keys) and all(map(_is_value, values))
        case _:
            return False


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or is_literal(node)


def is_display(node: ast.expr) -> bool:
    return isinstance(node, _DISPLAYS)


def change_literal(node: ast.expr, chance: random.Random) -> None:
    """Plain values become others that are near them; collections get one element more, or one that is another."""
    match node:
        case ast.Constant():
            node.value = _another(node.value, chance)
        case ast.UnaryOp(operand=ast.Constant() as operand):
            operand.value = _another(operand.value, chance)
        case ast.List() | ast.Tuple() | ast.Set() if not _change_one(node.elts, chance):
            node.elts.append(_stranger(chance))
        case ast.Dict() if not _change_one(node.values, chance):
            node.keys.append(_stranger(chance))
            node.values.append(_stranger(chance))
        case _:
            pass


def _change_one(elements: Sequence[ast.expr], chance: random.Random) -> bool:
    """Half of the time: that finds out who compares lengths only; one element more, who compares as far as both go."""
    literals = [each for each in elements if is_literal(each)]
    if not literals or chance.random() < 0.5:
        return False
    change_literal(chance.choice(literals), chance)
    return True


def _stranger(chance: random.Random) -> ast.Constant:
    return ast.Constant(f"{chr(chance.randint(97, 122))}{chance.randint(1000, 9999)}")


def _another(value: object, chance: random.Random) -> int | float | str | bytes:
    """One that a lenient comparison would take for the same: the next number, a text of the same letters."""
    match value:
        case int() | float():
            near = value + chance.choice((1, -1))
            return near if near != value else value / 2
        case bytes():
            place = chance.randint(0, len(value))
            return value[:place] + bytes([chance.choice(value or b"x")]) + value[place:]
        case _:
            text = str(value)
            place, letters = chance.randint(0, len(text)), "".join(text.split()) or "x"
            return text[:place] + chance.choice(letters) + text[place:]


def change_parameters(node: Function, checks: Sequence[tuple[ast.expr, ast.expr]], chance: random.Random) -> bool:
    """Where a test compares with one of its parameters: that literal in every set. Else nothing is changed."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="parametrize") as mark,
                args=[named, ast.List() | ast.Tuple() as sets],
                keywords=[],
            ):
                names = _names(named)
                name = _compared_with(node, checks, names)
                by_name = ast.unparse(mark) == "pytest.mark.parametrize"
                rows = [_row(each, names, name, number) for number, each in enumerate(sets.elts)] if name else []
                good = [row for row in rows if row and (by_name or row.id is None)]
                if good and len(good) == len(rows):
                    sets.elts = [row.changed(chance) for row in good]
                    return True
            case _:
                pass
    return False


def _compared_with(node: Function, checks: Sequence[tuple[ast.expr, ast.expr]], names: Sequence[str]) -> str:
    """The parameter that checks compare with, and that serves for nothing else: what is fed in may well come out."""
    wanted = [name for sides in checks if (name := _parameter(sides, names))]
    used = [each.id for line in node.body for each in ast.walk(line) if isinstance(each, ast.Name)]
    return wanted[0] if len({*wanted}) == 1 and used.count(wanted[0]) == len(wanted) else ""


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str() as text):
            return [each.strip() for each in text.split(",")]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [each.value for each in elements if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        case _:
            return []


def _parameter(sides: tuple[ast.expr, ast.expr], names: Sequence[str]) -> str:
    found = [side.id for side in sides if isinstance(side, ast.Name) and side.id in names]
    return found[0] if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class _Row:
    """One set of parameters."""

    whole: ast.expr
    values: list[ast.expr]
    value: ast.expr
    """The one to change."""
    id: str | None
    """What it must be called from then on; None: it keeps its name by itself."""

    def changed(self, chance: random.Random) -> ast.expr:
        change_literal(self.value, chance)
        if self.id is None:
            return self.whole
        keyword = ast.keyword("id", ast.Constant(self.id))
        if isinstance(self.whole, ast.Call):
            self.whole.keywords.append(keyword)
            return self.whole
        return ast.Call(ast.Attribute(ast.Name("pytest", ast.Load()), "param", ast.Load()), self.values, [keyword])


def _row(whole: ast.expr, names: Sequence[str], wanted: str, number: int) -> _Row | None:
    """None: there is no literal to change, or how pytest names the set is not known."""
    named = False
    match whole:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="pytest"), attr="param"), args=values, keywords=keywords):
            named = any(each.arg == "id" for each in keywords)
        case ast.Tuple(elts=values) | ast.List(elts=values) if len(names) > 1:
            pass
        case _:
            values = [whole] if len(names) == 1 else []
    if len(values) != len(names) or not is_literal(value := values[names.index(wanted)]):
        return None
    if named or is_display(value):
        return _Row(whole, values, value, None)
    parts = [_told(each, name, number) for each, name in zip(values, names, strict=True)]
    id = "-".join(part for part in parts if part is not None)
    return _Row(whole, values, value, id) if id and None not in parts else None


def _told(value: ast.expr, name: str, number: int) -> str | None:
    """How pytest names it."""
    match value:
        case ast.Constant(value=str() | int() | float() | None as plain):
            return str(plain)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as plain)):
            return str(-plain)
        case _:
            return f"{name}{number}" if is_display(value) else None
