"""Configuration of continuous integration is known by its place."""

from __future__ import annotations

import pytest

from andon.checks.tamper.ci import ci_findings
from checks.tamper.small_changes import added, edited


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/test.yml",
        ".github/actions/setup/action.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "deploy/Jenkinsfile",
        "azure-pipelines.yml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
        ".buildkite/pipeline.yml",
        ".ci/run",
        "codecov.yml",
        ".github/CODEOWNERS",
    ],
)
def test_a_change_of_continuous_integration_is_found(path: str) -> None:
    [new] = ci_findings(added(path, "x: 1\n"))
    [gone] = ci_findings(edited(path, "x: 1\n", None))

    assert (new.rule, new.subject, gone.subject) == ("ci_changed", "added", "removed")


@pytest.mark.parametrize(
    "path",
    [
        "Dockerfile",
        "docker-compose.yml",
        ".github/ISSUE_TEMPLATE/bug.md",
        ".github/pull_request_template.md",
        "src/ci/run.py",
        "docs/ci.md",
        "src/workflows/test.yml",
        "Makefile",
    ],
)
def test_what_is_beside_it_is_left_alone(path: str) -> None:
    assert ci_findings(added(path, "x: 1\n")) == []
