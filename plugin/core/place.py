"""Which project a hook is asked about, and whether it has a pipeline at all.

Every hook loads this at every event, so it imports only what the interpreter has loaded anyway.
"""

import posix

STATE = b"/.uam/state.json"


def project() -> tuple[str, bool]:
    """The project's folder, and whether its state file is there.

    A session may be started below the folder of its pipeline: folders above count as far as the repository goes.
    """
    start = posix.environ.get(b"CLAUDE_PROJECT_DIR") or posix.getcwdb()
    if there(start + STATE):
        return _text(start), True
    folder, found = start, b""
    while not there(folder + b"/.git"):
        above = folder.rpartition(b"/")[0]
        if not above:
            return _text(start), False  # in no repository: nothing above is meant
        folder = above
        found = found or (folder if there(folder + STATE) else b"")
    return _text(found or start), bool(found)


def there(path: bytes) -> bool:
    """What cannot be looked at counts as there: whoever reads it will say why."""
    try:
        posix.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
