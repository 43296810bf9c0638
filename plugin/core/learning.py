"""What a pipeline leaves: four files of learnings and the project's memory, each entry once (C-16, C-68)."""

from __future__ import annotations

import json

import store
from uam import artefacts, knowledge, plan, state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    Told = tuple[list[str], int]


def compound(project: str, given: argparse.Namespace) -> Told:
    found, problem = store.state_of(project)
    if problem:
        raise ValueError(f"state.json is not believed: {problem}")
    records = state.listing(json.loads(store.text_of(project, artefacts.OUTPUTS_PATH) or "[]"))
    collected = knowledge.collected(records)
    feature = words.feature(plan.parse(store.plan_of(project) or "").feature)
    written = _write(project, feature, found, collected)
    entries = sum(len(each) for each in collected.values())
    return [f"{entries} entries of {len(records)} results, written to:", *written], 0


def _write(project: str, feature: str, found: dict[str, object], collected: dict[str, list[str]]) -> list[str]:
    texts: dict[str, str] = {}
    for kind, entries in collected.items():
        path = artefacts.learnings_path(feature, kind)
        texts[path] = knowledge.added(store.text_of(project, path) or "", knowledge.KEPT[kind], entries)
    rates = [each for each in _rates(found) if isinstance(each, int | float)]
    loops, tokens = found.get("fix_loop_count"), state.mapping(found.get("cost")).get("total_tokens")
    gates = {
        name: value for name, value in state.mapping(found.get("gate_results")).items() if name.endswith("_passed")
    }
    texts[artefacts.learnings_path(feature, "metrics")] = knowledge.metrics(
        feature, rates, loops if isinstance(loops, int) else 0, tokens if isinstance(tokens, int) else 0, gates
    )
    before = store.text_of(project, artefacts.MEMORY_PATH) or ""
    texts[artefacts.MEMORY_PATH] = knowledge.remembered(before, feature, collected)
    with store.locked(project):
        for path, text in texts.items():
            store.write(project, path, text)
    return [*texts]


def _rates(found: dict[str, object]) -> list[object]:
    return state.listing(state.mapping(found.get("convergence")).get("pass_rate_history"))
