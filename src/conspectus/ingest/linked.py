"""Files that records name as the same paper: which of them are added, and which are too many records' to be one's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conspectus.core.grouped import grouped
from conspectus.ingest.grouping import group
from conspectus.parse.registry import is_one_paper, readers
from conspectus.records import ParsedPaper
from conspectus.sources.files import lies_in
from conspectus.store.rows import Document

MAX_HELD = 20_000
"""Records of one file that name files and wait for its end. Those behind count as records that name none."""
_ANYBODYS = (".txt", ".text", ".md", ".markdown")


def why_not(record: str, path: str, roots: Sequence[str] = ()) -> str:
    """Why the file at `path`, which a record in the file `record` names, is not added; "" if it is.

    It has to be a regular file with the ending of a kind that is one paper, on this machine, and lie in the folder of
    the record's own file, in one of `roots`, or below, so that a bibliography from somebody else cannot gather what is
    all over the disk. Endings that any text may have are added only from the folder of the record's own file.
    """
    if path.startswith(("//", "\\\\")):
        return "lies on another machine"
    if not os.path.isfile(path):  # noqa: PTH113 - false for names that no path can have, without an error
        return "is not there"
    name = path.lower()
    papers = tuple(suffix for reader in readers() if reader.one_paper for suffix in reader.suffixes)
    if not (name.endswith(papers) and is_one_paper(Path(path))):
        return "is of a kind that is not added"
    if lies_in(path, [Path(record).parent]):
        return ""
    if os.path.realpath(path).lower().endswith(_ANYBODYS):
        return "is a text outside the folder of the record and is not added"
    return "" if lies_in(path, roots) else "is outside the folder of the record; name it, or set sources.roots"


@dataclass(slots=True)
class Held:
    """The records of one file that name files, kept until all are known."""

    items: list[tuple[int, ParsedPaper]] = field(default_factory=list)

    def hold(self, ordinal: int, item: ParsedPaper) -> bool:
        """Keeps a record; False if there are too many."""
        if len(self.items) >= MAX_HELD:
            return False
        self.items.append((ordinal, item))
        return True

    def settled(self, path: str) -> Iterator[tuple[int, ParsedPaper, tuple[str, ...], tuple[str, ...]]]:
        """(ordinal, paper, all files it names, those it shares with other papers) of each record.

        A file that several papers name (the proceedings with all of them in it) is none's own, and `paper` does not
        name it any more.
        """
        documents = [Document(0, path, "", ordinal, b"", item) for ordinal, item in self.items]
        named = [document.linked for document in documents]
        shared = _shared(documents, named)
        self.items = []
        for document, paths in zip(documents, named, strict=True):
            several = tuple(found for found in paths if found in shared)
            paper = document.parsed
            if several:
                paper = replace(paper, files=tuple(found for found in paths if found not in shared))
            yield document.ordinal, paper, paths, several


def _shared(documents: Sequence[Document], named: Iterable[Sequence[str]]) -> set[str]:
    """The paths that records of different papers name."""
    members = grouped((path, number) for number, paths in enumerate(named) for path in paths)
    shared = set()
    for path, numbers in members.items():
        if len(numbers) > 1:
            plain = [replace(documents[n], parsed=replace(documents[n].parsed, files=())) for n in numbers]
            if len(group(plain).groups) > 1:
                shared.add(path)
    return shared
