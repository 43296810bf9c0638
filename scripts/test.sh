#!/bin/sh
# test.sh WORKERS [PYTEST ARGUMENT…]: the parallel part, then the tests that need the machine to themselves.
# Both parts always run; the status is the first that is not good.
set -u
cd "$(dirname "$0")/.." || exit 1
workers=$1

# What tests write lies in memory where that can be had: in a mount that only they see, and that is gone with them.
if [ -z "${ANDON_TEST_FOLDER:-}" ]; then
    folder=$(mktemp -d "${TMPDIR:-/tmp}/andon-tests.XXXXXX") || exit 1
    status=unknown
    enough=$(awk '$1 == "MemAvailable:" { print ($2 > 8000000) }' /proc/meminfo 2>/dev/null)
    if [ "$enough" = 1 ] && unshare -m mount -t tmpfs tmpfs "$folder" 2>/dev/null; then
        # shellcheck disable=SC2016  # the words are the inner shell's
        ANDON_TEST_FOLDER=$folder unshare -m sh -c 'mount -t tmpfs -o mode=0755,size=70% tmpfs "$1" && shift && exec "$@"' \
            sh "$folder" scripts/test.sh "$@"
        status=$?
    else
        chmod 755 "$folder"
        ANDON_TEST_FOLDER=$folder scripts/test.sh "$@"
        status=$?
    fi
    rm -rf "$folder"
    exit "$status"
fi
shift

.venv/bin/pytest -n "$workers" --dist loadgroup -m "not serial" --basetemp "$ANDON_TEST_FOLDER/parallel" "$@"
parallel=$?
if [ "$parallel" = 1 ]; then
    # Waits have deadlines, and two cores that do everything at once may miss one. What fails alone as well has failed.
    echo "test.sh: the failures above once more, one at a time" >&2
    .venv/bin/pytest -p no:xdist -m "not serial" --last-failed --last-failed-no-failures none \
        --basetemp "$ANDON_TEST_FOLDER/again" "$@"
    parallel=$?
fi
# 5 is pytest's "nothing was selected". One part may be empty, both may not: then a mistyped ARGS would look like success.
serial=5
# Looked up first, so that a suite without such tests does not end with an empty report.
if grep -rqE --include='*.py' 'mark\.serial\b' tests; then
    .venv/bin/pytest -p no:xdist -m serial --basetemp "$ANDON_TEST_FOLDER/alone" "$@"
    serial=$?
fi
[ "$parallel" = 5 ] && exit "$serial"
[ "$parallel" = 0 ] && [ "$serial" != 5 ] && exit "$serial"
exit "$parallel"
