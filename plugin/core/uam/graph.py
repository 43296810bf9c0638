"""The order in which TODOs can be done: what is ready, and whether there is any order at all (C-30)."""

from __future__ import annotations

from .plan import DONE, OPEN, Plan, Problem


def ready(plan: Plan) -> list[int]:
    """Open TODOs whose predecessors are all done, in the order of the plan."""
    done = {todo.number for todo in plan.todos if todo.state == DONE}
    return [todo.number for todo in plan.todos if todo.state == OPEN and done.issuperset(todo.dependencies)]


def stuck(plan: Plan) -> list[int]:
    """Open TODOs that can never become ready, as one before them has failed or is stuck itself."""
    settled = {todo.number for todo in plan.todos if todo.state == DONE}
    waiting = [todo for todo in plan.todos if todo.state == OPEN]
    while reached := [todo for todo in waiting if settled.issuperset(todo.dependencies)]:
        settled |= {todo.number for todo in reached}
        waiting = [todo for todo in waiting if todo not in reached]
    return [todo.number for todo in waiting]


def cycles(plan: Plan) -> list[Problem]:
    """TODOs that wait for each other."""
    left = {todo.number: {*todo.dependencies} for todo in plan.todos}
    while free := [number for number, before in left.items() if not before & left.keys()]:
        for number in free:
            del left[number]
    if not left:
        return []
    first = next(todo for todo in plan.todos if todo.number in left)
    names = ", ".join(f"TODO-{number}" for number in sorted(left))
    return [Problem(first.line, f"no order is possible: {names} wait for each other")]
