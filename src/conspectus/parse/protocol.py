"""What a reader of files is, and what it yields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from conspectus.records import ParsedPaper


@dataclass(frozen=True, slots=True)
class BadRecord:
    """One record of a file that could not be read: where it stands (`line 17`) and why. The file goes on."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Working:
    """A sign of life of a reader that takes long for one paper: the time limit begins anew.

    `fraction`, 0 to 1, says how much of the file has been read.
    """

    fraction: float


Item = ParsedPaper | BadRecord


class Reader(Protocol):
    """Reads one kind of file, in a child process.

    One of another package is named by an entry point of the group `conspectus.readers`: a class that is made without
    arguments. `conspectus.testing.readers` tests it.


    `version` is raised whenever the same file may come to be read otherwise, so that libraries know what to read anew.
    `suffixes` are lower-case with the dot; `signatures` are bytes that such a file begins with, where it has some.
    A reader whose ending others have too may have a method `accepts(head: bytes, suffix: str) -> bool`, which is asked
    about the first bytes of the file (unpacked, `registry.HEAD` at most). The first that accepts, or has none, reads.
    """

    @property
    def name(self) -> str:
        """What the ledger calls this reader."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change of what is read."""
        ...

    @property
    def one_paper(self) -> bool:
        """Whether a file is always one paper; else it is a list of records."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names, e.g. `.jsonl.gz`."""
        ...

    @property
    def signatures(self) -> tuple[bytes, ...]:
        """First bytes by which a file without a known ending is recognised; may be empty."""
        ...

    def read(self, path: Path) -> Iterator[Item | Working]:
        """The papers of the file, one after another, and the records that are none; between them signs of life.

        The iterator may have an attribute `fraction`, 0 to 1: how much of the file has been read.

        Raises:
            InputError: The file as a whole cannot be read (also its subclasses: encrypted, empty, too large).
        """
        ...
