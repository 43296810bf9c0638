"""Which variables a confined program gets, and which of them must not touch the programs that confine it."""

from __future__ import annotations

from collections.abc import Mapping

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Variables that steer the dynamic loader, the C library or a shell before the confinement stands: glibc's own list
# of what a set-uid program must ignore, and bash's. The shell and bwrap run on the host, so they never see these.
_PREFIXES = ("LD_", "MALLOC_", "BASH")
_NAMES = frozenset({
    "ENV",
    "GCONV_PATH",
    "GETCONF_DIR",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "IFS",
    "LOCALDOMAIN",
    "LOCPATH",
    "NIS_PATH",
    "NLSPATH",
    "PS4",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "SHELLOPTS",
    "TZDIR",
})  # fmt: skip

# A shell adds these on its own; the confined program gets exactly what its command names.
ADDED_BY_SHELLS = ("OLDPWD", "SHLVL", "_")


def with_defaults(env: Mapping[str, str], *, home: str, temporary: str) -> dict[str, str]:
    return {"PATH": PATH, "HOME": home, "TMPDIR": temporary, **env}


def split(env: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(harmless, late): `late` may be set only once the program is confined."""
    late = {name: value for name, value in env.items() if name in _NAMES or name.startswith(_PREFIXES)}
    return {name: value for name, value in env.items() if name not in late}, late
