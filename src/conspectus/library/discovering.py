"""Discovery: where it may be worth looking, by what papers say of others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conspectus.catalog import mentions as kept
from conspectus.core.errors import UsageError
from conspectus.library.graphing import entity_key
from conspectus.records import Filters
from conspectus.records.graph import Discovery
from conspectus.session.session import Session

if TYPE_CHECKING:
    from conspectus.graph.exploring import Explorer
    from conspectus.graph.foresight import Foresight
    from conspectus.graph.network import Network

CAUTION = "No sentence here speaks of both. The sentences shown suggest looking; they state no finding."
NOTHING = "Nothing here is joined to what is joined to it, but not to itself."


def discover(
    session: Session,
    entity: str,
    *,
    until: int | None = None,
    k: int = 20,
    examples: int = 1,
    apart: bool = False,
    filters: Filters | None = None,
) -> Discovery:
    """Entities that no sentence joins to one, though they share what is joined to both (Swanson 1986): where to look.

    They are ranked by what they share, rare things counting more, how much speaks of either lately, and how many papers
    speak of both, as the library's last years tell that this counts (`Discovery.ranking`).
    What a model has read to relate them, or their vocabulary links, is left out.

    Args:
        entity: a name, or an id.
        until: only papers up to this year count; of each hypothesis it is told what later ones say.
        k: how many.
        examples: sentences that are shown of each hop.
        apart: only entities that no paper speaks of beside it.
        filters: which papers count.

    Raises:
        UsageError: k is below 1, or examples below 0.
        NotFoundError: no vocabulary has an entity of this name, or no paper that counts speaks of it.
    """
    from conspectus.graph.discovery import Discoverer
    from conspectus.graph.exploring import Explorer

    if k < 1 or examples < 0:
        raise UsageError(f"k is {k} and examples {examples}, but they must be at least 1 and 0.")
    before, after = split(filters or Filters(), until)
    explorer = Explorer(session.catalog, before, examples)
    key = entity_key(session, explorer, entity)
    network, foresight = _network(session, explorer)
    found = Discoverer(explorer, network, foresight, key, after)
    candidates, pairs, nodes = found.pairs(k, apart=apart)
    (asked,) = kept.read_entities(session.catalog, {key: explorer.counts([key])[key]}).values()
    note = CAUTION if pairs else NOTHING
    return Discovery(asked, until, candidates, foresight.ranking, nodes, pairs, note)


def split(filters: Filters, until: int | None) -> tuple[Filters, Filters | None]:
    """The papers up to a year, and those after it, if there can be any."""
    first, last = filters.year or (None, None)
    if until is None or (last is not None and last <= until):
        return filters, None
    if first is not None and first > until:
        raise UsageError(f"No paper is of {first} or later and of {until} or earlier.", "Give a later `until`.")
    after = until + 1
    return replace(filters, year=(first, until)), replace(filters, year=(after, last))


def _network(session: Session, explorer: Explorer) -> tuple[Network, Foresight]:
    from conspectus.graph.discovery import network_of

    state = explorer.filters, *kept.graph_state(session.catalog)
    return session.parts.held("graph", lambda: network_of(explorer), "network", *state)
