"""What can be seen of a pipeline and of the installation; changes nothing (C-12, C-88, C-89)."""

from __future__ import annotations

import json
import os
import shutil

import store
from uam import agents, dashboard, graph, layout, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    Told = tuple[list[str], int]

PLUGIN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def status(project: str, given: argparse.Namespace) -> Told:
    found, problem = store.state_of(project)
    text = store.plan_of(project)
    if given.json:
        opened, done, failed = (0, 0, 0) if text is None else plan.counts(text)
        todos = {"open": opened, "done": done, "failed": failed}
        return [json.dumps({"state": found, "problem": problem, "todos": todos}, ensure_ascii=False, indent=2)], 0
    lines = dashboard.dashboard(found, problem, text)
    if found.get("waiting_for"):
        lines.append(f"Waiting for a person: {found['waiting_for']}")
    if found.get("driver") not in store.OURS:
        lines.append("andon drives this run: `andon status` tells more, and the plugin's hooks keep out of it.")
    return lines, 0


def plan_problems(project: str, given: argparse.Namespace) -> Told:
    text = store.plan_of(project)
    if text is None:
        return ["There is no PLAN.md: write .uam/PLAN.md."], 1
    parsed = plan.parse(text)
    found = [repr(each) for each in (*parsed.problems, *graph.cycles(parsed), *parsed.unrunnable)]
    return (found, 1) if found else ([f"PLAN.md is readable: {len(parsed.todos)} TODOs."], 0)


def ready(project: str, given: argparse.Namespace) -> Told:
    parsed = plan.parse(store.plan_of(project) or "")
    lines: list[str] = []
    for number in graph.ready(parsed):
        todo = parsed.todo(number)
        if todo is not None:
            who = agents.worker_for(f"{todo.title} {todo.description}")
            lines.append(f"TODO {number}: {todo.title} → uam:{who} ({todo.complexity or 'M'}, risk {todo.risk or '?'})")
    stuck = graph.stuck(parsed)
    lines += [f"TODO {number} can never be ready: one before it has failed; `uam fail {number}`" for number in stuck]
    return lines or ["No TODO is ready."], 0


def check(project: str, given: argparse.Namespace) -> Told:
    """In the plugin's own folder, and where agents may lie in a project (X-63)."""
    files = texts_below(PLUGIN)
    found = layout.problems(files, lambda program: shutil.which(program) is not None, texts_below(f"{project}/.claude"))
    features = layout.features(files)
    absent = [f"{what} ({whose})" for whose, what, there in features if not there]
    if given.json:
        rows = [{"file": path, "problem": problem} for path, problem in found]
        told = {"problems": rows, "features": [{"of": w, "feature": f, "present": p} for w, f, p in features]}
        return [json.dumps(told, ensure_ascii=False, indent=2)], 1 if found or absent else 0
    lines = [f"{path}: {problem}" for path, problem in found]
    lines += [
        f"present  {what} ({whose})" if there else f"MISSING  {what} ({whose})" for whose, what, there in features
    ]
    lines.append("The installation is whole." if not found and not absent else f"{len(found) + len(absent)} problems.")
    return lines, 1 if found or absent else 0


def texts_below(folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if name.endswith((".md", ".json", ".py")):
                found[path] = store.text_of(folder, path) or ""
    return found
