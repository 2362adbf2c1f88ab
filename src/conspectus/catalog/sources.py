"""The sentences that kept answers name, copied from the library as it is now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.schema import passages
from conspectus.catalog.stored_records import StoredCitation
from conspectus.core.grouped import grouped
from conspectus.records import Citation, Paper, Passage, Span


class Sources:
    """The papers of an answer, and their passages.

    Args:
        named: id by which the answer calls a paper -> the key of the paper that it is now.
        cited: all that will be asked for.
        letters: what the labels of papers end with, by the ids that the answer calls them by.
    """

    def __init__(
        self, catalog: Catalog, named: Mapping[str, int], cited: Iterable[StoredCitation], letters: Mapping[str, str]
    ) -> None:
        self._catalog = catalog
        self._named = named
        self._letters = letters
        self._papers: dict[str, Paper] = {}
        by_key = catalog.papers_by_key(sorted(set(named.values())))
        for name, key in named.items():
            if key in by_key:
                self._papers[name] = by_key[key]
        wanted = {now for one in cited if (now := self._now(one.paper_id, one.passage_id))}
        stored = catalog.passages_where(passages.c.id, sorted(wanted)).values()
        self._passages = {one.passage.id: one.passage for one in stored}

    def paper(self, name: str) -> Paper | None:
        """The paper that the answer calls so."""
        return self._papers.get(name)

    def label(self, name: str) -> str:
        """How the answer calls the paper in citations."""
        return self._papers[name].label + self._letters.get(name, "")

    def find(self, cited: StoredCitation) -> tuple[Citation, ...]:
        """The citation, in more than one where its sentences now stand in several passages; none if one is gone."""
        paper = self.paper(cited.paper_id)
        if paper is None:
            return ()
        wanted = [self._now(cited.paper_id, span_id) for span_id in cited.span_ids]
        found: list[Citation] = []
        for passage in self._candidates(cited, paper):
            there = {span.id: span for span in passage.spans}
            spans = tuple(there[name] for name in wanted if name in there)
            if spans:
                found.append(Citation(paper, passage.id, spans, _quote(spans), self.label(cited.paper_id)))
                wanted = [name for name in wanted if name not in there]
            if not wanted:
                return tuple(found)
        return ()

    def _candidates(self, cited: StoredCitation, paper: Paper) -> Iterator[Passage]:
        named = self._passages.get(self._now(cited.paper_id, cited.passage_id))
        if named is not None:
            yield named
        yield from self._all.get(paper.id, ())

    @cached_property
    def _all(self) -> dict[str, list[Passage]]:
        """All passages of the papers, for those that were cut anew since; in reading order."""
        stored = self._catalog.passages_of(sorted(set(self._named.values()))).values()
        found = sorted((one.passage for one in stored), key=lambda passage: passage.ordinal)
        return grouped((passage.paper_id, passage) for passage in found)

    def _now(self, paper_id: str, name: str) -> str:
        """The id of a passage or span now: it begins with its paper's, and ends with a digest of its words."""
        paper = self.paper(paper_id)
        return f"{paper.id}.{name.partition('.')[2]}" if paper else ""


def _quote(spans: tuple[Span, ...]) -> str:
    return " … ".join(span.text for span in spans)
