"""A paper put together block by block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from conspectus.parse.blocks import clean_line, text_block
from conspectus.parse.identifiers import find_arxiv_id, find_doi
from conspectus.parse.markup.inline import Words, fill_ranges
from conspectus.parse.markup.page_tree import folded
from conspectus.parse.markup.xml_tree import Element, id_of
from conspectus.records import (
    Author,
    Block,
    BlockKind,
    Figure,
    FigureKind,
    MarkKind,
    Metadata,
    ParsedPaper,
    Place,
    Reference,
)

_LETTERS: dict[FigureKind, str] = {"figure": "f", "table": "t"}
_KEY = "conspectus-key"
_NO_SENTENCE = frozenset(".,;:()[] ")
_NAMED = 10
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


@dataclass(slots=True)
class Keys:
    """What the ids of a document mean: for each the kind of mark that leads there, and the paper's own keys."""

    meaning: dict[str, tuple[MarkKind, tuple[str, ...]]] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def add_reference(self, element: Element, ids: Iterable[str] = ()) -> None:
        """`element` is the next reference; it goes by its id and by these."""
        key = f"b{len(self.references) + 1}"
        self.place[key] = len(self.references)
        self.references.append(key)
        element.set(_KEY, key)
        for name in filter(None, (id_of(element), *ids)):
            self.meaning.setdefault(name, ("reference", (key,)))

    def add_figure(self, kind: FigureKind, element: Element) -> None:
        """`element` is the next figure or table."""
        letter = _LETTERS[kind]
        self._counts[letter] += 1
        key = f"{letter}{self._counts[letter]}"
        element.set(_KEY, key)
        if name := id_of(element):
            self.meaning.setdefault(name, (kind, (key,)))

    def add_other(self, kind: MarkKind, elements: Iterable[Element]) -> None:
        """Things without a key of their own: footnotes, equations."""
        for element in elements:
            if name := id_of(element):
                self.meaning.setdefault(name, (kind, ()))

    def follow(self, ids: Iterable[str], told: MarkKind | None) -> tuple[MarkKind | None, tuple[str, ...]]:
        """The kind and the targets of a mark that leads to `ids`; what they are goes before what was `told`."""
        found = [self.meaning[name] for name in ids if name in self.meaning]
        kind = found[0][0] if found else told
        return kind, tuple(key for of, keys in found if of == kind for key in keys)


def key_of(element: Element) -> str:
    """The key that was given to the element, "" where there is none."""
    return element.get(_KEY) or ""


class PaperBuilder:
    """Blocks, figures and references in reading order."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.blocks: list[Block] = []
        self.references: list[Reference] = []
        self.warnings: list[str] = []
        self.missing: Counter[str] = Counter()
        self._figures: list[Figure] = []
        self._footnotes: list[Block] = []

    def heading(self, words: Words, level: int, number: str = "", places: tuple[Place, ...] = ()) -> bool:
        """A heading on one line, with its number before it; nothing where it is empty. Whether there is one."""
        text, number = clean_line(words.text), clean_line(number)
        if number and not text.startswith(number):
            text = f"{number} {text}".strip()
        if text:
            block = text_block("heading", text, max(level, 1))
            marks = words.marks if words.text == text else ()
            self.blocks.append(replace(block, marks=marks, sentences=(replace(block.sentences[0], places=places),)))
        return bool(text)

    def text(self, kind: BlockKind, words: Words, label: str = "", places: tuple[Place, ...] = ()) -> bool:
        """A block of text; footnotes wait for the end. Whether there was something to say."""
        if not words.text or (kind == "paragraph" and not set(words.text) - _NO_SENTENCE):
            return False
        keys = self.keys
        marks = fill_ranges(words.text, words.marks, keys.references, keys.place) if words.marks else ()
        block = replace(words, marks=marks).block(kind, clean_line(label), places)
        (self._footnotes if kind == "footnote" else self.blocks).append(block)
        return True

    def figure(
        self,
        kind: FigureKind,
        key: str,
        caption: Words,
        label: str = "",
        href: str = "",
        cells: tuple[tuple[str, ...], ...] = (),
        place: Place | None = None,
    ) -> None:
        """A figure or table, with its caption as a block."""
        said = self.text("caption", caption, label)
        number = len(self.blocks) - 1 if said else None
        self._figures.append(Figure(key, kind, clean_line(label), number, place, href, cells))

    def reference(self, reference: Reference, places: tuple[Place, ...] = ()) -> None:
        """An entry of the reference list, also as a block."""
        self.references.append(reference)
        self.text("reference", Words(reference.text), reference.label, places)

    def footnotes_here(self) -> None:
        """The footnotes that were met so far come here."""
        self.blocks += self._footnotes
        self._footnotes.clear()

    def paper(self, metadata: Metadata, pages: int = 0) -> ParsedPaper:
        """The whole."""
        self.footnotes_here()
        known = {reference.key for reference in self.references} | {figure.key for figure in self._figures}
        blocks = tuple(_leading_to(known, block) for block in self.blocks)
        return ParsedPaper(metadata, blocks, pages, tuple(self.warnings), tuple(self.references), tuple(self._figures))


def _leading_to(known: set[str], block: Block) -> Block:
    """The block without targets that are not there: things that stand where nothing is read."""
    if all(key in known for mark in block.marks for key in mark.targets):
        return block
    marks = (replace(mark, targets=tuple(key for key in mark.targets if key in known)) for mark in block.marks)
    return replace(block, marks=tuple(marks))


def with_text(known: Reference, *, year: str, issue: str, publisher: str, otherwise: str = "") -> Reference:
    """The reference with its year, and with what its text says; without one that is put together from the parts.

    Args:
        known: what the source says of the work; its text is how it is printed, where that is known.
        year, issue, publisher: as written.
        otherwise: the text where there are no parts.
    """
    whole, found = known.text, year_in(year)
    return replace(
        known,
        text=whole or printed(known, year, issue, publisher) or otherwise,
        year=int(found) if found else None,
        doi=known.doi or find_doi(whole),
        arxiv_id=known.arxiv_id or find_arxiv_id(whole),
    )


def year_in(text: str) -> str:
    """The first year in a date, as four digits, or ""."""
    found = _YEAR.search(text)
    return found[1] if found else ""


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
    given = author.given if author.given.isupper() and len(author.given) <= 4 else initials
    return f"{author.family} {given}".strip()


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
    """The blocks but for those numbers, and the figures, which know their captions still."""
    kept = [i for i in range(len(blocks)) if i not in drop]
    new = {old: i for i, old in enumerate(kept)}
    moved = [replace(f, caption=None if f.caption is None else new.get(f.caption)) for f in figures]
    return [blocks[i] for i in kept], moved


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
