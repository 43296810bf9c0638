"""The review page through the server: a real task, a real store, and no document that does anything."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import yaml
from starlette.testclient import TestClient

from andon.app.access import Access, Role
from andon.app.demo import make_sample
from andon.app.queries import open_store
from andon.app.starting import StartOptions
from andon.app.stopping import stop
from andon.app.store import Store
from andon.app.tasks import Task, Wish, host_task, task_of
from andon.domain.run import RunRow
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.reviews import Comment
from andon.engine import tables
from andon.web.documents import ATTRIBUTES, TAGS, document
from andon.web.reviewing import plain_comments
from andon.web.server import create_app
from andon.web.site import Site
from patience import until

STORY = Path(__file__).parents[1] / "pipelines" / "stories" / "task-modify.yaml"
PLAN = "docs/planning/modification_plan.md"
ROLES = ("viewer", "reviewer", "admin")
HOST = "127.0.0.1:3811"
pytestmark = pytest.mark.xdist_group("review-page")


@dataclass
class Served:
    store: Store
    row: RunRow
    client: TestClient
    tokens: Mapping[str, str]

    def waiting(self, phase: int, version: int = 1) -> Task:
        """The task once a version of that phase's work waits for a person, and no process waits with it."""

        def found() -> Task | None:
            task = task_of(self.store, self.store.runs.get(self.row.id))
            same = [each for each in task.reviews if each.phase == phase]
            there = task.pending is not None and task.pending.phase == phase and len(same) == version
            return task if there and self.store.parked(self.store.runs.get(self.row.id)) else None

        return until(f"review v{version} of phase {phase}", found)

    def get(self, path: str, role: str = "reviewer") -> Any:
        return self.client.get(path, headers=self.headers(role) | {"accept": "text/html"})

    def decide(self, task: Task, decision: str, role: str = "reviewer", **more: str) -> Any:
        review = task.pending
        assert review is not None
        given = {"version": str(review.version), "tree": review.tree, "decision": decision} | more
        return self.client.post(
            f"/reviews/{review.id}/decide",
            data=given,
            headers=self.headers(role) | {"hx-request": "true"},
        )

    def verified_as(self, review: str, rows: list[dict[str, Any]]) -> None:
        """As if that had come out of its verification."""
        told = {"passed": False, "criteria": rows, "report": "Look again."}
        change = sa.update(tables.reviews).where(tables.reviews.c.id == review).values(verification=told)
        with self.store.engine.begin() as connection:
            connection.execute(change)

    def headers(self, role: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[role]}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    tmp = tmp_path_factory.mktemp("review")
    environment = {**os.environ, "ANDON_HOME": str(tmp / "home"), "HOME": str(tmp)}
    scenario = tmp / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": yaml.safe_load(STORY.read_text())["rules"]}))
    options = StartOptions(("task",), make_sample(tmp), settings={"runtime": "scripted", "scenario": str(scenario)})
    row = host_task(options, Wish("Count words", TaskType.MODIFY_APP), environment)
    store = open_store(environment)
    access = Access(store.home)
    tokens = {role.value: access.token(role.value, role) for role in Role}
    with TestClient(create_app(Site.of(store, environment), frozenset({HOST})), base_url=f"http://{HOST}") as client:
        yield Served(store, row, client, tokens)
    stop(store, store.runs.get(row.id), lambda entry: None)


# --- the page -------------------------------------------------------------------------------------------------------


def test_D_77_the_page_shows_the_report_then_every_deliverable_then_the_decision(served: Served) -> None:
    task = served.waiting(1)
    review = task.pending
    assert review is not None

    page = served.get(f"/reviews/{review.id}").text
    listed = served.get("/reviews").text

    places = [page.index(each) for each in ("Verification report</h2>", "current_state.md</h2>", "You decide on v1")]
    assert places == sorted(places)
    assert 'id="docs/analysis/current_state.md:L3"' in page and "<h4>Structure overview</h4>" in page
    assert "The analysis exists" in page and f'value="{review.tree}"' in page
    assert f"/reviews/{review.id}" in listed and "Count words" in listed


def test_D_77_a_file_is_found_by_its_name_in_the_tree_and_in_no_other_way(served: Served) -> None:
    task = served.waiting(1)
    assert task.pending is not None
    base = f"/reviews/{task.pending.id}/file"
    there = served.get(f"{base}?path=docs/analysis/current_state.md&diff=unified")
    outside = ("../../etc/passwd", "/etc/passwd", "docs/../../x", "docs/analysis/./current_state.md", ".git/config", "")

    assert there.status_code == 200 and "Current state of tally" in there.text
    for path in (*outside, "src/tally/__init__.py", "docs\\analysis\\current_state.md", "%2e%2e/%2e%2e/etc/passwd"):
        answer = served.client.get(base, params={"path": path}, headers=served.headers("reviewer"))
        assert answer.status_code == 404, path
        assert answer.json()["error"]["title"] == "This review has no such file"
    assert served.get("/reviews/none.1.1").status_code == 404


def test_D_101_only_a_reviewer_decides(served: Served) -> None:
    task = served.waiting(1)

    refused = served.decide(task, "approve", role="viewer")
    looked = served.get(f"/reviews/{task.pending.id}", role="viewer")  # type: ignore[union-attr]

    assert refused.status_code == 403 and "viewer" in refused.json()["error"]["title"]
    assert looked.status_code == 200 and "You look on" in looked.text and 'name="decision"' not in looked.text
    assert served.waiting(1).pending == task.pending


def test_D_104_G_29_an_admin_hands_a_review_to_somebody_else(served: Served) -> None:
    review = served.waiting(1).pending
    assert review is not None
    path, given = f"/reviews/{review.id}/reviewer", {"reviewer": "ada"}

    seen = {role: "Hand it to somebody else" in served.get(f"/reviews/{review.id}", role).text for role in ROLES}
    refused = served.client.post(path, data=given, headers=served.headers("reviewer"))
    nobody = served.client.post(path, data={"reviewer": " "}, headers=served.headers("admin"))
    named = served.client.post(path, data=given, headers=served.headers("admin"), follow_redirects=False)
    stale = served.client.post(
        f"/reviews/{review.id}/decide",
        data={"version": str(review.version), "tree": review.tree, "decision": "approve"},
        headers=served.headers("reviewer"),
    )

    asked = served.client.put(f"/api{path}", json={"reviewer": "bob"}, headers=served.headers("admin"))

    assert seen == {"viewer": False, "reviewer": False, "admin": True}
    assert (refused.status_code, nobody.status_code, named.status_code, stale.status_code) == (403, 422, 303, 409)
    assert asked.status_code == 200 and asked.json()["version"] == review.version + 2
    after = served.waiting(1).pending
    assert after is not None and (after.reviewer, after.version) == ("bob", review.version + 2)
    assert "bob" in served.get(f"/reviews/{review.id}").text
    told = [e.data for e in served.store.journal.entries(served.row.id) if e.kind == "review_assigned"]
    assert [(each["reviewer"], each["by"]) for each in told] == [("ada", "admin"), ("bob", "admin")]


def test_D_102_a_decision_about_another_version_or_tree_is_a_conflict(served: Served) -> None:
    task = served.waiting(1)

    for stale in ({"version": "9"}, {"tree": "0" * 40}):
        answer = served.decide(task, "approve", **stale)
        assert answer.status_code == 409
        assert answer.json()["error"]["title"] == "Review was already processed by another user"
    for bad in ({"version": "x"}, {"tree": ""}, {"decision": "perhaps"}, {"comments": '{"path": 3}'}):
        assert served.decide(task, **({"decision": "approve"} | bad)).status_code == 422
    assert served.decide(task, "changes").status_code == 422  # says nothing
    assert served.waiting(1).pending == task.pending


def test_D_77_D_103_line_and_file_comments_reach_the_agent_and_the_next_version_is_a_new_review(served: Served) -> None:
    first = served.waiting(1)
    assert served.decide(first, "approve", comment="Go on").status_code == 204
    task = served.waiting(2)
    comments = [{"path": PLAN, "line": 9, "text": "Four cases"}, {"path": PLAN, "line": 0, "text": "Name the test"}]

    answer = served.decide(task, "changes", comment="Nearly", comments=json.dumps(comments))
    again = served.waiting(2, 2)

    assert answer.status_code == 204
    prompts = [entry.data["prompt"] for entry in served.store.journal.entries(served.row.id) if entry.kind == "spawn"]
    told = next(each for each in prompts if "Four cases" in each)
    assert f"{PLAN}:9: Four cases" in told and f"{PLAN}: Name the test" in told and "Nearly" in told
    assert task.pending is not None and again.pending is not None
    old = served.get(f"/reviews/{task.pending.id}").text
    assert "v2 is here. You are looking at v1." in old and "Four cases" in old and 'name="decision"' not in old
    new = served.get(f"/reviews/{again.pending.id}?since=1&diff=unified").text
    assert "You decide on v2" in new and "Four cases" in new and "Changes since v1" in new
    source = served.get(f"/reviews/{again.pending.id}?since=1&diff=unified&source={PLAN}").text
    assert "<mark>" in source and "four" in source
    assert served.decide(task, "approve", comment="x").status_code == 409  # who comes late is told who was first


def test_D_77_lines_are_commented_on_without_javascript(served: Served) -> None:
    task = served.waiting(2, 2)
    assert task.pending is not None
    page = served.get(f"/reviews/{task.pending.id}").text
    fields = {"path-0": PLAN, "line-0": "x", "text-0": "Five cases", "path-1": PLAN, "line-1": "", "text-1": " "}

    refused = served.decide(task, "changes", **fields)
    before = served.waiting(2, 2).pending
    sent = plain_comments(fields | {"line-0": "9"})

    assert f"<option>{PLAN}</option>" in page and 'name="line-0"' in page
    assert refused.status_code == 422 and "x is no line number" in refused.text and before == task.pending
    assert sent == (Comment(PLAN, "Five cases", 9),)
    assert plain_comments({"path-3": "a.py", "line-3": "", "text-3": "All of it"}) == (Comment("a.py", "All of it"),)


def test_G_19_what_was_not_measured_is_shown_as_that_everywhere(served: Served) -> None:
    review = served.waiting(2, 2).pending
    assert review is not None
    told = served.store.reviews.verification(review.id)["criteria"]
    blind = {"id": "B2-08", "passed": False, "detail": "test: timed out after 120 s", "measured": False}
    served.verified_as(review.id, [row for row in told if row["id"] != "B2-08"] + [blind])

    page, listed = served.get(f"/reviews/{review.id}").text, served.get("/reviews").text
    told = served.client.get(f"/api/reviews/{review.id}", headers=served.headers("reviewer")).json()

    assert told["verdict"] == "not_measured" and not told["verified"]
    assert "1 not measured" in page and "1 failed" not in page and "not all of it was measured" in page
    assert "timed out after 120 s" in page and "verdict--failed" not in page and "verdict--failed" not in listed
    assert "Approving needs a reason." in page and "not while something was not measured" in page


def test_D_74_approving_what_failed_needs_a_reason(served: Served) -> None:
    task = served.waiting(2, 2)
    review = task.pending
    assert review is not None
    told = served.store.reviews.verification(review.id)["criteria"]
    rows = [row for row in told if row["id"] not in ("B2-08", "B2-09")]
    served.verified_as(review.id, [*rows, {"id": "B2-08", "passed": False, "detail": "two meanings"}])

    page = served.get(f"/reviews/{review.id}").text
    refused = served.decide(served.waiting(2, 2), "approve")

    assert refused.status_code == 422 and "needs a reason" in refused.json()["error"]["title"]
    assert "1 failed" in page and "1 not measured" in page and "Approving needs a reason." in page
    assert re.search(r'value="approve"[^>]*aria-disabled="true"', page)
    report = page[page.index("Verification report</h2>") :]
    rank = [report.index(each) for each in ("two meanings", "nobody looked at it", "andon measured it")]
    assert rank == sorted(rank)
    assert served.decide(served.waiting(2, 2), "approve", comment="Good enough").status_code == 204
    assert served.store.reviews.get(review.id).comment == "Good enough"


def test_D_77_the_report_links_the_signed_record_of_what_was_measured(served: Served) -> None:
    before = served.get(f"/reviews/{served.waiting(3).reviews[0].id}").text
    review = served.waiting(3).pending
    assert review is not None

    page = served.get(f"/reviews/{review.id}").text
    linked = re.findall(
        rf'href="(/runs/{served.row.id}/evidence)#(record-\d+)" title="The signed record of (\w+)"', page
    )
    evidence = served.get(linked[0][0]).text
    outputs = re.findall(r'href="(/runs/\w+/output/\w+)"', evidence)

    run, board = served.get(f"/runs/{served.row.id}").text, served.get("/").text
    assert "Nothing measured yet" not in run and '<span class="name" title="test">test</span>' in run
    assert board.count("10 criteria passed") == 2  # where it needs somebody, and in the list
    assert {goal for _, _, goal in linked} >= {"test", "verification"}
    assert all(f'id="{record}"' in evidence for _, record, _ in linked)
    assert any("passed" in served.get(each).text for each in outputs)
    assert ">Evidence</th>" in page
    assert ">Evidence</th>" not in before  # documents are read: no program printed anything


def test_D_77_a_diagram_is_drawn_in_a_frame_that_can_reach_nothing(served: Served) -> None:
    frame = served.client.get("/diagram")
    policy = frame.headers["content-security-policy"]

    assert frame.status_code == 200 and "sandbox allow-scripts" in policy and "default-src 'none'" in policy
    assert "allow-same-origin" not in policy and "connect-src" not in policy
    assert "frame-src 'self'" in served.get("/reviews").headers["content-security-policy"]


# --- documents ------------------------------------------------------------------------------------------------------

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<style>body{display:none}</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<base href=//evil.example>",
    "<form action=//evil.example><input name=x></form>",
    "<!-- <script>alert(1)</script> -->",
    "<!--><script>alert(1)</script>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    '[x](https://ok.example "onmouseover=alert(1)")',
    '[x](https://ok.example"onclick="alert(1))',
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "![x](data:image/png;base64,AAAA)",
    '![x](x "onerror=alert(1)")',
    '![" onerror="alert(1)](x)',
    "```html\n<script>alert(1)</script>\n```",
    "````\n```\n<script>alert(1)</script>\n```\n````",
    "```mermaid\ngraph TD\n</pre><script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\nx\n```',
    "    <script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "# <img src=x onerror=alert(1)>",
    "- <details open ontoggle=alert(1)>",
    "> <video><source onerror=alert(1)></video>",
    "<math><mtext></table></math><img src onerror=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<p style='position:fixed;inset:0'>x</p>",
    "[x](//evil.example/y)",
    "[x](../../settings)",
    "x\u0000<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
)


class Reader(HTMLParser):
    """Every tag and attribute that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@pytest.mark.parametrize("attack", ATTACKS, ids=[f"D-77-{number:02}" for number in range(1, len(ATTACKS) + 1)])
def test_D_77_nothing_of_a_document_is_active(attack: str) -> None:
    reader = Reader()

    reader.feed(document(f"before\n\n{attack}\n\nafter"))

    assert reader.comments == []
    for tag, attributes in reader.seen:
        assert tag in TAGS and not {"img", "script", "iframe", "svg", "style"} & {tag}
        assert set(attributes) <= ATTRIBUTES.get(tag, set()) | {"rel"}
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        href = attributes.get("href")
        assert href is None or href.startswith(("https://ok.example", "http://", "mailto:"))
    assert any(tag == "p" for tag, _ in reader.seen)


def test_D_77_code_in_a_document_is_highlighted_by_classes_and_a_diagram_keeps_its_source() -> None:
    made = document("```python\nreturn 1\n```\n\n```mermaid\ngraph TD; A-->B\n```\n")

    assert '<span class="y-k">return</span>' in made and "style=" not in made
    assert '<figure class="diagram"><pre class="term source">graph TD; A--&gt;B' in made
