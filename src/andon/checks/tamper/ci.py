"""Changes of what continuous integration does, and of who must look at a change."""

from __future__ import annotations

import re

from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_CI = re.compile(
    r"^(?:"
    r"\.github/(?:workflows|actions)/.+|\.github/(?:dependabot|codecov)\.ya?ml|(?:\.github/|docs/|\.gitlab/)?CODEOWNERS"
    r"|\.gitlab-ci\.ya?ml|\.gitlab/(?:ci|pipelines?)/.+|\.gitlab-ci/.+|\.circleci/.+|(?:.+/)?Jenkinsfile(?:\.\w+)?|jenkins/.+"
    r"|\.?azure-pipelines[\w.-]*\.ya?ml|\.azure-pipelines/.+|\.azuredevops/.+|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml"
    r"|\.buildkite/.+|\.ci/.+|\.?appveyor\.ya?ml|\.drone\.(?:ya?ml|star|jsonnet)|\.woodpecker(?:/.+|\.ya?ml)|\.cirrus\.(?:ya?ml|star)"
    r"|\.semaphore/.+|\.teamcity/.+|buildspec[\w.-]*\.ya?ml|cloudbuild[\w.-]*\.ya?ml|\.forgejo/workflows/.+|\.gitea/workflows/.+"
    r"|\.builds?/.+\.ya?ml|\.?codecov\.ya?ml|\.coveralls\.ya?ml|sonar-project\.properties|wercker\.ya?ml|\.tekton/.+|\.prow\.ya?ml"
    r")$"
)


def is_ci(path: str) -> bool:
    return _CI.match(path) is not None


def ci_findings(change: ChangeSet) -> list[Finding]:
    findings: list[Finding] = []
    for file in change:
        if not _CI.match(file.path) or (file.before == file.after and file.before is not None):
            continue
        done = "added" if file.added else "removed" if file.deleted else "changed"
        findings.append(found("ci_changed", f"configuration of continuous integration {done}", file.path, 0, done))
    return findings
