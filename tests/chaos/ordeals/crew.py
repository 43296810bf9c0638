"""The team of an `andon team run` in an ordeal: a reader, three who write side by side, a lead that joins their work.

In the other form each unit needs the one before it: nothing is left to chance there, and every step is compared.

The middle one's first result lacks its file, the right one's first is sent back by its reviewer.
"""

from __future__ import annotations

import json

from ordeals.rules import Rule, agent, sleep, write

SIDES = ("left", "middle", "right")
SOUND = "python -m compileall -q src"
LONG = (
    "It is there, it has a test, and nothing else was changed; whoever goes on with it finds it where the unit says. "
    * 2
)


def team_file(*, in_line: bool) -> str:
    """JSON is YAML."""
    members = [
        {"name": "lead", "place": "lead", "model": "opus", "type": "general-purpose"},
        {"name": "lead-custom", "place": "category_lead", "type": "general-purpose", "category": "custom"},
        {"name": "reader", "model": "haiku", "type": "Explore"},
        *({"name": side, "type": "general-purpose"} for side in SIDES),
    ]
    units = [{"id": "read", "title": "Read it", "member": "reader", "outputs": ["what there is"]}]
    before = "read"
    for side in SIDES:
        path = f"src/tally/{side}.py"
        unit = {"id": side, "title": f"The {side}", "member": side, "after": [before if in_line else "read"]}
        units.append({**unit, "outputs": [path], "writes": [path], "checks": [SOUND]})
        before = side
    whole = {"id": "whole", "title": "The whole", "member": "lead", "after": list(SIDES)}
    units.append({**whole, "outputs": ["src/tally/whole.py"], "writes": ["src/tally/whole.py"]})
    team = {"team": "custom.sides", "name": "Sides", "purpose": "Add three sides and the whole"}
    ralph = {"enabled": True, "max_iterations": 3}
    return json.dumps({**team, "memory": ["markdown", "sqlite"], "ralph": ralph, "members": members, "units": units})


def _result(item: str, *sources: str) -> str:
    items = [{"item": item, "analysis": LONG, "sources": list(sources)}]
    told = {"status": "DONE", "summary": f"{item} is there.", "items": items, "links": [], "blocked": ""}
    return f"```json\n{json.dumps({**told, 'messages': [{'to': 'lead', 'text': f'{item} is there.'}]})}\n```"


def _writes(name: str, text: str) -> Rule:
    return write(f"src/tally/{name}.py", f'"""The {name}."""\n\n\ndef {name}() -> str:\n    return {text}\n')


def _side(name: str, seconds: float) -> Rule:
    path = f"src/tally/{name}.py"
    return agent(name, _writes(name, f'"{name}"'), sleep(seconds), reply=_result(path, path))


AGENTS = (
    agent("reader", sleep(0.2), reply=_result("what there is", "src/tally/__init__.py")),
    agent("middle", sleep(0.2), reply=_result("src/tally/middle.py", "src/tally/middle.py"), call=1),
    _side("left", 0.3),
    _side("middle", 0.4),
    _side("right", 0.6),
    agent("lead-custom-4", sleep(0.1), reply="VERDICT: REVISE\nSay more.", call=1),
    agent("lead-custom-*", sleep(0.1), reply="VERDICT: SHIP"),
    agent("lead", _writes("whole", '"left middle right"'), sleep(0.2), reply=_result("src/tally/whole.py", "src")),
)
