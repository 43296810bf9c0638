#!/bin/sh
# servers.sh: the MCP servers that `make test` talks to.
# Into .agents/servers, at the versions of tests/servers/package.json; silent when they are there.
set -u
cd "$(dirname "$0")/.." || exit 1

source=tests/servers target=.agents/servers
digest=$(cat "$source/package.json" "$source/package-lock.json" scripts/servers.sh | cksum)
[ "$(cat "$target/.stamp" 2>/dev/null)" = "$digest" ] && exit 0
command -v npm >/dev/null 2>&1 || {
    echo "servers: npm is missing, so tests of real MCP servers cannot run" >&2
    exit 1
}
echo "servers: installing into $target (some megabytes, once)"
mkdir -p "$target" && cp "$source/package.json" "$source/package-lock.json" "$target/" &&
    npm install --no-save --prefix "$target" --no-audit --no-fund --loglevel=error >"$target/npm.log" 2>&1 || {
    tail -5 "$target/npm.log" >&2
    exit 1
}
printf '%s\n' "$digest" >"$target/.stamp"
