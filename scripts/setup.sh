#!/bin/sh
# setup.sh packages: the locked Python packages in .venv.  setup.sh run: and the sandbox.  setup.sh test: and what the tests use.
# Silent and quick when everything is there; one line per step otherwise. Only missing Python packages are an error.
set -u
cd "$(dirname "$0")/.." || exit 1
purpose=${1:-test}

python_packages() {
    # Whatever decides about the content of .venv. The path is part of it: a moved repository needs its own links anew.
    digest=$({ pwd; cat uv.lock pyproject.toml scripts/setup.sh; } | cksum)
    stamp=.venv/.setup-stamp
    [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$digest" ] && return 0
    python=$(scripts/python.sh) && export UV_PYTHON_DOWNLOADS=never
    echo "setup: installing the locked Python packages into .venv"
    # Compiled once here: uv leaves that to the first import, which some environments forbid (PYTHONDONTWRITEBYTECODE).
    scripts/uv.sh sync --frozen --quiet --compile-bytecode ${python:+--python "$python"} || {
        echo "setup: the Python packages could not be installed; the lines above say why. Once mended, the same command goes on." >&2
        return 1
    }
    printf '%s\n' "$digest" >"$stamp"
}

missing=
lost=
needs() { # PACKAGE CONSEQUENCE: called when its program is not there
    missing="$missing $1"
    lost="$lost
  without $1: $2"
}

look_for_programs() {
    missing= lost=
    command -v bwrap >/dev/null 2>&1 ||
        needs bubblewrap "no full sandbox: agents and checks are confined less or not at all, and such checks count as not measured"
    command -v git >/dev/null 2>&1 || needs git "nothing works: every workspace is a git tree"
    [ "$purpose" = test ] || return 0
    command -v tmux >/dev/null 2>&1 || needs tmux "tests of terminal panes cannot run"
    command -v node >/dev/null 2>&1 || needs nodejs "tests of Node projects cannot run; Python projects need nothing"
    command -v npm >/dev/null 2>&1 || needs npm "tests of Node projects cannot run; Python projects need nothing"
    [ -x /usr/bin/chromium ] || needs chromium "tests in a browser cannot run"
    # Debian keeps the server's programs off PATH.
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ||
        needs postgresql "tests against PostgreSQL cannot run; SQLite needs nothing"
}

system_packages() {
    look_for_programs
    [ -n "$missing" ] || return 0
    scripts/system.sh install $missing && look_for_programs
    [ -n "$missing" ] || return 0
    printf 'setup: not installed:%s%s\n  to install: %s\n' "$missing" "$lost" "$(scripts/system.sh command $missing)" >&2
}

sandbox_works() {
    command -v bwrap >/dev/null 2>&1 || return 0
    bwrap --unshare-all --ro-bind / / true 2>/dev/null && return 0
    echo "setup: bubblewrap is installed, but this kernel refuses it (no user namespaces): checks count as not measured" >&2
    [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ] &&
        echo "  to allow it: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" >&2
    return 0
}

python_packages || exit 1
[ "$purpose" = packages ] || { system_packages && sandbox_works; }
