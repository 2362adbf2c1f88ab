"""Paragraphs of papers and the entities that they mention; made of the papers' documents, and stored nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from conspectus.core.groups import grouped
from conspectus.graph import sql
from conspectus.graph.explorer import Explorer
from conspectus.graph.sql import SentencePlace
from conspectus.ingest.paper_merge import merge
from conspectus.parse.text.passages import paragraphs
from conspectus.records import PaperParagraph
from conspectus.records.graph import EntityParagraph, EntityParagraphs
from conspectus.store.catalog import Catalog
from conspectus.store.rows import local_name

_AT_ONCE = 50
"""Papers that are read at once."""


class _Ranked(NamedTuple):
    sentences: int
    paper: int
    paragraph: PaperParagraph


def read_paragraphs(catalog: Catalog, ids: Mapping[int, str]) -> dict[int, tuple[PaperParagraph, ...]]:
    """The paragraphs of papers, by their keys; `ids`: the papers' ids by these."""
    documents_by_key = catalog.documents_of(list(ids))
    return {key: tuple(paragraphs(ids[key], merge(documents))) for key, documents in documents_by_key.items()}


def list_paragraphs(explorer: Explorer, concept_keys: Sequence[int], k: int) -> EntityParagraphs:
    """The k paragraphs that mention all of some concepts in the most sentences.

    Equals come from papers with more such sentences first, then in the order of the library. Papers are read in this
    order, until no other can have a better paragraph.
    """
    catalog = explorer.catalog
    places = {key: sql.sentences_of(catalog, explorer.group(key), explorer.filters) for key in concept_keys}
    by_paper = {key: grouped((place.paper, place) for place in key_places) for key, key_places in places.items()}
    papers = set.intersection(*(set(groups) for groups in by_paper.values()))
    spans = {paper: {place.span: place for groups in by_paper.values() for place in groups[paper]} for paper in papers}
    best: list[_Ranked] = []
    order = sorted(papers, key=lambda paper: (-len(spans[paper]), paper))
    for start in range(0, len(order), _AT_ONCE):
        chunk = order[start : start + _AT_ONCE]
        if len(best) == k and best[-1].sentences >= len(spans[chunk[0]]):
            break
        ids = {key: paper.id for key, paper in catalog.papers_by_key(chunk).items()}
        for key, candidates in read_paragraphs(catalog, ids).items():
            for paragraph in candidates:
                names = {local_name(name) for name in paragraph.span_ids}
                if all(any(place.span in names for place in each[key]) for each in by_paper.values()):
                    best.append(_Ranked(len(names & spans[key].keys()), key, paragraph))
        best.sort(key=lambda entry: (-entry.sentences, -len(spans[entry.paper]), entry.paper, entry.paragraph.number))
        del best[k:]
    entities = sql.read_entities(catalog, {key: explorer.counts([key])[key] for key in concept_keys})
    listing = tuple(_describe(catalog, entry, spans[entry.paper]) for entry in best)
    return EntityParagraphs(
        tuple(entities.values()), tuple(paragraph for paragraph in listing if paragraph), len(papers)
    )


def _describe(catalog: Catalog, ranked: _Ranked, places: Mapping[str, SentencePlace]) -> EntityParagraph | None:
    """The paragraph with its sentences as the library has them; None if its paper was removed meanwhile."""
    paragraph = ranked.paragraph
    paragraph_places = [places[name] for name in map(local_name, paragraph.span_ids) if name in places]
    if not (citations := sql.read_citations(catalog, paragraph_places)):
        return None
    return EntityParagraph(
        citations[0].paper, paragraph.id, paragraph.kind, paragraph.section, paragraph.text, tuple(citations)
    )
