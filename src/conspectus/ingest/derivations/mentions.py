"""Where papers speak of the concepts of vocabularies. It is made when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conspectus.catalog import graph_tables
from conspectus.catalog import mentions as kept
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.connected import Connected
from conspectus.catalog.derivations import Part, Prepared, Row, digests
from conspectus.catalog.passage_rows import Standing
from conspectus.catalog.rows import Draft
from conspectus.ingest.derivations.of_paper import Made, OfPaper, Subject
from conspectus.ingest.derivations.protocol import digest_of

Link = Callable[[Subject], Sequence[Row]]
"""The rows of a paper's mentions."""


class Mentions(OfPaper):
    """See `Derivation`; its version is that of who links, and of the vocabularies by which.

    Args:
        link: finds a paper's mentions; None: what was found can be read, and goes with its paper.
        version: of `link`.
    """

    name = "mentions"
    parts: tuple[Part, ...] = (Part(graph_tables.mentions),)
    batch = 16
    with_paper = False

    def __init__(self, link: Link | None = None, version: str = "") -> None:
        self._link = link
        self.version = version

    @property
    def doing(self) -> str:
        """See `Derivation.doing`."""
        return "linking entities"

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`: the passages' names are made of their words."""
        return digest_of(*(passage.id.partition(".")[2] for passage in paper.passages))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `OfPaper.make`."""
        assert self._link is not None, "who has something made links"
        return [(self._link(paper),) for paper in batch]

    def prepared(self, catalog: Catalog, drafts: Sequence[Draft], held: Standing) -> Prepared:  # noqa: ARG002
        """See `Derivation.prepared`: what was found in other words goes, whoever found it."""
        known = digests(catalog, [key for draft in drafts if (key := draft.key)], self.name)
        made = {number: self.digest(draft) for number, draft in enumerate(drafts) if draft.key in known}
        stale = {number: drafts[number] for number, one in made.items() if known[drafts[number].key or 0] != one}
        return self._derived(stale, made, nothing=True)

    def exported(self, catalog: Connected, paper_keys: Sequence[int]) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """See `Derivation.exported`."""
        return kept.exported(catalog, paper_keys)
