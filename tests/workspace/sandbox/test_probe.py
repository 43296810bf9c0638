"""The probe believes its canary, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from andon.workspace.sandbox import NoSandbox, best, probe
from andon.workspace.sandbox.diagnosis import Host, bwrap_missing, bwrap_refused
from andon.workspace.sandbox.probe import TierReport, attempt, planted

ATTEMPTS = {"write_outside", "read_secret", "reach_loopback", "see_process"}


def program(folder: Path, text: str) -> str:
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def by_tier(reports: list[TierReport], tier: str) -> TierReport:
    return next(report for report in reports if report.tier == tier)


def test_tiers_come_best_first_and_something_is_always_usable(reports: list[TierReport]) -> None:
    assert [report.tier for report in reports] == ["bwrap+cgroup", "bwrap+limits", "landlock", "none"]
    assert reports[-1].usable
    assert not reports[-1].sandbox.confines
    assert all(report.reason for report in reports if not report.usable)


def test_the_best_tier_that_works_is_found_and_none_below_it_is_tried(tmp_path: Path, bwrap: Any) -> None:
    found = best(tmp_path)

    assert type(found) is type(bwrap) and found.confines
    assert not (tmp_path / "private").exists()  # what Landlock would need


def test_without_a_sandbox_the_canary_reaches_everything(tmp_path: Path) -> None:
    with planted(tmp_path) as plants:
        reached, problem = attempt(NoSandbox(), plants)

    assert problem == ""
    assert reached >= ATTEMPTS
    assert ("write_sysctl" in reached) == os.access("/proc/sys/kernel/core_pattern", os.W_OK)


def test_rule_1_a_bwrap_that_confines_nothing_is_not_usable(tmp_path: Path) -> None:
    # It accepts every option and starts the program as it is.
    pretender = program(tmp_path, 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"')

    report = by_tier(probe(tmp_path / "andon", bwrap=pretender), "bwrap+limits")

    assert not report.usable
    assert report.reason.startswith("the canary got out")
    assert all(name in report.reason for name in ATTEMPTS)


def test_a_bwrap_that_refuses_is_not_usable_and_quoted(tmp_path: Path) -> None:
    refusing = program(tmp_path, 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')

    report = by_tier(probe(tmp_path / "andon", bwrap=refusing), "bwrap+limits")

    assert not report.usable
    assert "setting up uid map" in report.reason


def test_a_missing_bwrap_is_not_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    reports = probe(tmp_path / "andon")
    assert by_tier(reports, "bwrap+limits").reason == "bubblewrap is not installed"

    assert not by_tier(probe(tmp_path / "andon", bwrap=str(tmp_path / "gone")), "bwrap+limits").usable


def test_the_probe_leaves_only_the_filter(tmp_path: Path) -> None:
    probe(tmp_path)
    first = sorted(path.name for path in tmp_path.iterdir())
    probe(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == first
    assert all(name == "private" or name.endswith(".bpf") for name in first)


NAMESPACE = "bwrap: No permissions to create new namespace"
UID_MAP = "bwrap: setting up uid map: Permission denied"
PROC = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"


@pytest.mark.parametrize(
    ("said", "host", "reason", "fix"),
    [
        (UID_MAP, Host(apparmor_restricts=True), "AppArmor", "/etc/apparmor.d/bwrap"),
        (NAMESPACE, Host(container=True), "container engine", "seccomp=unconfined"),
        (PROC, Host(container=True), "/proc is masked", "systempaths=unconfined"),
        (NAMESPACE, Host(userns_clone_off=True), "ordinary users", "kernel.unprivileged_userns_clone=1"),
        (NAMESPACE, Host(userns_limit_zero=True), "switched off", "user.max_user_namespaces"),
        ("bwrap: something new", Host(), "something new", ""),
    ],
)
def test_known_refusals_come_with_their_fix(said: str, host: Host, reason: str, fix: str) -> None:
    refusal = bwrap_refused(said, "/usr/bin/bwrap", host)

    assert reason in refusal.reason
    assert fix in refusal.fix


@pytest.mark.parametrize(("tool", "word"), [("apt-get", "apt-get install"), ("pacman", "-S"), (None, "bubblewrap")])
def test_a_missing_bwrap_comes_with_the_platforms_command(tool: str | None, word: str) -> None:
    assert word in bwrap_missing(Host(package_manager=tool)).fix
