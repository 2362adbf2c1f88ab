"""Running text in TEI, with the sentences and coordinates that GROBID gives."""

from __future__ import annotations

import math

from conspectus.parse.blocks import clean_line
from conspectus.parse.inline import is_raisable
from conspectus.parse.xml.flow import Flow
from conspectus.parse.xml.load import Element, plain_text
from conspectus.records import MarkKind, Place

REF_TYPES: dict[str, MarkKind] = {
    "bibr": "reference",
    "biblio": "reference",
    "figure": "figure",
    "fig": "figure",
    "table": "table",
    "foot": "footnote",
    "note": "footnote",
    "formula": "equation",
}
_SKIPPED = frozenset({"label", "graphic", "idno"})
_MAX_PLACES = 200
_MAX_PAGE = 100_000


def places_of(element: Element | None) -> tuple[Place, ...]:
    """The rectangles of `coords`: `page,x,y,width,height;…`, in points from the top left; none where they are odd."""
    found = []
    for part in (element.get("coords") or "").split(";")[:_MAX_PLACES] if element is not None else ():
        place = _place(part.split(","))
        if place is not None:
            found.append(place)
    return tuple(found)


def _place(numbers: list[str]) -> Place | None:
    try:
        page = int(numbers[0])
        x, y, width, height = (float(number) for number in numbers[1:])
    except ValueError:
        return None
    if not (1 <= page <= _MAX_PAGE and width >= 0 and height >= 0 and math.isfinite(x + y + width + height)):
        return None
    return Place(page, (x, y, x + width, y + height))


class TeiText(Flow):
    """Gathers the text of elements."""

    def line(self, element: Element | None) -> str:
        """The text of an element on one line."""
        return "" if element is None else clean_line(self.words(element).text)

    def _child(self, child: Element) -> None:
        tag = child.tag
        if tag in _SKIPPED:
            return
        if tag == "s":
            self._sentence(child)
        elif tag in ("ref", "ptr"):
            self._ref(child)
        elif tag in ("lb", "pb", "cb"):
            self.out.space()
        elif tag == "hi" and "sup" in (child.get("rend") or "") and is_raisable(plain_text(child)):
            self._raised(child)
        elif tag in ("p", "div", "head", "item", "row"):
            self._paragraph(child)
        elif tag in ("cell",):
            self.out.space()
            self._inside(child)
            self.out.space()
        else:
            self._inside(child)

    def _sentence(self, element: Element) -> None:
        out, since = self.out, self.out.here()
        self.out.space()
        self._inside(element)
        if self.out is out:
            out.sentence(since, places_of(element))
        self.out.space()

    def _ref(self, element: Element) -> None:
        ids = [name.removeprefix("#") for name in (element.get("target") or "").split() if name.startswith("#")]
        kind, targets = self._keys.follow(ids, REF_TYPES.get(element.get("type", "")))
        if kind is None or self._marking:
            return self._inside(element)
        return self._mark(element, kind, targets)
