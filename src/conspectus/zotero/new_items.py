"""Papers as new items of Zotero: as Zotero had them, where they came from there, else made of their metadata."""

from __future__ import annotations

from typing import Any

from conspectus.records import Author, Paper
from conspectus.zotero.client import Item

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
    kept = {name: value for name, value in item.items() if name != "citationKey"}
    lines = [str(item.get("extra") or ""), f"Citation Key: {item['citationKey']}"]
    return kept | {"extra": "\n".join(part for part in lines if part)}


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
