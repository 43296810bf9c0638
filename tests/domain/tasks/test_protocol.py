"""What agents say in their own text: completed phases, questions, dependencies; and the end of a conversation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.order import Question
from andon.domain.question_block import question_in
from andon.domain.tasks.conversation import offers_more, says_done
from andon.domain.tasks.protocol import (
    DEPENDENCY_INSTRUCTION,
    Category,
    Dependency,
    Listening,
    Need,
    announced,
    asked_for,
    category_of,
    complete,
    denied,
    dependency_in,
    granted,
    name_asked_for,
    understood,
    wrong_phase,
)

SIGNAL = "=== PHASE 2 COMPLETE ==="


@pytest.mark.parametrize(
    "text",
    [
        SIGNAL,
        f"All five are written.\n{SIGNAL}\n",
        f"```\ncode\n```\n{SIGNAL}\n",
        f"~~~\n```\n~~~\n{SIGNAL}",
        f"  {SIGNAL}  \r\nmore",
        f"{SIGNAL}\n{SIGNAL}\n",
        f"````\n```\n````\n{SIGNAL}",
    ],
)
def test_D_69_the_signal_on_a_line_of_its_own_is_heard_once(text: str) -> None:
    assert announced([text]) == (2,)


@pytest.mark.parametrize(
    "text",
    [
        f"I will print {SIGNAL} at the end.",
        f"`{SIGNAL}`",
        f"> {SIGNAL}",
        f"- {SIGNAL}",
        f"    {SIGNAL}",
        f"\t{SIGNAL}",
        f"```\n{SIGNAL}\n```",
        f"```text\n{SIGNAL}",
        f"~~~\n```\n{SIGNAL}\n~~~",
        f"````\n```\n{SIGNAL}\n````",
        f"**{SIGNAL}**",
        "=== PHASE N COMPLETE ===",
        "=== PHASE 0 COMPLETE ===",
        "=== phase 2 complete ===",
        "== PHASE 2 COMPLETE ==",
        "",
    ],
)
def test_D_69_what_is_fenced_quoted_or_within_a_sentence_is_no_signal(text: str) -> None:
    assert announced([text]) == ()


def test_D_69_what_a_tool_printed_is_no_signal_and_does_not_complete_a_line() -> None:
    printed = Listening().heard("Reading the protocol.\n").heard(f"{SIGNAL}\n", own=False)
    assert printed.ended().phases == ()

    glued = Listening().heard("=== PHASE 2 ").heard("x", own=False).heard("COMPLETE ===\n")
    assert glued.ended().phases == ()

    after = Listening().heard("```\n").heard("tool\n", own=False).heard(f"{SIGNAL}\n")
    assert after.ended().phases == (2,)


@given(some.integers(1, 9999), some.lists(some.integers(0, 80), max_size=6))
def test_D_69_chunks_make_no_difference(phase: int, cuts: list[int]) -> None:
    text = f"Done.\n```\n=== PHASE 7 COMPLETE ===\n```\n{complete(phase)}\nBye.\n"
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    chunks = [text[start:end] for start, end in pairwise(places)]

    assert announced(chunks) == (phase,)
    assert announced(text) == (phase,)


@given(some.lists(some.text(alphabet="=PHASE1 2COMPLT`~>\n", max_size=30), max_size=8))
def test_D_69_any_stream_can_be_heard_in_any_pieces(chunks: list[str]) -> None:
    assert announced(chunks) == announced(["".join(chunks)])


def test_D_69_a_wrong_phase_is_reported() -> None:
    assert wrong_phase(2, 2) == ""
    assert wrong_phase(3, 2) == "phase 3 was announced as complete, but phase 2 is being worked on"


@pytest.mark.parametrize("category", [*Category])
def test_D_115_each_category_is_kept(category: Category) -> None:
    found = question_in(f"[USER_QUESTION]\ncategory: {category.value}\nquestion: Why?\n[/USER_QUESTION]")

    assert found is not None
    assert category_of(found.category) == (category, "")


@pytest.mark.parametrize(("told", "warned"), [("design", True), ("Frage", True), ("question", False), ("", False)])
def test_D_115_another_category_becomes_clarification_with_a_warning(told: str, warned: bool) -> None:
    category, warning = category_of(told)

    assert category is Category.CLARIFICATION
    assert bool(warning) is warned
    assert not warned or told in warning


def test_D_115_an_agent_cannot_put_on_a_category_of_andons_own() -> None:
    review, warning = understood(Question("Fine?", ("yes", "no"), category="review"))

    assert (review.category, review.options) == ("clarification", ("yes", "no")) and "review" in warning
    assert understood(Question("Which?", category="choice")) == (Question("Which?", category="choice"), "")


BLOCK = "[DEPENDENCY_REQUEST]\nname: STRIPE_API_KEY\ntype: api_key\nreason: to charge cards\n[/DEPENDENCY_REQUEST]"
STRIPE = Dependency("STRIPE_API_KEY", Need.API_KEY, "to charge cards")


def test_D_116_a_secret_is_never_an_answer_only_that_it_was_given() -> None:
    secret, access = asked_for(STRIPE), asked_for(Dependency("the wiki", Need.ACCESS, "to read the rules"))

    assert (secret.category, secret.options) == ("secret", ("granted", "denied"))
    assert (access.category, access.options) == ("dependency", ())
    assert name_asked_for(secret) == "STRIPE_API_KEY" and name_asked_for(access) == "the wiki"


def test_D_116_G_23_a_dependency_request_at_the_end_of_a_reply() -> None:
    assert dependency_in(f"I need a key.\n\n{BLOCK}\n") == STRIPE
    assert dependency_in(DEPENDENCY_INSTRUCTION.partition("`type` is")[0]) is not None


@pytest.mark.parametrize(
    "text",
    [
        "no block",
        f"```\n{BLOCK}\n```",
        f"```\n{BLOCK}",
        "\n".join(f"> {line}" for line in BLOCK.splitlines()),
        BLOCK + "\nand more",
        BLOCK.replace("name: STRIPE_API_KEY\n", ""),
        BLOCK.replace("reason: to charge cards\n", ""),
        BLOCK.replace("STRIPE_API_KEY", "the key of Stripe"),
        BLOCK.replace("STRIPE_API_KEY", "A=1; rm"),
        BLOCK.replace("[/DEPENDENCY_REQUEST]", ""),
    ],
)
def test_D_116_what_is_quoted_unfinished_or_no_name_of_a_variable_is_none(text: str) -> None:
    assert dependency_in(text) is None


@pytest.mark.parametrize(
    ("told", "need", "secret"),
    [
        ("api_key", Need.API_KEY, True),
        ("API key", Need.API_KEY, True),
        ("credential", Need.CREDENTIAL, True),
        ("access", Need.ACCESS, False),
        ("code-base", Need.CODE_BASE, False),
        ("money", Need.OTHER, False),
    ],
)
def test_D_116_types_of_dependencies(told: str, need: Need, secret: bool) -> None:
    found = dependency_in(BLOCK.replace("type: api_key", f"type: {told}"))

    assert found is not None
    assert (found.need, found.need.secret) == (need, secret)


def test_D_116_a_secret_is_never_in_what_the_agent_is_told() -> None:
    value = "sk_live_4242"

    assert value not in granted(STRIPE, value)
    assert "STRIPE_API_KEY is set in your environment" in granted(STRIPE, value)
    assert "STRIPE_API_KEY will not be given" in denied(STRIPE)
    assert "in /srv/shop" in granted(Dependency("the code", Need.CODE_BASE, "to read it"), "in /srv/shop")


@given(some.text(max_size=200))
def test_D_116_any_text_has_a_request_or_none(text: str) -> None:
    assert dependency_in(text) is None or "[DEPENDENCY_REQUEST]" in text


@pytest.mark.parametrize(
    "answer",
    [
        "설명을 마칩니다.\n\n태스크 완료",
        "태스크를 완료했습니다.",
        "작업이 완료되었습니다!",
        "Here is the regex.\n\nTask complete.",
        "The task is done.",
        "**Task completed**",
    ],
)
def test_D_54_a_plain_phrase_completes_a_conversation(answer: str) -> None:
    assert says_done(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Here is the regex.",
        "The task is not complete.",
        "> Task complete.",
        "```\nTask complete.\n```",
        "Once the task is complete, call me.",
        "태스크 완료 후에 알려 주세요.",
        "I will tell you when the task is done.",
        "",
    ],
)
def test_D_54_other_words_do_not(answer: str) -> None:
    assert not says_done(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "구조, 서명, 검증을 포함한 JWT 인증을 설명했습니다. 더 자세히 설명해드릴 부분이 있나요?",
        "디바운스 함수 구현입니다. 작동 방식을 설명하거나 특정 사용 사례에 맞게 수정해드릴까요?",
        "이를 해결하려면 값을 확인하세요.\n\n정확한 원인을 파악하기 위해 코드를 검토해드릴까요?\n",
    ],
)
def test_S_29_the_three_examples_end_with_an_offer(answer: str) -> None:
    assert offers_more(answer)
    assert not offers_more(answer.replace("?", "."))
    assert not says_done(answer)
