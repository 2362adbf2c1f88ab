"""A reference written out where the source gives only its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conspectus.parse.identifiers import find_arxiv_id, find_doi
from conspectus.records import Author, Reference

_NAMED = 10
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The parts of a reference, as written; `whole` is how it is printed, where that is known."""

    authors: tuple[Author, ...] = ()
    year: str = ""
    title: str = ""
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    doi: str = ""
    url: str = ""
    arxiv_id: str = ""
    pmid: str = ""
    whole: str = ""

    def reference(self, key: str, label: str, otherwise: str = "") -> Reference:
        """The reference; its text is put together from the parts where it is not printed, or is `otherwise`."""
        year = year_in(self.year)
        return Reference(
            key,
            self.whole or printed(self) or otherwise,
            label,
            self.title,
            self.authors,
            int(year) if year else None,
            self.venue,
            self.volume,
            self.pages,
            self.doi or find_doi(self.whole),
            self.arxiv_id or find_arxiv_id(self.whole),
            self.pmid,
            self.url,
        )


def year_in(text: str) -> str:
    """The first year in a date, as four digits, or ""."""
    found = _YEAR.search(text)
    return found[1] if found else ""


def page_span(first: str, last: str) -> str:
    """`4–9`, or the first page alone; "" without one."""
    return f"{first}–{last}" if first and last and first != last else first


def printed(entry: Entry) -> str:
    """`Lee A, Roe B (2001) Cats asleep. Journal of Cats 3(2): 4–9. doi:10.1000/cats`."""
    names = ", ".join(_name(author) for author in entry.authors[:_NAMED])
    if len(entry.authors) > _NAMED:
        names += " et al."
    head = f"{names} ({entry.year})" if names and entry.year else names or entry.year
    number = entry.volume + (f"({entry.issue})" if entry.issue else "")
    where = " ".join(filter(None, (entry.venue, number)))
    if entry.pages:
        where = f"{where}: {entry.pages}" if where else entry.pages
    title = entry.title.rstrip(".")
    publisher = "" if entry.publisher == entry.venue else entry.publisher
    body = ". ".join(filter(None, (title, where, publisher)))
    link = f"doi:{entry.doi}" if entry.doi else entry.url
    return " ".join(filter(None, (head, f"{body}." if body and body[-1] not in ".?!" else body, link)))


def _name(author: Author) -> str:
    if not author.family:
        return author.name
    initials = "".join(part[0] for part in author.given.replace(".", " ").replace("-", " ").split())
    given = author.given if author.given.isupper() and len(author.given) <= 4 else initials
    return f"{author.family} {given}".strip()
