"""The static layers, in the order of their rules. Each looks at the change alone; one that raises is a bug, no pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from andon.checks.tamper.answer_table import table_findings
from andon.checks.tamper.characters import character_findings
from andon.checks.tamper.ci import ci_findings
from andon.checks.tamper.comparing import test_findings
from andon.checks.tamper.dependencies import dependency_findings
from andon.checks.tamper.entries import entry_findings
from andon.checks.tamper.fixtures import fixture_findings
from andon.checks.tamper.golden import golden_findings
from andon.checks.tamper.lost_files import lost_file_findings
from andon.checks.tamper.manifests import ecosystem
from andon.checks.tamper.product_python import product_python_findings
from andon.checks.tamper.product_scripts import product_script_findings
from andon.checks.tamper.runner_settings import settings_findings
from andon.checks.tamper.secrets import secret_findings
from andon.checks.tamper.shadowing import shadowing_findings
from andon.checks.tamper.startup_hooks import startup_findings
from andon.checks.tamper.suppressed import suppression_findings
from andon.checks.tamper.test_paths import is_test_file
from andon.checks.tamper.weaker_commands import weaker_command_findings
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.ports import Trees

Look = Callable[[ChangeSet], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Ground:
    """What of the base the layers know besides the change itself."""

    tests: Mapping[str, str] = field(default_factory=dict[str, str])
    """Test files, by path."""
    manifests: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that declare dependencies."""


def ground_of(trees: Trees, base: str, change: ChangeSet) -> Ground:
    wanted = [path for path in change.before if ecosystem(path) or (is_test_file(path) and _compared(path))]
    texts = {path: content.decode("utf-8", "replace") for path, content in trees.contents(base, wanted).items()}
    return Ground(
        {path: text for path, text in texts.items() if not ecosystem(path)},
        {path: text for path, text in texts.items() if ecosystem(path)},
    )


def _compared(path: str) -> bool:
    """Of a language in which tables of answers are looked for."""
    return path.endswith((".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts"))


LOOKS: tuple[Look, ...] = (
    entry_findings,
    startup_findings,
    test_findings,
    fixture_findings,
    lost_file_findings,
    golden_findings,
    settings_findings,
    product_python_findings,
    product_script_findings,
    suppression_findings,
    ci_findings,
    weaker_command_findings,
    secret_findings,
    character_findings,
)


def static_findings(change: ChangeSet, ground: Ground) -> list[Finding]:
    found = [finding for look in LOOKS for finding in look(change)]
    found += shadowing_findings(change, ground.manifests)
    found += table_findings(change, ground.tests)
    return [*found, *dependency_findings(change, ground.manifests)]
