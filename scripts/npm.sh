#!/bin/sh
# npm.sh FOLDER SIZE PROGRAMS: install the locked npm packages of FOLDER, a folder of tests/, into a folder of .agents/ that is called the same.
# Silent when they are there. SIZE and PROGRAMS are words for people: how much it is, and what cannot be tested without it.
set -u
cd "$(dirname "$0")/.." || exit 1
source=$1 size=$2 programs=$3
name=$(basename "$source")
target=.agents/$name

# Whatever decides about the content of the folder.
digest=$(cat "$source/package.json" "$source/package-lock.json" scripts/npm.sh | cksum)
[ "$(cat "$target/.stamp" 2>/dev/null)" = "$digest" ] && exit 0
command -v npm >/dev/null 2>&1 || {
    echo "$name: npm is missing, so tests of $programs cannot run" >&2
    exit 1
}
echo "$name: installing $programs into $target ($size, once)"
mkdir -p "$target" && cp "$source/package.json" "$source/package-lock.json" "$target/" &&
    npm install --no-save --prefix "$target" --no-audit --no-fund --loglevel=error >"$target/npm.log" 2>&1 || {
    tail -5 "$target/npm.log" >&2
    exit 1
}
printf '%s\n' "$digest" >"$target/.stamp"
