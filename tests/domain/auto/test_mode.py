"""A-13, A-22 to A-26, A-60 to A-62, E-01, E-03, G-42, X-05: the team."""

from __future__ import annotations

import pytest

from andon.domain.auto.mode import AGENT_TYPES, POSTS, Mode, Writes, cheaper, line_up, post_of, teammate
from andon.domain.auto.start import START, TRANSITIONS, banner, start_message
from andon.domain.language import Language
from andon.domain.order import Tier


def words(text: str) -> list[str]:
    return text.split()


NAMES = words(
    "doc-analyst issue-analyst planner planner-1 arch-1 critic-1 critic-lite design-writer executor impl-manager "
    "impl-api impl-ui impl tester impl-verifier domain-fixer qa-runner qa-runner-1 diagnostician-1 fixer-1 "
    "verifier gap-checker quality-checker iterator reporter fixer slack-analyst gmail-analyst"
)


@pytest.mark.parametrize("name", NAMES)
def test_A_13_every_name_has_a_place(name: str) -> None:
    for mode in Mode:
        assert teammate(name, mode).type in AGENT_TYPES


@pytest.mark.parametrize("name", ["", "helper", "critic-0", "critic-x", "planner-{i}", "arch", "qa-runner-1.5"])
def test_A_13_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no such teammate"):
        teammate(name, Mode.HEAVY)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("opus", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_A_23_A_24_X_66_E_01_tier_of_every_teammate(name: str, mode: Mode, opus: bool) -> None:
    core = words("design-writer impl-manager impl-api impl-ui impl tester verifier gap-checker quality-checker")
    expected = Tier.SONNET
    if name in ("doc-analyst", "issue-analyst", "reporter") or (name == "planner" and mode is Mode.LIGHT):
        expected = Tier.HAIKU
    elif name in core and opus and mode is Mode.HEAVY:
        expected = Tier.OPUS

    assert teammate(name, mode, opus=opus).tier is expected


def test_A_25_heavy_keeps_executor_high_on_sonnet() -> None:
    for name in ("design-writer", "impl-manager"):
        heavy, standard = teammate(name, Mode.HEAVY), teammate(name, Mode.STANDARD)

        assert (heavy.type, heavy.tier, standard.type) == ("executor-high", Tier.SONNET, "executor")


def test_A_26_the_thirteen_types() -> None:
    assert set(AGENT_TYPES) == set(
        words(
            "explore planner architect critic executor executor-high designer build-fixer security-reviewer qa-tester "
            "code-reviewer writer analyst"
        )
    )


def test_A_22_E_03_who_may_write_nothing() -> None:
    for name in words("arch-1 impl-verifier diagnostician-1 verifier gap-checker critic-1 quality-checker doc-analyst"):
        for mode in Mode:
            assert teammate(name, mode).writes is Writes.NOTHING


def test_A_22_designs_are_written_by_executors_and_nothing_else_is() -> None:
    for mode in (Mode.STANDARD, Mode.HEAVY):
        writer = teammate("design-writer", mode)

        assert writer.type.startswith("executor") and writer.writes is Writes.DOCUMENT


@pytest.mark.parametrize("kind", ["designer", "security-reviewer"])
def test_G_42_reviewers_write_as_fixers_only(kind: str) -> None:
    assert AGENT_TYPES[kind].writes is Writes.NOTHING
    for name in ("fixer-2", "domain-fixer"):
        fixer = teammate(name, Mode.STANDARD, agent_type=kind)

        assert (fixer.type, fixer.writes) == (kind, Writes.CODE)


def test_A_94_only_fixers_are_routed() -> None:
    with pytest.raises(ValueError, match="verifier"):
        teammate("verifier", Mode.HEAVY, agent_type="designer")


def test_X_05_gap_checker_by_mode() -> None:
    assert teammate("gap-checker", Mode.STANDARD).type == "architect"
    assert teammate("gap-checker", Mode.HEAVY).type == "code-reviewer"


def test_G_01_eco_is_one_tier_cheaper() -> None:
    assert teammate("verifier", Mode.HEAVY, opus=True, eco=True).tier is Tier.SONNET
    assert teammate("planner", Mode.STANDARD, eco=True).tier is Tier.HAIKU
    assert teammate("reporter", Mode.LIGHT, eco=True).tier is Tier.HAIKU
    assert [cheaper(tier) for tier in Tier] == [
        Tier.HAIKU, Tier.HAIKU, Tier.SONNET, Tier.HAIKU, Tier.SONNET_1M,
    ]  # fmt: skip


def test_A_60_S_01_light_line_up() -> None:
    names = line_up(Mode.LIGHT)

    assert names == ("doc-analyst", "issue-analyst", "planner", "executor", "qa-runner", "verifier", "reporter")
    assert [teammate(name, Mode.LIGHT).tier for name in names] == [
        Tier.HAIKU, Tier.HAIKU, Tier.HAIKU, Tier.SONNET, Tier.SONNET, Tier.SONNET, Tier.HAIKU,
    ]  # fmt: skip


def test_A_61_standard_line_up() -> None:
    assert line_up(Mode.STANDARD) == tuple(
        words(
            "doc-analyst issue-analyst planner critic-lite design-writer impl-manager impl-verifier qa-runner-1 "
            "verifier gap-checker quality-checker reporter"
        )
    )


def test_A_62_heavy_line_up() -> None:
    assert line_up(Mode.HEAVY)[2:5] == ("planner-1", "arch-1", "critic-1")
    assert line_up(Mode.HEAVY)[5:] == line_up(Mode.STANDARD)[4:]


@pytest.mark.parametrize("name", NAMES)
def test_A_12_every_teammate_has_a_start_message(name: str) -> None:
    assert set(START) == set(POSTS)
    assert all(start_message(name, language) for language in Language)
    assert post_of(name) in START


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("impl-manager", "5조건 구현 루프 시작."),
        ("impl-api", "API 구현 시작."),
        ("qa-runner-3", "QA 실행 시작."),
        ("critic-lite", "Plan 검토 시작."),
    ],
)
def test_A_73_A_75_start_messages_as_the_seed_has_them(name: str, text: str) -> None:
    assert start_message(name, Language.KO) == text


def test_A_139_choices_and_defaults() -> None:
    assert {phase: each.choices for phase, each in TRANSITIONS.items()} == {
        1: ("proceed", "revise", "skip"),
        2: ("proceed", "revise", "skip"),
        3: ("proceed", "revise"),
        4: ("improve", "manual", "finish"),
    }
    assert [each.default for each in TRANSITIONS.values()] == ["proceed", "proceed", "proceed", "improve"]


def test_A_140_banner() -> None:
    text = banner(Language.KO, 1, "docs/01-plan/f.plan.md", (("planner", "sonnet"),), "one\nline")

    lines = text.splitlines()
    assert lines[0] == lines[2] == lines[6] == "=" * 51
    assert lines[1] == " Phase 1 PLAN 완료 -> Phase 2 DESIGN 진입 대기"
    assert lines[3:6] == [
        " 산출물: docs/01-plan/f.plan.md",
        " 소요 teammates: planner (sonnet)",
        " 핵심 결정: one line",
    ]
