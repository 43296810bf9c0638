"""Reads the facts of a Java or Kotlin project built by Maven or Gradle, from its build files. Runs nothing."""

from __future__ import annotations

from pathlib import Path

from andon.checks.facts import Java
from andon.checks.reading import Unreadable, is_present, read_text, source_files

GRADLE_FILES = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
SOURCES = (".java", ".kt", ".groovy", ".scala")


def detect_java(folder: Path) -> tuple[Java | None, tuple[Unreadable, ...]]:
    maven = is_present(folder, "pom.xml")
    gradle = [name for name in GRADLE_FILES if is_present(folder, name)]
    if not maven and not gradle:
        return None, ()
    # Where both are described, the one whose wrapper is there is the one people use.
    chosen = gradle and (not maven or (is_present(folder, "gradlew") and not is_present(folder, "mvnw")))
    files = list(source_files(folder))
    read = {path: read_text(folder, path) for path in _build_files(files, gradle=bool(chosen))}
    sources = [path for path in files if path.endswith(SOURCES) and path not in read]
    wrapper = "gradlew" if chosen else "mvnw"
    return (
        Java(
            tool="gradle" if chosen else "mvn",
            wrapper=wrapper if is_present(folder, wrapper) else "",
            has_code=bool(sources),
            has_tests=any("src/test/" in path for path in sources),
            checkstyle=any(isinstance(text, str) and "checkstyle" in text for text in read.values()),
        ),
        tuple(text for path, text in read.items() if isinstance(text, Unreadable) and "/" not in path),
    )


def _build_files(files: list[str], *, gradle: bool) -> list[str]:
    names = GRADLE_FILES if gradle else ("pom.xml",)
    return [path for path in files if path.rpartition("/")[2] in names]
