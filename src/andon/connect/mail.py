"""One mail as Gmail's API gives it, as what a reader needs: who, when, about what, its text, its attachments."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import Any

from andon.connect.answering import cut, entries, section

FIELDS = "id,threadId,snippet,payload"
BODY, HEADER, ATTACHMENTS = 8000, 500, 50
DEEPEST = 20
"""Parts within parts; a mail that nests deeper wants to be trouble."""
_CHARSET = re.compile(r"charset=\"?([A-Za-z0-9._:-]+)", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<(?:br|/p|/div|/tr|/li|/h[1-6])\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


def mail(found: dict[str, Any]) -> dict[str, Any]:
    payload = section(found, "payload")
    heads = _headers(payload)
    parts = list(_parts(payload, 0))
    files = [part for part in parts if part.get("filename")]
    return {
        "id": str(found.get("id", "")),
        "thread": str(found.get("threadId", "")),
        **{name: cut(heads.get(name, ""), HEADER) for name in ("from", "to", "date", "subject")},
        "text": cut(_text(parts) or html.unescape(str(found.get("snippet") or "")), BODY),
        "attachments": [_attachment(part) for part in files[:ATTACHMENTS]],
    }


def _parts(part: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    yield part
    if depth < DEEPEST:
        for below in entries(part, "parts"):
            yield from _parts(below, depth + 1)


def _text(parts: list[dict[str, Any]]) -> str:
    """Its plain text; without one, its HTML as text."""
    shown = [part for part in parts if not part.get("filename")]
    for kind in ("text/plain", "text/html"):
        for part in shown:
            if str(part.get("mimeType", "")).lower() == kind and (text := _decoded(part)).strip():
                return text.strip() if kind == "text/plain" else _without_tags(text)
    return ""


def _decoded(part: dict[str, Any]) -> str:
    data = str(section(part, "body").get("data") or "")
    try:
        content = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return ""
    named = _CHARSET.search(_headers(part).get("content-type", ""))
    try:
        return content.decode(named[1] if named else "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def _headers(part: dict[str, Any]) -> dict[str, str]:
    return {str(each.get("name", "")).lower(): str(each.get("value", "")) for each in entries(part, "headers")}


def _without_tags(text: str) -> str:
    lines = html.unescape(_TAG.sub("", _BREAK.sub("\n", _UNSEEN.sub("", text)))).splitlines()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(" ".join(line.split()) for line in lines)).strip()


def _attachment(part: dict[str, Any]) -> dict[str, Any]:
    size = section(part, "body").get("size")
    return {
        "name": cut(str(part["filename"]), HEADER),
        "type": cut(str(part.get("mimeType", "")), HEADER),
        "bytes": size if isinstance(size, int) else 0,
    }
