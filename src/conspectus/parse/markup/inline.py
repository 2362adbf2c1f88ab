"""Running text in the making: white space folded as it comes, with the exact places of marks and sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from conspectus.parse.text.blocks import clean_line, text_block
from conspectus.parse.text.sentences import split_sentences
from conspectus.records import Block, BlockKind, Mark, MarkKind, Place, Sentence

_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_RAISABLE = frozenset("0123456789+-−–,;* \t\r\n")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Clean text; paragraphs within it are parted by a blank line. `sentences` are those that the source marked."""

    text: str
    marks: tuple[Mark, ...] = ()
    sentences: tuple[Sentence, ...] = ()

    def block(self, kind: BlockKind, label: str = "", places: tuple[Place, ...] = ()) -> Block:
        """The words as a block; `places` are those of its only sentence, if it has only one."""
        if kind == "reference":  # one thing, however many full stops are in it
            sentences: tuple[Sentence, ...] = (Sentence(0, len(self.text), places),)
        else:
            sentences = _all_sentences(self.text, self.sentences)
            if label and len(sentences) > 1 and self.text[: sentences[0].end].rstrip(".: ") == label.rstrip(".: "):
                sentences = (
                    Sentence(0, sentences[1].end, sentences[0].places + sentences[1].places),
                    *sentences[2:],
                )  # `Fig. 2.` is no sentence
            if places and len(sentences) == 1 and not sentences[0].places:
                sentences = (Sentence(sentences[0].start, sentences[0].end, places),)
        return Block(kind, self.text, sentences, 0, label, self.marks)


class Inline:
    """Takes pieces of text in reading order. Marks may hold ids of the source until the document is finished."""

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

    def words(self) -> MarkedText:
        """All that was added."""
        return MarkedText(self.text, tuple(self._marks), tuple(self._sentences))

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


def _all_sentences(text: str, known_sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """The given sentences, and those of the text between them."""
    if not known_sentences:
        return tuple(Sentence(start, end) for start, end in split_sentences(text))
    sentences: list[Sentence] = []
    last = 0
    for sentence in (*known_sentences, Sentence(len(text), len(text))):
        between = split_sentences(text[last : sentence.start])
        sentences += [Sentence(last + start, last + end) for start, end in between]
        if sentence.start < sentence.end:
            sentences.append(sentence)
        last = sentence.end
    return tuple(sentences)
