"""The actions a scenario can script: their keys, their limits and the words that explain them.

Owns the shape of one `do:` entry. Carrying an action out is the player's business, never this module's.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from andon.domain.order import Usage


def problem(reason: str, *at: str | int) -> PydanticCustomError:
    """A mistake in a scenario; `at` leads from the value being validated to the key to point at."""
    return PydanticCustomError("scenario", "{reason}", {"reason": reason, "at": list(at)})


def nearest(name: str, known: list[str]) -> str:
    """The end of a message about an unknown name."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"known are {', '.join(f'`{each}`' for each in known)}"


class Part(BaseModel):
    """A mapping in a scenario file: immutable, nothing converted, no key that is not documented."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=True)

    called: ClassVar[str] = "this"
    """What messages call such a mapping."""

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, value: object) -> object:
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise problem(f"{cls.called} is a mapping of keys to values, not {_kind(value)}")
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in cast(Mapping[str, object], value):
            if key not in known:
                raise problem(f"{cls.called} has no key `{key}`; {nearest(str(key), known)}", key)
        return cast(object, value)


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list | tuple) else "a single value"


Count = Annotated[int, Field(ge=0, le=10**15)]
Bytes = Annotated[int, Field(ge=0, le=2**40)]
Seconds = Annotated[float, Field(ge=0, le=10**9)]
Path = Annotated[str, Field(min_length=1, description="Relative to the agent's working folder, or absolute.")]
OrFail = Annotated[
    bool, Field(description="When it fails, the agent gives up and the order ends as refused. Otherwise it goes on.")
]


def _as_command(value: object) -> object:
    """Text is for a shell, a list is a program and its arguments."""
    if isinstance(value, str):
        return ("/bin/sh", "-c", value)
    return tuple(cast(list[object], value)) if isinstance(value, list) else value


def as_tuple(value: object) -> object:
    return tuple(cast(list[object], value)) if isinstance(value, list) else value


def _is_base64(value: str | None) -> str | None:
    try:
        a2b_base64("".join((value or "").split()), strict_mode=True)
    except ValueError as wrong:
        raise problem(f"not base64: {wrong}") from None
    return value


class Write(Part):
    """Create or replace a file or a link; missing folders are made."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [each]} for each in ("text", "base64", "link")]}
    )

    called = "`write`"
    path: Path
    text: Annotated[str | None, Field(description="The whole content, written as UTF-8.")] = None
    base64: Annotated[
        str | None, AfterValidator(_is_base64), Field(description="The whole content, where it is no text.")
    ] = None
    link: Annotated[str | None, Field(min_length=1, description="Make a symbolic link that leads there.")] = None
    executable: Annotated[bool | None, Field(description="Whether it is a program. Otherwise that stays as it is.")] = (
        None
    )
    or_fail: OrFail = False

    @model_validator(mode="after")
    def _one_content(self) -> Write:
        if sum(each is not None for each in (self.text, self.base64, self.link)) != 1:
            raise problem("`write` has one of `text`, `base64` and `link`")
        if self.link is not None and self.executable is not None:
            raise problem("a link is no program; what it leads to may be one", "executable")
        return self


class Edit(Part):
    """Replace a text that occurs exactly once in a file."""

    called = "`edit`"
    path: Path
    old: Annotated[str, Field(min_length=1, description="Must occur exactly once.")]
    new: str
    or_fail: OrFail = False


class Delete(Part):
    """Remove a file, or a folder with everything in it."""

    called = "`delete`"
    path: Path
    or_fail: OrFail = False


class Move(Part):
    """Rename a file or folder; missing folders are made."""

    called = "`move`"
    source: Path = Field(alias="from")
    target: Path = Field(alias="to")
    or_fail: OrFail = False


class Run(Part):
    """Run a command and wait for it. Its output goes into the event, not to the agent's own output."""

    called = "`run`"
    command: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_command, json_schema_input_type=str | list[str]),
        Field(min_length=1, description="Text is given to `/bin/sh -c`; a list is a program and its arguments."),
    ]
    expect: Annotated[int, Field(ge=0, le=255, description="The exit code that counts as success.")] = 0
    or_fail: OrFail = False


class Sleep(Part):
    """Do nothing for a while."""

    called = "`sleep`"
    seconds: Seconds


class Ask(Part):
    """Put a question to a person. The order ends as asked; the answer goes on with the next action."""

    called = "`ask`"
    question: Annotated[str, Field(min_length=1)]
    options: Annotated[
        tuple[str, ...], BeforeValidator(as_tuple, json_schema_input_type=list[str]), Field(description="The choices.")
    ] = ()
    default: Annotated[str | None, Field(description="Taken when nobody answers in time.")] = None
    timeout: Annotated[Seconds | None, Field(description="Seconds until the default is taken.")] = None
    category: Annotated[str, Field(min_length=1)] = "question"

    @model_validator(mode="after")
    def _default_fits(self) -> Ask:
        if self.default is not None and self.options and self.default not in self.options:
            raise problem(f"the default `{self.default}` is not one of the options", "default")
        if self.timeout is not None and self.default is None:
            raise problem("a timeout needs a `default` to take when it is over", "timeout")
        return self


class Emit(Part):
    """Print one line of the author's making: an event, or a line that is none."""

    called = "`emit`"
    line: Annotated[str | None, Field(description="Printed as it stands, with a line end.")] = None
    event: Annotated[dict[str, Any] | None, Field(description="Printed as one line of JSON.")] = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Emit:
        if (self.line is None) == (self.event is None):
            raise problem("`emit` has either a `line` or an `event`")
        return self


class Spend(Part):
    """What the agent used up."""

    called = "`usage`"
    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    money: Annotated[float, Field(ge=0, le=10**9, description="US dollars.")] = 0.0
    estimated: Annotated[float, Field(ge=0, le=10**9, description="Of this money, what was estimated.")] = 0.0
    unpriced: Annotated[Count, Field(description="Tokens whose price nobody knows.")] = 0

    @property
    def usage(self) -> Usage:
        counts = (self.input_tokens, self.output_tokens, self.cached_tokens)
        return Usage(*counts, float(self.money), float(self.estimated), self.unpriced)


class RateLimit(Part):
    """End the order as rate-limited."""

    called = "`rate_limit`"
    resets_in: Annotated[Seconds | None, Field(description="Seconds from now until the limit ends.")] = None


class Crash(Part):
    """End the agent at once, by an exit code (1 unless told), by a signal, or in its own words."""

    called = "`crash`"
    code: Annotated[int | None, Field(ge=1, le=255)] = None
    signal: Literal["ABRT", "BUS", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "QUIT", "SEGV", "TERM"] | None = None
    reason: Annotated[str | None, Field(description="The agent itself says that it failed, and why.")] = None

    @model_validator(mode="after")
    def _one_way(self) -> Crash:
        given = [key for key in ("code", "signal", "reason") if getattr(self, key) is not None]
        if len(given) > 1:
            raise problem("`crash` has one of `code`, `signal` and `reason`", given[1])
        return self


class Limit(Part):
    """End the order at a limit, at once: of time, of turns, of money."""

    called = "`limit`"
    reason: str = "used more than it may"


class Hang(Part):
    """Never end."""

    called = "`hang`"
    ignore_signals: Annotated[bool, Field(description="Only KILL ends it.")] = False
    spawn: Annotated[
        int, Field(ge=0, le=64, description="Processes it leaves behind, each in a session of its own.")
    ] = 0


class Garbage(Part):
    """Print bytes that mean nothing instead of a reply, and end."""

    called = "`garbage`"
    bytes: Bytes = 1024
    invalid_utf8: Annotated[bool, Field(description="Print bytes that are not text in any encoding of ours.")] = False


class Print(Part):
    """Print a great many bytes, cheaply, and go on."""

    called = "`print`"
    bytes: Bytes
    to: Literal["stdout", "stderr"] = "stdout"


class Refuse(Part):
    """Decline the order."""

    called = "`refuse`"
    reason: str = "the agent declined"


class Auth(Part):
    """Report that nobody is signed in."""

    called = "`auth`"
    reason: str = "not signed in"


Action = (
    Write | Edit | Delete | Move | Run | Sleep | Ask | Emit | Spend | RateLimit | Crash | Limit | Hang | Garbage | Print
    | Refuse | Auth
)  # fmt: skip
ENDINGS = (RateLimit, Crash, Limit, Hang, Garbage, Refuse, Auth)
"""Actions after which the agent does nothing more, so that nothing may follow them."""
