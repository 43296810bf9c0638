"""Starts the agent of the `api` runtime: `python -I -m andon.runtimes.api_agent ORDER.json`, inside the sandbox."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    # Packages of providers define thousands of classes; collecting garbage among them is a third of the start.
    gc.disable()
    from andon.runtimes.api_work import work

    gc.enable()
    gc.freeze()
    work(sys.argv[1])


if __name__ == "__main__":
    main()
