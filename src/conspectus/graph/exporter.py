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
        for one in parts:
            streams[one.kind].write(table_line(one))


def _count_parts(parts: Iterator[Node | Tie], counts: Counter[str]) -> Iterator[Node | Tie]:
    """The parts as they are; how many there are of each kind is counted."""
    for one in parts:
        counts[one.kind] += 1
        if one.kind in ("Paper", "RELATED_TO"):
            emit(Progress("exporting", counts["Paper"] + counts["RELATED_TO"], 0, "parts"))
        yield one


def graph_parts(catalog: Catalog, filters: Filters | None) -> Iterator[Node | Tie]:
    """The entities, papers, paragraphs and sentences of papers that pass the filters, and what joins them."""
    names = {}
    for key, one in sql.read_entities(catalog, sql.count_mentions(catalog, filters=filters)).items():
        names[key] = f"{one.vocabulary.replace('/', '%2F')}/{one.id}"
        said = {"curie": one.id, "label": one.name, "vocabulary": one.vocabulary}
        yield Node("Entity", names[key], {**said, "papers": one.papers, "sentences": one.sentences})
    papers = catalog.papers(filters)
    ids: dict[int, str] = {}
    while batch := list(islice(papers, _AT_ONCE)):
        keys = catalog.keys_of([paper.id for paper in batch])
        own = {key: name for name, key in keys.items()}
        ids |= own
        known = _PaperRows.load(catalog, own)
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
        found = candidate_rows.paper_mentions(catalog, list(ids)), candidate_rows.paper_relations(catalog, list(ids))
        mentioning = {key: name for key, name in ids.items() if key in found[0] or key in found[1]}
        stored = grouped((one.paper_key, one.passage) for one in catalog.passages_of(list(mentioning)).values())
        return cls(*found, stored, read_paragraphs(catalog, mentioning))


def _of_paper(known: _PaperRows, paper: Paper, key: int, names: Mapping[int, str]) -> Iterator[Node | Tie]:
    """A paper, those of its paragraphs and sentences that mention an entity, and of which."""
    found, read = known.mentions.get(key, ()), known.relations.get(key, ())
    wanted = {row.span for row in found} | {span for spans, *_ in read for span in spans}
    if not wanted:
        return
    year = {"year": paper.year} if paper.year else {}
    yield Node("Paper", paper.id, {"title": paper.heading, **year, "doi": paper.doi or ""})
    texts: dict[str, str] = {}
    for passage in known.passages.get(key, ()):
        for span in passage.spans:
            if (name := local_name(span.id)) in wanted and name not in texts:
                texts[name] = span.text
                yield Node("Sentence", span.id, {"text": span.text})
                yield Tie("IN_PAPER", span.id, paper.id, {})
    for row in found:
        if row.span in texts and row.concept in names:
            said = {"start": row.start, "stop": row.stop, "words": texts[row.span][row.start : row.stop]}
            said |= {"score": row.score, "method": row.method}
            yield Tie("MENTIONS", f"{paper.id}.{row.span}", names[row.concept], said)
    described = {
        (span, one, model)
        for spans, one, two, model in read
        if two is None and one in names
        for span in spans
        if span in texts
    }
    for name, one, model in sorted(described):
        yield Tie("DESCRIBES", f"{paper.id}.{name}", names[one], {"model": model})
    mentioned = {(row.span, names[row.concept]) for row in found if row.span in texts and row.concept in names}
    read_of = {(name, names[one]) for name, one, _ in described}
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
    for one in paragraphs:
        if not (own := [name for name in map(local_name, one.span_ids) if name in sentences]):
            continue
        fields = {"section": one.section, "kind": one.kind, "number": one.number, "text": one.text}
        yield Node("Paragraph", one.id, fields)
        yield Tie("PARAGRAPH_OF", one.id, paper.id, {})
        for name in own:
            yield Tie("IN_PARAGRAPH", f"{paper.id}.{name}", one.id, {})
        by_entity = grouped((entity, name) for name in own for entity in entities.get(name, ()))
        for entity, spans in sorted(by_entity.items()):
            read = sum((name, entity) in described for name in spans)
            said = {"sentences": len(spans), "described": read, "span_ids": [f"{paper.id}.{name}" for name in spans]}
            yield Tie("MENTIONED_IN", entity, one.id, said)


def _joined(
    catalog: Catalog, names: Mapping[int, str], papers_by_key: Mapping[int, str], filters: Filters | None
) -> Iterator[Tie]:
    for one in candidate_rows.iterate_joins(catalog, filters):
        if one.first in names and one.second in names:
            papers = {place.paper: papers_by_key[place.paper] for place in one.places if place.paper in papers_by_key}
            spans = [f"{papers[place.paper]}.{place.span}" for place in one.places if place.paper in papers]
            said = {"kind": one.kind, "papers": len(papers), "sentences": len(spans), "span_ids": spans}
            yield Tie("RELATED_TO", names[one.first], names[one.second], said)


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
