"""node_modules as the program makes them that wrote a project's lock file, and the Node.js that a project asks for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.environment import Environment, NotPrepared
from andon.checks.goals import plan_goals
from andon.checks.languages.javascript.installers import installer_of
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

Write = Callable[[dict[str, str]], Path]
Prepare = Callable[..., Environment | NotPrepared]
Measure = Callable[..., CheckResult]
pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node and npm, which setup.sh looks for")

SIX = "sha512-Wu1VHeILBK8KAWJUAiSZQX94GmOE45Rg6/538fKwiloUu21KncEkYGPqob2oSZ5mUT73vLGrHQjKw3KMPwfDzg=="
SEVEN = "sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng=="
ODD = "sha512-CQpnWPrDwmP1+SMHXZhtLtJv90yiyVfluGsX5iNCVkrhQtU3TQHsUWPG9wkdk9Lgd5yNpAg9jQEo90CBaXgWMA=="
PNPM = f"""lockfileVersion: '9.0'
settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false
importers:
  .:
    dependencies:
      is-number:
        specifier: 7.0.0
        version: 7.0.0
  packages/b:
    dependencies:
      is-odd:
        specifier: 3.0.1
        version: 3.0.1
packages:
  is-number@6.0.0:
    resolution: {{integrity: {SIX}}}
  is-number@7.0.0:
    resolution: {{integrity: {SEVEN}}}
  is-odd@3.0.1:
    resolution: {{integrity: {ODD}}}
snapshots:
  is-number@6.0.0: {{}}
  is-number@7.0.0: {{}}
  is-odd@3.0.1:
    dependencies:
      is-number: 6.0.0
"""
YARN = f"""# yarn lockfile v1


is-number@7.0.0:
  version "7.0.0"
  integrity {SEVEN}

is-number@^6.0.0:
  version "6.0.0"
  integrity {SIX}

is-odd@3.0.1:
  version "3.0.1"
  integrity {ODD}
  dependencies:
    is-number "^6.0.0"
"""
BERRY = """__metadata:
  version: 8
  cacheKey: 10c0

"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies:
    is-number: "npm:7.0.0"
  languageName: unknown
  linkType: soft

"b@workspace:packages/b":
  version: 0.0.0-use.local
  resolution: "b@workspace:packages/b"
  dependencies:
    is-odd: "npm:3.0.1"
  languageName: unknown
  linkType: soft

"is-number@npm:7.0.0":
  version: 7.0.0
  resolution: "is-number@npm:7.0.0"
  languageName: node
  linkType: hard

"is-number@npm:^6.0.0":
  version: 6.0.0
  resolution: "is-number@npm:6.0.0"
  languageName: node
  linkType: hard

"is-odd@npm:3.0.1":
  version: 3.0.1
  resolution: "is-odd@npm:3.0.1"
  dependencies:
    is-number: "npm:^6.0.0"
  languageName: node
  linkType: hard
"""
BUN = json.dumps({
    "lockfileVersion": 1,
    "workspaces": {
        "": {"name": "app", "dependencies": {"is-number": "7.0.0"}},
        "packages/b": {"name": "b", "version": "1.0.0", "dependencies": {"is-odd": "3.0.1"}},
    },
    "packages": {
        "b": ["b@workspace:packages/b"],
        "is-number": ["is-number@7.0.0", "", {}, SEVEN],
        "is-odd": ["is-odd@3.0.1", "", {"dependencies": {"is-number": "^6.0.0"}}, ODD],
        "is-odd/is-number": ["is-number@6.0.0", "", {}, SIX],
    },
})  # fmt: skip
TEST = """const t = require('node:test'), a = require('node:assert');
t('seven', () => a.equal(require('is-number/package.json').version, '7.0.0'));
t('six', () => a.equal(require('../packages/b').version, '6.0.0'));
t('odd', () => a.equal(require('../packages/b').odd, true));
"""
B = """const at = require.resolve('is-odd');
const {createRequire} = require('node:module');
module.exports = {odd: require('is-odd')(3), version: createRequire(at)('is-number/package.json').version};
"""


def package(**content: object) -> str:
    return json.dumps({"name": "app", "version": "1.0.0", "private": True, **content})


WORKSPACE = {
    "package.json": package(
        workspaces=["packages/*"], dependencies={"is-number": "7.0.0"}, scripts={"test": "node --test test"}
    ),
    "packages/b/package.json": json.dumps({"name": "b", "version": "1.0.0", "dependencies": {"is-odd": "3.0.1"}}),
    "packages/b/index.js": B,
    "test/app.test.js": TEST,
}


def goal(folder: Path, name: str) -> Goal:
    return next(one for one in plan_goals(detect(folder), custom=None, interactive=False) if one.name == name)


def prepared(environment: Environment | NotPrepared) -> Environment:
    assert isinstance(environment, Environment), environment
    return environment


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"pnpm-lock.yaml": PNPM, "pnpm-workspace.yaml": "packages: [packages/*]\n"}, "installed by pnpm"),
        ({"yarn.lock": YARN}, "installed by yarn"),
        ({"yarn.lock": BERRY, ".yarnrc.yml": "yarnPath: .yarn/evil.cjs\nnodeLinker: pnp\n"}, "installed by yarn"),
        ({"bun.lock": BUN}, "installed by bun"),
        ({}, "installed by npm"),
    ],
    ids=["pnpm", "yarn 1", "yarn berry", "bun", "npm"],
)
def test_a_workspace_is_installed_by_the_program_of_its_lock_file(
    repository: Write, prepare: Prepare, measure: Measure, files: dict[str, str], told: str
) -> None:
    folder = repository({**WORKSPACE, **files})
    assert prepared(prepare(folder)).notes[-1].endswith(told)
    result = measure(folder, goal(folder, "test"))
    assert result.tests == {"passed": 3}, (result.reason, result.output)


def test_a_lock_file_that_cannot_be_used_is_told_and_something_is_installed_all_the_same(
    repository: Write, prepare: Prepare, measure: Measure
) -> None:
    folder = repository({**WORKSPACE, "bun.lock": "{"})
    notes = prepared(prepare(folder)).notes
    assert notes[0].startswith("bun.lock: not ")
    assert prepared(prepare(folder)).notes == notes
    assert measure(folder, goal(folder, "test")).tests == {"passed": 3}


@pytest.mark.parametrize(
    ("files", "name", "version"),
    [
        ({"package.json": package(packageManager="pnpm@8.15.4+sha256.ab"), "pnpm-lock.yaml": ""}, "pnpm", "8.15.4"),
        ({"package.json": package(), "pnpm-lock.yaml": "lockfileVersion: '6.0'"}, "pnpm", "8"),
        ({"package.json": package(), "pnpm-lock.yaml": "lockfileVersion: 5.4"}, "pnpm", "7"),
        ({"package.json": package(), "yarn.lock": BERRY}, "yarn", "4.9"),
        ({"package.json": package(), "yarn.lock": YARN}, "yarn", "1"),
        ({"package.json": package(packageManager="yarn@3.6.1"), "yarn.lock": ""}, "yarn", "3.6.1"),
        ({"package.json": package()}, "npm", ""),
    ],
)
def test_the_installer_is_of_the_version_that_the_project_means(
    repository: Write, files: dict[str, str], name: str, version: str
) -> None:
    installer = installer_of(repository(files))
    assert (installer.name, installer.version) == (name, version)


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": package(engines={"node": "^18.20.0"}, scripts={"test": "node --test"})},
        {"package.json": package(scripts={"test": "node --test"}), ".nvmrc": "v18\n"},
        {"package.json": package(scripts={"test": "node --test"}), "andon.toml": 'environment.node = "18"'},
    ],
    ids=["engines", ".nvmrc", "andon.toml"],
)
def test_the_node_that_a_project_asks_for_comes_from_the_registry(
    repository: Write, measure: Measure, files: dict[str, str]
) -> None:
    told = "require('node:test')('n', () => require('node:assert').match(process.version, /^v18/));\n"
    folder = repository({**files, "a.test.js": told})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)


def test_a_node_that_cannot_be_had_is_told_and_the_machines_is_used(repository: Write, prepare: Prepare) -> None:
    folder = repository({"package.json": package(engines={"node": ">=9999"})})
    [note] = prepared(prepare(folder)).notes
    assert note.startswith("Node >=9999 is asked for and cannot be had: v")


def test_what_is_only_for_development_and_cannot_be_had_keeps_nothing_from_being_measured(
    repository: Write, prepare: Prepare, measure: Measure
) -> None:
    manifest = package(
        scripts={"test": "node --test"},
        dependencies={"is-number": "7.0.0"},
        devDependencies={"is-odd": "^999.0.0"},
    )
    test = "const t = require('node:test');\nt('n', () => { require('is-number'); require('is-odd'); });\n"
    folder = repository({"package.json": manifest, "a.test.js": test})
    assert prepared(prepare(folder)).notes[0] == "is-odd@^999.0.0: cannot be had, any other version instead"
    assert measure(folder, goal(folder, "test")).tests == {"passed": 1}
    # What the code itself asks for has to be there
    broken = package(dependencies={"is-number": "^999.0.0"})
    (folder / "package.json").write_text(broken)
    found = prepare(folder)
    assert isinstance(found, NotPrepared) and "is-number@^999.0.0" in found.reason
