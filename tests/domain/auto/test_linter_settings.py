"""A-79, A-84: an agent does not decide what linter and type checker say of its work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from andon.domain.auto.linter_settings import changed_settings, sets_linters

PYPROJECT = (
    '[project]\nname = "a"\nversion = "1"\n\n[tool.ruff.lint]\nselect = [\n    "E",\n    "F",\n]\n\n[tool.x]\ny = 1\n'
)
PACKAGE = (
    '{\n  "name": "a",\n  "eslintConfig": {\n    "rules": {\n      "semi": "error"\n    }\n  },\n  "version": "1"\n}\n'
)


def whole_diff(folder: Path, path: str, before: str | None, after: str | None) -> str:
    """As git shows it, from the first line of the file to the last."""
    for name, text in (("a", before), ("b", after)):
        (folder / name).mkdir()
        if text is not None:
            (folder / name / path).write_text(text)
    words = ["git", "diff", "--no-index", "-U99999", "--no-color", "--no-prefix", "a", "b"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=20).stdout


@pytest.mark.parametrize(
    ("path", "before", "after", "counts"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('    "F",\n', ""), True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("[tool.x]", '[tool.ruff]\nexclude = ["src"]\n[tool.x]'), True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.partition("[tool.ruff.lint]")[0], True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"1"', '"2"').replace("y = 1", "y = 2"), False),
        ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[mypy]\nignore_errors = True\n", True),
        ("package.json", PACKAGE, PACKAGE.replace('"error"', '"off"'), True),
        ("package.json", PACKAGE, PACKAGE.replace('"1"', '"2"').replace('"a"', '"b"'), False),
        ("ruff.toml", "line-length = 100\n", None, True),
        (".eslintrc.json", None, '{"rules": {}}\n', True),
        ("tsconfig.json", '{"strict": true}\n', '{"strict": false}\n', True),
    ],
)
def test_A_79_changed_settings_are_found(
    tmp_path: Path, path: str, before: str | None, after: str | None, counts: bool
) -> None:
    found = changed_settings(whole_diff(tmp_path, path, before, after))

    assert sets_linters(path)
    assert bool(found) is counts


def test_A_79_other_files_set_no_linter() -> None:
    assert not any(map(sets_linters, ("src/ruff.py", "package-lock.json", "eslint.md", "config.toml", "tests/mypy.py")))
