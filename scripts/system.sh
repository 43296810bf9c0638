#!/bin/sh
# system.sh install PACKAGE…: install system packages, as root or with a sudo that asks nothing; fails where that is not allowed.
# system.sh command PACKAGE…: print the command a person would run instead. Package names are Debian's.
set -u
action=$1
shift

refresh= patience=
if command -v apt-get >/dev/null 2>&1; then
    install="apt-get install -y --no-install-recommends" refresh="apt-get update"
    patience="-o DPkg::Lock::Timeout=180" # seconds; without it another apt-get that is at work is a failure at once
elif command -v dnf >/dev/null 2>&1; then install="dnf install -y"
elif command -v pacman >/dev/null 2>&1; then install="pacman -S --needed --noconfirm"
elif command -v apk >/dev/null 2>&1; then install="apk add"
elif command -v brew >/dev/null 2>&1; then install="brew install"
else install=
fi
if [ "${install%% *}" = dnf ]; then
    for name in "$@"; do # rotates the arguments once, renaming the one that is called otherwise there
        shift
        [ "$name" = postgresql ] && name=postgresql-server
        set -- "$@" "$name"
    done
fi

if [ "$action" = command ]; then
    [ -n "$install" ] || { echo "install with your system's package manager: $*"; exit 0; }
    by_hand=$(echo "$install" | sed 's/ -[^ ]*y[^ ]*//; s/ --no[a-z-]*//g')
    [ "${install%% *}" = brew ] || [ "$(id -u)" = 0 ] || by_hand="sudo $by_hand"
    echo "$by_hand $*"
    exit 0
fi

[ -n "$install" ] && [ -z "${ANDON_NO_SYSTEM_PACKAGES:-}" ] || exit 1
if [ "$(id -u)" = 0 ]; then as_root=env
elif sudo -n true 2>/dev/null; then as_root="sudo -n env"
else exit 1
fi
echo "setup: installing $* with ${install%% *}"
as_root="$as_root DEBIAN_FRONTEND=noninteractive LC_ALL=C"
attempt() { $as_root "$@" $patience </dev/null >/dev/null 2>&1; }
refreshed() { # apt-get has patience for the lock of the packages, not for that of their list
    tries=36
    [ -n "$refresh" ] || return 1
    until told=$($as_root $refresh </dev/null 2>&1); do
        tries=$((tries - 1))
        case $told in *"Could not get lock"*) [ "$tries" -gt 0 ] && sleep 5 || return 1 ;; *) return 1 ;; esac
    done
}
# A package list that is there may do; a machine that never had one needs it first.
attempt $install "$@" || { refreshed && attempt $install "$@"; }
