#!/bin/sh
# servers.sh: the MCP servers that `make test` talks to, at the versions of tests/servers/package.json.
set -u
cd "$(dirname "$0")/.." || exit 1
exec scripts/npm.sh tests/servers "some megabytes" "real MCP servers"
