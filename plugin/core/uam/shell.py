"""A shell's command line taken apart: the simple commands in it, where each one's output goes, what it is fed.

Enough of the grammar to see who writes what; nothing is expanded and nothing is run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BREAKS = ";&|()`\n"
_SPACES = " \t\r"


class Call:
    """One simple command: its words, the files its output is sent to, and the text that stands below it as input."""

    __slots__ = ("fed", "targets", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.targets: list[str] = []
        self.fed = ""


def calls(line: str) -> list[Call]:
    """Never raises; what stands in quotes is one word, and an unfinished quote ends with the line."""
    return [call for call in _Reader(line).read() if call.words or call.targets]


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._call = Call()
        self._open: list[tuple[Call, str]] = []
        """Whoever waits for a text below its line, and the word that ends it."""

    def read(self) -> Iterator[Call]:
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in _SPACES or self._text.startswith("\\\n", self._at):
                self._at += 1 if char in _SPACES else 2
            elif char == "#":
                self._at = self._end_of_line()
            elif char in "<>" or self._text.startswith("&>", self._at):
                self._redirect()
            elif char in _BREAKS:
                yield self._call
                self._call = Call()
                self._at += 1
                if char == "\n":
                    self._take_what_is_fed()
            else:
                self._word()
        yield self._call

    def _end_of_line(self) -> int:
        end = self._text.find("\n", self._at)
        return len(self._text) if end < 0 else end

    def _word(self) -> None:
        word = self._taken()
        if word.isdigit() and self._text[self._at : self._at + 1] in ("<", ">"):
            return  # the number of a stream
        self._call.words.append(word)

    def _taken(self) -> str:
        """The word that begins here, without its quotes."""
        taken: list[str] = []
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in "'\"":
                taken.append(self._quoted(char))
            elif char == "\\":
                taken.append(self._text[self._at + 1 : self._at + 2])
                self._at += 2
            elif char in _SPACES or char in _BREAKS or char in "<>":
                break
            else:
                taken.append(char)
                self._at += 1
        return "".join(taken)

    def _quoted(self, quote: str) -> str:
        taken: list[str] = []
        self._at += 1
        while self._at < len(self._text) and self._text[self._at] != quote:
            if quote == '"' and self._text[self._at] == "\\" and self._text[self._at + 1 : self._at + 2] in '"\\$`\n':
                self._at += 1
            taken.append(self._text[self._at : self._at + 1])
            self._at += 1
        self._at += 1
        return "".join(taken)

    def _redirect(self) -> None:
        begun = self._at
        while self._at < len(self._text) and self._text[self._at] in "<>&|":
            self._at += 1
        sign = self._text[begun : self._at]
        while self._at < len(self._text) and self._text[self._at] in _SPACES:
            self._at += 1
        if sign.startswith("<<") and sign != "<<<":
            if self._text.startswith("-", self._at):
                self._at += 1
            self._open.append((self._call, self._taken()))
            return
        target = self._taken()
        if ">" in sign and target and not (sign.endswith("&") and (target.isdigit() or target == "-")):
            self._call.targets.append(target)
        elif sign == "<<<":
            self._call.fed = target

    def _take_what_is_fed(self) -> None:
        for call, word in self._open:
            lines: list[str] = []
            while self._at < len(self._text):
                end = self._end_of_line()
                line = self._text[self._at : end]
                self._at = end + 1
                if line.strip("\t") == word:
                    break
                lines.append(line)
            call.fed = "\n".join(lines)
        self._open = []
