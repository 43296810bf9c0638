"""What a chat or a mailbox says, as documents: the parts of an analysis, the originals, to-dos (A-132 to A-138).

Text only. Reading Slack and Gmail is `connect`'s, asking an analyst the pipeline's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andon.domain.language import Language, Wording


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an analysis: its heading, in both languages."""

    key: str
    title: Wording

    def heading(self, language: Language) -> str:
        return f"## {getattr(self.title, language.value)}"


SLACK_PARTS = (
    Part("overview", Wording("프로젝트 개요", "Overview")),
    Part("decisions", Wording("핵심 결정사항", "Key decisions")),
    Part("documents", Wording("관련 문서", "Related documents")),
    Part("stack", Wording("기술 스택", "Technology stack")),
    Part("issues", Wording("미해결 이슈", "Open issues")),
)
GMAIL_PARTS = (
    Part("requests", Wording("요청사항과 할일", "Requests and to-dos")),
    Part("senders", Wording("발신자 우선순위", "Sender priority")),
    Part("replies", Wording("회신 필요 메일", "Mails needing a reply")),
    Part("attachments", Wording("첨부파일", "Attachments")),
    Part("relations", Wording("키워드 연관성", "Keyword relations")),
    Part("risks", Wording("리스크", "Risks")),
)
MESSAGES = Part("messages", Wording("원본 메시지", "Original messages"))
MAILS = Part("mails", Wording("원본 메일", "Original mails"))
TODOS = Part("todos", Wording("할일", "To-do items"))
DRAFTS = Part("drafts", Wording("회신 초안 (보내지 않음)", "Reply drafts (not sent)"))
DRAFT = Wording("초안", "Draft")

SHORTEST = 200
"""Characters of a message that are always shown."""
Message = Mapping[str, Any]
"""As a connector gives it."""

_HEADING = re.compile(r"^#{1,6}\s+(.*?)[\s#:]*$")
_AROUND = re.compile(r"^\s*\d+[.)]\s*|\s*[:(—–].*$")
_CODE_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"^ ?(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$")


def headings_of(parts: Sequence[Part]) -> str:
    """How an analyst is told the form of its answer."""
    return "\n".join(f"## {part.title.en} (or: ## {part.title.ko})" for part in parts)


def read_parts(text: str, parts: Sequence[Part]) -> dict[str, str]:
    """The parts that are there, by key; each with what stands below its heading. Unknown headings belong to a part."""
    return _below(text, {_folded(title): part.key for part in parts for title in part.title})


def read_drafts(text: str, count: int) -> dict[int, str]:
    """Drafts by the number of their mail."""
    named = {_folded(f"{word} {number}"): str(number) for number in range(1, count + 1) for word in DRAFT}
    return {int(number): draft for number, draft in _below(text, named).items()}


def _below(text: str, named: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    present, in_code = "", False
    for line in text.splitlines():
        in_code ^= bool(_CODE_FENCE.match(line))
        heading = None if in_code else _HEADING.match(line)
        key = named.get(_folded(heading[1])) if heading else None
        if key:
            present = key
            found.setdefault(key, [])
        elif present:
            found[present].append(line)
    return {key: "\n".join(lines).strip() for key, lines in found.items()}


def _folded(heading: str) -> str:
    """Without numbers before it, marks around it, and whatever is said after it: `1. **Overview** (short)`."""
    return " ".join(_AROUND.sub("", heading.casefold().replace("*", "")).split())


def todos(listed: str) -> tuple[str, ...]:
    """The items of a list, one line each; what is indented below an item is a remark to it."""
    found = (_ITEM.match(line) for line in listed.splitlines())
    return tuple(" ".join(item[1].split()) for item in found if item)


def analysis(language: Language, parts: Sequence[Part], found: Mapping[str, str]) -> str:
    """The parts under their headings, in the order they are defined in."""
    return "\n\n".join(f"{part.heading(language)}\n\n{found[part.key]}" for part in parts)


def document(title: str, source: str, body: str, language: Language, originals: tuple[Part, str]) -> str:
    """A context file: what it is, the analysis, and what was read, quoted."""
    part, listed = originals
    return f"# {title}\n\n{source}\n\n{body}\n\n{part.heading(language)}\n\n{listed}\n"


def within(messages: Sequence[Message], most: int) -> tuple[Message, ...]:
    """The same messages with texts cut so that all of them together have about so many characters: a reader who must
    answer each needs the beginning of each."""
    share = max(SHORTEST, most // max(1, len(messages)))
    return tuple({**each, "text": _cut(str(each.get("text") or ""), share)} for each in messages)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"


def listed_messages(messages: Sequence[Message]) -> str:
    """A chat, oldest first, each message quoted."""
    return "\n\n".join(_message(each) for each in reversed(messages))


def _message(found: Message) -> str:
    replies = f" ({found['replies']} replies)" if found.get("replies") else ""
    files = "".join(f"\n\nFile: {_line(each)}" for each in found.get("files", ()))
    return f"{_line(found.get('at'))} {_line(found.get('from'))}{replies}:\n\n{_quoted(found.get('text'))}{files}"


def listed_mails(mails: Sequence[Message]) -> str:
    """Mails, numbered from 1 in the order they were found, each quoted."""
    return "\n\n".join(_mail(number, each) for number, each in enumerate(mails, start=1))


def _mail(number: int, found: Message) -> str:
    lines = [
        f"Mail {number}: {subject(found)}",
        f"From: {_line(found.get('from'))}",
        f"Date: {_line(found.get('date'))}",
    ]
    attached = [f"{_line(each.get('name'))} ({each.get('bytes', 0)} bytes)" for each in found.get("attachments", ())]
    lines += [f"Attachments: {', '.join(attached)}"] if attached else []
    return "\n\n".join(("  \n".join(lines), _quoted(found.get("text"))))


def subject(found: Message) -> str:
    return _line(found.get("subject")) or "(no subject)"


def _line(value: object) -> str:
    return " ".join(str(value or "").split())


def _quoted(value: object) -> str:
    """Quoted, so that no line of it is a heading of ours."""
    return "\n".join(f"> {line}".rstrip() for line in str(value or "").splitlines()) or ">"
