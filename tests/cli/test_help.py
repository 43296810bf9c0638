"""Help: every command explains itself with an example, the reference says the same, and a look costs little."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from andon.cli import exits
from andon.cli.main import COMMANDS, EPILOG, andon
from andon.cli.topics import TOPICS
from andon.domain.auto.options import is_trigger

ROOT = Path(__file__).parents[2]
HEAVY = ("rich", "sqlalchemy", "dbos", "pydantic", "alembic", "cryptography", "yaml", "asyncio")
IMPORTED = """
import json, sys
from andon.cli.main import main
try:
    main()
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def below(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(path, command)]
    context = click.Context(command)
    found = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
    return [each for name, sub in found if sub for each in below(sub, f"{path} {name}")]


@pytest.mark.parametrize(
    ("path", "command"), below(andon, "andon"), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_explains_itself_with_an_example(path: str, command: click.Command) -> None:
    shown = command.get_help(click.Context(command, info_name=path))

    assert command.help and command.help.strip().endswith(".")
    examples = shown.partition("Examples:")[2]
    assert path in examples
    undocumented = [
        each.name for each in command.params if isinstance(each, click.Option) and not each.hidden and not each.help
    ]
    assert undocumented == []


@pytest.mark.parametrize(
    ("path", "command"), below(andon, "andon"), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_examples_of_a_command_use_options_that_it_has(path: str, command: click.Command) -> None:
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"-h", "--help"}
    for line, _ in getattr(command, "examples", ()):
        words = shlex.split(line.partition(" > ")[0].partition(" | ")[0])
        used = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
        assert not line.startswith(path) or set(used) <= known, line


@pytest.mark.parametrize("name", ["team", "memory", "task", "uam", "evidence", "notify", "plugin", "token"])
def test_a_group_lists_its_commands_with_whole_sentences(name: str) -> None:
    group = andon.get_command(click.Context(andon), name)
    assert isinstance(group, click.Group)

    shown = group.get_help(click.Context(group, info_name=f"andon {name}")).partition("Commands:")[2]

    assert "..." not in shown and all(f"  {each}  " in shown for each in group.commands)


def test_commands_of_a_team_stand_in_the_order_of_their_use() -> None:
    group = andon.get_command(click.Context(andon), "team")
    assert isinstance(group, click.Group)

    assert group.list_commands(click.Context(group))[:5] == ["scan", "analyse", "compose", "check", "run"]


def test_the_options_of_auto_stand_in_groups() -> None:
    command = andon.get_command(click.Context(andon), "auto")
    assert command is not None

    shown = command.get_help(click.Context(command, info_name="andon auto"))

    headings = re.findall(r"^(\S.*):$", shown, re.MULTILINE)
    assert headings == ["How the work is done", "Limits", "Where and by whom", "Options", "Examples"]


def test_G_35_help_says_which_command_is_for_what(person: Any) -> None:
    told = json.loads(person.andon("help", "doors", "--json").stdout)
    shown = person.andon("help", "doors").stdout

    assert {f"andon {door}" for door in ("auto", "uam", "task", "team")} <= told.keys()
    assert all(name in shown for name in told) and "`andon help doors`" in person.andon("--help").stdout


def test_E_30_help_lists_every_command(person: Any) -> None:
    ran = person.andon("--help")

    assert ran.code == 0
    assert re.findall(
        r"^  ([\w-]+)  ", ran.stdout.partition("Commands:")[2].partition("Exit codes:")[0], re.MULTILINE
    ) == list(COMMANDS)


def test_the_reference_of_commands_is_what_the_commands_say() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/commands.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )

    assert checked.returncode == 0, checked.stderr


def test_the_exit_codes_are_documented_as_they_are() -> None:
    told = {
        int(code)
        for code in re.findall(r"^\| (\d+) \|", (ROOT / "docs/reference/exit-codes.md").read_text(), re.MULTILINE)
    }
    codes = {value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int)}

    assert told == codes
    assert {int(code) for code in re.findall(r"\b(\d+)  ", EPILOG)} == codes


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (("--help",), HEAVY),
        (("auto", "--help"), HEAVY),
        (("--version",), HEAVY),
        (("runs",), ("dbos", "rich", "alembic", "yaml")),
        (("runs", "--json"), ("dbos", "rich", "alembic", "yaml")),
        (("status", "zzz"), ("dbos", "rich", "alembic", "yaml")),
        (("answer",), ("dbos", "rich", "alembic", "yaml")),
    ],
    ids=" ".join,
)
def test_a_look_imports_no_engine_and_help_nothing_heavy(
    person: Any, words: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    person.runs()  # the first look ever makes the tables

    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words],
        cwd=person.repository,
        env=person.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    imported = json.loads(done.stderr.splitlines()[-1])
    assert "click" in imported
    assert [name for name in absent if name in imported] == []


# --- what helps and documents name ------------------------------------------------------------------------------------


def lines_in(text: str) -> set[str]:
    """Command lines that a text names: between backticks, and in blocks; of a block with prompts those alone."""
    found = set(re.findall(r"`(andon [^`\n]+)`", text))
    for block in re.findall(r"```(?:sh|console|bash|text)?\n(.*?)```", text, re.DOTALL):
        lines = [line.strip() for line in block.splitlines()]
        prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        found |= {line for line in prompted or lines if line.startswith("andon ")}
    return found


def wrong_with(line: str) -> str:
    """Why nobody can type it; "" when they can."""
    line = re.split(r"\s*(?:#|\||>|&&|;|…|\.\.\.)", f"{line} ")[0]
    try:
        words = shlex.split(line)[1:]
    except ValueError:  # cut in the middle of a text
        words = line.split()[1:]
    command: click.Command = andon
    path = ["andon"]
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][\w-]*", words[0]):
        below_it = command.get_command(click.Context(command), "auto" if is_trigger(words[0]) else words[0])
        if below_it is None and command.name != "uam":
            return f"{' '.join(path)} has no command {words[0]}"
        if below_it is None:
            break
        command = below_it
        path.append(words.pop(0))
    if isinstance(command, click.Group) and command.name == "uam":  # whose first word may be the task
        run = command.get_command(click.Context(command), "run")
        command = run or command
    if path == ["andon", "help"] and words and words[0].islower():
        known_topics = {*TOPICS, *TOPICS["replaced"][1], *COMMANDS}
        return "" if words[0] in known_topics else f"no topic {words[0]}"
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    used = {word.partition("=")[0].rstrip(".,:)") for word in words if re.match(r"--?[a-z]", word)}
    return " ".join(sorted(used - known - {"-h", "--help", "--version"}))


def test_every_command_topic_and_option_that_a_help_page_names_exists() -> None:
    pages = {path: command.get_help(click.Context(command, info_name=path)) for path, command in below(andon, "andon")}
    pages["andon"] = andon.get_help(click.Context(andon))
    for path, text in pages.items():
        named = lines_in(re.sub(r"\n +", " ", text))
        assert {line: wrong for line in named if (wrong := wrong_with(line))} == {}, path
    assert "andon help doors" in lines_in(pages["andon"])


def test_every_command_topic_and_option_that_a_document_names_exists() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "plugin").rglob("*.md")]
    for file in documents:
        named = lines_in(file.read_text()) if "spec" not in file.parts else set[str]()
        assert {line: wrong for line in named if (wrong := wrong_with(line))} == {}, file


@pytest.mark.parametrize("name", ["ralph", "ralplan", "ultraqa", "replaced"])
def test_A_148_help_says_what_replaced_a_command_that_somebody_knew(person: Any, name: str) -> None:
    ran = person.andon("help", name)

    assert ran.code == 0 and "impl-manager loop" in ran.stdout
