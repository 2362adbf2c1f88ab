"""The export of the graph: its nodes and edges, written to a file, a folder of tables or a database."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from conspectus.records import Filters, Paper, Passage
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
    """The entities, papers and sentences of papers that pass the filters, and what joins them."""
    names = {}
    for key, one in sql.read_entities(catalog, sql.count_mentions(catalog, filters=filters)).items():
        names[key] = f"{one.vocabulary.replace('/', '%2F')}/{one.id}"
        said = {"curie": one.id, "label": one.name, "vocabulary": one.vocabulary}
        yield Node("Entity", names[key], {**said, "papers": one.papers, "sentences": one.sentences})
    papers = catalog.papers(filters)
    ids: dict[int, str] = {}
    while batch := list(islice(papers, _AT_ONCE)):
        keys = catalog.keys_of([paper.id for paper in batch])
        ids |= {key: name for name, key in keys.items()}
        known = _PaperRows.load(catalog, list(keys.values()))
        for paper in batch:
            if paper.id in keys:
                yield from _of_paper(known, paper, keys[paper.id], names)
    yield from _joined(catalog, names, ids, filters)


@dataclass(frozen=True, slots=True)
class _PaperRows:
    """Mentions, relations and passages of some papers, by the papers' keys."""

    mentions: Mapping[int, Sequence[Any]]
    relations: Mapping[int, Sequence[candidate_rows.Relation]]
    passages: Mapping[int, Sequence[Passage]]

    @classmethod
    def load(cls, catalog: Catalog, keys: Sequence[int]) -> _PaperRows:
        """Read them at once."""
        found = candidate_rows.paper_mentions(catalog, keys), candidate_rows.paper_relations(catalog, keys)
        stored = catalog.passages_of([key for key in keys if key in found[0] or key in found[1]]).values()
        return cls(*found, grouped((one.paper_key, one.passage) for one in stored))


def _of_paper(known: _PaperRows, paper: Paper, key: int, names: Mapping[int, str]) -> Iterator[Node | Tie]:
    """A paper, those of its sentences that mention an entity, and of which."""
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
    described = {(span, one, model) for spans, one, two, model in read if two is None for span in spans}
    for name, one, model in sorted(described):
        if name in texts and one in names:
            yield Tie("DESCRIBES", f"{paper.id}.{name}", names[one], {"model": model})


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
        counts["Entity"], counts["Paper"], counts["Sentence"], counts["RELATED_TO"], pruned, path=path, to=to
    )
