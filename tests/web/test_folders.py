"""Who may not go anywhere starts work in the folders they may: on the page, over HTTP, from a draft or the queue."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from andon.app.access import Role
from andon.app.demo import make_sample
from andon.app.folders import FolderRefused
from andon.app.programs import Programs
from andon.app.wishing import new_wish, start_waiting, submit
from andon.domain.errors import UserError

from .small import Small, small

pytestmark = pytest.mark.xdist_group("folders")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    folder = tmp_path_factory.mktemp("folders")
    for name in ("here", "known", "elsewhere"):
        (folder / name).mkdir()
        make_sample(folder / name).rename(folder / name / "tally")
    (folder / "here" / "link").symlink_to(folder / "elsewhere" / "tally")
    with small(folder, here=folder / "here") as made:
        made.add("known222", repository=str(folder / "known" / "tally"))
        yield made


def start(server: Small, role: Role, repository: Path | str, **more: str) -> httpx.Response:
    given = {"text": "Count words", "type": "modify_app", "repository": str(repository), "runtime": "nobody", **more}
    with server.client(role) as client:
        return client.post("/api/tasks", json=given)


def draft(server: Small, role: Role, repository: Path | str, **more: str) -> str:
    """What the page says is in the way of a draft; "" for nothing."""
    with closing(server.browser(role)) as browser:
        csrf = browser.get("/").text.partition('name="csrf" content="')[2].partition('"')[0]
        given = {"csrf": csrf, "text": "Count words", "how": "task:modify_app", "act": "draft", **more}
        answer = browser.post("/tasks", data=given | {"repository": str(repository)}, headers={"origin": server.url})
        assert answer.status_code == 303, answer.text
        where = httpx.URL(answer.headers["location"])
        return where.params.get("problem", "")


OUTSIDE = (
    "elsewhere/tally",
    "elsewhere",
    "here/link",
    "here/../elsewhere/tally",
    "here/link/../tally",
    "here-and-more",
    "known",
    "",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_G_30_a_reviewer_starts_nothing_elsewhere(server: Small, path: str) -> None:
    answer = start(server, Role.REVIEWER, server.folder / path)

    assert answer.status_code == 403, answer.text
    assert "may not be started in" in answer.json()["error"]["title"]
    assert "serve.folders" in answer.json()["error"]["hint"]
    assert "may not be started in" in draft(server, Role.REVIEWER, server.folder / path)


@pytest.mark.parametrize("path", ["here/tally", "here/tally/src", "known/tally", "elsewhere/../here/tally"])
def test_a_reviewer_starts_where_the_server_was_started_and_where_work_was_done_before(
    server: Small, path: str
) -> None:
    answer = start(server, Role.REVIEWER, server.folder / path)

    assert answer.status_code == 422, answer.text
    assert "nobody" in answer.json()["error"]["title"]  # which is what is wrong: there is no such runtime
    assert draft(server, Role.REVIEWER, server.folder / path) == ""


@pytest.mark.parametrize("path", ["elsewhere/tally", "here/link", "here/tally"])
def test_G_30_an_admin_goes_anywhere(server: Small, path: str) -> None:
    answer = start(server, Role.ADMIN, server.folder / path)

    assert answer.status_code == 422 and "nobody" in answer.json()["error"]["title"], answer.text
    assert draft(server, Role.ADMIN, server.folder / path) == ""


@pytest.mark.parametrize("into", ["elsewhere/new", "here/link/new", "here/../new"])
def test_a_new_project_is_made_in_no_other_folder(server: Small, into: str) -> None:
    here = server.folder / "here"
    with server.client(Role.REVIEWER) as client:
        given = {"text": "A new app", "type": "create_app", "repository": str(here), "into": str(server.folder / into)}
        answer = client.post("/api/tasks", json=given)

    assert answer.status_code == 403, answer.text
    assert not (server.folder / into).exists()
    assert "may not be" in draft(server, Role.REVIEWER, here, how="task:create_app", into=str(server.folder / into))


def test_a_scenario_is_read_from_no_other_folder(server: Small) -> None:
    told = draft(server, Role.REVIEWER, server.folder / "here/tally", scenario="/etc/passwd")

    assert "may not be" in told


def test_whoever_starts_a_draft_may_work_there(server: Small) -> None:
    """An admin's draft is started by no reviewer where they may not go."""
    elsewhere = str(server.folder / "elsewhere" / "tally")
    kept = submit(server.store, new_wish("Count words", elsewhere, "admin", draft=True, type="modify_app"))
    with closing(server.browser(Role.REVIEWER)) as browser:
        csrf = browser.get("/").text.partition('name="csrf" content="')[2].partition('"')[0]
        answer = browser.post(f"/tasks/{kept.id}/start", data={"csrf": csrf}, headers={"origin": server.url})

    assert answer.status_code == 403
    assert server.store.wishes.get(kept.id).state == "draft"


def test_what_became_a_link_while_it_waited_is_not_followed(server: Small) -> None:
    made = server.folder / "here" / "later"
    made.mkdir()
    kept = submit(server.store, new_wish("Count words", str(made), "rev", type="modify_app", runtime="nobody"))
    made.rmdir()
    made.symlink_to(server.folder / "elsewhere" / "tally")

    start_waiting(server.store, server.site.environment, server.site.folders)

    found = server.store.wishes.get(kept.id)
    assert found.state == "draft" and "may not be started in" in found.problem


def test_a_conversation_is_begun_in_no_other_folder(server: Small) -> None:
    answer = start(server, Role.REVIEWER, server.folder / "elsewhere" / "tally", type="custom")

    assert answer.status_code == 403, answer.text


def test_the_setting_lists_folders_instead(tmp_path: Path) -> None:
    for name in ("here", "listed"):
        (tmp_path / name).mkdir()
        make_sample(tmp_path / name).rename(tmp_path / name / "tally")
    (tmp_path / "way").symlink_to(tmp_path / "listed")
    with small(tmp_path, here=tmp_path / "here", ANDON_SERVE_FOLDERS=f"{tmp_path / 'way'}{os.pathsep}/opt/x") as made:
        made.add("known222", repository=str(tmp_path / "here" / "tally"))
        assert start(made, Role.REVIEWER, tmp_path / "here" / "tally").status_code == 403
        assert start(made, Role.REVIEWER, tmp_path / "listed" / "tally").status_code == 422
        assert start(made, Role.REVIEWER, tmp_path / "way" / "tally").status_code == 422


def test_a_program_keeps_to_the_folders_that_are_listed(tmp_path: Path) -> None:
    for name in ("listed", "elsewhere"):
        (tmp_path / name).mkdir()
    repository = make_sample(tmp_path / "elsewhere")
    environment = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "ANDON_RUNTIME": "nobody"}
    limited = Programs({**environment, "ANDON_SERVE_FOLDERS": str(tmp_path / "listed")})

    with pytest.raises(FolderRefused):
        limited.start_auto("Count words", str(repository), {})
    with pytest.raises(UserError, match="nobody"):  # nothing is listed: only the runtime is wrong
        Programs(environment).start_auto("Count words", str(repository), {})
