"""The reference of scenarios cannot lie: its examples load, every key is in it, every action is exercised."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from andon.runtimes import player, scenario
from andon.runtimes.scenario import load
from andon.runtimes.step import Step

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/scenarios.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ACTIONS = tuple(Step.model_fields)


def models(of: type[BaseModel]) -> set[type[BaseModel]]:
    found = {of}
    for field in of.model_fields.values():
        todo: list[object] = [field.annotation]
        while todo:
            each = todo.pop()
            todo += typing.get_args(each)
            if isinstance(each, type) and issubclass(each, BaseModel):
                found |= models(each)
    return found


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_E_02_every_example_loads(tmp_path: Path, example: str) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")

    assert load(path).rules


def test_E_02_every_key_is_documented() -> None:
    keys = {field.alias or name for model in models(scenario.Scenario) for name, field in model.model_fields.items()}

    assert len(keys) > 40
    assert sorted(key for key in keys if f"`{key}`" not in PAGE and f"`{key}:" not in PAGE) == []


@pytest.mark.parametrize("action", ACTIONS)
def test_E_02_every_action_is_shown_played_and_tested(action: str) -> None:
    tests = (Path(__file__).parent / "test_actions.py").read_text(encoding="utf-8")

    assert any(f"{action}:" in example for example in EXAMPLES), "no example"
    assert action in player.TOOLS.keys() | player.OTHERS.keys(), "cannot be played"
    assert re.search(rf"(?<!\w){action}:", tests), "no test"


def test_E_02_the_player_plays_nothing_that_is_not_documented() -> None:
    assert player.TOOLS.keys() | player.OTHERS.keys() == set(ACTIONS)
