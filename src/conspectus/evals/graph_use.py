"""What finding passages by the graph, too, gains on a library: what `search.graph = auto` follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conspectus.catalog import mentions as kept
from conspectus.core.errors import UsageError
from conspectus.evals.comparing import union
from conspectus.evals.configurations import chosen
from conspectus.evals.libraries import settings_of
from conspectus.evals.multi_entity import NAME
from conspectus.evals.own import Making, evaluate_self
from conspectus.evals.records import Configuration, Head, Result
from conspectus.evals.running import Options
from conspectus.evals.store import ResultStore, head_of
from conspectus.library import Library, graph_use
from conspectus.library.linking import NONE
from conspectus.records.graph import GraphVerdict

METRIC = "nDCG@10"
WITHOUT = "no-graph"
METHODS = {"graph": "subgraph", "pagerank": "pagerank"}
"""Configurations, and the methods that they are."""


def evaluate_graph(
    folder: Path | str,
    making: Making,
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
) -> Iterator[Result]:
    """`evaluate_self` without the graph and with each of the two methods; what that says is kept at the end.

    Raises:
        UsageError: no paper is linked, or the metric by which it is decided is not among those of `options`.
        NotFoundError, InputError, UnavailableError, ServiceError: as `evaluate_self`.
        BusyError: another process is writing to the library at the end.
    """
    if options.metrics and METRIC not in options.metrics:
        raise UsageError(f"What the graph gains is told by {METRIC}, which is not among the metrics.", f"Add {METRIC}.")
    settings = settings_of(flags or {}, Configuration("default"), Path(folder))
    with Library(folder, settings, create=False) as library:
        if not kept.mention_size(library.session.catalog)[0]:
            raise UsageError("No paper speaks of an entity yet.", NONE)
    results = []
    for result in evaluate_self(folder, chosen([WITHOUT, *METHODS]), making, options, flags=flags):
        results.append(result)
        yield result
    with Library(folder, settings, create=False) as library:
        graph_use.keep(library.session, verdicts_of(library, results, options.seed))


def measure_graph(library: Library, store: ResultStore, making: Making, seed: int = 0) -> Iterator[Head]:
    """`evaluate_graph` of a library that is open, with its settings; each result is kept, and told by its head.

    Raises:
        UsageError, InputError, UnavailableError, ServiceError, BusyError: as `evaluate_graph`.
    """
    flags = {name: library.settings.get(name) for name, by in library.settings.origins.items() if by == "flag"}
    for result in evaluate_graph(library.folder, making, Options(seed=seed), flags=flags):
        yield head_of(store.save(result))


def verdicts_of(library: Library, results: Sequence[Result], seed: int = 0) -> tuple[GraphVerdict, ...]:
    """What results say of each method, over all questions that know nothing of the graph, and over those made of it."""
    sets: dict[str, dict[str, dict[str, Result]]] = {}
    for one in results:
        asked = "apart" if f": {NAME}," in one.dataset else "any"
        sets.setdefault(asked, {}).setdefault(one.dataset, {})[one.configuration.name] = one
    found = []
    for asked, own in sets.items():
        for name, method in METHODS.items():
            (said,) = [
                one for one in union(list(own.values()), WITHOUT, name, seed).differences if one.metric == METRIC
            ]
            measured = (said.mean, said.low, said.high)
            found.append(graph_use.verdict(library.session, method, METRIC, measured, said.count, asked))
    return tuple(found)
