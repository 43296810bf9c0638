"""A-94: the routing table."""

from __future__ import annotations

import pytest

from andon.domain.auto.routing import agent_for


@pytest.mark.parametrize(
    ("domain", "agent"),
    [
        ("UI", "designer"),
        ("component", "designer"),
        ("style", "designer"),
        ("build", "build-fixer"),
        ("compile", "build-fixer"),
        ("type", "build-fixer"),
        ("test", "executor"),
        ("coverage", "executor"),
        ("security", "security-reviewer"),
        ("logic", "executor"),
        ("other", "executor"),
        ("banana", "executor"),
        ("", "executor"),
        ("ui", "designer"),
    ],
)
def test_A_94_domain_to_agent(domain: str, agent: str) -> None:
    assert agent_for(domain) == agent
