"""Real agent programs in an ordeal: a model server on loopback plays the kind's scenario to them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ordeals.kinds import Kind
from ordeals.place import Place

_TESTS = Path(__file__).resolve().parents[2]
_PROGRAMS = _TESTS.parent / ".agents/short/node_modules/.bin"


def there(kind: Kind) -> bool:
    """Whether this machine has the kind's program: `make agents-install`."""
    return kind.runtime == "scripted" or (_PROGRAMS / kind.runtime).exists()


@contextmanager
def served(place: Place, kind: Kind) -> Iterator[dict[str, str]]:
    """The variables by which the program finds its model."""
    if kind.runtime == "scripted":
        yield {}
        return
    if str(_TESTS) not in sys.path:
        sys.path.append(str(_TESTS))
    from model_server import ModelServer, Player

    with ModelServer(Player(place.scenario(kind))).serving() as server:
        yield {
            "PATH": f"{place.environment['PATH']}:{_PROGRAMS}",
            "ANTHROPIC_API_KEY": "sk-loopback",
            "ANTHROPIC_BASE_URL": server.url,
        }
