"""File names that andon mints: the specification's fifteen tests, its scenarios, and properties for all inputs."""

from __future__ import annotations

import re
import secrets
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andon.domain.filenames import (
    TOKENS,
    FilenameError,
    Policy,
    SafeNames,
    counters,
    decide,
    is_reserved,
    sanitise,
    suggest,
    validate,
)


def safe_names() -> SafeNames:
    return SafeNames(time.time, secrets.randbelow(TOKENS))


SANITISED = [
    ("spaces", "my file.txt", "my_file.txt"),
    ("invalid characters", "file<name>.txt", "file_name_.txt"),
    ("separators", "user/data.json", "user_data.json"),
    ("traversal", "../../etc/passwd", "._._etc_passwd"),
    ("reserved", "CON.txt", "_CON.txt"),
    ("reserved without extension", "PRN", "_PRN"),
    ("Korean", "파일명.txt", "파일명.txt"),
    ("emoji", "emoji😀.txt", "emoji😀.txt"),
    ("hidden", ".gitignore", ".gitignore"),
    ("hidden with extension", ".env.example", ".env.example"),
]


@pytest.mark.parametrize(("name", "expected"), [row[1:] for row in SANITISED], ids=[row[0] for row in SANITISED])
def test_D_80_S_19_X_49_X_50_sanitise_order(name: str, expected: str) -> None:
    assert sanitise(name) == expected


@pytest.mark.parametrize("character", [*'<>:"/\\|?*', *map(chr, range(0x20))])
def test_D_81_X_51_each_invalid_character_is_replaced_and_reported_every_time(character: str) -> None:
    name = f"a{character}b.txt"
    for _ in range(2):  # the source's own expression forgot every second call
        assert sanitise(name) == "a_b.txt"
        assert any("invalid characters" in error for error in validate(name).errors)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("con.TXT", "_con.TXT"),
        ("console.txt", "console.txt"),
        ("LPT9.log", "_LPT9.log"),
        ("COM¹.txt", "_COM¹.txt"),
        ("nul.tar.gz", "_nul.tar.gz"),
        (".con", ".con"),
        ("com0.txt", "com0.txt"),
    ],
)
def test_D_82_reserved_names(name: str, expected: str) -> None:
    assert sanitise(name) == expected


def test_D_83_S_19_G_20_long_names_keep_their_extension() -> None:
    safe = sanitise("a" * 300 + ".txt")
    assert len(safe.encode()) == 255
    assert safe.endswith("a.txt")


def test_D_83_characters_and_clusters_stay_whole() -> None:
    assert sanitise("파" * 100) == "파" * 85
    accented = "x" * 254 + "q\u0323"  # q with a dot below has no composed form: the cut would fall inside it
    assert sanitise(accented) == "x" * 254
    assert sanitise("🇰🇷" * 40) == "🇰🇷" * 31


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Filename cannot be empty"),
        ("   ", "Filename cannot be empty"),
        ("...", "Sanitized filename is empty"),
        (".", "Sanitized filename is empty"),
        ("\u200b", "Sanitized filename is empty"),
    ],
)
def test_D_84_S_19_empty_names(name: str, message: str) -> None:
    with pytest.raises(FilenameError) as raised:
        sanitise(name)
    assert raised.value.message == message


def test_D_85_options() -> None:
    assert sanitise("my file?.txt", replace_spaces=False, replacement="-") == "my file-.txt"
    with pytest.raises(ValueError, match="cannot stand in"):
        sanitise("a?b", replacement="/")


def test_D_86_S_19_valid_name_has_nothing_to_say() -> None:
    assert validate("valid_file.txt").valid
    assert validate("valid_file.txt").warnings == ()


def test_D_86_S_19_invalid_characters_come_first() -> None:
    result = validate("file<name>.txt")
    assert not result.valid
    assert "invalid characters" in result.errors[0]


def test_D_86_S_19_traversal_is_three_errors() -> None:
    result = validate("../../../etc/passwd")
    assert not result.valid
    assert len(result.errors) == 3
    assert any("path traversal" in error for error in result.errors)


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("my file.txt", "spaces"),
        ("CON.txt", "reserved name: CON"),
        ("emoji😀.txt", "special characters"),
        (".env", "starts with dot"),
        ("a\u202etxt.exe", "invisible"),
    ],
)
def test_D_86_S_19_warnings_do_not_make_a_name_invalid(name: str, warning: str) -> None:
    result = validate(name)
    assert result.valid
    assert any(warning in text for text in result.warnings)


def test_D_86_too_long_names_the_bytes() -> None:
    assert validate("파" * 100).errors == ("Filename too long: 300 bytes (max: 255)",)
    assert validate(" ").errors == ("Filename is empty",)


def test_D_87_S_19_generated_names_match_and_differ() -> None:
    names = safe_names()
    made = [names.next("test", "txt") for _ in range(1000)]
    assert all(re.fullmatch(r"test_\d+_[a-z0-9]{6}\.txt", name) for name in made)
    assert len(set(made)) == 1000


def test_D_87_tokens_differ_even_when_the_clock_stands_still() -> None:
    names = SafeNames(lambda: 1.0, 0)
    made = {names.next() for _ in range(50_000)}
    assert len(made) == 50_000
    assert all(name.startswith("file_1000_") for name in made)


def test_D_87_S_19_X_52_prefix_is_reduced() -> None:
    assert re.match(r"^my_file__\d+", safe_names().next("my file!", "json"))
    assert len(safe_names().next("p" * 400, "tar.gz").encode()) == 255


def test_D_91_suggestion_for_the_agent() -> None:
    suggestion = suggest("a b?.txt")
    assert suggestion.kind == "filename_invalid"
    assert suggestion.message == 'Invalid filename "a b?.txt" auto-corrected to "a_b_.txt"'
    assert (suggestion.original, suggestion.suggested) == ("a b?.txt", "a_b_.txt")


def test_D_92_counters() -> None:
    namings = [decide("my file.txt"), decide("a<b.txt"), decide("CON.txt"), decide("plain.txt")]
    assert counters(namings) == {
        "filename.sanitized": 1,
        "filename.validation.failed": 1,
        "filename.reserved_name_detected": 1,
    }
    failed = namings[1].event
    assert failed is not None
    assert failed.data["errorCount"] == 1


def test_D_93_production_blocks_development_warns() -> None:
    bad = "a<b.txt"
    production, development = decide(bad, Policy.PRODUCTION), decide(bad, Policy.DEVELOPMENT)
    assert (production.blocked, development.blocked) == (True, False)
    assert development.safe == "a_b.txt"
    assert development.event is not None
    assert development.event.level == "warning"
    assert production.suggestion is not None
    assert production.suggestion.suggested == "a_b.txt"
    assert decide("...", Policy.DEVELOPMENT).blocked


def test_D_93_decomposed_names_become_composed() -> None:
    assert decide(unicodedata.normalize("NFD", "파일명.txt")).safe == "파일명.txt"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my file.txt", "my_file.txt"),
        ("CON.txt", "_CON.txt"),
        ("../../etc/passwd", "._._etc_passwd"),
        ("very_long_filename_" * 20 + ".txt", ("very_long_filename_" * 20)[:251] + ".txt"),
    ],
)
def test_S_20_scenarios(name: str, expected: str) -> None:
    assert sanitise(name) == expected


NASTY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("./\\ \t:<_-¹1\u0301\u0323\u200d\u202e\u1160\ud800COMNULPRX파🇰"),
    ),
    max_size=400,
)


@settings(max_examples=300)
@given(NASTY, st.booleans())
@example("CONx" + "\u0323" * 300, True)
@example("COM1 .txt", False)
@example("e\u200b\u0301", True)
@example("a" * 250 + "." * 3 + "b.txt", True)
def test_D_80_every_result_is_safe_and_stable(name: str, replace_spaces: bool) -> None:
    try:
        safe = sanitise(name, replace_spaces=replace_spaces)
    except FilenameError:
        return
    assert validate(safe).valid
    assert not is_reserved(safe)
    assert len(safe.encode()) <= 255
    assert safe == safe.strip()
    assert not safe.endswith(".")
    assert unicodedata.is_normalized("NFC", safe)
    assert sanitise(safe, replace_spaces=replace_spaces) == safe
