"""Python text as a syntax tree, read by one thread at a time. Nothing is run.

Python 3.11 counts how deep it is in a tree for all threads together: where one takes over while another parses, as it
may when garbage is collected, that raises SystemError (python/cpython#106905). Warnings are switched off for all, too.
"""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Literal

_ALONE = threading.RLock()


def module_of(text: str) -> ast.Module:
    """Raises what ast.parse does: SyntaxError, ValueError, RecursionError, MemoryError."""
    tree = _parsed(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def expression_of(text: str) -> ast.expr:
    """The same, of a single expression."""
    tree = _parsed(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def _parsed(text: str, mode: Literal["exec", "eval"]) -> ast.AST:
    with _ALONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode=mode)
