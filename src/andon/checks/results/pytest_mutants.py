"""Has pytest's tests meet mutants of the product. Runs inside the sandbox, with the project's interpreter.

Usage: python -I pytest_mutants.py CHANNEL PATHS [PYTEST ARGUMENT...], with the order on standard input. Standard
library and pytest only. Everything is imported and collected once; then each question is asked in a process that is
forked from that one, so that nothing of a mutant is left for the next.

The order is JSON: `mutants` (id, kind, path, line, name, start, end, new), in the order in which they are tried;
`prove`, ids of tests of which each must fail with one of them, `spare` mutants being for those alone; `answers`,
cases that are answered otherwise (`pytest_answers.py`), an empty list for all; `product`, the paths of its files;
`literals` that the new tests speak of and the old ones did not; `first`, ids of tests whose cases go first, `most_near`
of them and `most_far` of others; `by`, for each mutant and case the test that meets it, so that nothing need be
watched; `most` mutants; `seconds` for all of it; `seed`. What is found is told over the channel: how each test ends
as it is, which mutants and wrong answers some test refuses and which test that was, which of the tests to prove were
seen to fail, and which pass though what they call fails.
"""

import ast
import gc
import importlib.util
import json
import os
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pytest_answers
import pytest_forks
import pytest_launch

del sys.path[0]

ROOT = os.getcwd()
BATCH = 12
"""That are tried in one process."""
USUAL_SECONDS = 0.2
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
        self._raised = set()
        self._prove = set(order["prove"])
        self._product = set(order["product"])
        self._early = self._watch()

    def _watch(self):
        return pytest_answers.Watch(ROOT, _place, self._product.__contains__, self._order["literals"])

    @pytest_launch.pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        """What tests ask the product while they are loaded, and may expect of it later."""
        self._early.__enter__()

    @pytest_launch.pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self._early.__exit__()
        items = list(session.items)
        self._record("collected", ids=[item.nodeid for item in items])
        if self._order["by"]:
            reached, cases = self._known(items)
        else:
            reached, cases = self._watch_all(items)
        items = [item for item in items if item.nodeid in self._ends]
        if items:
            self._functions = _functions()
            gc.freeze()  # a fork that collects garbage copies every page it looks at
            self._answer_otherwise(items, cases)
            self._try_all(items, reached)
        self._record("finished", status=0)
        return True

    def _watch_all(self, items):
        """Every test once as it is: what it calls, and what it asks."""
        told = pytest_forks.ask(lambda say: pytest_forks.run_tests(items, say, self._watched), self._deadline)
        self._ends = {id: end for id, end, _, _ in told}
        self._seconds = {id: took for id, _, took, _ in told}
        for id, end in self._ends.items():
            self._record("test", id=id, outcome=end)
        reached = {id: {tuple(place) for place in watched[0]} for id, _, _, watched in told}
        return reached, {id: watched[1] for id, _, _, watched in told}

    def _known(self, items):
        """The same without running anything, where the order says which test each mutant and case is for."""
        self._ends = {item.nodeid: "passed" for item in items}
        self._seconds = dict.fromkeys(self._ends, USUAL_SECONDS)
        reached = {id: set() for id in self._ends}
        cases = {id: [] for id in self._ends}
        for mutant in self._order["mutants"]:
            reached.get(self._order["by"]["mutants"][mutant["id"]], set()).add(_place_of(mutant))
        for (*case, kind), id in zip(self._order["answers"] or (), self._order["by"]["answers"]):
            cases.get(id, []).append([*case, [kind], ""])
        return reached, cases

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
                asking.setdefault((path, line, name, given), {})[item.nodeid] = item
                known[path, line, name, given] = (kinds, shown)
        if self._order["answers"] is None:
            return
        wanted = [tuple(case) for case in self._order["answers"]]
        if not wanted:
            wanted = self._chosen(known, asking)
        tries = []
        for *case, kind in wanted:
            place, given = tuple(case[:3]), case[3]
            told = {"path": place[0], "line": place[1], "name": place[2], "given": given, "how": kind}
            told["shown"] = known.get((*place, given), ((), ""))[1]
            chosen, targets = asking.get((*place, given), {}).values(), self._functions.get(place)
            if chosen and targets:
                change = _Otherwise(targets, given, kind)
                tries.append(_Try("answer", told, change, chosen, anew=(*place, given) in self._early.cases))
            else:
                self._record("answer", state="unfit" if chosen else "unreached", by=[], **told)
        for batch in _batches(tries):
            self._meet(batch)
        for (path, line, name, given), _ in list(known.items())[:MOST_SEEN]:
            self._record("seen", path=path, line=line, name=name, given=given)

    def _chosen(self, known, asking):
        """The cases of tests that were changed before others; by number, not by time, so that it is the same again."""
        first = set(self._order["first"])
        chance = str(self._order["seed"])
        near, far = [], []
        for case, (kinds, _) in known.items():
            changed = bool(first & {*asking[case]})
            (near if changed else far).extend((*case, kind) for kind in kinds)
        for part in (near, far):
            part.sort(key=lambda case: zlib.crc32(f"{chance} {case}".encode("utf-8", "replace")))
        return near[: self._order["most_near"]] + far[: self._order["most_far"]]

    def _try_all(self, items, reached):
        functions = self._functions
        callers = {}
        for item in items:
            for place in reached[item.nodeid] if self._ends[item.nodeid] == "passed" else ():
                callers.setdefault(place, []).append(item)
        tried, batch = 0, []
        for mutant in self._order["mutants"]:
            told, place = {"id": mutant["id"]}, _place_of(mutant)
            chosen, targets = callers.get(place, []), functions.get(place)
            if mutant["spare"]:
                chosen = [item for item in chosen if item.nodeid in self._prove]
                if not chosen:
                    continue
            if not chosen:
                self._record("mutant", state="unreached", **told)
            elif tried >= self._order["most"]:
                self._record("mutant", state="untried", **told)
            elif targets and (code := self._code(mutant, place)):
                tried += 1
                batch.append(_Try("mutant", told, _Swap(targets, code), chosen, raises=mutant["kind"] == "raising"))
                if len(batch) == BATCH:
                    self._meet(batch)
                    batch = []
            else:
                self._record("mutant", state="unfit", **told)
        self._meet(batch)
        for id in sorted(self._raised & self._prove):
            self._record("idle", id=id)

    def _meet(self, batch):
        """Several in one process, one after the other, as a process costs more than most tests.

        Tests that fail there afterwards, as they are, were left something by one of them: then each has its own.
        """
        if not batch:
            return
        if time.monotonic() > self._deadline:
            for each in batch:
                self._record(each.kind, state="untried", **({"by": []} | each.told))
            return
        together = [each for each in batch if not each.anew]
        told = self._ask_of(together) if len(together) > 1 else []
        whole = len(told) == len(together) + 1 and not told[-1]
        for number, each in enumerate(together):
            self._tell(each, told[number] if whole else self._alone(each))
        for each in batch:
            if each.anew:
                self._tell(each, self._alone(each))

    def _ask_of(self, tries):
        """Which tests failed with each, and last which fail without any."""
        for each in tries:
            each.chosen.sort(key=lambda item: (item.nodeid not in self._prove, self._seconds[item.nodeid]))
        concerned = list({item.nodeid: item for each in tries for item in each.chosen}.values())
        expected = sum(self._seconds[item.nodeid] for each in tries for item in each.chosen)

        def meet(say):
            pytest_forks.take_no_more_memory()
            for each in tries:
                if each.change.make():
                    say(self._failing(each))
                    each.change.undo()
                else:
                    say([])
            say(pytest_forks.failing(concerned, bool, self._seconds))

        return pytest_forks.ask(meet, self._limit(expected))

    def _limit(self, expected):
        least = pytest_forks.LEAST_SECONDS
        return min(time.monotonic() + least + pytest_forks.PATIENCE * expected, self._deadline + least)

    def _failing(self, each):
        open_ones = {item.nodeid for item in each.chosen} & self._prove
        return pytest_forks.failing(each.chosen, lambda failed: bool(failed) and not open_ones - failed, self._seconds)

    def _alone(self, each):
        """The same in a process of its own; what does not come to an end, or ends the process, has failed."""

        open_ones = {item.nodeid for item in each.chosen} & self._prove

        def enough(failed):
            return bool(failed) and not open_ones - failed

        def meet(say):
            pytest_forks.take_no_more_memory()
            if not each.change.make():
                say([])
            elif each.anew:
                say(pytest_forks.failing_anew(each.chosen, self._product, self._options))
            else:
                pytest_forks.run_tests(each.chosen, lambda told: say(["ran", *told[:2]]), None, enough, self._seconds)
                say([])

        told = pytest_forks.ask(meet, self._limit(sum(self._seconds[item.nodeid] for item in each.chosen)))
        ran = [line for line in told if line[:1] == ["ran"]]
        failed = [id for _, id, end in ran if end == "failed"]
        if failed or (told and told[-1][:1] != ["ran"]):
            return failed or told[-1]
        return [each.chosen[min(len(ran), len(each.chosen) - 1)].nodeid]

    def _tell(self, each, failed):
        if each.raises:
            self._raised.update(item.nodeid for item in each.chosen)
        for id in set(failed) & self._prove & {item.nodeid for item in each.chosen}:
            self._record("proved", id=id)
        self._prove -= set(failed)
        self._record(each.kind, state="refused" if failed else "survived", by=failed[:MOST_TOLD], **each.told)

    def _code(self, mutant, place):
        """The code of the mutated function, compiled alone; None where that cannot be done."""
        path = os.path.join(ROOT, mutant["path"])
        if path not in self._sources:
            with open(path, "rb") as file:
                self._sources[path] = _Source(file.read())
        text = self._sources[path].alone(mutant, place)
        try:
            whole = compile(text, path, "exec", dont_inherit=True) if text else None
        except (SyntaxError, ValueError):
            return None
        waiting = [whole] if whole else []
        while waiting:
            for constant in waiting.pop().co_consts:
                if hasattr(constant, "co_code"):
                    if (constant.co_firstlineno, constant.co_name) == place[1:]:
                        return constant
                    waiting.append(constant)
        return None


class _Source:
    """A file of the product, of which single functions are compiled where they stand."""

    def __init__(self, data):
        self._data = data
        self._starts = [0]
        for line in data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._ends = {}
        for node in ast.walk(ast.parse(data)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *[each.lineno for each in node.decorator_list]])
                self._ends[first, node.name] = (node.end_lineno, node.col_offset)

    def alone(self, mutant, place):
        """The function with its mistake, on the lines where it stands, in a class of the same name if it is in one."""
        line = place[1]
        last, column = self._ends.get(place[1:], (0, 0))
        if not last or (column and line < 2):
            return None
        begin, end = self._starts[line - 1], min(self._starts[last], len(self._data))
        before, after = self._data[begin : mutant["start"]], self._data[mutant["end"] : end]
        owner = mutant["name"].rpartition(".")[0].rpartition(".")[2]
        head = (f"class {owner}:" if owner else "if 1:") if column else ""
        space = b"\n" * (line - 2) + head.encode() + b"\n" if line > 1 else b""
        return space + before + mutant["new"].encode() + after


class _Try:
    """A mutant or a wrong answer, and the tests that meet it."""

    def __init__(self, kind, told, change, chosen, anew=False, raises=False):
        self.kind, self.told, self.change, self.anew, self.raises = kind, told, change, anew, raises
        self.chosen = list(chosen)


class _Swap:
    """Functions with the code of a mutant."""

    def __init__(self, functions, code):
        self._functions, self._new = functions, code

    def make(self):
        self._old = [function.__code__ for function in self._functions]
        for function in self._functions:
            function.__code__ = self._new
        return True

    def undo(self):
        for function, code in zip(self._functions, self._old):
            function.__code__ = code


class _Otherwise(_Swap):
    """Functions that answer one case otherwise."""

    def __init__(self, functions, given, kind):
        self._functions, self._given, self._kind = functions, given, kind

    def make(self):
        self._old = [function.__code__ for function in self._functions]
        return all([pytest_answers.put(function, self._given, self._kind) for function in self._functions])


def _batches(tries):
    return [tries[start : start + BATCH] for start in range(0, len(tries), BATCH)]


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
    if code.co_filename not in _PATHS:
        _PATHS[code.co_filename] = os.path.relpath(os.path.realpath(code.co_filename), ROOT)
    return (_PATHS[code.co_filename], code.co_firstlineno, code.co_name)


_PATHS = {}


def _place_of(mutant):
    return (mutant["path"], mutant["line"], mutant["name"].rpartition(".")[2])


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
