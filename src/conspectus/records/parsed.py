"""What a reader makes of a file: metadata, and blocks with sentences in exact places, figures and references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.account import LeftOut, PageAccount
from conspectus.records.paper import Author, Metadata
from conspectus.records.passage import Place, Rect

BlockKind = Literal["heading", "paragraph", "abstract", "caption", "footnote", "reference", "equation", "code"]
MarkKind = Literal["reference", "figure", "table", "footnote", "equation"]
FigureKind = Literal["figure", "table"]
HiddenReason = Literal["invisible", "same colour", "tiny", "clipped", "switched off", "covered", "off page"]
"""Why nobody sees a text: drawn without ink (or wholly transparent), in the colour of what lies under it, too small,
outside what is shown of its place, in a part that is switched off, under something else, outside the page."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block: `block.text[start:end]`, and its rectangles where the source has pages.

    `recognised` ones, or parts of them, were read from a picture by OCR: their words may be wrong.
    """

    start: int
    end: int
    places: tuple[Place, ...] = ()
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Words of a block that point elsewhere (`[3–5]`, `Smith 2010`, `Fig. 2`): `block.text[start:end]`.

    `targets` are keys of the paper's references or figures, one for each that is meant; none where it leads nowhere.
    """

    start: int
    end: int
    kind: MarkKind
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a caption … in reading order.

    `level` counts headings from 1 and is 0 elsewhere. Sentences are in order, never overlap, and leave nothing between
    them but white space; headings have one. `abstract` paragraphs are also the metadata's abstract. `label` is what a
    caption, a footnote, a reference or an equation is called (`Figure 3`, `*`, `[12]`), as printed. Marks are in order
    and never overlap.
    """

    kind: BlockKind
    text: str
    sentences: tuple[Sentence, ...]
    level: int = 0
    label: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a reference list: `text` as printed, and what it says, as far as it could be told.

    `key` is its own within the paper (`b12`); `label` is what the list calls it (`[12]`, `Smith 2010a`), if anything.
    """

    key: str
    text: str
    label: str = ""
    title: str = ""
    authors: tuple[Author, ...] = ()
    year: int | None = None
    venue: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    arxiv_id: str = ""
    pmid: str = ""
    url: str = ""


MOST_SCALE = 20
"""Pixels per point with which anything is drawn, at most."""
FIGURE_SCALE = 200 / 72
"""Pixels a point of figures that are drawn, where nobody asks for others: 200 an inch."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure or a table.

    Attributes:
        key: its own within the paper (`f3`, `t1`).
        label: `Figure 3`, as printed.
        caption: the number of its caption in the paper's blocks; None where it has none.
        place: where the picture or the cells stand, without the caption; None where that is not known.
        href: where the source says that the picture is: a path beside it or in it, an address, or (`data:`) a name
            of what stands there as data; empty where it says nothing.
        cells: a table's rows from top to bottom, cells from left to right; empty where they could not be told.
        rows: where each of these rows stands on the page of `place`; empty where that is not known.
        block: the number of the paragraph whose sentences are these rows, of a table without caption; None where the
            rows are not in the text.
    """

    key: str
    kind: FigureKind
    label: str = ""
    caption: int | None = None
    place: Place | None = None
    href: str = ""
    cells: tuple[tuple[str, ...], ...] = ()
    rows: tuple[Rect, ...] = ()
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text that the file holds and nobody who reads the paper sees: it is told of, and never searched or quoted.

    `place` is where it would stand, where the source has pages.
    """

    text: str
    reason: HiddenReason
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class ParsedPaper:
    """One paper as a reader found it. Without body blocks it is a record ("abstract only").

    `warnings` are for the user: what could not be read well, in one sentence each. `files` are the paths by which a
    record names files of the same paper, relative ones as seen from its own file's folder; never addresses.
    `hidden` is no part of the paper's text. `accounts` say of each page of a PDF what became of its letters; `left_out`
    are the words that are neither in a block nor hidden.
    """

    metadata: Metadata
    blocks: tuple[Block, ...] = ()
    pages: int = 0
    warnings: tuple[str, ...] = field(default=())
    references: tuple[Reference, ...] = ()
    figures: tuple[Figure, ...] = ()
    files: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    accounts: tuple[PageAccount, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def has_full_text(self) -> bool:
        """Whether there is text beyond title and abstract."""
        return any(block.kind == "paragraph" for block in self.blocks)

    def mentions(self, key: str) -> Iterator[tuple[Block, Sentence]]:
        """The sentences with a mark that points to a reference or a figure, in reading order, each once."""
        for block in self.blocks:
            places = [mark.start for mark in block.marks if key in mark.targets]
            for sentence in block.sentences:
                if any(sentence.start <= place < sentence.end for place in places):
                    yield block, sentence
