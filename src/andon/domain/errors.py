"""The three kinds of exception: a person's mistake, an environment that cannot serve, a runtime that failed.

Anything else that escapes is a bug. A failed check is a value (see verdict.py), never an exception.
"""

from __future__ import annotations


class UserError(Exception):
    """Something a person can put right. Shown as message and hint, never with a traceback."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NoSuch(UserError):
    """What a person names is not there, or not among what andon knows."""


class Conflict(UserError):
    """Somebody else was faster, or it is not any more what the person saw."""


class EnvironmentProblem(UserError):
    """The machine cannot do what is needed: a missing program, a full or read-only disk, a broken database."""


class RuntimeFailed(Exception):
    """An agent runtime could not carry out an order. `retryable` says whether the same order may be tried again."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
