"""The walk through an article in XML, and the running text of its elements.

JATS and TEI differ in what an element means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from conspectus.parse.markup.document import DocumentBuilder
from conspectus.parse.markup.inline import Inline, MarkedText, raised
from conspectus.parse.markup.xml_tree import Element, Row, rows_of
from conspectus.parse.text.blocks import clean_line
from conspectus.records import MarkKind, Place

Interrupt = Callable[[Element], bool]
"""Notice of each element within a paragraph: whether it was taken care of and is not part of the text."""
Text = TypeVar("Text", bound="Flow")


class Flow:
    """Gathers the text of elements in `out`. What an element means is declared by each dialect.

    Attributes:
        skipped: elements that are no part of the text.
        spaces: elements that stand for white space.
        paragraphs: elements that are paragraphs of their own.
        handlers: functions for elements that mean something else; the content of all others is text.
    """

    skipped: frozenset[str]
    spaces: frozenset[str]
    paragraphs: frozenset[str]

    def __init__(self, builder: DocumentBuilder) -> None:
        self.builder = builder
        self.out = Inline()
        self._interrupt: Interrupt | None = None
        self._marking = False
        self._raising = False
        self.handlers: dict[str, Callable[[Element], None]] = {}

    def words(self, *elements: Element, head: str = "", interrupt: Interrupt | None = None) -> MarkedText:
        """The text of the elements as one, a paragraph each; `head` stands before the first."""
        saved_out, self.out, before, self._interrupt = self.out, Inline(), self._interrupt, interrupt
        self.out.add(head)
        self.out.space()
        for number, element in enumerate(elements):
            if number:
                self.out.paragraph()
            self._inside(element)
        marked_text, self.out, self._interrupt = self.out.words(), saved_out, before
        return marked_text

    def flow(self, element: Element, interrupt: Interrupt) -> None:
        """Adds the content of a paragraph to `out`; `interrupt` hears of every element within and may take it."""
        before, self._interrupt = self._interrupt, interrupt
        self._inside(element)
        self._interrupt = before

    def _inside(self, element: Element) -> None:
        self._add(element.text)
        for child in element:
            if self._interrupt is not None and self._interrupt(child):
                self.out.space()
            else:
                self._child(child)
            self._add(child.tail)

    def _child(self, child: Element) -> None:
        """Add what a child has."""
        tag = child.tag
        if tag in self.skipped:
            return
        if tag in self.spaces:
            self.out.space()
        elif handler := self.handlers.get(tag):
            handler(child)
        elif tag in self.paragraphs:
            self._paragraph(child)
        else:
            self._inside(child)

    def _add(self, text: str | None) -> None:
        lone = text is not None and text.strip() == "–"  # between two numbers, which are pieces of their own
        self.out.add(raised(text) if self._raising and text and not lone else text)

    def _add_raised(self, element: Element) -> None:
        """Adds what stands in a superscript."""
        before, self._raising = self._raising, True
        self._inside(element)
        self._raising = before

    def _mark(self, element: Element, kind: MarkKind, targets: tuple[str, ...], *, raised: bool = False) -> None:
        """Adds what stands in an element as a mark."""
        out, since = self.out, self.out.here()
        self._marking = True
        (self._add_raised if raised else self._inside)(element)
        self._marking = False
        if self.out is out:
            out.mark(since, kind, targets)

    def _paragraph(self, element: Element) -> None:
        self.out.paragraph()
        self._inside(element)
        self.out.paragraph()


class Body(Generic[Text]):
    """Walks through an article and gives its blocks to the builder.

    Attributes:
        passed_over: elements that are read elsewhere, or not at all.
        waits: elements within a paragraph that come after it.
        breaks: elements within a paragraph that break it off and are blocks of their own.
    """

    passed_over: frozenset[str]
    waits: frozenset[str]
    breaks: frozenset[str]

    def __init__(self, text: Text) -> None:
        self._builder = text.builder
        self._text = text
        self._waiting: list[Element] = []
        self._handlers: dict[str, Callable[[Element, int], None]] = {}

    def content(self, element: Element, level: int) -> None:
        """All that stands in `element`; sections in it have `level`."""
        for child in element:
            if child.tag not in self.passed_over:
                self._handle(child, level)

    def _handle(self, element: Element, level: int) -> None:
        self._handlers.get(element.tag, self._container)(element, level)

    def _container(self, element: Element, level: int) -> None:
        """A quotation, a group, or something unknown: what is in it, or loose text as a paragraph."""
        if (element.text or "").strip():
            self._paragraph(element, level)
        else:
            self.content(element, level)

    def _paragraph(self, element: Element, level: int) -> None:
        """A paragraph; what breaks it off becomes blocks of its own, and what floats in it comes after it."""
        self._flow(element, level)
        waiting, self._waiting = self._waiting, []
        for floating in waiting:
            self._handle(floating, level)

    def _flow(self, element: Element, level: int, head: str = "", places: tuple[Place, ...] = ()) -> None:
        """A paragraph with `head` in front, without what floats in it; `places` are its own if it is whole."""
        saved_out, self._text.out = self._text.out, Inline()
        self._text.out.add(head)
        self._text.out.space()
        is_whole = True

        def interrupt(child: Element) -> bool:
            nonlocal is_whole
            if child.tag in self.waits:
                self._waiting.append(child)
                return True
            if child.tag not in self.breaks:
                return False
            is_whole = False
            self._flush()
            outer, self._text.out = self._text.out, Inline()
            self._handle(child, level)
            self._text.out = outer
            return True

        self._text.flow(element, interrupt)
        self._flush(places if is_whole else ())
        self._text.out = saved_out

    def _flush(self, places: tuple[Place, ...] = ()) -> None:
        self._builder.text("paragraph", self._text.out.words(), "", places)
        self._text.out = Inline()

    def _cells(self, tables: Iterable[Element], label: str) -> tuple[Row, ...]:
        """The rows of the tables of a float; what is cut off is told."""
        cells, complete = rows_of(tables, lambda cell: clean_line(self._text.words(cell).text))
        if not complete:
            self._builder.warnings.append(f"{label or 'A table'} is too large; only its first rows were read.")
        return cells
