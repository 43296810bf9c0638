"""Python product code that ends the process it runs in, so that whatever would have failed after it is never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct
from andon.checks.tamper.product_names import Names

_HARD = {
    *("os._exit", "os.abort", "posix._exit", "posix.abort", "nt._exit"),
    *("faulthandler._sigsegv", "faulthandler._sigabrt"),
    *("faulthandler._fatal_error_c_thread", "faulthandler._stack_overflow", "ctypes.string_at"),
}
_OWN_PROCESS = {"os.getpid()", "os.getppid()", "os.getpgrp()", "os.getpgid()"}
_SOFT = {"sys.exit", "exit", "quit", "SystemExit"}
_REPLACING = re.compile(r"os\.exec[lv]p?e?")
_C_EXIT = re.compile(
    r"(?:ctypes\.)?(?:CDLL\(\)|PyDLL\(\)|cdll\.\w+|cdll\.LoadLibrary\(\)|pythonapi)"
    r"\.(?:_?_?exit|_Exit|abort|quick_exit|kill|raise_)$"
)


def exits(names: Names, command: bool) -> Iterator[Construct]:
    """`command`: the file is one that people start, and ends the process when it is done."""
    children = _forked(names)
    for node in names.nodes:
        name = ""
        if isinstance(node, ast.Call):
            name = names.dotted(node.func)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name):
            name = "SystemExit" if names.dotted(node.exc) == "SystemExit" else ""
        if not name or not isinstance(node, ast.Call | ast.Raise) or id(node) in children:
            continue
        where = names.functions.get(id(node), "the module")
        if handed := _handed_on(node, names):
            yield Construct("exits_process", f"has {name} call {handed}", f"{handed} in {where}", node.lineno)
        if _ends(node, name, names, command, id(node) in names.functions):
            yield Construct("exits_process", f"calls {name}", f"{name} in {where}", node.lineno)


def _ends(node: ast.Call | ast.Raise, name: str, names: Names, command: bool, inside: bool) -> bool:
    args = node.args if isinstance(node, ast.Call) else []
    if name in _HARD or _C_EXIT.search(name):
        return name != "ctypes.string_at" or (bool(args) and _success(args[0]))
    if name in ("os.kill", "os.killpg", "signal.pthread_kill"):
        return bool(args) and (bool(names.sources(args[0]) & _OWN_PROCESS) or _success(args[0]))
    if name == "faulthandler.dump_traceback_later":
        return isinstance(node, ast.Call) and any(each.arg == "exit" for each in node.keywords)
    if command:
        return False
    if _REPLACING.fullmatch(name) or name == "signal.raise_signal":
        return True
    return name in _SOFT and (not args or _success(args[0]) or (not inside and not _refuses(args[0])))


def _handed_on(node: ast.Call | ast.Raise, names: Names) -> str:
    """What ends the process and is given to another function, such as atexit.register, to be called later."""
    given = [*node.args, *(each.value for each in node.keywords)] if isinstance(node, ast.Call) else []
    handed = (names.dotted(each) for each in given if isinstance(each, ast.Name | ast.Attribute))
    return next((name for name in handed if name in _HARD and name != "ctypes.string_at"), "")


def _success(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False or node.value == 0)


def _refuses(node: ast.expr) -> bool:
    """A message or a number that says failure."""
    return isinstance(node, ast.JoinedStr | ast.BinOp) or (isinstance(node, ast.Constant) and bool(node.value))


def _forked(names: Names) -> set[int]:
    """Calls that only the child of a fork reaches."""
    found: set[int] = set()
    for node in names.nodes:
        if not isinstance(node, ast.If) or "os.fork()" not in names.sources(node.test):
            continue
        match node.test:
            case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=0)]) | ast.UnaryOp(op=ast.Not()):
                branch = node.body
            case ast.Compare(ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]) | ast.Name():
                branch = [*node.orelse, *node.body]
            case _:
                continue
        found.update(id(each) for part in branch for each in ast.walk(part))
    return found
