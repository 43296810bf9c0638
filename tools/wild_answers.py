"""What `andon verify` answers about a change: asked in a process of its own, bounded in time, kept as it comes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wild_changes import Change

ROOT = Path(__file__).resolve().parents[1]
VERIFIED, ASKED, REFUSED, NOT_MEASURED = "verified", "asked", "refused", "not measured"
_ANSWERS = {
    **dict.fromkeys(("passed", "verified"), VERIFIED),
    **dict.fromkeys(("failed", "refused"), REFUSED),
    **dict.fromkeys(("ask", "asked", "needs_person"), ASKED),
    **dict.fromkeys(("not_measured", "unmeasured", "not_needed"), NOT_MEASURED),
}
_FORGIVEN = 30.0
"""Seconds that andon has to end what it started, once it is asked to stop."""


@dataclass(frozen=True, slots=True)
class Answer:
    change: str
    kind: str
    role: str
    answer: str
    reason: str
    rules: tuple[str, ...]
    seconds: float
    plain: float | None
    """Seconds of the plain suite, as the answer itself tells them."""
    tests: dict[str, int]
    built: bool
    """An environment was built in this time: the ratio says nothing."""
    again: float | None = None
    """Seconds of the same question asked a second time."""
    same: bool | None = None
    """The second answer was the first one."""
    andon: str = ""
    limit: float = 0.0

    @property
    def ratio(self) -> float | None:
        seconds = self.again if self.again is not None else None if self.built else self.seconds
        return seconds / self.plain if seconds is not None and self.plain else None


class Book:
    """Answers in a file of JSON lines, added as they come: a run that is killed goes on where it was."""

    def __init__(self, file: Path, andon: str) -> None:
        self._file, self._andon = file, andon
        self._known: dict[tuple[str, str], Answer] = {}
        with suppress(FileNotFoundError):
            for line in file.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, TypeError):  # the end of a line that was being written
                    answer = Answer(**json.loads(line))
                    if answer.andon == andon:
                        self._known[answer.change, answer.role] = answer

    def find(self, change: str, role: str) -> Answer | None:
        return self._known.get((change, role))

    def add(self, answer: Answer) -> None:
        self._known[answer.change, answer.role] = answer
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")


def this_andon() -> str:
    """A name for the source as it lies here: another source, other answers."""
    digest = hashlib.sha256()
    for file in sorted((ROOT / "src" / "andon").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def ask(change: Change, home: Path, limit: float, andon: str, *, twice: bool = False) -> Answer:
    """Verify a change, and keep what was said in full beside the answers."""
    environments = home / "andon" / "environments"
    before = _built(environments)
    told, code, seconds = _verify(change, home, limit)
    built = bool(_built(environments) - before)
    kept = home / "told" / andon / f"{change.title.replace('/', '+')} {change.role}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(told, indent=2, ensure_ascii=False), encoding="utf-8")
    answer, reason, rules = _read(told, code, limit)
    test = next((each for each in told.get("results", ()) if each.get("goal") == "test"), {})
    again, same = None, None
    if twice and answer != NOT_MEASURED:
        retold, recode, again = _verify(change, home, limit)
        same = _read(retold, recode, limit)[::2] == (answer, rules)
    return Answer(
        *(change.title, change.kind, change.role, answer, reason, rules, round(seconds, 1)),
        plain=test.get("seconds") or None,
        tests=dict(test.get("tests") or {}),
        built=built,
        again=round(again, 1) if again is not None else None,
        same=same,
        andon=andon,
        limit=limit,
    )


def _built(environments: Path) -> set[str]:
    return {each.name for each in environments.glob("*")}


def _read(told: dict[str, Any], code: int | None, limit: float) -> tuple[str, str, tuple[str, ...]]:
    """The answer, its first reason, and the rules that were named."""
    if code is None:
        return NOT_MEASURED, f"no answer in {limit:g} s", ()
    answer = _ANSWERS.get(str(told.get("verdict", "")).replace(" ", "_"))
    if answer is None:
        ended = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with {code}"
        return NOT_MEASURED, f"andon ended {ended} and without an answer: {told.get('said', '')}", ()
    findings = [each for each in told.get("findings", ()) if isinstance(each, dict)]
    rules = tuple(sorted({each.get("rule", "") for each in findings}))
    reasons = [f"{each.get('rule')}: {each.get('message')}" for each in findings]
    if answer == NOT_MEASURED:
        reasons = [*told.get("unmeasured", ()), *reasons, told.get("reason", "")]
    elif answer != VERIFIED:
        reasons += [*told.get("questions", ()), told.get("reason", "")]
    return answer, next((" ".join(str(each).split()) for each in reasons if each), ""), rules


def _verify(change: Change, home: Path, limit: float) -> tuple[dict[str, Any], int | None, float]:
    """What was said as JSON, how it ended (None: it had to be stopped), and after how many seconds."""
    words = [str(Path(sys.executable).with_name("andon")), "verify", "--repo", str(change.repository), "--json"]
    words += ["--base", change.base, "--head", change.head]
    started = time.monotonic()
    process = subprocess.Popen(
        words,
        cwd=change.repository,
        env=os.environ | {"ANDON_HOME": str(home / "andon")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _stop(process)
        return {}, None, time.monotonic() - started
    except BaseException:
        _stop(process)
        raise
    seconds = time.monotonic() - started
    try:
        told = json.loads(out)
    except ValueError:
        told = {"said": " ".join(err.split())[-300:]}
    return told if isinstance(told, dict) else {}, process.returncode, seconds


def _stop(process: subprocess.Popen[str]) -> None:
    """As a person would: andon ends what it started. What does not listen is killed, with all that is left of it."""
    for number, seconds in ((signal.SIGINT, _FORGIVEN), (signal.SIGTERM, _FORGIVEN / 3)):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
            return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
