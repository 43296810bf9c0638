"""Tells a sandbox that could not be set up from a confined program that failed: the first is never a verdict."""

from __future__ import annotations

# Who complains, by the exit status it uses: bwrap, the shell that opens the filter, the Landlock launcher.
_COMPLAINTS = {1: ("bwrap: ", "sandbox: "), 2: ("sandbox: ",), 125: ("landlock_exec: ",)}


def setup_failure(code: int | None, stderr: bytes) -> str | None:
    """The sandbox's own complaint, if the confined program never started.

    A program may imitate it; it then counts as not measured, which never lets anything pass.
    """
    first = stderr.split(b"\n", 1)[0].decode(errors="replace")
    return first if code is not None and first.startswith(_COMPLAINTS.get(code, ())) else None
