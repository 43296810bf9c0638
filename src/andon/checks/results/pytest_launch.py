"""Starts pytest so that its results reach andon. Runs inside the sandbox, with the project's interpreter.

Usage: python -I pytest_launch.py CHANNEL PATHS [PYTEST ARGUMENT...]. Standard library and pytest only. Everything it
needs is imported before a path of the tree is in sys.path: no file of the tree can stand in for it.
"""

import hashlib
import hmac
import json
import os
import sys
from importlib import import_module

import pytest

for _name in ("config", "main", "python", "runner", "terminal", "unittest", "assertion.rewrite", "skipping"):
    import_module("_pytest." + _name)


class Channel:
    """Writes numbered, signed records. Only in the process that opened it: what a test forks stays silent."""

    def __init__(self, folder):
        path = os.path.join(folder, "secret")
        with open(path, "rb") as file:
            secret = file.read()
        os.unlink(path)
        if len(secret) < 32:
            raise SystemExit("no secret: the channel was used before")
        signature = hmac.new(secret, digestmod=hashlib.sha256)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(os.path.join(folder, "results"), flags, 0o600)
        owner, number, write, getpid, dumps = os.getpid(), [0], os.write, os.getpid, json.dumps

        def record(kind, **data):
            if getpid() != owner:
                return
            text = f"{number[0]} {dumps(dict(data, kind=kind), sort_keys=True)}".encode("utf-8", "replace")
            number[0] += 1
            signed = signature.copy()
            signed.update(text)
            line = text + b" " + signed.hexdigest().encode() + b"\n"
            while line:
                line = line[write(descriptor, line) :]

        self.record = record


class Reporter:
    """Tells what was collected, how each test ended, and how the session did."""

    def __init__(self, channel):
        self._record = channel.record
        self._ends = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session):
        self._record("collected", ids=[item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        self._record("collected", ids=list(ids))

    def pytest_collectreport(self, report):
        if report.failed:
            self._record("problem", id=report.nodeid, text=str(report.longrepr)[-2000:])

    def pytest_runtest_logreport(self, report):
        end = _end(report)
        if end == "rerun":
            self._ends.pop(report.nodeid, None)
            return
        known = self._ends.get(report.nodeid)
        if known is None or (known == "passed" and end != "passed") or end == "failed":
            self._ends[report.nodeid] = end
        if report.when == "teardown":
            self._record("test", id=report.nodeid, outcome=self._ends.pop(report.nodeid, end))
        elif end == "failed" and report.when == "???":  # a worker of xdist that crashed
            self._record("test", id=report.nodeid, outcome="failed")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self._record("finished", status=int(exitstatus))


def _end(report):
    if report.outcome == "rerun":
        return "rerun"
    if (report.when == "call" or report.skipped) and hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def main():
    folder, paths, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    channel = Channel(folder)
    sys.argv = ["pytest", *arguments]
    # Where PYTHONPATH would have put them.
    sys.path[0:0] = [path for path in paths.split(":") if path]
    sys.exit(pytest.main(arguments, plugins=[Reporter(channel)]))


if __name__ == "__main__":
    main()
