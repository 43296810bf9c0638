"""Files that an interpreter, a package manager, git, an editor or an agent reads or runs by itself when it starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_INTERPRETER = re.compile(r"(?:^|/)(?:sitecustomize|usercustomize)(?:\.pyc?|/__init__\.py)$|\.pth$|\.egg-link$")
_COMPILED = re.compile(r"(?:^|/)__pycache__/|\.py[co]$")
_LIBRARY = re.compile(r"\.(?:so(?:\.\d+)*|pyd|dylib|dll|node|class|jar)$")
_GIT_HOOKS = re.compile(
    r"(?:^|/)(?:\.husky|\.githooks|\.git-hooks|githooks|\.git)/|(?:^|/)(?:\.?lefthook)(?:-local)?\.ya?ml$"
)
_AGENT_FOLDER = re.compile(r"(?:^|/)\.(?:claude|cursor|codex|gemini|windsurf|continue|aider|roo|kiro|amazonq)/")
_AGENT_FILE = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|QWEN)\.md$|(?:^|/)\.(?:cursorrules|windsurfrules|clinerules|mcp\.json|aider\.conf\.yml)$"
    r"|(?:^|/)\.github/copilot-instructions\.md$|(?:^|/)\.github/instructions/",
    re.IGNORECASE,
)
_EDITOR = re.compile(
    r"(?:^|/)(?:\.vscode/(?:tasks|launch|settings)\.json|\.devcontainer/.+|\.idea/runConfigurations/.+)$"
)
_SHELL = re.compile(
    r"(?:^|/)\.(?:envrc|profile|bashrc|bash_profile|zshrc|zshenv|inputrc|gdbinit|pdbrc(?:\.py)?|pythonrc(?:\.py)?)$"
)
_ENVIRONMENT = re.compile(
    r"^\s*(?:export\s+)?(NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|BREAKPOINT|WARNINGS|HASHSEED)|PYTEST_\w+|LD_\w+|DYLD_\w+"
    r"|PATH|BASH_ENV|JEST_\w+|VITEST\w*|COVERAGE_\w+|JAVA_TOOL_OPTIONS|MAVEN_OPTS|GOFLAGS|RUSTFLAGS|RUSTC_WRAPPER|NPM_CONFIG_\w+"
    r"|PIP_\w+|UV_\w+|GIT_\w+)\s*=",
    re.MULTILINE | re.IGNORECASE,
)
_NPM = re.compile(
    r"^\s*(script-shell|node-options|ignore-scripts(?=\s*=\s*false)|prefix|globalconfig|onload-script|shell|git|init-module|cafile|strict-ssl)\s*=",
    re.MULTILINE | re.IGNORECASE,
)
_YARN = re.compile(
    r"^\s*(yarnPath|yarn-path|plugins|nodeLinker|pnp\w*|initScope|script-shell|\"?--\w+|enableScripts|injectEnvironmentFiles)\b",
    re.MULTILINE,
)
_PRELOAD = re.compile(r"^\s*(preload)\s*=", re.MULTILINE)
_LOCAL_HOOK = re.compile(r"^\s*-?\s*(repo:\s*['\"]?(?:local|\.|/|file:)|entry:)\s*(.*)$", re.MULTILINE)


def _whole(_: Changed) -> Iterator[tuple[str, int]]:
    yield "", 0


def _lines(pattern: re.Pattern[str]) -> Callable[[Changed], Iterator[tuple[str, int]]]:
    """Settings that are new, or have another value than they had."""

    def read(file: Changed) -> Iterator[tuple[str, int]]:
        had = {_line(file.old or "", match) for match in pattern.finditer(file.old or "")}
        for match in pattern.finditer(file.new or ""):
            line = _line(file.new or "", match)
            if line not in had:
                yield match[1].strip(), (file.new or "").count("\n", 0, match.start(1)) + 1

    return read


def _line(text: str, match: re.Match[str]) -> str:
    end = text.find("\n", match.start(1))
    return text[match.start(1) : end if end >= 0 else len(text)].strip()


_KINDS: tuple[tuple[re.Pattern[str], str, Callable[[Changed], Iterator[tuple[str, int]]]], ...] = (
    (_INTERPRETER, "Python runs this when it starts", _whole),
    (_COMPILED, "compiled code, which may be run instead of its source", _whole),
    (_LIBRARY, "compiled code that nobody can read here", _whole),
    (_GIT_HOOKS, "git runs this", _whole),
    (_AGENT_FOLDER, "instructions or programs for coding agents, which would read it as orders", _whole),
    (_AGENT_FILE, "instructions for coding agents, which would read it as orders", _whole),
    (_EDITOR, "an editor runs this", _whole),
    (_SHELL, "a shell or a debugger runs this when it starts", _whole),
    (re.compile(r"(?:^|/)\.env(?:\.[\w.-]+)?$"), "sets what changes how programs start", _lines(_ENVIRONMENT)),
    (re.compile(r"(?:^|/)\.npmrc$"), "changes how npm starts programs", _lines(_NPM)),
    (re.compile(r"(?:^|/)\.yarnrc(?:\.yml)?$"), "changes how yarn starts", _lines(_YARN)),
    (re.compile(r"(?:^|/)bunfig\.toml$"), "is loaded before everything", _lines(_PRELOAD)),
    (re.compile(r"(?:^|/)\.pre-commit-config\.ya?ml$"), "a hook of pre-commit", _lines(_LOCAL_HOOK)),
    (re.compile(r"(?:^|/)(?:\.pypirc|pip\.conf|pip\.ini|\.pydistutils\.cfg|\.netrc|\.condarc)$"),
     "a package manager obeys this", _whole),
    (re.compile(r"(?:^|/)(?:\.pnpmfile\.c?js|\.yarn/(?:plugins|releases)/.+)$"), "a package manager runs this", _whole),
    (re.compile(r"(?:^|/)(?:gradle/wrapper/.+\.jar|\.mvn/(?:extensions\.xml|jvm\.config|wrapper/.+\.jar)|\.cargo/config(?:\.toml)?)$"),
     "a build tool runs or obeys this", _whole),
)  # fmt: skip


def startup_findings(change: ChangeSet) -> list[Finding]:
    """Removing one of them is no finding: what no longer runs by itself does nothing."""
    return [finding for file in change for finding in _of(file)]


def _of(file: Changed) -> Iterator[Finding]:
    after, before = file.after, file.before
    if after is None or (before is not None and before.content == after.content and before.mode == after.mode):
        return
    for places, told, read in _KINDS:
        if not places.search(file.path):
            continue
        rule = "agent_instructions" if places in (_AGENT_FOLDER, _AGENT_FILE) else "startup_hook"
        for setting, line in read(file):
            yield found(rule, f"{told}: {setting}" if setting else told, file.path, line, setting or "file")
        return
