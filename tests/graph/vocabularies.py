"""A small vocabulary put into a library, as one that was read is kept, and a linker that finds exact names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import insert

from conspectus import Library
from conspectus.graph import candidate_rows
from conspectus.graph.candidate_rows import MentionCandidate
from conspectus.records import normal_name
from conspectus.store import graph_tables
from conspectus.store.connection import writing

CATS = {"CAT:1": ("purring", "purr"), "CAT:2": ("warmth", "warm"), "CAT:3": ("mouse",), "CAT:4": ("sleep",)}


def put_vocabulary(library: Library, concepts: Mapping[str, Sequence[str]] = CATS, name: str = "Cats") -> None:
    """A vocabulary of these concepts with their names, the label first."""
    said = {"rank": 1, "source": "cats.csv", "sha256": "0" * 64, "version": "1", "options": "{}", "made": ""}
    with writing(library.session.catalog.engine) as connection:
        row = {"name": name, "term": normal_name(name), **said}
        vocabulary = connection.execute(insert(graph_tables.vocabularies), row).inserted_primary_key[0]  # type: ignore[index]
        for curie, names in concepts.items():
            row = {"vocabulary_key": vocabulary, "id": curie, "label": names[0], "iri": "", "definition": ""}
            made = connection.execute(insert(graph_tables.concepts), {**row, "deprecated": False, "state": ""})
            rows = [
                {"concept_key": made.inserted_primary_key[0], "ordinal": number, "text": text}  # type: ignore[index]
                | {"term": normal_name(text), "kind": "exact" if number else "label", "left_out": ""}
                for number, text in enumerate(names)
            ]
            connection.execute(insert(graph_tables.concept_names), rows)


def put_mention(library: Library, title: str, name: str, id: str) -> None:
    """The first sentence of a paper that has a name speaks of an entity which only a model found."""
    catalog = library.session.catalog
    (paper,) = [one for one in library.papers() if one.title == title]
    key = catalog.paper_key(paper.id)
    known = (
        []
        if candidate_rows.candidates_of_papers(catalog, [key])
        else candidate_rows.linked_candidates(catalog, [key]).get(key, [])
    )
    spans = [(passage, span) for passage in library.passages(paper.id) for span in passage.spans if name in span.text]
    passage, span = (one.id.partition(".")[2] for one in spans[0])
    start = spans[0][1].text.index(name)
    found = [*known, MentionCandidate(passage, span, start, start + len(name), name, id, 0.5, "model")]
    with writing(catalog.engine) as connection:
        candidate_rows.put_new_entities(connection, {id: name})
        rows = [{"paper_key": key, **candidate_rows.candidate_row(one)} for one in found]
        connection.execute(insert(graph_tables.candidates), rows)
        candidate_rows.tidy_entities(connection)
        candidate_rows.settle_mentions(connection, id)
