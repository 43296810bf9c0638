"""The program in a pane: becomes the command that a file names, and takes the file away. Standard library only.

So neither tmux nor a shell reads a word of that command, and no variable of it stands on a command line.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(words: list[str]) -> None:
    file = Path(words[1])
    try:
        told = json.loads(file.read_bytes())
        file.unlink()
    except (OSError, ValueError):
        sys.exit("What this pane showed is over. `andon logs` has it.")
    os.chdir(told["folder"])
    os.execvpe(told["words"][0], told["words"], {**os.environ, **told["environment"]})


if __name__ == "__main__":
    main(sys.argv)
