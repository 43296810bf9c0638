"""A-79, A-84: an agent does not decide what linter and type checker say of its work."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from andon.domain.auto.linter_settings import changed_settings, names_linter, sets_linters

PYPROJECT = (
    '[project]\nname = "a"\nversion = "1"\n\n[tool.ruff.lint]\nselect = [\n    "E",\n    "F",\n]\n\n[tool.x]\ny = 1\n'
)
PACKAGE = (
    '{\n  "name": "a",\n  "eslintConfig": {\n    "rules": {\n      "semi": "error"\n    }\n  },\n  "version": "1"\n}\n'
)


def whole_diff(folder: Path, path: str, before: str | None, after: str | None) -> str:
    """As git shows it, from the first line of the file to the last."""
    for name, text in (("a", before), ("b", after)):
        (folder / name / path).parent.mkdir(parents=True)
        if text is not None:
            (folder / name / path).write_text(text)
    words = ["git", "diff", "--no-index", "-U99999", "--no-color", "--no-prefix", "--full-index", "a", "b"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=20).stdout


@pytest.mark.parametrize(
    ("path", "before", "after", "counts"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('    "F",\n', ""), True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("[tool.x]", '[tool.ruff]\nexclude = ["src"]\n[tool.x]'), True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.partition("[tool.ruff.lint]")[0], True),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"1"', '"2"').replace("y = 1", "y = 2"), False),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("select", "# as we like it\nselect"), False),
        ("pyproject.toml", "[tool.x]\n", '[tool.x]\n[tool]\nruff.lint.ignore = ["E501"]\n', True),
        ("pyproject.toml", "[tool.x]\n", '[tool.x]\n[tool."ruff".lint]\nignore = ["E501"]\n', True),
        ("pyproject.toml", "[tool.x]\n", '[tool.x]\n[tool . ruff . lint]\nignore = ["E501"]\n', True),
        ("pyproject.toml", "a = 1\n", 'tool.ruff.lint.ignore = ["E501"]\na = 1\n', True),
        ("pyproject.toml", "a = 1\n", "a = 2\nnot toml\n", True),
        ("pyproject.toml", "a = 1\n", "a = 1 # \0\n", True),
        ("pyproject.toml", None, "[project]\n", False),
        ('o"dd é/pyproject.toml', PYPROJECT, PYPROJECT.replace('    "F",\n', ""), True),
        ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[mypy]\nignore_errors = True\n", True),
        ("setup.cfg", "[mypy-a.*]\nx = 1\n", "[DEFAULT]\nignore_errors = True\n[mypy-a.*]\nx = 1\n", True),
        ("setup.cfg", "[flake8]\nignore = E1\n", "[flake8]\n# why\nignore = E1\n[metadata]\nname = b\n", False),
        ("package.json", PACKAGE, PACKAGE.replace('"error"', '"off"'), True),
        ("package.json", PACKAGE, PACKAGE.replace('"1"', '"2"').replace('"a"', '"b"'), False),
        ("package.json", "{}\n", '{"private": true, "eslintConfig": {"rules": {"semi": 0}}}\n', True),
        ("Cargo.toml", "[package]\n", '[package]\n[lints.clippy]\nall = "allow"\n', True),
        ("Cargo.toml", "[package]\n", '[package]\n[workspace.lints.rust]\nunused = "allow"\n', True),
        ("Cargo.toml", None, '[package]\nname = "a"\n[workspace]\n', False),
        (".cargo/config.toml", None, '[build]\nrustflags = ["-Awarnings"]\n', True),
        ("ruff.toml", "line-length = 100\n", None, True),
        ("ruff.toml", "line-length = 100\n", "line-length = 100  # wide\n", False),
        ("src/ruff.toml", None, "", True),
        ("pylintrc.toml", None, "[main]\n", True),
        (".eslintrc.json", None, '{"rules": {}}\n', True),
        ("tsconfig.json", '{"strict": true}\n', '{"strict": false}\n', True),
        ("tsconfig-base.json", '{"strict": true} // so\n', '{"strict": false} // so\n', True),
        ("config/checkstyle/rules.xml", None, "<module/>\n", True),
        (".gitignore", ".venv/\n", ".venv/\ndist/\n!src/a.py\n# src\n", False),
        (".gitignore", ".venv/\n", ".venv/\nsrc/\n", True),
        (".gitignore", "*.py\n!src/*.py\n", "*.py\n", True),
        (".ignore", "x\n", "x\na.py\n", True),
        (".gitignore", "x\n", "x\na.py # \0\n", True),
    ],
)
def test_A_79_changed_settings_are_found(
    tmp_path: Path, path: str, before: str | None, after: str | None, counts: bool
) -> None:
    found = changed_settings(whole_diff(tmp_path, path, before, after), changed=["src/a.py", "dist.md"])

    assert sets_linters(path)
    assert bool(found) is counts


def test_A_79_a_file_behind_a_link_counts(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, capture_output=True, text=True, timeout=20).stdout.strip()

    def tree() -> str:
        git("add", ".")
        return git("write-tree")

    git("init", "-q")
    (tmp_path / "setup.cfg").write_text("[metadata]\n")
    before = tree()
    (tmp_path / "setup.cfg").unlink()
    (tmp_path / "setup.cfg").symlink_to("[other]")

    found = changed_settings(git("diff-tree", "-r", "-p", "--no-renames", before, tree()))

    assert [each.path for each in found] == ["setup.cfg"]


def test_A_79_a_file_that_the_diff_does_not_show_to_its_end_counts(tmp_path: Path) -> None:
    diff = whole_diff(tmp_path, "pyproject.toml", PYPROJECT, PYPROJECT.replace('"1"', '"2"'))

    assert changed_settings(diff, ["pyproject.toml"]) == []
    assert changed_settings(diff.partition("[tool.ruff")[0], ["pyproject.toml"])
    assert [each.path for each in changed_settings(diff, ["pyproject.toml", "ruff.toml"])] == ["ruff.toml"]


def test_A_79_a_finding_is_about_all_that_was_changed(tmp_path: Path) -> None:
    once = PYPROJECT.replace('    "E",\n', "")
    twice = once + '[tool.mypy]\nignore_errors = true\n[tool.ruff]\nexclude = ["src"]\n'

    [first] = changed_settings(whole_diff(tmp_path / "1", "pyproject.toml", PYPROJECT, once))
    [again] = changed_settings(whole_diff(tmp_path / "2", "pyproject.toml", PYPROJECT, once.replace('"1"', '"2"')))
    [other] = changed_settings(whole_diff(tmp_path / "3", "pyproject.toml", PYPROJECT, twice))

    assert first.message.endswith('ruff.lint.select ["E", "F"] → ["F"]')
    assert first == again
    assert first.message != other.message and other.message.endswith(" and 2 more")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("- `pyproject.toml`: a dependency on httpx", False),
        ("- `pyproject.toml`: ruff ignores E501 in `src/a.py`", True),
        ("- `pyproject.toml`, `src/lint/rules.py`", False),
        ("- `sub/pyproject.toml`: mypy", False),
        ("- the linter is eased", False),
    ],
)
def test_A_79_a_plan_speaks_of_the_linter_in_the_line_of_the_file(line: str, named: bool) -> None:
    assert names_linter(f"# Plan\n\n## Affected files\n{line}\n", "pyproject.toml") is named


def test_A_79_other_files_set_no_linter() -> None:
    assert not any(map(sets_linters, ("src/ruff.py", "package-lock.json", "eslint.md", "config.toml", "tests/mypy.py")))
