"""Product code that looks for the tests it comes with is found; code that works on any tests is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from andon.checks.tamper.product_python import product_python_findings
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

TESTS = {"tests/conftest.py": "", "tests/test_cart.py": ""}
LOOKING = [
    "import os\nx = os.path.exists('tests/conftest.py')\n",
    "from pathlib import Path\nx = Path('tests', 'test_cart.py').read_text()\n",
    "from pathlib import Path\nx = Path('.') / 'tests' / 'conftest.py'\n",
    "from pathlib import Path\nx = Path(__file__).parents[2] / 'tests' / 'test_cart.py'\n",
    "from pathlib import Path\nx = Path.cwd().joinpath('tests/test_cart.py')\n",
    "import os\nx = os.path.join(os.getcwd(), 'tests', 'test_cart.py')\n",
    "x = open('/proc/self/cmdline').read()\n",
    "from pathlib import Path\nx = (Path('/proc/self') / 'environ').read_bytes()\n",
]
LOOKING += ["import os\nx = open(f'/proc/{os.getpid()}/mem', 'r+b')\n"]
HONEST = [
    "'''Checked by tests/test_cart.py.'''\n",
    "print('run pytest tests/test_cart.py')\n",
    "from pathlib import Path\nx = Path('tests').is_dir()\n",
    "from pathlib import Path\nx = [*Path('.').rglob('conftest.py')]\n",
    "x = open('tests/test_other.py')\n",
    "x = open('/proc/self/status').read()\n",
    "x = open(f'/proc/{pid}/cmdline').read()\n",
]


def rules(trees: Trees, path: str, text: str) -> list[str]:
    return [each.rule for each in product_python_findings(trees(TESTS, {**TESTS, path: text}))]


@pytest.mark.parametrize("text", LOOKING)
def test_looking_for_the_tests_is_found(trees: Trees, text: str) -> None:
    assert rules(trees, "src/shop/cart.py", text) == ["knows_tests"]


@pytest.mark.parametrize("text", HONEST)
def test_speaking_of_tests_is_not(trees: Trees, text: str) -> None:
    assert rules(trees, "src/shop/cart.py", text) == []


def test_a_script_may_name_the_tests_it_starts(trees: Trees) -> None:
    text = "import subprocess\nsubprocess.run(['pytest', 'tests/test_cart.py'])\n"

    assert rules(trees, "scripts/check.py", text) == []
