"""The settings page: who wins is said, one value can be changed, and only by an admin."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from andon.app.access import Role
from andon.app.home import Home
from andon.app.reminding import auto_approval
from andon.app.settings_edit import set_setting
from andon.app.settings_sources import File
from andon.app.settings_view import explained
from andon.app.trust import trust
from andon.domain.errors import UserError

from .conftest import House

FILE = """# How I like it.
language = "ko"  # for the team

[budget]
money = 5.0  # dollars
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.of({"ANDON_HOME": str(tmp_path / "home")})
    home.make()
    home.settings.write_text(FILE)
    return home


def test_every_source_of_a_setting_is_told_and_who_wins(home: Home, tmp_path: Path) -> None:
    repository = tmp_path / "project"
    repository.mkdir()
    (repository / "andon.toml").write_text('language = "en"\n\n[budget]\nmoney = 100.0\n')

    found = {each.key: each for each in explained(home, repository, {"ANDON_BUDGET_MONEY": "7"})}

    language, money = found["language"], found["budget.money"]
    assert (language.value, language.winner.source) == ("ko", "user")
    assert language.winner.where == f"{home.settings}:2: language"
    assert [(each.source, each.value) for each in language.lost] == [("repository", "en")]
    assert (money.value, money.winner.source, money.winner.where) == ("7", "environment", "ANDON_BUDGET_MONEY")
    assert [each.source for each in money.lost] == ["user"]
    assert money.untrusted is not None and money.untrusted.value == "100"
    assert (found["trust_host"].value, found["trust_host"].winner.source) == ("false", "default")

    trust(home, File.read(repository / "andon.toml"))
    trusted = {each.key: each for each in explained(home, repository, {})}["budget.money"]
    assert (trusted.untrusted, [each.value for each in trusted.lost]) == (None, ["100"])


def test_one_value_is_changed_and_the_rest_of_the_file_stays(home: Home) -> None:
    set_setting(home, "budget.money", "8.5")
    set_setting(home, "runtime", "codex")
    set_setting(home, "limits.same_failure", "4")

    text = home.settings.read_text()
    assert "# How I like it." in text and "# for the team" in text and "# dollars" in text
    assert "money = 8.5" in text and 'runtime = "codex"' in text and "same_failure = 4" in text
    set_setting(home, "budget.money", "")
    assert "money" not in home.settings.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("language", "fr"),
        ("budget.money", "-1"),
        ("budget.money", "much"),
        ("limits.same_failure", "0"),
        ("trust_host", "perhaps"),
        ("budget.cents", "1"),
        ("unknown", "1"),
        ("runtimes", "x"),
        ("notify.urls", "json://x"),
        ("language.x", "en"),
        ("language", 'en"\nruntime = "evil'),
        ("runtime", "x\0y"),
    ],
)
def test_what_the_file_must_not_say_is_not_written(home: Home, key: str, value: str) -> None:
    with pytest.raises(UserError):
        set_setting(home, key, value)

    assert home.settings.read_text() == FILE


def test_D_112_an_admin_sets_values_and_switches_on_the_page(house: House) -> None:
    with house.client() as admin:
        answer = admin.post("/settings/set", data={"key": "budget.money", "value": "3.5", "back": "/settings"})
        switched = admin.post("/settings/auto-approval", data={"on": "true"})
        page = admin.get("/settings", headers={"accept": "text/html"}).text
        off = admin.post("/settings/auto-approval", data={"on": "false"})
        taken_out = admin.post("/settings/set", data={"key": "budget.money", "value": ""})

    assert [each.status_code for each in (answer, switched, off, taken_out)] == [303, 303, 303, 303]
    assert 'value="3.5"' in page and "nobody has to look" in page
    assert (auto_approval(house.store).value, auto_approval(house.store).by) == ("false", "admin-token")


@pytest.mark.parametrize(("key", "folded"), [("budget.money", False), ("limits.rejection_bonus", True)])
def test_D_112_a_value_that_will_not_do_stays_in_its_field_with_the_reason(
    house: House, key: str, folded: bool
) -> None:
    with house.client(headers={"accept": "text/html"}) as admin:
        answer = admin.post("/settings/set", data={"key": key, "value": "<much>", "back": "/settings"})
        program = admin.post(
            "/settings/set", data={"key": key, "value": "much"}, headers={"accept": "application/json"}
        )

    assert answer.status_code == program.status_code == 422 and program.json()["error"]["title"]
    field = answer.text.split(f'aria-label="{key}"')
    assert field[0].endswith('value="&lt;much&gt;" placeholder="unset" ') and 'aria-invalid="true"' in field[1][:80]
    assert answer.text.count('role="alert"') == 1
    assert ('<details class="more" open>' in answer.text) == folded


def test_D_112_a_key_that_has_no_field_is_refused_as_a_page(house: House) -> None:
    with house.client(headers={"accept": "text/html"}) as admin:
        answer = admin.post("/settings/set", data={"key": "unknown", "value": "1", "back": "/settings"})

    assert answer.status_code == 422 and "unknown" in answer.text


def test_a_token_is_made_shown_once_and_taken_back_on_the_page(house: House) -> None:
    with house.client() as admin:
        made = admin.post("/settings/tokens", data={"name": "from-page", "role": "viewer"})
        secret = made.text.split('<code class="mono">')[1].split("<")[0]
        listed = admin.get("/settings").text
        works = httpx.get(f"{house.url}/api/runs", headers={"authorization": f"Bearer {secret}"}).status_code
        id = next(each.id for each in house.site.access.tokens() if each.name == "from-page")
        admin.post("/settings/revoke", data={"id": id})
        after = httpx.get(f"{house.url}/api/runs", headers={"authorization": f"Bearer {secret}"}).status_code

    assert "from-page" in listed and secret not in listed
    assert (works, after) == (200, 401)


@pytest.mark.parametrize("act", ["set", "auto-approval", "tokens", "revoke"])
def test_others_than_admins_change_nothing(house: House, act: str) -> None:
    for role in (Role.VIEWER, Role.REVIEWER):
        with house.client(role.value) as client:
            answer = client.post(
                f"/settings/{act}", data={"key": "language", "value": "ko", "name": "x", "role": "admin"}
            )
            page = client.get("/settings")
        assert answer.status_code == 403 and page.status_code == 200 and "/settings/revoke" not in page.text


def test_the_office_opens_at_once_and_says_more_when_the_programs_have_answered(house: House) -> None:
    found = house.site.offices.kept.again().result(60)
    with house.client() as client:
        pages = [client.get(f"/office?tab={tab}") for tab in ("roles", "agents", "workflows", "odd")]

    assert [page.status_code for page in pages] == [200] * 4
    assert found.scanned_at and {each.name for each in found.tools} >= {"git", "npm"}
    assert [each.ready for each in found.runtimes] == sorted(each.ready for each in found.runtimes)
    assert "planner" in pages[0].text and "planner" in pages[3].text


def test_B_13_a_stranger_learns_that_andon_is_here_and_nothing_else(house: House) -> None:
    answer = httpx.get(f"{house.url}/api/status")

    assert answer.json() == {"name": "andon", "running": True, "version": None, "lamps": None, "office": None}
