"""Who may write which file while a pipeline is active (C-02, C-75, X-37)."""

from __future__ import annotations

import posixpath

MESSAGE = "Source files must be edited by uam-worker agents"
WORKERS = ("uam-worker", "uam-frontend")
ALLOWED = (".uam/", ".omc/", ".claude/", "docs/learnings/")
PLAN = "PLAN.md"
SOURCES = (
    *(".c", ".cc", ".cpp", ".cs", ".css", ".dart", ".ex", ".exs", ".go", ".h", ".hpp", ".html", ".java", ".js", ".jsx"),
    *(".ipynb", ".kt", ".lua", ".mjs", ".cjs", ".php", ".pl", ".py", ".pyi", ".r", ".rb", ".rs", ".scala", ".scss"),
    *(".sh", ".sql", ".svelte", ".swift", ".ts", ".tsx", ".mts", ".cts", ".vue", ".zig"),
)


def is_worker(agent: str | None) -> bool:
    """By the agent's type, with the plugin's name before it or without. Who is unknown is the orchestrator."""
    return bool(agent) and str(agent).rpartition(":")[2] in WORKERS


def refusal(path: str, root: str, agent: str | None, sources: tuple[str, ...] = SOURCES) -> str:
    """Why this agent may not write there; "" when it may. Only asked while a pipeline is active."""
    if is_worker(agent):
        return ""
    inside = posixpath.relpath(posixpath.normpath(posixpath.join(root, path)), posixpath.normpath(root))
    if inside == PLAN or f"{inside}/".startswith(ALLOWED):
        return ""
    return MESSAGE if inside.lower().endswith(sources) else ""
