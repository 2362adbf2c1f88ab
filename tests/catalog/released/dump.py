"""Writes down a small library as the version that is checked out keeps it: `python tests/catalog/released/dump.py`.

Run once for each migration, when it is released; what it wrote is never changed again, for it stands for the libraries
that people have.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

CATS = """---
title: The purring of cats
doi: 10.1000/cats
authors: Ågren, Ann; The Team
year: 2001
keywords: cats, purring
---

# Results

Cats purr at 25 hertz when they are warm [1]. Figure 1 shows it.

Figure 1: A cat that purrs.

# References

[1] A. Ågren, On warm cats, Felis 3 (1999) 1–9.
"""
RECORDS = [
    {"title": "The purring of cats", "doi": "10.1000/cats", "venue": "Felis", "citation_count": 3},
    {"title": "The hopping of quokkas", "abstract": "Quokkas hop at night. They rest by day.", "year": 1999},
]


ORDER = (
    "meta", "files", "papers", "derivations", "derived", "identifiers", "facets", "key_phrases", "figures", "pictures",
    "picture_files",
    "documents", "passages", "models", "vectors", "token_vectors", "calls", "call_papers", "spending",
    "conversations", "answers", "answer_papers", "evidence", "summaries", "splits", "sets", "set_papers", "notes",
    "edits", "feedback", "image_collections", "image_files", "images", "image_facts", "vocabularies", "concepts",
    "concept_names", "concept_links", "name_rules", "merges", "mentions", "candidates", "relations", "maps",
    "regions", "positions",
)  # fmt: skip
"""The tables, those that others point to first."""


def main() -> None:
    """Make the library, and its tables one row a line, without what has a time or a place of this machine."""
    from conspectus.catalog.schema import HEAD
    from helpers import ToneEncoder, open_library, table_rows, write, write_jsonl

    with tempfile.TemporaryDirectory() as name, open_library(Path(name) / "lib", encoder=ToneEncoder()) as library:
        folder = Path(name)
        library.add([write(folder / "cats.md", CATS), write_jsonl(folder / "refs.jsonl", RECORDS)])
        library.add(write(folder / "empty.md", ""))
        keep_answers(library)
        look(library)
        collect(library, folder)
        link(library)
        put_on_a_map(library)
        found = {}
        with library.session.catalog.engine.connect() as connection:
            for table in ORDER:
                rows = connection.exec_driver_sql(f'SELECT * FROM "{table}"').mappings()
                found[table] = [{name: _plain(value, folder) for name, value in row.items()} for row in rows]
        assert table_rows(library).keys() - {"alembic_version", "sqlite_sequence"} == set(ORDER)
    (HERE / f"{HEAD}.json").write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", "utf-8")


def keep_answers(library: Any) -> None:
    """A conversation of one turn, with its evidence and the calls that it took."""
    from conspectus.catalog import answers, calls, conversations
    from conspectus.catalog.engine import aside
    from conspectus.catalog.stored_records import Spent
    from conspectus.models.language import Reply, Tokens
    from conspectus.records import Answer, AskOptions, Citation, Evidence, Statement, Step

    paper, passage, span = library.citation(library.search("hertz of warm cats").hits[0].passage.id)
    evidence = Evidence("e1", paper, passage.id, (span,), "Purring is at 25 Hz.", 9, 0.5)
    citation = Citation(paper, passage.id, (span,), span.text)
    statement = Statement("Cats purr at 25 Hz.", "supported", (citation,), evidence=("e1",))
    answer = Answer(
        "At what rate?", True, "", "agent", "", (statement,), ("openai:small",), id="ans-0123abcd",
        made="2026-11-21T20:30:00+00:00", standalone="At what rate do cats purr?", evidence=(evidence,),
        trace=(Step(1, "Look.", "search", '{"words": "purr"}', "1 paper"),),
    )  # fmt: skip
    engine = library.session.catalog.engine
    with aside(engine) as connection:
        conversations.begin(connection, "con-0123abcd", "Cats")
        answers.save(connection, answer, AskOptions(conversation="con-0123abcd"))
    spent = Spent(at="2026-11-21T20:29:59+00:00", role="write", model="openai:small", answer_id=answer.id, cost=0.01)
    calls.keep(engine, [("d" * 32, Reply("25 Hz", tokens=Tokens(90, 0, 9)), [paper.id])], [spent])


def collect(library: Any, folder: Path) -> None:
    """An image of a collection."""
    from PIL import Image

    Image.new("RGB", (40, 30), "teal").save(folder / "sem 15kV.png")
    library.add_images(folder / "sem 15kV.png", "sem")


def look(library: Any) -> None:
    """A panel that was found in a figure, as it is kept."""
    from sqlalchemy import insert

    from conspectus.catalog.codec import pack
    from conspectus.catalog.engine import writing
    from conspectus.catalog.schema import picture_files, pictures

    said = {
        "label": "a",
        "caption": "A cat",
        "kind": "photograph",
        "probability": 0.75,
        "words": "25 Hz",
        "recognised": True,
    }
    panel = {"paper_key": 1, "figure": "f2345", "number": 1, "box": pack((0.0, 0.0, 0.5, 1.0)), **said}
    with writing(library.session.catalog.engine) as connection:
        connection.execute(insert(pictures).values(vector=b"\0<\0\0", **panel))
        file = {"source": "/papers/cats.md", "href": "cat.png", "path": "/papers/cat.png"}
        connection.execute(insert(picture_files).values(paper_key=1, size=9, mtime_ns=8, **file))


def link(library: Any) -> None:
    """A concept of a vocabulary, another that users take to be the same, and what the paper says of them."""
    from sqlalchemy import insert

    from conspectus.catalog import graph_tables as tables
    from conspectus.catalog.codec import pack
    from conspectus.catalog.engine import writing

    made = {"made": "2026-11-24T01:00:00+00:00"}
    nothing = {"iri": "", "definition": "", "deprecated": False, "state": ""}
    rows = {
        "vocabularies": [{"name": "Cats", "term": "cats", "rank": 1, "source": "/papers/cats.ttl", "sha256": "0" * 64,
                          "version": "3", "options": "{}", **made}],
        "concepts": [{"vocabulary_key": 1, "id": f"CAT:{n}", "label": label, **nothing}
                     for n, label in ((1, "purring"), (2, "purr"))],
        "concept_names": [{"concept_key": n, "ordinal": 0,
                           "text": label, "term": label, "kind": "label", "left_out": ""}
                          for n, label in ((1, "purring"), (2, "purr"))],
        "concept_links": [{"concept_key": 2, "kind": "related", "target": "CAT:1"}],
        "name_rules": [{"term": "warm", "concept": "CAT:1", "verdict": "leave", "source": "user", **made}],
        "merges": [{"concept_key": 2, "said_key": 1, "into_key": 1, **made}],
        "mentions": [{"paper_key": 1, "span": "s2345", "start": 5, "passage": "p2345", "stop": 9, "concept_key": 2,
                      "score": 1.0, "method": "exact", "others": pack([("CAT:1", 0.5)])}],
        "candidates": [{"paper_key": 1, "span": "s2345", "start": 5, "stop": 9, "passage": "p2345", "text": "purr",
                        "entity": "CAT:2", "score": 1.0, "method": "exact", "others": None, "kept": True}],
        "relations": [{"paper_key": 1, "passage": "p2345", "concept_key": 1, "other_key": 2, "spans": pack(["s2345"]),
                       "model": "openai:small"}],
    }  # fmt: skip
    with writing(library.session.catalog.engine) as connection:
        for name, values in rows.items():
            connection.execute(insert(getattr(tables, name)), values)


def put_on_a_map(library: Any) -> None:
    """A map of its papers, with a region that a user named."""
    from sqlalchemy import insert

    from conspectus.catalog import atlas_tables as tables
    from conspectus.catalog.engine import writing

    facts = {"method": "pca", "regions_by": "kmeans", "model": library.session.embedder.id, "fitted": 2, "moved": None,
             "changes": [], "made": "2026-11-24T05:00:00+00:00"}  # fmt: skip
    level = {"of": "papers", "name": "cats", "named_by": "phrases", "terms": '["cats"]'}
    with writing(library.session.catalog.engine) as connection:
        connection.execute(insert(tables.maps).values(of="papers", version="1", facts=json.dumps(facts)))
        for key in (1, 2, 3):
            connection.execute(insert(tables.regions).values(
                level=key - 1, parent_key=key - 1 or None, given="felines" if key == 1 else "", **level))  # fmt: skip
        connection.execute(insert(tables.positions).values(paper_key=1, of="papers", unit="", x=0.5, y=-1.5, region=3))


def _plain(value: Any, folder: Path) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value.replace(str(folder), "/papers") if isinstance(value, str) else value


if __name__ == "__main__":
    main()
