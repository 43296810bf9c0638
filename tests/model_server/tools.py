"""A scenario's actions as calls of the tools that a program offers its model: each program has its own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Any

from andon.runtimes import actions
from andon.runtimes.actions import Action
from model_server.answers import Use

Calls = tuple[Use, ...]


def calls_for(action: Action, folder: str, tools: Collection[str]) -> Calls:
    """None at all: the action is no use of a tool."""
    if not isinstance(action, actions.Write | actions.Edit | actions.Delete | actions.Move | actions.Run):
        return ()
    family = next((each for each in _FAMILIES if each.knows(tools)), None)
    if family is None:
        raise ValueError(f"no known set of tools: {', '.join(sorted(tools))}")
    return family.calls(action, folder)


class _Family:
    """Tools of one program."""

    shell: str
    command = "command"

    def knows(self, tools: Collection[str]) -> bool:
        return self.shell in tools

    def calls(self, action: Action, folder: str) -> Calls:
        match action:
            case actions.Write():
                if action.text is None:
                    raise ValueError("the model server writes text only")
                return self.write(_at(folder, action.path), action.text)
            case actions.Edit():
                return self.edit(_at(folder, action.path), action.old, action.new)
            case actions.Delete():
                return self.run(f"test -e {_quoted(action.path)} && rm -r {_quoted(action.path)}")
            case actions.Move():
                parent = PurePosixPath(action.target).parent
                return self.run(f"mkdir -p {_quoted(parent)} && mv {_quoted(action.source)} {_quoted(action.target)}")
            case actions.Run():
                return self.run(_line(action))
            case _:
                return ()

    def run(self, line: str) -> Calls:
        return (Use(self.shell, {self.command: line}),)

    def write(self, path: str, text: str) -> Calls:
        raise NotImplementedError

    def edit(self, path: str, old: str, new: str) -> Calls:
        raise NotImplementedError


class _Claude(_Family):
    shell = "Bash"

    def knows(self, tools: Collection[str]) -> bool:
        return "Read" in tools

    def run(self, line: str) -> Calls:
        return (Use("Bash", {"command": line, "description": "As the scenario says"}),)

    def write(self, path: str, text: str) -> Calls:
        return (Use("Read", {"file_path": path}), Use("Write", {"file_path": path, "content": text}))

    def edit(self, path: str, old: str, new: str) -> Calls:
        return (
            Use("Read", {"file_path": path}),
            Use("Edit", {"file_path": path, "old_string": old, "new_string": new}),
        )


class _Codex(_Family):
    shell, command = "exec_command", "cmd"

    def write(self, path: str, text: str) -> Calls:
        lines = "".join(f"+{line}\n" for line in text.split("\n")[: -1 if text.endswith("\n") else None])
        if text.endswith("\n") and text.strip("\n"):
            return (Use("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"),)
        folder = _quoted(PurePosixPath(path).parent)
        return self.run(f"mkdir -p {folder} && printf %s {_quoted(text)} > {_quoted(path)}")

    def edit(self, path: str, old: str, new: str) -> Calls:
        return self.run(_replaced(path, old, new))


class _CodexScript(_Codex):
    """The newest models have one tool, a script that calls the others."""

    shell = "exec"

    def run(self, line: str) -> Calls:
        called = f"await tools.exec_command({json.dumps({'cmd': line})})"
        return (Use("exec", f"const done = {called};\ntext(done.output);\ntext(`Exit code: ${{done.exit_code}}`);"),)

    def write(self, path: str, text: str) -> Calls:
        return tuple(self._patched(use) for use in super().write(path, text))

    def _patched(self, use: Use) -> Use:
        if use.tool != "apply_patch":
            return use
        return Use("exec", f"text(JSON.stringify(await tools.apply_patch({json.dumps(use.arguments)})));")


class _Gemini(_Family):
    shell = "run_shell_command"

    def write(self, path: str, text: str) -> Calls:
        return (Use("write_file", {"file_path": path, "content": text}),)

    def edit(self, path: str, old: str, new: str) -> Calls:
        arguments: dict[str, Any] = {"file_path": path, "old_string": old, "new_string": new}
        return (Use("replace", arguments | {"instruction": "As the scenario says"}),)


class _Opencode(_Family):
    shell = "bash"

    def run(self, line: str) -> Calls:
        return (Use("bash", {"command": line, "description": "As the scenario says"}),)

    def write(self, path: str, text: str) -> Calls:
        return (Use("read", {"filePath": path}), Use("write", {"filePath": path, "content": text}))

    def edit(self, path: str, old: str, new: str) -> Calls:
        return (
            Use("read", {"filePath": path}),
            Use("edit", {"filePath": path, "oldString": old, "newString": new}),
        )


class _Andon(_Family):
    """The tools of andon's own `api` runtime."""

    shell = "run_command"

    def knows(self, tools: Collection[str]) -> bool:
        return bool({"run_command", "read_file"} & {*tools})

    def write(self, path: str, text: str) -> Calls:
        return (Use("write_file", {"path": path, "text": text}),)

    def edit(self, path: str, old: str, new: str) -> Calls:
        return (Use("edit_file", {"path": path, "old": old, "new": new}),)


_FAMILIES: tuple[_Family, ...] = (_Claude(), _Codex(), _CodexScript(), _Gemini(), _Opencode(), _Andon())


def _at(folder: str, path: str) -> str:
    return str(PurePosixPath(folder, path))


def _quoted(text: object) -> str:
    return shlex.quote(str(text))


def _line(action: actions.Run) -> str:
    words = action.command
    line = words[2] if words[:2] == ("/bin/sh", "-c") else shlex.join(words)
    return line if action.expect == 0 else f"({line}); test $? = {action.expect}"


def _replaced(path: str, old: str, new: str) -> str:
    """For a program without such a tool of its own: a line of Perl, which every system has."""
    script = (
        f'$o = pack("H*", "{old.encode().hex()}"); $n = pack("H*", "{new.encode().hex()}"); '
        "$c = () = /\\Q$o\\E/g; die qq(the text occurs $c times\\n) if $c != 1; s/\\Q$o\\E/$n/"
    )
    return f"test -f {_quoted(path)} && perl -0777 -i -pe {_quoted(script)} {_quoted(path)}"
