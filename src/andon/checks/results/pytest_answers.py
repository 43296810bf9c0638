"""Wrong answers: what a test asks of the product is told to it otherwise, once for each question.

Runs inside the sandbox, beside pytest_mutants.py. A *case* is a call that a test makes itself: a function of the
product and what it was given. What it gave back is made a little otherwise, or what it raised something else: a test
that looks at the answer notices, whichever way it is written.
"""

import ast
import inspect
import re
import sys
import threading
import time
import types
import warnings
import zlib

MOST_ITEMS = 12
MOST_TEXT = 400
MOST_OF_A_TEST = 40
MOST_LITERALS = 4
MOST_LOOKED = 120
COSTLY_SECONDS = 0.001
"""What takes longer to put into words counts for several."""
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+|/tmp/[^\s'\"]*?pytest-\d+/[^/\s'\"]+|pytest-of-[^/]+/pytest-\d+/[^/\s'\"]+")
_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_SKIPPED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
KINDS = ("wrong", "silent", "stranger", "wordless")
"""Another value; nothing raised; something else raised; the same raised with other words. Besides, `literal:VALUE`: a
value that the new tests speak of and the old ones did not."""


class Watch:
    """Hears of the functions that one test reaches, and of the cases it asks itself."""

    def __init__(self, root, place, is_product, literals):
        self._literals = literals
        self._root = root
        self._place = place
        self._is_product = is_product
        self._looked = 0
        self.codes = {}
        self.cases = {}

    def __enter__(self):
        self._before = sys.gettrace()
        threading.settrace(self._called)
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)
        threading.settrace(None)

    def _called(self, frame, event, argument):
        code = frame.f_code
        own = self.codes.get(code)
        if own is None:
            own = self.codes[code] = code.co_filename.startswith(self._root)
        if not own or code.co_flags & _SKIPPED or self._looked >= MOST_LOOKED or len(self.cases) >= MOST_OF_A_TEST:
            return None
        above = frame.f_back
        if above is None or not above.f_code.co_filename.startswith(self._root):
            return None
        path = self._place(code)[0]
        if not self._is_product(path) or self._is_product(self._place(above.f_code)[0]) or code.co_name == "__init__":
            return None
        if code.co_name.startswith("<"):
            return None
        began = time.perf_counter()
        given = _told(code, frame.f_locals)
        self._looked += 1 + int((time.perf_counter() - began) / COSTLY_SECONDS)
        frame.f_trace_lines = False
        raised = []

        def local(frame, event, argument):
            if event == "exception":
                raised[:] = [argument[1]]
            elif event == "return":
                self._answered((*self._place(code), given), argument, raised)
            return local

        return local

    def _answered(self, case, value, raised):
        if raised and value is None:
            error = raised[0]
            self.cases.setdefault(case, (KINDS[1:], f"{type(error).__name__}{error.args!r}" if _tells(error) else "?"))
        elif value is not None:
            others = [f"literal:{each!r}" for each in self._literals if type(each) is type(value) and each != value]
            self.cases.setdefault(case, ((*KINDS[:1], *others[:MOST_LITERALS]), _describe(value)))

    def reached(self):
        return [self._place(code) for code, own in self.codes.items() if own]


def _tells(error):
    try:
        repr(error.args)
    except Exception:
        return False
    return True


def _told(code, values):
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = code.co_varnames[:count]
    return ", ".join(f"{name}={_describe(values[name])}" for name in names if name in values)


def _describe(value, depth=2):
    """The same text for the same value, in whichever process."""
    kind = type(value)
    try:
        if kind in _PLAIN:
            text = repr(value)
            return _ADDRESS.sub("…", text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}#{hash_of(text)}")
        if depth and kind in (list, tuple, set, frozenset):
            items = (
                [_describe(each, depth - 1) for each in value]
                if len(value) <= MOST_ITEMS
                else [repr(value)[:MOST_TEXT]]
            )
            items = sorted(items) if kind in (set, frozenset) else items
            return f"{kind.__name__}({len(value)}: {', '.join(items)})"
        if depth and kind is dict:
            items = [f"{_describe(key, 0)}: {_describe(value[key], depth - 1)}" for key in list(value)[:MOST_ITEMS]]
            return f"dict({len(value)}: {', '.join(items)})"
        if kind.__repr__ is not object.__repr__:
            text = _ADDRESS.sub("…", repr(value))
            return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}#{hash_of(text)}"
        if depth and hasattr(value, "__dict__"):
            inside = ", ".join(
                f"{name}={_describe(each, 0)}" for name, each in sorted(vars(value).items())[:MOST_ITEMS]
            )
            return f"{kind.__name__}({inside})"
    except Exception:
        return f"<{kind.__name__}>"
    return f"<{kind.__name__}>"


def hash_of(text):
    return zlib.crc32(text.encode("utf-8", "replace"))


def put(function, given, kind):
    """From now on this function answers this case otherwise. False where that cannot be done."""
    code = function.__code__
    if code.co_flags & _SKIPPED:
        return False
    original = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    inside = threading.local()

    def answer(arguments, named):
        if getattr(inside, "busy", False):
            return original(*arguments, **named)
        inside.busy = True
        try:
            values = inspect.getcallargs(original, *arguments, **named)
            same = _told(code, values) == given
        except Exception:
            same = False
        finally:
            inside.busy = False
        return _otherwise(original, arguments, named, kind) if same else original(*arguments, **named)

    made = _trampoline(code)
    constants = tuple(answer if each == "HOOK" else each for each in made.co_consts)
    try:
        function.__code__ = made.replace(co_consts=constants, co_name=code.co_name, co_firstlineno=code.co_firstlineno)
    except ValueError:
        return False
    return True


def _trampoline(code):
    """The code of a function that hands on all it is given, with the same free variables as `code`."""
    names = code.co_freevars
    lines = ["def outer():", *(f"    {name} = None" for name in names), "    def inner(*a, **k):"]
    lines += [f"        if a is None: return ({', '.join(names)},)"] if names else []
    lines += ["        return 'HOOK'(a, k)", "    return inner"]
    space = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile("\n".join(lines), code.co_filename, "exec"), space)
    return space["outer"]().__code__


def _otherwise(original, arguments, named, kind):
    try:
        value = original(*arguments, **named)
    except Exception as error:
        if kind == "silent":
            return None
        if kind == "stranger":
            raise (LookupError if isinstance(error, ArithmeticError) else ZeroDivisionError)("?") from None
        if kind == "wordless" and error.args:
            error.args = ("?", *error.args[1:])
        raise
    if kind.startswith("literal:"):
        return ast.literal_eval(kind.partition(":")[2])
    return wrong(value) if kind == "wrong" else value


def wrong(value):
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return value + 1
    if kind is float:
        return value + max(abs(value) / 1000, 0.001)
    if kind is complex:
        return value + 1
    if kind is str:
        return value + "x"
    if kind is bytes:
        return value + b"x"
    if kind is list:
        return [*value, None]
    if kind is tuple:
        return (*value, None)
    if kind is dict:
        return {**value, "?": None}
    if kind in (set, frozenset):
        return kind((*value, None))
    return None
