"""The architecture in a document: drawn, or told with components and data flow (D-16)."""

from __future__ import annotations

import re

from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.diagrams import has_diagram

_COMPONENTS = re.compile(r"\b(?:components?|modules?|services?|layers?)\b|컴포넌트|구성 ?요소|모듈|계층", re.IGNORECASE)
_FLOW = re.compile(r"\bdata[- ]?flows?\b|\brequests? (?:flow|goes|go|pass)|\bflows?\b|데이터 흐름|흐름", re.IGNORECASE)


def architecture(text: str) -> Criterion:
    """A diagram, or a description that tells components and data flow (D-16)."""
    if has_diagram(text):
        return Criterion("architecture", passed=True)
    missing = [
        name for name, pattern in (("components", _COMPONENTS), ("data flow", _FLOW)) if not pattern.search(text)
    ]
    return Criterion.of("architecture", [f"no diagram, and {' and '.join(missing)} are not told"] if missing else [])
