"""Names of modules follow a move, and nothing else does."""

from __future__ import annotations

import pytest

from andon.checks.verifying.following import followed

PYTHON = {"src/shop/prices.py": "src/shop/pricing.py"}
TOP = {"prices.py": "pricing.py"}
SCRIPT = {"src/receipt.js": "src/print/printing.js"}


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("from shop.prices import roman\n", "from shop.pricing import roman\n"),
        ("import shop.prices\nshop.prices.roman(1)\n", "import shop.pricing\nshop.pricing.roman(1)\n"),
        ('patch("shop.prices.roman")\n', 'patch("shop.pricing.roman")\n'),
        ("from shop import cart, prices\n", "from shop import cart, pricing as prices\n"),
        ("from shop import (\n    prices,\n)\n", "from shop import (\n    pricing as prices,\n)\n"),
        ("from shop import prices as p\n", "from shop import prices as p\n"),
        ('open("data/prices.txt")\nprices.sort()\n', 'open("data/prices.txt")\nprices.sort()\n'),
        ("import myshop.prices\nshop.prices_old\n", "import myshop.prices\nshop.prices_old\n"),
    ],
)
def test_a_python_module(text: str, to: str) -> None:
    assert followed("tests/test_a.py", text, PYTHON) == to


def test_a_python_module_at_the_top() -> None:
    text = 'import prices\nfrom prices import roman\nname = "prices"\n'

    assert followed("test_a.py", text, TOP) == (
        'import pricing as prices\nfrom pricing import roman\nname = "prices"\n'
    )


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("import { a } from '../src/receipt.js';", "import { a } from '../src/print/printing.js';"),
        ('const a = require("../src/receipt");', 'const a = require("../src/print/printing");'),
        ("vi.mock('../src/receipt.js')", "vi.mock('../src/print/printing.js')"),
        ("readFile('./data/receipt.txt')", "readFile('./data/receipt.txt')"),
        ("import { a } from './receipt.js';", "import { a } from './receipt.js';"),
    ],
)
def test_a_script(text: str, to: str) -> None:
    assert followed("test/receipt.test.js", text, SCRIPT) == to
