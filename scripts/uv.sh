#!/bin/sh
# Runs uv with the given arguments: the machine's own if it is new enough, else a private one in .venv-uv, installed now.
# Nothing is written outside the repository but uv's cache.
set -u
cd "$(dirname "$0")/.." || exit 1
private=$PWD/.venv-uv
wanted=$(awk '/^name = "uv"$/ { getline; gsub(/[^0-9.]/, ""); print; exit }' uv.lock)

new_enough() { # PROGRAM: it runs, and can read the lock file: at least the minor version that wrote it
    version=$("$1" --version 2>/dev/null | awk '{ print $2 }')
    [ -n "$version" ] && [ "$(printf '%s\n' "${wanted%.*}" "$version" | sort -V | head -n 1)" = "${wanted%.*}" ]
}

install_uv() {
    python=$(scripts/python.sh) || {
        echo "setup: Python 3.11 or newer is needed and was not found. Run: $(scripts/system.sh command python3 python3-venv)" >&2
        return 1
    }
    echo "setup: installing uv $wanted into .venv-uv" >&2
    mkdir -p "$private" && echo '*' >"$private/.gitignore"
    log=$private/install.log
    # Debian splits venv's pip off into python3-venv and forbids its own pip to install anything but into a folder of ours.
    with_venv && return 0
    "$python" -m pip install --quiet --target "$private/lib" "uv==$wanted" >>"$log" 2>&1 && link_uv && return 0
    numbered=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    { scripts/system.sh install python3-venv >&2 && with_venv; } || { scripts/system.sh install "$numbered" >&2 && with_venv; } && return 0
    tail -n 5 "$log" >&2
    echo "setup: uv could not be installed (all of it: .venv-uv/install.log). If pip is what is missing, run: $(scripts/system.sh command python3-venv)" >&2
    return 1
}

with_venv() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null || return 1
    { "$python" -m venv "$private/env" && "$private/env/bin/python" -m pip install --quiet "uv==$wanted"; } >"$log" 2>&1 || return 1
    mkdir -p "$private/bin" && ln -sf ../env/bin/uv "$private/bin/uv"
}

link_uv() { mkdir -p "$private/bin" && ln -sf ../lib/bin/uv "$private/bin/uv"; }

if new_enough uv; then uv=uv
elif new_enough "$private/bin/uv"; then uv=$private/bin/uv
else install_uv && uv=$private/bin/uv || exit 1
fi

# A home folder that does not exist or is read-only must not matter.
if [ -z "${UV_CACHE_DIR:-}" ] && ! { [ -n "${HOME:-}" ] && [ -w "$HOME" ]; }; then
    mkdir -p "$private" && echo '*' >"$private/.gitignore"
    export UV_CACHE_DIR="$private/cache"
fi
# As pip does: trust what the system trusts, so that one set of certificates serves both.
export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-1}"
exec "$uv" "$@"
