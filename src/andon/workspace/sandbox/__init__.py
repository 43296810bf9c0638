"""Sandboxes: a command goes in, the same command comes out wrapped so that the kernel confines it."""

from andon.workspace.sandbox.bwrap import BwrapSandbox
from andon.workspace.sandbox.failure import setup_failure
from andon.workspace.sandbox.landlock import LandlockSandbox
from andon.workspace.sandbox.limits import Limits
from andon.workspace.sandbox.probe import TierReport, best, probe
from andon.workspace.sandbox.unconfined import NoSandbox

__all__ = [
    "BwrapSandbox",
    "LandlockSandbox",
    "Limits",
    "NoSandbox",
    "TierReport",
    "best",
    "probe",
    "setup_failure",
]
