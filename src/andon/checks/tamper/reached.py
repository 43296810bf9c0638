"""Walks the body of a test in any of the grammars: what is reached in it, and under which conditions.

Knows blocks, branches and loops; what a check is, and what ends a function, is told by the language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from andon.checks.tamper.syntax import Code, Node, words

BLOCKS = frozenset({"statement_block", "program", "block", "statement_list"})
WITH_BODY = words("""for_statement for_in_statement while_statement do_statement enhanced_for_statement for_expression
    while_expression switch_case catch_clause""")
DEEPEST = 20
"""Conditions inside each other that are told."""
LONG = 500
"""Bytes of a condition that is told."""
LOOKED_AT = 1000
"""Nodes, where the same ones may be looked at again and again."""

Guards = tuple[str, ...]


def reached(
    code: Code,
    function: Node,
    into: Callable[[Node], bool],
    ends: Callable[[Node], bool],
    unchecked: Callable[[Node], Node | None] = lambda _: None,
) -> Iterator[tuple[Node, Guards]]:
    """Every node of a function that can be reached, with the conditions for it.

    `into`: whether to look into a node. `ends`: nothing after this statement is reached.
    `unchecked`: the part of a node in which a failure has no consequence.
    """
    rest: list[tuple[Node, Guards]] = [(function, ())]
    while rest:
        node, guards = rest.pop()
        yield node, guards
        if not into(node):
            continue
        conditions = _conditions(code, node) if len(guards) < DEEPEST else {}
        without = unchecked(node)
        inside: list[tuple[Node, Guards]] = []
        for child in node.named_children:
            if without is None or child.id != without.id:
                told = conditions.get(child.id)
                inside.append((child, (*guards, told) if told else guards))
            if node.type in BLOCKS:
                if ends(child):
                    break
                if len(guards) < DEEPEST and (told := way_out(code, child, ends)):
                    guards = (*guards, told)
        rest.extend(reversed(inside))


def way_out(code: Code, statement: Node, ends: Callable[[Node], bool]) -> str | None:
    """The condition under which what follows is reached, after `if (condition) return`."""
    if statement.type == "expression_statement" and len(statement.named_children) == 1:
        statement = statement.named_children[0]
    if not statement.type.startswith("if_") or statement.child_by_field_name("alternative"):
        return None
    consequence = statement.child_by_field_name("consequence")
    return f"unless {_head(code, statement)}" if consequence and ends(consequence) else None


def _head(code: Code, node: Node) -> str:
    bodies = {each.id for name in ("consequence", "alternative", "body") for each in node.children_by_field_name(name)}
    return code.brief(node, bodies).removesuffix(" ;").removesuffix(" else")


def _conditions(code: Code, node: Node) -> dict[int, str]:
    """What a node says about when its children are reached."""
    if consequence := node.child_by_field_name("consequence"):
        told, alternative = _head(code, node), node.child_by_field_name("alternative")
        return {consequence.id: told} | ({alternative.id: f"unless {told}"} if alternative else {})
    if node.type == "binary_expression" and (operator := node.child_by_field_name("operator")):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left and right and operator.type in ("&&", "||", "??"):
            short = left.end_byte - left.start_byte < LONG
            return {right.id: f"if {code.brief(left) if short else '…'} {operator.type}"}
    if node.type in WITH_BODY:
        return dict.fromkeys((each.id for each in node.children_by_field_name("body")), _head(code, node))
    if node.type == "match_arm" and (value := node.child_by_field_name("value")):
        return {value.id: code.brief(node, {value.id}).removesuffix(" ;")}
    return {}
