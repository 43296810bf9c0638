#!/bin/sh
# Everything that can be said about the code without running the suite. All of it runs, so that one round shows all.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0
step() {
    echo "check: $1"
    shift
    "$@" || status=1
}

step "ruff check" .venv/bin/ruff check --quiet .
step "ruff format" .venv/bin/ruff format --check --quiet .
step "pyright" env PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/pyright
step "architecture" .venv/bin/pytest -q -n 0 tests/test_architecture.py tests/test_house.py
exit "$status"
