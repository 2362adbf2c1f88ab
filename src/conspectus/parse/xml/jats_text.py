"""Running text in JATS: what stands within a paragraph, a title, a caption or a cell."""

from __future__ import annotations

from collections.abc import Callable

from conspectus.parse.blocks import clean_line
from conspectus.parse.xml.build import Keys
from conspectus.parse.xml.formula import formula_text
from conspectus.parse.xml.gather import Gatherer, Words, is_raisable, raised
from conspectus.parse.xml.load import Element, entity_text, plain_text
from conspectus.records import MarkKind

REF_TYPES: dict[str, MarkKind] = {
    "bibr": "reference",
    "fig": "figure",
    "table": "table",
    "fn": "footnote",
    "table-fn": "footnote",
    "disp-formula": "equation",
}
_FORMULAS = frozenset({"inline-formula", "math", "tex-math", "disp-formula", "chem-struct", "alternatives"})
_SKIPPED = frozenset("label object-id graphic media permissions alt-text long-desc index-term processing-meta".split())
_SKIPPED_IN_TITLE = frozenset({"xref", "fn", "contrib-group"})
PARAGRAPHS = frozenset({"p", "title", "list-item", "def-item", "disp-quote", "list", "def-list", "sec", "verse-line"})
MISSING_FORMULA = "[formula]"
MISSING_IMAGE = "[image]"

Interrupt = Callable[[Element], bool]
"""Told of each element within a paragraph: whether it was taken care of and is not part of the text."""


class JatsText:
    """Gathers the text of elements. `missing` is called with what could not be read."""

    def __init__(self, keys: Keys, missing: Callable[[str], None]) -> None:
        self._keys = keys
        self._missing = missing
        self.out = Gatherer()
        self._interrupt: Interrupt | None = None
        self._marking = False
        self._raising = False
        self._skipped = _SKIPPED

    def words(self, *elements: Element) -> Words:
        """The text of the elements as one, a paragraph each."""
        kept, self.out, interrupt, self._interrupt = self.out, Gatherer(), self._interrupt, None
        for element in elements:
            self.out.paragraph()
            self._inside(element)
        found, self.out, self._interrupt = self.out.words(), kept, interrupt
        return found

    def title(self, element: Element | None) -> str:
        """The text of a title on one line, without marks of footnotes."""
        if element is None:
            return ""
        self._skipped = _SKIPPED | _SKIPPED_IN_TITLE
        try:
            return clean_line(self.words(element).text)
        finally:
            self._skipped = _SKIPPED

    def flow(self, element: Element, interrupt: Interrupt) -> None:
        """Adds the content of a paragraph to `out`; `interrupt` hears of every element within and may take it."""
        kept, self._interrupt = self._interrupt, interrupt
        self._inside(element)
        self._interrupt = kept

    def _inside(self, element: Element) -> None:
        self._add(element.text)
        for child in element:
            self._child(child)
            self._add(child.tail)

    def _add(self, text: str | None) -> None:
        self.out.add(raised(text) if self._raising and text else text)

    def _child(self, child: Element) -> None:
        tag = child.tag
        if not isinstance(tag, str):
            text = entity_text(child)
            self._add(text)
            if not text:
                self._missing("entity")
        elif self._interrupt is not None and self._interrupt(child):
            self.out.space()
        elif tag in self._skipped:
            return
        elif tag in _FORMULAS:
            self._formula(child)
        elif tag == "inline-graphic":
            self._missing("image")
            self._add(MISSING_IMAGE)
        elif tag == "xref":
            self._xref(child)
        elif tag == "sup":
            self._superscript(child)
        elif tag in ("break", "hr"):
            self.out.space()
        elif tag in PARAGRAPHS:
            self.out.paragraph()
            self._inside(child)
            self.out.paragraph()
        else:
            self._inside(child)

    def _formula(self, element: Element) -> None:
        text = formula_text(element)
        if not text:
            self._missing("formula")
        self._add(text or MISSING_FORMULA)

    def _superscript(self, element: Element) -> None:
        text = plain_text(element)
        if not is_raisable(text) or self._raising:
            return self._inside(element)
        if self.out.last.isalpha() and next(element.iter("xref"), None) is not None:
            self.out.space()  # `cells ¹²`: a mark is no part of the word before it
        self._raising = True
        self._inside(element)
        self._raising = False
        return None

    def _xref(self, element: Element) -> None:
        kind, targets = self._keys.follow(
            (element.get("rid") or "").split(), REF_TYPES.get(element.get("ref-type", ""))
        )
        if kind is None or self._marking:
            return self._inside(element)
        sup = element[0] if len(element) == 1 and element[0].tag == "sup" and not (element.text or "").strip() else None
        digits = is_raisable(plain_text(element))
        if (sup is not None or kind == "footnote") and digits and self.out.last.isalpha():
            self.out.space()
        out, since = self.out, self.out.here()
        self._marking, kept, self._raising = True, self._raising, self._raising or (kind == "footnote" and digits)
        self._inside(element)
        self._marking, self._raising = False, kept
        if self.out is out:
            out.mark(since, kind, targets)
        return None
