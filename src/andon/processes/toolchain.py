"""What a program installed outside the system's folders needs to read: its own prefix, through every symlink to it.

Names paths for sandboxes and opens none of them. Nothing it names holds a person's own things.
"""

from __future__ import annotations

from pathlib import Path

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_KEPT_PRIVATE = (".local", ".local/share", ".local/state", ".config", ".cache", ".ssh", ".gnupg")


def readable_for(program: str | Path, *needs: Path, home: Path | None = None) -> tuple[str, ...]:
    """The prefixes (folder above bin) of a program and of whatever its symlinks lead to; nothing for system programs.

    A Python environment names its base in pyvenv.cfg, which is followed too. Where the prefix would be a person's
    own folder (~/bin/tool, ~/.local/bin/tool) only the file itself is named. `needs` are further folders that it
    cannot start without, such as its standard library; they are named unless they are a person's own.
    """
    home = home or person_home()
    found: list[str] = []
    waiting = [Path(program)]
    while waiting:
        path = waiting.pop()
        if path.is_symlink():
            waiting.append(_one_step(path))
        elif _in_system_folders(path.resolve()):
            continue
        prefix = path.parent.parent if path.parent.name in ("bin", "sbin") else path.parent
        shown = path if belongs_to_a_person(prefix, home) else prefix
        if not _in_system_folders(shown) and str(shown) not in found:
            found.append(str(shown))
            waiting += _base_interpreter(prefix)
    further = (str(path) for path in needs if not _in_system_folders(path) and not belongs_to_a_person(path, home))
    return tuple(dict.fromkeys((*found, *further)))


def person_home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # neither HOME nor the table of users knows one
        return None


def belongs_to_a_person(path: Path, home: Path | None) -> bool:
    """Whether showing the whole folder would show things that are none of a program's business."""
    if path in (Path("/"), Path("/opt"), Path("/home")) or path.parent == Path("/home"):
        return True
    return home is not None and (home.is_relative_to(path) or path in [home / name for name in _KEPT_PRIVATE])


def _one_step(link: Path) -> Path:
    target = link.parent.resolve() / link.readlink()
    return target.parent.resolve() / target.name


def _base_interpreter(prefix: Path) -> list[Path]:
    try:
        lines = (prefix / "pyvenv.cfg").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    pairs = (line.partition("=") for line in lines)
    return [Path(value.strip()) / "python3" for key, _, value in pairs if key.strip() == "home"]


def _in_system_folders(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS)
