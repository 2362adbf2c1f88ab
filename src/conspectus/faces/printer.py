"""Standard output: cleaned text, styles on a terminal only, JSON."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Any, TextIO

import click

from conspectus.core.text import cleaned, json_text
from conspectus.core.text import line as on_one_line
from conspectus.lexicon.inline_tex import readable_tex

Part = str | tuple[str, str]
"""Text, or text and one of `STYLES`."""

STYLES: Mapping[str, Mapping[str, Any]] = {
    "title": {"bold": True},
    "dim": {"dim": True},
    "match": {"bold": True, "fg": "yellow"},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
}
WIDEST = 110
LISTED = 300
"""Letters of one thing in a line of a list; few titles have more, and a question can be a page."""


class PipeClosed(Exception):
    """Who read our output has gone."""


def clean(text: str) -> str:
    """`text` without what could command the terminal, hide or turn round what is shown; TeX as Unicode."""
    return readable_tex(cleaned(text))


def one_line(text: str) -> str:
    """`text` cleaned, its white space made single spaces."""
    return readable_tex(on_one_line(text))


def short(text: str, most: int = LISTED) -> str:
    """`text` on one line, of a long one its beginning."""
    return _cut(one_line(text), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def is_terminal(stream: Any) -> bool:
    """Whether `stream` is a terminal that can do more than print lines."""
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


class Printer:
    """Writes to a stream, else to standard output as it is when it is made.

    `width` is None where lines need not be folded.
    """

    def __init__(self, stream: TextIO | None = None, remedy: Callable[[str], str] = str) -> None:
        self.remedy = remedy
        self._stream = stream
        self.terminal = stream is None and is_terminal(sys.stdout)
        self.color = self.terminal and not os.environ.get("NO_COLOR")
        self.width = min(shutil.get_terminal_size().columns, WIDEST) if self.terminal else None

    def line(self, *parts: Part, indent: int = 0) -> None:
        """One line of parts, each cleaned."""
        self._write(" " * indent + "".join(map(self._render, parts)) + "\n")

    def row(self, cells: Sequence[str], *parts: Part) -> None:
        """A line of a list: on a terminal its parts, elsewhere its cells with tabs between; each, if long, cut."""
        if self.width is None:
            self.line("\t".join(_cut(cell, LISTED) for cell in cells))
            return
        self.line(
            *(_cut(part, LISTED) if isinstance(part, str) else (_cut(part[0], LISTED), part[1]) for part in parts)
        )

    def empty(self, text: str) -> None:
        """Say why a list of rows is empty; in a pipe on standard error, so that what reads the rows reads none."""
        if self.width is not None or self._stream is not None:
            self.fold(text)
        else:
            sys.stderr.write(f"{one_line(text)}\n")

    def text(self, text: str) -> None:
        """A text of many lines just as it is, but for what could command a terminal, if it is one."""
        self._write("\n".join(map(cleaned, text.split("\n"))) if self.terminal else text)

    def fold(self, text: str, indent: int = 0, mark: Callable[[str], list[Part]] | None = None) -> None:
        """A paragraph, folded to the terminal; `mark` styles parts of each line."""
        for line in self._fold_text(one_line(text), indent):
            parts: list[Part] = mark(line) if mark else [line]
            self.line(*parts, indent=indent)

    def advise(self, text: str, indent: int = 0) -> None:
        """A paragraph that names verbs and options in backticks, as they are typed where there is a command line."""
        self.fold(self.remedy(text), indent)

    def flow(self, parts: Iterable[Part], indent: int = 0) -> None:
        """A paragraph of parts, folded as one text."""
        styled_signs = [(sign, style) for part in parts for sign, style in _signs(part)]
        text = "".join(sign for sign, _ in styled_signs)
        styles = iter(style for sign, style in styled_signs if not sign.isspace())
        for line in self._fold_text(" ".join(text.split()), indent):
            runs = groupby(_styled(line, styles), key=lambda pair: pair[1])
            line_parts = [("".join(sign for sign, _ in run), style) for style, run in runs]
            self.line(*line_parts, indent=indent)

    def _fold_text(self, text: str, indent: int) -> list[str]:
        return textwrap.wrap(text, max(self.width - indent, 20)) if self.width else [text]

    def json(self, schema: str, body: Mapping[str, Any]) -> None:
        """Print one object with the name of its schema, in UTF-8; invisible characters are escaped."""
        text = json_text({"schema": f"conspectus.{schema}/1", **body})
        with _piped():
            stream = sys.stdout.buffer
            stream.write(text.encode("utf-8") + b"\n")
            stream.flush()

    def _render(self, part: Part) -> str:
        if isinstance(part, str):
            return clean(part)
        text = clean(part[0])
        return click.style(text, **STYLES[part[1]]) if self.color and text and part[1] else text

    def _write(self, text: str) -> None:
        with _piped():
            if self._stream is not None:
                self._stream.write(text)
            elif self.color:  # click teaches old Windows consoles the styles
                click.echo(text, nl=False, color=True)
            else:
                sys.stdout.write(text)
                sys.stdout.flush()


def _signs(part: Part) -> Iterator[tuple[str, str]]:
    text, style = (part, "") if isinstance(part, str) else part
    return ((sign, style) for sign in clean(text))


def _styled(line: str, styles: Iterator[str]) -> Iterator[tuple[str, str]]:
    """The signs of a line with their styles, which are those of all that are no space; a space is as what is before."""
    style = ""
    for sign in line:
        style = style if sign == " " else next(styles)
        yield sign, style


@contextmanager
def _piped() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.EINVAL):  # the second on Windows
            raise PipeClosed from error
        raise


def mute_stdout() -> None:
    """Point standard output nowhere, so that the interpreter's own flush at the end has no complaint."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
