"""Reference lists linked to the papers of the library. Nothing is kept, so that a link is never out of date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conspectus.catalog.catalog import Catalog
from conspectus.records import CitedWork, Paper, Reference, normal_name

_NAMES = ("doi", "arxiv_id", "pmid")
_LEAST_WORDS = 3
"""Shorter titles are shared by works that have nothing to do with each other."""


def cited_works(catalog: Catalog, references: Sequence[Reference]) -> tuple[CitedWork, ...]:
    """Each reference with the paper that it is: one that shares an identifier, else the one of the same title.

    A title counts if it has three words and no other paper of the library has it, and the years, where both are known,
    are at most one apart: preprints appear before the article.
    """
    known = catalog.papers_known_as(name for reference in references for name in _identities(reference))
    titled = catalog.papers_titled(title for reference in references if (title := _title(reference)))
    keys = sorted({*known.values(), *(key for found in titled.values() for key in found)})
    papers = catalog.papers_by_key(keys)
    return tuple(CitedWork(reference, *_link(reference, known, titled, papers)) for reference in references)


def _link(
    reference: Reference,
    known: Mapping[tuple[str, str], int],
    titled: Mapping[str, list[int]],
    papers: Mapping[int, Paper],
) -> tuple[str, str]:
    for scheme, value in _identities(reference):
        if (key := known.get((scheme, value))) in papers and key is not None:
            return papers[key].id, scheme
    fitting = [papers[key] for key in titled.get(_title(reference), ()) if key in papers]
    if len(fitting) == 1 and _same_time(reference.year, fitting[0].year):
        return fitting[0].id, "title"
    return "", ""


def _identities(reference: Reference) -> list[tuple[str, str]]:
    return [(name, value.lower()) for name in _NAMES if (value := getattr(reference, name))]


def _title(reference: Reference) -> str:
    title = normal_name(reference.title)
    return title if len(title.split()) >= _LEAST_WORDS else ""


def _same_time(one: int | None, other: int | None) -> bool:
    return one is None or other is None or abs(one - other) <= 1
