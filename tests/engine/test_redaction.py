"""What of the environment is a secret, and what only looks like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from andon.engine.redaction import Redaction


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("GH_TOKEN", "ghp_0123456789", "ghp_0123456789"),
        ("HTTP_AUTHORIZATION", "Basic abcdefgh", "Basic abcdefgh"),
        ("UV_INDEX_URL", "https://kim:hunter2hunter2@index.example/simple", "hunter2hunter2"),
        ("HTTPS_PROXY", "http://kim:p%40ssword-long@proxy:3128", "p@ssword-long"),
        ("ANDON_DATABASE_URL", "postgresql://andon:s3cret-s3cret@db/andon", "s3cret-s3cret"),
        ("EXTRA", "https://a.example https://u:second-one@b.example/x", "second-one"),
    ],
)
def test_E_28_a_secret_is_hidden(name: str, value: str, secret: str) -> None:
    assert Redaction({name: value}).text(f"it said {secret}.") == "it said [redacted]."


def test_E_28_what_is_no_secret_is_left_alone(tmp_path: Path) -> None:
    environment = {
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "TOKEN_FOLDER": str(tmp_path),
        "UV_INDEX_URL": "https://somebody@index.example/simple",
    }
    text = f"Ada Lovelace, {tmp_path}/x, somebody, https://index.example/simple"

    assert Redaction(environment).text(text) == text


@pytest.mark.parametrize(
    "secret", ["plain-secret-1", 'quo"ted\\secret', "slash/ed-secret", "\uc554\ud638-\ub9e4\uc6b0-\uae34-\uac83"]
)
def test_E_28_raw_output_is_cleaned_however_its_json_spells_a_secret(secret: str) -> None:
    redaction = Redaction({}, [secret])
    spelt = (secret, json.dumps(secret), json.dumps(secret, ensure_ascii=False), json.dumps(secret).replace("/", "\\/"))
    raw = b"\xff\xfe broken \n" + "\n".join(spelt).encode()

    cleaned = redaction.raw(raw)

    assert cleaned.startswith(b"\xff\xfe broken \n") and cleaned.count(b"[redacted]") == 4
    assert redaction.raw(cleaned) == cleaned
