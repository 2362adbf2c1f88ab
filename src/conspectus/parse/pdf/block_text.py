"""Lines to the text of a block, with every sentence's rectangles: hyphens, superscripts, white space, listings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.page_text import LineGroup, PageFrame, PdfLine, Role, Word, around, merge_groups
from conspectus.parse.pdf.patterns import are_unspaced, close_spaced_letters
from conspectus.parse.pdf.thresholds import ALIKE, LINES, TABLES
from conspectus.parse.text.blocks import listing_sentences
from conspectus.parse.text.sentences import split_sentences, stripped
from conspectus.records import Block, BlockKind, Place, Sentence

_HYPHENS = "-‐\u00ad"
_RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_MARK = re.compile(r"[\d,;–−-]+")
_DECIMAL = re.compile(r"\d+\.\d+")
_CLOSING = ".,;:)"
_TOKEN = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_URL = re.compile(r"(?:https?:|www\.|doi\.org/|doi:)\S*$", re.I)
_URL_GOES_ON = re.compile(r"(?=\S*?[/._=\d?#%-])[\w./:%#?=&~+-]++$")
_AFTER_LABEL = re.compile(r"[\s.:|–—]*")
_PREFIXES = frozenset({"self", "non", "all", "quasi", "well", "cross"})
_CLOSED = frozenset(
    """
    after any back before bio down every extra fore here hyper in inter intra macro micro mis multi nano no off on out
    over photo pre pro re semi some sub super there through trans un under up upper when where with con per for
    """.split()
)
"""Words that other words begin with and are written together with."""
_ENDING = re.compile(
    r"[aeiouy]|ment|ness|tion|sion|ship|less|ful|ward|wise|ism|ist|ture|tive|bil|ble|ric|nal|rial|tial|cial|cian|lar|lat|lit|liz|lis"
    r"|mat|niz|nis|nat|nit|rat|riz|ris|rit|sit|tat|tic|tis|tiz|tor|tur|zat|fic|fy|graph|log|met|nom|path|scop|phor|therm|berg|ler"
    r"|ner|ger|ber|der|ter|ver|per|cer|ser|mer|ings?$|ers?$|ed$|ly$|ties$|ty$"
)
"""Beginnings of what follows a hyphen that TeX and others have put into a word: endings, rather than words."""
_COMBINED = tuple(
    """
    photo electro micro macro hydro thermo spectro magneto neuro inter counter super multi trans under over mis dis
    pre re un psycho physio radio bio hyper ultra poly
    """.split()
)
"""What words begin with that are long without being compounds."""
_FORMS = ("s", "d", "ed", "es", "ing")
"""Endings of plurals, pasts and participles."""

_LINKS = frozenset({"of", "to", "the", "in", "by", "and", "on", "at", "up", "a", "for", "or"})
_JOINING = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou"})
_HEADS = frozenset(
    """
    long short high low well full half large small real two three four one first second third near mid light heavy hard
    deep fast slow wide state single double time space open
    """.split()
)
"""Words that compounds begin with."""
_ADVERBS = ("ically", "onally", "ually", "ately", "ively", "ently", "antly", "edly", "ously")
"""No word goes on after these: `statically-typed`."""
_COUNTS = frozenset({"two", "three", "four", "five", "seven", "eight", "third"})
_AFTER_COUNTS = frozenset({"fold", "some", "teen", "teenth", "hundred", "teens"})
_CLOSED_TAILS = frozenset({"comings", "lighting", "lighted", "handedly", "sighted", "hearted", "headed", "ization"})
"""Long words that are written together with such heads."""
_TAILS = frozenset(
    """
    based dependent independent resolved induced driven like type order free specific related rate scale level
    dimensional known term time lived range field energy density temperature frequency resolution quality noise
    step state phase ready aware oriented agnostic intensive sensitive invariant typed
    """.split()
)
"""Words that compounds end with."""
_WIDEST = 200
"""No more columns of white space are kept."""
_Row = list[tuple[PdfLine, Word]]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word in a block's text: `text[start:end]`, from `line`."""

    start: int
    end: int
    word: Word
    line: PdfLine


class DocumentWords:
    """The words of a document, to tell a hyphen that belongs to a word from one made by a line end."""

    def __init__(self, lines: Iterable[PdfLine]) -> None:
        self._plain: set[str] = set()
        self._hyphened: set[str] = set()
        self._heads: set[str] = set()
        self._tails: set[str] = set()
        broken = False
        for line in lines:
            tokens = _TOKEN.findall(line.text.casefold().replace("‐", "-"))
            start, broken = int(broken), line.text[-1] in _HYPHENS and len(line.text) > 1
            end = max(len(tokens) - broken, start)
            for token in tokens[start:end]:
                self._add(token)
            for token in tokens[:start] + tokens[end:]:  # what a line end has broken off is no word
                if "-" in token:
                    self._hyphened.add(token)

    def _add(self, token: str) -> None:
        if "-" not in token:
            self._plain.add(token)
            return
        self._hyphened.add(token)
        parts = token.split("-")
        self._heads.add(parts[0])
        self._tails.add(parts[-1])
        for part in range(1, len(parts) - 1):
            self._hyphened.add("-".join(parts[part:]))

    def keeps_hyphen(self, first: str, second: str) -> bool:
        """Whether `first` (without its hyphen), broken off at a line end, and `second` are joined by a real hyphen."""
        head, tail = (_TOKEN.findall(part.casefold().replace("‐", "-")) for part in (first, second))
        if not head or not tail or not first[-1].isalpha() or not second[0].isalpha():
            return True
        joined = f"{head[-1]}-{tail[0]}"
        if joined in self._hyphened or f"{head[-1].rpartition('-')[2]}-{tail[0]}" in self._hyphened:
            return True
        if head[-1] + tail[0] in self._plain or joined.replace("-", "") in self._plain:
            return False
        last = head[-1].rpartition("-")[2]
        capital = second[0].isupper() and not (first.isupper() and second.isupper() and len(last) > 3)
        return capital or last in _PREFIXES or self._are_words(head[-1], tail[0])

    def _are_words(self, head: str, tail: str) -> bool:
        """Whether both are words of their own, as in a compound: the rest of a broken word is seldom one."""
        compound, head = "-" in head, head.rpartition("-")[2]
        tail, more, _ = tail.partition("-")
        if (compound and head in _LINKS) or (more and tail in _PREFIXES | _HEADS and len(head) > 3):
            return True
        if head in _CLOSED or min(len(head), len(tail)) < 3:
            return False
        if self._by_form(head, tail):
            return True
        no_ending = _ENDING.match(tail) is None
        if len(head + tail) > 15 and min(len(head), len(tail)) > 5 and no_ending and not head.startswith(_COMBINED):
            return True
        if head in self._plain or head in self._heads:
            return (
                (no_ending and len(head) > 3 and len(tail) > 4)
                or tail in self._plain
                or tail in self._tails
                or tail in _TAILS
            )
        return tail in _TAILS and head in _HEADS

    def _by_form(self, head: str, tail: str) -> bool:
        """Whether `tail` looks like a word: behind an adverb, a numeral or a head of compounds, or a participle."""
        if head.endswith(_ADVERBS) or (head in _COUNTS and len(tail) > 3 and tail not in _AFTER_COUNTS):
            return True
        if len(tail) < 7:
            return False
        if head in _HEADS and tail not in _CLOSED_TAILS:
            return True
        participle = tail.endswith(("ing", "ed")) and _ENDING.match(tail) is None
        return participle and len(head) > 5 and (head.endswith("e") or any(head + end in self._plain for end in _FORMS))


def assemble(lines: Sequence[PdfLine], vocabulary: DocumentWords) -> tuple[str, list[PlacedWord]]:
    """The text of `lines`, and which word stands where in it."""
    parts: list[str] = []
    pieces: list[PlacedWord] = []
    length = 0
    before: Word | None = None
    for line in lines:
        decimals = _decimals(line.words)
        for i, word in enumerate(line.words):
            marked = word.raised and word not in decimals and _MARK.fullmatch(word.text)
            text = word.text.translate(_RAISED) if marked else word.text  # so that `10⁵` does not become `105`
            gap = "" if before is None else _between(before, word, vocabulary, new_line=i == 0)
            if gap == "mend":
                parts[-1] = parts[-1][:-1]
                last = pieces[-1]
                pieces[-1] = PlacedWord(last.start, last.end - 1, last.word, last.line)
                length -= 1
                gap = ""
            parts += (gap, text)
            start = length + len(gap)
            length = start + len(text)
            pieces.append(PlacedWord(start, length, word, line))
            before = word
    return "".join(parts), pieces


def _decimals(words: Sequence[Word]) -> set[Word]:
    """The raised words that are pieces of a decimal number standing by itself, as `0.2` over 64 is."""
    decimals: set[Word] = set()
    i = 0
    while i < len(words):
        end = i + 1
        while end < len(words) and words[end].raised and words[end].glued:
            end += 1
        alone = words[i].raised and not (words[i].glued and i)
        if alone and _DECIMAL.fullmatch("".join(word.text for word in words[i:end])):
            decimals.update(words[i:end])
        i = end
    return decimals


def _between(before: Word, word: Word, vocabulary: DocumentWords, *, new_line: bool) -> str:
    """What stands between two words: a space, nothing, or "mend" where the first one's hyphen goes."""
    if new_line:
        return "" if are_unspaced(before.text, word.text) else _at_line_end(before.text, word.text, vocabulary)
    if not word.glued:
        return "" if _is_tight(before, word) else " "
    if before.raised and not word.raised and word.text[:1].isalpha() and _MARK.fullmatch(before.text):
        return " "
    return ""


def _is_tight(before: Word, word: Word) -> bool:
    """Whether the gap at a raised number is the font's own, too narrow for a space."""
    gap = word.x0 - before.x1
    if before.raised and not word.raised:
        return word.text[0] in _CLOSING and gap < LINES.closing * word.style.size
    return word.raised and bool(_MARK.fullmatch(word.text)) and gap < LINES.raised * before.style.size


def _at_line_end(first: str, second: str, vocabulary: DocumentWords) -> str:
    if first[-1] in _HYPHENS and len(first) > 1 and second[0].isalnum():
        if _URL.search(first):
            return ""
        if not first[-2].isalnum() or second.casefold() in _JOINING:  # `one- and two-sided`
            return " "
        return "" if vocabulary.keeps_hyphen(first[:-1], second) else "mend"
    if first[-1] in "/:_=&?%~" and _URL.search(first) and _URL_GOES_ON.match(second):
        return ""
    if _URL.search(first) and second[0] in "/?#&=_":
        return ""
    return " "


def make_block(
    kind: BlockKind,
    lines: Sequence[PdfLine],
    vocabulary: DocumentWords,
    frames: dict[int, PageFrame],
    *,
    level: int = 0,
    label: str = "",
) -> Block:
    """The block of `lines`: its text, sentences and their places. Headings and formulas are one sentence."""
    if kind == "heading" and close_spaced_letters(lines[0].text) != lines[0].text:
        for word in lines[0].words:
            word.glued = True
    text, pieces = assemble(lines, vocabulary)
    spans = _sentences(kind, text, label)
    sentences = []
    at = 0
    for start, end in spans:
        inside = []
        while at < len(pieces) and pieces[at].start < end:
            inside.append(pieces[at])
            at += 1
        sentences.append(Sentence(start, end, places_of(inside, frames)))
    return Block(kind, text, tuple(sentences), level, label)


def _sentences(kind: BlockKind, text: str, label: str) -> list[tuple[int, int]]:
    """Where the sentences are. A caption's label is part of its first sentence, whatever stands behind it."""
    if kind in ("heading", "equation"):
        return [(0, len(text))]
    if kind != "caption" or not text.startswith(label):
        return split_sentences(text)
    start = len(label) + len(_AFTER_LABEL.match(text, len(label)).group())  # type: ignore[union-attr]
    spans = [(start + a, start + b) for a, b in split_sentences(text[start:])]
    return [(0, spans[0][1]), *spans[1:]] if spans else [(0, len(text))]


def places_of(pieces: Sequence[PlacedWord], frames: dict[int, PageFrame]) -> tuple[Place, ...]:
    """One rectangle for every line that the pieces stand on."""
    places = []
    for group in split_runs(
        pieces, lambda on, piece: on[-1].line is piece.line and not _drop_cap(on[-1].word, piece.word)
    ):
        page = group[0].line.page
        places.append(Place(page, frames[page].on_page(around(piece.word.box for piece in group))))
    return tuple(places)


def _drop_cap(first: Word, second: Word) -> bool:
    """Whether `first` is a letter so big that its rectangle would hold words of other lines."""
    return len(first.text) == 1 and first.style.size > ALIKE.drop_cap * second.style.size


def join_listings(groups: Sequence[LineGroup]) -> list[LineGroup]:
    """`groups` with listings made one that go on at the head of the next column or page."""
    return merge_groups(groups, lambda last, group: last.role == group.role == Role.CODE)


def listing_block(lines: Sequence[PdfLine], frames: dict[int, PageFrame]) -> Block:
    """The listing with its line ends, indents and blank lines; short ones are one sentence."""
    rows = _rows(lines)
    cell = _cell(rows)
    lefts: dict[int, float] = {}
    for row in rows:
        page = row[0][0].page
        lefts[page] = min(lefts.get(page, row[0][1].x0), row[0][1].x0)
    usual = _median([step for above, row in pairwise(rows) if (step := _step(above, row)) > 0] or [1000])
    text, pieces = "", list[PlacedWord]()
    for number, row in enumerate(rows):
        if number:
            text += "\n\n" if _step(rows[number - 1], row) > TABLES.blank * usual else "\n"
        begin = len(text)
        for line, word in row:
            column = min(round((word.x0 - lefts[line.page] + _slack(word, cell)) / cell), len(text) - begin + _WIDEST)
            glued = word.glued and len(text) > begin
            text += " " * max(column - (len(text) - begin), 0 if glued or len(text) == begin else 1)
            pieces.append(PlacedWord(len(text), len(text) + len(word.text), word, line))
            text += word.text
    return _block("code", text, listing_sentences(text), pieces, frames)


def rows_block(lines: Sequence[PdfLine], frames: dict[int, PageFrame]) -> Block:
    """A paragraph whose rows are its sentences; those without a word belong to the row before."""
    text, starts, pieces = "", list[int](), list[PlacedWord]()
    for number, row in enumerate(_rows(lines)):
        text += "\n" if number else ""
        if not number or any(line.wordlike for line, _ in row):
            starts.append(len(text))
        for i, (line, word) in enumerate(row):
            text += " " if i and not word.glued else ""
            pieces.append(PlacedWord(len(text), len(text) + len(word.text), word, line))
            text += word.text
    return _block("paragraph", text, list(zip(starts, [*starts[1:], len(text)], strict=True)), pieces, frames)


def _rows(lines: Sequence[PdfLine]) -> list[_Row]:
    """The words of lines on one baseline, from left to right."""
    rows: list[_Row] = []
    for line in lines:
        last = rows[-1][-1][0] if rows else None
        if last is None or last.page != line.page or abs(last.base - line.base) > ALIKE.row * line.size:
            rows.append([])
        rows[-1] += [(line, word) for word in line.words]
    return [sorted(row, key=lambda placed: placed[1].x0) for row in rows]


def _cell(rows: Sequence[_Row]) -> float:
    """The width of a character: of fonts with one width, or of letters that are spaced out as if they had one."""
    words = [word for row in rows for _, word in row]
    if sum(len(word.text) == 1 for word in words) > TABLES.single * len(words):
        steps = [b.x0 + b.x1 - a.x0 - a.x1 for row in rows for (_, a), (_, b) in pairwise(row)]
        near = sorted(step / 2 for step in steps if step > 0.5)
        return near[len(near) // 4] if near else 5
    return _median([(word.x1 - word.x0) / len(word.text) for word in words]) or 5


def _slack(word: Word, cell: float) -> float:
    """How much further left the cell of the first character begins than the word, with a sign: narrow ones stand in
    the middle of their cells."""
    return ((word.x1 - word.x0) / len(word.text) - cell) / 2


def _step(above: _Row, row: _Row) -> float:
    """How far a row stands below another; 0 on another page."""
    upper, lower = above[0][0], row[0][0]
    return lower.base - upper.base if upper.page == lower.page else 0.0


def _median(values: list[float]) -> float:
    """As `statistics` has it, whose import takes longer than a page."""
    values.sort()
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _block(
    kind: BlockKind,
    text: str,
    spans: Sequence[tuple[int, int]],
    pieces: Sequence[PlacedWord],
    frames: dict[int, PageFrame],
) -> Block:
    sentences = []
    for start, end in spans:
        inside = [piece for piece in pieces if start <= piece.start < end]
        sentences.append(Sentence(*stripped(text, start, end), places_of(inside, frames)))
    return Block(kind, text, tuple(sentences))
