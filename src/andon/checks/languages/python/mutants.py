"""Makes mutants of Python functions. Text in, mutants out; nothing runs here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from andon.checks.mutants import Kind, Mutant
from andon.checks.python_syntax import module_of

Function = ast.FunctionDef | ast.AsyncFunctionDef

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: (r"==", "!="),
    ast.NotEq: (r"!=", "=="),
    ast.Lt: (r"<", ">="),
    ast.LtE: (r"<=", "<"),
    ast.Gt: (r">", "<="),
    ast.GtE: (r">=", ">"),
    ast.In: (r"\bin\b", "not in"),
    ast.NotIn: (r"\bnot\s+in\b", "in"),
    ast.Is: (r"\bis\b", "is not"),
    ast.IsNot: (r"\bis\s+not\b", "is"),
}
_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: (r"/", "*"),
    ast.FloorDiv: (r"//", "/"),
    ast.Mod: (r"%", "*"),
    ast.Pow: (r"\*\*", "*"),
    ast.BitAnd: (r"&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.BitXor: (r"\^", "&"),
    ast.LShift: (r"<<", ">>"),
    ast.RShift: (r">>", "<<"),
}


def make_mutants(path: str, text: str) -> list[Mutant]:
    """Every mutant of every function of a file; none of a text that this Python cannot read."""
    try:
        tree = module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    source = _Source(path, text)
    return [mutant for name, function in _functions(tree) for mutant in source.mutants(name, function)]


def _functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, Function]]:
    """Those of modules and classes. What stands inside a function is a part of it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{owner}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ExceptHandler):
            yield from _functions(node, owner)


class _Source:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._data = text.encode()
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def mutants(self, name: str, function: Function) -> Iterator[Mutant]:
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        for piece in _Pieces(self, function).all():
            yield Mutant(self._path, name, first, piece.start, piece.end, piece.new, piece.kind)

    def start(self, node: ast.stmt | ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.stmt | ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, start: int, end: int) -> str:
        return self._data[start:end].decode("utf-8", "replace")

    def between(self, left: ast.expr, right: ast.expr, pattern: str) -> tuple[int, int] | None:
        """Where the operator between two operands stands."""
        begin = self.end(left)
        gap = self.text(begin, self.start(right))
        match = None if "#" in gap else re.search(pattern, gap)
        if match is None:
            return None
        before = len(gap[: match.start()].encode())
        return begin + before, begin + before + len(match[0].encode())


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    new: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What of one function can be written otherwise."""

    source: _Source
    function: Function

    def all(self) -> Iterator[_Piece]:
        body = self.function.body
        docstring = ast.get_docstring(self.function, clean=False) is not None
        first = body[1] if docstring and len(body) > 1 else body[0]
        if docstring and len(body) == 1:
            return
        at = self.source.start(first)
        for decorator in getattr(first, "decorator_list", ()):
            at = min(at, self.source.start(decorator) - 1)
        own_line = first.lineno != self.function.lineno
        ending = "\n" + " " * first.col_offset if own_line else "; "
        if not _does_nothing(first, alone=first is body[-1]):
            yield _Piece(at, at, f"return{ending}", Kind.HOLLOW)
        yield _Piece(at, at, f"raise RuntimeError{ending}", Kind.RAISING)
        for statement in body[docstring:]:
            yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[_Piece]:
        match node:
            case ast.JoinedStr():
                return  # before 3.12 nobody tells where its parts stand
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield self._instead(value, "None", Kind.RESULT)
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield self._instead(test, f"(not ({self._text(test)}))", Kind.CONDITION)
            case ast.Expr(value=ast.Call() as called):
                yield self._instead(called, "None", Kind.CALL)
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Compare():
                yield from self._compared(node)
            case ast.BoolOp(op=operator, values=[left, right, *_]):
                old, new = (r"\band\b", "or") if isinstance(operator, ast.And) else (r"\bor\b", "and")
                yield from self._between(left, right, old, new, Kind.CONDITION)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield _Piece(self.source.start(node), self.source.start(operand), "", Kind.CONDITION)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                yield from self._between(left, right, *_OPERATORS[type(operator)], Kind.OPERATOR)
            case ast.AugAssign(target=target, op=operator, value=value) if type(operator) in _OPERATORS:
                old, new = _OPERATORS[type(operator)]
                yield from self._between(target, value, old, new, Kind.OPERATOR)
            case ast.Constant(value=value):
                yield from self._constant(node, value)
                return
            case _:
                pass
        for child in _children(node):
            yield from self._of(child)

    def _compared(self, node: ast.Compare) -> Iterator[_Piece]:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            yield from self._between(left, right, *_COMPARISONS[type(operator)], Kind.COMPARISON)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str, kind: Kind) -> Iterator[_Piece]:
        if place := self.source.between(left, right, old):
            yield _Piece(*place, new, kind)

    def _constant(self, node: ast.Constant, value: object) -> Iterator[_Piece]:
        match value:
            case bool():
                yield self._instead(node, str(not value), Kind.CONSTANT)
            case int() | float():
                yield self._instead(node, f"({self._text(node)} + 1)", Kind.CONSTANT)
            case str():
                yield self._instead(node, "''" if value else "'x'", Kind.CONSTANT)
            case bytes():
                yield self._instead(node, "b''" if value else "b'x'", Kind.CONSTANT)
            case _:
                return

    def _instead(self, node: ast.expr, new: str, kind: Kind) -> _Piece:
        return _Piece(self.source.start(node), self.source.end(node), new, kind)

    def _text(self, node: ast.expr) -> str:
        return self.source.text(self.source.start(node), self.source.end(node))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Those that run when the node runs: no annotations, and of inner functions and classes the bodies only."""
    match node:
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body) | ast.ClassDef(body=body):
            yield from body
        case ast.AnnAssign(value=value):
            if value is not None:
                yield value
        case ast.Match(subject=subject, cases=cases):
            yield subject
            for case in cases:
                yield from case.body
        case _:
            yield from ast.iter_child_nodes(node)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _does_nothing(statement: ast.stmt, *, alone: bool) -> bool:
    """Whether a function that returns at once is the same function."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Return(value=None):
            return alone
        case ast.Return(value=ast.Constant(value=None)):
            return True
        case _:
            return False
