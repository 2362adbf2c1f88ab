"""A whole library as JSON Lines: one line a thing, each with the schema that it follows (docs: docs/exporting.md)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, get_args

import msgspec

from conspectus.answer import sql as answer_sql
from conspectus.core.groups import grouped
from conspectus.core.text import escaped_json
from conspectus.core.version import __version__
from conspectus.curation import sql as curation_sql
from conspectus.directions.stored_directions import read_directions
from conspectus.graph.vocabularies import sql as vocabularies_sql
from conspectus.ingest.derivations.facts import PositionRows
from conspectus.ingest.derivations.protocol import passage_fields
from conspectus.ingest.derivations.registry import exported
from conspectus.ingest.derivations.registry import lines as lines_of
from conspectus.map import sql as map_sql
from conspectus.parse.bibliography.record_lines import (
    ANSWER_LINE,
    CATALOG_LINES,
    COLLECTION_LINE,
    CONCEPT_LINE,
    CONVERSATION_LINE,
    DIRECTION_LINE,
    MAP_LINE,
    MERGE_LINE,
    PAPER_LINE,
    PLACE_LINE,
    REGION_LINE,
    REVIEW_LINE,
    RULE_LINE,
    VOCABULARY_LINE,
    record_line,
)
from conspectus.records import Citation, Filters, Paper, ParsedPaper, Span, Statement
from conspectus.records.answer import SavedAnswer
from conspectus.records.atlas import Mapped
from conspectus.records.views import pick_fields
from conspectus.store import user_data
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_json
from conspectus.store.rows import StoredDocument
from conspectus.store.schema import SCHEMA_VERSION
from conspectus.store.vectors import dimensions

LIBRARY, FILE, READING, PASSAGE, _, _, SPLIT = CATALOG_LINES
_BATCH = 32
"""Papers read at a time, with all that is theirs."""
_encode = msgspec.json.Encoder().encode

Files = Callable[[Paper], Sequence[str]]


def lines(
    catalog: Catalog, paper_ids: Container[str] | None, filters: Filters | None, files: Files, *, vectors: bool
) -> Iterator[tuple[int, str]]:
    """(papers so far, line) of each line: the library, its files, then each paper with all that is its own;
    of a whole library also what was split, its answers, vocabularies and maps. What models answered before they were
    put together is not written.

    Args:
        catalog: should be one moment of it (`Catalog.snapshot`).
        paper_ids: ids of the papers to write; None: all.
        filters: what these have to pass.
        files: the paths of a paper's own files.
        vectors: whether the passages' vectors are written.
    """
    chosen = paper_ids is not None or bool(filters)
    models = catalog.model_ids()
    yield 0, _line(LIBRARY, _library(catalog, models, complete=not chosen, vectors=vectors))
    own_paths = (
        {file.path for paper in papers_of(catalog, paper_ids, filters) for file in paper.files} if chosen else None
    )
    for row in catalog.file_rows():
        if own_paths is None or row.path in own_paths:
            yield 0, _line(FILE, pick_fields(row, *(name for name in row.__slots__ if name != "key")))
    number, papers = 0, enumerate(papers_of(catalog, paper_ids, filters), 1)
    while batch := list(islice(papers, _BATCH)):
        number = batch[-1][0]
        yield from _batch(catalog, batch, files, vectors=vectors)
    if not chosen:
        for split, side, (scheme, value) in user_data.list_splits(catalog):
            yield number, _line(SPLIT, {"split": split, "side": side, "scheme": scheme, "value": value})
        for collection in user_data.list_sets(catalog, "collection"):
            yield (
                number,
                _line(COLLECTION_LINE, {"collection": collection.id, "name": collection.name, "made": collection.made}),
            )
        for review in user_data.every_review(catalog):
            yield number, _line(REVIEW_LINE, review)
        for schema, values in answer_lines(catalog):
            yield number, _line(schema, values)
        for schema, values in chain(_names(catalog), _maps(catalog), _directions(catalog)):
            yield number, _line(schema, values)


def _names(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Vocabularies, each with its concepts, and what users say of names, and of entities that are one."""
    for vocabulary in vocabularies_sql.every_vocabulary(catalog):
        yield VOCABULARY_LINE, vocabulary
        for merge in vocabularies_sql.every_concept(catalog, vocabulary["name"]):
            yield CONCEPT_LINE, merge
    for rule in vocabularies_sql.list_rules(catalog):
        yield RULE_LINE, pick_fields(rule, "name", "concept", "verdict", "source", "made")
    for merge in vocabularies_sql.every_merge(catalog):
        yield MERGE_LINE, merge


def _maps(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Maps, each with its regions and where texts stand."""
    for of in get_args(Mapped):
        if (facts := map_sql.read_map_facts(catalog, of)) is None:
            continue
        yield MAP_LINE, {"map": of, **facts[1]}
        for row in map_sql.region_rows(catalog, of):
            fields = pick_fields(row, "level", "name", "named_by", "given", "terms")
            yield REGION_LINE, {"map": of, "region": row.key, "within": row.parent, **fields}
        kind = PositionRows(of, facts[0])
        places = map_sql.read_cards(catalog, of, kind.name, kind.version)
        columns = (places.papers, places.units, places.positions.tolist(), places.regions.tolist())
        for paper, unit, (x, y), region in zip(*columns, strict=True):
            yield PLACE_LINE, {"map": of, "paper": paper, "unit": unit, "x": x, "y": y, "region": region}


def _directions(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Directions, each with the words of its label and how active it is in texts."""
    for of in get_args(Mapped):
        if (directions := read_directions(catalog, of)) is None:
            continue
        ids = catalog.ids_of(set(directions.codes.papers.tolist()))
        for number, direction in enumerate(directions.directions):
            fields = pick_fields(direction, "label", "terms", "auc", "recurrence", "family")
            rows, values = directions.codes.rows_of(number)
            active = [
                (ids[int(directions.codes.papers[row])], directions.codes.units[row], round(value, 4))
                for row, value in zip(rows.tolist(), values.tolist(), strict=True)
            ]
            yield DIRECTION_LINE, {"of": of, "direction": direction.id, **fields, "active": active}


def _batch(
    catalog: Catalog, batch: Sequence[tuple[int, Paper]], files: Files, *, vectors: bool
) -> Iterator[tuple[int, str]]:
    keys = {paper.id: catalog.paper_key(paper.id) for _, paper in batch}
    names, documents = catalog.identities(list(keys.values())), catalog.documents_of(list(keys.values()))
    derived_fields = exported(catalog, list(keys.values()))
    own_passages = catalog.passages_of(list(keys.values())).values()
    passages = grouped((passage.paper_key, passage) for passage in own_passages)
    derived = list(lines_of(catalog, list(keys.values()), on_request=vectors))
    for number, paper in batch:
        key = keys[paper.id]
        paper_fields = derived_fields[key] | _user_data(catalog, key, paper)
        yield number, _line(PAPER_LINE, _paper(paper, names.get(key, ()), paper_fields, files))
        for document in documents.get(key, ()):
            yield number, _line(READING, _reading(paper, document))
        ordered = sorted(passages.get(key, ()), key=lambda stored: stored.passage.ordinal)
        for stored in ordered:
            yield number, _line(PASSAGE, passage_fields(stored.passage))
        for schema, by_paper in derived:
            for fields in by_paper.get(key, ()):
                yield number, _line(schema, fields)


def _line(schema: str, values: Mapping[str, Any]) -> str:
    return escaped_json(_encode({"schema": schema, **values}).decode()) + "\n"


def papers_of(catalog: Catalog, paper_ids: Container[str] | None, filters: Filters | None) -> Iterator[Paper]:
    """The papers that pass `filters`, of those in `paper_ids` (None: of all)."""
    return (paper for paper in catalog.papers(filters) if paper_ids is None or paper.id in paper_ids)


def _library(catalog: Catalog, models: Sequence[str], *, complete: bool, vectors: bool) -> dict[str, Any]:
    cut = catalog.meta("cut").replace("/", ",")
    chars, overlap, *_ = *unpack_json(f"[{cut}]", list[int], "how papers were cut"), 0, 0
    return {
        "version": __version__,
        "catalog": SCHEMA_VERSION,
        "whole": complete,
        "vectors": vectors,
        "counts": catalog.counts(),
        "models": [{"id": model, "dimensions": dimensions(catalog, model)} for model in models],
        "passages": {"chars": chars, "overlap": overlap},
    }


def _paper(
    paper: Paper, names: Sequence[tuple[str, str]], derived_fields: Mapping[str, object], files: Files
) -> dict[str, Any]:
    return {
        "paper": paper.id,
        "full_text": paper.has_full_text,
        "files": paper.files,
        "known_as": names,
        **derived_fields,
        "record": msgspec.Raw(record_line(paper, files(paper)).rstrip().encode()),
    }


def load_user_data(catalog: Catalog) -> Callable[[Paper], Mapping[str, Any]]:
    """What gives the tags, collections, notes and highlights of a paper; of what it has none is left out."""
    notes: dict[str, list[Mapping[str, Any]]] = {}
    for note in curation_sql.list_notes(catalog):
        notes.setdefault(note.paper, []).append(pick_fields(note, "text", "made", "updated"))
    marked: dict[str, list[dict[str, Any]]] = grouped(
        (highlight.paper, _highlight_fields(highlight)) for highlight in curation_sql.list_highlights(catalog)
    )

    def fields_of(paper: Paper) -> Mapping[str, Any]:
        user_values = {
            "tags": paper.tags,
            "collections": paper.collections,
            "notes": notes.get(paper.id, ()),
            "highlights": marked.get(paper.id, ()),
        }
        return {name: values for name, values in user_values.items() if values}

    return fields_of


def _highlight_fields(highlight: curation_sql.StoredHighlight) -> dict[str, Any]:
    return pick_fields(highlight, *(name for name in highlight.__slots__ if name != "paper"))


def _user_data(catalog: Catalog, key: int, paper: Paper) -> dict[str, Any]:
    """What users keep about a paper; what they wrote by hand is in its record, too."""
    notes = curation_sql.list_notes(catalog, paper.id)
    return {
        "tags": paper.tags,
        "collections": paper.collections,
        "notes": [pick_fields(note, "id", "text", "made", "updated") for note in notes],
        "highlights": [_highlight_fields(highlight) for highlight in curation_sql.list_highlights(catalog, paper.id)],
        "edits": user_data.edits_of_papers(catalog, [key]).get(key, {}) if paper.edited else {},
    }


def _reading(paper: Paper, document: StoredDocument) -> dict[str, Any]:
    known = {"paper": paper.id, "file": document.path, "number": document.ordinal, "digest": document.digest.hex()}
    return known | pick_fields(document.parsed, *ParsedPaper.__slots__)


def answer_lines(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(schema, fields) of each conversation, then of each answer, in the order they were made."""
    for conversation in reversed(answer_sql.list_conversations(catalog)):
        yield (
            CONVERSATION_LINE,
            {"conversation": conversation.id, **pick_fields(conversation, "title", "made", "updated", "turns")},
        )
    for row in reversed(answer_sql.list_answers(catalog, sections=True)):
        feedback = answer_sql.list_feedback(catalog, row.id)
        verdicts = [pick_fields(verdict, "statement", "verdict", "comment", "made") for verdict in feedback]
        yield ANSWER_LINE, _answer_fields(answer_sql.load_answer(catalog, row.id)) | {"feedback": verdicts}


def _answer_fields(saved: SavedAnswer) -> dict[str, Any]:
    answer = saved.answer
    same = ("made", "question", "standalone", "method", "kind", "answered", "reason", "background", "queries")
    return {
        "answer": answer.id,
        **pick_fields(answer, *same),
        "conversation": saved.conversation,
        "turn": saved.turn,
        "options": saved.options,
        "statements": _statement_fields(answer.statements),
        "evidence": [
            {
                "id": item.id,
                "paper": item.paper.id,
                "passage": item.passage_id,
                "spans": _span_ids(item.spans),
                **pick_fields(item, "quote", "summary", "score", "retrieval"),
            }
            for item in answer.evidence
        ],
        "drafts": [
            {"name": draft.name, "text": draft.text, "statements": _statement_fields(draft.statements)}
            for draft in answer.drafts
        ],
        **pick_fields(answer, "opinion", "models", "usage", "note", "trace", "probability", "unread"),
        "filters": saved.filters,
        "closest": _citation_fields(answer.closest) if answer.closest else None,
    }


def _statement_fields(statements: Iterable[Statement]) -> list[dict[str, Any]]:
    return [
        {
            **pick_fields(statement, "text", "status", "why", "score", "evidence"),
            "citations": [_citation_fields(item) for item in statement.citations],
        }
        for statement in statements
    ]


def _citation_fields(cited: Citation) -> dict[str, Any]:
    return {"paper": cited.paper.id, "passage": cited.passage_id, "spans": _span_ids(cited.spans), "quote": cited.quote}


def _span_ids(spans: Sequence[Span]) -> list[str]:
    return [span.id for span in spans]
