"""Running text of XML elements, gathered child by child; JATS and TEI differ in what a child means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from conspectus.parse.inline import Inline, Words, raised
from conspectus.parse.xml.build import Keys
from conspectus.parse.xml.load import Element

Interrupt = Callable[[Element], bool]
"""Told of each element within a paragraph: whether it was taken care of and is not part of the text."""


class Flow(ABC):
    """Gathers the text of elements in `out`."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.out = Inline()
        self._interrupt: Interrupt | None = None
        self._marking = False
        self._raising = False

    def words(self, *elements: Element, head: str = "", interrupt: Interrupt | None = None) -> Words:
        """The text of the elements as one, a paragraph each; `head` stands before the first."""
        kept, self.out, before, self._interrupt = self.out, Inline(), self._interrupt, interrupt
        self.out.add(head)
        self.out.space()
        for number, element in enumerate(elements):
            if number:
                self.out.paragraph()
            self._inside(element)
        found, self.out, self._interrupt = self.out.words(), kept, before
        return found

    def flow(self, element: Element, interrupt: Interrupt) -> None:
        """Adds the content of a paragraph to `out`; `interrupt` hears of every element within and may take it."""
        kept, self._interrupt = self._interrupt, interrupt
        self._inside(element)
        self._interrupt = kept

    def _inside(self, element: Element) -> None:
        self._add(element.text)
        for child in element:
            if isinstance(child.tag, str) and self._interrupt is not None and self._interrupt(child):
                self.out.space()
            else:
                self._child(child)
            self._add(child.tail)

    @abstractmethod
    def _child(self, child: Element) -> None:
        """Adds what stands in a child, which may be an entity."""

    def _add(self, text: str | None) -> None:
        lone = text is not None and text.strip() == "–"  # between two numbers, which are pieces of their own
        self.out.add(raised(text) if self._raising and text and not lone else text)

    def _paragraph(self, element: Element) -> None:
        self.out.paragraph()
        self._inside(element)
        self.out.paragraph()
