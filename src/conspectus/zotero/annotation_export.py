"""Highlights as annotations of the PDFs that Zotero has; those of other papers as a note."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conspectus.records import Paper, Place
from conspectus.records.curation import HIGHLIGHT_COLORS, Highlight, HighlightColor, PaperNote
from conspectus.records.parsed_paper import PageSize
from conspectus.zotero.client import Item
from conspectus.zotero.state import KnownAnnotation, ZoteroState

HIGHLIGHTS_NOTE = "highlights-"
"""Before the id of a paper: what stands for the id of the note with its highlights."""


def find_attachment(state: ZoteroState, items: Iterable[str], paper: Paper) -> str:
    """The key of the attachment of these items that the paper's own PDF is; "" if it is none."""
    children = state.children()
    for item in items:
        for child in children.get(item, ()):
            stored, linked = f"/storage/{child['key']}/", str(child.get("path") or "")
            for file in paper.files:
                path = file.path.replace("\\", "/")
                if path.lower().endswith(".pdf") and (stored in path or path == linked):
                    return str(child["key"])
    return ""


def can_be_annotation(highlight: Highlight, sizes: Sequence[PageSize]) -> bool:
    """Whether it begins on a page of the PDF; what was imported may say anything."""
    return bool(highlight.places) and 1 <= highlight.places[0].page <= len(sizes)


def annotation_of(highlight: Highlight, attachment: str, sizes: Sequence[PageSize]) -> Item:
    """A highlight as a new annotation of an attachment; `sizes` of the pages, as Zotero measures from their foot."""
    page = highlight.places[0].page
    position: dict[str, Any] = {"pageIndex": page - 1, "rects": [*_rects(highlight.places, page, sizes)]}
    if rest := [*_rects(highlight.places, page + 1, sizes)]:
        position["nextPageRects"] = rest
    top = max(0, round(highlight.places[0].rect[1]))
    return {
        **{"itemType": "annotation", "parentItem": attachment, "annotationType": "highlight"},
        **{"annotationText": highlight.quote, "annotationPageLabel": str(page), "tags": []},
        "annotationPosition": json.dumps(position, separators=(",", ":")),
        "annotationSortIndex": f"{page - 1:05}|{top:06}|{top:05}",
        **written_fields(highlight),
    }


def _rects(places: Iterable[Place], page: int, sizes: Sequence[PageSize]) -> Iterator[list[float]]:
    for place in places:
        if place.page == page and 1 <= page <= len(sizes):
            (x0, y0, x1, y1), height = place.rect, sizes[page - 1].height
            yield [round(value, 2) for value in (x0, height - y1, x1, height - y0)]


def written_fields(highlight: Highlight) -> Item:
    """What of a highlight users may change, as an annotation has it."""
    return {"annotationColor": HIGHLIGHT_COLORS[highlight.color], "annotationComment": highlight.note}


def known_annotation(key: str, fields: Item, note: str) -> KnownAnnotation:
    """What is remembered of an annotation, and of the note of its highlight."""
    color, comment = (str(fields.get(name) or "") for name in ("annotationColor", "annotationComment"))
    return KnownAnnotation(key, color, comment, note)


def is_same(one: KnownAnnotation, data: Item) -> bool:
    """Whether an annotation in Zotero is still as it is remembered."""
    now = known_annotation(one.key, data, "")
    return (now.color.lower(), now.comment.strip()) == (one.color.lower(), one.comment.strip())


def is_unchanged(one: KnownAnnotation, color: HighlightColor, note: str) -> bool:
    """Whether a highlight has still the colour and the note that are remembered."""
    return (HIGHLIGHT_COLORS[color], note) == (one.color.lower(), one.note)


def note_of_highlights(paper: Paper, texts: Iterable[str]) -> PaperNote:
    """Highlights, each as Markdown, as one note about a paper."""
    return PaperNote(f"{HIGHLIGHTS_NOTE}{paper.id}", paper.id, "\n\n".join(["## Highlights", *texts]), "", "")
