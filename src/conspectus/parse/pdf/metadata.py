"""A paper's metadata from what is printed, the document information and XMP: what agrees counts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from conspectus.core.text import lazy_pattern
from conspectus.lexicon.word_lists import MONTH
from conspectus.parse.pdf.authors import names_in
from conspectus.parse.pdf.thresholds import AROUND
from conspectus.parse.people.names import PLACE
from conspectus.parse.references.sources import YEAR, find_locator
from conspectus.parse.text.dates import date_in
from conspectus.parse.text.identifiers import own_doi
from conspectus.records import Author, Metadata, normal_name

_LONGEST = 400
_LABEL = re.compile(r"^[^\W\d_][\w()]{0,40}+(?: (?!\d)\w{1,40}+){0,3}+:\s++(?=\w)")
"""What a repository's cover calls a line, as in `Source: Sea Letters, Vol. 4`. One line with a colon may be a name."""
_BEFORE_VENUE = re.compile(r"^[\s.,;:?!”\"'’]*+(?:[Ii]n:?\s++)?")
_LEAST_TITLE = 12
_LEAST_LABELS = 3
SERIES = re.compile(r"(?P<name>[A-Z][^\d,;:]{3,60}),?\s+\(?(?P<year>(?:19|20)\d\d)\)?\.?")
"""A line that is nothing but the name of proceedings and their year."""
_NAMED = re.compile(
    r"(?P<name>(?:The\s++)?(?:[A-Z][\w&-]{0,40}+\s++|of\s++|and\s++|for\s++){0,4}(?:Journal|Proceedings|Transactions"
    r"|Annals|Letters|Bulletin|Archives|Reviews)"
    r"(?:\s+(?:of|on|in|for|and|the|[A-Z][\w&-]*))*)"
)
_VOLUME = re.compile(r"\bvol(?:ume|\.)?\s*\d|\bissue\s+\d|\bno\.\s*\d", re.I)
_ISSUE = re.compile(r"\s\d{1,4}(?:(?:\.\d{1,4})?\s*\((?:#|no\.?)?\s*\d{1,4}\)|\.\d{1,4}(?=\s+[–—-]\s))", re.I)
"""A volume with the number of its issue, `6.3 (#1)` or `6.3 – `."""
_APART = re.compile(r"\s*[|•·/]\s+|\s+[–—]\s+|\s{3,}")
_LINK = re.compile(r"(?:\bdoi:?\s*)?(?:https?://|www\.|\b10\.\d{4,9}/)[^\s|•]+|\bdoi:", re.I)
_BEFORE = re.compile(
    r"(?:.{0,80}?\bet\s+al\b\.?[,:;/]?\s*|(?:article|chapter|(?:conference|working) paper|preprint)\s+in\s+"
    r"|(?:citation|cite this article as|to cite)\b[^:]{0,40}:\s*|\d{1,5}\s+)",
    re.I,
)
_NUMBERED = re.compile(r" (?:vol\w* )?\d")
_DATE = lazy_pattern(
    rf"(?<![\s,.;(])[\s,.;(]*+(?:\b\d{{1,2}}\s++)?(?:\b(?:{MONTH})\b\.?[\s\d,]*)?\(?\b(?:19|20)\d\d\b\)?.*$"
    rf"|(?<![\s,])[\s,]++(?:{MONTH})\b\.?[\s\d,]*+$",
    re.I,
)
_YEAR = re.compile(YEAR)
_CITED_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)")
_PAGES = re.compile(r"\b\d{1,4}\s*(?:/|of)\s*\d{1,4}\b|\b(?:19|20)\d\d\b|\bISSN\b")
_SMALL = r"of|the|and|in|on|for|de|der|la|et|und|für|to|a"
_NAME = re.compile(
    rf"(?:[A-Z]|eLife|mBio|iScience|npj)[\w&’'.:-]*(?:,? (?:[A-Z(&][\w&’'.:)-]*|{_SMALL})){{0,11}}",
)
_NO_NAME = re.compile(
    rf"arxiv|preprint|copyright|©|manuscript|draft|submitted|received|accepted|published|edited|licen[cs]e|open access"
    rf"|correspond|downloaded|page\b|figure|table|(?:{MONTH})\b\.?$",
    re.I,
)
_BANNER = re.compile(
    r"(?:(?:the\s++)?(?:\w++\s++){0,3}(?:journal|proceedings|annals|transactions|bulletin|letters|reviews?"
    r"|archives)\b(?:\s++(?:of|on|in|for)\b.*|\s*+$)"
    r"|(?:international|european|american|british)\s++journal\b.*"
    r"|contents?\s++lists?\s++available.*|science\s?direct.*|available\s++online.*|journal\s++home\s?page.*"
    r"|elsevier.*|springer.*|plos\b.*"
    r"|(?:full|original|regular|short|brief|invited)?\s*+(?:research|review|original)?\s*+"
    r"(?:articles?|papers?|communications?|letters?|reports?|reviews?|notes?|editorial|commentary"
    r"|perspectives?|research|protocol)"
    r"|open\s++access.*|(?:vol(?:ume)?\.?|issn|doi|https?:|www\.|arxiv|pre-?print|draft|version|received"
    r"|accepted|published|submitted|edited|copyright|©)\b.*"
    r"|(?:replication|reproduction)\s*+/.*|(?:(?:\w\s){4,}\w)|check\s++for\s++updates|citation:.*|pii:?.*|page\s++\d.*)",
    re.I,
)
FRONT_LINE = re.compile(
    r"(?:©|\(c\)(?=.{0,60}(?:19|20)\d\d|\s*(?:by|the)\b)"
    r"|copyright\b|received\b|accepted\b|submitted\b|revised\b|published\b|available online"
    r"|edited by|reviewed by|editor\b"
    r"|correspond(?:ence|ing)\b|e-?mail|doi\b|https?:|issn|licen[cs]e\b|this is an open[- ]access"
    r"|the authors? ha(?:ve|s) declared"
    r"|code is available|data is available|open peer review|software\b\s*$|(?:\*|†|∗)\s*correspond"
    r"|how to cite|citation:|preprint submitted)",
    re.I,
)
"""Beginnings of first-page lines that are about the paper rather than part of it."""
SMALL_PRINT = re.compile(
    r"(?:permission to make digital or hard copies|(?:\w+ )?reference format\b|this (?:work|article) is licensed"
    r"|(?:manuscript|paper) received\b|the authors? (?:is|are) with (?:the )?[A-Z]|preprint submitted"
    r"|all rights reserved|this is an open[- ]access|(?:the )?authors? retain copyright"
    r"|personal use (?:of this material )?is permitted|ccs concepts|0\d{3}-\d{3}[\dX]/)",
    re.I,
)
"""Beginnings of paragraphs on rights and on how to cite."""
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
_DATE_LABELS = (
    r"published(?:\s+online)?",
    r"available\s+online",
    r"publication\s+date",
    r"(?:©|\(c\)|copyright)",
    r"dated",
    r"accepted",
)
_IN_BRACKETS = re.compile(r"[\w.,]\s*+\((?P<year>(?:19|20)\d\d)\)")
_ISO_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?")
_VOLUME_NUMBER = re.compile(r"\bvol(?:ume|\.)?\s*\d", re.I)


def find_venue(
    heads: Iterable[str], front: Iterable[str], places: Iterable[str] = (), surnames: Iterable[str] = ()
) -> str:
    """The venue, or "": of a line with volume, pages or a link first, of one that calls itself a journal else.

    Args:
        heads: Running heads and feet.
        front: Lines of the first page that are not the text; addresses among them are passed over.
        places: Where the authors work.
        surnames: The authors' surnames, which may stand before the venue.
    """
    front = list(front)
    labelled = [line for line in front if _LABEL.match(line)]
    if len(labelled) >= _LEAST_LABELS:  # paragraphs of several such lines say nothing that the lines do not
        lines_only = (text for text in front if not any(line != text and line in text for line in labelled))
        front = [_LABEL.sub("", line, count=1) for line in lines_only]
    lines = [*heads, *(line for line in front if not _is_address(line, [place[:30] for place in places]))]
    venues = (imprint_venue(line) for line in _without_names(lines, surnames))
    return next(filter(None, venues), "") or _journal_name(lines)


def _without_names(lines: Iterable[str], surnames: Iterable[str]) -> Iterator[str]:
    """The lines, without the authors at their beginnings: `Holm and Ruiz. eLife 2018`."""
    name = "|".join(map(re.escape, filter(None, surnames)))
    names = re.compile(rf"\A(?:{name})(?:[,;]?\s+(?:\w{{1,3}}\s+|&\s+)?(?:{name}))*+[.,:;]?\s+") if name else None
    for line in lines:
        match = names.match(line) if names else None
        yield line[match.end() :] if match else line


def cited_in(texts: Iterable[str], title: str) -> tuple[str, str]:
    """The venue and the year that a recommended citation of `title` gives; "" for each that no text has.

    A citation has words before the title, and the venue right behind it.
    """
    plain_title = " ".join(title.lower().split())
    for text in texts if len(plain_title) >= _LEAST_TITLE else ():
        plain = " ".join(text.split())
        at = plain.lower().find(plain_title)
        if at <= 0:
            continue
        rest = _BEFORE_VENUE.sub("", plain[at + len(plain_title) :], count=1)
        name = _NAME.match(rest)
        venue = _DATE.sub("", name[0]).strip(" ,.;:(|-–—") if name and not _NO_NAME.match(name[0]) else ""
        year = _CITED_YEAR.search(rest) or _CITED_YEAR.search(plain[:at])
        if venue and not venue.isdecimal():
            return venue, year["year"] if year else ""
    return "", ""


def _is_address(line: str, places: list[str]) -> bool:
    """Whether the line is where an author works, or reads like that and not like a journal's."""
    if any(place in line for place in places):
        return True
    called = _NAMED.match(line)
    return (
        PLACE.search(line) is not None and not imprint_venue(line) and not (called and not PLACE.search(called["name"]))
    )


def imprint_venue(line: str) -> str:
    """The venue that stands before volume and pages, or beside a link or a date, in a line of a head or a foot."""
    text = " ".join(_LINK.sub(" | link ", line[:_LONGEST]).split("\t"))
    if (issue := _ISSUE.search(text)) and _YEAR.search(text) and (name := _first_name(text[: issue.start()])):
        return name
    text = _BEFORE.sub("", text, count=1) if _BEFORE.match(text) else text
    if _NO_NAME.match(text):
        return ""
    paged, volume = _PAGES.search(text) is not None, _VOLUME.search(text)
    is_imprint = paged or _YEAR.search(text) is not None
    place = find_locator(text.replace(" | link ", " "), AROUND.locator) if is_imprint else None
    if place is not None and (place.year or paged):
        return _first_name(text[: text.find(text.replace(" | link ", " ")[place.start : place.end])])
    if volume:
        return _first_name(text[: volume.start()])
    parts = _APART.split(text)
    return _first_name(parts[0]) if len(parts) > 1 and ("link" in text or _PAGES.search(" ".join(parts[1:]))) else ""


def _first_name(text: str) -> str:
    """The first part of the text that reads like a journal's name."""
    for part in _APART.split(text):
        name = _DATE.sub("", part).strip(" ,;:(|-–—")
        if len(name) > 2 and _NAME.fullmatch(name) and not _NO_NAME.match(name) and "@" not in name:
            return " ".join(name.split())
    return ""


def _journal_name(lines: list[str]) -> str:
    for line in lines:
        match = _NAMED.search(line)
        if match and len(match["name"].split()) > 2:
            return " ".join(match["name"].split())
    series = next((match for line in lines if (match := SERIES.fullmatch(line.strip()))), None)
    return " ".join(series["name"].split()) if series else ""


def is_banner(text: str, after: list[str], heads: frozenset[str]) -> bool:
    """Whether `text` is the journal's rather than the paper's name.

    Args:
        text: A group of the first page.
        after: The texts of the next groups.
        heads: The names (`normal_name`) of running heads and feet.
    """
    if _BANNER.fullmatch(text.strip()):
        return True
    if any(re.match(r"journal\s+home\s?page", line, re.I) for line in after[:1]):
        return True
    name = normal_name(text)
    return len(name) > 3 and any(head.startswith(name) and _NUMBERED.match(head, len(name)) for head in heads)


@dataclass(frozen=True)
class FileMetadata:
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


def read_info(info: dict[str, str]) -> FileMetadata:
    """What the document information says; titles that are file names or templates are refused."""
    doi = next((value for key, value in info.items() if "doi" in key.casefold()), "") or info.get("Subject", "")
    return FileMetadata(
        title=plausible_title(info.get("Title", "")),
        authors=(info["Author"],) if info.get("Author") else (),
        doi=own_doi([doi]),
        keywords=info.get("Keywords", ""),
    )


def read_xmp(data: bytes) -> FileMetadata:
    """What the last XMP packet in the file's bytes says. Pictures within the file may have packets of their own."""
    end = data.rfind(_XMP_END)
    start = data.rfind(_XMP, max(0, end - _LONGEST_XMP), max(0, end))
    if start < 0:
        return FileMetadata()
    text = data[start:end].decode("utf-8", "replace")
    creators, closed, _ = text.partition("<dc:creator>")[2].partition("</dc:creator>")
    return FileMetadata(
        title=plausible_title(_xmp(text, "dc:title")),
        authors=tuple(_items(creators)) if closed else (),
        doi=own_doi([_xmp(text, "prism:doi") or _xmp(text, "pdfx:doi") or _xmp(text, "dc:identifier")]),
        venue=_xmp(text, "prism:publicationName"),
        date=_xmp(text, "prism:coverDate") or _xmp(text, "prism:publicationDate"),
    )


def _xmp(text: str, name: str) -> str:
    opened = re.search(rf"<{name}[^<>]*+>", text)
    closed = text.find(f"</{name}>", opened.end()) if opened else -1
    value = text[opened.end() : closed] if opened and closed >= 0 else ""
    if not value and (match := re.search(rf'{name}="([^"]*+)"', text)):
        value = match[1]
    return " ".join(html.unescape(re.sub(r"<[^<>]++>", " ", value)).split())


def _items(text: str) -> list[str]:
    items = re.findall(r"<rdf:li[^<>]*+>([^<]*+)</rdf:li>", text, re.S)
    return [" ".join(html.unescape(item).split()) for item in items if item.strip()]


def plausible_title(text: str) -> str:
    """`text` if it may be a paper's title, else "": no file names, templates, or single words."""
    text = " ".join(html.unescape(text).split())
    if _NO_TITLE.match(text) or len(text.split()) < 2 or len(text) < 8:
        return ""
    return text


def merge(printed: Printed, sources: list[FileMetadata]) -> Metadata:
    """The metadata on which the sources agree best; what is printed comes first."""
    authors = tuple(_authors(printed, sources))
    places = {place for author in authors for place in author.affiliations}
    title = _title(printed, sources)
    cited_venue, cited_year = cited_in(printed.front, title)
    file_date = next((match[0] for source in sources if (match := _ISO_DATE.match(source.date))), "")
    date = find_date(printed.front, printed.stamps) or file_date or cited_year
    keywords = printed.keywords or next((source.keywords for source in sources if source.keywords), "")
    return Metadata(
        title=title,
        authors=authors,
        abstract=printed.abstract,
        year=int(date[:4]) if date else None,
        date=date,
        doi=own_doi(printed.front, [source.doi for source in sources]),
        arxiv_id=find_arxiv(printed.stamps + printed.front),
        venue=next((source.venue for source in sources if source.venue), "")
        or cited_venue
        or find_venue(printed.heads, printed.front, places, [author.surname for author in authors]),
        keywords=split_keywords(keywords),
        extra=dict(printed.extra),
    )


def _title(printed: Printed, sources: list[FileMetadata]) -> str:
    """The printed title; one that the file says of itself where it is printed too, or where nothing better is found."""
    page = normal_name(printed.page).replace(" ", "")
    for source in sources:
        if source.title and len(source.title.split()) > 2 and normal_name(source.title).replace(" ", "") in page:
            printed_key, source_key = (normal_name(text).replace(" ", "") for text in (printed.title, source.title))
            if printed_key != source_key and not (
                source_key in printed_key and len(printed_key) < AROUND.title_longer * len(source_key)
            ):
                return source.title
    return printed.title or next((source.title for source in sources if len(source.title.split()) > 2), "")


def _authors(printed: Printed, sources: list[FileMetadata]) -> list[Author]:
    """The printed authors, or those the file names if they are all printed and at least as many."""
    page = f" {normal_name(printed.page)} "
    for source in sources:
        names = _split_names(source.authors)
        on_page = all(f" {normal_name(author.surname)} " in page for author in names)
        if names and on_page and len(names) >= max(len(printed.authors), 1):
            return _with_printed(names, printed.authors)
    return printed.authors or _group(printed, sources)


def _with_printed(names: list[Author], printed: list[Author]) -> list[Author]:
    """The names with what the page says of their bearers: where they work, their ORCID, which name is the family's."""
    known = {normal_name(author.name): author for author in printed}
    last = {normal_name(author.surname): author for author in printed} if len(names) == len(printed) else {}
    page_authors = (
        known.get(normal_name(author.name)) or last.get(normal_name(author.surname)) or author for author in names
    )
    return [
        replace(
            author,
            family=author.family or (page.family if page.name == author.name else ""),
            given=author.given or (page.given if page.name == author.name else ""),
            orcid=author.orcid or page.orcid,
            affiliations=page.affiliations,
        )
        for author, page in zip(names, page_authors, strict=True)
    ]


def _group(printed: Printed, sources: list[FileMetadata]) -> list[Author]:
    """An author that is no person's name, where the file says it and the first page has it in the same words."""
    page = f" {normal_name(printed.page)} "
    names = (source.authors[0].strip() for source in sources if len(source.authors) == 1)
    return next(([Author(name=name)] for name in names if " " in name and f" {normal_name(name)} " in page), [])


def _split_names(authors: tuple[str, ...]) -> list[Author]:
    names: list[Author] = []
    for author in authors:
        family, comma, given_name = author.partition(",")
        if len(authors) > 1 and comma and "," not in given_name and " " not in family.strip():
            names.append(Author(name=f"{given_name.strip()} {family.strip()}"))
        else:
            names += names_in(author)
    return names


def find_arxiv(texts: list[str]) -> str:
    """The arXiv identifier in `texts`, without version."""
    return next((match["id"] for text in texts if (match := _ARXIV.search(text))), "")


def find_date(front: list[str], stamps: list[str]) -> str:
    """The date of publication as printed, ISO 8601: a labelled date before a copyright's before a stamp's."""
    text = "\n".join(front)
    for label in _DATE_LABELS:
        for match in re.finditer(rf"(?<![^\W_]){label}[:\s]*", text, re.I):
            date = date_in(text[match.end() : match.end() + 60])
            if date:
                return date
    for stamp in stamps:
        if _ARXIV.search(stamp) and (date := date_in(stamp)):
            return date
    for line in front:
        if _VOLUME_NUMBER.search(line) and (date := date_in(line)):
            return date
    year_matches = (_IN_BRACKETS.search(line) or SERIES.fullmatch(line.strip()) for line in front)
    return next((match["year"] for match in year_matches if match), "")


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
