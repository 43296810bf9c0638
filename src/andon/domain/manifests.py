"""Files that say what a project needs to be built and checked: manifests and locks, by name."""

from __future__ import annotations

from andon.domain.auto.paths import affected_files

MANIFESTS = frozenset(
    {
        *("pyproject.toml", "uv.lock", "requirements.txt", "setup.py", "setup.cfg"),
        *("package.json", "package-lock.json", "npm-shrinkwrap.json"),
        *("go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "pom.xml", "build.gradle", "build.gradle.kts"),
    }
)


def declared_manifests(plan: str) -> frozenset[str]:
    """Those that a plan says it touches: checks may need what they ask for then."""
    return frozenset(path for path in affected_files(plan) if path.rpartition("/")[2] in MANIFESTS)
