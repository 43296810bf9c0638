#!/bin/sh
# agents.sh short: the agent programs that `make test` drives.  agents.sh more: and those of `make agents`.
# Into .agents/, at the versions of tests/agents/*/package.json; silent when they are there. They are never signed in.
set -u
cd "$(dirname "$0")/.." || exit 1

install_set() { # NAME
    source=tests/agents/$1 target=.agents/$1
    digest=$(cat "$source/package.json" "$source/package-lock.json" scripts/agents.sh | cksum)
    [ "$(cat "$target/.stamp" 2>/dev/null)" = "$digest" ] && return 0
    command -v npm >/dev/null 2>&1 || {
        echo "agents: npm is missing, so tests of real agent programs cannot run" >&2
        return 1
    }
    echo "agents: installing into $target (some hundred megabytes, once)"
    mkdir -p "$target" && cp "$source/package.json" "$source/package-lock.json" "$target/" &&
        npm install --no-save --prefix "$target" --no-audit --no-fund --loglevel=error >"$target/npm.log" 2>&1 || {
        tail -5 "$target/npm.log" >&2
        return 1
    }
    printf '%s\n' "$digest" >"$target/.stamp"
}

install_set short || exit 1
[ "${1:-short}" = short ] || install_set more
