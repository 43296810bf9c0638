"""Files that a finished code base has: manifest, ignore rules, configuration, tests, folders of a workflow.

By path, and by the few texts that the rules read; whether tests pass is measured elsewhere (D-18 to D-20, D-47).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from andon.domain.auto.implementation import is_test
from andon.domain.manifests import MANIFESTS
from andon.domain.tasks.automation import FILES, FOLDERS, ORCHESTRATOR, TEST_FOLDERS
from andon.domain.tasks.criteria import ENV_EXAMPLE, ENV_IGNORED, KEY_FILES, TESTS_PRESENT, Criterion

PROJECT_FILES = (MANIFESTS - {"uv.lock", "package-lock.json", "npm-shrinkwrap.json", "go.sum", "Cargo.lock"}) | {
    *(
        "Gemfile",
        "composer.json",
        "mix.exs",
        "pubspec.yaml",
        "Package.swift",
        "CMakeLists.txt",
        "deno.json",
        "build.sbt",
    ),
}
"""`package.json` and its equivalents in other languages (D-18)."""
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:config/.+|[^/]*\.config\.[^/]+|tsconfig[^/]*\.json|\.[^/]*rc(?:\.[^/]+)?|pyproject\.toml|setup\.cfg"
    r"|Cargo\.toml"
    r"|pom\.xml|build\.gradle(?:\.kts)?|go\.mod|Dockerfile|(?:docker-)?compose[^/]*\.ya?ml|[^/]*\.ini"
    r"|\.editorconfig|Makefile"
    r"|application\.(?:ya?ml|properties)|settings\.(?:py|toml|ya?ml|json)|\.env\.example|config\.\w+|mix\.exs"
    r"|pubspec\.yaml)$"
)
_READS_ENVIRONMENT = re.compile(
    r"process\.env(?:\.|\[['\"])(?P<node>\w+)|import\.meta\.env\.(?P<vite>\w+)"
    r"|(?:os\.environ(?:\.get)?|os\.getenv|getenv|env)[\[(]\s*['\"](?P<other>[A-Z][A-Z0-9_]{2,})['\"]"
    r"|(?:Deno\.env\.get|System\.getenv|os\.Getenv|std::env::var|ENV\.fetch)\(\s*['\"](?P<called>\w+)['\"]"
    r"|ENV\[['\"](?P<ruby>\w+)['\"]\]"
)
_ALWAYS_SET = frozenset(("NODE_ENV", "PATH", "HOME", "USER", "CI", "TZ", "MODE", "DEV", "PROD", "PWD", "LANG"))


def key_files(paths: Sequence[str]) -> Criterion:
    """`package.json` or an equivalent, `.gitignore`, `README.md`, configuration (D-18)."""
    names = {path.rpartition("/")[2] for path in paths}
    missing = [] if names & PROJECT_FILES else ["package.json or its equivalent (pyproject.toml, go.mod, Cargo.toml …)"]
    missing += [name for name in (".gitignore", "README.md") if name not in paths]
    if not any(_CONFIGURATION.search(path) for path in paths):
        missing.append("a configuration file")
    return Criterion.of(KEY_FILES, [f"{name} is missing" for name in missing])


def has_tests(paths: Sequence[str]) -> Criterion:
    """At least one file of tests (D-19)."""
    return Criterion.of(TESTS_PRESENT, [] if any(map(is_test, paths)) else ["there is no test file"])


def env_ignored(gitignore: str) -> Criterion:
    """`.env` is listed in `.gitignore`, and not taken back (D-20)."""
    ignored = False
    for line in gitignore.splitlines():
        rule = line.strip()
        if rule.startswith("#"):
            continue
        plain = rule.lstrip("!").removeprefix("**/").lstrip("/")
        if plain in (".env", ".env*", "*.env", "*.env*"):
            ignored = not rule.startswith("!")
    return Criterion.of(ENV_IGNORED, [] if ignored else [".env is not listed in .gitignore"])


def variables(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Environment variables that code reads, each once (D-20)."""
    found = {
        name
        for text in texts.values()
        for match in _READS_ENVIRONMENT.finditer(text)
        for name in match.groupdict().values()
        if name and name not in _ALWAYS_SET
    }
    return tuple(sorted(found))


def env_example(needed: Sequence[str], example: str | None) -> Criterion:
    """`.env.example` with every variable, where any is needed (D-20, D-34)."""
    if not needed:
        return Criterion(ENV_EXAMPLE, passed=True)
    if example is None:
        return Criterion(ENV_EXAMPLE, passed=False, detail=f".env.example is missing; needed: {', '.join(needed)}")
    lines = [line.strip(" \t#").removeprefix("export ") for line in example.splitlines()]
    told = {line.partition("=")[0].strip() for line in lines if "=" in line}
    return Criterion.of(ENV_EXAMPLE, [f".env.example has no {name}" for name in needed if name not in told])


def workflow_structure(paths: Sequence[str]) -> Criterion:
    """Folders and files of a workflow's code (D-47)."""
    names = {path.rpartition("/")[2] for path in paths}
    missing = [
        f"{each}/" for each in (*FOLDERS, *TEST_FOLDERS) if not any(path.startswith(f"{each}/") for path in paths)
    ]
    if not any(re.fullmatch(rf"{ORCHESTRATOR}\.\w+", path) for path in paths):
        missing.append(f"{ORCHESTRATOR}.*")
    missing += [each for each in FILES if each not in paths]
    if not names & PROJECT_FILES:
        missing.append("package.json or its equivalent")
    return Criterion.of("structure", [f"{each} is missing" for each in missing])
