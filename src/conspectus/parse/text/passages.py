"""A parsed paper cut into passages: along its sections, at sentence ends, with some overlap."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise, product

from conspectus.parse.text.blocks import clean_abstract, text_block
from conspectus.records import Block, Cell, Figure, PaperParagraph, ParsedPaper, Passage, PassageKind, Place, Span

LONGEST_ROW = 600
"""Characters from which on a row is told in several pieces, each with its label."""

_MOST_HEADS = 3
_ABOVE = " – "
"""Between what stands above several columns and what stands above each."""
_SHORT = 1
"""A name of so many characters above others has them as its indices."""

_NUMBER = re.compile(r"[<>≤≥~≈±+\-−‐–—(\[]*\s*[.·]?\d")
_WORD = re.compile(r"[^\W\d_]{3}")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, or a piece of a long one.

    Attributes:
        text: "Table 2, row Perth (Location): Amplitude = 2.0; Noise SD = 4.3".
        cells: the names of columns with what stands in them, the row's label first; empty cells are left out.
        places: where the row stands, or, where that is not known, the table; empty where there are no pages.
    """

    text: str
    cells: tuple[Cell, ...]
    places: tuple[Place, ...] = ()


def table_rows(table: Figure) -> list[TableRow]:
    """The rows of a table that hold data, from top to bottom; none where its cells are not known."""
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in table.cells]
    if len(rows) < 2 or len(rows[0]) < 2:
        return []
    first = 1 if len(rows) > 2 and all(rows[0]) and _group(rows[0]) else 0
    heads = first + _heads(rows[first:])
    names = _names(rows[first:heads])
    data_rows: list[TableRow] = []
    group, label = rows[0][0] if first else "", ""
    for number, row in enumerate(rows[heads:], heads):
        if names and row[0] and row[0] == rows[heads - 1][0] and not any(map(_is_number, row)):
            names, group, label = _names([row]), "", ""  # the head again, or another one
        elif alone := _group(row):
            group, label = alone, ""
        elif any(row):
            label = row[0] or label
            data_rows += _describe_row(table, number, names, group, (label, *row[1:]))
    return data_rows


def _heads(rows: Sequence[Row]) -> int:
    """How many rows at the top say what stands below them."""
    if _is_number(rows[0][0]):
        return 0
    count = 1
    while count < min(_MOST_HEADS, len(rows) - 1) and _goes_on(rows, count):
        count += 1
    return count


def _goes_on(rows: Sequence[Row], count: int) -> bool:
    """Whether the row after `count` rows of heads is one, too."""
    row, above = rows[count], rows[count - 1]
    if len(set(filter(None, row[1:]))) == 0 or (_group(row) and not _is_number(row[0])):
        return False
    spans = any(cell == other for cell, other in pairwise(above[1:]))
    if not row[0]:
        return spans or not any(map(_is_number, row))
    if rows[0][0] or any(map(_is_number, row[1:])):
        return False
    if spans:
        return any(map(_is_number, rows[count + 1][1:]))
    cells = [cell for cell in row[1:] if cell]
    below = [cell for other in rows[count + 1 :] for cell in other[1:] if cell]
    return 2 * sum(_WORD.search(cell) is not None for cell in cells) > len(cells) and 2 * sum(
        map(_is_number, below)
    ) > len(below)


def _names(heads: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    """Of each column, what stands above it and its neighbours, and its own name."""
    if not heads:
        return ()
    own_names = heads[-1]
    upper = [_spread(row, own_names) for row in heads[:-1]]
    names = []
    for column, name in enumerate(own_names):
        above = [text for text, _ in groupby(row[column] for row in upper) if text and text != name]
        joined = _ABOVE.join(above)
        if not name:
            names.append(("", joined))
        elif len(joined) <= _SHORT or all(all(row[1:]) and len(set(row)) == len(row) for row in upper):
            names.append(("", " ".join((*above, name))))  # a name on several lines, or with an index
        else:
            names.append((joined, name))
    return tuple(names)


def _spread(row: Row, below: Row) -> Row:
    """An upper head with its names over all columns that they span, where only one says it.

    Where the columns below repeat (original, reproduction, original, reproduction), each name is of as many.
    """
    names = [cell for cell in row[1:] if cell]
    if not names or all(row[1:]) or len(names) < len(set(names)):
        return row
    size, rest = divmod(len(below) - 1, len(names))
    if len(names) > 1 and not rest and below[1:] == below[1 : 1 + size] * len(names):
        return (row[0], *(name for name in names for _ in range(size)))
    cells = [row[0]]
    for cell in row[1:]:
        cells.append(cell or (cells[-1] if len(cells) > 1 else ""))
    return tuple(cells)


def _group(row: Row) -> str:
    """What a row says that is a heading within the table: one text in its first cells, or the same in all."""
    texts = set(filter(None, row))
    if len(row) < 3 or len(texts) != 1 or not (row[0] or row[1]) or (any(row[2:]) and not all(row)):
        return ""
    return texts.pop()


def _describe_row(
    table: Figure, number: int, names: Sequence[tuple[str, str]], group: str, row: Row
) -> Iterator[TableRow]:
    """A row, in pieces of about `LONGEST_ROW` characters."""
    first = names[0][1] if names else ""
    label = f"row {row[0]}" + (f" ({first})" if first and row[0] else "") if row[0] else f"row {number}"
    begin = ", ".join(part for part in (table.label or "Table", group, label) if part)
    key = ((first, row[0]),) if row[0] else ()
    piece: list[tuple[str, str, str]] = []
    length = 0
    for (above, name), cell in zip((names or (("", ""),) * len(row))[1:], row[1:], strict=True):
        if not cell:
            continue
        if piece and length + len(above) + len(name) + len(cell) > LONGEST_ROW:  # what is above is said again
            yield _row(table, number, begin, key, piece)
            piece, length = [], 0
        piece.append((above, name, cell))
        length += len(name) + len(cell) + 5
    if piece:
        yield _row(table, number, begin, key, piece)


def _row(
    table: Figure, number: int, begin: str, key: tuple[Cell, ...], piece: Sequence[tuple[str, str, str]]
) -> TableRow:
    clauses = []
    for above, columns in groupby(piece, key=lambda entry: entry[0]):
        each = "; ".join(f"{name} = {cell}" if name else cell for _, name, cell in columns)
        clauses.append(f"{above}{_ABOVE}{each}" if above else each)
    cells = tuple((_ABOVE.join(filter(None, (above, name))), cell) for above, name, cell in piece)
    return TableRow(f"{begin}: {'; '.join(clauses)}", (*key, *cells), _places(table, number))


def _places(table: Figure, number: int) -> tuple[Place, ...]:
    if table.place is None:
        return ()
    return (Place(table.place.page, table.rows[number]),) if len(table.rows) == len(table.cells) else (table.place,)


def _is_number(cell: str) -> bool:
    return _NUMBER.match(cell) is not None


PASSAGES_VERSION = 2
"""Raised whenever the same paper may come to be cut otherwise: libraries then cut all papers anew."""

_LINE_ENDS = re.compile(r"(?<!\s)\s*\n\s*")
_KINDS: dict[str, PassageKind] = {
    "paragraph": "body",
    "abstract": "abstract",
    "footnote": "body",
    "caption": "caption",
    "code": "body",
}


def passages(paper_id: str, parsed: ParsedPaper, *, chars: int = 1400, overlap: int = 280) -> tuple[Passage, ...]:
    """The passages of a paper in reading order, footnotes last; reference lists are left out.

    A passage stays within one section and has at most `chars` characters unless a single sentence has more; the next
    one begins with the last sentences of it, up to `overlap` characters. Every caption is its own passage. A table's
    rows follow its caption; where they need several passages, each begins with what of the caption fits into `overlap`
    characters. An abstract that only the metadata know comes first; of a paper without any text the title is the one
    passage.

    Args:
        paper_id: What passage and span ids begin with.
        parsed: The paper.
        chars: The most characters of a passage, above 0.
        overlap: The most characters shared with the passage before, 0 to below `chars`.
    """
    ids = Ids(paper_id)
    all_passages: list[Passage] = []
    for section in _sections(_blocks(parsed), _tables(parsed)):
        stretch = _stretch(section, ids)
        if section.rows:
            rows = [Span(ids.make("s", r.text), 0, len(r.text), r.text, r.places, cells=r.cells) for r in section.rows]
            for spans in table_cuts(stretch.spans, rows, chars, overlap):
                all_passages.append(_of_table(paper_id, section, spans, len(all_passages), ids))
            continue
        for first, last in cuts(stretch.spans, chars, overlap):
            all_passages.append(_passage(paper_id, section, stretch, first, last, len(all_passages), ids))
    return tuple(all_passages)


def paragraphs(paper_id: str, parsed: ParsedPaper) -> Iterator[PaperParagraph]:
    """The paragraphs of a paper in the order of its passages, with the ids that its sentences have in these."""
    ids = Ids(paper_id)
    number = 0
    for section in _sections(_blocks(parsed), _tables(parsed)):
        stretch = _stretch(section, ids)
        if section.rows:
            rows = [(ids.make("s", row.text), row.text) for row in section.rows]
            caption = [(span.id, span.text) for span in stretch.spans]
            parts = [("\n".join(text for _, text in caption + rows), [name for name, _ in caption + rows])]
        else:
            parts, first = [], 0
            for block in filter(_is_text, section.blocks):
                spans = stretch.spans[first : first + len(block.sentences)]
                parts.append((stretch.text[spans[0].start : spans[-1].end], [span.id for span in spans]))
                first += len(spans)
        for text, names in parts:
            number += 1
            paragraph_id = ids.make("g", "\0".join((section.kind, section.path, text)))
            yield PaperParagraph(paragraph_id, section.kind, section.path, text, tuple(names), number)


def has_text(parsed: ParsedPaper) -> bool:
    """Whether there is anything to make a passage of: more than headings and references."""
    metadata = parsed.metadata
    return any(map(_is_text, parsed.blocks)) or bool(
        clean_abstract(metadata.abstract) or clean_abstract(metadata.title)
    )


@dataclass(slots=True)
class _Section:
    """Blocks that may share a passage; or a table's rows, with its caption."""

    kind: PassageKind
    path: str
    blocks: list[Block] = field(default_factory=list)
    rows: Sequence[TableRow] = ()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The whole text of a section, and its sentences as spans of that text."""

    text: str
    spans: list[Span]


_BASE32 = tuple(map("".join, product("abcdefghijklmnopqrstuvwxyz234567", repeat=2)))
"""The two digits of each number of ten bits: `base64.b32encode` takes thirty times as long."""


class Ids:
    """Short ids made of the words themselves; the same words again in one paper are told apart by counting."""

    def __init__(self, paper_id: str) -> None:
        self._paper_id = paper_id
        self._counts: Counter[tuple[str, str]] = Counter()

    def make(self, letter: str, words: str) -> str:
        """The next id for these words; `letter` says of what kind of thing."""
        number = self._counts[letter, words]
        self._counts[letter, words] += 1
        digest = hashlib.blake2b(f"{words}#{number}".encode(errors="replace"), digest_size=5).digest()
        number = int.from_bytes(digest)
        return f"{self._paper_id}.{letter}{''.join(_BASE32[number >> shift & 1023] for shift in (30, 20, 10, 0))}"


def _blocks(parsed: ParsedPaper) -> Iterable[Block]:
    """The paper's blocks, and before them what only its metadata say."""
    texts = [block for block in parsed.blocks if _is_text(block)]
    if any(block.kind == "abstract" for block in texts):
        return parsed.blocks
    abstract = clean_abstract(parsed.metadata.abstract)
    if not abstract and not texts:
        abstract = clean_abstract(parsed.metadata.title)
    return [text_block("abstract", abstract), *parsed.blocks] if abstract else parsed.blocks


def _is_text(block: Block) -> bool:
    return block.kind in _KINDS and bool(block.sentences)


def _tables(parsed: ParsedPaper) -> dict[int, list[TableRow]]:
    """The rows of tables, by the `id` of the block that is their caption, or else has them as sentences."""
    rows_by_block: dict[int, list[TableRow]] = {}
    for figure in parsed.figures:
        number = figure.block if figure.caption is None else figure.caption
        if number is not None and number < len(parsed.blocks) and (rows := table_rows(figure)):
            rows_by_block.setdefault(id(parsed.blocks[number]), []).extend(rows)
    return rows_by_block


def _sections(blocks: Iterable[Block], tables: Mapping[int, Sequence[TableRow]]) -> Iterator[_Section]:
    """The blocks by section and kind: captions and tables do not interrupt the text, footnotes come together."""
    headings: list[tuple[int, str]] = []
    sections: list[_Section] = []
    footnotes = _Section("body", "Footnotes")
    current: _Section | None = None
    for block in blocks:
        if block.kind == "heading":
            headings = [*(heading for heading in headings if heading[0] < block.level), (block.level, block.text)]
            current = None
        elif block.kind == "footnote":
            footnotes.blocks.append(block)
        elif id(block) in tables:
            caption = [block] if block.kind == "caption" else []
            sections.append(_Section("table", _path(headings), caption, tables[id(block)]))
        elif block.kind == "caption":
            sections.append(_Section("caption", _path(headings), [block]))
        elif block.kind in _KINDS:
            if current is None or current.kind != _KINDS[block.kind]:
                current = _Section(_KINDS[block.kind], _path(headings))
                sections.append(current)
            current.blocks.append(block)
    yield from sections
    if footnotes.blocks:
        yield footnotes


def _path(headings: list[tuple[int, str]]) -> str:
    return " > ".join(" ".join(text.split()) for _, text in headings)


def _stretch(section: _Section, ids: Ids) -> _Stretch:
    parts: list[str] = []
    spans: list[Span] = []
    length = 0
    for block in section.blocks:
        last: int | None = None
        for sentence in block.sentences:
            folded = str if block.kind == "code" else _folded
            gap = "\n\n" if last is None else folded(block.text[last : sentence.start])
            text = folded(block.text[sentence.start : sentence.end])
            length += len(gap) if spans else 0
            parts += [gap, text] if spans else [text]
            span_id = ids.make("s", " ".join(text.split()))
            spans.append(Span(span_id, length, length + len(text), text, sentence.places, sentence.recognised))
            length += len(text)
            last = sentence.end
    return _Stretch("".join(parts), spans)


def table_cuts(caption: Sequence[Span], rows: Sequence[Span], chars: int, overlap: int) -> Iterator[list[Span]]:
    """The sentences of each passage of a table: of the caption, all in the first and else what fits, and rows."""
    lead = [span for span in caption if span.end <= overlap]
    spans = list(caption)
    new = 0
    for row in rows:
        if new and sum(span.end - span.start + 1 for span in spans) + len(row.text) > chars:
            yield spans
            spans, new = list(lead), 0
        spans.append(row)
        new += 1
    yield spans


def _of_table(paper_id: str, section: _Section, spans: Sequence[Span], ordinal: int, ids: Ids) -> Passage:
    placed: list[Span] = []
    for span in spans:
        start = placed[-1].end + 1 if placed else 0
        placed.append(replace(span, start=start, end=start + len(span.text)))
    text = "\n".join(span.text for span in placed)
    passage_id = ids.make("p", "\0".join((section.kind, section.path, text)))
    return Passage(passage_id, paper_id, section.kind, section.path, text, tuple(placed), ordinal)


def _folded(text: str) -> str:
    return _LINE_ENDS.sub(" ", text) if "\n" in text else text


def cuts(spans: list[Span], chars: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The first and the last sentence of each passage; every passage has a sentence that those before it have not."""
    first, new = 0, 0
    while new < len(spans):
        last = new
        while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= chars:
            last += 1
        yield first, last
        first = new = last + 1
        if new == len(spans):
            return
        while first > 0 and _fits(spans, first - 1, new, chars, overlap):
            first -= 1


def _fits(spans: list[Span], first: int, new: int, chars: int, overlap: int) -> bool:
    """Whether the passage whose first new sentence is `new` may begin with `first`, of the passage before."""
    return spans[new - 1].end - spans[first].start <= overlap and spans[new].end - spans[first].start <= chars


def _passage(
    paper_id: str, section: _Section, stretch: _Stretch, first: int, last: int, ordinal: int, ids: Ids
) -> Passage:
    start, end = stretch.spans[first].start, stretch.spans[last].end
    text = stretch.text[start:end]
    spans = tuple(stretch.spans[first : last + 1])
    if start:
        spans = tuple(replace(span, start=span.start - start, end=span.end - start) for span in spans)
    passage_id = ids.make("p", "\0".join((section.kind, section.path, text)))
    return Passage(passage_id, paper_id, section.kind, section.path, text, spans, ordinal)
