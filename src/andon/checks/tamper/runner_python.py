"""Python product code that reaches into the test runner, the interpreter under it, or the results it writes."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct, shown
from andon.checks.tamper.product_names import Names

_OWNED = (
    "pytest",
    "_pytest",
    "unittest",
    "pluggy",
    "doctest",
    "hypothesis",
    "nose",
    "coverage",
    "xdist",
    "builtins",
    "__main__",
)
_OWNED_TOO = ("operator", "math", "filecmp", "difflib", "importlib", "inspect", "AssertionError", "BaseException")
_IMPORTED = re.compile(r"(?:_?pytest|unittest\.mock|mock|xdist|iniconfig|pluggy\._\w+)(?:\.|$)")
_HOOK = re.compile(r"pytest_[a-z_]+$")
_CALLS = {
    *(
        "gc.get_objects",
        "gc.get_referents",
        "sys.settrace",
        "sys.setprofile",
        "threading.settrace",
        "threading.setprofile",
    ),
    *("threading.settrace_all_threads", "sys.monitoring.register_callback", "sys.addaudithook"),
    *("unittest.mock.patch", "unittest.mock.patch.object", "forbiddenfruit.curse"),
}
_REPORT = re.compile(
    r"junit[\w.-]*\.xml$|(?:^|/)TEST-[\w.-]*\.xml$|test[-_]?(?:results?|reports?)\b|\.pytest_cache|lastfailed"
    r"|(?:^|/)\.coverage$|(?:^|/)coverage\.(?:xml|json)$|(?:^|/)report\.xml$|pytest[\w.-]*\.(?:xml|json)$",
    re.IGNORECASE,
)
_STREAMS = ("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__", "sys.excepthook")
_STREAM_NAMES = {each.removeprefix("sys.") for each in _STREAMS}
_MEMORY = re.compile(r"ctypes\.(?:mem(?:move|set)|cast|(?:\w+|\w+\(\))\.from_address)$")
_ROOTS = {"object", "type", "Exception", "BaseException"}
_ABOVE = re.compile(r"\.__(?:base|bases|mro)__\b|\.mro\(\)")
_HARMLESS = {"_", "ngettext"}
"""What gettext puts among the builtins."""


def patches(names: Names, *, free: bool, command: bool) -> Iterator[Construct]:
    """`free`: the file is there for tests or starts them, so it may import their tools."""
    if not free:
        yield from _imports(names)
    streams = any(isinstance(each, ast.Attribute) and each.attr in _STREAM_NAMES for each in names.nodes)
    functions = [each for each in names.nodes if streams and isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    restored = {id(part) for each in functions if _restores(each, names) for part in ast.walk(each)}
    for node in names.nodes:
        if isinstance(node, ast.Call):
            yield from _called(node, names)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            yield from _assigned(node, names, quiet=command or id(node) in restored, inside=id(node) in names.functions)
        elif isinstance(node, ast.FunctionDef) and _HOOK.match(node.name) and not free:
            yield Construct("patches_runner", f"defines pytest's hook {node.name}", node.name, node.lineno)
        elif isinstance(node, ast.ClassDef) and node.name == "AssertionError":
            yield Construct("patches_runner", "replaces AssertionError", "AssertionError", node.lineno)


def _imports(names: Names) -> Iterator[Construct]:
    typing_only = {id(part) for each in names.nodes if _type_checking(each) for part in ast.walk(each)}
    for node in names.nodes:
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
        found = next((each for each in modules if _IMPORTED.match(each)), "")
        if found and id(node) not in typing_only:
            yield Construct("patches_runner", f"imports {found}", f"import {found}", getattr(node, "lineno", 0))


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).removeprefix("typing.") == "TYPE_CHECKING"


def _called(node: ast.Call, names: Names) -> Iterator[Construct]:
    name = names.dotted(node.func)
    if name in _CALLS or name.startswith("ctypes.pythonapi.") or _all_classes(name):
        yield Construct("patches_runner", f"calls {name}", name, node.lineno)
    elif _MEMORY.match(name) and any("id()" in names.sources(each) for each in node.args):
        yield Construct("patches_runner", f"changes objects in memory with {name}", name, node.lineno)
    elif name in ("setattr", "delattr") and node.args and _loaded(node.args[0], names):
        yield Construct("patches_runner", "changes a module it looked up", shown(ast.unparse(node)), node.lineno)
    elif name in ("setattr", "delattr", "type.__setattr__", "object.__setattr__") and len(node.args) > 1:
        yield from _owned(names.dotted(node.args[0]), names.text(node.args[1]) or "…", node.lineno)
    elif name.endswith((".__dict__.update", ".__dict__.setdefault")) or name in (
        "vars().update",
        "__builtins__.update",
    ):
        yield from _owned(name.partition(".__dict__")[0].removesuffix(".update"), "…", node.lineno)
    elif name in ("pluggy.HookimplMarker", "pluggy.HookspecMarker", "pluggy.PluginManager"):
        if any(names.text(each) == "pytest" for each in node.args):
            yield Construct("patches_runner", "hooks into pytest", name, node.lineno)
    elif name in ("sys.meta_path.insert", "sys.meta_path.append", "sys.path_hooks.insert", "sys.path_hooks.append"):
        yield Construct("patches_runner", f"calls {name}: other modules are found", name, node.lineno)
    elif path := _written(node, name, names):
        yield Construct("patches_runner", f"writes test results to {shown(path)}", f"writes {shown(path)}", node.lineno)


def _all_classes(name: str) -> bool:
    """Every class there is, those of the runner too; the subclasses of a class of one's own are another matter."""
    owner, dot, method = name.rpartition(".")
    return (
        bool(dot)
        and method == "__subclasses__"
        and (owner in _ROOTS or owner.partition(".")[0] in _OWNED or _ABOVE.search(owner) is not None)
    )


def _loaded(node: ast.expr, names: Names) -> bool:
    """Whether it is of a module that was looked up among those loaded, or by a function of it; not of one's own."""
    sources = names.sources(node)
    looked_up = any(each.startswith("sys.modules") or each.endswith(".__globals__") for each in sources)
    return looked_up and "__name__" not in sources


def _written(node: ast.Call, name: str, names: Names) -> str:
    """The file of results that a call writes."""
    texts = [names.text(each) for each in (*node.args, *(each.value for each in node.keywords))]
    if name in ("open", "io.open", "codecs.open", "os.open"):
        mode = next((each for each in texts[1:] if each), "")
        path = texts[0] if any(letter in mode for letter in "wax+") else ""
    elif isinstance(node.func, ast.Attribute) and node.func.attr in ("write_text", "write_bytes", "open", "touch"):
        base = node.func.value
        parts = [names.text(each) for each in ast.walk(base) if isinstance(each, ast.Constant | ast.Name)]
        path = next((part for part in parts if part and _REPORT.search(part)), "")
        if node.func.attr == "open" and not any(each and any(c in each for c in "wax+") for each in texts):
            path = ""
    elif name in ("shutil.copy", "shutil.copyfile", "shutil.move", "os.rename", "os.replace") and len(texts) > 1:
        path = texts[1]
    else:
        return ""
    return path if path and _REPORT.search(path) else ""


def _owned(owner: str, attribute: str, line: int) -> Iterator[Construct]:
    root = owner.partition(".")[0].removesuffix("()")
    if owner.startswith("mock.patch"):
        return
    inner = owner in ("builtins", "__builtins__") or root in _OWNED
    if (inner or (root in _OWNED_TOO and "()" not in owner)) and attribute not in _HARMLESS:
        yield Construct("patches_runner", f"replaces {owner}.{attribute}", f"{owner}.{attribute}", line)


def _assigned(
    node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete, names: Names, *, quiet: bool, inside: bool
) -> Iterator[Construct]:
    value = None if isinstance(node, ast.Delete) else node.value
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            if target.id in ("AssertionError", "pytest_plugins"):
                yield Construct("patches_runner", f"replaces {target.id}", target.id, node.lineno)
        elif isinstance(target, ast.Attribute):
            owner = names.dotted(target.value)
            full = f"{owner}.{target.attr}"
            if full in _STREAMS:
                wraps = value is not None and any(each.startswith(full) for each in names.sources(value))
                if not quiet and not wraps and not (inside and full == "sys.excepthook"):
                    yield Construct("patches_runner", f"replaces {full}", full, node.lineno)
            elif full in ("sys.meta_path", "sys.path_hooks", "sys.modules"):
                yield Construct("patches_runner", f"replaces {full}", full, node.lineno)
            elif told := [*_owned(owner, target.attr, node.lineno)]:
                yield from told
            elif _loaded(target.value, names):
                told = shown(ast.unparse(target))
                yield Construct("patches_runner", f"changes a module it looked up: {told}", told, node.lineno)
        elif isinstance(target, ast.Subscript):
            yield from _item(target, names, node.lineno)


def _item(target: ast.Subscript, names: Names, line: int) -> Iterator[Construct]:
    holder, key = names.dotted(target.value), names.text(target.slice)
    if holder == "sys.modules" and key:
        root = key.partition(".")[0]
        if root in _OWNED or (root in sys.stdlib_module_names and "." not in key):
            yield Construct("patches_runner", f"replaces the module {key}", f"sys.modules {key}", line)
    elif holder == "os.environ" and key and key.startswith(("PYTEST", "COVERAGE_")):
        yield Construct("patches_runner", f"sets {key}", f"environment {key}", line)
    elif holder.endswith(".__dict__") or holder == "__builtins__":
        yield from _owned(holder.removesuffix(".__dict__"), key or "…", line)


def _restores(function: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> bool:
    """Whether it puts a stream back that it replaced: what it captures is its own output."""
    targets = [
        names.dotted(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    ]
    paired = function.name in ("__enter__", "__exit__", "__aenter__", "__aexit__")
    return paired or any(targets.count(stream) > 1 for stream in _STREAMS)
