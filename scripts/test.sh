#!/bin/sh
# test.sh WORKERS [PYTEST ARGUMENT…]: the parallel part, then the tests that need the machine to themselves.
# Both parts always run; the status is the first that is not good.
set -u
cd "$(dirname "$0")/.." || exit 1
workers=$1
shift

.venv/bin/pytest -n "$workers" --dist loadgroup -m "not serial" "$@"
parallel=$?
if [ "$parallel" = 1 ]; then
    # Waits have deadlines, and two cores that do everything at once may miss one. What fails alone as well has failed.
    echo "test.sh: the failures above once more, one at a time" >&2
    .venv/bin/pytest -p no:xdist -m "not serial" --last-failed --last-failed-no-failures none "$@"
    parallel=$?
fi
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
