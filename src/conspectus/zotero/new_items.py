"""Papers as new items of Zotero, as they had been there or made of their metadata; highlights as annotations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conspectus.records import Author, Paper, Place
from conspectus.records.curation import HIGHLIGHT_COLORS, Highlight, HighlightColor, PaperNote
from conspectus.records.parsed_paper import PageSize
from conspectus.zotero.client import Item
from conspectus.zotero.state import KnownAnnotation, ZoteroState

_TYPES = {
    **{"article-journal": "journalArticle", "paper-conference": "conferencePaper", "book": "book", "thesis": "thesis"},
    **{"chapter": "bookSection", "report": "report", "manuscript": "manuscript", "dataset": "dataset"},
    **{"software": "computerProgram", "webpage": "webpage", "patent": "patent", "preprint": "preprint"},
    **{"magazine": "magazineArticle", "newspaper": "newspaperArticle", "document": "document"},
}
_VENUES = {
    **{"journalArticle": "publicationTitle", "magazineArticle": "publicationTitle", "preprint": "repository"},
    **{"newspaperArticle": "publicationTitle", "conferencePaper": "proceedingsTitle", "bookSection": "bookTitle"},
    **{"webpage": "websiteTitle", "dataset": "repository", "thesis": "university", "report": "institution"},
}
_WITH_DOI = frozenset({"journalArticle", "conferencePaper", "preprint", "dataset"})
_FIELDS = {
    "journalArticle": "volume issue pages series ISSN journalAbbreviation",
    "magazineArticle": "volume issue pages ISSN",
    "newspaperArticle": "pages place edition ISSN",
    "conferencePaper": "volume pages publisher place series ISBN",
    "book": "volume publisher place series edition ISBN",
    "bookSection": "volume pages publisher place series edition ISBN",
    "report": "pages place reportNumber",
    "thesis": "place",
    "computerProgram": "place ISBN",
    "manuscript": "place",
}
"""Fields that items of a type have, of those below."""
_OURS = {
    **{"volume": "volume", "issue": "number", "pages": "pages", "publisher": "publisher", "place": "address"},
    **{"series": "series", "edition": "edition", "ISSN": "issn", "ISBN": "isbn", "reportNumber": "number"},
    **{"journalAbbreviation": "journal_abbreviation"},
}
"""Zotero's names of fields -> ours."""
_NOT_COPIED = frozenset(
    {"key", "version", "collections", "tags", "relations", "dateAdded", "dateModified", "deleted", "parentItem"}
)


def copied_item(item: Item) -> Item:
    """An item of another Zotero as a new one, without what it is in."""
    return {name: value for name, value in item.items() if name not in _NOT_COPIED}


def item_of_paper(paper: Paper) -> Item:
    """A paper as a new item. What items of its type have no field for is in `extra`, a line each."""
    kind = _TYPES.get(str(paper.extra.get("type") or ""), "") or _guess_type(paper)
    item: Item = {"itemType": kind, "title": paper.title, "abstractNote": paper.abstract, "url": paper.url}
    item |= {"date": paper.date or str(paper.year or ""), "language": _text(paper.extra.get("language"))}
    lines = [("PMID", paper.pmid), ("PMCID", _text(paper.extra.get("pmcid"))), ("arXiv", paper.arxiv_id)]
    lines.append(("bibcode", paper.bibcode))
    for name, value in (("DOI", paper.doi), (_VENUES.get(kind, ""), paper.venue)):
        if name and (name != "DOI" or kind in _WITH_DOI):
            item[name] = value
        else:
            lines.insert(0, (name or "Publication Title", value))
    for name in _FIELDS.get(kind, "").split():
        item[name] = _text(paper.extra.get(_OURS[name]))
    item["creators"] = [_creator(author) for author in paper.authors]
    for role in ("editor", "translator"):
        names = paper.extra.get(role)
        people = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
        item["creators"] += [{"creatorType": role, "name": name} for name in people]
    noted = [_text(paper.extra.get("note")), *(f"{name}: {value}" for name, value in lines if value)]
    item["extra"] = "\n".join(part for part in noted if part)
    return {name: value for name, value in item.items() if value}


def without_citation_key(item: Item) -> Item:
    """The item with its citation key in `extra`, as versions before 8 have it."""
    fields = {name: value for name, value in item.items() if name != "citationKey"}
    lines = [str(item.get("extra") or ""), f"Citation Key: {item['citationKey']}"]
    return fields | {"extra": "\n".join(part for part in lines if part)}


def _guess_type(paper: Paper) -> str:
    if paper.venue or not paper.arxiv_id:
        return "journalArticle" if paper.venue or paper.doi else "document"
    return "preprint"


def _creator(author: Author) -> Item:
    if author.family and author.given:
        return {"creatorType": "author", "firstName": author.given, "lastName": author.family}
    return {"creatorType": "author", "name": author.name}


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


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


def is_same(known: KnownAnnotation, data: Item) -> bool:
    """Whether an annotation in Zotero is still as it is remembered."""
    now = known_annotation(known.key, data, "")
    return (now.color.lower(), now.comment.strip()) == (known.color.lower(), known.comment.strip())


def is_unchanged(known: KnownAnnotation, color: HighlightColor, note: str) -> bool:
    """Whether a highlight has still the colour and the note that are remembered."""
    return (HIGHLIGHT_COLORS[color], note) == (known.color.lower(), known.note)


def note_of_highlights(paper: Paper, texts: Iterable[str]) -> PaperNote:
    """Highlights, each as Markdown, as one note about a paper."""
    return PaperNote(f"{HIGHLIGHTS_NOTE}{paper.id}", paper.id, "\n\n".join(["## Highlights", *texts]), "", "")
