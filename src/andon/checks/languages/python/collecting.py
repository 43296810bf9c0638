"""Whether the tests of a tree can be collected in an environment, and which packages are missing where they cannot."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.checks.building import Site, copy_tree
from andon.checks.error_lines import error_line
from andon.checks.languages.python.declared import plain_name
from andon.checks.reading import source_files

_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_REQUIRED = re.compile(r"Missing required plugins: (.+)")
_COUNT = re.compile(r"(?:^|\s)(\d+)(?:/\d+)? tests? collected")
_ERRORS = re.compile(r"(\d+) errors?\b")
_REFUSED = re.compile(r"(?:unrecognized arguments|Unknown config option|unknown hook)[: ]+'?(.+)")


def _pairs(text: str, leading: str = "") -> dict[str, str]:
    found = (pair.rsplit("=", 1) for pair in text.split())
    return {key: f"{leading}{value}" for key, value in found}


DISTRIBUTIONS = _pairs("""
    _pytest=pytest attr=attrs bs4=beautifulsoup4 Crypto=pycryptodome cv2=opencv-python-headless dateutil=python-dateutil
    distutils=setuptools dotenv=python-dotenv fitz=PyMuPDF git=GitPython github=PyGithub google.protobuf=protobuf
    jose=python-jose jwt=PyJWT magic=python-magic multipart=python-multipart MySQLdb=mysqlclient OpenSSL=pyOpenSSL
    PIL=Pillow pkg_resources=setuptools<81 psycopg2=psycopg2-binary rest_framework=djangorestframework
    ruamel=ruamel.yaml serial=pyserial skimage=scikit-image sklearn=scikit-learn slugify=python-slugify socks=PySocks
    yaml=PyYAML zmq=pyzmq
""")
"""Where a module is called otherwise than what holds it."""
PLUGINS = _pairs(
    """
    --allow-hosts=socket --asyncio-mode=asyncio asyncio_=asyncio --benchmark=benchmark --black=black
    --checkdocs=checkdocs --codspeed=codspeed --cov=cov --disable-socket=socket --dist=xdist DJANGO_=django
    --doctest-plus=doctestplus --ds=django --flake8=flake8 --html=html --instafail=instafail --isort=isort
    --markdown-docs=markdown-docs mock_=mock --mypy=mypy -n=xdist --no-cov=cov --numprocesses=xdist
    --random-order=random-order --randomly=randomly --reruns=rerunfailures --ruff=ruff --socket=socket
    --testmon=testmon timeout=timeout --timeout=timeout
    """,
    "pytest-",
)
"""By how its option or setting begins."""
MOST_MISSING = 20


@dataclass(frozen=True, slots=True)
class Collected:
    tests: int
    errors: int
    missing: tuple[str, ...] = ()
    """Distributions that might help."""
    reason: str = ""

    @property
    def clean(self) -> bool:
        return self.errors == 0 and self.tests > 0


async def collect(
    site: Site,
    name: str,
    tree: Path,
    command: tuple[str, ...],
    venv: Path,
    *,
    variables: Mapping[str, str],
    readable: tuple[str, ...],
    linked: tuple[tuple[str, str], ...],
) -> Collected:
    """`command`: what the project's tests are run with. Nothing has a network here, as in the checks themselves."""
    copy = site.made / name
    await asyncio.to_thread(_fill, copy, tree, linked)
    words = (str(venv / "bin" / "python"), "-m", "pytest", *(word for word in command[1:] if not word.startswith("-")))
    step = await site.run(
        name,
        (*words, "--collect-only", "-q", "-p", "no:cacheprovider"),
        cwd=copy,
        env={**variables, "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"},
        readable=(str(venv), *readable),
        network=False,
    )
    await asyncio.to_thread(shutil.rmtree, copy, True)
    told = read_collected(step.output, step.exit.code)
    own = {part for path in source_files(tree) for part in (path.split("/")[0].removesuffix(".py"),)}
    missing = tuple(each for each in told.missing if each not in own and plain_name(each) not in own)
    return Collected(told.tests, told.errors, missing, told.reason)


def read_collected(output: str, code: int | None) -> Collected:
    """From what pytest printed, and how it ended."""
    counted = [int(match) for match in _COUNT.findall(output)]
    tests = counted[-1] if counted else sum("::" in line for line in output.splitlines())
    if code in (0, 5):
        return Collected(tests, 0, reason="" if tests else "no test was found")
    ends = [int(match) for line in output.splitlines()[-5:] for match in _ERRORS.findall(line)]
    return Collected(tests, ends[-1] if ends else 1, _missing(output), error_line(output))


def _missing(output: str) -> tuple[str, ...]:
    found: list[str] = []
    for module in _MISSING.findall(output):
        top = module.split(".")[0]
        if top not in sys.stdlib_module_names or top in DISTRIBUTIONS:
            found.append(DISTRIBUTIONS.get(module) or DISTRIBUTIONS.get(top) or top)
    for line in _REFUSED.findall(output):
        for word in re.split(r"[\s']+", line):
            found += [plugin for begins, plugin in PLUGINS.items() if word.startswith(begins)][:1]
    for line in _REQUIRED.findall(output):
        found += [each.strip() for each in line.split(",")]
    return tuple(dict.fromkeys(found))[:MOST_MISSING]


def _fill(copy: Path, tree: Path, linked: tuple[tuple[str, str], ...]) -> None:
    copy_tree(tree, copy)
    for source, place in linked:
        if not (copy / place).exists() and (copy / place).parent.is_dir():
            shutil.copy2(source, copy / place)
