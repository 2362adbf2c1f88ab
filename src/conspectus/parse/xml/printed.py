"""A reference written out where the source gives only its parts."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.records import Author

_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The parts of a reference, as written."""

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
