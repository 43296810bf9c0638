"""Which new files are an agent's scratch paper."""

from __future__ import annotations

import pytest

from andon.domain.auto.leftovers import leftovers

FORGOTTEN = ["temp_a.py", "src/temp_b.txt", "docs/temp_c.md", "a/b/c.tmp", "app.py.bak", "tmpclaude-12ab-cwd"]
WANTED = ["ralph-counter.txt", "ralph-test-1.md", "temp.py", "src/temperature.py", "temp_data.json", "temp_x/main.py"]


@pytest.mark.parametrize("path", FORGOTTEN)
def test_A_146_scratch_files_by_their_names(path: str) -> None:
    assert leftovers([path, "src/main.py"], ()) == (path,)


@pytest.mark.parametrize("path", WANTED)
def test_A_146_other_files_stay(path: str) -> None:
    assert leftovers([path], ()) == ()


def test_A_146_what_the_plan_declares_stays() -> None:
    assert leftovers(["src/temp_sensor.py", "temp_probe.py"], {"src/temp_sensor.py"}) == ("temp_probe.py",)
