"""Queries for services: made from what a user gives, said in words, kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from conspectus.core.errors import UsageError
from conspectus.records import Paper
from conspectus.services.identifiers import identifiers_of, read_identifier
from conspectus.services.protocol import Identifier, WorkQuery
from conspectus.session.session import Session


def make_query(session: Session, values: Mapping[str, Any], years: tuple[int | None, int | None] | None) -> WorkQuery:
    """A query from the options of `find`; papers of the library, and identifiers, are `citing` and `cited_by`.

    Raises:
        UsageError: there is nothing to search for, or a paper has no identifier by which a service knows it.
        NotFoundError: the library has no such paper.
    """
    first, last = years or (None, None)
    words, author, venue, mesh = (" ".join(str(values[name]).split()) for name in ("words", "author", "venue", "mesh"))
    citing, cited_by = (_work(session, values[name]) for name in ("citing", "cited_by"))
    query = WorkQuery(
        words=words,
        first_year=first,
        last_year=last,
        author=author,
        venue=venue,
        mesh=mesh,
        citing=citing,
        cited_by=cited_by,
    )
    if query == WorkQuery(first_year=first, last_year=last):
        raise UsageError(
            "There is nothing to search for.",
            "Give words, an author, a venue, a MeSH heading, or a paper that is cited or cites.",
        )
    return query


def _work(session: Session, name: str) -> Identifier | None:
    if not name:
        return None
    if identifier := read_identifier(name):
        return identifier
    paper: Paper = session.paper(name)
    known = identifiers_of(paper)
    if not known:
        raise UsageError(f"'{paper.heading}' has no identifier by which a service knows it.", "Give its DOI.")
    return known[0]


def describe_query(query: WorkQuery) -> str:
    """A query in one line: `"grid cells" · years 2005..2015 · author Moser`."""
    first, last = query.first_year or "", query.last_year or ""
    parts = [
        query.words,
        f"years {first}..{last}" if first or last else "",
        *(f"{name} {value}" for name in ("author", "venue") if (value := getattr(query, name))),
        f"MeSH {query.mesh}" if query.mesh else "",
        f"citing {query.citing}" if query.citing else "",
        f"cited by {query.cited_by}" if query.cited_by else "",
    ]
    return " · ".join(filter(None, parts))


def fields_of_query(query: WorkQuery) -> dict[str, Any]:
    """A query as JSON keeps it: what is not empty."""
    values = {field.name: getattr(query, field.name) for field in fields(query)}
    return {
        name: [value.scheme, value.value] if isinstance(value, Identifier) else value
        for name, value in values.items()
        if value
    }


def query_of_fields(values: Mapping[str, Any]) -> WorkQuery:
    """The inverse of `fields_of_query`; what is no field is left out."""
    known = {field.name for field in fields(WorkQuery)}
    chosen = {name: value for name, value in values.items() if name in known}
    works = {name: Identifier(*chosen[name]) for name in ("citing", "cited_by") if isinstance(chosen.get(name), list)}
    return replace(WorkQuery(), **{**chosen, **works})
