"""`andon serve --link` names the server that runs, and notices lead to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx


def link(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    said = [sys.executable, "-m", "andon", "serve", "--link", *words]
    return subprocess.run(said, env=environment, capture_output=True, text=True, timeout=60)


def test_a_link_opens_the_server_that_runs_and_says_so_where_none_does(tmp_path: Path) -> None:
    environment = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    before = link(environment)
    server = [sys.executable, "-m", "andon", "serve", "--port", "0"]
    process = subprocess.Popen(server, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        printed = link(environment, "--role", "viewer")
        opened = httpx.get(printed.stdout.strip())
    finally:
        process.kill()
        process.wait(20)
    after = link(environment)

    assert printed.stdout.startswith(f"{found[0]}/login?token=")
    assert opened.status_code == 303 and opened.headers["location"] == "/"
    for none in (before, after):
        assert none.returncode != 0 and "No server runs over this data folder" in none.stderr
