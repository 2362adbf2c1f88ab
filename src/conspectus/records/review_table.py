"""Tables of a review: papers by columns, each cell with the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage
from conspectus.records.paper import Paper

ColumnKind = Literal["number", "count", "choice", "yes/no", "text"]
CellStatus = Literal["confirmed", "proposed", "judged", "unconfirmed", "edited", "not stated", "unread"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Attributes:
        name: what the user calls it, and what is looked for.
        kind: `number` has a unit, `count` counts and has none.
        unit: in which its numbers are compared; "": any that its name allows.
        choices: of a `choice`.
    """

    name: str
    kind: ColumnKind = "text"
    unit: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a paper says on a column.

    Attributes:
        value: a number or words copied from the quoted sentences; of `judged` and `edited` cells what was decided.
        unit: as it is written there.
        status: `confirmed`: the value is in the quoted sentences. `proposed`: found by its unit and the words near it,
            without a model. `judged`: a model's reading of the sentences, which do not have its word. `unconfirmed`:
            the sentences do not have it. `edited`: by a person. `unread`: see `why`.
        why: what is wrong, or what kept the paper from being read.
        number: the value in the unit of the column, else in base units, for sorting; None where it is none.
        citations: the sentences, with their places.
        by: `model:NAME`, `words` (without a model), or the name of who edited it; "": nobody yet.
    """

    column: str
    value: str = ""
    unit: str = ""
    status: CellStatus = "unread"
    why: str = ""
    number: float | None = None
    citations: tuple[Citation, ...] = ()
    by: str = ""

    @property
    def text(self) -> str:
        """The value with its unit."""
        return " ".join(part for part in (self.value, self.unit) if part)

    @property
    def quote(self) -> str:
        """The quoted sentences in one line."""
        return " … ".join(citation.quote for citation in self.citations)


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper and its cells, one for each column in their order."""

    paper: Paper
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class ReviewTable:
    """A table that is kept, or a part of its rows.

    Attributes:
        papers: how many it has; `total`: how many pass what was asked for; `rows`: those shown, from `offset` on.
        read: cells that this call read, or proposed.
        failed: why papers could not be read in this call, by their ids.
        stopped: why this call ended before all papers were read; "" if it did not.
        model: the model that this call asked; "": it went by words alone.
        document: all rows in the format that was asked for, if no file was named; "": none was asked for.
        written: the file that all rows were written to; "": none.
    """

    id: str
    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[PaperRow, ...]
    papers: int
    total: int
    offset: int = 0
    read: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    stopped: str = ""
    model: str = ""
    usage: Usage | None = None
    document: str = ""
    written: str = ""
