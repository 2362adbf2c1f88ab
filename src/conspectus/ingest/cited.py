"""References led to the papers of the library. Nothing is kept, so that a link is never out of date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from conspectus.parse.text.titles import same_title
from conspectus.records import CitedWork, Paper, Reference, normal_name
from conspectus.store.catalog import Catalog

IDENTIFIERS = ("doi", "arxiv_id", "pmid")
_LEAST_WORDS = 3
"""Shorter titles are shared by works that have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The papers that a reference can mean: by its identifiers' names, and those of its title."""

    named: Mapping[str, Paper]
    titled: tuple[Paper, ...]


def candidates(
    catalog: Catalog, references: Sequence[Reference], titles: Callable[[Reference], Iterable[str]]
) -> list[Candidates]:
    """The papers that each reference can mean; `titles` gives the titles to look for, as `normal_name` has them."""
    wanted = [list(titles(reference)) for reference in references]
    known = catalog.papers_known_as(name for reference in references for name in identities(reference))
    titled = catalog.papers_titled(title for names in wanted for title in names)
    keys = sorted({key for group in (known, titled) for found in group.values() for key in found})
    papers = catalog.papers_by_key(keys)
    made = []
    for reference, names in zip(references, wanted, strict=True):
        claims = {scheme: [papers[key] for key in known.get((scheme, value), ()) if key in papers]
                  for scheme, value in identities(reference)}  # fmt: skip
        found = dict.fromkeys(key for name in names for key in titled.get(name, ()))
        named = {scheme: paper for scheme, claiming in claims.items() if (paper := _meant(reference, claiming))}
        made.append(Candidates(named, tuple(papers[key] for key in found if key in papers)))
    return made


def cited_works(catalog: Catalog, references: Sequence[Reference]) -> tuple[CitedWork, ...]:
    """Each reference with the paper that it is: one that shares an identifier, else the one of the same title.

    A title counts if it has three words and no other paper of the library has it, and the years, where both are known,
    are at most one apart: preprints appear before the article.
    """
    found = candidates(catalog, references, lambda reference: filter(None, [_title(reference)]))
    return tuple(CitedWork(reference, *_link(reference, can)) for reference, can in zip(references, found, strict=True))


def _link(reference: Reference, can: Candidates) -> tuple[str, str]:
    for scheme, paper in can.named.items():
        return paper.id, scheme
    if len(can.titled) == 1 and same_time(reference.year, can.titled[0].year):
        return can.titled[0].id, "title"
    return "", ""


def _meant(reference: Reference, claiming: Sequence[Paper]) -> Paper | None:
    """The paper that an identifier means: where several claim it, the only one of the reference's title, if any."""
    if len(claiming) > 1:
        claiming = [paper for paper in claiming if same_title(paper.title, reference.title)]
    return claiming[0] if len(claiming) == 1 else None


def identities(reference: Reference) -> list[tuple[str, str]]:
    """The identifiers of a reference as the catalog has them: (name, value)."""
    return [(name, value.lower()) for name in IDENTIFIERS if (value := getattr(reference, name))]


def same_time(one: int | None, other: int | None) -> bool:
    """Whether two years can be one work's: at most one apart, or one of them not known."""
    return one is None or other is None or abs(one - other) <= 1


def _title(reference: Reference) -> str:
    title = normal_name(reference.title)
    return title if len(title.split()) >= _LEAST_WORDS else ""
