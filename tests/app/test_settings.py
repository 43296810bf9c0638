"""Settings: which source wins, what a repository may not decide, and how a mistake is told."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from andon.app.home import Home
from andon.app.runtime_settings import PriceSettings, RoleSettings, RuntimeSettings
from andon.app.server_settings import ServerSettings
from andon.app.settings import NEEDS_TRUST, ROLES, TABLES, BudgetSettings, Settings, load_settings
from andon.app.settings_sources import NOT_SETTINGS, File
from andon.app.trust import is_trusted, trust
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.limits import MEANINGS, AutoLimits
from andon.domain.uam_settings import MEANINGS as UAM_MEANINGS
from andon.domain.uam_settings import UamSettings

REFERENCE = Path(__file__).parents[2] / "docs/reference/settings.md"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home.of({"ANDON_HOME": str(tmp_path / "home")})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    return tmp_path / "repository"


def write(folder: Path, text: str, name: str = "andon.toml") -> File:
    (folder / name).write_text(text)
    return File.read(folder / name)


def test_each_source_outranks_the_one_before(home: Home, repository: Path) -> None:
    write(repository, "agent_seconds = 1\n")
    sources: list[tuple[dict[str, str], dict[str, Any]]] = [({}, {}), ({}, {}), ({"ANDON_AGENT_SECONDS": "3"}, {})]
    sources.append(({"ANDON_AGENT_SECONDS": "3"}, {"agent_seconds": 4}))
    found: list[float | None] = []
    for number, (environment, given) in enumerate(sources):
        if number == 1:
            write(home.root, "agent_seconds = 2\n", "settings.toml")
        found.append(load_settings(home, repository, environment, given)[0].agent_seconds)

    assert found == [1, 2, 3, 4]


def test_a_table_is_merged_key_by_key(home: Home) -> None:
    write(home.root, "[budget]\ntokens = 10\nmoney = 2.5\n", "settings.toml")

    settings, _ = load_settings(home, None, {"ANDON_BUDGET_TOKENS": "20"}, {"budget": {"seconds": 30.0}})

    assert settings.budget == BudgetSettings(tokens=20, money=2.5, seconds=30.0)


def test_A_156_G_41_a_role_has_a_time_of_its_own(home: Home) -> None:
    write(home.root, "[role_seconds]\nplanner = 60\nexecutor-high = 7200\n", "settings.toml")

    settings, _ = load_settings(home, None, {"ANDON_ROLE_SECONDS_EXECUTOR_HIGH": "5400"}, {})

    assert settings.role_seconds == {"planner": 60, "executor-high": 5400}


def test_with_nothing_set_the_defaults_hold(home: Home, repository: Path) -> None:
    assert load_settings(home, repository, {}, {}) == (Settings.model_validate({}), [])


def test_an_empty_variable_says_nothing(home: Home) -> None:
    assert load_settings(home, None, {"ANDON_RUNTIME": ""}, {})[0].runtime is None


def test_an_untrusted_file_decides_nothing_that_matters_and_a_note_says_so(home: Home, repository: Path) -> None:
    write(repository, 'language = "ko"\nruntime = "evil"\ntrust_host = true\n[budget]\ntokens = 1000000\n')

    settings, [note] = load_settings(home, repository, {}, {})

    assert (settings.language, settings.runtime, settings.trust_host) == ("ko", None, False)
    assert settings.budget.tokens is None
    assert "runtime, trust_host, budget not used" in note and "andon trust" in note


def test_A_113_a_repository_names_an_interactive_command_only_when_it_is_trusted(home: Home, repository: Path) -> None:
    file = write(repository, 'interactive_command = "./app"\n')
    assert load_settings(home, repository, {}, {})[0].interactive_command is None
    trust(home, file)
    assert load_settings(home, repository, {}, {})[0].interactive_command == "./app"


def test_a_trusted_file_counts_until_a_byte_of_it_changes(home: Home, repository: Path) -> None:
    file = write(repository, 'runtime = "scripted"\n')
    trust(home, file)

    before = load_settings(home, repository, {}, {})
    write(repository, 'runtime = "scripted"\n# harmless\n')
    after = load_settings(home, repository, {}, {})

    assert (before[0].runtime, before[1]) == ("scripted", [])
    assert after[0].runtime is None and after[1]


def test_trusting_another_file_forgets_none(home: Home, repository: Path, tmp_path: Path) -> None:
    first, second = write(repository, "agent_seconds = 1\n"), write(tmp_path, "agent_seconds = 2\n")

    trust(home, first)
    trust(home, second)

    assert is_trusted(home, first.digest) and is_trusted(home, second.digest)
    assert not is_trusted(home, "") and not is_trusted(home, "0" * 64)


def test_a_broken_list_of_trusted_files_trusts_nobody_and_is_kept(home: Home, repository: Path) -> None:
    home.trust.write_text("{ oops")
    file = write(repository, 'runtime = "scripted"\n')

    assert not is_trusted(home, file.digest)
    trust(home, file)

    assert is_trusted(home, file.digest)
    [kept] = home.root.glob("trusted.json.broken-*")
    assert kept.read_text() == "{ oops"


def test_every_key_that_needs_trust_is_a_key() -> None:
    assert set(NEEDS_TRUST) <= set(Settings.model_fields)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("language = 'en'\nruntime = \n", ":2: not TOML", "left as it is"),
        ("a = 1\na = 2\n", ":2: not TOML", "left as it is"),
        ("\n\nruntme = 'x'\n", ":3: runtme: there is no such setting", "Did you mean `runtime`?"),
        ("[budget]\nmoney = 1\ntokns = 5\n", ":3: budget.tokns: there is no such setting", "Did you mean `tokens`?"),
        ("budget = {tokns = 5}\n", ":1: budget.tokns: there is no such setting", "`tokens`"),
        ("zebra = 1\n", ":1: zebra: there is no such setting", "Known are: runtime, "),
        ("\nlease_seconds = 'soon'\n", ":2: lease_seconds should be a valid number", "settings.md"),
        ("lease_seconds = 0\n", ":1: lease_seconds should be greater than 0", ""),
        ("language = 'fr'\n", ":1: language should be 'auto', 'en' or 'ko'", ""),
        ("[limits]\nrespwns = 2\n", ":2: limits.respwns: there is no such setting", "Did you mean `respawns`?"),
        ("[limits]\nrespawns = -1\n", ":2: limits.respawns should be at least 0", "left as it is"),
        ("[limits]\n\ngap_threshold = 101\n", ":3: limits.gap_threshold should be a percentage", ""),
        ("[limits]\nrespawns = 'many'\n", ":2: limits.respawns should be a valid integer", ""),
        (
            "[role_seconds]\nplaner = 9\n",
            ":2: role_seconds.planer: there is no such setting",
            "Did you mean `planner`?",
        ),
        ("[role_seconds]\nzebra = 9\n", ":2: role_seconds.zebra: there is no such setting", "Known are: explore, "),
        ("[roles.critik]\nruntime = 'codex'\n", ":1: roles.critik: there is no such setting", "Did you mean `critic`?"),
        (
            "[roles.critic]\nruntim = 'x'\n",
            ":2: roles.critic.runtim: there is no such setting",
            "Did you mean `runtime`?",
        ),
        ("[runtimes.claude]\nprogramm = 'x'\n", ":2: runtimes.claude.programm: there is no such setting", "program"),
        ("[runtimes.claude.models]\nsonet = 'x'\n", ":2: runtimes.claude.models.sonet", ""),
        ("[role_seconds]\ncritic = 0\n", ":2: role_seconds.critic should be greater than 0", ""),
        ("budget = 5\n", ":1: budget should be a valid dictionary", ""),
        ("[budget]\ntokens = -1\n", ":2: budget.tokens should be greater than or equal to 0", ""),
        ("[prices.gpt-6]\noutput = 1\ninput = -1\n", ":3: prices.gpt-6.input should be greater than or equal to 0", ""),
        ("[prices.gpt-6]\ninptu = 1\n", ":2: prices.gpt-6.inptu: there is no such setting", "Did you mean `input`?"),
        ("[prices.gpt-6]\ninput = 1\n", ":1: prices.gpt-6.output is missing", ""),
        ("trust_host = 'perhaps'\n", ":1: trust_host should be a valid boolean", ""),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_line(
    home: Home, repository: Path, text: str, message: str, hint: str
) -> None:
    path = repository / "andon.toml"
    path.write_text(text)

    with pytest.raises(UserError) as told:
        load_settings(home, repository, {}, {})

    assert told.value.message.startswith(f"{path}{message}")
    assert hint in told.value.hint
    assert path.read_text() == text


def test_a_file_that_is_no_text_is_told_with_its_line(home: Home) -> None:
    home.settings.write_bytes(b"runtime = 'x'\n# \xff\xfe\n")

    with pytest.raises(UserError, match=r"settings.toml:2: not UTF-8"):
        load_settings(home, None, {}, {})


def test_a_folder_in_place_of_the_file_is_told(home: Home) -> None:
    home.settings.mkdir()

    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        load_settings(home, None, {}, {})


def test_a_mistake_in_a_variable_names_the_variable(home: Home) -> None:
    with pytest.raises(UserError, match="ANDON_LEASE_SECONDS should be a valid number"):
        load_settings(home, None, {"ANDON_LEASE_SECONDS": "soon"}, {})


def test_a_mistake_in_an_option_names_the_option(home: Home) -> None:
    with pytest.raises(UserError, match="--budget-tokens should be greater"):
        load_settings(home, None, {}, {"budget": {"tokens": -1}})


def test_a_variable_that_is_nearly_a_setting_is_a_mistake_and_a_strangers_is_not(home: Home) -> None:
    load_settings(home, None, {"ANDON_SOMEBODY_ELSES": "x", "ANDON_HOME": "/x", "ANDON_DATABASE_URL": "y"}, {})

    with pytest.raises(UserError) as told:
        load_settings(home, None, {"ANDON_BUGDET_TOKENS": "5"}, {})
    assert told.value.hint == "Did you mean ANDON_BUDGET_TOKENS?"


def test_relative_paths_are_meant_from_where_they_are_written(
    home: Home, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trust(home, write(repository, 'scenario = "play.yaml"\n'))

    of_repository = load_settings(home, repository, {}, {})[0].scenario
    of_user = load_settings(home, None, {}, {"scenario": "play.yaml"})[0].scenario

    assert of_repository == str(repository / "play.yaml")
    assert of_user == str(tmp_path / "play.yaml")


# --- the reference --------------------------------------------------------------------------------------------------


def test_E_15_single_limits_are_overridden_and_the_others_stay(home: Home, repository: Path) -> None:
    write(repository, "[limits]\nrespawns = 9\n")
    write(home.root, "[limits]\nplan_iterations = 7\n", "settings.toml")

    settings, [note] = load_settings(home, repository, {"ANDON_LIMITS_SAME_FAILURE": "4"}, {})

    assert settings.limits == AutoLimits(plan_iterations=7, same_failure=4)
    assert "limits not used" in note  # a stranger's repository does not decide what a run may use up


def rows() -> dict[str, list[str]]:
    lines = [line for line in REFERENCE.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row for row in cells}


def documented() -> list[tuple[str, Any, str]]:
    """(key, default, description) of every setting, tables by their keys."""
    found: list[tuple[str, Any, str]] = []
    for name, each in Settings.model_fields.items():
        if name == "budget":
            found += [
                (f"budget.{key}", f.default, f.description or "") for key, f in BudgetSettings.model_fields.items()
            ]
        elif name == "limits":
            found += [(f"limits.{limit.name}", limit.default, MEANINGS[limit.name]) for limit in fields(AutoLimits)]
        elif name == "uam":
            found += [(f"uam.{each.name}", each.default, UAM_MEANINGS[each.name]) for each in fields(UamSettings)]
        elif name in ("notify", "mcp", "serve", "memory", "environment"):
            keys = type(each.default).model_fields
            found += [(f"{name}.{key}", f.default, f.description or "") for key, f in keys.items()]
        elif name in TABLES:
            kinds = {"runtimes": RuntimeSettings, "roles": RoleSettings}
            kinds |= {"prices": PriceSettings, "servers": ServerSettings}
            found += [(f"{name}.NAME.{key}", None, f.description or "") for key, f in kinds[name].model_fields.items()]
        elif name == "role_seconds":
            found += [(f"role_seconds.{role}", None, each.description or "") for role in ROLES]
        else:
            found.append((name, each.default, each.description or ""))
    return found


@pytest.mark.parametrize(("key", "default", "description"), documented(), ids=lambda value: str(value)[:24])
def test_every_setting_is_documented_as_it_is(key: str, default: Any, description: str) -> None:
    _, told_default, variable, trusted, told = rows()[key]

    assert told == description
    name = key.replace(".", "_").replace("-", "_").upper()
    assert variable == ("" if key.partition(".")[0] in TABLES else f"`ANDON_{name}`")
    assert told_default == ("" if default is None else f"`{json.dumps(default)}`".replace('"', ""))
    assert trusted == ("yes" if key.partition(".")[0] in NEEDS_TRUST else "")


def test_nothing_is_documented_that_is_no_setting() -> None:
    assert set(rows()) == {key for key, _, _ in documented()} | set(NOT_SETTINGS)
