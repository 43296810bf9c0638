"""The few protocols at which pipelines and adapters meet, by subject. No behaviour lives here."""

from andon.domain.files import Branch, Change, Merged, Part
from andon.ports.agents import Agents, Contract, Needs, Recorder, Runtime, Watch
from andon.ports.checking import ChangeVerifier, Checker, Prepared, Trials
from andon.ports.memory import Memory, TeamMemory
from andon.ports.processes import Bounds, Command, Confinement, Exit, Mount, Sandbox
from andon.ports.run import CallResult, Landed, Lanes, Run
from andon.ports.workspace import Trees, Workspace

__all__ = [
    "Agents",
    "Bounds",
    "Branch",
    "CallResult",
    "Change",
    "ChangeVerifier",
    "Checker",
    "Command",
    "Confinement",
    "Contract",
    "Exit",
    "Landed",
    "Lanes",
    "Memory",
    "Merged",
    "Mount",
    "Needs",
    "Part",
    "Prepared",
    "Recorder",
    "Run",
    "Runtime",
    "Sandbox",
    "TeamMemory",
    "Trees",
    "Trials",
    "Watch",
    "Workspace",
]
