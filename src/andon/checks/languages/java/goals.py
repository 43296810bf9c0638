"""What of a Maven or Gradle project lint, test, build and typecheck run. Runs nothing itself.

The commands name the tool, never the repository's wrapper: the wrapper's version is what the environment puts in PATH.
"""

from __future__ import annotations

from andon.checks.facts import Java
from andon.checks.goal_parts import not_needed, runs
from andon.domain.goal import Goal

MAVEN = ("mvn", "-o", "-B")
GRADLE = ("gradle", "--offline", "--no-daemon", "--console=plain")
# Maven's summary of tests is not among what -q leaves.
MAVEN_WORDS = {
    "lint": ("-q", "checkstyle:check"),
    "test": ("test",),
    "build": ("-q", "package", "-DskipTests"),
    "typecheck": ("-q", "test-compile"),
}
GRADLE_WORDS = {
    "lint": ("checkstyleMain", "checkstyleTest"),
    "test": ("test",),
    "build": ("assemble",),
    "typecheck": ("testClasses",),
}


def java_goal(name: str, java: Java) -> Goal:
    if not java.has_code:
        return not_needed(name, "no Java code")
    if name == "lint" and not java.checkstyle:
        return not_needed(name, "checkstyle is not configured")
    if name == "test" and not java.has_tests:
        return not_needed(name, "no tests found")
    return runs(name, *MAVEN, *MAVEN_WORDS[name]) if java.tool == "mvn" else runs(name, *GRADLE, *GRADLE_WORDS[name])
