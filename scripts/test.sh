#!/bin/sh
# test.sh WORKERS [PYTEST ARGUMENT…]: the parallel part, then the tests that need the machine to themselves.
# Both parts always run; the status is the first that is not good.
set -u
cd "$(dirname "$0")/.." || exit 1
workers=$1
shift

.venv/bin/pytest -n "$workers" --dist loadgroup -m "not serial" "$@"
parallel=$?
# 5 is pytest's "nothing was selected". One part may be empty, both may not: then a mistyped ARGS would look like success.
serial=5
# Looked up first, so that a suite without such tests does not end with an empty report.
if grep -rqE --include='*.py' 'mark\.serial\b' tests; then
    .venv/bin/pytest -p no:xdist -m serial "$@"
    serial=$?
fi
[ "$parallel" = 5 ] && exit "$serial"
[ "$parallel" = 0 ] && [ "$serial" != 5 ] && exit "$serial"
exit "$parallel"
