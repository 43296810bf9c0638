"""Which calls of a JavaScript or TypeScript file declare tests and suites, and what they say about them.

Knows the spellings of the frameworks; not what tests check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from andon.checks.tamper.script_checks import FUNCTIONS, WRAPPERS, Link, chain, literal
from andon.checks.tamper.syntax import Code, Node, parts, walk, words

SUITES = words("describe context suite xdescribe fdescribe xcontext fcontext xsuite ddescribe")
CASES = words("it test specify xit fit xtest xspecify fspecify ftest iit")
OFF = words("xdescribe xcontext xsuite xit xtest xspecify skip todo fixme skipIf runIf if todoIf unless")
FOCUS = words("fdescribe fcontext ddescribe fit ftest fspecify iit only")
FAILS = frozenset({"failing", "fails", "fail"})
PLAIN = words("concurrent sequential serial parallel shuffle each for extend () describe suite context")
NOTHING = frozenset({"false", "undefined", "null", "0", '""', "''"})
ELSEWHERE = frozenset({"identifier", "member_expression", "call_expression"})
HOOKS = words("before beforeEach beforeAll setup suiteSetup")
STRINGS = frozenset({"string", "template_string"})


@dataclass(slots=True)
class Names:
    """What names of the file stand for."""

    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """`const later = it.skip`: later → it, skip."""
    values: dict[str, Node] = field(default_factory=dict[str, "Node"])
    imports: dict[str, str] = field(default_factory=dict[str, str])
    used: Counter[str] = field(default_factory=Counter[str])
    calls: dict[int, Call | None] = field(default_factory=dict[int, "Call | None"])
    """By node: each is asked for many times."""

    def shadowed(self, name: str) -> bool:
        """`it` is a function of this very file: whatever it does, it is not the runner's."""
        value = self.values.get(name)
        return value is not None and value.type in FUNCTIONS

    def never_called(self, code: Code, node: Node) -> bool:
        if node.type not in ("function_declaration", "variable_declarator"):
            return False
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None or (node.type == "variable_declarator" and (value is None or value.type not in FUNCTIONS)):
            return False
        return self.used[code.text(name)] == 1


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a test function."""

    root: str
    suite: bool
    declares: bool
    """Else it marks the tests around it: `test.skip(condition)`."""
    mark: str = ""
    title: str = ""
    title_ids: frozenset[int] = frozenset()
    skipped: bool = False
    fails: bool = False
    focused: bool = False
    tables: tuple[Node, ...] = ()
    function: Node | None = None
    callback: bool = False
    """There is one, though perhaps not in this file."""
    parameters: tuple[str, ...] = ()


def names(code: Code) -> Names:
    found = Names()
    exported: set[str] = set()
    for node in walk(code.root):
        if node.type in ("identifier", "shorthand_property_identifier"):
            found.used[code.text(node)] += 1
        elif node.type == "import_statement":
            _imported(code, node, found)
        elif node.type == "export_statement":
            exported.update(code.text(each) for each in _declared_names(node))
        elif node.type in ("function_declaration", "generator_function_declaration"):
            if name := node.child_by_field_name("name"):
                found.values[code.text(name)] = node
        elif node.type == "variable_declarator":
            _declared(code, node, found)
    for name in exported:
        found.used[name] += 1
    return found


def _declared_names(statement: Node) -> list[Node]:
    declared = statement.child_by_field_name("declaration")
    inner = [declared, *parts(declared)] if declared else []
    return [name for each in inner if (name := each.child_by_field_name("name"))]


def _imported(code: Code, node: Node, found: Names) -> None:
    source = literal(code, node.child_by_field_name("source")) or ""
    for each in walk(node, lambda inner: inner.type != "import_specifier"):
        if each.type == "import_specifier":
            name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
            if name and alias and code.text(name) in CASES | SUITES:
                found.aliases[code.text(alias)] = (code.text(name),)
            if name:
                found.imports[code.text(alias or name)] = f"{source}.{code.text(name)}"
        elif each.type == "identifier":
            found.imports[code.text(each)] = source


def _declared(code: Code, node: Node, found: Names) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    if name.type == "object_pattern":
        _taken_apart(code, name, value, found)
        return
    told = code.text(name)
    found.values[told] = value
    links = chain(code, value)
    if links and links[0].name == "require" and (given := parts(links[0].arguments)):
        found.imports[told] = literal(code, given[0]) or ""
    if value.type == "ternary_expression":
        # `const later = condition ? it : it.skip`
        either = [chain(code, each) for each in parts(value)[1:]]
        if all(each and each[0].name in CASES | SUITES for each in either):
            found.aliases[told] = (either[0][0].name, "skipIf")
    elif len(links) > 1 or told not in CASES | SUITES:
        said = _words(links)
        plain = all(each.arguments is None or each.name == "extend" for each in links)
        if plain and said and said[0] in CASES | SUITES:
            found.aliases[told] = said


def _taken_apart(code: Code, pattern: Node, value: Node, found: Names) -> None:
    links = chain(code, value)
    source = literal(code, next(iter(parts(links[0].arguments)), None)) if links and links[0].arguments else None
    for each in parts(pattern):
        key = each.child_by_field_name("key") if each.type == "pair_pattern" else each
        local = each.child_by_field_name("value") if each.type == "pair_pattern" else each
        if key is None or local is None:
            continue
        if each.type == "pair_pattern" and code.text(key) in CASES | SUITES:
            found.aliases[code.text(local)] = (code.text(key),)
        if source is not None:
            found.imports[code.text(local)] = f"{source}.{code.text(key)}"


def _words(links: Sequence[Link]) -> tuple[str, ...]:
    return tuple(each.name for each in links if each.name != "()")


def read(code: Code, node: Node, known: Names) -> Call | None:
    """None: it has nothing to do with tests."""
    if node.id not in known.calls:
        known.calls[node.id] = _read(code, node, known)
    return known.calls[node.id]


def _read(code: Code, node: Node, known: Names) -> Call | None:
    links = chain(code, node)
    if not links or links[-1].arguments is None or links[-1].arguments.type != "arguments":
        return None
    said = _words(links)
    if not said:
        return None
    said = (*known.aliases.get(said[0], (said[0],)), *said[1:])
    given = parts(links[-1].arguments)
    if said[0] not in CASES | SUITES:
        # `t.test("…", () => …)`, `tap.test`, `Deno.test`
        at = next((index for index, word in enumerate(said) if word in CASES | SUITES), None)
        if at is None or len(given) < 2 or given[0].type not in STRINGS or _function(code, given[1:], known) is None:
            return None
        said = said[at:]
    if not set(said[1:]) <= OFF | FOCUS | FAILS | PLAIN | CASES:
        return None
    if links[-1].name in ("each", "for", "skipIf", "runIf", "if", "todoIf", "extend", "unless"):
        return None
    return _call(code, links, said, given, known)


def _call(code: Code, links: Sequence[Link], said: tuple[str, ...], given: list[Node], known: Names) -> Call | None:
    root, suite, told = said[0], bool(SUITES & set(said)), set(said)
    first = given[0] if given else None
    titled = first is not None and first.type not in FUNCTIONS
    rest = given[1:] if titled else given
    function = _function(code, rest, known)
    callback = function is not None or any(each.type in ELSEWHERE for each in rest)
    declares = first is not None and (first.type in STRINGS or callback)
    if told & (OFF | FAILS) and (not declares or (not titled and len(said) > 1)):
        return Call(root, suite, False, "fail" if told & FAILS else "skip")
    if not declares or first is None:
        return None
    options = _options(code, rest)
    tables = [each.arguments for each in links[:-1] if each.name in ("each", "for") and each.arguments]
    return Call(
        root=links[0].name,
        suite=suite,
        declares=True,
        title=_title(code, first),
        title_ids=frozenset({first.id}) if titled else frozenset(),
        skipped=bool(told & OFF) or "skip" in options or "todo" in options or "ignore" in options,
        fails=bool(told & FAILS) or "fails" in options,
        focused=bool(told & FOCUS) or "only" in options,
        tables=tuple(tables),
        function=function,
        callback=callback,
        parameters=_parameters(code, function),
    )


def _title(code: Code, node: Node) -> str:
    if node.type in FUNCTIONS:
        name = node.child_by_field_name("name")
        return code.text(name) if name else "(no title)"
    told = literal(code, node)
    return told if told is not None else code.normalised(node)


def _function(code: Code, given: Sequence[Node], known: Names) -> Node | None:
    """The test's own: here, elsewhere in the file, or inside a call that wraps it."""
    for each in reversed(given):
        if each.type in FUNCTIONS:
            return each
        value = known.values.get(code.text(each)) if each.type == "identifier" else None
        if value is not None and value.type in FUNCTIONS:
            return value
        if each.type == "call_expression":
            inside = walk(each, lambda inner: inner.type not in FUNCTIONS)
            return next((inner for inner in inside if inner.type in FUNCTIONS), None)
    return None


def _parameters(code: Code, function: Node | None) -> tuple[str, ...]:
    if function is None:
        return ()
    if single := function.child_by_field_name("parameter"):
        return (code.text(single),)
    found: list[str] = []
    for each in parts(function.child_by_field_name("parameters")):
        pattern = each.child_by_field_name("pattern") or each
        if pattern.type == "object_pattern":
            found.extend(("", *(code.text(inner) for inner in parts(pattern))))
        else:
            found.append(code.text(pattern))
    return tuple(found)


def _options(code: Code, given: Sequence[Node]) -> frozenset[str]:
    """The names in `{ skip: true }` that are not switched off."""
    found: set[str] = set()
    for pair in (pair for each in given if each.type == "object" for pair in parts(each)):
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if pair.type == "shorthand_property_identifier":
            found.add(code.text(pair))
        elif key and value and code.text(value) not in NOTHING:
            found.add(code.text(key).strip("\"'"))
    return frozenset(found)


def marks(code: Code, scope: Node, known: Names, case: Call | None = None) -> frozenset[str]:
    """What a test or suite says of itself, "skip" and "fail": `t.skip()`, `this.skip()`, `test.fixme()`, `pending()`.

    Of a suite, only what is said in it and in its hooks: a function that skips is not called by all of its tests.
    """
    found: set[str] = set()
    entered = {scope.id}
    rest = [scope]
    while rest:
        node = rest.pop()
        if case is None and node.type in FUNCTIONS and node.id not in entered:
            continue
        if node.type == "call_expression":
            call = read(code, node, known)
            if call is not None and call.declares and node.id != scope.id:
                continue
            links = chain(code, node)
            found.update({call.mark} if call is not None else _said(_words(links), case.parameters if case else ()))
            if links[-1].name in HOOKS:
                entered.update(each.id for each in parts(links[-1].arguments))
        rest.extend(node.named_children)
    return frozenset(found)


def _said(said: tuple[str, ...], parameters: Sequence[str]) -> set[str]:
    itself = said[:1] == ("this",) or (said[:1] and said[0] in {*parameters, "t", "ctx", "testInfo"})
    if said == ("pending",) or (itself and said[-1] in ("skip", "todo", "fixme") and len(said) <= 3):
        return {"skip"}
    if said[:1] and said[0] == "testInfo" and said[-1] == "fail":
        return {"fail"}
    return set()


def looped(code: Code, node: Node) -> Node | None:
    """The table of `table.forEach(…)`."""
    function = node.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return None
    name = function.child_by_field_name("property")
    return function.child_by_field_name("object") if name and code.text(name) in ("forEach", "map") else None


def count(code: Code, table: Node | None, known: Names) -> int | None:
    """How many sets of parameters a table has; None where the text does not say."""
    for _ in range(10):
        if table is not None and table.type in WRAPPERS | {"arguments"}:
            table = next(iter(parts(table)), None)
        elif table is not None and table.type == "identifier":
            table = known.values.get(code.text(table))
        elif table is not None and table.type == "call_expression":
            links = chain(code, table)
            if [each.name for each in links] not in (["Object", "entries"], ["Object", "keys"], ["Object", "values"]):
                return None
            table = links[-1].arguments
        else:
            break
    if table is None:
        return None
    if table.type == "template_string":
        return _rows(code, table)
    if table.type not in ("array", "object") or any(each.type == "spread_element" for each in table.named_children):
        return None
    return len(parts(table))


def _rows(code: Code, table: Node) -> int | None:
    """Of a table in a template: a heading `a | b`, then a value per column."""
    heading = next((each for each in code.text(table).strip("`").splitlines() if each.strip()), "")
    values = sum(each.type == "template_substitution" for each in table.named_children)
    return values // (heading.count("|") + 1)
