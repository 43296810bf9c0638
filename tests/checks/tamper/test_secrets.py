"""Secrets in added lines are found and not repeated; placeholders, digests and test passwords are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.secrets import secret_findings
from checks.tamper.small_changes import added, edited

# Put together, so that no scanner takes this file for a leak.
RANDOM = "Zq8Lw3Xv7Tn2Bk5Rm9Yd4Hs6Jf1Gc0Pa"
SECRETS = [
    "key = '" + "AKIA" + "Z7Q2M4X8K1P9W3TB" + "'",
    "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz12345Q"[:40],
    "token: gh" + "p_" + RANDOM + "Qw3e",
    "TOKEN=github" + "_pat_" + RANDOM,
    "glp" + "at-" + RANDOM[:20],
    "xox" + "b-123456789012-" + RANDOM,
    "https://hooks.slack" + ".com/services/T0AB1CD2E/B0AB1CD2E/" + RANDOM[:24],
    "stripe = 'sk" + "_live_" + RANDOM + "'",
    "AI" + "za" + RANDOM + "xY7",
    "sk-" + "ant-api03-" + RANDOM,
    "sk-" + "proj-" + RANDOM,
    "npm" + "_" + RANDOM + "Qw3e",
    "-----BEGIN RSA " + "PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----",
    'password = "x9K2mQ7vL4pT"',
    'const apiKey: string = "f81d4fae7dec11d0a76500a0c91e6bf6"',
    '{"client_secret": "' + RANDOM + '"}',
    "DB = 'postgres://shop:x9K2mQ7vL4pT@db.example.com/shop'".replace("example.com", "shop.io"),
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJyZWFsLXVzZXItOTkifQ" + "." + RANDOM,
]


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_is_found_and_not_repeated(line: str) -> None:
    [finding] = secret_findings(added("src/config.py", "x = 1\n" + line + "\n"))

    assert (finding.rule, finding.line) == ("secret_added", 2)
    told = finding.message + finding.subject
    assert not any(line[at : at + 9] in told for at in range(len(line) - 8) if " " not in line[at : at + 9])


HONEST = [
    ("src/a.py", "key = 'AKIAIOSFODNN7EXAMPLE'"),
    ("src/a.py", 'password = os.environ["SHOP_PASSWORD"]'),
    ("src/a.py", 'password = "changeme-please-1"'),
    ("src/a.py", 'token = "your-token-here-123"'),
    ("src/a.py", 'api_key = "${API_KEY_12345}"'),
    ("src/a.py", 'secret_name = "projects/1/secrets/shop-key"'),
    ("src/a.py", 'TOKEN_URL = "https://auth.shop.io/oauth2/token1"'),
    ("src/a.py", 'password_field = "user_password_input2"'),
    ("src/a.py", 'token_type = "authorization_code"'),
    ("src/a.py", 'secret = "abababab1212"'),
    ("src/a.ts", 'const tokenKey = "shop.session.token.v2"'),
    ("src/a.py", 'sha = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"'),
    ("compose.yml", "url: postgres://postgres:postgres@localhost:5432/x"),
    ("compose.yml", "url: postgres://app:app_password@db/x"),
    ("tests/test_a.py", 'password = "x9K2mQ7vL4pT"'),
    ("tests/test_a.py", "token = 'gh" + "p_" + "test" + "A" * 32 + "'"),
    ("tests/certs/server.key", "-----BEGIN " + "PRIVATE KEY-----"),
    ("README.md", "export KEY=sk-" + "ant-your-key-goes-here-now"),
    (".env.example", 'API_KEY="x9K2mQ7vL4pTx9K2"'),
    ("package-lock.json", '"integrity": "sha512-' + RANDOM + RANDOM + '=="'),
    ("src/a.css", ".sk-circle-fade-dots-and-more-dots { color: red }"),
    ("src/a.py", "eyJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoiSm9obiBEb2UifQ.abcdefghijkl"),
    ("src/a.py", "-----BEGIN PUBLIC KEY-----"),
]


@pytest.mark.parametrize(("path", "line"), HONEST)
def test_what_is_no_secret_is_left_alone(path: str, line: str) -> None:
    assert secret_findings(added(path, line + "\n")) == []


def test_a_secret_that_was_there_is_not_new() -> None:
    old = SECRETS[0] + "\n"

    assert secret_findings(edited("a.py", old, "x = 1\n" + old)) == []


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(text: str) -> None:
    secret_findings(added("a.py", text))
    secret_findings(added("a.py", 'password = "' + text + '" eyJaaaaaaaaaaaa.eyJ' + text + ".aaaaaaaaaaaa"))
