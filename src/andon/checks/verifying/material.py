"""What one test runner's share of a change is made of: its tests and its product, before and after. Runs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from andon.checks.mutants import Mutant
from andon.checks.tamper.test_paths import belongs_to_tests, is_test_file
from andon.checks.verifying.comparison import file_of
from andon.checks.verifying.runners import Runner
from andon.checks.verifying.strength import order_mutants
from andon.domain.changeset import ChangeSet

Texts = Mapping[str, str]
MOST_LITERALS = 40


@dataclass(frozen=True)
class Material:
    """What is known of a change and its tests before anything runs."""

    runner: Runner

    base: str
    tree: str
    restored: str
    """The new tree with the base's tests, their settings and data."""
    without: str
    """The base with the new tests."""
    change: ChangeSet
    before: Texts
    """Test files of the base, in the runner's language."""
    after: Texts
    """Those of the new tree that the change touches."""
    product_before: Texts
    product: Texts
    followed: Texts
    """Files of the base's tests that call something by a name that has moved, with its new name; blank ones too."""
    seed: str

    @cached_property
    def new_literals(self) -> list[str | int | float]:
        before = {each for path in self.after for each in self.runner.literals(self.before.get(path, ""))}
        after = (each for text in self.after.values() for each in self.runner.literals(text))
        return [each for each in dict.fromkeys(after) if each not in before][:MOST_LITERALS]

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Names in the touched tests, as they were and as they are."""
        texts = [*self.after.values(), *(self.before[path] for path in self.before if self.touches(path))]
        return frozenset[str]().union(*map(self.runner.names_used, texts))

    def mutants(self, product: Texts) -> list[Mutant]:
        """Those of what the change touches first, then of what the touched tests speak of, then the others."""
        made = {path: self.runner.mutants(path, text) for path, text in product.items()}
        changed = [path for path in made if path in self.change.by_path]
        near = [path for path in made if path not in changed and stem(path) in self.spoken]
        return order_mutants(made, [*changed, *near], self.seed)

    def concerns(self, mutant: Mutant) -> bool:
        """Whether the touched tests speak of a function, or the change touches its file."""
        name = mutant.function.partition(".")[0]
        return mutant.path in self.change.by_path or name in self.spoken

    @cached_property
    def gone_names(self) -> frozenset[str]:
        """Functions and classes that the base's product has and the new one has not."""
        before = [text for path, text in self.product_before.items() if path in self.change.by_path]
        defined = frozenset[str]().union(*map(self.runner.names_defined, before)) if before else frozenset[str]()
        return defined - frozenset[str]().union(*map(self.runner.names_defined, self.product.values()))

    def touches(self, file: str) -> bool:
        """Whether the change may have made the tests of a file other ones."""
        return self.support_changed or file in self.change.by_path or file in self.followed

    def rewrites(self, id: str) -> bool:
        """Whether the test itself, or what stands around the tests of its file, was changed."""
        path = file_of(id)
        if path not in self._rewritten:
            texts = (self.before.get(path, ""), self.after.get(path, ""))
            self._rewritten[path] = self.runner.rewritten(*texts) if path in self.change.by_path else frozenset()
        names = self._rewritten[path]
        return names is None or self.runner.behind([id], names).get(id) in names

    @cached_property
    def _rewritten(self) -> dict[str, frozenset[str] | None]:
        return {}

    @cached_property
    def support_changed(self) -> bool:
        return any(belongs_to_tests(each.path) and not is_test_file(each.path) for each in self.change)


def stem(path: str) -> str:
    parts = path.split("/")
    name = parts[-2] if parts[-1].startswith(("__init__.", "index.")) and len(parts) > 1 else parts[-1]
    return name.partition(".")[0]
