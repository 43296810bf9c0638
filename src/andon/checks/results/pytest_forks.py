"""Runs tests in forked processes, each bounded in time and memory. Inside the sandbox, for pytest_mutants.py."""

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time

import pytest_launch

ROOT = os.getcwd()
PATIENCE = 4.0
LEAST_SECONDS = 3.0
MOST_BYTES = 1 << 29
"""More than a process has when it is forked."""


class _Ends:
    """How the test that runs ends."""

    def __init__(self):
        self.end = "passed"

    @pytest_launch.pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        end = pytest_launch._end(report)
        if end == "rerun":
            self.end = "passed"
        elif end == "failed" or self.end == "passed":
            self.end = end


class _TooLong(BaseException):
    """A test takes far longer than it does without a mutant."""


def run_tests(items, say, around, enough=lambda failed: False, seconds=None):
    """Run the tests, until that is enough, and leave nothing set up. `seconds`: what each takes as it is."""
    if not items:
        return
    ends, failed = _Ends(), set()
    config, state = items[0].config, items[0].session._setupstate
    _be_quiet(config)
    config.pluginmanager.register(ends)
    for item, after in zip(items, [*items[1:], None]):
        ends.end, began, watched = "passed", time.monotonic(), []

        def run(item=item, after=after):
            config.hook.pytest_runtest_protocol(item=item, nextitem=after)

        if around is None:
            with _bounded(seconds[item.nodeid]):
                run()
        else:
            watched = around(item, run)
        say([item.nodeid, ends.end, time.monotonic() - began, watched])
        if ends.end == "failed":
            failed.add(item.nodeid)
        if enough(failed):
            break
    with contextlib.suppress(Exception):
        state.teardown_exact(None)
    config.pluginmanager.unregister(ends)


@contextlib.contextmanager
def _bounded(seconds):
    """A mutant may never end, or want all the memory there is: that is a failure of the test, and soon."""

    def end(number, frame):
        raise _TooLong

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LEAST_SECONDS / 3 + PATIENCE * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def take_no_more_memory():
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_BYTES, taken + MOST_BYTES))


def failing(items, enough, seconds):
    told = []
    run_tests(items, told.append, None, enough, seconds)
    return [id for id, end, _, _ in told if end == "failed"]


def failing_anew(items, product, options):
    """The same tests in a session of their own, for which all but the product is loaded once more."""
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and path.startswith(ROOT + os.sep) and os.path.relpath(path, ROOT) not in product:
            del sys.modules[name]
    names = dict.fromkeys(item.nodeid.partition("[")[0] for item in items)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    status = pytest_launch.pytest.main(["-x", *options, *names])
    return [] if status == 0 else [items[0].nodeid]


def _be_quiet(config):
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter._tw._file = open(os.devnull, "w")


def ask(work, deadline):
    """Do it in a forked process, and return the lines it said until its end or the deadline."""
    source, target = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(source)
        try:
            work(lambda said: os.write(target, json.dumps(said).encode() + b"\n"))
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(target)
    said = b""
    while True:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([source], [], [], max(left, 0))
        part = os.read(source, 1 << 16) if ready else b""
        if not part:
            break
        said += part
    for end in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            end(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(source)
    return [json.loads(line) for line in said.split(b"\n")[:-1]]
