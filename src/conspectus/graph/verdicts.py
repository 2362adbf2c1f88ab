"""Whether the graph is used where that is left to what was measured on the library (`search.graph = auto`)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conspectus.graph import sql as kept
from conspectus.graph.mention_finder import linking_version
from conspectus.records import Filters
from conspectus.records.graph import GraphVerdict
from conspectus.session.session import Session
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, transact, utc_now
from conspectus.store.facets import count_papers

NAME = "graph_verdicts"
GROWN = 0.1
"""A verdict holds until papers, or mentions, are so much more or fewer than they were."""
_REMEDY = "`eval graph` measures it"


def make_verdict(
    session: Session, method: str, metric: str, measured: Sequence[float], questions: int, asked: str
) -> GraphVerdict:
    """What was measured (mean difference, and its interval) as a verdict on the library as it is now."""
    catalog, (gain, low, high) = session.catalog, measured
    held = (count_papers(catalog, Filters()), kept.mention_size(catalog)[0], _basis(session))
    return GraphVerdict(method, metric, gain, low, high, questions, utc_now(), catalog.change(), *held, asked)  # type: ignore[arg-type] # one of the two


def keep_verdicts(session: Session, verdicts: Sequence[GraphVerdict]) -> None:
    """Keep verdicts in the library, in the place of those before.

    Raises:
        BusyError: another process, or job of this one, is writing to the library.
    """
    with session.writing():
        transact(session.catalog.engine, lambda on: put_meta(on, NAME, msgspec.json.encode(verdicts).decode()))


def read_verdicts(session: Session) -> tuple[GraphVerdict, ...]:
    """What finding passages by the graph, too, was last measured to gain here; none: nobody has.

    A verdict is of a method and a kind of question.
    """
    text = session.catalog.meta(NAME)
    return unpack_json(text, tuple[GraphVerdict, ...], "what the graph gains") if text else ()


def routed(session: Session) -> tuple[str, bool, str]:
    """The method to be used (`no`: none), whether only for entities that no sentence joins, and why, in words."""
    measured = read_verdicts(session)
    if not measured:
        return "no", False, f"no graph: nobody has measured what it gains here ({_REMEDY})"
    every, apart = (
        max((one for one in measured if one.asked == asked), key=lambda one: (one.gains, one.gain), default=None)
        for asked in ("any", "apart")
    )
    best = every if every and (every.gains or not apart) else apart
    assert best is not None  # there is a verdict, and it is of one of the two
    if why := _stale(session, best):
        return "no", False, f"no graph: {why} since it was measured ({best}; {_REMEDY} again)"
    if not best.gains:
        return "no", False, f"no graph: measured here, it does not gain ({every or best})"
    only = " where a question's entities stand in no sentence together" if best is apart else ""
    return (
        best.method,
        best is apart,
        f"{session.settings.search.graph_weight:g} graph{only}, which gains here ({best})",
    )


def _stale(session: Session, measured: GraphVerdict) -> str:
    """What is otherwise than when it was measured; "": nothing that counts."""
    catalog = session.catalog
    if measured.basis != _basis(session):
        return "vocabularies, embedder or `search.graph_weight` are others"
    if measured.change == catalog.change():
        return ""
    counts = {"papers": count_papers(catalog, Filters()), "mentions": kept.mention_size(catalog)[0]}
    for name, count in counts.items():
        before = getattr(measured, name)
        if abs(count - before) > GROWN * before:
            return f"there are {count} {name}, {before} before,"
    return ""


def _basis(session: Session) -> str:
    return f"{linking_version(session)} {session.embedder.id} {session.settings.search.graph_weight:g}"
