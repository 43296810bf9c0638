"""The five dimensions of an answer's quality."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.tasks.quality import (
    QualityScore,
    actionability,
    clarity,
    completeness,
    keywords,
    quality_score,
    relevance,
)


@given(some.text(max_size=400), some.text(max_size=100), some.none() | some.integers(1, 5))
def test_D_56_X_45_every_value_lies_in_range_and_overall_is_the_mean(
    response: str, prompt: str, accuracy: int | None
) -> None:
    found = quality_score(response, prompt, accuracy)
    five = (found.relevance, found.completeness, found.accuracy, found.clarity, found.actionability)

    assert all(1 <= each <= 5 for each in five)
    assert found.overall == sum(five) / 5


@pytest.mark.parametrize(
    ("prompt", "response", "value"),
    [
        ("alpha beta2 gamma delta", "alpha beta2", 3),
        ("alpha beta2 gamma delta", "alpha beta2 gamma delta", 5),
        ("alpha beta2 gamma delta", "nothing", 1),
        ("why?", "because", 3),
        ("", "because", 3),
        ("웹소켓을 설명", "웹소켓은 연결이다", 3),
    ],
)
def test_D_57_X_45_relevance_is_the_share_of_keywords_half_up(prompt: str, response: str, value: int) -> None:
    assert relevance(response, prompt) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Explain the WebSocket API", ("explain", "websocket")),
        ("the a an and or but THE", ()),
        ("cats and dogs, cats!", ("cats", "dogs")),
        ("웹소켓을 설명", ("웹소켓", "설명")),
        ("", ()),
    ],
)
def test_D_58_G_18_keywords(text: str, found: tuple[str, ...]) -> None:
    assert keywords(text) == found


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("short", 2),
        ("```x```", 3),
        ("x" * 200, 2),
        ("x" * 201, 3),
        ("a\n\nb", 2),
        ("a\n\nb\n\nc", 3),
        ("```x```\n\nb\n\n" + "x" * 201, 5),
    ],
)
def test_D_59_completeness(response: str, value: int) -> None:
    assert completeness(response) == value


@pytest.mark.parametrize(("words", "value"), [(9, 3), (10, 5), (25, 5), (26, 4), (35, 4), (36, 3)])
def test_D_60_X_46_clarity_by_words_in_a_sentence(words: int, value: int) -> None:
    assert clarity(("word " * words).strip() + ".") == value
    assert clarity(f"{'word ' * (words - 1)}! {'word ' * (words + 1)}?") == value


def test_D_60_X_45_an_empty_answer_gets_one_everywhere_and_does_not_raise() -> None:
    assert quality_score("", "Explain the WebSocket API") == QualityScore(1, 1, 3, 1, 1)
    assert clarity("...") == 1


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("1. run npm install see https://x", 5),
        ("nothing to do", 2),
        ("Step 2 comes next", 3),
        ("```bash\nls\n```", 3),
        ("see http://example.org", 3),
    ],
)
def test_D_61_actionability(response: str, value: int) -> None:
    assert actionability(response) == value


def test_D_62_accuracy_comes_from_outside_or_is_marked_as_not_assessed() -> None:
    assert quality_score("x", "x") == QualityScore(3, 2, 3, 3, 2, accuracy_assessed=False)
    assert quality_score("x", "x", 5) == QualityScore(3, 2, 5, 3, 2, accuracy_assessed=True)
    for wrong in (0, 6):
        with pytest.raises(ValueError, match="from 1 to 5"):
            quality_score("x", "x", wrong)


GOOD = """WebSockets let a browser and a server send messages to each other over one open connection at any time.

Unlike HTTP, where each request waits for one response, the WebSockets connection stays open and both sides may speak.
To explain it in code, here is a small client that you can run after the two steps below.

1. Install the package with npm install ws and start the server on your own machine before you open the page.

```js
const socket = new WebSocket("ws://localhost")
```

Chats, games and live dashboards are typical uses, and you can read more about all of it at https://developer.mozilla.org
"""


def test_D_66_S_30_a_good_answer_scores_clearly_higher_than_a_bad_one() -> None:
    good = quality_score(GOOD, "Explain WebSockets", 5)
    bad = quality_score("There is an error.", "Debug this error")

    assert (good.relevance, good.completeness, good.clarity) == (5, 5, 5)
    assert good.overall > 4.5
    assert bad.overall < 3
