"""The gate a design document must pass before Phase 3 (A-71)."""

from __future__ import annotations

import re

from andon.domain.auto.paths import named_paths
from andon.domain.auto.plan import Missing

_SIGNATURE = re.compile(
    r"\b(?:def|func|fn|function|fun|sub)\s+(?:\([^)]*\)\s*)?\w+\s*(?:<[^>]*>)?\s*\("
    r"|\b(?:class|interface|struct|enum|trait|protocol)\s+[A-Z_]\w*"
    r"|\btype\s+[A-Z]\w*\s*="
    r"|\b\w+\([^()\n]*\)\s*(?:->|→|:\s*[A-Za-z_])"
    r"|\b\w+\(\s*\w+\s*:\s*[^()\n]+\)"
    r"|\b(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?\([^)]*\)\s*=>"
    r"|\b(?:public|private|protected|static)\s[\w<>\[\], ]{1,120}\("
)
_TESTS = re.compile(
    r"(?<![\w/.])(?:tests?|testing|tested|pytest|jest|vitest|unittest)(?![\w/.]\w)|테스트", re.IGNORECASE
)
_DATA_FLOW = re.compile(
    r"데이터\s?흐름|입출력|입력.{0,200}출력|data[ -]?flow|flow of data|\binputs?\b.{0,200}\boutputs?\b",
    re.IGNORECASE | re.DOTALL,
)


def missing_items(design: str) -> tuple[Missing, ...]:
    """What the design lacks of: file paths, signatures, a word on tests, how data goes in and out."""
    paths = [each.path for each in named_paths(design) if each.file]
    prose = design
    for path in paths:
        # `tests/test_x.py` in the list of files is not yet a test strategy.
        prose = prose.replace(path, " ")
    present = (
        ("item.files", bool(paths)),
        ("item.interface", _SIGNATURE.search(design) is not None),
        ("item.tests", _TESTS.search(prose) is not None),
        ("item.data_flow", _DATA_FLOW.search(design) is not None),
    )
    return tuple(Missing(number, key) for number, (key, there) in enumerate(present, start=1) if not there)
