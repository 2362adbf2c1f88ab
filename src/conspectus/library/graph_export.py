"""The graph written for other programs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from conspectus.catalog import mentions as kept
from conspectus.catalog import whole_graph
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.catalog.passage_rows import own_name
from conspectus.catalog.writer import put_meta
from conspectus.core.disk import named, user_path
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.library.linking import NONE
from conspectus.library.session import Session
from conspectus.records import Filters, Paper
from conspectus.records.graph import GraphExport
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from conspectus.export.graph import Node, Tie
    from conspectus.export.output import Output

CSV = "csv"
_NAME = "graph_library"


def export_graph(
    session: Session,
    to: str,
    output: Output = "",
    filters: Filters | None = None,
    *,
    database: str = "",
    prune: bool = False,
) -> GraphExport:
    """Write the graph: entities, the sentences that speak of them, their papers, and what joins entities.

    Sentences are copied from the papers as they are now; what joins two entities names those that do by their ids.

    Args:
        to: `graphml`, `jsonld`, `cypher` (statements), `csv` (tables, as Neo4j imports them), or the address of a
            database that speaks Bolt (`neo4j+s://HOST`), into which it is loaded: twice is as once. User and password
            are NEO4J_USERNAME and NEO4J_PASSWORD of the environment, or the keyring's.
        output: a file, which is replaced when all is written, or anything with `write(text)`; of `csv` a folder.
        filters: which papers count.
        database: of a database's server, which of its own; "": as that chooses.
        prune: take out of a database what earlier loads of this library brought and it no longer has; else that stays.
            What other libraries brought, or others put there, stays, but for what hangs on that.

    Raises:
        UsageError: no such format, no database to `prune`, or filters beside that; no paper is linked, the file cannot
            be written, `csv` is to go to what is no folder, or an address to which nobody may write without knowing
            who is there.
        BusyError: another process is writing to the library, which is to get a name for databases.
        UnavailableError: the driver of databases is not installed.
        ServiceError: the database is away, or refuses.
    """
    from conspectus.export import bolt
    from conspectus.export.graph import TEXTS
    from conspectus.export.output import writing_to

    if to not in (*TEXTS, CSV) and not bolt.is_address(to):
        raise UsageError(
            f"There is no format '{to}' of a graph.", f"There are: {', '.join((*TEXTS, CSV))}, and neo4j+s://HOST."
        )
    if not output and not bolt.is_address(to):
        raise UsageError(f"Nothing is named to which the {to} is to be written.", "Name a file; of `csv` a folder.")
    if prune and not bolt.is_address(to):
        raise UsageError(f"A {to} is written anew; there is nothing to `prune`.", "Leave it out.")
    if prune and filters:
        raise UsageError(
            "`prune` beside filters would take out all that the filters leave out.", "Leave out the one or the others."
        )
    if not kept.size(session.catalog)[0]:
        raise UsageError("No paper speaks of an entity yet.", NONE)
    counts, pruned = Counter[str](), 0
    parts = _counted(_parts(session.catalog, filters), counts)
    if bolt.is_address(to):
        pruned = bolt.load(parts, to, _library(session), database, prune=prune)
    elif to == CSV:
        _tables(parts, output)
    else:
        with writing_to(output) as stream:
            for text in TEXTS[to](parts):
                stream.write(text)
    return GraphExport(counts["Entity"], counts["Paper"], counts["Sentence"], counts["RELATED_TO"], pruned)


def _library(session: Session) -> str:
    """The name by which databases know what this library brought: its catalog's, wherever that is moved to."""
    if not session.catalog.meta(_NAME):
        with session.writing():
            if not session.catalog.meta(_NAME):
                transact(session.catalog.engine, lambda on: put_meta(on, _NAME, uuid4().hex))
    return session.catalog.meta(_NAME)


def query_graph(
    session: Session,  # noqa: ARG001 - a verb of a library, which asks about its own graph
    statement: str,
    address: str,
    *,
    values: Mapping[str, Any] | None = None,
    database: str = "",
    k: int = 100,
) -> tuple[dict[str, Any], ...]:
    """What a statement of Cypher finds in a database into which `export_graph` has loaded the graph.

    It is asked as something that reads only: Neo4j refuses to write then, and what another would change is taken back.
    Of nodes and relations it has what is said of them, a path is a list of these.

    Args:
        statement: with parameters as `$name`.
        address: as `to` of `export_graph`.
        values: of the parameters.
        database: of the server, which of its own; "": as that chooses.
        k: rows, at most.

    Raises:
        UsageError, UnavailableError, ServiceError: see `export_graph`; also where the statement is wrong, or is to
            write in Neo4j.
    """
    from conspectus.export import bolt

    return tuple(bolt.ask(statement, address, values or {}, database, k))


def _tables(parts: Iterator[Node | Tie], output: Output) -> None:
    from conspectus.export.graph import files, line_of
    from conspectus.export.output import writing_to

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


def _counted(parts: Iterator[Node | Tie], counts: Counter[str]) -> Iterator[Node | Tie]:
    for one in parts:
        counts[one.kind] += 1
        if one.kind in ("Paper", "RELATED_TO"):
            emit(Progress("exporting", counts["Paper"] + counts["RELATED_TO"], 0, "parts"))
        yield one


def _parts(catalog: Catalog, filters: Filters | None) -> Iterator[Node | Tie]:
    from conspectus.export.graph import Node

    names = {}
    for key, one in kept.entities(catalog, kept.counts(catalog, filters=filters)).items():
        names[key] = f"{one.vocabulary.replace('/', '%2F')}/{one.id}"
        said = {"curie": one.id, "label": one.label, "vocabulary": one.vocabulary}
        yield Node("Entity", names[key], {**said, "papers": one.papers, "sentences": one.sentences})
    for paper in catalog.papers(filters):
        yield from _of_paper(catalog, paper, names)
    yield from _joined(catalog, names, filters)


def _of_paper(catalog: Catalog, paper: Paper, names: Mapping[int, str]) -> Iterator[Node | Tie]:
    """A paper, those of its sentences that speak of an entity, and of which."""
    from conspectus.export.graph import Node, Tie

    key = catalog.paper_key(paper.id)
    found, read = whole_graph.mentioned(catalog, key), list(whole_graph.read(catalog, key))
    wanted = {row.span for row in found} | {span for spans, *_ in read for span in spans}
    if not wanted:
        return
    year = {"year": paper.year} if paper.year else {}
    yield Node("Paper", paper.id, {"title": paper.heading, **year, "doi": paper.doi or ""})
    texts: dict[str, str] = {}
    for passage in catalog.passages(paper.id):
        for span in passage.spans:
            if (name := own_name(span.id)) in wanted and name not in texts:
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
    from conspectus.export.graph import Tie

    for one in whole_graph.joined(catalog, names, filters):
        if one.second in names:
            papers = catalog.ids_of({place.paper for place in one.places})
            spans = [f"{papers[place.paper]}.{place.span}" for place in one.places if place.paper in papers]
            said = {"kind": one.kind, "papers": len(papers), "sentences": len(spans), "span_ids": spans}
            yield Tie("RELATED_TO", names[one.first], names[one.second], said)
