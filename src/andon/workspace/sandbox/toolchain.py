"""What a program installed outside the system root needs to read: its own prefix, through every symlink to it."""

from __future__ import annotations

from pathlib import Path

from andon.workspace.sandbox import system_root


def readable_for(program: str | Path, *, home: Path | None = None) -> tuple[str, ...]:
    """The prefixes (folder above bin) of a program and of whatever its symlinks lead to; nothing for system programs.

    A Python environment names its base in pyvenv.cfg, which is followed too. Where the prefix would be a person's
    own folder (~/bin/tool, ~/.local/bin/tool) only the file itself is named.
    """
    home = home or Path.home()
    found: list[str] = []
    waiting = [Path(program)]
    while waiting:
        path = waiting.pop()
        if path.is_symlink():
            waiting.append(_one_step(path))
        elif _in_system_root(path.resolve()):
            continue
        prefix = path.parent.parent if path.parent.name in ("bin", "sbin") else path.parent
        shown = path if _belongs_to_a_person(prefix, home) else prefix
        if not _in_system_root(shown) and str(shown) not in found:
            found.append(str(shown))
            waiting += _base_interpreter(prefix)
    return tuple(found)


def _one_step(link: Path) -> Path:
    target = link.parent.resolve() / link.readlink()
    return target.parent.resolve() / target.name


def _belongs_to_a_person(prefix: Path, home: Path) -> bool:
    kept_private = (home / ".local", home / ".local/share", home / ".config")
    return home.is_relative_to(prefix) or prefix in kept_private or prefix == Path("/opt")


def _base_interpreter(prefix: Path) -> list[Path]:
    try:
        lines = (prefix / "pyvenv.cfg").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    pairs = (line.partition("=") for line in lines)
    return [Path(value.strip()) / "python3" for key, _, value in pairs if key.strip() == "home"]


def _in_system_root(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in system_root.FOLDERS)
