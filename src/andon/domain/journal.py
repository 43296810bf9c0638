"""The append-only story of a run: one entry type, and the closed set of its kinds (E-09).

The kinds are the words screens, `andon logs --kind` and tests use; docs/reference/journal.md is this table for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_PLACE = re.compile(r"(\d+)\.(\d+)")

KINDS: Mapping[str, str] = {
    # the run
    "run_started": "A leg of the run begins: the first, or another one after a resume.",
    "resumed": "Where a later leg goes on, and in which mode.",
    "phase_entered": "A phase begins; what has been spent until then.",
    "phase_left": "A phase has ended; what has been spent until then.",
    "score": "The five points of complexity, their total and the mode that follows.",
    "forecast": "`--dry-run`: the orders a run would hand out, and what it would use up.",
    "promoted": "The mode rises: from which to which, and why.",
    "run_ended": "How the leg ended, in a word and in a sentence; what has been spent.",
    # a task's phases
    "step_started": "A task's agent is at the first step of its phase that is not done; how many are.",
    "step_ended": "What a step of a phase is to leave lies there; how many of the phase's steps are done.",
    "document_created": "An agent has written a document of its phase.",
    "phase_verified": "What was measured and judged of a phase of a task, criterion by criterion.",
    "rework": "A phase did not pass its verification; its agent is told why, for which time.",
    "review_reminded": "A review has waited too long: which stage, what was done about it, who is told.",
    "review_assigned": "Another reviewer is named for a review that waits: who, and by whom.",
    "review_decided": "A person has decided about a phase: approved, or what is to be changed; or time has.",
    "checkpoint": "Where a task stands, and why that is kept now: phase, step, progress, sessions, tokens, the tree.",
    # a conversation
    "turn": "Something is said in a conversation: by the person, or the agent's answer with its quality score.",
    "feedback": "A person rates a conversation's last answer from 1 to 5.",
    "conversation_ended": "A person ended the conversation; a later message goes on with it.",
    # the team
    "team_created": "The run's team exists, and the options it works with.",
    "task_created": "A task is on the list: a teammate's, or a to-do for people that was found in mail.",
    "spawn": "A teammate starts, or a successor takes its place: role, model, what it may write, the whole prompt.",
    "message": "Something is said to a teammate: recipient and content. The answer to its question comes this way too.",
    "result": "What came of a teammate's task: outcome, reply, what it used up, and the files as it left them.",
    "task_update": "The task is completed, failed or stopped; of a stopped one also what it used up.",
    "shutdown_request": "The recipient's work is over.",
    "team_deleted": "The team is gone.",
    # what goes wrong with a teammate
    "teammate_failed": "A teammate crashed, hung or was lost; a successor gets the same task.",
    "reply_misread": "A reply could not be read and is asked for again.",
    "violation": "A teammate tried what it may not.",
    "scope_refused": "A teammate wrote where it may not; all it wrote was put back.",
    "secret_hidden": "A document held a secret, and its value was hidden: file and line, what it was, who wrote it.",
    "rate_limited": "The agent's provider wants a pause; when it goes on.",
    # the world outside
    "call": "Slack or Gmail was asked: which of them, the words, and the problem if there was one.",
    "context_gathered": "What an option read outside is in a file; its text, where that is all that was asked for.",
    "reply_draft": "A reply to a mail, as a draft. Nothing is sent.",
    # planning
    "plan_rerequested": "The plan lacks something and is asked for once more.",
    "plan_approved": "The plan stands; which goals will be measured.",
    "issue_linked": "An issue was told where the plan is.",
    "issue_created": "An issue was made for the plan.",
    "design_rerequested": "The design lacks something and is asked for once more.",
    "plan_forced": "The last round of critic and planner is used up; the plan goes on with a warning in it.",
    # uam
    "phase_changed": "UAM: the pipeline's phase in .uam/state.json, and the one before.",
    "todo": "UAM: a box of PLAN.md was set: done, or failed.",
    "todo_added": "UAM: a worker's discovery became one more TODO.",
    "reconciliation": "UAM: a TODO's commands do not pass; a new worker goes on with it.",
    "discovery": "UAM: what a worker found out, the pivot points it meets, and what becomes of it.",
    "gate": "UAM: a quality gate was evaluated: passed or not, the pass rate, and what failed.",
    "fix_loop": "UAM: a fix loop begins: the strategy, and whether the pass rates converge.",
    "fix_loop_ended": "UAM: a fix loop has ended: files it changed, why it was given up, or that it was broken off.",
    "attempt": "UAM: an attempt at a bug, and what was measured then.",
    # a team of `andon team run`
    "unit": "Team: a unit is begun, done or has failed: whose it is, after how many rounds, and why.",
    "ralph": "Team: one round of the review loop: scores, SHIP or REVISE, what is to be mended, why the loop ends.",
    "escalated": "Team: a member cannot go on by itself; a person is asked.",
    # measuring and judging
    "iteration": "An implementation was measured: which conditions it does not meet yet.",
    "claim_refused": "A teammate claimed to be done, and what andon measured or found says otherwise.",
    "diagnosis": "Why a check fails, how to mend it, and which kind of agent does.",
    "environment_prepared": "What checks run with is there; or what was in the way, and what helps.",
    "check_at_base": "One goal was measured on the base: what fails there too is not the change's doing.",
    "check": "One goal was measured: verdict, command, files, the end of what it printed.",
    "verification": "andon verified the work by itself: verdict, findings with place, and what the plan declares.",
    "verdict": "A judge approved or rejected, and why.",
    "open_finding": "What still stands against the work at the end of the leg: its id, its kind, and in words.",
    # what is remembered
    "recalled": "What earlier runs taught that is to the point: each learning with its run, its day and its verdict.",
    "remembered": "What later runs will be told of this one: how many learnings, the verdict, the texts.",
    # files
    "branched": "A parallel worker has a folder of its own, and what it may change there.",
    "merged": "The work of parallel workers came together in this order; whose was left, and the paths in conflict.",
    "file_written": "andon itself wrote a document.",
    "part_committed": "One commit of the work; it reaches the run's branch when all of it has its verdict.",
    "committed": "The work is a commit on the run's branch.",
    "worktree_removed": "The folder the run worked in is removed.",
    # people
    "directed": "What a person said when they resumed the run, for the next teammate that plans or writes code.",
    "taken_over": "A person worked on the run's files: who, which paths, and the files as they left them.",
    "accepted": "A person accepts an open finding: which, who, and why. The ledger has it too.",
    "closed": "A person ended the run for good: who, and what was removed.",
    "reopened": "A person took that back.",
    "hold_opened": "A person is asked; the run waits.",
    "hold_kept": "A person asked the run to wait for their answer: its default is not taken.",
    "hold_answered": "The answer, and who gave it; `timeout` when the default was taken.",
    "notice": "Something worth a line.",
    "warning": "Something did not go as it should; the run goes on without it.",
    "user_notified": "Something a person should know now.",
    "budget_warning": "Four fifths of a budget are used up.",
    "bug": "andon itself failed; with the traceback.",
}
"""What an entry can be about. Nothing else is written; what another version wrote is still read and shown."""


@dataclass(frozen=True, slots=True)
class Entry:
    run: str
    seq: int
    """1, 2, 3 … within the run, without holes."""
    at: float
    kind: str
    """One of KINDS, unless another version wrote it."""
    phase: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    """What makes it unique under replay; begins with the leg and step that wrote it: "1.7/spawn.1"."""

    @property
    def place(self) -> tuple[int, int]:
        """(leg, step) that wrote the entry; (0, 0) for what was written before the first step."""
        found = _PLACE.match(self.key)
        return (int(found[1]), int(found[2])) if found else (0, 0)
