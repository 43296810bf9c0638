"""Which files of a checkout are andon's own: documents it writes about the work, and state that is no part of it."""

from __future__ import annotations

from andon.domain.auto.artefacts import AUTO_DOCUMENTS, SCRATCH, STATUS_PATH
from andon.domain.teams.bulletin import ELSEWHERE as TEAM_FOLDER
from andon.domain.teams.bulletin import FOLDER as TEAM_OS_FOLDER
from andon.domain.uam.artefacts import FOLDER, LEARNINGS

DOCUMENT_FOLDERS = (*AUTO_DOCUMENTS, LEARNINGS)
"""Told in commits, and not what is judged by a verdict."""
REMEMBERED = (*SCRATCH, FOLDER, TEAM_FOLDER, TEAM_OS_FOLDER)
"""Outlives a run in the person's checkout, and is read there, with what they and others wrote."""
STATE_FILES = (STATUS_PATH, *REMEMBERED)
"""Kept out of snapshots and commits."""
