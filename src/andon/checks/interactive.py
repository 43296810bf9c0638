"""Goal 6: a command of the person's choice, driven through a real terminal by tmux, its screen kept as evidence.

Plans one command; tmux gets a socket folder of its own, so that it never meets a person's sessions.
"""

from __future__ import annotations

from andon.checks.goal_parts import not_measured, not_needed, runs
from andon.checks.machine import Machine
from andon.domain.goal import Goal

SECONDS = 300
"""How long the command may take before its screen is all there is to tell."""
NOT_ENDED = 124
NO_TERMINAL = 125
LONGEST = 2000
"""What is typed ahead into a terminal is cut at 4096 bytes."""

# The pane's program reads what is typed, does it with the terminal as its own, and says how that ended: no prompt has
# to be recognised. A status that is not there in time is never taken for a good one.
SCRIPT = """\
command=$1 seconds=$2
unset TMUX
QA=$(mktemp -d) || exit 125
export QA TMUX_TMPDIR="$QA" TERM=screen
tmux() { command tmux -u -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null; rm -rf "$QA"' EXIT
trap 'exit 143' TERM INT HUP
tmux new-session -d -s qa-test -x 160 -y 50 sh -c '
    IFS= read -r line
    (eval "$line")
    echo $? >"$QA/status"
    tmux wait-for -S ended
    read -r forever' || exit 125
tmux send-keys -t qa-test "$command" Enter || exit 125
timeout "$seconds" tmux -u -f /dev/null wait-for ended
tmux capture-pane -t qa-test -p -S - | sed -e :a -e '/^\\n*$/{$d;N;ba' -e '}'
test -s "$QA/status" || { echo "the command had not ended after $seconds seconds"; exit 124; }
status=$(cat "$QA/status")
exit "$status"
"""


def plan_interactive(asked_for: bool, command: str, machine: Machine, seconds: int = SECONDS) -> Goal:
    if not asked_for:
        return not_needed("interactive", "only with --interactive")
    if not command.strip():
        return not_needed("interactive", "no interactive command is configured")
    if not machine.tmux:
        return not_measured("interactive", "tmux is not installed", "install tmux")
    if problem := _unusable(command):
        return not_measured("interactive", problem, "change the setting interactive_command")
    return runs("interactive", "sh", "-c", SCRIPT, "qa-test", typed(command), str(seconds))


def told(argv: tuple[str, ...]) -> str:
    """A command as people are shown it: of goal 6 what is typed, not the script that types it."""
    return f"tmux send-keys -t qa-test '{argv[4]}' Enter" if argv[2:3] == (SCRIPT,) else " ".join(argv)


def typed(command: str) -> str:
    """As it is handed to tmux, for which a semicolon at the end of a word would begin another command of its own."""
    return command.strip().rstrip(";").rstrip()


def _unusable(command: str) -> str:
    if any(ord(character) < ord(" ") for character in command.strip()):
        return "the interactive command has more than one line, or a control character"
    return "the interactive command is too long for a terminal" if len(command) > LONGEST else ""
