"""Which type a task is: the tree, suggestions from texts in two languages, warnings."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.tasks.choice import Answers, choose, decide, misuses, still_possible, suggest
from andon.domain.tasks.phases import TaskType
from type_examples import EXAMPLES

A, B, C, D = TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW, TaskType.CUSTOM


@pytest.mark.parametrize(("coding", "existing", "automation"), list(product((False, True), repeat=3)))
def test_D_03_the_tree_for_every_combination_of_answers(coding: bool, existing: bool, automation: bool) -> None:
    expected = D if not coding else B if existing else C if automation else A

    assert decide(Answers(coding, existing, automation)) is expected


@given(*(some.sampled_from((None, False, True)) for _ in range(3)))
def test_D_03_an_unknown_answer_leaves_open_what_both_answers_lead_to(
    coding: bool | None, existing: bool | None, automation: bool | None
) -> None:
    known = [(False, True) if each is None else (each,) for each in (coding, existing, automation)]
    reached = {decide(Answers(*each)) for each in product(*known)}

    assert set(still_possible(Answers(coding, existing, automation))) == reached
    assert decide(Answers(coding, existing, automation)) is (reached.pop() if len(reached) == 1 else None)


@pytest.mark.parametrize(("type", "korean", "english"), EXAMPLES)
def test_D_06_S_28_the_examples_are_labelled_in_both_languages(type: TaskType, korean: str, english: str) -> None:
    assert (suggest(korean).type, suggest(english).type) == (type, type)


AS_NOUNS = [
    (A, "todo app with React and Firebase"),
    (A, "REST API for a blog platform"),
    (A, "landing page for a SaaS product"),
    (A, "CLI tool for file management"),
    (A, "e-commerce storefront"),
    (B, "dark mode for an existing React app"),
    (B, "pagination for the user list"),
    (B, "e-mail notifications for an existing app"),
    (C, "Slack notice when a GitHub PR is merged"),
    (C, "daily backup of PostgreSQL to S3"),
    (C, "automatic production deployment on push to main"),
    (C, "weekly analytics report by e-mail"),
    (C, "data synchronisation between Stripe and an internal database"),
    (C, "uptime monitoring with alert"),
    (D, "regex for e-mail addresses"),
    (D, "security review of this code"),
    (D, "REST versus GraphQL for my case"),
    (D, "best state management for React"),
]


@pytest.mark.parametrize(("type", "text"), AS_NOUNS)
def test_D_06_the_examples_are_labelled_without_a_verb_too(type: TaskType, text: str) -> None:
    assert suggest(text).type is type


CRITERIA = [
    (A, "new app from scratch"),
    (A, "full planning and design"),
    (A, "build a complete application"),
    (A, "comprehensive documents"),
    (A, "새 앱을 처음부터 생성"),
    (A, "전체 기획 및 설계 필요"),
    (A, "완전한 애플리케이션 구축"),
    (A, "빈 슬레이트로 시작"),
    (A, "포괄적인 문서 필요"),
    (A, "블로그 플랫폼 만들기"),
    (B, "existing application"),
    (B, "code base supplied"),
    (B, "add a feature"),
    (B, "fix a bug"),
    (B, "refactor"),
    (B, "기존 애플리케이션 수정"),
    (B, "기존 코드베이스 제공됨"),
    (B, "기존 앱에 기능 추가"),
    (B, "기존 코드의 버그 수정"),
    (B, "내 블로그에 검색 추가"),
    (C, "automation"),
    (C, "external services"),
    (C, "trigger-based"),
    (C, "scheduled"),
    (C, "event-driven"),
    (C, "자동화 생성"),
    (C, "외부 서비스 통합"),
    (C, "트리거 기반 실행"),
    (C, "예약된 태스크"),
    (C, "이벤트 기반 처리"),
    (C, "push 시 자동 배포"),
    (D, "Q&A"),
    (D, "snippet"),
    (D, "code review"),
    (D, "debugging help"),
    (D, "research"),
    (D, "Q&A 또는 설명 필요"),
    (D, "빠른 코드 스니펫 필요"),
    (D, "코드 리뷰 요청"),
    (D, "디버깅 도움 필요"),
    (D, "연구 태스크"),
    (D, "async/await 설명"),
]


@pytest.mark.parametrize(("type", "criterion"), CRITERIA)
def test_D_04_each_criterion_proposes_its_type(type: TaskType, criterion: str) -> None:
    assert suggest(criterion).type is type


NEVER_SEEN = [
    (A, "Please build a recipe website for my grandmother"),
    (A, "I'd like a chess game for the browser"),
    (A, "Develop a chat application with e-mail notifications"),
    (A, "가계부 앱을 개발해 주세요"),
    (A, "동네 도서관을 위한 예약 사이트 만들어줘"),
    (B, "Could you add a search box to our shop?"),
    (B, "Upgrade Django to 5.1 and fix what breaks"),
    (B, "Find out why the tests are slow and fix it"),
    (B, "Rename the user table in this project"),
    (B, "Implement rate limiting in our API"),
    (B, "로그인 버튼이 안 눌려요. 고쳐 주세요"),
    (B, "우리 앱에 결제 기능을 추가해 줄 수 있나요?"),
    (B, "왜 느린지 찾아서 고쳐 줄 수 있나요?"),
    (C, "Every morning at 7, post the open issues to Discord"),
    (C, "Copy new Shopify orders into Google Sheets"),
    (C, "When a customer signs up, send a welcome e-mail"),
    (C, "매일 아침 서버 로그를 수집해서 노션에 게시"),
    (C, "새 주문이 들어오면 문자로 알림 보내기"),
    (D, "How do I centre a div?"),
    (D, "Write a function that debounces API calls"),
    (D, "What's the difference between a process and a thread"),
    (D, "Debug this error"),
    (D, "API 호출을 디바운스하는 함수 작성"),
    (D, "'Cannot read property of undefined' 오류가 왜 발생하나요?"),
    (D, "파이썬 GIL이 뭔지 알려줘"),
]


@pytest.mark.parametrize(("type", "text"), NEVER_SEEN)
def test_D_04_texts_that_no_list_holds_are_labelled_by_the_same_rules(type: TaskType, text: str) -> None:
    assert suggest(text).type is type


CASUAL = [
    (B, "The checkout page crashes when the cart is empty, please fix"),
    (B, "Remove the deprecated v1 endpoints"),
    (B, "Translate the existing UI to Korean"),
    (B, "Make the header sticky on mobile"),
    (B, "결제 모듈을 TypeScript로 전환"),
    (B, "설정 페이지에 언어 선택 기능 구현"),
    (A, "Write me a small inventory management system in Go"),
    (A, "I want to make a Tetris clone in Rust"),
    (A, "여행 일정 관리 앱을 처음부터 만들고 싶어요"),
    (C, "Pull the latest exchange rates each hour and store them in Postgres"),
    (C, "Set up a workflow that archives old Trello cards monthly"),
    (C, "새 이슈가 등록되면 자동으로 라벨 추가"),
    (C, "GitHub 릴리스가 나오면 디스코드에 게시"),
    (D, "Is it safe to store JWTs in localStorage?"),
    (D, "중복 행을 찾는 SQL 쿼리 작성해줘"),
    (D, "도커가 뭐예요?"),
]


@pytest.mark.parametrize(("type", "text"), CASUAL)
def test_D_04_a_text_is_labelled_right_or_asked_about_and_never_wrong(type: TaskType, text: str) -> None:
    assert type in suggest(text).possible


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("hello", {A, B, C, D}),
        ("", {A, B, C, D}),
        ("안녕하세요", {A, B, C, D}),
        ("Build a dashboard app that mails me every Monday", {A, C}),
        ("매일 날씨를 보여주는 앱 만들기", {A, C}),
        ("Make something nice", {A, B, C}),
        ("Create a new app out of our existing app", {A, B, C}),
    ],
)
def test_D_04_what_is_unclear_says_so_and_asks(text: str, possible: set[TaskType]) -> None:
    found = suggest(text)

    assert found.type is None
    assert found.question is not None
    assert set(found.question.options) == {each.value for each in possible}
    assert found.question.category == "choice"
    assert found.reason in found.question.text


@given(some.text(max_size=400))
def test_D_04_every_text_gets_a_type_or_a_question_with_choices(text: str) -> None:
    found = suggest(text)

    assert (found.type is None) == (found.question is not None)
    assert found.possible == (found.type,) if found.type else len(found.possible) > 1


@pytest.mark.parametrize("chosen", [*TaskType])
def test_D_06_what_a_person_chose_wins(chosen: TaskType) -> None:
    assert all(choose(chosen, text) is chosen for _, text in AS_NOUNS)
    assert choose(None, "Fix the login bug") is B
    assert choose(None, "hello") is None


def test_D_05_a_change_without_code_warns_and_proposes_the_two_that_begin_with_nothing() -> None:
    (found,) = misuses(B, "Fix the login bug", code=False)

    assert found.instead == (A, C)
    assert misuses(B, "Fix the login bug", code=True) == ()


TEXTS = {
    A: "Build a todo app",
    B: "Fix the login bug",
    C: "Back up the database every night",
    D: "Explain JWT",
}


@pytest.mark.parametrize(
    ("chosen", "wanted", "warned"),
    [
        *((A, B, True), (A, C, True), (A, D, True), (A, A, False)),
        *((B, A, True), (B, C, True), (B, D, False), (B, B, False)),
        *((C, A, True), (C, B, True), (C, D, True), (C, C, False)),
        *((D, A, True), (D, B, True), (D, C, True), (D, D, False)),
    ],
)
def test_D_05_a_type_taken_for_what_another_is_made_for_warns(chosen: TaskType, wanted: TaskType, warned: bool) -> None:
    found = misuses(chosen, TEXTS[wanted], code=True)

    assert [each.instead for each in found] == ([(wanted,)] if warned else [])
    assert all(chosen.value in each.reason for each in found)


def test_D_05_an_unclear_text_warns_of_nothing() -> None:
    assert misuses(A, "hello", code=False) == ()
