"""Scenario files: what loads, and that every mistake is told with file, line and reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from andon.domain.errors import UserError
from andon.runtimes import scenario as scenarios
from andon.runtimes.actions import Write
from andon.runtimes.scenario import Scenario, json_schema, load

SCHEMA = Path(scenarios.__file__).with_name("scenario.schema.json")


def rule(text: str) -> str:
    return f"scenario: 1\nrules:\n  - {text}\n"


MISTAKES = [
    ("empty file", "", 1, "the file is empty; a scenario starts with `scenario: 1`"),
    ("only a comment", "# nothing\n", 1, "the file is empty"),
    ("a list at the top", "\n- scenario: 1\n", 2, "not a mapping"),
    ("text at the top", "hello\n", 1, "not a mapping"),
    ("a tab", "scenario: 1\nrules:\n\t- reply: x\n", 3, "a tab; YAML is indented with spaces"),
    ("broken YAML", "scenario: 1\nrules: [\n", 3, "expected the node content"),
    ("two documents", "scenario: 1\n---\nscenario: 1\n", 2, "a second document"),
    ("a forbidden character", "scenario: 1\ntitle: a\x01b\n", 2, "a character that YAML does not allow"),
    ("half a character", 'scenario: 1\ntitle: "\\ud800"\n', 2, "half a character"),
    (
        "a duplicate key",
        "scenario: 1\nrules:\n  - reply: a\n    reply: b\n",
        4,
        "`reply` is given twice, first in line 3",
    ),
    ("a key that is no text", rule("reply: {1: a}"), 3, "a key is text"),
    ("a key that is a list", rule("reply: {[a]: b}"), 3, "a key is text"),
    ("a python tag", rule("reply: !!python/object/apply:os.getcwd []"), 3, "has no meaning here"),
    ("a tag that lies", rule("reply: !!int many"), 3, "has no meaning here"),
    ("deep nesting", rule("reply: " + "[" * 60 + "]" * 60), 3, "nested too deeply"),
    ("very deep nesting", rule("reply: " + "[" * 1500 + "]" * 1500), 1, "nested too deeply"),
    ("a recursive alias", rule("reply: &a [*a]"), 3, "nested too deeply"),
    ("no version", "rules:\n  - reply: x\n", 1, "`scenario` is missing"),
    ("another version", "scenario: 2\nrules:\n  - reply: x\n", 1, "version 2 of the language; only version 1"),
    ("a version that is no number", "scenario: true\nrules:\n  - reply: x\n", 1, "version True"),
    ("no rules", "scenario: 1\n", 1, "`rules` is missing"),
    ("an empty list of rules", "scenario: 1\ntitle: a\nrules: []\n", 3, "at least 1 item"),
    ("a mistyped top key", "scenario: 1\nrule:\n  - reply: x\n", 2, "no key `rule`; did you mean `rules`?"),
    ("a mistyped rule key", rule("match: {}\n    repyl: x"), 4, "no key `repyl`; did you mean `reply`?"),
    ("a mistyped match key", rule("match:\n      roel: x\n    reply: x"), 4, "no key `roel`; did you mean `role`?"),
    ("a mistyped action", rule("do:\n      - wriet: {path: a, text: b}\n    reply: x"), 4, "did you mean `write`?"),
    ("a mistyped key of an action", rule("do:\n      - write:\n          pth: a"), 5, "`write` has no key `pth`"),
    ("an unheard-of key", rule("zzzz: 1"), 3, "known are `match`, `do`, `reply`, `usage`, `template`"),
    ("a rule that is text", rule("planner"), 3, "a rule is a mapping of keys to values, not text"),
    ("an action that is a word", rule("do:\n      - hang"), 4, "for example `- hang: {}`"),
    ("two actions in one entry", rule("do:\n      - sleep: {seconds: 1}\n        hang: {}"), 5, "one action, not 2"),
    (
        "a missing key of an action",
        rule("do:\n      - sleep: {seconds: 1}\n      - write: {path: a}"),
        5,
        "`write` has one of `text`, `base64` and `link`",
    ),
    ("an action without its keys", rule("do:\n      - write:"), 4, "`path` is missing"),
    ("a wrong type", rule("do:\n      - write: {path: a, text: 3}"), 4, "`text`: input should be a valid string"),
    (
        "a call that is no number",
        rule("match: {call: first}\n    reply: x"),
        3,
        "`call`: input should be a valid integer",
    ),
    ("a call of zero", rule("match: {call: [1, 0]}\n    reply: x"), 3, "`call`: input should be greater than"),
    (
        "a bad regular expression",
        rule("match:\n      prompt: '(a'\n    reply: x"),
        4,
        "not a regular expression: missing )",
    ),
    ("a reply that is a number", rule("match: {}\n    reply: 3"), 4, "a reply is text, a mapping or a list"),
    ("a reply that JSON lacks", rule("reply: [1e999]"), 3, "cannot be written as JSON"),
    ("no reply anywhere", rule("match: {}"), 3, "no `reply`, and `defaults` has none"),
    (
        "an action after the end",
        rule("do:\n      - hang:\n      - sleep: {seconds: 1}"),
        5,
        "ends with `hang` before it",
    ),
    ("a reply after the end", rule("do: [{crash: {}}]\n    reply: x"), 4, "never reached: the agent ends with `crash`"),
    (
        "a rule after the last",
        rule("reply: x\n  - match: {role: a}\n    reply: y"),
        4,
        "the rule before it serves every order",
    ),
    (
        "a default that is no option",
        rule("do:\n      - ask: {question: q, options: [a], default: b}\n    reply: x"),
        4,
        "not one of",
    ),
    (
        "a timeout without default",
        rule("do:\n      - ask: {question: q, timeout: 3}\n    reply: x"),
        4,
        "needs a `default`",
    ),
    ("an emit of nothing", rule("do:\n      - emit: {}\n    reply: x"), 4, "either a `line` or an `event`"),
    (
        "two ways to crash",
        rule("do:\n      - crash: {code: 2, signal: KILL}"),
        4,
        "one of `code`, `signal` and `reason`",
    ),
    ("an unknown signal", rule("do:\n      - crash: {signal: STOP}"), 4, "`signal`: input should be"),
    ("an exit code that is none", rule("do:\n      - crash: {code: 0}"), 4, "`code`: input should be"),
    ("endless sleep", rule("do:\n      - sleep: {seconds: 1e999}\n    reply: x"), 4, "`seconds`: input should be"),
    ("negative usage", rule("reply: x\n    usage: {money: -1}"), 4, "`money`: input should be"),
    ("an unknown placeholder", rule("template: true\n    reply: 'a {feature}'"), 4, "`{feature}` cannot be filled in"),
    ("an answer before the question", rule("template: true\n    reply: 'a {answer}'"), 4, "known only after an `ask`"),
    ("a placeholder or code", rule("match: {role: a}\n    reply: 'Hi {name}'"), 4, "say `template: true`"),
    (
        "an answer in the question",
        rule("template: true\n    do:\n      - ask: {question: '{answer}?'}\n    reply: x"),
        5,
        "known only after an `ask`",
    ),
]


@pytest.mark.parametrize(
    ("text", "line", "reason"), [each[1:] for each in MISTAKES], ids=[each[0] for each in MISTAKES]
)
def test_E_02_a_mistake_is_told_with_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)

    with pytest.raises(UserError) as wrong:
        load(path)

    assert wrong.value.message.startswith(f"{path}:{line}: "), wrong.value.message
    assert reason in wrong.value.message


def test_E_02_other_mistakes_are_told_in_the_hint(a_file: Callable[[str], Path]) -> None:
    path = a_file("""
        scenario: 1
        rules:
          - reply: 3
          - replay: x
    """)

    with pytest.raises(UserError) as wrong:
        load(path)

    assert wrong.value.message.startswith(f"{path}:4: ")
    assert wrong.value.hint.startswith(f"{path}:5: a rule has no key `replay`")


def test_E_02_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"scenario: 1\ntitle: caf\xe9\n")

    for path, reason in ((tmp_path / "none.yaml", "No such file"), (tmp_path, "directory"), (latin, ":2: not UTF-8")):
        with pytest.raises(UserError, match=reason):
            load(path)


def test_E_02_aliases_cannot_stand_for_billions_of_values(tmp_path: Path) -> None:
    levels = "".join(f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 12))
    path = tmp_path / "laughs.yaml"
    path.write_text("scenario: 1\ndefaults:\n  l0: &l0 [x]\n" + levels + "rules: [{reply: x}]\n")

    with pytest.raises(UserError, match="too large, counting aliases at each use"):
        load(path)


def test_E_02_yaml_is_read_the_way_editors_read_it(a_file: Callable[[str], Path]) -> None:
    loaded = load(
        a_file("""
        scenario: 1
        rules:
          - reply: {no: no, on: on, date: 2024-01-01, mode: 0644, time: 1:30,
                    number: 12, half: 0.5, big: 1e3, yes: true, gone: ~}
    """)
    )

    assert loaded.rules[0].reply == {
        "no": "no", "on": "on", "date": "2024-01-01", "mode": "0644", "time": "1:30",
        "number": 12, "half": 0.5, "big": 1000.0, "yes": True, "gone": None,
    }  # fmt: skip


def test_E_02_anchors_and_merges_work_and_mistakes_in_them_have_their_own_line(a_file: Callable[[str], Path]) -> None:
    text = """\
        scenario: 1
        rules:
          - &base
            match: {role: a}
            reply: x
          - <<: *base
            match: {role: %s}
    """
    assert load(a_file(text % "b")).rules[1].reply == "x"

    with pytest.raises(UserError, match=":7: `role`"):
        load(a_file(text % "7"))


def test_E_02_a_scenario_can_be_made_without_a_file() -> None:
    made = Scenario.model_validate(
        {"scenario": 1, "rules": [{"do": [{"write": {"path": "a", "text": "b"}}], "reply": "x"}]}
    )

    assert made.rules[0].do[0].action == Write(path="a", text="b")


def test_E_02_the_published_schema_is_up_to_date() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == json_schema(), (
        "python -m andon.runtimes.scenario > src/andon/runtimes/scenario.schema.json"
    )


def test_E_02_the_schema_is_a_schema_and_explains_every_key() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    jsonschema.Draft202012Validator.check_schema(schema)
    assert all(part.get("description") for part in schema["$defs"].values())


@pytest.mark.parametrize(
    ("rule_text", "valid"),
    [
        ("do: [{hang: null}]", True),
        ("do: [{move: {from: a, to: b}}]\n    reply: [1]", True),
        ("match: {call: [1, 2], name: 'a-*'}\n    reply: {a: 1}", True),
        ("do: [{write: null}]\n    reply: x", False),
        ("do: [{hang: {}, sleep: {seconds: 1}}]", False),
        ("do: [{}]\n    reply: x", False),
        ("do: [{move: {source: a, target: b}}]\n    reply: x", False),
        ("match: {call: first}\n    reply: x", False),
        ("repyl: x", False),
    ],
)
def test_E_02_schema_and_loader_agree(tmp_path: Path, rule_text: str, valid: bool) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    path = tmp_path / "s.yaml"
    path.write_text(rule(rule_text))

    by_schema = not list(jsonschema.Draft202012Validator(schema).iter_errors(yaml.safe_load(path.read_text())))
    try:
        load(path)
        by_loader = True
    except UserError:
        by_loader = False

    assert (by_schema, by_loader) == (valid, valid)
