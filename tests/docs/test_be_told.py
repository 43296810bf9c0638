"""docs/how-to/be-told.md: its settings load, and its table is the events there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from andon.app.settings import Settings
from andon.domain.notices import MEANINGS

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/be-told.md").read_text(encoding="utf-8")


def test_the_settings_it_shows_are_settings() -> None:
    [shown] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)

    assert len(Settings.model_validate(tomllib.loads(shown)).notify.urls or ()) == 2


def test_E_26_the_table_names_every_event() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)

    assert rows == [(str(event), meaning) for event, meaning in MEANINGS.items()]
