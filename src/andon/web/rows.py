"""Rows of pages. One that cannot be read, or that a template cannot show, stands there as that, with its id.

Templates say `{% call guarded(each, "id") %}…{% endcall %}` around whatever they show of one row of many.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from markupsafe import Markup

from andon.domain.unreadable import Unreadable, read
from andon.web.words import Say

ELEMENTS = {
    "div": '<div class="task unreadable" data-row>{}</div>',
    "li": '<li class="unreadable">{}</li>',
    "tr": '<tr class="unreadable"><td colspan="20">{}</td></tr>',
}
WORDS = '<span class="ti"><b class="mono">{id}</b><small>{cannot} {problem}</small></span>'


class Guarded:
    """For one reader: what `guarded` is in templates."""

    def __init__(self, say: Say) -> None:
        self._cannot = say("cannot be read:")

    def __call__(
        self, each: object, id: str, element: str = "div", beside: str = "", *, caller: Callable[[], str]
    ) -> str:
        """What the template shows of a row; `id` is the way to its name, such as `run.id`. `beside` stands beside what
        cannot be read: a form that does away with it."""
        found = each if isinstance(each, Unreadable) else read(_named(each, id), caller)
        if not isinstance(found, Unreadable):
            return found
        words = Markup(WORDS).format(id=found.id, cannot=self._cannot, problem=found.problem)
        return Markup(ELEMENTS[element]).format(words + beside)


def _named(each: object, id: str) -> str:
    found = read("?", lambda: attrgetter(id)(each))
    return found.id if isinstance(found, Unreadable) else str(found)
