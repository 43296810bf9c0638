"""Data model, API, architecture, technology and features in documents."""

from __future__ import annotations

import pytest

from andon.domain.tasks.api_document import api_document, endpoints
from andon.domain.tasks.architecture import architecture
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.data_model import data_model, entities_of
from andon.domain.tasks.diagrams import has_diagram
from andon.domain.tasks.features import features_known, features_of, unknown_features
from andon.domain.tasks.technology import same_technology, technologies, technology_conflicts

LIST = """# Data model
## Overview
Two entities.
## User
- id: uuid
- **name**: string
## Order
- id (integer)
- paid — boolean
## Relations
A user has many orders.
"""
TABLE = """# 데이터 모델
### 사용자
| 필드 | 타입 | 설명 |
|---|---|---|
| id | uuid | 키 |
| name | 문자열 | 이름 |
### 관계
사용자 1:N 주문
"""
SQL = """# Schema
```sql
CREATE TABLE users (
  id serial PRIMARY KEY,
  name varchar(40)
);
CREATE TABLE orders (
  user_id integer REFERENCES users(id)
);
```
Foreign keys as shown.
"""
MERMAID = """# Model
```mermaid
erDiagram
  USER ||--o{ ORDER : places
  USER {
    string name
    int age
  }
```
"""
TYPESCRIPT = (
    "# Model\n```ts\nexport interface User {\n  id: string;\n  tags?: string[];\n}\n```\nA user belongs to a team.\n"
)


AS_THE_GUIDE_SAYS = """# Data model
## Entities
- `Tool`: one thing that can be lent.
- `Member`: one flat.
## Fields
### Tool
| field | type | limits |
|---|---|---|
| id | uuid | unique |
## Relations
Member 1 to 0..n Reservation; many to many with tools.
## Rules
- R4: no two reservations overlap.
- unique names
"""


@pytest.mark.parametrize("text", [LIST, TABLE, SQL, MERMAID, TYPESCRIPT, AS_THE_GUIDE_SAYS])
def test_D_14_entities_with_typed_fields_and_relations_pass_in_every_notation(text: str) -> None:
    assert [each for each in data_model(text) if not each.passed] == []


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (LIST.replace(": uuid", "").replace(": string", ""), {"data_model_types": "User has no field with a type"}),
        (
            "# Data model\n## User\n- id\n- name\n## Order\n- id\n## Relations\nA user has many orders",
            {"data_model_types": "User has no field with a type\nOrder has no field with a type"},
        ),
        (
            TABLE.replace("uuid", "").replace("| 문자열 ", "| - "),
            {"data_model_types": "사용자 has no field with a type"},
        ),
        (LIST.replace("A user has many orders.", "None.").replace("Relations", "Rest"),
         {"data_model_relations": "no relation is told"}),
        (
            "# Data model\nWe store users and orders, which have a relation.",
            {
                "data_model_entities": "no entity is named",
                "data_model_types": "no field has a type (string, number, boolean …)",
            },
        ),
    ],
)  # fmt: skip
def test_D_14_what_is_missing_is_named(text: str, failed: dict[str, str]) -> None:
    assert {each.id: each.detail for each in data_model(text) if not each.passed} == failed


def test_D_14_entities_are_found_by_heading_and_by_declaration() -> None:
    assert entities_of(LIST) == (("User", 2), ("Order", 2))
    assert entities_of(SQL) == (("users", 2), ("orders", 1))
    assert entities_of(MERMAID) == (("USER", 2),)


API = """# API
## GET /api/users/:id
Response: `{"name": "x"}`, 200, or 404 when there is none.
## POST /api/users
Request body: `{"name": "x"}`
Response: the user
Status: 201, 422
"""


def test_D_15_a_whole_api_passes_and_its_endpoints_are_known() -> None:
    assert [each for each in api_document(API) if not each.passed] == []
    assert endpoints(API) == (("GET", "/api/users/:id"), ("POST", "/api/users"))
    table = "| Method | Path | Request | Response | Status |\n|--|--|--|--|--|\n| GET | /a | - | list | 200 |"
    assert [each for each in api_document(table) if not each.passed] == []


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (
            API.replace(", 200, or 404 when there is none", "").replace("Status: 201, 422", ""),
            {"api_status_codes": "no status code, such as 200 or 404"},
        ),
        (API.replace("Status: 201, 422", ""), {"api_status_codes": "POST /api/users has no status code"}),
        (API.replace("Request body: ", "Sends "), {"api_request": "no request body is told"}),
        (API.replace("Response", "Answer"), {"api_response": "no response is told"}),
        (
            API.replace("GET ", "Read ").replace("POST ", "Create "),
            {"api_methods": "no HTTP method (GET, POST, PUT, DELETE)"},
        ),
        (
            API.replace("/api/users/:id", "a user").replace("/api/users", "users"),
            {"api_paths": "no path, such as `/api/users/:id`"},
        ),
    ],
)
def test_D_15_each_thing_an_api_must_tell(text: str, failed: dict[str, str]) -> None:
    assert {each.id: each.detail for each in api_document(text) if not each.passed} == failed


def test_D_15_codes_of_an_endpoint_may_stand_in_a_section_of_their_own() -> None:
    text = API.replace("Status: 201, 422", "") + "## Status codes\n- `POST /api/users`: 201 saved, 422 no name\n"

    assert all(each.passed for each in api_document(text))
    assert not all(each.passed for each in api_document(text.replace("`POST /api/users`", "`POST /api/teams`")))


def test_D_15_reading_alone_needs_no_request_body() -> None:
    text = "GET /users\nResponse: 200 and a list\nDELETE /users/1\nResponse: 204"

    assert all(each.passed for each in api_document(text))


@pytest.mark.parametrize("text", ["The price is $200.", "It takes 200 ms", "version 1.200.3", "1200 users", "404%"])
def test_D_15_a_number_is_not_yet_a_status_code(text: str) -> None:
    found = {each.id: each.passed for each in api_document(f"GET /a\nResponse: yes\n{text}")}

    assert found["api_status_codes"] is False


DRAWN = ["```mermaid\ngraph TD\nA-->B\n```", "Trigger → Step 1 → End", "```\nA -> B -> C\n```", "┌───┐\n│ A │\n└───┘"]


@pytest.mark.parametrize("text", DRAWN)
def test_D_43_D_16_a_diagram_is_mermaid_or_text(text: str) -> None:
    assert has_diagram(f"# Design\n\n{text}\n")


@pytest.mark.parametrize("text", ["", "A diagram follows.", "Clicking → opens it", "a -> b\n\nc -> d", "x | y"])
def test_D_43_words_about_a_diagram_are_none(text: str) -> None:
    assert not has_diagram(text)


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (DRAWN[0], True),
        ("Components: web and worker. Data flow: web writes, worker reads.", True),
        ("컴포넌트는 둘이다. 데이터 흐름은 아래와 같다.", True),
        ("It will be good.", False),
        ("Components: web and worker.", False),
    ],
)
def test_D_16_an_architecture_is_drawn_or_told(text: str, passed: bool) -> None:
    assert architecture(text).passed is passed


TECH = "# Tech\n- Front end: React with TypeScript\n- Back end: FastAPI (Python)\n- Database: PostgreSQL\n"


@pytest.mark.parametrize(
    ("architecture_text", "conflicts"),
    [
        ("The web client is written in Vue.", ("front end: React here, Vue there",)),
        ("The web client is written in React, state lies in PostgreSQL and Redis.", ()),
        ("A Next.js application talks to FastAPI.", ()),
        ("PostgreSQL holds the data, in tests SQLite does.", ()),
        ("A Nuxt application.", ("front end: React here, Vue there",)),
        ("React was chosen over Vue; Postgres rather than MySQL.", ()),
        ("Vue 대신 React를 쓴다. MongoDB보다 PostgreSQL이 낫다.", ()),
        ("## Stack\nReact\n## Alternatives considered\nVue, Django, MySQL", ()),
        ("MongoDB holds the data, Django serves it.", (
            "back end: FastAPI here, Django there", "database: PostgreSQL here, MongoDB there",
        )),
        ("A mobile client in React Native.", ()),
        ("It is fast and reacts quickly.", ()),
    ],
)  # fmt: skip
def test_D_16_D_12_one_place_and_nothing_in_common_is_a_conflict(
    architecture_text: str, conflicts: tuple[str, ...]
) -> None:
    assert technology_conflicts(TECH, architecture_text) == conflicts


def test_D_16_the_criterion_names_both_documents() -> None:
    found = same_technology("docs/design/05_architecture.md", "Vue", {"docs/planning/08_tech.md": "React"})

    assert found == Criterion(
        "technology",
        False,
        "docs/design/05_architecture.md and docs/planning/08_tech.md: front end: Vue here, React there",
    )


def test_D_16_technologies_are_known_by_place() -> None:
    assert technologies(TECH) == {
        "front end": {"React"},
        "back end": {"FastAPI"},
        "database": {"PostgreSQL"},
        "language": {"TypeScript", "Python"},
    }


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("# Features\n## 1. Shared lists\nx\n## 2. Reminders\nx\n## Priorities\nx", ("Shared lists", "Reminders")),
        ("# 기능\n- **공유 목록**: 함께 쓴다\n- **알림**: 제때\n  - **세부**: x", ("공유 목록", "알림")),
        ("# F\n## All\n| Feature | Rank |\n|--|--|\n| Shared lists | P0 |\n| Reminders | P1 |",
         ("Shared lists", "Reminders")),
        ("# Features\n### Feature 1: Shared lists\nx", ("Shared lists",)),
        ("# Features\nSome prose.", ()),
        ("# 07\n## 1. Feature list\n| no. | name |\n|--|--|\n| F1 | Shared lists |\n## 2. Details\n### F2 Reminders\nx",
         ("Reminders", "Shared lists")),
    ],
)  # fmt: skip
def test_D_12_D_16_features_are_read_from_headings_items_and_tables(text: str, features: tuple[str, ...]) -> None:
    assert features_of(text) == features


def test_D_12_D_16_a_feature_that_another_document_does_not_know_is_named() -> None:
    features = "# Features\n## 1. Shared lists\nx\n## 2. Payment by invoice\nx\n## 3. 가족 달력\nx"
    product = "Scope: lists that are shared in the family, with a calendar. 가족이 함께 쓰는 달력."

    assert unknown_features(features, product) == ("Payment by invoice",)
    found = features_known("features_in_scope", features, product, "docs/planning/06_product.md")
    assert found.detail == "docs/planning/06_product.md does not know the feature Payment by invoice"
    assert features_known("features_in_scope", features, product + " Payment by invoice.", "x").passed
    assert unknown_features(features, product + " There is an invoice.") == (), "half of its words are enough"
