"""What libraries complain about while a run is executed belongs in a file, not between the lines a person reads."""

from __future__ import annotations

import logging
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path


def quiet_logging(path: Path) -> None:
    """Send complaints of asyncio and of threads to a file. A log that cannot be written is not worth a traceback."""
    logging.raiseExceptions = False
    logger = logging.getLogger("asyncio")
    if logger.handlers:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False

    def thread_ended(failure: threading.ExceptHookArgs) -> None:
        name = failure.thread.name if failure.thread else "a thread"
        logger.error("%s ended: %s", name, failure.exc_value, exc_info=failure.exc_value)

    threading.excepthook = thread_ended
