"""`andon serve` as a process of its own, told to end while somebody listens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from andon.app.access import Access, Role
from andon.app.home import Home


@pytest.mark.parametrize("path", ["/live?path=/", "/api/events"], ids=["a page", "a program"])
def test_D_121_a_server_that_is_told_to_end_hangs_up_and_says_nothing(tmp_path: Path, path: str) -> None:
    environment = {**os.environ, "ANDON_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    words = [sys.executable, "-m", "andon", "serve", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdout is not None and server.stderr is not None
        base = re.search(r"http://127.0.0.1:\d+", server.stdout.readline())
        assert base is not None
        token = Access(Home.of(environment)).token("ann", Role.VIEWER)
        headers = {"authorization": f"Bearer {token}"}
        with httpx.stream("GET", base[0] + path, headers=headers, timeout=30) as stream:
            assert stream.status_code == 200
            heard = stream.iter_text()
            next(heard)
            server.send_signal(signal.SIGINT)
            list(heard)  # to its end, which is an orderly one

        server.wait(30)
        assert (server.returncode, server.stderr.read().strip()) == (130, "")
