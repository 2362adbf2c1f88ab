"""What a reader makes of a file: metadata, and blocks with sentences in exact places, figures and references.

A page account says what became of the letters of a page: each ends in a block or is reported as left out. Page texts
are a paper as it is read on a screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.paper import Author, Metadata
from conspectus.records.passage import Place, Rect

Fate = Literal["text", "equation", "reference", "front", "figure", "furniture", "hidden", "unread"]
"""Where letters end: in blocks that are searched; in formulas; in the reference list; in what is printed about the
paper (title, authors, addresses, dates, rights); in figures and tables; in what is printed around the text (running
heads, numbers of pages and lines, stamps, lists of contents); in what nobody sees; in nothing: it cannot be read."""

LEAST_SEARCHED = 0.98
"""Pages of which a smaller part can be searched are told of."""

LACKING = "Not all letters can be searched"
"""How the note begins that tells of such pages."""

_LEFT = ("figure", "furniture", "hidden", "unread")
_USUAL_FURNITURE, _FEW = 0.1, 300
"""Running heads and the like up to this part of a page, or so many letters, are as they should be."""


_SHOWN = 4
"""So many pages are named."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words of a page that are in no block, as they stand there; `reason` says what they are taken for (`Figure 2`)."""

    fate: Fate
    reason: str
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Share:
    """So many letters of a page ended in one place, for one reason ("" where there is nothing to add)."""

    fate: Fate
    reason: str
    letters: int


@dataclass(frozen=True, slots=True)
class PageAccount:
    """The account of one page, from 1: `letters` are all characters of its text layer without white space (or what was
    recognised), and the sum of its shares."""

    page: int
    letters: int
    shares: tuple[Share, ...] = ()

    def part(self, *fates: Fate) -> float:
        """The part of the letters with one of these fates, 0 to 1."""
        letters = sum(share.letters for share in self.shares if share.fate in fates)
        return letters / self.letters if self.letters else 0.0

    def why_lacking(self, *, figures: bool = True) -> str:
        """Why less than `LEAST_SEARCHED` of the page can be searched (`62 % in Figure 1`); "" where there is no more
        to tell than running heads and page numbers, or, without `figures`, than words in figures with a caption."""
        around = sum(share.letters for share in self.shares if share.fate == "furniture")
        usual = around <= max(_USUAL_FURNITURE * self.letters, _FEW)
        left = [s for s in self.shares if s.fate in _LEFT and not (usual and s.fate == "furniture")]
        left = [s for s in left if figures or s.fate != "figure" or s.reason.startswith(("a ", "Table"))]
        if sum(share.letters for share in left) <= (1 - LEAST_SEARCHED) * self.letters:
            return ""
        largest_shares = sorted(left, key=lambda share: -share.letters)[:_SHOWN]
        return ", ".join(f"{_percent(s.letters / self.letters)} {_describe_share(s)}" for s in largest_shares)


def describe_lacking(accounts: Iterable[PageAccount], *, figures: bool = True) -> str:
    """One sentence on the pages of which a part that matters cannot be searched, and why; "" where there are none.

    Without `figures`, words in figures with a caption are no loss: axes, labels, scales.
    """
    reasons = [(account.page, why) for account in accounts if (why := account.why_lacking(figures=figures))]
    if not reasons:
        return ""
    listing = "; ".join(f"page {page}: {why}" for page, why in reasons[:_SHOWN])
    more = f"; and {len(reasons) - _SHOWN} pages more" if len(reasons) > _SHOWN else ""
    return f"{LACKING}: {listing}{more}."


def _describe_share(share: Share) -> str:
    if share.fate in ("hidden", "unread"):
        return f"{share.fate} ({share.reason})"
    return f"in {share.reason}" if share.fate == "figure" else f"as {share.reason}"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.01 else "less than 1 %"


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


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page, from 1, as it is shown; in points."""

    page: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """A stretch of text on one line of a page.

    Attributes:
        text: `block.text[start:end]`.
        rect: left, top, right, bottom as parts of the page, 0 to 1.
        block: its number in the paper's structure.
        kind: of the block.
        span: the id of its sentence; "" where it is of none that is searched (headings, references).
    """

    text: str
    rect: Rect
    block: int
    kind: BlockKind
    start: int
    end: int
    span: str


@dataclass(frozen=True, slots=True)
class PageText:
    """What stands on a page, in reading order; its size in points."""

    page: int
    width: float
    height: float
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its block in the paper's structure, where it stands (None: there are no pages)."""

    text: str
    level: int
    block: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A sentence that words stand in: `start` and `end` of the first of them in its `text`.

    `span` is its id; "" where it is of none that is searched. `places`: where the sentence stands.
    """

    text: str
    start: int
    end: int
    block: int
    span: str
    places: tuple[Place, ...]
