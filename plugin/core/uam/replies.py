"""What agents have to hand in, and what is wrong with what they did hand in (C-34, C-76, C-77).

What is wanted stands in the agent's own definition, under `## validate_prompt`: a list of headings that the reply must
have, or `JSON: worker` for the result of a worker.
"""

from __future__ import annotations

import json
import re

from .state import listing, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STATUSES = ("PASS", "FAIL", "PARTIAL")
WORKER = "JSON: worker"
SECTION = "validate_prompt"
_TODO = re.compile(r"TODO[ -]\d+")
_FENCE = re.compile(r"^[ \t]*```(?:json|JSON)?[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^[-*] +(.+?) *$")
_HEADING = re.compile(r"^ {0,3}#{1,6} +(.+?)[ #:]*$", re.MULTILINE)
_BOLD = re.compile(r"^ {0,3}(?:\d+[.)] +|[-*] +)?\*\*(.+?):?\*\*:?", re.MULTILINE)
_NUMBER = re.compile(r"^(?:\d+[.)]|[A-Z][.)]) +")

_LISTS = ("learnings", "issues", "decisions")
_KEYS = ("todo_id", "status", "outputs", "acceptance_criteria", *_LISTS)
_CRITERION = ("id", "category", "command", "expected_exit", "actual_exit", "status", "output_snippet")


def wanted(definition: str) -> list[str] | None:
    """What an agent's definition asks of its replies; None when it has no such section, or an empty one."""
    items: list[str] = []
    inside = False
    for line in _body(definition).splitlines():
        if line.startswith("#"):
            inside = line.strip("# \t").strip("`") == SECTION
        elif inside and (item := _ITEM.match(line.strip())):
            items.append(item[1].strip("`* "))
    return items or None


def nothing_wanted(name: str, definition: str) -> str:
    """Why a definition's replies cannot be judged; "" when they can."""
    if wanted(definition) is not None:
        return ""
    near = re.search(r"validat\w*[ _-]?prompts?", definition, re.IGNORECASE)
    spelt = f" (it says `{near[0]}`)" if near and near[0] != SECTION else ""
    return f"{name} has no list under `## {SECTION}`{spelt}: its replies are not judged"


def problems(definition: str, reply: str) -> list[str]:
    """Everything that is wrong with a reply, in words for whoever has to mend it."""
    items = wanted(definition) or []
    if WORKER in items:
        return worker_problems(reply)
    there = headings(reply)
    return [f"the section `{item}` is missing" for item in items if plain(item) not in there]


def headings(reply: str) -> set[str]:
    """Sections as agents write them: `## Title`, `**Title**`, numbered or not."""
    return {plain(found) for pattern in (_HEADING, _BOLD) for found in pattern.findall(reply)}


def worker_problems(reply: str) -> list[str]:
    value, problem = worker_result(reply)
    return [problem] if value is None else _wrong(value)


def worker_result(reply: str) -> tuple[dict[str, Any] | None, str]:
    """The one JSON object of a reply, and why there is none."""
    said = "the reply is not the JSON object of a worker's result"
    for text in (*reversed(_FENCE.findall(reply)), reply, reply[reply.find("{") : reply.rfind("}") + 1]):
        try:
            value: Any = json.loads(text)
        except ValueError as error:
            if text.strip().startswith("{"):
                said = f"the JSON cannot be read: {error}"
            continue
        except RecursionError:
            continue
        if isinstance(value, dict):
            return mapping(value), ""
    return None, said


def _wrong(value: dict[str, Any]) -> list[str]:
    found = [f"`{key}` is missing" for key in _KEYS if key not in value]
    todo = value.get("todo_id", "TODO-1")
    if not isinstance(todo, str) or not _TODO.fullmatch(todo):
        found.append("`todo_id` is like `TODO-1`")
    if "status" in value and value["status"] not in STATUSES:
        found.append(f"`status` is one of {', '.join(STATUSES)}")
    found += _outputs_wrong(value["outputs"]) if "outputs" in value else []
    if not isinstance(value.get("acceptance_criteria", []), list):
        found.append("`acceptance_criteria` is a list")
    for number, criterion in enumerate(listing(value.get("acceptance_criteria"))):
        found += _criterion_wrong(f"acceptance_criteria[{number}]", criterion)
    return found + [f"`{key}` is a list of texts" for key in _LISTS if key in value and not _texts(value[key])]


def _outputs_wrong(outputs: Any) -> list[str]:
    if not isinstance(outputs, dict):
        return ["`outputs` is an object"]
    found = [f"`outputs.{key}` is missing" for key in ("files_changed", "summary") if key not in outputs]
    if "files_changed" in outputs and not _texts(outputs["files_changed"]):
        found.append("`outputs.files_changed` is a list of paths")
    if "summary" in outputs and not isinstance(outputs["summary"], str):
        found.append("`outputs.summary` is a text")
    return found


def _criterion_wrong(where: str, criterion: Any) -> list[str]:
    if not isinstance(criterion, dict):
        return [f"`{where}` is an object"]
    value = mapping(criterion)
    found = [f"`{where}.{key}` is missing" for key in _CRITERION if key not in value]
    found += [
        f"`{where}.{key}` is a text" for key in ("id", "category", "command", "output_snippet") if not _is(value, key)
    ]
    for key in ("expected_exit", "actual_exit"):
        if key in value and (not isinstance(value[key], int) or isinstance(value[key], bool)):
            found.append(f"`{where}.{key}` is a number")
    if "status" in value and value["status"] not in STATUSES:
        found.append(f"`{where}.status` is one of {', '.join(STATUSES)}")
    return found


def _is(value: dict[str, Any], key: str) -> bool:
    return key not in value or isinstance(value[key], str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in listing(value))


def plain(heading: str) -> str:
    return re.sub(r"[^\w]+", " ", _NUMBER.sub("", heading.strip("`* "))).strip().lower()


def _body(definition: str) -> str:
    """Without the frontmatter."""
    if definition.startswith("---"):
        end = definition.find("\n---", 3)
        return definition[end + 4 :] if end > 0 else definition
    return definition
