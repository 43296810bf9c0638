"""Why a tier does not work on this machine, and the remedy to print. Reads the machine; changes nothing."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

_INSTALL = {
    "apt-get": "sudo apt-get install bubblewrap",
    "dnf": "sudo dnf install bubblewrap",
    "yum": "sudo yum install bubblewrap",
    "pacman": "sudo pacman -S bubblewrap",
    "zypper": "sudo zypper install bubblewrap",
    "apk": "sudo apk add bubblewrap",
    "xbps-install": "sudo xbps-install bubblewrap",
    "emerge": "sudo emerge sys-apps/bubblewrap",
}

_APPARMOR_PROFILE = """\
sudo tee /etc/apparmor.d/bwrap >/dev/null <<'PROFILE'
abi <abi/4.0>,
include <tunables/global>
profile bwrap {program} flags=(unconfined) {{
  userns,
  include if exists <local/bwrap>
}}
PROFILE
sudo apparmor_parser -r /etc/apparmor.d/bwrap"""


@dataclass(frozen=True, slots=True)
class Host:
    """The settings of a machine that decide whether bubblewrap may work."""

    container: bool = False
    apparmor_restricts: bool = False
    userns_clone_off: bool = False
    userns_limit_zero: bool = False
    package_manager: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    reason: str
    fix: str = ""


def this_host() -> Host:
    return Host(
        container=any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")),
        apparmor_restricts=_setting("kernel/apparmor_restrict_unprivileged_userns") == "1",
        userns_clone_off=_setting("kernel/unprivileged_userns_clone") == "0",
        userns_limit_zero=_setting("user/max_user_namespaces") == "0",
        package_manager=next((name for name in _INSTALL if shutil.which(name)), None),
    )


def bwrap_missing(host: Host) -> Refusal:
    install = _INSTALL.get(host.package_manager or "", "Install the package bubblewrap.")
    return Refusal("bubblewrap is not installed", install)


def bwrap_refused(said: str, program: str, host: Host) -> Refusal:
    """Translate bwrap's complaint, given what is known of the machine. The most specific cause comes first."""
    said = said.strip().splitlines()[0] if said.strip() else "no message"
    if "mount proc" in said:
        return Refusal(
            f"/proc is masked, as container engines do: {said}",
            "Start the container with --security-opt systempaths=unconfined (Kubernetes: procMount: Unmasked).",
        )
    if host.userns_clone_off:
        return Refusal(
            f"the kernel refuses user namespaces to ordinary users: {said}",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        )
    if host.userns_limit_zero:
        return Refusal(f"user namespaces are switched off: {said}", "sudo sysctl -w user.max_user_namespaces=15000")
    if host.apparmor_restricts:
        return Refusal(
            f"AppArmor restricts user namespaces (Ubuntu 23.10 and later): {said}",
            _APPARMOR_PROFILE.format(program=program),
        )
    if host.container:
        return Refusal(
            f"the container engine refuses namespaces: {said}",
            "Start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined",
        )
    return Refusal(said)


def _setting(name: str) -> str | None:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return None
