"""The export of the graph: its nodes and edges, written to a file, a folder of tables or a database."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from conspectus.core.disk import explain_write_errors, user_path
from conspectus.core.errors import UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import emit
from conspectus.core.output import Output, writing_to
from conspectus.graph import bolt, candidate_rows, sql
from conspectus.graph.entities import check_linked
from conspectus.graph.formats import TEXTS, Node, Tie, table_heads, table_line
from conspectus.graph.paragraphs import read_paragraphs
from conspectus.records import Filters, Paper, PaperParagraph, Passage
from conspectus.records.events import Progress
from conspectus.records.graph import GraphExport
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog
from conspectus.store.connection import put_meta, transact
from conspectus.store.rows import local_name

CSV = "csv"
_AT_ONCE = 100
"""Papers that are read at once."""
_NAME = "graph_library"


def library_name(session: Session) -> str:
    """The name by which databases know what this library brought: its catalog's, wherever that is moved to."""
    if not session.catalog.meta(_NAME):
        with session.writing():
            if not session.catalog.meta(_NAME):
                transact(session.catalog.engine, lambda on: put_meta(on, _NAME, uuid4().hex))
    return session.catalog.meta(_NAME)


def write_tables(parts: Iterator[Node | Tie], output: Output) -> None:
    """Write the graph as tables of CSV into a folder."""
    if not isinstance(output, str | os.PathLike):
        raise UsageError("`csv` of a graph is several tables.", "Name a folder.")
    folder: Path = user_path(output)
    with explain_write_errors(output, "Name a folder."):
        folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        streams = {}
        for kind, head in table_heads().items():
            streams[kind] = stack.enter_context(writing_to(folder / f"{kind.lower()}.csv"))
            streams[kind].write(head)
        for part in parts:
            streams[part.kind].write(table_line(part))


def _count_parts(parts: Iterator[Node | Tie], counts: Counter[str]) -> Iterator[Node | Tie]:
    """The parts as they are; how many there are of each kind is counted."""
    for part in parts:
        counts[part.kind] += 1
        if part.kind in ("Paper", "RELATED_TO"):
            emit(Progress("exporting", counts["Paper"] + counts["RELATED_TO"], 0, "parts"))
        yield part


def graph_parts(catalog: Catalog, filters: Filters | None) -> Iterator[Node | Tie]:
    """The entities, papers, paragraphs and sentences of papers that pass the filters, and what joins them."""
    names = {}
    for key, entity in sql.read_entities(catalog, sql.count_mentions(catalog, filters=filters)).items():
        names[key] = f"{entity.vocabulary.replace('/', '%2F')}/{entity.id}"
        fields = {"curie": entity.id, "label": entity.name, "vocabulary": entity.vocabulary}
        yield Node("Entity", names[key], {**fields, "papers": entity.papers, "sentences": entity.sentences})
    papers = catalog.papers(filters)
    ids: dict[int, str] = {}
    while batch := list(islice(papers, _AT_ONCE)):
        keys = catalog.keys_of([paper.id for paper in batch])
        batch_ids = {key: name for name, key in keys.items()}
        ids |= batch_ids
        known = _PaperRows.load(catalog, batch_ids)
        for paper in batch:
            if paper.id in keys:
                yield from _of_paper(known, paper, keys[paper.id], names)
    yield from _joined(catalog, names, ids, filters)


@dataclass(frozen=True, slots=True)
class _PaperRows:
    """Mentions, relations, passages and paragraphs of some papers, by the papers' keys."""

    mentions: Mapping[int, Sequence[Any]]
    relations: Mapping[int, Sequence[candidate_rows.Relation]]
    passages: Mapping[int, Sequence[Passage]]
    paragraphs: Mapping[int, Sequence[PaperParagraph]]

    @classmethod
    def load(cls, catalog: Catalog, ids: Mapping[int, str]) -> _PaperRows:
        """Read them at once, of papers whose ids are given."""
        row_groups = (
            candidate_rows.paper_mentions(catalog, list(ids)),
            candidate_rows.paper_relations(catalog, list(ids)),
        )
        mentioning = {key: name for key, name in ids.items() if key in row_groups[0] or key in row_groups[1]}
        stored = grouped(
            (record.paper_key, record.passage) for record in catalog.passages_of(list(mentioning)).values()
        )
        return cls(*row_groups, stored, read_paragraphs(catalog, mentioning))


def _of_paper(known: _PaperRows, paper: Paper, key: int, names: Mapping[int, str]) -> Iterator[Node | Tie]:
    """A paper, those of its paragraphs and sentences that mention an entity, and of which."""
    mentions, read = known.mentions.get(key, ()), known.relations.get(key, ())
    span_names = {row.span for row in mentions} | {span for spans, *_ in read for span in spans}
    if not span_names:
        return
    year = {"year": paper.year} if paper.year else {}
    yield Node("Paper", paper.id, {"title": paper.heading, **year, "doi": paper.doi or ""})
    texts: dict[str, str] = {}
    for passage in known.passages.get(key, ()):
        for span in passage.spans:
            if (name := local_name(span.id)) in span_names and name not in texts:
                texts[name] = span.text
                yield Node("Sentence", span.id, {"text": span.text})
                yield Tie("IN_PAPER", span.id, paper.id, {})
    for row in mentions:
        if row.span in texts and row.concept in names:
            fields = {"start": row.start, "stop": row.stop, "words": texts[row.span][row.start : row.stop]}
            fields |= {"score": row.score, "method": row.method}
            yield Tie("MENTIONS", f"{paper.id}.{row.span}", names[row.concept], fields)
    described = {
        (span, concept, model)
        for spans, concept, other, model in read
        if other is None and concept in names
        for span in spans
        if span in texts
    }
    for name, concept, model in sorted(described):
        yield Tie("DESCRIBES", f"{paper.id}.{name}", names[concept], {"model": model})
    mentioned = {(row.span, names[row.concept]) for row in mentions if row.span in texts and row.concept in names}
    read_of = {(name, names[concept]) for name, concept, _ in described}
    yield from _paragraphs(known.paragraphs.get(key, ()), paper, texts, mentioned, read_of)


def _paragraphs(
    paragraphs: Sequence[PaperParagraph],
    paper: Paper,
    sentences: Collection[str],
    mentioned: Collection[tuple[str, str]],
    described: Collection[tuple[str, str]],
) -> Iterator[Node | Tie]:
    """The paragraphs of a paper that have some of its sentences, and the entities that these mention."""
    entities = grouped({*mentioned, *described})
    for paragraph in paragraphs:
        if not (names := [name for name in map(local_name, paragraph.span_ids) if name in sentences]):
            continue
        fields = {
            "section": paragraph.section,
            "kind": paragraph.kind,
            "number": paragraph.number,
            "text": paragraph.text,
        }
        yield Node("Paragraph", paragraph.id, fields)
        yield Tie("PARAGRAPH_OF", paragraph.id, paper.id, {})
        for name in names:
            yield Tie("IN_PARAGRAPH", f"{paper.id}.{name}", paragraph.id, {})
        by_entity = grouped((entity, name) for name in names for entity in entities.get(name, ()))
        for entity, spans in sorted(by_entity.items()):
            read = sum((name, entity) in described for name in spans)
            tie_fields = {
                "sentences": len(spans),
                "described": read,
                "span_ids": [f"{paper.id}.{name}" for name in spans],
            }
            yield Tie("MENTIONED_IN", entity, paragraph.id, tie_fields)


def _joined(
    catalog: Catalog, names: Mapping[int, str], papers_by_key: Mapping[int, str], filters: Filters | None
) -> Iterator[Tie]:
    for join in candidate_rows.iterate_joins(catalog, filters):
        if join.first in names and join.second in names:
            papers = {place.paper: papers_by_key[place.paper] for place in join.places if place.paper in papers_by_key}
            spans = [f"{papers[place.paper]}.{place.span}" for place in join.places if place.paper in papers]
            fields = {"kind": join.kind, "papers": len(papers), "sentences": len(spans), "span_ids": spans}
            yield Tie("RELATED_TO", names[join.first], names[join.second], fields)


def export_graph(
    session: Session, output: Output, to: str, database: str, *, prune: bool, filters: Filters | None
) -> GraphExport:
    """Write the graph to a file, a folder of tables or a database; see `graph export`."""
    is_database = bolt.is_address(to)
    if to not in (*TEXTS, CSV) and not is_database:
        raise UsageError(
            f"There is no format '{to}' of a graph.", f"There are: {', '.join((*TEXTS, CSV))}, and neo4j+s://HOST."
        )
    if not output and not is_database:
        raise UsageError(f"No file is named for the {to}.", "Name a file; for `csv` a folder.")
    if prune and not is_database:
        raise UsageError(f"A {to} is always written whole; there is nothing to `prune`.", "Leave it out.")
    if prune and filters:
        raise UsageError(
            "`prune` with filters would remove everything that the filters leave out.", "Leave out one of them."
        )
    check_linked(session)
    counts, pruned = Counter[str](), 0
    parts = _count_parts(graph_parts(session.catalog, filters), counts)
    if is_database:
        pruned = bolt.load_graph(parts, to, library_name(session), database, prune=prune)
    elif to == CSV:
        write_tables(parts, output)
    else:
        with writing_to(output) as stream:
            for text in TEXTS[to](parts):
                stream.write(text)
    path = os.fspath(output) if isinstance(output, str | os.PathLike) else ""
    return GraphExport(
        counts["Entity"],
        counts["Paper"],
        counts["Sentence"],
        counts["RELATED_TO"],
        pruned,
        path=path,
        to=to,
        paragraphs=counts["Paragraph"],
    )
