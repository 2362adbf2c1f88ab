"""`link`, `relate` and `graph`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from conspectus.cli.app import VerbOfParts, verb
from conspectus.cli.describe import say_example, spent
from conspectus.cli.options import budget_options, budgeted, filter_options, filters_of
from conspectus.cli.polite import step_back
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.plural import pluralize
from conspectus.records.entities import ExtractReport, NewEntity
from conspectus.records.graph import Edge, Entity, LinkReport, RelateReport, Subgraph
from conspectus.wire import encode

MOST = 10_000


@verb("link")
@click.option(
    "--model",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Have a language model read them, too: that of the settings, or NAME.",
)
@click.option("--method", default="", metavar="METHOD", help="exact, fuzzy, semantic or both (else as before).")
@budget_options
def link_verb(state: State, model: str | None, method: str, **chosen: Any) -> int:
    """Find the entities of the library's vocabularies in all sentences of its papers.

    What was gone through by the same vocabularies is left as it is. After an interruption the same command goes on.
    With --model a language model names entities as well, and says which of all that were found are some; what no
    vocabulary has waits for review (`entities --review`). What was failed or stopped makes the exit code 1.
    Methods: `exact` (at first); `fuzzy` also takes misprints for names, `semantic` what is near one by its vector.
    """
    budgeted(state, chosen)
    step_back()
    with showing(state), state.library() as library:
        report = library.link(model, method=method)
    state.tell(lambda: encode.plain(report), lambda out: _linked(out, report))
    read = report.extracted
    return int(bool(report.failed or (read and (read.failed or read.stopped))))


def _linked(out: Printer, report: LinkReport) -> None:
    were = "was" if report.papers == 1 else "were"
    of = f"{report.linked} of {pluralize(report.papers, 'paper')} {were} gone through now"
    out.line(f"{of}, by {one_line(', '.join(report.vocabularies)) or 'no vocabulary'}.")
    if report.failed:
        out.line((f"{pluralize(report.failed, 'paper')} could not be.", "bad"))
    if report.extracted:
        _extracted(out, report.extracted)
    out.line(f"{pluralize(report.mentions, 'mention')} of {pluralize(report.entities, 'entity', 'entities')}.")


def _extracted(out: Printer, read: ExtractReport) -> None:
    for name, why in read.failed.items():
        out.line(("failed", "bad"), f" {name} {one_line(why)}")
    of = f"{pluralize(read.read, 'paper')} were read by the model now: it found {pluralize(read.found, 'place')} more"
    out.line(f"{of}, and refused {read.refused}. {pluralize(read.new, 'entity waits', 'entities wait')} for review.")
    _ended(out, read)


@verb("relate")
@click.option("--model", default="", metavar="NAME", help="Instead of that of the settings.")
@click.option("--again", is_flag=True, help="Ask again what was asked before.")
@budget_options
def relate_verb(state: State, model: str, again: bool, **chosen: Any) -> int:
    """Have a language model read what sentences state of the entities they speak of.

    It says numbers of sentences of a passage, never words of its own. What it has read is not read again; a run that
    was interrupted, or has used up its budget (then the exit code is 1), goes on with the same command.
    """
    budgeted(state, chosen)
    with showing(state), state.library() as library:
        report = library.relate(model, again=again)
    state.tell(lambda: encode.plain(report), lambda out: _related(out, report))
    return int(bool(report.failed or report.stopped))


def _related(out: Printer, report: RelateReport) -> None:
    for name, why in report.failed.items():
        out.line(("failed", "bad"), f" {name} {one_line(why)}")
    out.line(f"{pluralize(report.relations, 'relation')} of {pluralize(len(report.read), 'paper')} that were read now.")
    _ended(out, report)


def _ended(out: Printer, report: ExtractReport | RelateReport) -> None:
    if report.stopped:
        out.fold(f"{report.left} were not come to: {report.stopped}")
    for note in report.notes:
        out.fold(typed(note))
    if report.usage.calls:
        out.line((spent(report.model, report.usage), "dim"))


def write_lines(out: Printer, lines: Sequence[str]) -> None:
    """Each as a line, with what is typed as it is typed."""
    for line in lines:
        out.line(typed(line))


def spoken(one: Entity | NewEntity | Edge) -> str:
    """How much speaks of it."""
    return f"{pluralize(one.sentences, 'sentence')} of {pluralize(one.papers, 'paper')}"


@verb("graph", cls=VerbOfParts)
@click.argument("names", nargs=-1, required=True, metavar="ENTITIES…")
@click.option("--depth", type=click.IntRange(1, 4), default=2, show_default=True, help="Hops, at most.")
@click.option("-k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Neighbours or paths, at most.")
@click.option("--examples", type=click.IntRange(0, 100), default=1, show_default=True, help="Sentences of each edge.")
@filter_options(kinds=False)
def graph_verb(state: State, names: tuple[str, ...], depth: int, k: int, examples: int, **chosen: Any) -> None:
    """Show what papers say around an entity, or between several, with the sentences.

    ENTITIES are names, or ids (`UBERON:0000955`). Of one its neighbours are shown; of several the ways from one to
    another. A `co-mention` is a sentence that speaks of both, and claims no more. `graph export` writes all of it.
    """
    with showing(state), state.library() as library:
        found = library.graph(names, depth=depth, k=k, examples=examples, filters=filters_of(chosen))
    state.tell(lambda: encode.body(found), lambda out: _graph(out, found))


def _graph(out: Printer, found: Subgraph) -> None:
    labels = {one.id: one.label for one in found.entities}
    for one in found.entities:
        if one.id in found.asked:
            out.line((one_line(one.label), "title"), (f"  {one.id} · {spoken(one)}", "dim"))
    for path in found.paths:
        out.line(one_line(" — ".join(labels[name] for name in path)))
    for edge in found.edges:
        _edge(out, edge, labels)
    if found.note or not found.edges:
        out.line(found.note or "No sentence speaks of them together.")


def _edge(out: Printer, edge: Edge, labels: dict[str, str]) -> None:
    out.line()
    out.line(
        (one_line(f"{labels[edge.first]} — {labels[edge.second]}"), "title"),
        (f"  {edge.kind} · {spoken(edge)}", "dim"),
    )
    for example in edge.examples:
        say_example(out, example)


@verb("export")
@click.argument("output", default="", metavar="[FILE]")
@click.option("--to", required=True, metavar="FORMAT", help="graphml, jsonld, cypher, csv, or neo4j+s://HOST[:PORT].")
@click.option("--database", default="", metavar="NAME", help="Of a database's server, which of its own.")
@click.option("--prune", is_flag=True, help="Of a database: take out what the library no longer has.")
@filter_options(kinds=False)
def graph_export_verb(state: State, output: str, to: str, database: str, prune: bool, **chosen: Any) -> None:
    """Write the graph for other programs: entities, sentences, papers, and what joins them.

    FILE is a folder where it is `csv`: tables, as Neo4j imports them. Into a database that speaks Bolt (Neo4j) it is
    loaded without a file (user and password: NEO4J_USERNAME and NEO4J_PASSWORD in the environment, or the keyring's);
    the same command again brings that up to date.
    """
    step_back()
    with showing(state), state.library() as library:
        found = library.export_graph(to, output, filters_of(chosen), database=database, prune=prune)
    told = f"{pluralize(found.entities, 'entity', 'entities')}, {pluralize(found.sentences, 'sentence')} of "
    told += f"{pluralize(found.papers, 'paper')}, {pluralize(found.related, 'edge')} between entities."
    told += f" {found.pruned} nodes and edges of before were taken out." if found.pruned else ""
    state.tell(lambda: {"path": output, "to": to, **encode.plain(found)}, lambda out: out.line(told))


@verb("query")
@click.argument("statement", metavar="CYPHER")
@click.option("--from", "address", required=True, metavar="ADDRESS", help="Of the database: neo4j+s://HOST[:PORT].")
@click.option("--value", "values", nargs=2, multiple=True, metavar="NAME TEXT", help="Of a $NAME in it. Repeatable.")
@click.option("--database", default="", metavar="NAME", help="Of the server, which of its own.")
@click.option("-k", type=click.IntRange(1, MOST), default=100, show_default=True, help="Rows, at most.")
def graph_query_verb(
    state: State, statement: str, address: str, values: tuple[tuple[str, str], ...], database: str, k: int
) -> None:
    """Ask a database into which the graph was loaded (`graph export --to ADDRESS`) in Cypher; it reads only.

    For example `MATCH (a:Entity {label: $a})-[r:RELATED_TO]-(b) RETURN b.label, r.sentences`.
    """
    with showing(state), state.library() as library:
        rows = library.query_graph(statement, address, values=dict(values), database=database, k=k)
    lines = ["  ".join(f"{name}: {value}" for name, value in row.items()) for row in rows] or ["No rows."]
    state.tell(lambda: {"rows": list(rows)}, lambda out: write_lines(out, [one_line(line) for line in lines]))


graph_verb.commands |= {"export": graph_export_verb, "query": graph_query_verb}  # type: ignore[attr-defined]
