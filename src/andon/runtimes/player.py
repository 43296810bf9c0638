"""The scripted agent: a program of its own that plays one resolved script in the folder it was started in.

Standard library only, started as `python -I -S player.py script.json`; modules that most scripts do not need are
imported where they are needed, so that it starts in some 15 ms. It must not import the package that wrote the script.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # `typing` would double the start-up time.
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Step = dict[str, Any]

KEPT_OF_OUTPUT = 4000
CHUNK = 64 * 1024


def put(data: bytes, to: int = 1) -> None:
    while data:
        data = data[os.write(to, data) :]


def say(kind: str, **fields: object) -> None:
    put(json.dumps({"type": kind, **fields}, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def make_folder_for(path: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)


# Tools: what an agent tries and may fail at. Each returns what its event says beyond the action and its target.


def write(step: Step) -> Step:
    path, executable = step["path"], step["executable"]
    make_folder_for(path)
    if step["link"] is not None:
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(step["link"], path)
        return {}
    with open(path, "wb") as file:
        file.write(content(step))
    if executable is not None:
        mode = os.stat(path).st_mode & 0o777
        os.chmod(path, mode | 0o111 if executable else mode & ~0o111)
    return {}


def content(step: Step) -> bytes:
    if step["base64"] is None:
        return step["text"].encode()
    import binascii

    return binascii.a2b_base64(step["base64"])


def edit(step: Step) -> Step:
    with open(step["path"], "rb") as file:
        text = file.read()
    old, new = step["old"].encode(), step["new"].encode()
    if (count := text.count(old)) != 1:
        raise ValueError(f"the text to replace occurs {count} times, not once: {step['old'][:80]!r}")
    with open(step["path"], "wb") as file:
        file.write(text.replace(old, new))
    return {}


def delete(step: Step) -> Step:
    path = step["path"]
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path)
    else:
        os.unlink(path)
    return {}


def move(step: Step) -> Step:
    make_folder_for(step["to"])
    os.rename(step["from"], step["to"])
    return {}


def run(step: Step) -> Step:
    import subprocess

    tail = b""
    with subprocess.Popen(
        step["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        while data := os.read(process.stdout.fileno(), CHUNK):
            tail = (tail + data)[-KEPT_OF_OUTPUT:]
        code = process.wait()
    found: Step = {"code": code, "output": tail.decode("utf-8", "replace")}
    if code != step["expect"]:
        found["error"] = f"exit code {code}, expected {step['expect']}"
    return found


def target(step: Step) -> str:
    if step["action"] == "run":
        return " ".join(step["command"][2:] if step["command"][:2] == ["/bin/sh", "-c"] else step["command"])
    return f"{step['from']} → {step['to']}" if step["action"] == "move" else step["path"]


def use(tool: Callable[[Step], Step], step: Step) -> None:
    try:
        found = tool(step)
    except (OSError, ValueError) as wrong:
        found = {"error": str(wrong)}
    say("tool", tool=step["action"], target=target(step), ok="error" not in found, **found)
    if "error" in found and step["or_fail"]:
        end("refused", reason=f"{step['action']} {target(step)}: {found['error']}")


# Everything else an agent can do, or do wrong.


def end(kind: str, **fields: object) -> NoReturn:
    say(kind, **fields)
    sys.exit(0)


def sleep(step: Step) -> None:
    import time

    time.sleep(step["seconds"])


def ask(step: Step) -> None:
    end("ask", **{key: value for key, value in step.items() if key != "action"})


def emit(step: Step) -> None:
    if step["line"] is not None:
        put(step["line"].encode() + b"\n")
    else:
        put(json.dumps(step["event"], ensure_ascii=False).encode() + b"\n")


def usage(step: Step) -> None:
    say("usage", **{key: value for key, value in step.items() if key != "action"})


def rate_limit(step: Step) -> None:
    import time

    end("rate_limit", resets_at=None if step["resets_in"] is None else time.time() + step["resets_in"])


def limit(step: Step) -> None:
    end("exceeded", reason=step["reason"])


def crash(step: Step) -> None:
    if step["reason"] is not None:
        end("failed", reason=step["reason"])
    if step["signal"] is None:
        os._exit(step["code"] or 1)
    import resource
    import signal

    number = signal.Signals["SIG" + step["signal"]]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number is not signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # Process 1 of a PID namespace survives its own signals.


def hang(step: Step) -> None:
    import signal

    if step["ignore_signals"]:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:
                continue  # The C library keeps some for itself.
    pids = [daemon() for _ in range(step["spawn"])]
    say("tool", tool="hang", target="", ok=True, pids=pids)
    wait_for_ever()


def daemon() -> int:
    """Start a process that belongs to no session or parent of ours, and that keeps our output open."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writer, str(os.getpid()).encode())
            os.close(writer)
            wait_for_ever()
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    pid = int(os.read(reader, 32))
    os.close(reader)
    return pid


def wait_for_ever() -> NoReturn:
    import time

    while True:
        time.sleep(3600)


def garbage(step: Step) -> None:
    pattern = bytes(range(128, 256)) if step["invalid_utf8"] else b'}{"type": reply, \x1b[31m ]]> ok done \n'
    flood(step["bytes"], (pattern * (CHUNK // len(pattern) + 1))[:CHUNK], 1)
    sys.exit(0)


def print_much(step: Step) -> None:
    flood(step["bytes"], b"x" * (CHUNK - 1) + b"\n", 1 if step["to"] == "stdout" else 2)
    put(b"\n", 1 if step["to"] == "stdout" else 2)


def flood(size: int, chunk: bytes, to: int) -> None:
    while size > 0:
        put(chunk[:size], to)
        size -= len(chunk)


def refuse(step: Step) -> None:
    end("refused", reason=step["reason"])


def auth(step: Step) -> None:
    end("unauthenticated", reason=step["reason"])


TOOLS: dict[str, Callable[[Step], Step]] = {
    "write": write,
    "edit": edit,
    "delete": delete,
    "move": move,
    "run": run,
}
OTHERS: dict[str, Callable[[Step], None]] = {
    "sleep": sleep,
    "ask": ask,
    "emit": emit,
    "usage": usage,
    "rate_limit": rate_limit,
    "crash": crash,
    "limit": limit,
    "hang": hang,
    "garbage": garbage,
    "print": print_much,
    "refuse": refuse,
    "auth": auth,
}


def main(script_path: str) -> None:
    with open(script_path, "rb") as file:
        script = json.load(file)
    for step in script["steps"]:
        if step["action"] in TOOLS:
            use(TOOLS[step["action"]], step)
        else:
            OTHERS[step["action"]](step)
    say("reply", text=script["reply"])


if __name__ == "__main__":
    main(sys.argv[1])
