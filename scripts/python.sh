#!/bin/sh
# Prints the path of a Python that is new enough for andon: the one of .venv if there is one, else the machine's.
set -u
cd "$(dirname "$0")/.." || exit 1

for candidate in .venv/bin/python ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
    # Asked for its own path, because a shim on PATH may point to a version that is not installed.
    found=$("$candidate" -c 'import sys; print(sys.executable) if sys.version_info >= (3, 11) else sys.exit(1)' 2>/dev/null) || continue
    printf '%s\n' "$found"
    exit 0
done
exit 1
