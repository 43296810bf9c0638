"""What the names and the text in a Python file come to, as far as reading alone can tell. Runs none of it."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
from collections.abc import Iterator

LONGEST = 4096
"""Characters of a text that is put together; a longer one is taken for unknown."""
_PLAIN = ("lower", "upper", "strip", "title", "casefold", "capitalize", "swapcase")
_SPACES = ("globals()", "locals()", "vars()", "__builtins__", "__builtins__.__dict__", "builtins.__dict__", "vars()[]")


class Names:
    """One file: dotted names behind aliases, text behind expressions, and what local names were made from."""

    def __init__(self, tree: ast.Module) -> None:
        self._aliases: dict[str, str] = {}
        self._texts: dict[str, str | None] = {}
        self._made_from: dict[str, set[str]] = {}
        self._folded: dict[int, str | None] = {}
        self._dotted: dict[int, str] = {}
        self.nodes = tuple(ast.walk(tree))
        """Of the whole file, so that each who reads it need not walk it again."""
        self.functions: dict[int, str] = {}
        """Statements and calls that stand in a function, by id → the innermost one's name."""
        self._placed(tree)
        for node in self.nodes:
            self._imported(node)
        # Twice: what a name stands for may itself stand further down.
        for _ in range(2):
            for node in self.nodes:
                for target, value in _bindings(node):
                    self._bound(target, value)
            self._folded.clear()
            self._dotted.clear()

    def _placed(self, tree: ast.Module) -> None:
        stack: list[tuple[ast.AST, str]] = [(tree, "")]
        while stack:
            node, inside = stack.pop()
            if inside and isinstance(node, ast.stmt | ast.Call):
                self.functions[id(node)] = inside
            name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else inside
            stack.extend((each, name) for each in ast.iter_child_nodes(node))

    def _imported(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.asname:
                    self._aliases[each.asname] = each.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                self._aliases[each.asname or each.name] = f"{node.module}.{each.name}"

    def _bound(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._made_from.setdefault(_name(each), set()).update(self.sources(value))
            return
        name = _name(target)
        if not name:
            return
        text = self.text(value)
        self._texts[name] = text if self._texts.get(name, text) == text else None
        self._made_from.setdefault(name, set()).update(self.sources(value))
        if isinstance(value, ast.Attribute | ast.Name | ast.Call | ast.Subscript):
            dotted = self.dotted(value)
            if name not in self._aliases and dotted.partition(".")[0] != name and "[]" not in dotted:
                self._aliases[name] = dotted

    def dotted(self, node: ast.AST) -> str:
        """`sys.modules`, `os.environ.get()`, or a name of its own where nothing is known."""
        if id(node) not in self._dotted:
            name = self._read(node)
            self._dotted[id(node)] = name.removeprefix("builtins.").removeprefix("__builtins__.")
        return self._dotted[id(node)]

    def _read(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self._aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.dotted(node.value)}.{node.attr}".replace(".__dict__.", ".")
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Subscript):
            return self._item(self.dotted(node.value), self.text(node.slice))
        if isinstance(node, ast.NamedExpr | ast.Await):
            return self.dotted(node.value)
        return "?"

    def _called(self, node: ast.Call) -> str:
        name = self.dotted(node.func)
        given = [self.text(each) for each in node.args[:2]]
        if name in ("__import__", "importlib.import_module", "importlib.__import__") and given and given[0]:
            return given[0]
        if name in ("getattr", "object.__getattribute__") and len(given) == 2 and given[1]:
            return f"{self.dotted(node.args[0])}.{given[1]}"
        if name == "vars" and len(node.args) == 1:
            return f"{self.dotted(node.args[0])}.__dict__"
        if name.endswith((".__dict__.get", "sys.modules.get", "globals().get")) and given and given[0]:
            return self._item(name.removesuffix(".get"), given[0])
        return f"{name}()"

    @staticmethod
    def _item(holder: str, key: str | None) -> str:
        if not key:
            return f"{holder}[]"
        if holder == "sys.modules" or holder in _SPACES:
            return key
        return f"{holder.removesuffix('.__dict__')}.{key}" if holder.endswith(".__dict__") else f"{holder}[]"

    def text(self, node: ast.AST | None) -> str | None:
        """The string or bytes an expression certainly comes to."""
        if node is None:
            return None
        if id(node) not in self._folded:
            self._folded[id(node)] = None
            value = self._fold(node)
            self._folded[id(node)] = value if value is not None and len(value) <= LONGEST else None
        return self._folded[id(node)]

    def _fold(self, node: ast.AST) -> str | None:
        match node:
            case ast.Constant(value=str(value)):
                return value
            case ast.Constant(value=bytes(value)):
                return value.decode("latin-1")
            case ast.Name(id=name):
                return self._texts.get(name)
            case ast.JoinedStr(values=parts):
                return _joined("", [self.text(p.value if isinstance(p, ast.FormattedValue) else p) for p in parts])
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _joined("", [self.text(left), self.text(right)])
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                rest = right.elts if isinstance(right, ast.Tuple) else [right]
                return _filled(self.text(left), "%s", [self.text(each) for each in rest])
            case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
                whole = self.text(value)
                return whole[::-1] if whole is not None else None
            case ast.Call():
                return self._fold_call(node)
            case _:
                return None

    def _fold_call(self, node: ast.Call) -> str | None:
        name, args = self.dotted(node.func), node.args
        numbers = _numbers(args[0]) if args else []
        if name in ("chr", "bytes", "bytearray") and numbers:
            return "".join(map(chr, numbers))
        if name in ("str", "bytes", "bytearray") and args:
            return self.text(args[0])
        if name in _DECODERS and args:
            return _decoded(_DECODERS[name], self.text(args[0]))
        if name == "codecs.decode" and len(args) == 2:
            return _decoded((self.text(args[1]) or "").lower().replace("_", "").replace("-", ""), self.text(args[0]))
        if not isinstance(node.func, ast.Attribute):
            return None
        method, base = node.func.attr, self.text(node.func.value)
        if base is None:
            return None
        if method == "join" and len(args) == 1:
            if made := _characters(self, args[0]):
                return base.join(map(chr, made))
            parts = args[0].elts if isinstance(args[0], ast.List | ast.Tuple) else None
            return _joined(base, [self.text(each) for each in parts]) if parts is not None else None
        if method == "replace" and len(args) == 2:
            old, new = self.text(args[0]), self.text(args[1])
            return base.replace(old, new) if old and new is not None and len(new) <= 2 * len(old) else None
        if method == "format":
            return _filled(base, "{}", [self.text(each) for each in args])
        if method in _PLAIN and not args:
            return str(getattr(base, method)())
        return base if method in ("decode", "encode") else None

    def sources(self, node: ast.AST) -> set[str]:
        """The dotted names an expression reads, and those that its local names were made from."""
        seen: set[str] = set()
        for each in ast.walk(node):
            if isinstance(each, ast.Attribute | ast.Name | ast.Call):
                seen.add(self.dotted(each))
            if isinstance(each, ast.Name):
                seen |= self._made_from.get(each.id, set())
        return seen


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        if node.value:
            yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield node.target, ast.List(elts=[node.iter], ctx=ast.Load())
    elif isinstance(node, ast.With | ast.AsyncWith):
        yield from ((item.optional_vars, item.context_expr) for item in node.items if item.optional_vars)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _joined(separator: str, parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return separator.join(known) if len(known) == len(parts) else None


def _filled(pattern: str | None, hole: str, parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    if pattern is None or len(known) != len(parts) or pattern.count(hole) != len(parts):
        return None
    for part in known:
        pattern = pattern.replace(hole, part, 1)
    return pattern


def _numbers(node: ast.AST) -> list[int]:
    """Character numbers that stand in the source: one, or a list of them."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    values = [each.value for each in parts if isinstance(each, ast.Constant) and type(each.value) is int]
    return values if len(values) == len(parts) and all(0 <= each < 0x110000 for each in values) else []


def _characters(names: Names, node: ast.AST) -> list[int]:
    """Of `map(chr, [...])` and `(chr(x) for x in [...])`."""
    if isinstance(node, ast.Call) and names.dotted(node.func) == "map" and len(node.args) == 2:
        return _numbers(node.args[1]) if names.dotted(node.args[0]) == "chr" else []
    if isinstance(node, ast.GeneratorExp | ast.ListComp) and len(node.generators) == 1:
        made = node.elt
        return _numbers(node.generators[0].iter) if names.dotted(made) == "chr()" else []
    return []


_DECODERS = {
    "base64.b64decode": "base64",
    "base64.standard_b64decode": "base64",
    "base64.urlsafe_b64decode": "base64",
    "base64.decodebytes": "base64",
    "base64.b32decode": "base32",
    "base64.b16decode": "hex",
    "base64.b85decode": "base85",
    "binascii.unhexlify": "hex",
    "binascii.a2b_base64": "base64",
    "bytes.fromhex": "hex",
    "bytearray.fromhex": "hex",
}


def _decoded(form: str, text: str | None) -> str | None:
    if text is None:
        return None
    raw = text.encode("latin-1", "replace")
    try:
        if form == "base64":
            return base64.b64decode(raw).decode("latin-1")
        if form == "base32":
            return base64.b32decode(raw).decode("latin-1")
        if form == "base85":
            return base64.b85decode(raw).decode("latin-1")
        if form == "hex":
            return bytes.fromhex(text).decode("latin-1")
    except (ValueError, binascii.Error):
        return None
    return codecs.decode(text, "rot13") if form == "rot13" else None
