"""A reference written out where the source gives only its parts."""

from __future__ import annotations

import re
from dataclasses import replace

from conspectus.parse.identifiers import find_arxiv_id, find_doi
from conspectus.records import Author, Reference

_NAMED = 10
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


def with_text(known: Reference, *, year: str, issue: str, publisher: str, otherwise: str = "") -> Reference:
    """The reference with its year, and with what its text says; without one that is put together from the parts.

    Args:
        known: what the source says of the work; its text is how it is printed, where that is known.
        year, issue, publisher: as written.
        otherwise: the text where there are no parts.
    """
    whole, found = known.text, year_in(year)
    return replace(
        known,
        text=whole or printed(known, year, issue, publisher) or otherwise,
        year=int(found) if found else None,
        doi=known.doi or find_doi(whole),
        arxiv_id=known.arxiv_id or find_arxiv_id(whole),
    )


def year_in(text: str) -> str:
    """The first year in a date, as four digits, or ""."""
    found = _YEAR.search(text)
    return found[1] if found else ""


def page_span(first: str, last: str) -> str:
    """`4–9`, or the first page alone; "" without one."""
    return f"{first}–{last}" if first and last and first != last else first


def printed(entry: Reference, year: str, issue: str, publisher: str) -> str:
    """`Lee A, Roe B (2001) Cats asleep. Journal of Cats 3(2): 4–9. doi:10.1000/cats`."""
    names = ", ".join(_name(author) for author in entry.authors[:_NAMED])
    if len(entry.authors) > _NAMED:
        names += " et al."
    head = f"{names} ({year})" if names and year else names or year
    number = entry.volume + (f"({issue})" if issue else "")
    where = " ".join(filter(None, (entry.venue, number)))
    if entry.pages:
        where = f"{where}: {entry.pages}" if where else entry.pages
    title = entry.title.rstrip(".")
    body = ". ".join(filter(None, (title, where, "" if publisher == entry.venue else publisher)))
    link = f"doi:{entry.doi}" if entry.doi else entry.url
    return " ".join(filter(None, (head, f"{body}." if body and body[-1] not in ".?!" else body, link)))


def _name(author: Author) -> str:
    if not author.family:
        return author.name
    initials = "".join(part[0] for part in author.given.replace(".", " ").replace("-", " ").split())
    given = author.given if author.given.isupper() and len(author.given) <= 4 else initials
    return f"{author.family} {given}".strip()
