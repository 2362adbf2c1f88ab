"""Notes of Zotero, which are HTML, as Markdown, and back; annotations as notes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from conspectus.core.text import cleaned
from conspectus.records.curation import LONGEST_NOTE
from conspectus.records.passage import Passage, Rect, Span
from conspectus.zotero.client import Item, open_link

_MOST_HTML = 2**20
"""Characters of a note that are looked at."""
_MOST_RECTS = 200
_DEEPEST_QUOTE = 5
_SILENT = frozenset({"script", "style", "template", "iframe", "object", "svg", "math", "head", "title"})
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`", "s": "~~", "del": "~~"}
_BLOCKS = frozenset({"p", "div", "ul", "ol", "table", "tr", "pre", "blockquote", "hr"})
_SPACES = re.compile(r"[ \t\r\f\v]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_WORD = re.compile(r"\w+")
_COLOURS = {
    **{"#ffd400": "yellow", "#ff6666": "red", "#5fb236": "green", "#2ea8e5": "blue", "#a28ae5": "purple"},
    **{"#e56eee": "magenta", "#f19837": "orange", "#aaaaaa": "gray", "#000000": "black"},
}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class _MarkdownWriter:
    """Collects the Markdown of a note; scripts, styles and what else nobody reads are left out."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._silent: list[str] = []
        self._lists: list[int] = []
        self._links: list[str] = []
        self._quotes: list[int] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins, as lxml calls it."""
        if tag in _SILENT or self._silent:
            self._silent += [tag] if tag in _SILENT else []
        elif tag in _MARKS:
            self.parts.append(_MARKS[tag])
        elif re.fullmatch("h[1-6]", tag):
            self.parts.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag == "li":
            number = self._lists[-1] if self._lists else 0
            self.parts.append("\n" + "  " * (len(self._lists) - 1) + (f"{number}. " if number else "- "))
            if number:
                self._lists[-1] += 1
        elif tag == "br":
            self.parts.append("  \n")
        elif tag == "a":
            address = attributes.get("href") or ""
            self._links.append(address if re.match(r"(?:https?|zotero)://[^\s()<>]*\Z", address) else "")
            self.parts.append("[" if self._links[-1] else "")
        elif tag in _BLOCKS:
            self._lists += [1 if tag == "ol" else 0] if tag in ("ul", "ol") else []
            self.parts.append("\n\n")
            self._quotes += [len(self.parts)] if tag == "blockquote" and len(self._quotes) < _DEEPEST_QUOTE else []

    def end(self, tag: str) -> None:
        """An element ends."""
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
        elif tag in _MARKS:
            self.parts.append(_MARKS[tag])
        elif tag == "a" and self._links:
            address = self._links.pop()
            self.parts.append(f"]({address})" if address else "")
        elif tag in ("td", "th"):
            self.parts.append("  ")
        elif tag in _BLOCKS or re.fullmatch("h[1-6]", tag):
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()
            if tag == "blockquote" and self._quotes:
                start = self._quotes.pop()
                quoted = re.sub(r"\n{2,}", "\n\n", "".join(self.parts[start:]).strip())
                self.parts[start:] = ["> " + quoted.replace("\n", "\n> ")] if quoted else []
            self.parts.append("\n\n")

    def data(self, data: str) -> None:
        """Text."""
        if not self._silent:
            self.parts.append(_SPACES.sub(" ", data.replace("\n", " ")))

    def close(self) -> None:
        """The document ends."""


def markdown_of_note(html: str) -> str:
    """The Markdown of a note; text only, whatever is in it."""
    from lxml import etree  # Python's own parser takes minutes for some 100,000 characters

    writer = _MarkdownWriter()
    target: Any = writer  # its stubs want bytes taken as well, which never come
    parser = etree.HTMLParser(target=target, remove_comments=True, remove_pis=True)
    with suppress(etree.LxmlError, ValueError):  # too deep, for instance: what came before counts
        parser.feed("<body>" + _CONTROLS.sub(" ", html[:_MOST_HTML]))
        parser.close()
    lines = (line.rstrip(" ") if not line.endswith("  ") else line for line in "".join(writer.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(line if line.strip() else "" for line in lines))
    return cleaned(text).strip()


def note_of_markdown(text: str) -> str:
    """The HTML of a note in Markdown; HTML in it is text."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).enable("strikethrough").render(text)).strip()


def shorten(text: str, key: str, group: int = 0) -> str:
    """A text that a note can hold, with where the rest is: in the user's library of Zotero, or a group's."""
    if len(text) <= LONGEST_NOTE:
        return text
    library = f"groups/{group}" if group else "library"
    end = f"\n\n… {len(text):,} characters; the whole note is in Zotero: zotero://select/{library}/items/{key}"
    return text[: LONGEST_NOTE - len(end)] + end


def annotation_rects(annotation: Item, sizes: Sequence[tuple[float, float]]) -> list[tuple[int, Rect]]:
    """(page from 1, rectangle from the page's top left corner) of each part of an annotation, in points.

    Args:
        annotation: as Zotero has it: rectangles from the bottom left corner.
        sizes: width and height of each page; parts on other pages are left out.
    """
    try:
        position = json.loads(annotation.get("annotationPosition") or "{}")
    except (ValueError, RecursionError, TypeError):
        return []
    if not isinstance(position, dict) or not isinstance(page := position.get("pageIndex"), int):
        return []
    parts = [(page, rect) for rect in _rects(position.get("rects"))]
    parts += [(page + 1, rect) for rect in _rects(position.get("nextPageRects"))]
    return [
        (number + 1, (x0, sizes[number][1] - y1, x1, sizes[number][1] - y0))
        for number, (x0, y0, x1, y1) in parts[:_MOST_RECTS]
        if 0 <= number < len(sizes)
    ]


def _rects(value: Any) -> list[Rect]:
    return [
        (min(rect[0], rect[2]), min(rect[1], rect[3]), max(rect[0], rect[2]), max(rect[1], rect[3]))
        for rect in (value if isinstance(value, list) else [])
        if isinstance(rect, list) and len(rect) == 4 and all(type(side) in (int, float) for side in rect)
    ]


def annotated_spans(text: str, places: Sequence[tuple[int, Rect]], passages: Sequence[Passage]) -> list[Span]:
    """The sentences that an annotation marks, in reading order: those under it whose words it has.

    Where it has no words (a picture, ink), those under it. On a page that is turned its rectangles lie elsewhere; then
    the sentences of the page that are in its words.
    """
    pages = {page for page, _ in places}
    spans = {span.id: span for passage in passages for span in passage.spans if pages & _pages(span)}
    under = [span for span in spans.values() if _lies_under(span, places)]
    words = _words(text)
    if not words:
        return under
    same = [span for span in under if _share(_words(span.text), words) >= 0.5]
    return same or [span for span in spans.values() if " ".join(_words(span.text)) in " ".join(words)]


def _pages(span: Span) -> set[int]:
    return {place.page for place in span.places}


def _lies_under(span: Span, places: Sequence[tuple[int, Rect]]) -> bool:
    """Whether a tenth of a line of the sentence is covered: marks of neighbouring lines touch each other."""
    for place in span.places:
        x0, y0, x1, y1 = place.rect
        for page, (left, top, right, bottom) in places:
            width, height = min(x1, right) - max(x0, left), min(y1, bottom) - max(y0, top)
            if page == place.page and width > 0 and height > 0.4 * min(y1 - y0, bottom - top):
                return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _share(sentence: Sequence[str], words: Sequence[str]) -> float:
    """Which part of the shorter of both is in the other."""
    ours, other = set(sentence), set(words)
    return len(ours & other) / (min(len(ours), len(other)) or 1)


def note_of_annotation(
    annotation: Item, places: Sequence[tuple[int, Rect]], spans: Sequence[Span], group: int = 0
) -> str:
    """An annotation as a note: its words, its comment, a line that says where it is and which sentences it marks."""
    quoted = " ".join(str(annotation.get("annotationText") or "").split())
    comment = markdown_of_note(str(annotation.get("annotationComment") or ""))
    colour = str(annotation.get("annotationColor") or "")
    colour = colour.lower() if _COLOUR.fullmatch(colour) else ""
    page = places[0][0] if places else 1
    label = " ".join(str(annotation.get("annotationPageLabel") or "").split())[:20]
    facts = [
        f"Zotero {str(annotation.get('annotationType') or 'annotation')[:20]}",
        " ".join(part for part in (_COLOURS.get(colour, ""), colour) if part),
        f"page {page}" + (f" (p. {label})" if label and label != str(page) else "") if places else "",
        "rects " + "; ".join(",".join(f"{side:.1f}" for side in rect) for _, rect in places[:20]) if places else "",
        "sentences " + " ".join(span.id for span in spans) if spans else "",
        open_link(str(annotation.get("parentItem") or ""), page, str(annotation.get("key") or ""), group),
    ]
    parts = [f"> {quoted}" if quoted else "", comment, f"({', '.join(fact for fact in facts if fact)})"]
    return cleaned("\n\n".join(part for part in parts if part)).strip()
