"""A paper's metadata from what is printed, the document information and XMP: what agrees counts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace

from conspectus.parse.dates import date_in
from conspectus.parse.identifiers import own_doi
from conspectus.parse.pdf.authors import names_in
from conspectus.parse.pdf.thresholds import AROUND
from conspectus.parse.pdf.venue import SERIES, cited_in, find_venue
from conspectus.records import Author, Metadata, normal_name

_NO_TITLE = re.compile(
    r"(?:microsoft|untitled|powerpoint|\(?anonymous|slide \d|document\d*$|paper$|manuscript$|title$"
    r"|template|article$|latex|main$|proof|layout 1"
    r"|.*\.(?:docx?|pdf|tex|dvi|indd|rtf|odt|qxd|eps|ps|fm|xml|3d)\b|.*(?:template|your paper title"
    r"|insert title).*|[^\s_\d/\\]*+[_\d/\\]\S*+$|doi:?\s*10\.|pii:?)",
    re.I,
)
_XMP, _XMP_END = b"<x:xmpmeta", b"</x:xmpmeta>"
_LONGEST_XMP = 200_000
_ARXIV = re.compile(r"\barXiv:\s*(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\b", re.I)
_LABELS = (
    r"published(?:\s+online)?",
    r"available\s+online",
    r"publication\s+date",
    r"(?:©|\(c\)|copyright)",
    r"dated",
    r"accepted",
)
_IN_BRACKETS = re.compile(r"[\w.,]\s*+\((?P<year>(?:19|20)\d\d)\)")
_ISSUE = re.compile(r"\bvol(?:ume|\.)?\s*\d", re.I)


@dataclass(frozen=True)
class Said:
    """What the file says of itself, in the document information or in XMP."""

    title: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""
    venue: str = ""
    keywords: str = ""
    date: str = ""


@dataclass
class Printed:
    """What stands on the first page. `front` are its texts apart from the running text, running heads among them.

    `heads` are the running heads and feet of all pages.
    """

    title: str = ""
    authors: list[Author] = field(default_factory=list)
    abstract: str = ""
    keywords: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    front: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    stamps: list[str] = field(default_factory=list)
    page: str = ""


def said_by_info(info: dict[str, str]) -> Said:
    """What the document information says; titles that are file names or templates are refused."""
    doi = next((value for key, value in info.items() if "doi" in key.casefold()), "") or info.get("Subject", "")
    return Said(
        title=plausible_title(info.get("Title", "")),
        authors=(info["Author"],) if info.get("Author") else (),
        doi=own_doi([doi]),
        keywords=info.get("Keywords", ""),
    )


def said_by_xmp(data: bytes) -> Said:
    """What the last XMP packet in the file's bytes says. Pictures within the file may have packets of their own."""
    end = data.rfind(_XMP_END)
    start = data.rfind(_XMP, max(0, end - _LONGEST_XMP), max(0, end))
    if start < 0:
        return Said()
    text = data[start:end].decode("utf-8", "replace")
    creators, closed, _ = text.partition("<dc:creator>")[2].partition("</dc:creator>")
    return Said(
        title=plausible_title(_xmp(text, "dc:title")),
        authors=tuple(_items(creators)) if closed else (),
        doi=own_doi([_xmp(text, "prism:doi") or _xmp(text, "pdfx:doi") or _xmp(text, "dc:identifier")]),
        venue=_xmp(text, "prism:publicationName"),
        date=_xmp(text, "prism:coverDate") or _xmp(text, "prism:publicationDate"),
    )


def _xmp(text: str, name: str) -> str:
    opened = re.search(rf"<{name}[^<>]*+>", text)
    closed = text.find(f"</{name}>", opened.end()) if opened else -1
    said = text[opened.end() : closed] if opened and closed >= 0 else ""
    if not said and (found := re.search(rf'{name}="([^"]*+)"', text)):
        said = found[1]
    return " ".join(html.unescape(re.sub(r"<[^<>]++>", " ", said)).split())


def _items(text: str) -> list[str]:
    items = re.findall(r"<rdf:li[^<>]*+>([^<]*+)</rdf:li>", text, re.S)
    return [" ".join(html.unescape(item).split()) for item in items if item.strip()]


def plausible_title(text: str) -> str:
    """`text` if it may be a paper's title, else "": no file names, templates, or single words."""
    text = " ".join(html.unescape(text).split())
    if _NO_TITLE.match(text) or len(text.split()) < 2 or len(text) < 8:
        return ""
    return text


def merge(printed: Printed, sources: list[Said]) -> Metadata:
    """The metadata on which the sources agree best; what is printed comes first."""
    authors = tuple(_authors(printed, sources))
    places = {place for author in authors for place in author.affiliations}
    title = _title(printed, sources)
    cited_venue, cited_year = cited_in(printed.front, title)
    said_date = next(filter(None, (_iso(said.date) for said in sources)), "")
    date = find_date(printed.front, printed.stamps) or said_date or cited_year
    keywords = printed.keywords or next((said.keywords for said in sources if said.keywords), "")
    return Metadata(
        title=title,
        authors=authors,
        abstract=printed.abstract,
        year=int(date[:4]) if date else None,
        date=date,
        doi=own_doi(printed.front, [said.doi for said in sources]),
        arxiv_id=find_arxiv(printed.stamps + printed.front),
        venue=next((said.venue for said in sources if said.venue), "")
        or cited_venue
        or find_venue(printed.heads, printed.front, places, [author.surname for author in authors]),
        keywords=split_keywords(keywords),
        extra=dict(printed.extra),
    )


def _iso(text: str) -> str:
    found = re.match(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?", text)
    return found.group() if found else ""


def _title(printed: Printed, sources: list[Said]) -> str:
    """The printed title; one that the file says of itself where it is printed too, or where nothing better is found."""
    page = normal_name(printed.page).replace(" ", "")
    for said in sources:
        if said.title and len(said.title.split()) > 2 and normal_name(said.title).replace(" ", "") in page:
            printed_key, said_key = (normal_name(text).replace(" ", "") for text in (printed.title, said.title))
            if printed_key != said_key and not (
                said_key in printed_key and len(printed_key) < AROUND.said_longer * len(said_key)
            ):
                return said.title
    return printed.title or next((said.title for said in sources if len(said.title.split()) > 2), "")


def _authors(printed: Printed, sources: list[Said]) -> list[Author]:
    """The printed authors, or those the file names if they are all printed and at least as many."""
    page = f" {normal_name(printed.page)} "
    for said in sources:
        names = _said_names(said.authors)
        on_page = all(f" {normal_name(author.surname)} " in page for author in names)
        if names and on_page and len(names) >= max(len(printed.authors), 1):
            return _with_printed(names, printed.authors)
    return printed.authors or _group(printed, sources)


def _with_printed(names: list[Author], printed: list[Author]) -> list[Author]:
    """The names with what the page says of their bearers: where they work, their ORCID, which name is the family's."""
    known = {normal_name(author.name): author for author in printed}
    last = {normal_name(author.surname): author for author in printed} if len(names) == len(printed) else {}
    found = (known.get(normal_name(one.name)) or last.get(normal_name(one.surname)) or one for one in names)
    return [
        replace(
            one,
            family=one.family or (page.family if page.name == one.name else ""),
            given=one.given or (page.given if page.name == one.name else ""),
            orcid=one.orcid or page.orcid,
            affiliations=page.affiliations,
        )
        for one, page in zip(names, found, strict=True)
    ]


def _group(printed: Printed, sources: list[Said]) -> list[Author]:
    """An author that is no person's name, where the file says it and the first page has it in the same words."""
    page = f" {normal_name(printed.page)} "
    names = (said.authors[0].strip() for said in sources if len(said.authors) == 1)
    return next(([Author(name=name)] for name in names if " " in name and f" {normal_name(name)} " in page), [])


def _said_names(authors: tuple[str, ...]) -> list[Author]:
    names: list[Author] = []
    for author in authors:
        family, comma, given = author.partition(",")
        if len(authors) > 1 and comma and "," not in given and " " not in family.strip():
            names.append(Author(name=f"{given.strip()} {family.strip()}"))
        else:
            names += names_in(author)
    return names


def find_arxiv(texts: list[str]) -> str:
    """The arXiv identifier in `texts`, without version."""
    return next((found["id"] for text in texts if (found := _ARXIV.search(text))), "")


def find_date(front: list[str], stamps: list[str]) -> str:
    """The date of publication as printed, ISO 8601: a labelled date before a copyright's before a stamp's."""
    text = "\n".join(front)
    for label in _LABELS:
        for match in re.finditer(rf"(?<![^\W_]){label}[:\s]*", text, re.I):
            date = date_in(text[match.end() : match.end() + 60])
            if date:
                return date
    for stamp in stamps:
        if _ARXIV.search(stamp) and (date := date_in(stamp)):
            return date
    for line in front:
        if _ISSUE.search(line) and (date := date_in(line)):
            return date
    found_year = (_IN_BRACKETS.search(line) or SERIES.fullmatch(line.strip()) for line in front)
    return next((found["year"] for found in found_year if found), "")


def split_keywords(text: str) -> tuple[str, ...]:
    """The keywords of a printed list."""
    for mark in (";", "；", "؛", "·", "•", "|", ",", "，", "、", "،", " – ", " — ", "\n"):
        if mark in text:
            parts = text.split(mark)
            break
    else:
        parts = [text]
    cleaned = (" ".join(part.split()).strip(" .;,。") for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if 1 < len(part) <= 80))
