"""A reader of notes (the title in the first line, paragraphs below), and an exporter of titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from conspectus.errors import EmptyTextError, InputError
from conspectus.parse.text.blocks import text_block
from conspectus.records import Metadata, Paper, ParsedPaper


class NoteReader:
    name = "notes"
    version = 1
    one_paper = True
    suffixes = (".note",)
    signatures = (b"NOTE\n",)

    def read(self, path: Path) -> Iterator[ParsedPaper]:
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise InputError(f"'{path.name}' is not UTF-8.") from error
        parts = [" ".join(part.split()) for part in text.removeprefix("NOTE\n").split("\n\n")]
        title, *paragraphs = list(filter(None, parts)) or [""]
        if not paragraphs:
            raise EmptyTextError(f"'{path.name}' has no text.")
        yield ParsedPaper(Metadata(title=title), tuple(text_block("paragraph", part) for part in paragraphs))


def titles(papers: Callable[[], Iterable[Paper]], files: Callable[[Paper], Sequence[str]]) -> Iterator[tuple[int, str]]:
    """One title a line."""
    for number, paper in enumerate(papers(), 1):
        yield number, f"{paper.title}\n"
