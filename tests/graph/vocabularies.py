"""A small vocabulary put into a library, as one that was read is kept, and a linker that finds exact names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import insert

from conspectus import Library
from conspectus.catalog import graph_tables as tables
from conspectus.catalog.engine import writing
from conspectus.records import normal_name

CATS = {"CAT:1": ("purring", "purr"), "CAT:2": ("warmth", "warm"), "CAT:3": ("mouse",), "CAT:4": ("sleep",)}


def put_vocabulary(library: Library, concepts: Mapping[str, Sequence[str]] = CATS, name: str = "Cats") -> None:
    """A vocabulary of these concepts with their names, the label first."""
    said = {"rank": 1, "source": "cats.csv", "sha256": "0" * 64, "version": "1", "options": "{}", "made": ""}
    with writing(library.session.catalog.engine) as connection:
        row = {"name": name, "term": normal_name(name), **said}
        vocabulary = connection.execute(insert(tables.vocabularies), row).inserted_primary_key[0]  # type: ignore[index]
        for curie, names in concepts.items():
            row = {"vocabulary_key": vocabulary, "id": curie, "label": names[0], "iri": "", "definition": ""}
            made = connection.execute(insert(tables.concepts), {**row, "deprecated": False, "state": ""})
            rows = [
                {"concept_key": made.inserted_primary_key[0], "ordinal": number, "text": text}  # type: ignore[index]
                | {"term": normal_name(text), "kind": "exact", "left_out": ""}
                for number, text in enumerate(names)
            ]
            connection.execute(insert(tables.concept_names), rows)
