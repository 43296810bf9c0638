#!/bin/sh
# test.sh WORKERS [PYTEST ARGUMENT…]: the suite, in one go. What fails is not tried again: it has failed.
set -u
cd "$(dirname "$0")/.." || exit 1
workers=$1
shift

# Without bytecode every process that a test starts would compile andon anew, a second each.
unset PYTHONDONTWRITEBYTECODE

# Whoever waits for a story that another worker tells may tell one of those that will be asked for: all of them.
[ "$#" -gt 0 ] || export ANDON_TEST_WHOLE=1

run() {
    .venv/bin/pytest -n "$workers" --basetemp "$ANDON_TEST_FOLDER/tests" --durations=10 -o console_output_style=classic "$@"
}
[ -z "${ANDON_TEST_FOLDER:-}" ] || { run "$@"; exit; }

# What tests write lies in memory where that can be had: in a mount that only they see, and that is gone with them.
folder=$(mktemp -d "${TMPDIR:-/tmp}/andon-tests.XXXXXX") || exit 1
enough=$(awk '$1 == "MemAvailable:" { print ($2 > 8000000) }' /proc/meminfo 2>/dev/null)
if [ "$enough" = 1 ] && unshare -m mount -t tmpfs tmpfs "$folder" 2>/dev/null; then
    # shellcheck disable=SC2016  # the words are the inner shell's
    ANDON_TEST_FOLDER=$folder unshare -m sh -c 'mount -t tmpfs -o mode=0755,size=70% tmpfs "$1" && shift && exec "$@"' \
        sh "$folder" scripts/test.sh "$workers" "$@"
    status=$?
else
    chmod 755 "$folder"
    ANDON_TEST_FOLDER=$folder
    run "$@"
    status=$?
fi
rm -rf "$folder"
exit "$status"
