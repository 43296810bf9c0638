"""Python product code that looks around for signs of a test run: modules, streams, how the interpreter was started."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct, shown
from andon.checks.tamper.product_names import Names

_THROUGH = {"sys.modules.values", "sys.modules.items", "sys.modules.keys", "sys.modules.copy"}
_ITERATES = {"list", "tuple", "set", "frozenset", "sorted", "dict", "iter", "len", "filter", "map", "enumerate"}
_STARTED = {"sys.orig_argv", "sys.flags.isolated", "sys.flags.safe_path"}
_STREAMS = {"sys.stdout", "sys.stderr", "sys.stdin"}
_NAMED = {"__name__", "__module__", "__qualname__"}
_INTERACTIVE = re.compile(r"ipykernel|OutStream|idlelib|Pseudo|colorama|google\.colab", re.IGNORECASE)


def surroundings(names: Names) -> Iterator[Construct]:
    """Only of files that people do not start: those ask for many things before they begin."""
    for node in names.nodes:
        told = _told(node, names)
        if told and isinstance(node, ast.expr):
            yield Construct("knows_tests", told, f"{told}: {shown(ast.unparse(node))}", node.lineno)


def _told(node: ast.AST, names: Names) -> str:
    match node:
        case ast.Call(func=func, args=args):
            name = names.dotted(func)
            through = name in _ITERATES and any(names.dotted(each) == "sys.modules" for each in args)
            if name in _THROUGH or through:
                return "looks through all modules that are loaded"
            return _kind_of_stream(node, names)
        case ast.GeneratorExp(generators=parts) | ast.ListComp(generators=parts) | ast.SetComp(generators=parts):
            over = any(names.dotted(each.iter) == "sys.modules" for each in parts)
            return "looks through all modules that are loaded" if over else ""
        case ast.Attribute() if names.dotted(node) in _STARTED:
            return f"asks for {names.dotted(node)}"
        case ast.Compare():
            return _kind_of_stream(node, names)
        case _:
            return ""


def _kind_of_stream(node: ast.AST, names: Names) -> str:
    walked = [*ast.walk(node)]
    named = any(isinstance(each, ast.Attribute) and each.attr in _NAMED for each in walked)
    texts = [text for each in walked if isinstance(each, ast.Constant) and (text := names.text(each))]
    if not named or not texts or any(map(_INTERACTIVE.search, texts)) or not names.sources(node) & _STREAMS:
        return ""
    return "asks what the streams of the process are"
