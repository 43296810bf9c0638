"""Has pytest's tests meet mutants of the product. Runs inside the sandbox, with the project's interpreter.

Usage: python -I pytest_mutants.py CHANNEL PATHS [PYTEST ARGUMENT...], with the order on standard input. Standard
library and pytest only. Everything is imported and collected once; then each question is asked in a process that is
forked from that one, so that nothing of a mutant is left for the next.

The order is JSON: `mutants` (id, kind, path, line, name, start, end, new), in the order in which they are tried;
`prove`, ids of tests of which each must fail with one of them, `spare` mutants being for those alone; `answers`,
cases that are answered otherwise (`pytest_answers.py`), an empty list for all; `product`, the paths of its files;
`literals` that the new tests speak of and the old ones did not;
`seconds` for all of it; `most` mutants; `seed`. What is found is told over the channel: how each test ends as it is,
which mutants and wrong answers some test refuses and which test that was, which of the tests to prove were seen to
fail, and which pass though what they call fails.
"""

import contextlib
import gc
import importlib.util
import json
import os
import select
import signal
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pytest_answers
import pytest_launch

del sys.path[0]

ROOT = os.getcwd()
PATIENCE = 4.0
LEAST_SECONDS = 3.0
MOST_TOLD = 8
MOST_SEEN = 5000


class Ordeal:
    """A plugin that takes the place of pytest's own loop over the tests."""

    def __init__(self, order, channel, options):
        self._options = options
        self._order = order
        self._record = channel.record
        self._deadline = time.monotonic() + order["seconds"]
        self._sources = {}
        self._prove = set(order["prove"])
        self._product = set(order["product"])
        self._early = self._watch()

    def _watch(self):
        return pytest_answers.Watch(ROOT, _place, self._product.__contains__, self._order["literals"])

    @pytest_launch.pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self, session):
        """What tests ask the product while they are loaded, and may expect of it later."""
        with self._early:
            return (yield)

    @pytest_launch.pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        items = list(session.items)
        self._record("collected", ids=[item.nodeid for item in items])
        told = _ask(lambda say: _tell_all(items, say, self._watched), self._deadline)
        self._ends = {id: end for id, end, _, _ in told}
        self._seconds = {id: took for id, _, took, _ in told}
        reached = {id: {tuple(place) for place in watched[0]} for id, _, _, watched in told}
        for id, end in self._ends.items():
            self._record("test", id=id, outcome=end)
        if len(self._ends) == len(items):
            self._functions = _functions()
            gc.freeze()  # a fork that collects garbage copies every page it looks at
            self._answer_otherwise(items, {id: watched[1] for id, _, _, watched in told})
            self._try_all(items, reached)
        self._record("finished", status=0)
        return True

    def _watched(self, item, run):
        """What a test calls, and what it asks."""
        with self._watch() as watch:
            run()
        cases = [[*case, kinds, shown] for case, (kinds, shown) in watch.cases.items()]
        return [watch.reached(), cases if self._order["answers"] is not None else []]

    def _answer_otherwise(self, items, cases):
        """Each case that some test asks, once with each wrong answer: those that the order names, or all."""
        asking, known = {}, {}
        for item in items:
            for path, line, name, given, kinds, shown in (
                cases[item.nodeid] if self._ends[item.nodeid] == "passed" else ()
            ):
                asking.setdefault((path, line, name, given), []).append(item)
                known[path, line, name, given] = (kinds, shown)
        if self._order["answers"] is None:
            return
        wanted = [tuple(case) for case in self._order["answers"]]
        if not wanted:
            wanted = [(*case, kind) for case, (kinds, _) in known.items() for kind in kinds]
            wanted.sort(key=lambda case: zlib.crc32(f"{self._order['seed']} {case}".encode("utf-8", "replace")))
        half = time.monotonic() + (self._deadline - time.monotonic()) / 2
        for *case, kind in wanted:
            place, given = tuple(case[:3]), case[3]
            told = {"path": place[0], "line": place[1], "name": place[2], "given": given, "how": kind}
            told["shown"] = known.get((*place, given), ((), ""))[1]
            chosen = asking.get((*place, given), [])
            targets = self._functions.get(place)
            if not chosen or not targets or time.monotonic() > half:
                state = "unreached" if not chosen else "untried" if targets else "unfit"
                self._record("answer", state=state, by=[], **told)
                continue

            def change(targets=targets, given=given, kind=kind):
                return all([pytest_answers.put(function, given, kind) for function in targets])

            failed, _ = self._met(change, chosen, set(), anew=(*place, given) in self._early.cases)
            self._record("answer", state="refused" if failed else "survived", by=failed[:MOST_TOLD], **told)
        for (path, line, name, given), _ in list(known.items())[:MOST_SEEN]:
            self._record("seen", path=path, line=line, name=name, given=given)

    def _try_all(self, items, reached):
        functions = self._functions
        callers = {}
        for item in items:
            for place in reached[item.nodeid] if self._ends[item.nodeid] == "passed" else ():
                callers.setdefault(place, []).append(item)
        tried, met = 0, set()
        for mutant in self._order["mutants"]:
            place = (mutant["path"], mutant["line"], mutant["name"].rpartition(".")[2])
            chosen = callers.get(place, [])
            if mutant["spare"]:
                chosen = [item for item in chosen if item.nodeid in self._prove]
                if not chosen:
                    continue
            if not chosen:
                self._record("mutant", id=mutant["id"], state="unreached")
                continue
            targets = functions.get(place)
            code = self._code(mutant, place)
            if not targets or code is None:
                self._record("mutant", id=mutant["id"], state="unfit")
                continue
            if tried >= self._order["most"] or time.monotonic() > self._deadline:
                self._record("mutant", id=mutant["id"], state="untried")
                continue
            tried += 1
            if mutant["kind"] == "raising":
                met.update(item.nodeid for item in chosen)
            self._try(mutant, chosen, targets, code)
        for id in sorted(met & self._prove):
            self._record("idle", id=id)

    def _try(self, mutant, chosen, targets, code):
        def change():
            for function in targets:
                function.__code__ = code
            return True

        open_ones = {item.nodeid for item in chosen} & self._prove
        failed, ran = self._met(change, chosen, open_ones)
        self._prove -= set(failed)
        for id in failed:
            if id in open_ones:
                self._record("proved", id=id, by=mutant["id"])
        state = "refused" if failed else "survived"
        self._record("mutant", id=mutant["id"], state=state, by=failed[:MOST_TOLD], ran=ran)

    def _met(self, change, chosen, open_ones, anew=False):
        """Which of the tests fail after the change, and how many ran until enough was known.

        `anew`: they are loaded once more with it, as what they expect may be what the product answered before.
        """
        chosen = sorted(chosen, key=lambda item: (item.nodeid not in open_ones, self._seconds[item.nodeid]))
        expected = sum(self._seconds[item.nodeid] for item in chosen)
        limit = min(time.monotonic() + LEAST_SECONDS + PATIENCE * expected, self._deadline + LEAST_SECONDS)

        def meet(say):
            if anew and change():
                _tell_anew(chosen, say, self._product, self._options)
            elif change():
                _tell_all(chosen, say, None, lambda failed: bool(failed) and not open_ones - failed)
            else:
                for item in chosen:
                    say([item.nodeid, "passed", 0, None])

        told = _ask(meet, limit)
        failed = [id for id, end, _, _ in told if end == "failed"]
        if not failed and len(told) < len(chosen):
            failed = [chosen[len(told)].nodeid]  # it hangs, or ends the process
        return failed, len(told)

    def _code(self, mutant, place):
        """The code of the mutated function; None where it can take nobody's place."""
        path = os.path.join(ROOT, mutant["path"])
        if path not in self._sources:
            with open(path, "rb") as file:
                self._sources[path] = file.read()
        data = self._sources[path]
        text = data[: mutant["start"]] + mutant["new"].encode() + data[mutant["end"] :]
        try:
            whole = compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        waiting = [whole]
        while waiting:
            code = waiting.pop()
            for constant in code.co_consts:
                if hasattr(constant, "co_code"):
                    if (constant.co_firstlineno, constant.co_name) == place[1:]:
                        return constant
                    waiting.append(constant)
        return None


def _functions():
    """Every Python function that is there, by the place of its code."""
    found = {}
    for each in gc.get_objects():
        if type(each) is _FUNCTION and each.__code__.co_filename.startswith(ROOT):
            found.setdefault(_place(each.__code__), []).append(each)
    return found


_FUNCTION = type(_functions)


def _place(code):
    """Where a function begins, by which the order names it."""
    return (os.path.relpath(os.path.realpath(code.co_filename), ROOT), code.co_firstlineno, code.co_name)


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


def _tell_all(items, say, around, enough=lambda failed: False):
    ends = _Ends()
    failed = set()
    if items:
        _be_quiet(items[0].config)
        items[0].config.pluginmanager.register(ends)
    for number, item in enumerate(items):
        after = items[number + 1] if number + 1 < len(items) else None
        ends.end, began, places = "passed", time.monotonic(), []

        def run(item=item, after=after):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

        if around is None:
            run()
        else:
            places = around(item, run)
        say([item.nodeid, ends.end, time.monotonic() - began, places])
        if ends.end == "failed":
            failed.add(item.nodeid)
        if enough(failed):
            return


def _tell_anew(items, say, product, options):
    """The same tests in a session of their own, for which all but the product is loaded once more."""
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and path.startswith(ROOT + os.sep) and os.path.relpath(path, ROOT) not in product:
            del sys.modules[name]
    ends = _Ends()
    names = dict.fromkeys(item.nodeid.partition("[")[0] for item in items)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    status = pytest_launch.pytest.main(["-x", *options, *names], plugins=[ends])
    for item in items:
        say([item.nodeid, "passed" if status == 0 else "failed", 0, None])


def _be_quiet(config):
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter._tw._file = open(os.devnull, "w")


def _ask(work, deadline):
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


def main():
    folder, paths, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    order = json.loads(sys.stdin.read())
    channel = pytest_launch.Channel(folder)
    # What shares the work among processes, or measures it, has no place where each mutant has a process of its own.
    for module, words in (("xdist", ["-n0"]), ("pytest_cov", ["--no-cov"]), ("pytest_randomly", ["-p", "no:randomly"])):
        if importlib.util.find_spec(module):
            arguments = [*words, *arguments]
    sys.argv = ["pytest", *arguments]
    sys.path[0:0] = [path for path in paths.split(":") if path]
    options = [each for each in arguments if each.startswith("-")]
    sys.exit(pytest_launch.pytest.main(arguments, plugins=[Ordeal(order, channel, options)]))


if __name__ == "__main__":
    main()
