#!/bin/sh
# agents.sh short: the agent programs that `make test` drives.  agents.sh more: and those of `make agents`.
# At the versions of tests/agents/*/package.json. They are never signed in.
set -u
cd "$(dirname "$0")/.." || exit 1

install_set() { # NAME
    scripts/npm.sh "tests/agents/$1" "some hundred megabytes" "real agent programs"
}

install_set short || exit 1
[ "${1:-short}" = short ] || install_set more
