"""The programs that orders are handed to: those of the short set in `make test`, all of them in `make agents`."""

from __future__ import annotations

import os

import pytest
from stages import PROGRAMS, Program

WHOLE = os.environ.get("ANDON_AGENTS") == "whole"


@pytest.fixture(params=[name for name, program in PROGRAMS.items() if program.short or WHOLE])
def program(request: pytest.FixtureRequest) -> Program:
    found = PROGRAMS[request.param]
    if not found.there:
        missing = "the agent programs are not installed: make agents-install"
        pytest.fail(missing) if WHOLE else pytest.skip(missing)
    return found
