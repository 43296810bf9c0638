"""Prepares what Java checks need: a JDK of this machine, Maven or Gradle, and all that these download, kept apart.

Build files are programs, and so are their plugins: they get no secrets and a download folder of their own. The checks
themselves are offline.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.checks.building import Site, Step, Workshop, copy_tree, digest_of, failed
from andon.checks.facts import Java
from andon.checks.languages.java.project import GRADLE_FILES
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import is_folder, read_text, source_files
from andon.processes import readable_for

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# Debian keeps these apart from Maven; settings.xml beside them may hold a password, and stays where it is.
MAVEN_SETTINGS = ("/etc/maven/m2.conf", "/etc/maven/logging")
INSTALL = {
    "mvn": "install Maven from https://maven.apache.org",
    "gradle": "install Gradle from https://gradle.org/install",
    "jdk": "install a JDK, such as https://adoptium.net",
}
DECIDING = ("pom.xml", *GRADLE_FILES, "gradle.properties", "gradle.lockfile", "libs.versions.toml")
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
# What surefire fetches only when there are tests to run: the provider for the test library in use.
PROVIDERS = {
    "org/junit/platform": "surefire-junit-platform",
    "junit/junit": "surefire-junit4",
    "org/testng/testng": "surefire-testng",
}
RESOLVE_ALL = """\
allprojects {
    tasks.create('andonResolve') {
        doLast {
            (configurations + buildscript.configurations).findAll { it.canBeResolved }.each { it.resolve() }
        }
    }
}
"""


@dataclass(frozen=True, slots=True)
class JavaTools:
    home: Path
    """Of the JDK."""
    program: str
    """Maven or Gradle of this machine; empty where the repository's wrapper brings it."""

    @property
    def path(self) -> str:
        beside = f"{Path(self.program).parent}:" if self.program else ""
        return f"{self.home / 'bin'}:{beside}{SYSTEM_PATH}"

    @property
    def readable(self) -> tuple[str, ...]:
        own = readable_for(self.program) if self.program else ()
        settings = tuple(path for path in MAVEN_SETTINGS if Path(path).exists())
        return tuple(dict.fromkeys((*readable_for(self.home / "bin" / "java"), *own, *settings)))


def find_java(environ: Mapping[str, str], facts: Java) -> JavaTools | NotPrepared:
    path = environ.get("PATH")
    own = Path(environ.get("JAVA_HOME", "/nowhere"), "bin/javac")
    javac = str(own) if own.exists() else shutil.which("javac", path=path)
    if not javac:
        return NotPrepared("javac is not installed", INSTALL["jdk"], environment_error=True)
    program = "" if facts.wrapper else shutil.which(facts.tool, path=path)
    if program is None:
        return NotPrepared(f"{facts.tool} is not installed", INSTALL[facts.tool], environment_error=True)
    return JavaTools(Path(javac).resolve().parent.parent, program and str(Path(program).resolve()))


async def prepare_java(workshop: Workshop, tree: Path, facts: Java) -> Environment | NotPrepared:
    """Nothing freezes the versions but the build files themselves: they and the tools are the digest."""
    tools = find_java(workshop.environ, facts)
    if isinstance(tools, NotPrepared):
        return tools
    digest = digest_of("java", _deciding(tree), str(tools.home), tools.program)
    build = _maven if facts.tool == "mvn" else _gradle
    made = await workshop.made(digest, lambda site: build(site, tree, facts, tools))
    if isinstance(made, NotPrepared):
        return made
    program = tools.program or _unpacked(made, facts.tool)
    if not program or not is_folder(made, "home"):
        return NotPrepared(f"{facts.wrapper} left no {facts.tool}", f"./{facts.wrapper} --version")
    home = str(made / "home")
    offline = (
        {"MAVEN_OPTS": f"-Dmaven.repo.local={home}/repository", "MAVEN_SKIP_RC": "1"}
        if facts.tool == "mvn"
        else {"GRADLE_RO_DEP_CACHE": f"{home}/caches"}
    )
    return Environment(
        digest,
        paths=(str(tools.home / "bin"), str(Path(program).parent)),
        variables={"JAVA_HOME": str(tools.home), **offline},
        readable=(*tools.readable, home),
        caches={} if facts.tool == "mvn" else {"GRADLE_USER_HOME": "gradle"},
    )


def _deciding(tree: Path) -> dict[str, str]:
    paths = [path for path in source_files(tree) if path.rpartition("/")[2] in DECIDING or path.startswith("buildSrc/")]
    wrappers = ("gradle/wrapper/gradle-wrapper.properties", ".mvn/wrapper/maven-wrapper.properties")
    others = (".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml")
    texts = {path: read_text(tree, path) for path in (*paths, *wrappers, *others)}
    return {path: text for path, text in texts.items() if isinstance(text, str)}


def _unpacked(made: Path, tool: str) -> str:
    """The program that a wrapper put below `made`, which the wrapper wrote: no link is followed."""
    found = sorted((made / "home" / "wrapper" / "dists").glob(f"*/*/*/bin/{tool}"))
    found += sorted((made / "home" / "wrapper" / "dists").glob(f"*/*/bin/{tool}"))
    real = (path for path in found if path.resolve() == path.absolute() and path.is_file())
    return next(map(str, real), "")


@dataclass(frozen=True, slots=True)
class _Building:
    site: Site
    facts: Java
    tools: JavaTools

    async def run(self, name: str, *words: str) -> Step:
        program = ("sh", self.facts.wrapper) if self.facts.wrapper else (self.tools.program,)
        home = str(self.site.made / "home")
        env = {
            "PATH": self.tools.path,
            "JAVA_HOME": str(self.tools.home),
            "MAVEN_USER_HOME": home,
            "MAVEN_OPTS": f"-Dmaven.repo.local={home}/repository",
            "MAVEN_SKIP_RC": "1",
            "GRADLE_USER_HOME": home,
        }
        where = self.site.made / "tree"
        words = (*program, *words)
        return await self.site.run(name, words, cwd=where, env=env, readable=self.tools.readable, code_runs=True)


async def _begin(site: Site, tree: Path) -> None:
    def fill(made: Path) -> None:
        copy_tree(tree, made / "tree")
        (made / "home").mkdir(exist_ok=True)

    await asyncio.to_thread(site.begin, fill)


async def _maven(site: Site, tree: Path, facts: Java, tools: JavaTools) -> NotPrepared | None:
    """Everything the four goals need: what is declared, what compiling asks for, and what running tests does."""
    await _begin(site, tree)
    building = _Building(site, facts, tools)
    fix = "mvn dependency:go-offline"
    declared = await building.run("declared", "-B", "-q", f"{DEPENDENCY_PLUGIN}:go-offline")
    compiling = await building.run("compiling", "-B", "-q", "package", "-DskipTests", "-Dmaven.test.failure.ignore")
    if not compiling.ok and not declared.ok:
        return failed(declared, fix, fix)
    for number, artefact in enumerate(_providers(site.made / "home" / "repository"), start=1):
        # One that cannot be had may not be needed; a check that needs it says so, and is not measured.
        words = ("-B", "-q", f"{DEPENDENCY_PLUGIN}:get", f"-Dartifact={artefact}")
        await building.run(f"provider-{number}", *words)
    return None


def _providers(repository: Path) -> Iterator[str]:
    plugins = repository / "org/apache/maven/plugins/maven-surefire-plugin"
    versions = sorted(path.parent.name for path in plugins.glob("*/*.jar"))
    for place, provider in PROVIDERS.items():
        if (repository / place).is_dir():
            yield from (f"org.apache.maven.surefire:{provider}:{version}" for version in versions)
    engines = (repository / "org/junit/platform/junit-platform-engine").glob("*/*.jar")
    for version in sorted(path.parent.name for path in engines):
        yield f"org.junit.platform:junit-platform-launcher:{version}"


async def _gradle(site: Site, tree: Path, facts: Java, tools: JavaTools) -> NotPrepared | None:
    await _begin(site, tree)
    site.give("resolve.gradle", RESOLVE_ALL)
    script = str(site.given / "resolve.gradle")
    words = ("--no-daemon", "--console=plain", "--quiet", "--init-script", script, "andonResolve")
    step = await _Building(site, facts, tools).run("resolve", *words)
    fix = f"./{facts.wrapper} build" if facts.wrapper else "gradle build"
    return None if step.ok else failed(step, "resolving the dependencies with Gradle", fix)
