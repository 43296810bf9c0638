"""Python product code that finds out who called it: from frames, from tracebacks, or from what tells of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct
from andon.checks.tamper.product_names import Names

_FRAMES = {
    *("sys._getframe", "sys._current_frames", "sys._getframemodulename", "inspect.stack", "inspect.currentframe"),
    *("inspect.getouterframes", "inspect.getinnerframes", "inspect.trace", "inspect.getframeinfo", "inspect.getsource"),
    *("inspect.getsourcelines", "inspect.getsourcefile", "inspect.findsource", "traceback.extract_stack"),
    *("traceback.walk_stack", "linecache.getlines", "gc.get_referrers", "traceback.StackSummary.extract"),
    *("logging.currentframe", "sys._current_exceptions"),
}
_TO_A_FILE = {"traceback.print_stack", "faulthandler.dump_traceback"}
"""Shows a stack to people, unless it is told where to."""
_PARTS = ("f_back", "f_locals")
"""What leads to the caller; the rest of a frame is also what shows an exception to people."""


def frames(names: Names) -> Iterator[Construct]:
    for node in names.nodes:
        if isinstance(node, ast.Call):
            if told := _called(node, names):
                yield Construct("reads_frames", f"calls {told}", told, node.lineno)
        elif isinstance(node, ast.Attribute) and node.attr in _PARTS:
            yield Construct("reads_frames", f"reads {node.attr}", node.attr, node.lineno)
    yield from _warned(names)


def _called(node: ast.Call, names: Names) -> str:
    name = names.dotted(node.func)
    if name in _FRAMES or name.endswith(".findCaller"):
        return name
    if name in _TO_A_FILE and any(each.arg == "file" for each in node.keywords):
        return name
    if name in ("getattr", "object.__getattribute__", "operator.attrgetter", "operator.methodcaller"):
        texts = [names.text(each) or "" for each in node.args]
        return next((f"{name} of {part}" for part in _PARTS for text in texts if part in text.split(".")), "")
    return ""


def _warned(names: Names) -> Iterator[Construct]:
    """A warning that is kept tells whose line it is for: the caller's."""
    calls = [each for each in names.nodes if isinstance(each, ast.Call)]
    given = {names.dotted(each.func): each for each in calls if any(word.arg == "stacklevel" for word in each.keywords)}
    keeps = [each for each in calls if names.dotted(each.func) == "warnings.catch_warnings" and each.keywords]
    looked = any(isinstance(each, ast.Attribute) and each.attr in ("filename", "lineno") for each in names.nodes)
    if "warnings.warn" in given and keeps and looked:
        yield Construct("reads_frames", "keeps a warning to see whose it is", "catch_warnings", keeps[0].lineno)
