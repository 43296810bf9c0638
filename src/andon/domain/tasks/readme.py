"""What a README must tell (D-21)."""

from __future__ import annotations

import re

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.tasks.criteria import README, Criterion
from andon.domain.tasks.markdown import lacking
from andon.domain.tasks.phases import Part

_DESCRIPTION = Part("description", ("description", "about", "overview", "introduction", "소개", "설명", "개요"))
PARTS = (
    Part(
        "installation",
        (
            "installation",
            "install",
            "installing",
            "setup",
            "set up",
            "set-up",
            "getting started",
            "설치",
            "설정",
            "시작하기",
        ),
        anywhere=True,
    ),
    Part(
        "how to run",
        ("run", "running", "usage", "start", "starting", "how to use", "quick start", "실행", "사용법", "사용 방법"),
        anywhere=True,
    ),
    Part("how to test", ("test", "tests", "testing", "테스트"), anywhere=True),
)
ENVIRONMENT = Part(
    "environment variables",
    ("environment", "env", "configuration", "환경 변수", "환경변수", "환경 설정"),
    anywhere=True,
)


def readme(text: str, *, environment: bool) -> Criterion:
    """Description, installation, running, testing; and environment variables where the project needs any (D-21)."""
    missing = [] if _described(text) else ["description"]
    missing += lacking(text, (*PARTS, ENVIRONMENT) if environment else PARTS)
    return Criterion.of(README, [f"README.md has no {name}" for name in missing])


def _described(text: str) -> bool:
    """Prose before the second heading, or a section about it."""
    headings = 0
    for line in read_outline(text):
        headings += line.kind is Kind.HEADING
        if headings > 1:
            break
        if line.kind is Kind.PROSE and len(re.findall(r"\w+", _without_badges(line.text[:400]))) >= 3:
            return True
    return not lacking(text, (_DESCRIPTION,))


def _without_badges(text: str) -> str:
    return re.sub(r"!?\[!?\[?[^\]]*\]?(?:\([^)]*\))?\]?\([^)]*\)", " ", text)
