"""JavaScript and TypeScript product code that is made for being tested. Patterns over text without comments.

What takes more than one pattern to see is in `product_script_parts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from andon.checks.tamper.constructs import Construct, brought_in, of_a_command, shown, supports_tests
from andon.checks.tamper.hidden_python import LONG, is_picture
from andon.checks.tamper.product_script_parts import patched_assertions, stack_read
from andon.checks.tamper.script_text import Script, glued, read_script
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding

_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|astro)$")
_NODE = re.compile(r"#!.*\b(?:node|deno|bun|tsx)\b")
MOST_READ = 2_000_000


def product_script_findings(change: ChangeSet) -> list[Finding]:
    return brought_in(change, _is_product, scan)


def _is_product(file: Changed) -> bool:
    if is_test(file.path):
        return False
    if _SUFFIX.search(file.path):
        return not file.path.endswith(".d.ts")
    return any(text is not None and _NODE.match(text[:200]) is not None for text in (file.old, file.new))


@dataclass(frozen=True, slots=True)
class _Place:
    """What decides whether a pattern counts in a file."""

    path: str
    script: Script
    text: str

    @property
    def is_command(self) -> bool:
        return of_a_command(self.path) or self.text.startswith("#!") or _COMMAND.search(self.text) is not None

    @property
    def serves_tests(self) -> bool:
        return supports_tests(self.path) or of_a_command(self.path)


_COMMAND = re.compile(
    r"\bprocess\.argv\b|['\"](?:commander|yargs|meow|cac|minimist|@oclif/core|ink)['\"]|\.listen\s*\(|process\.on\s*\(\s*['\"]SIG"
    r"|require\.main\s*===?\s*module"
)

Test = Callable[[re.Match[str], _Place], bool]


def scan(path: str, source: str) -> list[Construct]:
    script = read_script(source[:MOST_READ])
    place = _Place(path, script, glued(_unescaped(script.text)))
    found = [*_matched(place)]
    found += stack_read(place.text)
    found += patched_assertions(place.text) if not place.serves_tests else []
    return sorted(found, key=lambda each: each.line)


_ESCAPE = re.compile(r"\\x([0-7][0-9a-fA-F])|\\u00([0-7][0-9a-fA-F])|\\u\{([0-7][0-9a-fA-F])\}")


def _unescaped(text: str) -> str:
    """Letters for their numbers: a name that is spelled with escapes is the same name."""

    def letter(match: re.Match[str]) -> str:
        character = chr(int(match[1] or match[2] or match[3], 16))
        return character if character.isalnum() or character in "_./-" else match[0]

    return _ESCAPE.sub(letter, text)


def _matched(place: _Place) -> Iterator[Construct]:
    for rule, what, pattern, counts in _PATTERNS:
        for match in pattern.finditer(place.text):
            if counts is None or counts(match, place):
                line = place.text.count("\n", 0, match.start()) + 1
                yield Construct(rule, f"{what}: {shown(match[0])}", f"{what}: {shown(match[0])}", line)


def _in_code(match: re.Match[str], place: _Place) -> bool:
    """Not the words of a message. Where the text was put together anew, places no longer compare: then it counts."""
    code = place.script.code
    return len(code) != len(place.text) or code[match.start()] == place.text[match.start()]


# --- which of the matches count

_QUIET = re.compile(r"\.listen\s*\(|morgan|logg(?:er|ing)|console\.|Sentry|\.connect\s*\(|pino|winston|reportWebVitals")


def _asks_environment(match: re.Match[str], place: _Place) -> bool:
    """Not opening a port or being quiet under test is what many servers do; it gives no other answers."""
    if supports_tests(place.path) or not _in_code(match, place):
        return False
    if not re.search(r"!==?", match[0]):
        return True
    rest = place.text[match.end() : match.end() + 160]
    return _QUIET.search(rest) is None


def _ends_well(match: re.Match[str], place: _Place) -> bool:
    return not place.is_command and _in_code(match, place)


def _for_tests(match: re.Match[str], place: _Place) -> bool:
    return not place.serves_tests and _in_code(match, place)


def _in_source_tests(match: re.Match[str], place: _Place) -> bool:
    """Vitest's tests inside a source file are a block that takes its functions from there."""
    rest = place.text[match.end() : match.end() + 120]
    return re.match(r"\s*\)\s*\{\s*(?:const|let|var)\s*\{", rest) is None and re.match(r"\s*;?\s*\n", rest) is None


def _packed(match: re.Match[str], _: _Place) -> bool:
    return not is_picture(match[1])


_TOOLS = r"(?:jest|vitest|mocha|ava|tap|jasmine|karma|playwright|cypress)"
_GLOBALS = r"(?:describe|it|test|expect|jest|vi|vitest|mocha|beforeEach|afterEach|assert)"
_COMPARES = r"(?:equal|deepEqual|strictEqual|deepStrictEqual|ok|throws|rejects|match|fail|notEqual|is|eq)"
_TABLE: tuple[tuple[str, str, str, Test | None], ...] = (
    ("knows_tests", "asks for a test runner's variable",
     r"\b(?:JEST_WORKER_ID|NODE_TEST_CONTEXT|VITEST(?:_\w+)?|MOCHA_\w+|PLAYWRIGHT_\w+|CYPRESS|__vitest_\w+__)\b(?!\s*[:=](?!=))",
     None),
    ("knows_tests", "asks whether NODE_ENV is test",
     r"(?:\benv\s*(?:\?\.)?\[\s*['\"])?\bNODE_ENV\b['\"]?\]?\)?\s*[!=]==?\s*['\"`]test['\"`]"
     r"|['\"`]test['\"`]\s*[!=]==?\s*(?:[\w.?]+[.\[])?['\"]?NODE_ENV\b", _asks_environment),
    ("knows_tests", "asks whether NODE_ENV is test",
     r"['\"`/]\^?te(?:st)?\$?['\"`/][^\n;]{0,30}\b(?:includes|test|has|indexOf)\([^\n;()]{0,40}NODE_ENV"
     r"|\bNODE_ENV\b[^\n;]{0,20}\.(?:startsWith|includes|match|endsWith|indexOf)\(\s*['\"`/]\^?t",
     _asks_environment),
    ("knows_tests", "asks whether NODE_ENV is test",
     r"switch\s*\([^\n()]{0,60}NODE_ENV\s*\)\s*\{[^{}]{0,400}?case\s*['\"]test['\"]", _asks_environment),
    ("knows_tests", "asks whether Vite's mode is test",
     r"\bimport\.meta\.env\s*(?:\?\.|\.|\[\s*['\"])\s*MODE\b['\"]?\]?\s*[!=]==?\s*['\"`]test['\"`]", _asks_environment),
    ("knows_tests", "asks whether test functions exist",
     rf"\btypeof\s*\(?\s*(?:(?:globalThis|global|window)\.)?{_GLOBALS}\s*\)?\s*[!=]==?\s*['\"](?:undefined|function)",
     _in_code),
    ("knows_tests", "asks whether test functions exist",
     rf"\b(?:globalThis|global|window|self)\s*(?:\?\.|\.)\s*{_GLOBALS}\b(?!\s*=(?!=))"
     rf"|['\"]{_GLOBALS}['\"]\s+in\s+(?:globalThis|global|window)\b"
     rf"|\b(?:globalThis|global|window)\s*(?:\?\.)?\[\s*['\"]{_GLOBALS}['\"]\s*\](?!\s*=(?!=))", _for_tests),
    ("knows_tests", "looks for a test runner on the command line",
     rf"\bprocess\.(?:argv|execArgv|title|argv0)\b[^\n;]{{0,80}}\b{_TOOLS}\b"
     rf"|\bprocess\.(?:argv|execArgv)\b[^\n;]{{0,40}}['\"]--test\b|\brequire\.main\b[^\n;]{{0,60}}\b{_TOOLS}\b"
     r"|npm_lifecycle_(?:event|script)\b[^\n;]{0,40}\btest\b|\bprocess\.argv\b[^\n;]{0,80}[.](?:test|spec)\b", None),
    ("knows_tests", "looks for a test runner's variable among all",
     r"\bObject\.(?:keys|entries|values)\s*\([^\n;]{0,60}\benv\b[^\n;]{0,80}['\"`/]\^?(?:NODE_T\w*|VIT|VITES\w*|JES\w*)\b",
     None),
    ("knows_tests", "looks for a test runner's variable among all",
     r"\bin\s+process\.env\s*\)[^;]{0,120}['\"`/]\^?(?:NODE_T\w*|VIT|VITES\w*|JES\w*)\b", None),
    ("knows_tests", "asks whether Vitest runs", r"\bimport\.meta\.(?:vitest|env\.VITEST)\b", _in_source_tests),
    ("exits_process", "ends the process",
     r"\bprocess\s*\.\s*(?:abort|reallyExit)\s*\(|\bprocess\s*\[\s*['\"](?:exit|abort|reallyExit)['\"]\s*\]"
     r"|\bprocess\.kill\s*\(\s*process\.p?pid\b", _in_code),
    ("exits_process", "ends the process with success",
     r"\b(?:process|Deno)\s*\.\s*exit\s*\(\s*(?:0\s*)?\)|\bprocess\s*\.\s*exitCode\s*=\s*0\b", _ends_well),
    ("patches_runner", "imports a test tool",
     r"(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*\(?\s*)['\"](?:vitest|@jest/[\w-]+|jest|node:test|mocha|chai|sinon|ava|tap|jasmine"
     r"|@vitest/[\w-]+|@playwright/test|expect)(?:/[\w/-]+)?['\"]", _for_tests),
    ("patches_runner", "replaces a test function",
     rf"\b(?:globalThis|global|window|self)\s*(?:\.\s*{_GLOBALS}|\[\s*['\"]{_GLOBALS}['\"]\s*\])\s*=(?!=)"
     rf"|\bObject\.(?:defineProperty|assign)\s*\(\s*(?:globalThis|global|window)\s*,\s*['\"{{\s]*{_GLOBALS}\b", None),
    ("patches_runner", "looks for what belongs to the runner",
     r"\bSymbol\.for\(\s*['\"`](?:expect-global|\$\$jest-[\w-]+|matchers-object|jest-[\w-]+|vitest[\w:.-]*)['\"`]"
     r"|\b(?:Object\.getOwnPropertySymbols|Reflect\.ownKeys)\s*\(\s*(?:globalThis|global|window|self)\b", _for_tests),
    ("patches_runner", "changes assertions",
     rf"\b(?:expect|jest|vi)\.\w+(?:\.\w+)?\s*=(?!=)|\bexpect\.extend\s*\(|\bassert\.(?:strict\.)?{_COMPARES}\s*=(?!=)"
     rf"|require\(\s*['\"](?:node:)?assert(?:/strict)?['\"]\s*\)(?:\.strict)?\.{_COMPARES}\s*=(?!=)", _for_tests),
    ("patches_runner", "changes how modules are loaded",
     r"\brequire\.cache\s*\[[^\]\n]*\](?:\.exports)?\s*=(?!=)|\bModule\.(?:_load|_resolveFilename|_extensions\S{0,20}|prototype\.\w+)\s*=(?!=)"
     r"|\brequire\(\s*['\"](?:node:)?module['\"]\s*\)\.\w+\s*=(?!=)|\bmodule\.constructor\.\w+\s*=(?!=)"
     r"|\brequire\.extensions\[", _in_code),
    ("patches_runner", "changes what everything is made of",
     r"\b(?:Object|Function)\.prototype\s*(?:\.\s*\w+|\[[^\]\n]*\])\s*=(?!=)|\bObject\.(?:is|keys|entries|getPrototypeOf)\s*=(?!=)"
     r"|\bJSON\.(?:stringify|parse)\s*=(?!=)|\bArray\.isArray\s*=(?!=)|\bprocess\.(?:stdout|stderr)\.write\s*=(?!=)"
     r"|\b(?:Object\.(?:define(?:Property|Properties)|assign|setPrototypeOf)|Reflect\.(?:set|defineProperty|setPrototypeOf))"
     r"\s*\(\s*(?:globalThis\.)?(?:Object|Function|JSON|Reflect|Error|AssertionError)(?:\.prototype)?\s*,"
     r"|\b(?:Object|JSON|Reflect)\s*\[[^\]\n]*\]\s*=(?!=)"
     r"|\b(?:Error|AssertionError)\s*=\s*(?:class|function)\b"
     r"|\bglobal(?:This)?\.(?:Error|Promise|Object|JSON)\s*=(?!=)", _in_code),
    ("patches_runner", "writes test results",
     r"\b(?:writeFile(?:Sync)?|createWriteStream|outputFile(?:Sync)?)\s*\(\s*[^,\n]{0,60}(?:junit[\w.-]*\.xml|test-?results?|TEST-[\w.-]*\.xml"
     r"|coverage/coverage|coverage-final|coverage-summary)", None),
    ("reads_frames", "reads its caller",
     r"\bError\.prepareStackTrace\s*=|\barguments\.callee\b|\bgetCallSites?\s*\("
     r"|['\"](?:callsites?|caller|stack-trace|error-stack-parser|get-caller-file)['\"]\s*\)?\s*;?\s*$",
     None),
    ("reads_frames", "reads its caller",
     r"\bcaptureStackTrace\s*\(\s*(?!this\b|error\b|err\b|e\b|\w*[eE]rror\b)\w+", _in_code),
    ("always_equal", "answers a matcher in its own way", r"\basymmetricMatch\b|jest\.asymmetricMatcher", None),
    ("always_equal", "is equal to everything",
     r"\b(?:equals|isEqual|\[Symbol\.hasInstance\])\s*[(=:][^{}\n;]{0,60}(?:\{\s*return\s+|=>\s*)(?:true|!0)\b"
     r"|\[Symbol\.hasInstance\]\s*\([^)\n]*\)\s*\{\s*return\s+(?:true|!0)\b", _in_code),
    ("always_equal", "is another value each time",
     r"(?:\bvalueOf|\[Symbol\.toPrimitive\]|\btoString)\s*[(:=][^{}\n;]{0,50}(?:\{\s*return\s+|=>\s*)[^;{}\n]{0,60}(?:\+\+|--|\.shift\(|\.next\(|\+=)",
     _in_code),
    ("always_equal", "answers everything the same",
     r"\bnew\s+Proxy\s*\([^;]{0,120}?\b(?:get|has)\s*(?::|\()[^;{}\n]{0,40}(?:=>\s*|\{\s*return\s+)(?:true|!0|1)\b",
     _in_code),
    ("hidden_code", "runs text as code",
     r"(?<![\w$.])(?:eval|Function)\s*\((?!\s*(?:['\"`][^'\"`\n$]{0,200}['\"`]\s*)?\))"
     r"|\bnew\s+Function\s*\((?!\s*['\"`][^'\"`\n$]{0,200}['\"`]\s*\))"
     r"|\b(?:globalThis|global|window|self)\s*(?:\.|\?\.)\s*eval\s*\(|\b(?:globalThis|global|window|self)\s*\[\s*['\"](?:eval|Function)['\"]"
     r"|\(0\s*,\s*eval\)|\bvm\.(?:runIn\w+|Script|compileFunction)\b|\bconstructor\.constructor\s*\(|\[['\"]constructor['\"]\]\s*\(?\s*['\"(\[]",
     _in_code),
    ("hidden_code", "runs text as code",
     r"\b(?:require|import)\s*\(\s*(?:atob|Buffer\.from|String\.fromCharCode|decodeURIComponent|unescape)\s*\(|\bdata:text/javascript[;,]"
     r"|\b(?:require|import)\s*\(\s*\[[^\]\n]*\]\s*\.\s*(?:join|reduce|reverse)\s*\(",
     None),
    ("hidden_code", "text put together from numbers",
     r"\bString\.from(?:CharCode|CodePoint)\s*\(\s*(?:\.\.\.\s*\[\s*)?(?:(?:0x)?[0-9a-fA-F]{2,6}\s*,\s*){4,}", None),
    ("hidden_code", "unpacks a long text",
     rf"\b(?:atob|Buffer\.from|decodeURIComponent|unescape)\s*\(\s*['\"`]([A-Za-z0-9+/=_%-]{{{LONG},}})['\"`]",
     _packed),
)  # fmt: skip
_PATTERNS = tuple(
    (rule, what, re.compile(pattern, re.MULTILINE), counts) for rule, what, pattern, counts in _TABLE
)  # fmt: skip
