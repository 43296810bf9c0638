"""The layers as one: a question goes to its layer, falls to the next lower one, and the answer says who gave it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from andon.domain.learning import Lesson, Origin
from andon.domain.teams.bulletin import BULLETIN, FINDINGS, HEADS, PROGRESS, finding, finding_entry, progress
from andon.domain.teams.deciding import Decision
from andon.domain.teams.layers import Kind, Layer
from andon.domain.teams.recalling import Query
from andon.domain.teams.shared import Shared, Sort, decision_row
from andon.memory.learnings import Learnings
from andon.memory.markdown import TeamFiles
from andon.memory.mcp import ServerMemory
from andon.memory.shared import FilesLayer, LearningsLayer, MemoryLayer, SharedMemory, TeamTablesLayer, sections
from andon.memory.sqlite import Database
from memory_servers import ENVIRONMENT, HANGS, endpoint, knowledge_graph, python


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        files = TeamFiles(folder / ".team-artifacts")
        files.folder.mkdir()
        told = finding("2026-11-17 10:00", "reader", "read", "The parser is slow on dates")
        (files.folder / BULLETIN).write_text(HEADS[BULLETIN] + told.text())
        (files.folder / FINDINGS).write_text(HEADS[FINDINGS] + finding_entry("writer", "Wrote the parser anew"))
        (files.folder / PROGRESS).write_text(progress([("read", True), ("write the parser", False)]))
        self.files = FilesLayer(files, folder)
        learnings = Learnings(folder / "learnings.db", clock=lambda: 86_400.0)
        learnings.remember("r1/1.1", [Lesson("The parser of dates refuses leap days", ("failure",))], Origin("r1"))
        self.tables = LearningsLayer(learnings)
        left = [
            Shared(Sort.DISCOVERY, "scout", "The parser has no tests", ("gap",)),
            decision_row(Decision("Replace the parser", "lead", 86_400)),
            Shared(Sort.STATE, "lead", "scout", key="parser.owner"),
        ]
        Database(folder / "memory.db").share(left, 86_400.0)
        self.team = TeamTablesLayer(folder / "memory.db")

    def server(self, entry: dict[str, Any], seconds: float = 60.0) -> ServerMemory:
        return ServerMemory("memory", endpoint(entry), ENVIRONMENT, self.folder, seconds=seconds)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def asked(layers: list[MemoryLayer], kind: Kind, words: str = "parser") -> tuple[tuple[Layer, ...], list[str]]:
    found = SharedMemory(layers).search(Query(words, kind))
    return found.answered, [f"{each.name}: {each.problem}" for each in found.asked if each.problem]


def test_B_40_each_kind_goes_to_its_layer_when_all_are_there(project: Project) -> None:
    server = project.server(knowledge_graph(project.folder))
    server.write("The parser was rewritten in spring")
    every: list[MemoryLayer] = [project.files, project.tables, server]

    told = {kind: asked(every, kind) for kind in Kind}

    assert told == {
        Kind.STATE: ((Layer.MARKDOWN,), []),
        Kind.STRUCTURED: ((Layer.SQLITE,), []),
        Kind.SEMANTIC: ((Layer.MCP,), []),
        Kind.TEMPORAL: ((Layer.MCP,), []),
    }


def test_B_40_a_question_falls_to_the_next_lower_layer_that_is_there(project: Project) -> None:
    assert asked([project.files, project.tables], Kind.SEMANTIC) == ((Layer.SQLITE,), [])
    assert {asked([project.files], kind)[0] for kind in Kind} == {(Layer.MARKDOWN,)}
    assert asked([project.files, project.tables], Kind.STRUCTURED, "anew")[0] == (Layer.MARKDOWN,)


def test_B_40_B_48_a_server_that_hangs_is_told_and_a_lower_layer_answers(project: Project) -> None:
    hanging = project.server(python(HANGS), seconds=2.0)

    answered, problems = asked([project.files, project.tables, hanging], Kind.SEMANTIC)

    assert answered == (Layer.SQLITE,)
    assert problems == ["memory: memory did not answer within 2 s"]


def test_B_40_without_a_kind_every_layer_is_asked_and_each_hit_has_its_origin(project: Project) -> None:
    found = SharedMemory([project.files, project.tables, project.team]).search(Query("parser"))

    places = {(hit.place, hit.by, hit.run, hit.at, hit.verdict) for hit in found.hits}
    assert places == {
        ("learnings", "", "r1", "1970-01-02", "by hand"),
        ("discoveries", "scout", "", "1970-01-02", ""),
        ("decisions", "lead", "", "1970-01-02", "proposed"),
        ("shared_state", "lead", "", "1970-01-02", ""),
        (".team-artifacts/team_bulletin.md", "reader", "", "2026-11-17 10:00", ""),
        (".team-artifacts/team_findings.md", "writer", "", "", ""),
        (".team-artifacts/team_progress.md", "", "", "", ""),
    }
    assert found.answered == (Layer.SQLITE, Layer.MARKDOWN)


def test_B_47_G_11_what_has_run_out_is_not_found(project: Project) -> None:
    with sqlite3.connect(project.folder / "memory.db") as connection:
        connection.execute("INSERT INTO shared_state VALUES ('parser.lock', 'held', 'lead', 86400, 1)")

    found = SharedMemory([project.team]).search(Query("parser"))

    assert [hit.text for hit in found.hits if hit.place == "shared_state"] == ["parser.owner = scout"]


def test_B_40_one_layer_alone_and_one_tag_alone(project: Project) -> None:
    memory = SharedMemory([project.files, project.tables, project.team])

    assert {hit.layer for hit in memory.search(Query("parser"), Layer.MARKDOWN).hits} == {Layer.MARKDOWN}
    assert [hit.tags for hit in memory.search(Query("parser", tag="GAP")).hits] == [("gap",)]
    [told] = memory.search(Query("parser"), Layer.MCP).asked
    assert told.problem == "there is none"


def test_B_40_a_broken_database_of_the_checkout_hides_nothing_else(project: Project) -> None:
    (project.folder / "memory.db").write_bytes(b"no database " * 500)

    found = SharedMemory([project.tables, project.team]).search(Query("parser"))

    assert [hit.place for hit in found.hits] == ["learnings"]
    assert [each.name for each in found.asked if each.problem] == ["memory.db"]


def test_B_45_a_moment_that_is_no_day_hides_no_row(project: Project) -> None:
    with sqlite3.connect(project.folder / "memory.db") as connection:  # milliseconds, and what no clock shows
        connection.execute("INSERT INTO discoveries VALUES (7, 'x', 'The parser is odd', '[]', 1763454000000)")
        connection.execute("INSERT INTO discoveries VALUES (8, 'x', 'The parser is odder', '[]', 9000000000000000000)")

    found = SharedMemory([project.team]).search(Query("odd"))

    assert [(hit.text, hit.at) for hit in found.hits] == [("The parser is odder", ""), ("The parser is odd", "")]


def test_E_28_what_is_shown_is_clean(project: Project) -> None:
    memory = SharedMemory([project.tables], clean=lambda text: text.replace("leap", "[redacted]"))

    assert memory.search(Query("parser")).hits[0].text == "The parser of dates refuses [redacted] days"


def test_sections_of_a_document_are_told_apart() -> None:
    text = "before\n# One\n\ntext\n## Two\n#hash is no heading\n### Three\n"

    assert list(sections(text)) == [("", "before"), ("One", "text"), ("Two", "#hash is no heading")]
