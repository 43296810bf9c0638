"""One hook from its event on standard input to its answer on standard output.

Without a pipeline it leaves before anything slow is imported. When something goes wrong, a hook that guards refuses and
every other one passes: a bug of ours must neither let an orchestrator write nor hold up anybody's session.
"""

import posix
import sys

import place

PASS = b'{"continue":true}\n'
REFUSED = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    b'"permissionDecisionReason":"The write guard of UAM failed: `uam check` tells more."}}\n'
)


def run(name: str, *, guards: bool = False, without_state: bool = False) -> None:
    """`name` is the module whose `answer(event, project)` decides; None passes. Ends the process."""
    status, said = 0, PASS
    try:
        project, stateful = place.project()
        if stateful or without_state:
            said = _answer(name, project, stateful)
    except BaseException as error:
        print(f"uam: {name} failed: {type(error).__name__}: {error}", file=sys.stderr)
        if guards:
            print("Nothing is written until it works again: `uam check` examines, `uam cancel` ends.", file=sys.stderr)
            status, said = 2, REFUSED
    posix.write(1, said)
    # Nothing is left to tidy up, and tidying up costs a tenth of the whole.
    posix._exit(status)  # pyright: ignore[reportPrivateUsage]


def _answer(name: str, project: str, stateful: bool) -> bytes:
    given = sys.stdin.buffer.read()
    if not stateful and b"uam" not in given.lower():
        return PASS
    import reading

    event = reading.loads(given.decode("utf-8", "replace"))
    if not isinstance(event, dict):
        raise ValueError("the event is no JSON object")
    said = __import__(name).answer(event, project)
    if said is None:
        return PASS
    import json

    return json.dumps(said).encode() + b"\n"
