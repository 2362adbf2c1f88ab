"""The nodes and edges of the graph, as exports write them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from conspectus.core.disk import named, user_path
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.core.output import Output, writing_to
from conspectus.graph import candidate_rows
from conspectus.graph import sql as kept
from conspectus.records import Filters, Paper
from conspectus.records.jobs import Progress
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog
from conspectus.store.connection import put_meta, transact
from conspectus.store.rows import local_name

if TYPE_CHECKING:
    from conspectus.graph.graph_formats import Node, Tie

CSV = "csv"
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
    from conspectus.graph.graph_formats import files, line_of

    if not isinstance(output, str | os.PathLike):
        raise UsageError("`csv` of a graph is several tables.", "Name a folder.")
    folder: Path = user_path(output)
    with named(output, "Name a folder."):
        folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        streams = {}
        for kind, head in files().items():
            streams[kind] = stack.enter_context(writing_to(folder / f"{kind.lower()}.csv"))
            streams[kind].write(head)
        for one in parts:
            streams[one.kind].write(line_of(one))


def counted(parts: Iterator[Node | Tie], counts: Counter[str]) -> Iterator[Node | Tie]:
    """The parts as they are; how many there are of each kind is counted."""
    for one in parts:
        counts[one.kind] += 1
        if one.kind in ("Paper", "RELATED_TO"):
            emit(Progress("exporting", counts["Paper"] + counts["RELATED_TO"], 0, "parts"))
        yield one


def graph_parts(catalog: Catalog, filters: Filters | None) -> Iterator[Node | Tie]:
    """The entities, papers and sentences of papers that pass the filters, and what joins them."""
    from conspectus.graph.graph_formats import Node

    names = {}
    for key, one in kept.read_entities(catalog, kept.count_mentions(catalog, filters=filters)).items():
        names[key] = f"{one.vocabulary.replace('/', '%2F')}/{one.id}"
        said = {"curie": one.id, "label": one.name, "vocabulary": one.vocabulary}
        yield Node("Entity", names[key], {**said, "papers": one.papers, "sentences": one.sentences})
    for paper in catalog.papers(filters):
        yield from _of_paper(catalog, paper, names)
    yield from _joined(catalog, names, filters)


def _of_paper(catalog: Catalog, paper: Paper, names: Mapping[int, str]) -> Iterator[Node | Tie]:
    """A paper, those of its sentences that speak of an entity, and of which."""
    from conspectus.graph.graph_formats import Node, Tie

    key = catalog.paper_key(paper.id)
    found, read = candidate_rows.paper_mentions(catalog, key), list(candidate_rows.paper_relations(catalog, key))
    wanted = {row.span for row in found} | {span for spans, *_ in read for span in spans}
    if not wanted:
        return
    year = {"year": paper.year} if paper.year else {}
    yield Node("Paper", paper.id, {"title": paper.heading, **year, "doi": paper.doi or ""})
    texts: dict[str, str] = {}
    for passage in catalog.passages(paper.id):
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


def _joined(catalog: Catalog, names: Mapping[int, str], filters: Filters | None) -> Iterator[Tie]:
    from conspectus.graph.graph_formats import Tie

    for one in candidate_rows.iterate_joins(catalog, names, filters):
        if one.second in names:
            papers = catalog.ids_of({place.paper for place in one.places})
            spans = [f"{papers[place.paper]}.{place.span}" for place in one.places if place.paper in papers]
            said = {"kind": one.kind, "papers": len(papers), "sentences": len(spans), "span_ids": spans}
            yield Tie("RELATED_TO", names[one.first], names[one.second], said)
