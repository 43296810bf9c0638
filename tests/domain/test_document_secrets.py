"""Secrets in documents: what a person would choose or was given is found; what names or describes one is left alone."""

from __future__ import annotations

import base64
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.document_secrets import hidden, is_document, spotted

# Put together, so that no scanner takes this file for a leak.
KEY_TEXT = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END " + "PRIVATE KEY-----"
SECRETS = [
    "postgres://user:Hunter2!@host/db",
    "password: Sommer2024!",
    'DB_PASSWORD="Sommer2024"',
    "DB_PASSWORD=Xk29sllpQ2mz",
    "비밀번호: 여름Sommer2024!",
    "| password | Hunter2! |",
    "**Password**: `Hunter2!`",
    "the password is Hunter2!",
    '"password": "Hunter2!",',
    "redis://:Hunter2!@cache:6379",
    "api_key: 9f8a7b6c5d4e3f2a1b0c7d6e",
    "export API_TOKEN=f81d4fae7dec11d0a765",
    KEY_TEXT,
]
EXAMPLES = [
    "password: <password>",
    "password: changeme",
    "DB_PASSWORD=${DB_PASSWORD}",
    "password: ****",
    "password: your-password-here",
    "postgres://user:example@host/db",
    "password: example",
    "Password: must have 8 characters",
    "password: varchar(255)",
    "password_hash: argon2id",
    "token: HS256-signed-JWT",
    "token: uuid4",
    "secret: `sha256_hex_of_body`",
    "postgres://user:password@host/db",
    "postgres://postgres:postgres1@localhost:5432/x",
    '"password": "P@ssw0rd!"',
    '"password": "SecurePass123!"',
    "token: eyJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoiSm9obiBEb2UifQ.abcdefghijkl",
    "Tokens: 80000",
    "Password: 8-72 characters",
    "`password`: VARCHAR2(72)",
    "token: expires in 15min",
    "token=process.env.TOKEN1",
    "secrets: ./secrets/db1.txt",
    "password: PBKDF2-HMAC-SHA256",
    "- Token: refreshed every 15m, see docs/04_api.md",
    "password: min8,max72",
    "API key: config/keys2.yaml",
    "token: the 3rd-party token2",
    "access_key: field 3",
    "the token is v2-signed",
    "password |string| 8+",
    "`token_2024-01-01`",
    "secret: projects/1/secrets/shop-key",
    "postgres://app:$DB_PASS1@host/db",
    "postgres://app:PASSWORD1@host/db",
    "Token: `Authorization1`",
    "비밀번호: 8자 이상",
    "암호화: AES256",
    "암호: bcrypt12",
    "password: {{DB_PASSWORD_1}}",
    "passwords are hashed: cost=12",
    "token_count: 12k",
    "export KEY=sk-ant-your-key-goes-here-now",
]
VALUE = "Sommer!2024/rain x"


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_in_a_document_is_found_and_hidden(line: str) -> None:
    text = f"# Setup\n\n{line}\nMore.\n"
    [found] = spotted(text, {})

    assert found.line == 3
    assert spotted(hidden(text, [found]), {}) == []


@pytest.mark.parametrize("line", EXAMPLES)
def test_what_stands_for_a_secret_or_describes_one_is_left_alone(line: str) -> None:
    assert spotted(f"# Setup\n\n{line}\n", {}) == []


@pytest.mark.parametrize("before", ["", "a", "us", "user:"])
def test_what_a_person_gave_is_found_in_every_encoding(before: str) -> None:
    raw = f"{before}{VALUE}!".encode()
    for told in (raw.decode(), base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(), raw.hex()):
        [found] = spotted(f"x\n{told}\n", {"KEY": VALUE})
        assert (found.line, "KEY" in found.kind) == (2, True)
    assert spotted(urllib.parse.quote(VALUE, safe=""), {"KEY": VALUE})


def test_what_stood_there_before_is_not_touched() -> None:
    old = "password: Sommer2024!\n"

    assert spotted(f"# New\n{old}", {}, old) == []


@pytest.mark.parametrize(
    ("path", "is_one"), [("docs/a.md", True), ("tests/data/a.md", False), ("requirements.txt", False)]
)
def test_data_of_tests_and_tools_is_no_document(path: str, is_one: bool) -> None:
    assert is_document(path) is is_one


@given(st.text(max_size=200), st.text(min_size=8, max_size=20))
def test_no_text_makes_it_raise_and_what_is_hidden_is_gone(text: str, value: str) -> None:
    told = f"password: {text}\n{value}"
    safe = hidden(told, spotted(told, {"KEY": value}))
    assert value not in safe or value in "[redacted]"
