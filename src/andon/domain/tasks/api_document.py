"""An API in a document: methods, paths, request bodies, responses, status codes (D-15)."""

from __future__ import annotations

import re

from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.markdown import passages

_METHOD = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"
_METHODS = re.compile(rf"\b{_METHOD}\b")
_PATH = re.compile(r"(?<![\w./:-])/(?:[\w:{}<>$.~-]+/?)+(?:\?[\w=&{}]+)?|(?<=[`\s|])/(?=[`\s|])")
_BODY_METHODS = re.compile(r"\b(?:POST|PUT|PATCH)\b")
_ENDPOINT = re.compile(rf"\b({_METHOD})\b[\s`*|:]{{0,6}}(/[\w:{{}}<>/$.~-]*)")
_REQUEST = re.compile(r"\brequest\b|\bpayload\b|\bbody\b|요청", re.IGNORECASE)
_RESPONSE = re.compile(r"\bresponses?\b|\breturns\b|응답", re.IGNORECASE)
_STATUS = re.compile(
    r"(?<![\d.,:/$-])(?:1\d\d|20[0-8]|226|30[0-8]|4[0-2]\d|43[1]|451|50\d|51[01])(?![\d.,]\d|\d|%|\s?(?:ms|px|자|초))"
)


def endpoints(text: str) -> tuple[tuple[str, str], ...]:
    """Method and path of every endpoint, each once (D-15)."""
    return tuple(dict.fromkeys((match[1], match[2].rstrip(".,;)")) for match in _ENDPOINT.finditer(text)))


def api_document(text: str) -> tuple[Criterion, ...]:
    """Five criteria of an API's specification (D-15). An endpoint with a heading of its own needs a code."""
    return (
        Criterion.of("api_methods", [] if _METHODS.search(text) else ["no HTTP method (GET, POST, PUT, DELETE)"]),
        Criterion.of("api_paths", [] if _PATH.search(text) else ["no path, such as `/api/users/:id`"]),
        Criterion.of("api_request", _request(text)),
        Criterion.of("api_response", [] if _RESPONSE.search(text) else ["no response is told"]),
        Criterion.of("api_status_codes", _status_codes(text)),
    )


def _request(text: str) -> list[str]:
    """Only what carries a body needs one told."""
    if _REQUEST.search(text) or (_METHODS.search(text) and not _BODY_METHODS.search(text)):
        return []
    return ["no request body is told"]


def _status_codes(text: str) -> list[str]:
    if not _STATUS.search(text):
        return ["no status code, such as 200 or 404"]
    told = [line for line in text.splitlines() if _STATUS.search(line)]
    problems: list[str] = []
    for each in passages(text):
        endpoint = _ENDPOINT.search(each.title)
        if endpoint and not _STATUS.search(each.text) and not any(_names(line, endpoint) for line in told):
            problems.append(f"{each.title} has no status code")
    return problems


def _names(line: str, endpoint: re.Match[str]) -> bool:
    """A line of another section that tells the codes of this endpoint."""
    return any((found[1], found[2]) == (endpoint[1], endpoint[2]) for found in _ENDPOINT.finditer(line))
