"""Which files a command line or a patch would write, as far as its words tell (G-17).

It keeps an orchestrator that forgot its place from editing with the shell; it is no wall against one that tries.
"""

from __future__ import annotations

import re

from . import guard
from .shell import Call, calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UNKNOWN = "?"
"""Files are written, and the words do not say which."""
_DEEPEST = 5

_BEFORE = (
    *("sudo", "env", "command", "nohup", "time", "nice", "exec", "builtin", "npx", "uvx", "bunx"),
    *("if", "then", "else", "do", "while", "!", "{"),
)
_RUNNERS = ("uv run", "poetry run", "npm exec", "pnpm exec", "yarn exec")
_FEEDERS = ("xargs", "parallel")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_LANGUAGES = ("python", "node", "ruby", "perl", "php", "deno", "bun")
_ASSIGNMENT = re.compile(r"^\w+=")
_IN_PLACE = {
    "sed": re.compile(r"^(?:-[nErsuz]*i|--in-place)"),
    "gsed": re.compile(r"^(?:-[nErsuz]*i|--in-place)"),
    "perl": re.compile(r"^-[pnlaw0-9]*i"),
    "ruby": re.compile(r"^-[pnlaw0-9]*i"),
}
_SCRIPT = re.compile(r"^(?:-[a-zA-Z0-9]*[ef]|--expression|--file)")
_FORMATTERS = {
    **{"prettier": ("--write", "-w"), "eslint": ("--fix",), "gofmt": ("-w",), "goimports": ("-w",)},
    **{"clang-format": ("-i",), "autopep8": ("-i", "--in-place")},
}
"""They write when told to."""
_EAGER = ("black", "isort", "rustfmt")
"""They write unless told not to."""
_ONLY_LOOK = ("--check", "--diff", "--check-only", "--version", "--help")
_WRITING_CODE = re.compile(
    r"write|\bopen\([^)]*,\s*(?:mode\s*=\s*)?[rbt]?['\"][wax]|unlink|\bremove\(|rename|replace\(|shutil|copy|truncate"
)
_STRING = re.compile(r"['\"]([^'\"\n]+)['\"]")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)


def refusal(line: str, folder: str, root: str, agent: str | None, sources: tuple[str, ...] = guard.SOURCES) -> str:
    """Why this agent may not run that command in `folder`; "" when it may."""
    if guard.is_worker(agent):
        return ""
    for path in written(line):
        if path == UNKNOWN or guard.refusal(_joined(folder, path), root, agent, sources):
            return guard.MESSAGE
    return ""


def patched(patch: str) -> list[str]:
    """The files of a patch in the form of `apply_patch`."""
    return [found.strip() for found in _PATCHED.findall(patch)]


def written(line: str, deep: int = 0) -> list[str]:
    """Paths as they stand in the command line."""
    return [path for call in calls(line) for path in (*call.targets, *_by(call, deep))]


def _joined(folder: str, path: str) -> str:
    return path if path.startswith("/") else f"{folder}/{path}"


def _by(call: Call, deep: int) -> list[str]:
    words, fed = _bare(call.words)
    if not words or deep > _DEEPEST:
        return []
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "apply_patch":
        return patched("\n".join((*rest, call.fed))) or [UNKNOWN]
    if name in _SHELLS or name == "eval":
        return _of_shell(name, rest, call.fed, deep)
    if any(name == each or re.fullmatch(rf"{each}[\d.]+", name) for each in _LANGUAGES) and (
        found := _of_code(rest, call.fed)
    ):
        return found
    if name in _IN_PLACE:
        return _in_place(name, rest, fed)
    found = _TABLE[name](rest) if name in _TABLE else []
    return [UNKNOWN if path == "{}" else path for path in found] or ([UNKNOWN] if fed and name in _TABLE else [])


def _bare(words: Sequence[str]) -> tuple[list[str], bool]:
    """Without what stands before a command's own name, and whether another program adds files to its words."""
    left, fed = [*words], False
    while left:
        first = left[0].rpartition("/")[2]
        if first == "timeout" or " ".join(left[:2]) in _RUNNERS:
            left = left[2:]
        elif first in _BEFORE or _ASSIGNMENT.match(left[0]):
            left = left[1:]
        elif first in _FEEDERS:
            left, fed = left[1:], True
        elif left[0].startswith("-"):
            left = left[1:]  # an option of what stood before
        else:
            break
    return left, fed


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-") or word == "-"]


def _of_shell(name: str, words: Sequence[str], fed: str, deep: int) -> list[str]:
    if name == "eval":
        return written(" ".join(words), deep + 1)
    for number, word in enumerate(words):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return written(" ".join(words[number + 1 : number + 2]), deep + 1)
    return written(fed, deep + 1) if fed else []


def _of_code(words: Sequence[str], fed: str) -> list[str]:
    """Source files that a program on the command line names while it writes anything."""
    code = [words[n + 1] for n, word in enumerate(words[:-1]) if word in ("-c", "-e", "--eval", "-p", "-r", "eval")]
    text = "\n".join((*code, fed))
    return _STRING.findall(text) if _WRITING_CODE.search(text) else []


def _in_place(name: str, words: Sequence[str], fed: bool) -> list[str]:
    if not any(_IN_PLACE[name].match(word) for word in words):
        return []
    files: list[str] = []
    scripted = False
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            if _SCRIPT.match(word) and not word.startswith("-i"):
                scripted = True
                skip = "=" not in word
        else:
            files.append(word)
    files = files if scripted else files[1:]
    return [UNKNOWN if path == "{}" else path for path in files] or ([UNKNOWN] if fed else [])


def _copied(words: Sequence[str]) -> list[str]:
    files = _operands(words)
    if len(files) < 2:
        return []
    into = files[-1].rstrip("/")
    return [files[-1], *(f"{into}/{path.rpartition('/')[2]}" for path in files[:-1])]


def _moved(words: Sequence[str]) -> list[str]:
    return [*_copied(words), *_operands(words)[:-1]]


def _after(*options: str) -> Callable[[Sequence[str]], list[str]]:
    """What follows an option, or is glued to it with `=`."""

    def found(words: Sequence[str]) -> list[str]:
        told = [words[n + 1] for n, word in enumerate(words[:-1]) if word in options]
        return told + [word.partition("=")[2] for word in words if word.partition("=")[0] in options and "=" in word]

    return found


def _git(words: Sequence[str]) -> list[str]:
    rest = [*words]
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    match rest[:1]:
        case ["apply" | "am"]:
            return [] if "--check" in rest or "--stat" in rest else [UNKNOWN]
        case ["mv" | "rm" | "restore" | "checkout"]:
            return [] if "--staged" in rest or "--cached" in rest else _operands(rest[1:])
        case _:
            return []


def _found(words: Sequence[str]) -> list[str]:
    """`find`: what it does to what it finds."""
    names = [words[n + 1] for n, word in enumerate(words[:-1]) if word in ("-name", "-iname", "-path")]
    if "-delete" in words:
        return names or [UNKNOWN]
    for number, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok"):
            call = Call()
            call.words = [*words[number + 1 :]]
            return _by(call, 1)
    return []


def _ruff(words: Sequence[str]) -> list[str]:
    formats = "format" in words and not any(word in _ONLY_LOOK for word in words)
    return [UNKNOWN] if formats or "--fix" in words else []


def _formatter(name: str) -> Callable[[Sequence[str]], list[str]]:
    return lambda words: [UNKNOWN] if any(word in _FORMATTERS[name] for word in words) else []


def _eager(words: Sequence[str]) -> list[str]:
    return [] if any(word in _ONLY_LOOK for word in words) else [UNKNOWN]


def _patch(words: Sequence[str]) -> list[str]:
    return [] if "--dry-run" in words else _operands(words) or [UNKNOWN]


_TABLE: dict[str, Callable[[Sequence[str]], list[str]]] = {
    **dict.fromkeys(("tee", "touch", "truncate", "rm", "unlink", "shred"), _operands),
    **dict.fromkeys(("cp", "install", "ln", "rsync"), _copied),
    "mv": _moved,
    "dd": lambda words: [word[3:] for word in words if word.startswith("of=")],
    "curl": _after("-o", "--output"),
    "wget": _after("-O", "--output-document"),
    "awk": lambda words: _operands(words)[2:] if "inplace" in words else [],
    "gawk": lambda words: _operands(words)[2:] if "inplace" in words else [],
    "patch": _patch,
    "git": _git,
    "find": _found,
    "ruff": _ruff,
    **{name: _formatter(name) for name in _FORMATTERS},
    **dict.fromkeys(_EAGER, _eager),
}
