"""What became of orders, as a scenario: one piece for each order, and all pieces of a run as one file.

A piece is plain data that has no secret in it. Keeping pieces and writing the file is others' business.
"""

from __future__ import annotations

import glob
import re
from base64 import encodebytes
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, cast

from andon.domain.changeset import LINK, PROGRAM, Changed, Side
from andon.domain.order import Order, Outcome, Reply
from andon.runtimes import events, own_lines, placeholders

Piece = Mapping[str, Any]
Clean = Callable[[str], str]
KEPT = 2000
"""Characters of what an agent said or a tool printed: enough to see what it was."""
EVENTS = 400
"""Of one order that are kept."""
REST_SECONDS = 1.0
"""For a rate limit in a replay, however long it was."""
NEVER_ANSWERED = "the recording ends before this question was answered"
_INTERRUPTED = (Outcome.LOST, Outcome.CANCELLED)
"""Nobody's doing: in a replay whoever came after takes the place."""
_SINGLE = re.compile(r"\{([A-Za-z_]\w*)\}")
_ANSWER = "\nAnswer: "
"""Before the last answer, in a prompt that tells the whole talk again."""


class Recording:
    """Turns one order after another into pieces."""

    def __init__(self, secrets: Clean, places: Mapping[str, str]) -> None:
        self._secrets = secrets
        self._places = tuple(
            (re.compile(rf"(?<![\w.-]){re.escape(path)}(?![\w.-])"), short)
            for path, short in sorted(places.items(), key=lambda each: -len(each[0]))
        )
        """Paths of this machine, and what stands in their place."""

    def piece(
        self, order: Order, number: int, reply: Reply, told: Iterable[events.Event], files: Sequence[Changed]
    ) -> dict[str, Any]:
        said = list(told)
        writing, notes = self._writing(files)
        usage = {key: value for key, value in asdict(reply.usage).items() if value}
        lines = (self._told(order, line) for line in _lines(said, reply))
        shown = [{"emit": {"event": _cut(line)}} for line in _ends([*lines]) if not _told_by(writing, line)]
        goes_on = bool(order.session) or _ANSWER in order.prompt
        return {
            "kind": "recorded",
            "version": 1,
            "position": order.position,
            "number": number,
            "match": {"role": order.role, "name": order.name, "phase": order.phase},
            "attempt": order.attempt,
            "outcome": str(reply.outcome),
            "do": [*shown, *writing, {"usage": usage}],
            "ending": self._told(order, _ending(said, reply)),
            "reply": self._told(order, reply.text),
            "question": self._told(order, asdict(reply.question)) if reply.question else None,
            "answer": self._told(order, order.prompt.rpartition(_ANSWER)[2]) if goes_on else "",
            "document": _document(order),
            "notes": notes,
        }

    def _told(self, order: Order, value: Any) -> Any:
        """What was said, without secrets and without the paths of this machine."""
        if isinstance(value, str):
            value = value.replace(f"{order.folder}/", "").replace(order.folder, ".")
            for path, short in self._places:
                value = path.sub(short, value)
            return self._secrets(value)
        if isinstance(value, dict):
            return {key: self._told(order, each) for key, each in cast(dict[str, Any], value).items()}
        if isinstance(value, list | tuple):
            return [self._told(order, each) for each in cast(list[Any], value)]
        return value

    def _writing(self, files: Sequence[Changed]) -> tuple[list[dict[str, Any]], list[str]]:
        """The steps that lead from the files before to those after, and what they leave out."""
        named = [file for file in files if not _not_text(file.path)]
        notes = [f"{file.path!a}: its name is no text" for file in files if _not_text(file.path)]
        steps = [{"delete": {"path": self._secrets(path), "or_fail": True}} for path in _in_the_way(named)]
        for file in named:
            content, note = self._content(file.after) if file.after else ({}, "")
            if content:
                steps.append({"write": {"path": self._secrets(file.path), **content, **_mode(file), "or_fail": True}})
            if note:
                notes.append(f"{self._secrets(file.path)}: {note}")
        return steps, notes

    def _content(self, side: Side) -> tuple[dict[str, Any], str]:
        """The keys of a `write`, and what a person should know of it."""
        if side.content is None:
            return {}, "too large to be recorded" if side.regular else "a repository of its own is not recorded"
        plain = side.content.decode("utf-8", "surrogateescape")
        clean = self._secrets(plain)
        note = "something that looks like a secret was redacted, so a replay writes another content"
        note = note if clean != plain else ""
        if side.mode == LINK:
            return ({}, "where the link leads is no text") if _not_text(clean) else ({"link": clean}, note)
        if _not_text(clean) or "\0" in clean:
            return {"base64": encodebytes(clean.encode("utf-8", "surrogateescape")).decode()}, note
        return {"text": clean}, note


def _mode(file: Changed) -> dict[str, Any]:
    """Said only where it is not as a plain file has it."""
    before, after = file.before.mode if file.before else "", file.after.mode if file.after else ""
    return {"executable": after == PROGRAM} if after == PROGRAM or (before == PROGRAM and after != LINK) else {}


def _not_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _document(order: Order) -> str:
    """The one file that an order is about. Its name may be another one in the next run."""
    [path, *more] = order.writable or (".",)
    return "" if more or path == "." or path.endswith("/") else path


def _in_the_way(files: Iterable[Changed]) -> list[str]:
    """What has to go before anything is written: deleted files, links, folders where a file comes."""
    gone = [file.path for file in files if file.after is None]
    folders = {str(above) for path in gone for above in PurePosixPath(path).parents}
    turned = {file.path for file in files if file.after is not None and file.path in folders}
    links = [file.path for file in files if file.before and file.after and LINK in (file.before.mode, file.after.mode)]
    kept = [path for path in gone if not any(str(above) in turned for above in PurePosixPath(path).parents)]
    return [*kept, *links, *sorted(turned)]


def _lines(told: Iterable[events.Event], reply: Reply) -> Iterator[dict[str, Any]]:
    """What the agent said and did, for people to see; not its answer, which is the rule's."""
    for event in told:
        line = own_lines.line_of(event)
        if line is not None and not (line["type"] == "text" and line["text"].strip() in ("", reply.text.strip())):
            yield line


def _told_by(steps: Iterable[Mapping[str, Any]], line: Mapping[str, Any]) -> bool:
    """Whether a step that writes or deletes a file tells the same when it is played."""
    return any(
        line.get("tool") == action and line["ok"] and line.get("target") == keys["path"]
        for step in steps
        for action, keys in step.items()
    )


def _ends(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The beginning and the end: a file of everything could not be read again."""
    if len(lines) <= EVENTS:
        return lines
    left_out = {"type": "text", "text": f"[… {len(lines) - EVENTS} more …]"}
    return [*lines[: EVENTS // 2], left_out, *lines[-(EVENTS // 2) :]]


def _cut(line: Mapping[str, Any]) -> dict[str, Any]:
    """After secrets were looked for: the half of one is not found."""
    return {
        key: f"{value[:KEPT]} …" if isinstance(value, str) and len(value) > KEPT else value
        for key, value in line.items()
    }


def _ending(told: Sequence[events.Event], reply: Reply) -> list[dict[str, Any]]:
    """The steps by which an order ends in the same way, without the time that it took."""
    match reply.outcome:
        case Outcome.CRASHED:
            return [{"crash": {"reason": reply.detail}}]
        case Outcome.LIMIT:
            return [{"limit": {"reason": reply.detail}}]
        case Outcome.REFUSED:
            return [{"refuse": {"reason": reply.detail}}]
        case Outcome.UNAUTHENTICATED:
            return [{"auth": {"reason": reply.detail}}]
        case Outcome.RATE_LIMITED:
            return [{"rate_limit": {"resets_in": REST_SECONDS}}]
        case Outcome.UNPARSEABLE:
            strange = [event.line for event in told if isinstance(event, events.Raw) and event.line]
            kept = strange[-1:] if strange and isinstance(own_lines.parse(strange[-1]), events.Raw) else []
            return [*({"emit": {"line": line}} for line in kept if "\n" not in line), {"garbage": {"bytes": 0}}]
        case _:
            return []


def rules_of(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Of all pieces of a run, in the order in which a replay meets them."""
    steps: dict[tuple[int, int], list[Piece]] = {}
    for piece in sorted(pieces, key=lambda each: (_place(each), each["number"])):
        steps.setdefault(_place(piece), []).append(piece)
    last_leg = max((leg for leg, _ in steps), default=0)
    calls = Counter[str]()
    rules = list[dict[str, Any]]()
    for (leg, _), orders in steps.items():
        if leg < last_leg and orders[-1]["outcome"] != Outcome.DONE:
            continue  # the next leg began with this work once more
        talks = _talks(orders)
        calls[orders[0]["match"]["name"]] += bool(talks)
        for attempt, talk in enumerate(talks, start=1):
            rules.append(_rule(talk, calls[talk[0]["match"]["name"]], attempt))
    return rules


def _place(piece: Piece) -> tuple[int, int]:
    leg, _, step = str(piece["position"]).partition(".")
    return int(leg), int(step)


def _talks(orders: Sequence[Piece]) -> list[list[Piece]]:
    """The orders of a step by attempts: a question and what came after its answer are one."""
    talks = list[list[Piece]]()
    goes_on = False
    for before, piece in pairwise((None, *orders)):
        if before is not None and before["outcome"] == Outcome.ASKED:
            goes_on = cast(Piece, piece)["attempt"] == before["attempt"]
        if piece is None or piece["outcome"] in _INTERRUPTED:
            continue
        talks[-1].append(piece) if goes_on else talks.append([piece])
        goes_on = False
    return talks


def _rule(talk: Sequence[Piece], call: int, attempt: int) -> dict[str, Any]:
    match = dict(talk[0]["match"])
    steps = list[dict[str, Any]]()
    for piece, after in zip(talk, (*talk[1:], None), strict=True):
        steps += [*piece["do"], *piece["ending"]]
        if piece["outcome"] == Outcome.ASKED:
            steps += _asking(piece["question"], None if after is None else after["answer"])
    rule: dict[str, Any] = {"do": steps}
    if talk[-1]["outcome"] == Outcome.DONE:
        rule["reply"] = talk[-1]["reply"]
    if document := talk[0]["document"]:
        rule = {"template": True, **_as_template(rule, document)}
    elif placeholders.used(rule) & set(placeholders.KNOWN):
        rule = {"template": False, **rule}
    match |= {"name": glob.escape(match["name"]), "call": call, "attempt": attempt}
    return {"match": match, **rule}


def _asking(question: Mapping[str, Any], answer: str | None) -> list[dict[str, Any]]:
    """A question that is answered as it was then, by itself."""
    kept = {"question": question["text"] or "?", "options": list(question["options"]), "category": question["category"]}
    if answer is None:
        told = {key: question[key] for key in ("default", "timeout") if question[key] is not None}
        return [{"ask": {**kept, **told}}, {"refuse": {"reason": NEVER_ANSWERED}}]
    if kept["options"] and answer not in kept["options"]:
        kept["options"] = [*kept["options"], answer]
    return [{"ask": {**kept, "default": answer, "timeout": 0.0}}]


def _as_template(value: Any, document: str, key: str = "") -> Any:
    if isinstance(value, str):
        return value if key == "base64" else _SINGLE.sub(r"{{\1}}", value).replace(document, "{document}")
    if isinstance(value, dict):
        return {name: _as_template(each, document, name) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_as_template(each, document) for each in cast(list[Any], value)]
    return value
