"""Running text in the making: white space folded as it comes, with the exact places of marks and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conspectus.parse.blocks import clean_line, text_block
from conspectus.parse.sentences import split_sentences
from conspectus.records import Block, BlockKind, Mark, MarkKind, Place, Reference, Sentence

_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_RAISABLE = frozenset("0123456789+-−–,;* \t\r\n")
_DASH = re.compile(r"(?<!\s)\s*+[-–—−‐⁻]\s*+")
_NUMBER = re.compile(r"(?:[\[(]\s*+)?(\d{1,4})(?:\s*+[\])])?")
_RANGE = re.compile(r"[\[(]?\s*(\d{1,4})(?<!\s)\s*+[-–—−‐⁻]\s*+(\d{1,4})\s*[\])]?")
_LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Words:
    """Clean text; paragraphs within it are parted by a blank line. `sentences` are those that the source marked."""

    text: str
    marks: tuple[Mark, ...] = ()
    sentences: tuple[Sentence, ...] = ()

    def block(self, kind: BlockKind, label: str = "", places: tuple[Place, ...] = ()) -> Block:
        """The words as a block; `places` are those of its only sentence, if it has only one."""
        if kind == "reference":  # one thing, however many full stops are in it
            found: tuple[Sentence, ...] = (Sentence(0, len(self.text), places),)
        else:
            found = _all_sentences(self.text, self.sentences)
            if label and len(found) > 1 and self.text[: found[0].end].rstrip(".: ") == label.rstrip(".: "):
                found = (
                    Sentence(0, found[1].end, found[0].places + found[1].places),
                    *found[2:],
                )  # `Fig. 2.` is no sentence
            if places and len(found) == 1 and not found[0].places:
                found = (Sentence(found[0].start, found[0].end, places),)
        return Block(kind, self.text, found, 0, label, self.marks)


class Inline:
    """Takes pieces of text in reading order. Marks may point to ids of the source until they are `finished`."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._marks: list[Mark] = []
        self._sentences: list[Sentence] = []
        self._open: tuple[int, MarkKind, tuple[str, ...]] | None = None

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def text(self) -> str:
        """What was added."""
        return "".join(self._parts)

    @property
    def last(self) -> str:
        """The last character so far, "" before the first and where white space is to follow."""
        return "" if self._gap or not self._parts else self._parts[-1][-1]

    def add(self, text: str | None) -> None:
        """Adds a piece of text; white space is folded, also across pieces."""
        if not text:
            return
        words = clean_line(text)
        if not words:
            self._gap = self._gap or " "
            return
        if not self._gap and text[:1].isspace():
            self._gap = " "
        if self._gap and self._parts:
            self._put(self._gap)
        self._gap = " " if text[-1:].isspace() else ""
        self._put(words)

    def space(self) -> None:
        """White space follows."""
        self._gap = self._gap or " "

    def paragraph(self) -> None:
        """A new paragraph follows: a blank line, which always ends a sentence."""
        self._gap = "\n\n"

    def here(self) -> int:
        """A bookmark for `mark` and `sentence`."""
        return len(self._parts)

    def mark(self, since: int, kind: MarkKind, targets: Iterable[str]) -> None:
        """What was added since the bookmark is a mark; nothing added, no mark."""
        start, end = self._stretch(since)
        if start < end:
            self._marks.append(Mark(start, end, kind, tuple(dict.fromkeys(targets))))

    def open(self, kind: MarkKind, targets: Iterable[str]) -> bool:
        """Begins a mark, unless one is open; whether it did."""
        if self._open is not None:
            return False
        self._open = (self.here(), kind, tuple(targets))
        return True

    def close(self) -> None:
        """Ends the open mark where the text now ends."""
        if self._open is not None:
            self.mark(*self._open)
            self._open = None

    def sentence(self, since: int, places: tuple[Place, ...]) -> None:
        """What was added since the bookmark is a sentence, by the source's own word."""
        start, end = self._stretch(since)
        if start < end:
            self._sentences.append(Sentence(start, end, places))

    def words(self) -> Words:
        """All that was added."""
        return Words(self.text, tuple(self._marks), tuple(self._sentences))

    def block(self, kind: BlockKind, level: int = 0, label: str = "") -> Block | None:
        """What was collected as a block, or None if that is nothing; begins anew."""
        self.close()
        words = self.words()
        self.__init__()  # type: ignore[misc]
        return replace(text_block(kind, words.text, level), label=label, marks=words.marks) if words.text else None

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _stretch(self, since: int) -> tuple[int, int]:
        added = self._parts[since:]
        start = self._length - sum(map(len, added))
        if added and added[0].isspace():
            start += len(added[0])
        return start, self._length


def raised(text: str) -> str:
    """The text of a superscript: digits and signs alone as superscript characters, so that 10⁵ is not read as 105."""
    if not is_raisable(text):
        return text
    return (text.replace("–", "⁻", 1) if text.lstrip()[:1] == "–" else text).translate(_RAISED)


def is_raisable(text: str) -> bool:
    """Whether a superscript is made of digits and signs only."""
    return not set(text) - _RAISABLE and any(sign.isdigit() or sign in "+-−–" for sign in text)


def finished(
    blocks: Iterable[Block], references: Iterable[Reference], known: Mapping[str, tuple[MarkKind, str]]
) -> list[Block]:
    """The blocks with marks that name keys, and with heading levels without gaps: `h2`, and `h4` below, as 1, 2.

    What leads nowhere goes, and `3–5` is one mark that names what is between too.

    Args:
        blocks: with marks that point to ids of the source.
        references: as they stand in the list.
        known: what the ids are: the kind, and the key of a reference or figure ("" for what has none).
    """
    order = [reference.key for reference in references]
    place = {key: number for number, key in enumerate(order)}
    found: list[Block] = []
    open_levels: list[int] = []
    for block in blocks:
        level = block.level
        if block.kind == "heading":
            while open_levels and open_levels[-1] >= level:
                open_levels.pop()
            open_levels.append(level)
            level = len(open_levels)
        marks = [led for mark in block.marks if (led := _led(mark, known))]
        found.append(replace(block, level=level, marks=fill_ranges(block.text, marks, order, place)))
    return found


def _led(mark: Mark, known: Mapping[str, tuple[MarkKind, str]]) -> Mark | None:
    """The mark with the keys of what its ids are, if they are of the kind of the first; None where it leads nowhere."""
    found = [known[target] for target in mark.targets if target in known]
    if not found:
        return None
    kind = found[0][0]
    return replace(mark, kind=kind, targets=tuple(dict.fromkeys(key for other, key in found if key and other == kind)))


def _all_sentences(text: str, given: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """The given sentences, and those of the text between them."""
    if not given:
        return tuple(Sentence(start, end) for start, end in split_sentences(text))
    found: list[Sentence] = []
    last = 0
    for sentence in (*given, Sentence(len(text), len(text))):
        between = split_sentences(text[last : sentence.start])
        found += [Sentence(last + start, last + end) for start, end in between]
        if sentence.start < sentence.end:
            found.append(sentence)
        last = sentence.end
    return tuple(found)


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
    found: list[Mark] = []
    for mark in marks:
        before = found[-1] if found else None
        if before is not None and _DASH.fullmatch(text, before.end, mark.start):
            keys = _between(text, before, mark, order, place)
            if keys:
                found[-1] = Mark(before.start, mark.end, "reference", keys)
                continue
        found.append(_filled(text, mark, order, place))
    return tuple(found)


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
    apart = int(written[2]) - int(written[1])
    first = place[mark.targets[0]]
    if not 0 < apart < _LONGEST or first + apart >= len(order):
        return mark
    if len(mark.targets) == 1 and first + 1 != int(written[1]):
        return mark
    if len(mark.targets) == 2 and place.get(mark.targets[1]) != first + apart:
        return mark
    return Mark(mark.start, mark.end, "reference", tuple(order[first : first + apart + 1]))


def _run(first: str, last: str, apart: int, order: Sequence[str], place: Mapping[str, int]) -> tuple[str, ...]:
    if first not in place or last not in place or not 0 < apart < _LONGEST:
        return ()
    begin, end = place[first], place[last]
    return tuple(order[begin : end + 1]) if end - begin == apart else ()


def _read(text: str, mark: Mark) -> str:
    return text[mark.start : mark.end].translate(_LOWER).strip()
