"""A file in hand while `add` reads it, and the parts that it is stored in."""

from __future__ import annotations

from dataclasses import dataclass, field

from conspectus.core.errors import ConspectusError, InputError
from conspectus.ingest.linked import Held
from conspectus.ingest.store import Cuts
from conspectus.store.rows import Document, FileRow

SHOWN_NOTES = 20


@dataclass(slots=True)
class Reading:
    """A file in hand: its ledger row, what it said before, and how far it is read.

    `order` tells a child process which reader; `substitute` says why it is not the one that was wanted. `read_by` and
    `read_sha` are the reader of before and the bytes that it read. Of `ordinal` papers `refused` were not stored, and
    `silent` have no text; a `fault` keeps all that is left from being stored.
    """

    row: FileRow
    known: bool
    one_paper: bool
    order: str
    read_by: str = ""
    read_sha: str = ""
    substitute: str = ""
    begun: bool = False
    before: dict[bytes, int] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    said: set[bytes] = field(default_factory=set)
    ordinal: int = 0
    refused: int = 0
    silent: int = 0
    fault: InputError | None = None
    notes: list[str] = field(default_factory=list)
    unkept: int = 0
    held: Held = field(default_factory=Held)

    @property
    def remote(self) -> bool:
        """Whether a server reads it."""
        return self.order.startswith("grobid ")

    def forget(self) -> None:
        """Let go of what grows with the file: the run keeps its readings to the end."""
        self.before, self.seen, self.said, self.held = {}, {}, set(), Held()

    def refuse(self, where: str, reason: str) -> None:
        """Count a record that is not stored, and keep why."""
        self.refused += 1
        self.note(f"{where}: {reason}")

    def note(self, *texts: str) -> None:
        """Keep what the user is told: the first of it, and how many more there were."""
        kept = texts[: max(0, SHOWN_NOTES - len(self.notes))]
        self.notes += kept
        self.unkept += len(texts) - len(kept)

    @property
    def told(self) -> tuple[str, ...]:
        """What the user is told of the file."""
        more = f"There were {self.unkept} more notes, which are not kept."
        return (*self.notes, more) if self.unkept else tuple(self.notes)


@dataclass(slots=True)
class Part:
    """Some of what a file says that is new: to be embedded and written. After the last part the file is finished.

    `cuts`: paper id -> a paper that is new, with the passages that it is cut into.
    """

    reading: Reading
    documents: list[Document]
    last: bool
    error: ConspectusError | None
    fraction: float
    cuts: Cuts = field(default_factory=dict)
