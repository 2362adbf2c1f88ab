"""How entities and the graph look in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.describe import say_example, spent

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.graph import (
        Discovery,
        Edge,
        Entity,
        EntityCard,
        EntityList,
        EntityMerge,
        EntityParagraphs,
        EntityState,
        ExtractReport,
        GraphExport,
        Hypothesis,
        Later,
        LinkReport,
        NewEntities,
        NewEntity,
        RelateReport,
        Subgraph,
    )


_WHY = {
    "replaced": "its vocabulary replaces it",
    "same": "a vocabulary says they are the same",
    "cross-reference": "cross-reference, and a name in common",
    "name": "same name",
}


def link(out: Printer, report: LinkReport) -> None:
    """How many papers were linked, by which vocabularies, and what a model added."""
    linked = f"{report.linked} of {pluralize(report.papers, 'paper')}"
    out.line(f"Linked {linked}, by {one_line(', '.join(report.vocabularies)) or 'no vocabulary'}.")
    if report.failed:
        out.line((f"{pluralize(report.failed, 'paper')} could not be linked.", "bad"))
    if read := report.extracted:
        _failures(out, read.failed)
        places = f"it found {pluralize(read.found, 'more place')} and refused {read.refused}"
        waiting = pluralize(read.new, "entity waits", "entities wait")
        out.line(f"The model read {pluralize(read.read, 'paper')}: {places}. {waiting} for review.")
        _ending(out, read)
    out.line(f"{pluralize(report.mentions, 'mention')} of {pluralize(report.entities, 'entity', 'entities')}.")


def relate(out: Printer, report: RelateReport) -> None:
    """How many relations were read."""
    _failures(out, report.failed)
    out.line(f"Read {pluralize(report.relations, 'relation')} in {pluralize(len(report.read), 'paper')}.")
    _ending(out, report)


def _failures(out: Printer, failed: Mapping[str, str]) -> None:
    for name, reason in failed.items():
        out.line(("failed", "bad"), f" {name} {one_line(reason)}")


def _ending(out: Printer, report: ExtractReport | RelateReport) -> None:
    if report.stopped:
        out.fold(f"{pluralize(report.left, 'paper')} not read: {report.stopped}")
    for note in report.notes:
        out.fold(out.remedy(note))
    if report.usage.calls:
        out.line((spent(report.model, report.usage), "dim"))


def entities(out: Printer, entity_list: EntityList) -> None:
    """A line an entity."""
    for entity in entity_list.entities:
        out.line(_entity_line(entity))
    if entity_list.note:
        out.advise(entity_list.note)
    if not entity_list.entities:
        out.line(out.remedy("No entity was found in these papers; `graph link` finds entities."))


def show(out: Printer, graph: Subgraph) -> None:
    """The entities asked for, the paths between them, and each edge with its sentences."""
    for node in graph.nodes:
        if node.id in graph.asked:
            out.line((one_line(node.name), "title"), (f"  {node.id} · {_sources(node)}", "dim"))
    names = {node.id: node.name for node in graph.nodes}
    for path in graph.paths:
        out.line(one_line(" — ".join(names[name] for name in path)))
    _edges(out, graph.edges, names)
    if graph.note or not graph.edges:
        out.line(graph.note or "No sentence mentions them together.")


def paragraphs(out: Printer, paragraph_list: EntityParagraphs) -> None:
    """Each paragraph, and where it is."""
    for paragraph in paragraph_list.paragraphs:
        out.line()
        where = " · ".join(filter(None, (paragraph.paper.label, paragraph.section)))
        count = pluralize(len(paragraph.citations), "sentence")
        out.line((one_line(where), "title"), (f"  {paragraph.id} · {count}", "dim"))
        out.fold(one_line(paragraph.text), indent=4)
    if not paragraph_list.paragraphs:
        out.line("No paragraph mentions them together.")


def entity(out: Printer, card: EntityCard) -> None:
    """An entity with its names, and its edges."""
    out.line((one_line(card.entity.name), "title"), (f"  {card.entity.id} · {_sources(card.entity)}", "dim"))
    if card.definition:
        out.fold(one_line(card.definition), indent=4)
    out.line(one_line(f"Names: {', '.join(card.names)}. Broader: {', '.join(card.broader) or 'none'}."))
    _edges(out, card.edges, {node.id: node.name for node in card.nodes})


def _edges(out: Printer, edges: Sequence[Edge], names: Mapping[str, str]) -> None:
    for edge in edges:
        out.line()
        ends = one_line(f"{names[edge.source]} [{edge.source}] — {names[edge.target]} [{edge.target}]")
        out.line((ends, "title"), (f"  {edge.kind} · {_sources(edge)}", "dim"))
        for example in edge.examples:
            say_example(out, example)


def discover(out: Printer, discovery: Discovery) -> None:
    """What may be worth looking into, in words that claim no more."""
    out.line(
        (one_line(discovery.entity.name), "title"), (f"  {discovery.entity.id} · {_sources(discovery.entity)}", "dim")
    )
    out.line(discovery.note)
    if discovery.pairs:
        learnt = discovery.ranking.learnt
        basis = f"{learnt:,} pairs that its last years joined" if learnt else "the pairs of other libraries"
        out.line((f"Ranked by a model fitted to {basis}.", "dim"))
        out.line("May be worth looking into:")
    names = {node.id: node.name for node in discovery.nodes}
    for pair in discovery.pairs:
        _hypothesis(out, pair, names)
        if discovery.until is not None:
            _later(out, pair.later, discovery.until)


def _hypothesis(out: Printer, pair: Hypothesis, names: Mapping[str, str]) -> None:
    both = f", {pluralize(pair.papers, 'paper')} of both" if pair.papers else ""
    numbers = f"{pair.target} · score {pair.score:.2f} · {pair.shared} shared{both}"
    out.line()
    out.line((one_line(f"{pair.rank}. {names[pair.target]}"), "title"), (f"  {one_line(numbers)}", "dim"))
    for bridge in pair.paths:
        out.line(one_line(f"by {names[bridge.via]} [{bridge.via}]"), indent=2)
        for hop in bridge.hops:
            for example in hop.examples:
                say_example(out, example)


def _later(out: Printer, later: Later | None, until: int) -> None:
    if later is None:
        out.line(f"No sentence after {until} mentions both.", indent=2)
        return
    counts = f"{pluralize(later.sentences, 'sentence')} of {pluralize(later.papers, 'paper')} after {until}"
    out.line(f"Both are mentioned in {counts}, first in {later.year}:", indent=2)
    if later.first:
        say_example(out, later.first)


def review(out: Printer, new_entities: NewEntities, *, state: EntityState = "new") -> None:
    """The entities that wait, each with sentences."""
    for entity in new_entities.entities:
        out.line((one_line(entity.name), "title"), (f"  {one_line(entity.id)} · {_sources(entity)}", "dim"))
        for example in entity.examples:
            say_example(out, example)
    if more := new_entities.total - len(new_entities.entities):
        out.line(f"{more} more.")
    elif not new_entities.entities:
        out.line("No entity waits for review." if state == "new" else f"No entity was {state}.")


def accept(out: Printer, reviewed: Sequence[NewEntity]) -> None:
    """What each is now."""
    for entity in reviewed:
        out.line(f"{entity.state}: {_entity_line(entity)}")


reject = undo_review = accept


def merge(out: Printer, merge: EntityMerge) -> None:
    """What was merged into what."""
    out.line(f"Merged: {_merge_line(merge)}")


def unmerge(out: Printer, merge: EntityMerge) -> None:
    """What is no longer merged."""
    out.line(f"No longer merged: {_merge_line(merge)}")


def merges(out: Printer, merges: Sequence[EntityMerge]) -> None:
    """A line a merge."""
    for merge in merges:
        out.line(_merge_line(merge))
    if not merges:
        out.line("Nothing was merged.")


def export(out: Printer, export: GraphExport) -> None:
    """How much was written."""
    entities, sentences = pluralize(export.entities, "entity", "entities"), pluralize(export.sentences, "sentence")
    papers, edges = pluralize(export.papers, "paper"), pluralize(export.related, "edge")
    pruned = f" Removed {export.pruned} earlier nodes and edges." if export.pruned else ""
    paragraphs = pluralize(export.paragraphs, "paragraph")
    out.line(f"{entities}, {sentences} of {papers}, {edges} between entities, {paragraphs}.{pruned}")


def query(out: Printer, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line a row."""
    for row in rows:
        out.line(one_line("  ".join(f"{name}: {value}" for name, value in row.items())))
    if not rows:
        out.line("No rows.")


def _sources(record: Entity | NewEntity | Edge) -> str:
    return f"{pluralize(record.sentences, 'sentence')} of {pluralize(record.papers, 'paper')}"


def _entity_line(entity: Entity | NewEntity) -> str:
    return one_line(f"{entity.name} · {entity.id} · {_sources(entity)}")


def _merge_line(merge: EntityMerge) -> str:
    why = f": {_WHY[merge.why]}" if merge.why else ""
    return one_line(f"{merge.name} ({merge.entity}) into {merge.into_name} ({merge.into}){why}")
