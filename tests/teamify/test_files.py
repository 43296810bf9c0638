"""Heads of files, and the folders people keep skills, agents and commands in: whatever lies there is a row."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.teamify.files import look, roots_of
from andon.teamify.heads import head_of_file, read_head, split
from andon.teamify.scanning import named


def put(root: Path, path: str, text: str | bytes) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def found(root: Path):
    return look(roots_of(root, "project"))


# --- heads ----------------------------------------------------------------------------------------------------------


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True),
        st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=30)
        | st.lists(st.from_regex(r"[A-Za-z][A-Za-z ]{0,8}[a-z]", fullmatch=True), min_size=1, max_size=4),
        max_size=5,
    )
)
@settings(max_examples=300)
def test_B_03_a_head_written_by_yaml_is_read_as_yaml_reads_it(values: dict[str, object]) -> None:
    text = yaml.safe_dump(values, allow_unicode=True, default_flow_style=None)

    head = read_head(text)

    assert head.problem == ""
    assert {key: head.words(key) if isinstance(values[key], list) else head.text(key) for key in values} == {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        'name: "quoted: text"',
        "tools: [Read, Bash(git:*)]",
        "description: >\n  folded\n  text",
        "description: |\n  kept\n",
        "name: x # a remark",
        "tools:\n  - Read\n  - Write",
        "name: a\nname: b",
        "nested:\n  key: value",
        "'odd key': x",
        "a: b: c",
        "list: - a",
        "[not, a, table]",
        "{broken",
        "*anchor",
    ],
)
def test_B_03_whatever_a_head_holds_it_says_what_yaml_says_or_what_is_wrong(text: str) -> None:
    head = read_head(text)

    try:
        loaded: object = yaml.safe_load(text)
    except yaml.YAMLError:
        assert head.problem.startswith("its head is no YAML")
        return
    if not isinstance(loaded, dict):
        assert head.problem == "its head is not a table"
        return
    assert {key: str(value) for key, value in head.values.items()} == {str(k): str(v) for k, v in loaded.items()}


def test_B_03_tools_are_a_list_or_a_text_with_commas() -> None:
    assert read_head("allowedTools: Read, Bash(git add, git rm), Write").words("allowedTools") == (
        *("Read", "Bash(git add, git rm)", "Write"),
    )
    assert read_head("tools:\n  - Read").words("allowedTools", "tools") == ("Read",)
    assert read_head("tools: {a: 3}").words("tools") == ()


def test_B_03_what_is_told_is_kept_as_it_is_written() -> None:
    head = read_head("name: true\nmodel: 1.0")

    assert (head.text("name"), head.text("model")) == ("true", "1.0")


def test_B_16_a_text_is_split_into_its_head_and_the_rest() -> None:
    head, rest = split("\ufeff---\r\nname: x\r\n---\r\nBody\n---\nmore")

    assert (head.text("name"), rest) == ("x", "Body\n---\nmore")
    assert split("no head\n") == (split("")[0], "no head\n")
    assert split("---\nname: x\n")[0].problem == "its head has no end"


# --- folders --------------------------------------------------------------------------------------------------------


def test_B_02_X_20_skills_of_both_layouts_with_name_description_and_family(tmp_path: Path) -> None:
    put(tmp_path, ".claude/skills/km-foo.md", "---\nname: foo\ndescription: Does foo\n---\nBody")
    put(tmp_path, ".claude/skills/ce-bar/SKILL.md", "---\nname: bar\ndescription: >\n  Does\n  bar\n---\n")
    put(tmp_path, ".claude/skills/solo.md", "# no head at all\nand more")
    put(tmp_path, ".claude/skills/README.md", "# About these skills")
    put(tmp_path, ".claude/skills/ce-bar/references/more.md", "---\nname: no skill\n---\n")

    rows = [(each.name, each.description.strip(), each.category, each.problem) for each in found(tmp_path).skills]

    assert sorted(rows) == [
        ("bar", "Does bar", "ce", ""),
        ("foo", "Does foo", "km", ""),
        ("solo", "no head at all", "other", ""),
    ]


def test_B_03_agents_with_model_and_tools_and_a_broken_head_is_listed_with_a_warning(tmp_path: Path) -> None:
    put(tmp_path, ".claude/agents/reader.md", "---\nname: reader\nmodel: haiku\nallowedTools: [Read, Grep]\n---\n")
    put(tmp_path, ".claude/agents/broken.md", "---\nname: [oops\n---\n")

    broken, reader = found(tmp_path).agents

    assert (reader.name, reader.model, reader.tools, reader.problem) == ("reader", "haiku", ("Read", "Grep"), "")
    assert broken.name == "broken" and broken.problem.startswith("its head is no YAML")


def test_B_03_what_a_head_that_is_no_yaml_says_is_told_all_the_same(tmp_path: Path) -> None:
    text = "---\nname: planner\ndescription: Use it: when goals are far\nargument-hint: [a] [b]\n---\n"
    put(tmp_path, ".claude/agents/x.md", text)

    [agent] = found(tmp_path).agents

    assert (agent.name, agent.description) == ("planner", "Use it: when goals are far")
    assert agent.problem.startswith("its head is no YAML")


def test_B_04_a_command_without_a_description_is_told_by_its_first_words(tmp_path: Path) -> None:
    put(tmp_path, ".claude/commands/a.md", "---\nmodel: opus\n---\n\n## **Ship it**\n\nMore.")
    put(tmp_path, ".claude/commands/b.md", "")

    assert [each.description for each in found(tmp_path).commands] == ["Ship it", ""]


def test_B_04_only_the_command_with_TeamCreate_supports_teams(tmp_path: Path) -> None:
    put(tmp_path, ".claude/commands/teamify.md", "---\ndescription: Teams\nallowedTools: Read, TeamCreate\n---\n")
    put(tmp_path, ".claude/commands/git/commit.md", "---\ndescription: Commits\nallowed-tools: Bash(git:*)\n---\n")

    assert {each.name: each.teams for each in found(tmp_path).commands} == {"teamify": True, "git:commit": False}


def test_B_02_packages_keep_them_at_their_top(tmp_path: Path) -> None:
    put(tmp_path, "skills/one/SKILL.md", "---\nname: one\n---\n")
    put(tmp_path, "agents/two.md", "---\nname: two\n---\n")

    assert [each.name for each in (*found(tmp_path).skills, *found(tmp_path).agents)] == ["one", "two"]


def test_B_02_whatever_lies_there_is_a_row_or_a_note_and_never_a_crash(tmp_path: Path) -> None:
    base = ".claude/skills"
    put(tmp_path, f"{base}/binary.md", b"\0\1\2\xff" * 100)
    put(tmp_path, f"{base}/latin.md", "---\nname: caf\xe9\n---\n".encode("latin-1"))
    put(tmp_path, f"{base}/huge.md", b"---\nname: huge\n---\n" + b"x" * 10_000_000)
    put(tmp_path, f"{base}/endless.md", "---\n" + "a: b\n" * 30_000)
    put(tmp_path, f"{base}/이름.md", "---\nname: 이름 있는 것\n---\n")
    put(tmp_path, f"{base}/bomb.md", "---\na: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n")
    put(tmp_path, f"{base}/deep.md", "---\na: " + "[" * 5000 + "\n---\n")
    (tmp_path / base / "loop").symlink_to(tmp_path / base, target_is_directory=True)
    (tmp_path / base / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / base / "pipe.md")

    seen = found(tmp_path)

    rows = {Path(each.path).stem: (each.name, each.problem) for each in seen.skills}
    assert rows["binary"] == ("binary", "it is no text") and rows["latin"][1] == "it is no text in UTF-8"
    assert rows["huge"] == ("huge", "") and rows["endless"][1] == "its head is longer than 64 KiB"
    assert rows["이름"] == ("이름 있는 것", "") and rows["bomb"][1] == "" and rows["deep"][1]
    assert len(rows) == len(seen.skills) == 7
    assert [note.rpartition("/")[2] for note in seen.notes] == [
        "gone.md: it is a link to nothing",
        "pipe.md: it is no file",
    ]


def test_B_02_a_folder_that_may_not_be_read_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".claude/agents/a.md", "---\nname: a\n---\n")
    scandir = os.scandir

    def refused(path: str):
        if str(path).endswith("agents"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)  # root may read everything

    assert found(tmp_path).notes == (f"{tmp_path}/.claude/agents: Permission denied",)
    assert head_of_file(str(tmp_path)).problem


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ('{"name": "@people/tools"}', "@people/tools"),
        ('{"name": 3}', "package"),
        ("[" * 100_000, "package"),
        ('["name"]', "package"),
    ],
)
def test_B_02_a_package_is_called_as_it_calls_itself(tmp_path: Path, manifest: str, name: str) -> None:
    put(tmp_path, "package/package.json", manifest)

    assert named(tmp_path / "package") == name
