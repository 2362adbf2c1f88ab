"""A line of text in the making: white space folded as it comes, and marks at exact offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from conspectus.core.characters import cleaned
from conspectus.parse.blocks import text_block
from conspectus.records import Block, BlockKind, Mark, MarkKind

_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_CAN_RAISE = re.compile(r"[\d+−–-]++(?:[,\s–−-]++\d++)*+")
_DASH = re.compile(r"\]?\s?[-–—]\s?\[?")

Resolve = Callable[[str], tuple[MarkKind, str] | None]
"""Says what an id of the source is: the kind, and the key of a reference or figure ("" for what has none)."""


class Inline:
    """Collects text and marks. Marks point to ids of the source until `resolved` turns those into keys."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._space = False
        self._open: tuple[int, MarkKind, tuple[str, ...]] | None = None
        self._marks: list[Mark] = []

    def __bool__(self) -> bool:
        return self._length > 0

    @property
    def text(self) -> str:
        """What was added, on one line."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Adds text as the source has it; white space and control characters become single spaces."""
        text = cleaned(text)
        words = text.split()
        if not words:
            self._space = self._space or bool(text)
            return
        if (self._space or text[0].isspace()) and self._length:
            if self._open is not None and self._open[0] == self._length:
                self._open = (self._length + 1, *self._open[1:])  # a mark begins with a word
            self._put(" ")
        self._put(" ".join(words))
        self._space = text[-1].isspace()

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def open(self, kind: MarkKind, targets: Iterable[str]) -> bool:
        """Begins a mark, unless one is open; whether it did."""
        if self._open is not None:
            return False
        self._open = (self._length, kind, tuple(targets))
        return True

    def close(self) -> None:
        """Ends the open mark where the text now ends."""
        if self._open is None:
            return
        start, kind, targets = self._open
        self._open = None
        if start < self._length:
            self._marks.append(Mark(start, self._length, kind, targets))

    def block(self, kind: BlockKind, level: int = 0, label: str = "") -> Block | None:
        """What was collected as a block, or None if that is nothing; begins anew."""
        self.close()
        text, marks = self.text, tuple(self._marks)
        self.__init__()  # type: ignore[misc]
        if not text:
            return None
        return replace(text_block(kind, text, level), label=label, marks=marks)


def raised(text: str) -> str:
    """Superscript text: digits as such, so that `10⁵` does not become `105`; other text as it is."""
    return text.translate(_RAISED) if _CAN_RAISE.fullmatch(text.strip()) else text


def resolved(block: Block, resolve: Resolve, order: list[str]) -> Block:
    """`block` with marks that name keys; what leads nowhere goes, and `3` and `5` of `3–5` name what is between.

    `order` has the keys of the references as they stand in the list.
    """
    marks: list[Mark] = []
    for mark in block.marks:
        found = [place for target in mark.targets if (place := resolve(target))]
        if not found:
            continue
        kind = found[0][0]
        keys = tuple(dict.fromkeys(key for other, key in found if key and other == kind))
        marks.append(replace(mark, kind=kind, targets=keys))
    return replace(block, marks=tuple(_ranges(block.text, marks, order)))


def _ranges(text: str, marks: list[Mark], order: list[str]) -> Iterable[Mark]:
    at = {key: i for i, key in enumerate(order)}
    last: Mark | None = None
    for mark in marks:
        if last and mark.kind == last.kind == "reference" and _DASH.fullmatch(text[last.end : mark.start]):
            first, end = (at.get(m.targets[0], -1) if len(m.targets) == 1 else -1 for m in (last, mark))
            if 0 <= first < end <= first + 50:
                mark = replace(mark, targets=tuple(order[first + 1 : end + 1]))  # noqa: PLW2901
        yield mark
        last = mark
