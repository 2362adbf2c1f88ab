"""Find hypotheses of a library and gather their evidence."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.core.job_context import emit
from conspectus.graph import sql
from conspectus.graph.discovery import Discoverer, find_discoverer, split_years
from conspectus.graph.entities import find_entity
from conspectus.graph.explorer import Explorer
from conspectus.hypotheses.ledger import LedgerMaker, suggest_test
from conspectus.hypotheses.proposal import propose
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.graph import Entity, Hypothesis
from conspectus.records.hypotheses import HypothesisReport, TestableHypothesis
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.facets import count_papers

EACH = 2
"""Hypotheses of all pairs that one entity is in, at most."""
LOOKED_AT = 8
"""Sentences of a link among which one that states it in a clause is looked for."""
CAUTION = (
    "Suggestions where to look, and no findings: no sentence of these papers was found to name both entities of a pair."
)
NO_PAPER = "No paper passes these filters."
NOTHING = "No candidate pairs: no specific entities share enough others. `graph link` with more papers may find some."


def make_report(
    session: Session,
    names: Sequence[str],
    filters: Filters,
    *,
    until: int | None,
    k: int,
    model: str | None,
    cache: bool,
) -> HypothesisReport:
    """The hypotheses of some entities, or of all; see `HypothesisVerbs`.

    Args:
        model: the language model that puts them into words; "": that of the settings; None: none does.
    """
    before, after = split_years(filters, until)
    explorer = Explorer(session.catalog, before, LOOKED_AT)
    keys = list(dict.fromkeys(find_entity(session, explorer, name) for name in names))
    discoverer = find_discoverer(session, explorer, keys, after)
    rows = list(map(discoverer.row, keys)) or range(len(discoverer.network.concepts))
    candidates, pairs = discoverer.best_pairs(rows, k, EACH)
    hypotheses, nodes = discoverer.describe(pairs)
    papers = count_papers(session.catalog, before)
    ids = entities.concept_ids(session.catalog, discoverer.network.concepts.tolist())
    report = HypothesisReport(
        tuple(ids[key] for key in keys),
        until,
        papers,
        count_papers(session.catalog, after) if after else None,
        candidates,
        discoverer.forecast.foresight.ranking,
        _list_nodes(discoverer, keys, nodes),
        tuple(_gather(discoverer, hypotheses, nodes, ids)),
        CAUTION if hypotheses else NOTHING if papers else NO_PAPER,
    )
    return report if model is None else propose(session, report, model, cache=cache)


def _list_nodes(discoverer: Discoverer, keys: Sequence[int], nodes: Sequence[Entity]) -> tuple[Entity, ...]:
    counts = discoverer.explorer.counts(keys)
    asked_entities = sql.read_entities(discoverer.explorer.catalog, {key: counts[key] for key in keys}).values()
    return tuple({entity.id: entity for entity in (*asked_entities, *nodes)}.values())


def _gather(
    discoverer: Discoverer,
    hypotheses: Sequence[Hypothesis],
    nodes: Sequence[Entity],
    ids: dict[int, str],
) -> list[TestableHypothesis]:
    names = {node.id: node for node in nodes}
    keys = {name: key for key, name in ids.items() if name in names}
    above = {name: discoverer.interest.above.get(key, frozenset[str]()) for name, key in keys.items()}
    maker, records = LedgerMaker(discoverer, keys), []
    for number, hypothesis in enumerate(hypotheses, 1):
        ledger = maker.assumptions(hypothesis)
        test = suggest_test(hypothesis, names, above, ledger)
        via = tuple(path.via for path in hypothesis.paths)
        records.append(
            TestableHypothesis(
                hypothesis.rank,
                hypothesis.source,
                hypothesis.target,
                hypothesis.score,
                hypothesis.shared,
                hypothesis.papers,
                via,
                ledger,
                test,
                hypothesis.later,
            )
        )
        emit(Progress("reading", number, len(hypotheses), "hypotheses"))
    return records
