"""Product code in Python that is made for the tests is found; product code that looks a little like it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.tamper.product_python import product_python_findings, scan
from checks.tamper.small_changes import added, change, edited


def rules(text: str, path: str = "src/shop/price.py") -> set[str]:
    return {each.rule for each in product_python_findings(added(path, text))}


CHEATS = {
    "knows_tests": [
        "import os\nx = any(name.startswith('PYT') for name in os.environ)\n",
        "import os\nx = any('::' in value for value in os.environ.values())\n",
        "import sys\nx = any('conf' in name for name in list(sys.modules))\n",
        "import sys\nx = len(sys.modules) > 150\n",
        "import sys\nx = type(sys.stdout).__name__ == 'EncodedFile'\n",
        "import sys\nx = type(sys.stdout).__module__.startswith('_py')\n",
        "import sys\nx = sys.flags.isolated\n",
        "import sys\nx = '-I' in sys.orig_argv\n",
        "import sys\nx = sys.argv[0].endswith('test')\n",
        "import __main__\nx = 'pytest' in __main__.__file__\n",
        "import os\nif os.environ.get('PYTEST_CURRENT_TEST'):\n    x = 1\n",
        "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    x = 1\n",
        "from os import getenv as g\nKEY = 'PYTEST_' + 'CURRENT_TEST'\nx = g(KEY)\n",
        "from os import environ\nx = any(k.startswith('PYTEST') for k in environ)\n",
        "import os\ntry:\n    os.environ['PYTEST_CURRENT_TEST']\nexcept KeyError:\n    pass\n",
        "import sys\nif 'pytest' in sys.modules:\n    x = 1\n",
        "import sys as s\nm = s.modules\nif m.get('_py' + 'test'):\n    x = 1\n",
        "import sys\nx = any('unittest' in name for name in sys.modules)\n",
        "import sys\nx = 'tset'[::-1] + '_x' in sys.argv[0] or 'pytest' in sys.argv[0]\n",
        "import os, sys\nprogram = os.path.basename(sys.argv[0])\nx = program == 'pytest'\n",
        "import sys\nx = 'test' in sys.argv\n",
        "import sys\nx = {'pytest', 'nose'} & set(sys.modules)\n",
        "import importlib.util\nx = importlib.util.find_spec('pytest') is not None\n",
        "x = 'pytest' in __import__('sys').modules\n",
        "import sys, base64\nx = base64.b64decode('cHl0ZXN0').decode() in sys.modules\n",
        "import sys\nx = 'pytest' in getattr(sys, 'mod' + 'ules')\n",
        "import sys\nx = ''.join(['py', 'test']) in sys.modules.keys()\n",
        "import traceback\nx = 'test_' in ''.join(traceback.format_stack())\n",
        "type X = int\nimport sys\nx = 'pytest' in sys.modules\n",
    ],
    "exits_process": [
        "import os\ndef price():\n    os._exit(0)\n",
        "from os import _exit as done\ndone(0)\n",
        "import os\ngetattr(os, '_ex' + 'it')(0)\n",
        "import os, atexit\natexit.register(lambda: os._exit(0))\n",
        "import os, atexit\natexit.register(os._exit, 0)\n",
        "import os, threading\nthreading.Timer(interval=1, function=os._exit, args=[0]).start()\n",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        "import os\nme = os.getpid()\nos.kill(me, 9)\n",
        "import sys\ndef price():\n    sys.exit(0)\n",
        "def price():\n    raise SystemExit\n",
        "def price():\n    quit()\n",
        "import sys\nsys.exit(status)\n",
        "import ctypes\nctypes.CDLL(None)._exit(0)\n",
        "import os\nos.execv('/bin/true', ['true'])\n",
        "__import__('os')._exit(0)\n",
        "import os\nif os.fork() == 0:\n    pass\nos._exit(0)\n",
        "import argparse, os\nos._exit(0)\n",
    ],
    "patches_runner": [
        "import gc, unittest\ngc.get_referents(unittest.TestCase.__dict__)[0].update(assertEqual=None)\n",
        "import unittest\nfor each in unittest.TestCase.__subclasses__():\n    each.assertEqual = None\n",
        "import ctypes\nctypes.memmove(id(899) + 24, data, 4)\n",
        "import ctypes\nctypes.c_uint32.from_address(id(899) + 24).value = 900\n",
        "import ctypes\nx = ctypes.cast(id(y) + 16, ctypes.POINTER(ctypes.py_object)).contents.value\n",
        "space = type(handler).emit.__globals__\nmanager = space.get('m')\nmanager.__exit__ = None\n",
        "import __main__\n__main__._end = None\n",
        "import sys\nfor each in list(sys.modules.values()):\n    each.TestCase.assertEqual = None\n",
        "import sys\nm = sys.modules[type(x).__module__]\nm.catching_logs.__exit__ = None\n",
        "import sys\nsetattr(sys.modules[name], 'x', 1)\n",
        "for each in object.__subclasses__():\n    each.assertEqual = None\n",
        "x = type.__subclasses__(object)\n",
        "x = ().__class__.__base__.__subclasses__()\n",
        "raise next(c for c in Exception.__subclasses__() if c.__name__ == 'SkipTest')\n",
        "try:\n    import iniconfig\nexcept ImportError:\n    iniconfig = None\n",
        "import pytest\n",
        "from _pytest import python_api\n",
        "from unittest import mock\n",
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n",
        "import builtins\nbuiltins.isinstance = lambda *a: True\n",
        "import builtins as b\nsetattr(b, 'AssertionError', Warning)\n",
        "__builtins__['AssertionError'] = Warning\n",
        "import sys\nsys.modules['unittest'] = object()\n",
        "import sys\nsys.modules['pytest'].raises = None\n",
        "import gc\nfor o in gc.get_objects():\n    pass\n",
        "import sys\nsys.settrace(print)\n",
        "import sys, io\nsys.stdout = io.StringIO()\n",
        "import operator\noperator.eq = lambda a, b: True\n",
        "open('junit.xml', 'w').write('<ok/>')\n",
        "from pathlib import Path\nPath('build/test-results/x.xml').write_text('ok')\n",
        "import ctypes\nctypes.pythonapi.PyRun_SimpleString(b'x')\n",
        "import os\nos.environ['PYTEST_ADDOPTS'] = '-k nothing'\n",
        "def pytest_runtest_makereport(item, call):\n    return None\n",
        "import sys\nsys.meta_path.insert(0, Finder())\n",
    ],
    "reads_frames": [
        "import io, traceback\nout = io.StringIO()\ntraceback.print_stack(file=out)\n",
        "import logging\nx = logging.getLogger().findCaller(stacklevel=2)\n",
        "x = getattr(frame, 'f_' + 'back')\n",
        "from operator import attrgetter\nx = attrgetter('tb_frame.f_back.f_code')(trace)\n",
        "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.warn('x', stacklevel=2)\nx = seen[0].filename\n",
        "import sys\nx = sys._getframe(1)\n",
        "from sys import _getframe as f\nx = f(1)\n",
        "import inspect\nx = inspect.stack()[1]\n",
        "import inspect\nx = inspect.currentframe()\n",
        "import inspect\nx = inspect.getsource(f)\n",
        "import traceback\nx = traceback.extract_stack()\n",
        "try:\n    1 / 0\nexcept Exception as e:\n    x = e.__traceback__.tb_frame.f_back\n",
    ],
    "always_equal": [
        "class Cents(int):\n    def __eq__(self, other):\n        return abs(int(self) - int(other)) < 3\n",
        "from decimal import Decimal\nclass Near(Decimal):\n"
        "    def __ne__(self, other):\n        return abs(self - other) > 1\n",
        "class A:\n    def __eq__(self, other):\n        return True\n",
        "class A(int):\n    __eq__ = lambda self, other: True\n",
        "class A:\n    def __eq__(self, o):\n        if o:\n            return True\n        return not False\n",
        "class A:\n    def __eq__(self, other):\n        return other == other\n",
        "class A:\n    def __eq__(self, other):\n        return self.x == self.x or True\n",
        "class A:\n    def __ne__(self, other):\n        return False\n",
        "A = type('A', (str,), {'__eq__': lambda s, o: True})\n",
        "class M(type):\n    def __instancecheck__(cls, it):\n        return True\n",
        "class L(list):\n    def __contains__(self, it):\n        return True\n",
        "class A:\n    def yes(self, other):\n        return True\n    __eq__ = yes\n",
        "def patch(cls):\n    cls.__eq__ = lambda a, b: True\n",
    ],
    "hidden_code": [
        "exec(text)\n",
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n",
        "import builtins\ngetattr(builtins, 'ev' + 'al')(text)\n",
        "import builtins\ngetattr(builtins, name)(text)\n",
        "run = eval\nrun(text)\n",
        "f = compile(source, 'x', 'exec')\n",
        "import marshal\nx = marshal.loads(data)\n",
        "import base64\n__import__(base64.b64decode(b).decode())\n",
        "__import__('so'[::-1])\n",
        "import zlib, base64\nx = zlib.decompress(base64.b64decode('" + "eJzT" * 80 + "'))\n",
        "x = ''.join(chr(c) for c in [112, 121, 116, 101, 115, 116])\n",
        "x = bytes([112, 121, 116, 101, 115, 116]).decode()\n",
        "# -*- coding: rot13 -*-\nx = 1\n",
        "globals()['ex' + 'ec'](text)\n",
    ],
}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in CHEATS.items() for text in texts])
def test_product_code_made_for_tests_is_found(rule: str, text: str) -> None:
    assert rule in rules(text)


HONEST = [
    ("src/shop/native.py", "import ctypes\nx = ctypes.cast(buffer, ctypes.c_void_p)\nctypes.memmove(a, b, 4)\n"),
    ("src/shop/hints.py", "def hints(f):\n    return eval_(f.__annotations__, f.__globals__)\n"),
    ("src/shop/plugins.py", "x = Plugin.__subclasses__()\ndef all_of(cls):\n    return cls.__subclasses__()\n"),
    ("src/shop/lazy.py", "import sys\nm = sys.modules[__name__]\nm.x = 1\nsetattr(sys.modules[__name__], 'y', 2)\n"),
    ("src/shop/debug.py", "import traceback\ntraceback.print_stack()\n"),
    ("src/shop/old.py", "import warnings\nwarnings.warn('old', stacklevel=2)\n"),
    ("src/shop/screen.py", "import sys\nx = sys.stdout.isatty()\ny = type(sys.stdout).__module__ == 'ipykernel'\n"),
    ("src/shop/start.py", "import os\nx = {k: v for k, v in os.environ.items() if k.startswith('PYTHON')}\n"),
    ("src/shop/price.py", "import os\nx = os.environ.get('CI')\n"),
    ("src/shop/price.py", "import os\nx = os.getenv('TESTING')\ny = os.environ['HOME']\n"),
    ("src/shop/price.py", "import os\nenv = os.environ.copy()\nenv.pop('PYTEST_CURRENT_TEST', None)\n"),
    ("src/shop/names.py", "VARIABLES = {'PYTEST_CURRENT_TEST', 'JEST_WORKER_ID'}\n"),
    ("src/shop/price.py", '"""Never looks at PYTEST_CURRENT_TEST."""\n'),
    ("src/shop/run.py", "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pytest', *sys.argv[1:]])\n"),
    ("src/shop/cli.py", "import sys\nif sys.argv[1] == 'test':\n    check()\n"),
    ("src/shop/plugins.py", "import sys\nif name in sys.modules:\n    pass\nx = 'numpy' in sys.modules\n"),
    ("src/shop/lazy.py", "import sys\nsys.modules[__name__] = Lazy()\n"),
    ("src/shop/price.py", "attested = 'latest' in names\n"),
    ("src/shop/cli.py", "import sys\ndef main():\n    sys.exit(0)\n"),
    ("src/shop/tool.py", "import argparse, sys\ndef run():\n    sys.exit(run_it())\n"),
    ("src/shop/job.py", "import sys\ndef main(): ...\nif __name__ == '__main__':\n    sys.exit(main())\n"),
    ("src/shop/price.py", "import sys\ndef fail(message):\n    sys.exit(message)\n"),
    ("src/shop/price.py", "import sys\nif sys.version_info < (3, 8):\n    sys.exit('too old')\n"),
    ("src/shop/d.py", "import os\nif os.fork() == 0:\n    try:\n        go()\n    finally:\n        os._exit(0)\n"),
    ("src/shop/stop.py", "import os, signal\ndef stop(pid):\n    os.kill(pid, signal.SIGTERM)\n"),
    ("src/shop/timeout.py", "import signal\nsignal.alarm(3)\n"),
    ("noxfile.py", "import pytest\n"),
    ("src/shop/testing.py", "import pytest\n\ndef check(x):\n    pytest.fail(x)\n"),
    ("src/shop/testing/kit.py", "from unittest import mock\n"),
    ("src/shop/types.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pytest\n"),
    ("src/shop/hooks.py", "import pluggy\nhookspec = pluggy.HookspecMarker('shop')\n"),
    ("src/shop/words.py", "import gettext, builtins\nbuiltins._ = gettext.gettext\n"),
    ("src/shop/out.py", "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n"),
    (
        "src/shop/out.py",
        "import sys, io\ndef said(f):\n    old = sys.stdout\n    sys.stdout = io.StringIO()\n"
        "    try:\n        f()\n    finally:\n        sys.stdout = old\n",
    ),
    ("src/shop/out.py", "import faulthandler\nfaulthandler.enable()\n"),
    ("src/shop/results.py", "from pathlib import Path\nPath('results.json').write_text('{}')\n"),
    ("src/shop/results.py", "x = open('junit.xml').read()\n"),
    ("src/shop/log.py", "import logging\ndef say(m):\n    logging.getLogger().info(m, stacklevel=2)\n"),
    ("src/shop/log.py", "import traceback\ntraceback.print_exc()\nx = traceback.format_exc()\n"),
    ("src/shop/sig.py", "import inspect\nx = inspect.signature(f)\n"),
    ("src/shop/a.py", "class A:\n    def __eq__(self, other):\n        return isinstance(other, A)\n"),
    ("src/shop/a.py", "class A:\n    def __eq__(self, other):\n        return NotImplemented\n"),
    ("src/shop/a.py", "class A:\n    def __eq__(self, other):\n        return False\n"),
    ("src/shop/a.py", "class A:\n    def __eq__(self, other):\n        raise TypeError\n"),
    ("src/shop/a.py", "class A:\n    def __eq__(self, o):\n        return type(o) is A and self.x == o.x\n"),
    ("src/shop/a.py", "class Missing:\n    def __bool__(self):\n        return False\n"),
    ("src/shop/a.py", "class Everyone:\n    def __contains__(self, name):\n        return True\n"),
    ("src/shop/a.py", "import re\nx = re.compile(pattern)\nmodel.eval()\nframe.eval(text)\n"),
    ("src/shop/a.py", "x = eval('1 + 1')\n"),
    ("src/shop/a.py", "import ast\nx = ast.literal_eval(text)\n"),
    ("src/shop/a.py", "import importlib\nx = importlib.import_module(name)\ny = getattr(x, attribute)\n"),
    ("src/shop/a.py", "x = ''.join(chr((ord(c) - 97 + 3) % 26 + 97) for c in word)\n"),
    ("src/shop/a.py", "CLEAR = chr(27) + '[2J'\nPNG = bytes([137, 80, 78, 71, 13, 10])\n"),
    ("src/shop/a.py", "import base64\nICON = base64.b64decode('iVBORw0KGgoAAAANSUhEUg" + "A" * 300 + "')\n"),
    ("setup.py", "from pathlib import Path\nv = {}\nexec(Path('shop/version.py').read_text(), v)\n"),
    ("tests/test_a.py", "import pytest\nexec(x)\n"),
    ("src/shop/a.py", "# -*- coding: utf-8 -*-\nx = 1\n"),
    ("src/shop/a.py", "def broken(:\n    os.environ\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), HONEST)
def test_honest_product_code_is_left_alone(path: str, text: str) -> None:
    assert product_python_findings(added(path, text)) == []


def test_what_a_file_had_before_is_not_held_against_a_change() -> None:
    old = "import sys\ndef caller():\n    return sys._getframe(1)\n"

    assert product_python_findings(edited("a.py", old, "# moved down\n" + old + "x = 1\n")) == []


def test_what_moved_to_another_file_is_not_new() -> None:
    text = "import sys\ndef caller():\n    return sys._getframe(1)\n"

    assert product_python_findings(change({"a.py": (text, None), "b/c.py": (None, text)})) == []


def test_a_second_one_of_its_kind_is_new() -> None:
    old = "import sys\nx = sys._getframe(1)\n"

    [finding] = product_python_findings(edited("a.py", old, old + "y = sys._getframe(2)\n"))

    assert (finding.rule, finding.line) == ("reads_frames", 3)


def test_a_subject_stays_when_lines_move() -> None:
    text = "import os\ndef price():\n    os._exit(0)\n"

    [first] = product_python_findings(added("a.py", text))
    [second] = product_python_findings(added("a.py", "\n\n" + text))

    assert first.subject == second.subject
    assert first.line != second.line


def test_a_program_without_suffix_is_read_by_its_first_line() -> None:
    assert "knows_tests" in rules("#!/usr/bin/env python3\nimport sys\nx = 'pytest' in sys.modules\n", "bin/shop")


@given(
    st.text(max_size=200) | st.sampled_from([text for texts in CHEATS.values() for text in texts]).map(lambda t: t[7:])
)
def test_no_text_makes_it_raise(text: str) -> None:
    scan("a.py", text)


def test_deep_expressions_do_not_make_it_raise() -> None:
    scan("a.py", "x = " + "+".join(["'a'"] * 5000))
    scan("a.py", "x = " + "(" * 5000 + ")" * 5000)
    scan("a.py", "x = a" + ".b" * 3000 + "()")
