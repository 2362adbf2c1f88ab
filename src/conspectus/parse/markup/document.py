"""A paper put together block by block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from conspectus.parse.markup.inline import MarkedText
from conspectus.parse.markup.page_tree import folded
from conspectus.parse.markup.xml_tree import Element, id_of
from conspectus.parse.text.blocks import (
    clean_line,
    code_block,
    labelled_abstract,
    next_key,
    rows_block,
    section_role,
    text_block,
)
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi
from conspectus.records import (
    Author,
    Block,
    BlockKind,
    Figure,
    FigureKind,
    Hidden,
    Mark,
    MarkKind,
    Metadata,
    ParsedPaper,
    Place,
    Reference,
)

_KEY = "conspectus-key"
_NO_SENTENCE = frozenset(".,;:()[] ")
_NAMED = 10
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_DASH = re.compile(r"(?<!\s)\s*+[-–—−‐⁻]\s*+")
_NUMBER = re.compile(r"(?:[\[(]\s*+)?(\d{1,4})(?:\s*+[\])])?")
_RANGE = re.compile(r"[\[(]?\s*(\d{1,4})(?<!\s)\s*+[-–—−‐⁻]\s*+(\d{1,4})\s*[\])]?")
_LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST = 60


class DocumentBuilder:
    """Builds a paper from blocks, figures, tables, notes and references in reading order.

    Marks may hold ids of the source, which `finish` resolves by their `meaning`. A reader that knows all elements
    beforehand gives each its key (`key_reference`, `key_figure`) and resolves a mark when it makes it (`follow`).

    Attributes:
        meaning: for each id of the source the kind of mark that leads there, and the paper's own keys.
        role: of the section in hand: `abstract`, `references`, `skip`, or "".
        missing: counts of what could not be read, by kind.
    """

    def __init__(self, *, marks_have_keys: bool = False) -> None:
        self.blocks: list[Block] = []
        self.figures: list[Figure] = []
        self.references: list[Reference] = []
        self.warnings: list[str] = []
        self.missing: Counter[str] = Counter()
        self.meaning: dict[str, tuple[MarkKind, tuple[str, ...]]] = {}
        self._keys: Counter[str] = Counter()
        self.role = ""
        self._role_level = 0
        self._footnotes: list[Block] = []
        self._marks_have_keys = marks_have_keys

    # Keys and ids

    def key_reference(self, element: Element, ids: Iterable[str] = ()) -> None:
        """Give `element` the key of the next reference; its own id and `ids` mean that."""
        self._key(element, "b", "reference", ids)

    def key_figure(self, kind: FigureKind, element: Element) -> None:
        """Give `element` the key of the next figure or table."""
        self._key(element, kind[0], kind)

    def _key(self, element: Element, letter: str, kind: MarkKind, ids: Iterable[str] = ()) -> None:
        self._keys[letter] += 1
        element.set(_KEY, f"{letter}{self._keys[letter]}")
        for name in filter(None, (id_of(element), *ids)):
            self.meaning.setdefault(name, (kind, (key_of(element),)))

    def note_ids(self, kind: MarkKind, elements: Iterable[Element]) -> None:
        """Note the ids of things without a key of their own: footnotes, equations."""
        for element in elements:
            if name := id_of(element):
                self.meaning.setdefault(name, (kind, ()))

    def follow(self, ids: Iterable[str], stated: MarkKind | None) -> tuple[MarkKind | None, tuple[str, ...]]:
        """The kind and the keys of a mark that leads to `ids`; their meaning goes before the `stated` kind."""
        meanings = [self.meaning[name] for name in ids if name in self.meaning]
        kind = meanings[0][0] if meanings else stated
        return kind, tuple(dict.fromkeys(key for other, keys in meanings if other == kind for key in keys))

    # Blocks

    def heading(
        self,
        words: MarkedText | str,
        level: int,
        number: str = "",
        places: tuple[Place, ...] = (),
        role: str | None = None,
    ) -> bool:
        """Begin a section, with its number before the title, unless the title is empty or the section is skipped.

        `role` is that of the section, by default as its title says. Returns whether there is a heading.
        """
        words = MarkedText(words) if isinstance(words, str) else words
        text, number = clean_line(words.text), clean_line(number)
        if number and not text.startswith(number):
            text = f"{number} {text}".strip()
        if not text:
            return False
        if not self.role or level <= self._role_level:
            self.role, self._role_level = section_role(text) if role is None else role, level
        if self.role == "skip":
            return False
        block = text_block("heading", text, max(level, 1))
        marks = words.marks if words.text == text else ()
        self.blocks.append(replace(block, marks=marks, sentences=(replace(block.sentences[0], places=places),)))
        return True

    def add(self, block: Block) -> None:
        """Add a block; a paragraph that is labelled as the abstract becomes one."""
        if block.kind == "paragraph" and (abstract := labelled_abstract(block.text)):
            block = text_block("abstract", abstract)
        self.blocks.append(block)

    def text(self, kind: BlockKind, words: MarkedText, label: str = "", places: tuple[Place, ...] = ()) -> bool:
        """Add a block of text, if there is something to say; footnotes wait for the end."""
        if not words.text or (kind == "paragraph" and not set(words.text) - _NO_SENTENCE):
            return False
        (self._footnotes if kind == "footnote" else self.blocks).append(words.block(kind, clean_line(label), places))
        return True

    def code(self, text: str) -> None:
        """Add a listing, if there is something in it."""
        if block := code_block(text):
            self.blocks.append(block)

    def figure(
        self,
        kind: FigureKind,
        caption: MarkedText | Block | None,
        label: str = "",
        href: str = "",
        cells: tuple[tuple[str, ...], ...] = (),
        place: Place | None = None,
        key: str = "",
    ) -> str:
        """Add a figure or table, with its caption as a block; return its key."""
        key = key or next_key(kind, self.figures)
        if isinstance(caption, MarkedText):
            caption = caption.block("caption", label) if caption.text else None
        self.figures.append(Figure(key, kind, label, len(self.blocks) if caption else None, place, href, cells))
        if caption:
            self.blocks.append(caption)
        return key

    def bare_table(self, rows: tuple[tuple[str, ...], ...], key: str = "") -> str:
        """Add a table without a caption, also as a paragraph; return its key."""
        key = key or next_key("table", self.figures)
        self.figures.append(Figure(key, "table", cells=rows, block=len(self.blocks)))
        self.blocks.append(rows_block(rows))
        return key

    def reference(self, reference: Reference, places: tuple[Place, ...] | None = None) -> None:
        """Add an entry of the reference list, also as a block: one sentence where its `places` are known."""
        self.references.append(reference)
        if places is None:
            self.blocks.append(replace(text_block("reference", reference.text), label=reference.label))
        else:
            self.text("reference", MarkedText(reference.text), reference.label, places)

    # The whole

    def finish(self) -> None:
        """Add the footnotes, resolve the ids that marks hold, and leave no gap between the levels of headings.

        A mark that leads nowhere goes, and `3–5` is one mark that also names what is between.
        """
        self.blocks += self._footnotes
        self._footnotes.clear()
        order = [reference.key for reference in self.references]
        place = {key: number for number, key in enumerate(order)}
        things = place.keys() | {figure.key for figure in self.figures}
        open_levels: list[int] = []
        for number, block in enumerate(self.blocks):
            level = block.level
            if block.kind == "heading":
                while open_levels and open_levels[-1] >= level:
                    open_levels.pop()
                open_levels.append(level)
                level = len(open_levels)
            if block.marks or level != block.level:
                marks = fill_ranges(block.text, self._resolve_marks(block.marks, things), order, place)
                self.blocks[number] = replace(block, level=level, marks=marks)
        self._marks_have_keys = True

    def _resolve_marks(self, marks: Iterable[Mark], things: set[str]) -> list[Mark]:
        """The marks with keys. Of marks that were resolved when they were made only keys of no `things` go."""
        if self._marks_have_keys:
            return [replace(mark, targets=tuple(key for key in mark.targets if key in things)) for mark in marks]
        followed = ((mark, *self.follow(mark.targets, None)) for mark in marks)
        return [replace(mark, kind=kind, targets=keys) for mark, kind, keys in followed if kind]

    def paper(self, metadata: Metadata, pages: int = 0) -> ParsedPaper:
        """The paper, finished."""
        self.finish()
        return ParsedPaper(
            metadata, tuple(self.blocks), pages, tuple(self.warnings), tuple(self.references), tuple(self.figures)
        )

    def article(self, metadata: Metadata, title: str, hidden: tuple[Hidden, ...] = ()) -> ParsedPaper:
        """The paper, finished, without the lines between its title and its first words (names, dates, keywords)."""
        self.finish()
        blocks, figures, metadata = without_apparatus(self.blocks, self.figures, metadata, title)
        return ParsedPaper(
            metadata,
            blocks,
            warnings=tuple(self.warnings),
            references=tuple(self.references),
            figures=figures,
            hidden=hidden,
        )


def key_of(element: Element) -> str:
    """The key that was given to the element, "" where there is none."""
    return element.get(_KEY) or ""


def fill_ranges(text: str, marks: Sequence[Mark], order: Sequence[str], place: Mapping[str, int]) -> tuple[Mark, ...]:
    """The marks of `text`, with ranges of references as one mark that points to all of them.

    Two marks with nothing but a dash between them are a range if their numbers lie as far apart as the references they
    point to; one mark that is written as a range, and points to the reference of that number or to both ends, likewise.

    Args:
        text: what the marks are in.
        marks: in order.
        order: the keys of all references, as in the list.
        place: where each key stands in `order`.
    """
    merged_marks: list[Mark] = []
    for mark in marks:
        before = merged_marks[-1] if merged_marks else None
        if before is not None and _DASH.fullmatch(text, before.end, mark.start):
            keys = _between(text, before, mark, order, place)
            if keys:
                merged_marks[-1] = Mark(before.start, mark.end, "reference", keys)
                continue
        merged_marks.append(_filled(text, mark, order, place))
    return tuple(merged_marks)


def _between(text: str, first: Mark, last: Mark, order: Sequence[str], place: Mapping[str, int]) -> tuple[str, ...]:
    if not (first.kind == last.kind == "reference" and len(first.targets) == len(last.targets) == 1):
        return ()
    numbers = [_NUMBER.fullmatch(_read(text, mark)) for mark in (first, last)]
    if not (numbers[0] and numbers[1]):
        return ()
    return _run(first.targets[0], last.targets[0], int(numbers[1][1]) - int(numbers[0][1]), order, place)


def _filled(text: str, mark: Mark, order: Sequence[str], place: Mapping[str, int]) -> Mark:
    if mark.kind != "reference" or not 1 <= len(mark.targets) <= 2:
        return mark
    written = _RANGE.fullmatch(_read(text, mark))
    if not written or mark.targets[0] not in place:
        return mark
    steps = int(written[2]) - int(written[1])
    first = place[mark.targets[0]]
    if not 0 < steps < _LONGEST or first + steps >= len(order):
        return mark
    if len(mark.targets) == 1 and first + 1 != int(written[1]):
        return mark
    if len(mark.targets) == 2 and place.get(mark.targets[1]) != first + steps:
        return mark
    return Mark(mark.start, mark.end, "reference", tuple(order[first : first + steps + 1]))


def _run(first: str, last: str, steps: int, order: Sequence[str], place: Mapping[str, int]) -> tuple[str, ...]:
    if first not in place or last not in place or not 0 < steps < _LONGEST:
        return ()
    begin, end = place[first], place[last]
    return tuple(order[begin : end + 1]) if end - begin == steps else ()


def _read(text: str, mark: Mark) -> str:
    return text[mark.start : mark.end].translate(_LOWER).strip()


def with_text(known: Reference, *, year: str, issue: str, publisher: str, otherwise: str = "") -> Reference:
    """The reference with its year, and with what its text says; without one that is put together from the parts.

    Args:
        known: what the source says of the work; its text is how it is printed, where that is known.
        year, issue, publisher: as written.
        otherwise: the text where there are no parts.
    """
    printed_text, first_year = known.text, year_in(year)
    return replace(
        known,
        text=printed_text or printed(known, year, issue, publisher) or otherwise,
        year=int(first_year) if first_year else None,
        doi=known.doi or find_doi(printed_text),
        arxiv_id=known.arxiv_id or find_arxiv_id(printed_text),
    )


def year_in(text: str) -> str:
    """The first year in a date, as four digits, or ""."""
    match = _YEAR.search(text)
    return match[1] if match else ""


def page_span(first: str, last: str) -> str:
    """`4–9`, or the first page alone; "" without one."""
    return f"{first}–{last}" if first and last and first != last else first


def printed(entry: Reference, year: str, issue: str, publisher: str) -> str:
    """`Lee A, Roe B (2001) Cats asleep. Journal of Cats 3(2): 4–9. doi:10.1000/cats`."""
    names = ", ".join(_name(author) for author in entry.authors[:_NAMED])
    if len(entry.authors) > _NAMED:
        names += " et al."
    head = f"{names} ({year})" if names and year else names or year
    number = entry.volume + (f"({issue})" if issue else "")
    where = " ".join(filter(None, (entry.venue, number)))
    if entry.pages:
        where = f"{where}: {entry.pages}" if where else entry.pages
    title = entry.title.rstrip(".")
    body = ". ".join(filter(None, (title, where, "" if publisher == entry.venue else publisher)))
    link = f"doi:{entry.doi}" if entry.doi else entry.url
    return " ".join(filter(None, (head, f"{body}." if body and body[-1] not in ".?!" else body, link)))


def _name(author: Author) -> str:
    if not author.family:
        return author.name
    initials = "".join(part[0] for part in author.given.replace(".", " ").replace("-", " ").split())
    given_names = author.given if author.given.isupper() and len(author.given) <= 4 else initials
    return f"{author.family} {given_names}".strip()


_FRONT = re.compile(
    r"(?:published|received|accepted|posted|updated|first published|available online|copyright|©|doi\b|https?://|citation:"
    r"|correspondence|edited by|editor|open access|research article|article|review|e-?mail|by\s+[A-Z]"
    r"|keywords?\b|from wikipedia"
    r"|\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}|\d+ min(?:ute)?s? read)",
    re.I,
)
_KEYWORDS = re.compile(r"key\s?words?(?: and phrases)?\s*[:.—–-]\s*", re.I)
_SHORT = 300


def without_apparatus(
    blocks: list[Block], figures: list[Figure], metadata: Metadata, title: str
) -> tuple[tuple[Block, ...], tuple[Figure, ...], Metadata]:
    """Blocks and figures of the article itself, and its metadata with what the text says of it.

    A line of keywords counts where there are none yet; the text's abstract goes before a given one.
    """
    blocks, figures = without_front(blocks, figures, metadata, title)
    blocks, figures, keywords = without_keywords(blocks, figures)
    abstract = "\n\n".join(block.text for block in blocks if block.kind == "abstract")
    known = replace(
        metadata,
        abstract=abstract or metadata.abstract,
        keywords=metadata.keywords or keywords,
        references=tuple(block.text for block in blocks if block.kind == "reference"),
    )
    return tuple(blocks), tuple(figures), known


def without_front(
    blocks: list[Block], figures: list[Figure], metadata: Metadata, title: str
) -> tuple[list[Block], list[Figure]]:
    """The blocks from the article's first words on; figures know their captions still."""
    at = _title_at(blocks, title)
    drop = set(range(at + 1)) if at >= 0 and not any(len(b.text) > _SHORT for b in blocks[:at]) else set()
    drop = {i for i in drop if blocks[i].kind in ("paragraph", "heading", "footnote")}
    if at >= 0:
        drop.add(at)
    for i in range(at + 1, len(blocks)):
        block = blocks[i]
        if block.kind not in ("paragraph", "footnote"):
            break
        if not _is_front(block.text, metadata):
            break
        drop.add(i)
    raise_by = _sole_top_level(blocks, at, drop)
    blocks = [replace(b, level=max(1, b.level - raise_by)) if b.level else b for b in blocks]
    return without(blocks, figures, drop)


def without_keywords(blocks: list[Block], figures: list[Figure]) -> tuple[list[Block], list[Figure], tuple[str, ...]]:
    """The blocks without a line `Keywords: …`, and the keywords."""
    for i, block in enumerate(blocks):
        match = _KEYWORDS.match(block.text) if block.kind in ("abstract", "paragraph") else None
        if match and len(block.text) <= 2 * _SHORT:
            words = (word.strip(" .") for word in re.split(r"[;,·•|]", block.text[match.end() :]))
            return *without(blocks, figures, {i}), tuple(word for word in words if word)
    return blocks, figures, ()


def without(blocks: list[Block], figures: list[Figure], drop: set[int]) -> tuple[list[Block], list[Figure]]:
    """The blocks but for those numbers, and the figures, which know their blocks still."""
    numbers = [i for i in range(len(blocks)) if i not in drop]
    new: dict[int | None, int] = {old: i for i, old in enumerate(numbers)}
    moved = [replace(figure, caption=new.get(figure.caption), block=new.get(figure.block)) for figure in figures]
    return [blocks[i] for i in numbers], moved


def _title_at(blocks: list[Block], title: str) -> int:
    """The number of the title's heading, or -1."""
    want = folded(title)
    for i, block in enumerate(blocks[:40]):
        if block.kind == "heading" and want and folded(block.text) == want:
            return i
    return -1


def _sole_top_level(blocks: list[Block], at: int, drop: set[int]) -> int:
    """By how much headings rise when the title, which stood above them, has gone."""
    levels = [block.level for i, block in enumerate(blocks) if block.kind == "heading" and i not in drop]
    return min(levels) - 1 if levels and at >= 0 else 0


def _is_front(text: str, metadata: Metadata) -> bool:
    if len(text) > _SHORT:
        return False
    names = sum(author.surname in text for author in metadata.authors[:20] if len(author.surname) > 2)
    ends_like_text = text.endswith((".", "?", "!")) and len(text.split()) > 12
    if names and (not ends_like_text or names > 2):
        return True
    return bool(_FRONT.match(text)) and not ends_like_text
