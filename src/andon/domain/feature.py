"""The name of a feature, made from the text of a task: it becomes a folder, a file name and a git branch.

Pure and stable: the same task and the same taken names give the same name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from andon.domain.filenames import INVISIBLE, continues_cluster, is_reserved

LONGEST = 40
NAMELESS = "task"


def feature_name(task: str, taken: Collection[str] = ()) -> str:
    """A readable name in the task's own script; `-2`, `-3` … when it is taken (G-25, E-12)."""
    slug = _slug(task) or NAMELESS
    name = _shortened(slug, LONGEST)
    if is_reserved(name):
        name = f"{NAMELESS}-{name}"
    used = {_folded(other) for other in taken}
    candidate, number = name, 2
    while _folded(candidate) in used:
        suffix = f"-{number}"
        candidate = _shortened(name, LONGEST - len(suffix)) + suffix
        number += 1
    return candidate


def branch_name(feature: str) -> str:
    return f"feat/{feature}"


def _slug(task: str) -> str:
    """Letters and digits of any script in lower case, everything else one hyphen."""
    text = _lowered(INVISIBLE.sub("", task))
    kept: list[str] = []
    for character in text:
        if character.isalnum() and not INVISIBLE.match(character):
            kept.append(character)
        elif unicodedata.category(character) in ("Mn", "Mc") and not _is_variation(character):
            # Vowel signs and accents belong to a letter; alone they are nothing.
            if kept and kept[-1] != "-":
                kept.append(character)
        elif kept and kept[-1] != "-":
            kept.append("-")
    return unicodedata.normalize("NFKC", "".join(kept)).strip("-")


def _lowered(text: str) -> str:
    # Lowering can take a string out of its normal form and the other way round; two rounds settle both.
    for _ in range(3):
        text = unicodedata.normalize("NFKC", text).lower()
    return unicodedata.normalize("NFKC", text)


def _is_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef" or character == "\u034f"


def _shortened(slug: str, longest: int) -> str:
    """Cut between words where that leaves at least half, else between what a reader sees as characters."""
    if len(slug) <= longest:
        return slug
    word = slug.rfind("-", longest // 2, longest + 1)
    if word != -1:
        return slug[:word]
    end = longest
    while end > 1 and continues_cluster(slug, end):
        end -= 1
    # One endless cluster has no boundary worth keeping.
    return slug[: end if end > 1 else longest].rstrip("-")


def _folded(name: str) -> str:
    """Equal for names that a case-insensitive or normalising file system takes for the same one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
