"""Running text in JATS: what stands within a paragraph, a title, a caption or a cell."""

from __future__ import annotations

from collections.abc import Callable

from conspectus.parse.blocks import clean_line
from conspectus.parse.inline import is_raisable
from conspectus.parse.xml.build import Keys
from conspectus.parse.xml.flow import Flow
from conspectus.parse.xml.formula import formula_text
from conspectus.parse.xml.load import Element, plain_text
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


class JatsText(Flow):
    """Gathers the text of elements. `missing` is called with what could not be read."""

    def __init__(self, keys: Keys, missing: Callable[[str], None]) -> None:
        super().__init__(keys)
        self._missing = missing
        self._skipped = _SKIPPED

    def title(self, element: Element | None) -> str:
        """The text of a title on one line, without marks of footnotes."""
        if element is None:
            return ""
        self._skipped = _SKIPPED | _SKIPPED_IN_TITLE
        try:
            return clean_line(self.words(element).text)
        finally:
            self._skipped = _SKIPPED

    def _child(self, child: Element) -> None:
        tag = child.tag
        if tag in self._skipped:
            return
        if tag in _FORMULAS:
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
            self._paragraph(child)
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
        return self._raised(element)

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
        return self._mark(element, kind, targets, raised=kind == "footnote" and digits)
