"""Checks of what is made of papers: derivations, passages, the index, the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from conspectus.core.errors import ConspectusError
from conspectus.core.plural import pluralize
from conspectus.graph import sql as graph_sql
from conspectus.graph.mention_finder import count_unlinked
from conspectus.index import protocol
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.registry import DERIVATIONS, derive_missing, lacking, list_derivations
from conspectus.ingest.index_sync import besides, sync
from conspectus.ingest.paper_store import papers_cut_before
from conspectus.library.checks.check import FIX, names
from conspectus.records import Finding
from conspectus.session.session import Session


def _kinds(session: Session) -> Sequence[Derivation]:
    """The derivations; where its model cannot be had, which the check of the model tells, one cannot be made."""
    try:
        return list_derivations(session.embedder)
    except ConspectusError:
        return DERIVATIONS


def derived(name: str, session: Session) -> Finding | None:
    """What a derivation is yet to be made of: an earlier version or another model has made it, or it failed."""
    check = "languages" if name == "language" else name  # "language" is the check of language models
    one = next(one for one in _kinds(session) if one.name == name)
    if not one.version:
        return None
    if number := lacking(session.catalog, [one])[name]:
        if one.unit == "passages":
            return Finding(check, False, f"{number} passages have none by {one.version}", "`library reindex`")
        detail = f"{number} papers have none yet, such as an earlier version has stored"
        return Finding(check, False, detail, f"{FIX} (the next `add FILES…` finds them too)")
    if one.unit == "passages" and (left := set(session.catalog.model_ids()) - {one.version}):
        detail = f"some by {', '.join(sorted(left))} are left, of a `library reindex` that did not come to its end"
        return Finding(check, False, detail, "`library reindex`")
    return Finding(check, True, f"all passages by {one.version}" if one.unit == "passages" else "all papers")


def derive(session: Session) -> None:
    """Make what papers lack."""
    with session.writing():
        derive_missing(session.catalog, _kinds(session))
        made = session.catalog.model_counts()
        if made:
            sync(session.catalog, session.index, max(made, key=lambda model: made[model]))


def passages(session: Session) -> Finding | None:
    """Papers that could not be cut as the settings say now."""
    found = list(papers_cut_before(session.catalog).items())
    if not found:
        return None
    (name, reason), more = found[0], len(found) - 1
    return Finding(
        "passages",
        False,
        f"{len(found)} papers are cut as before, such as {name}: {reason}" + (f" (and {more} more)" if more else ""),
        "`add FILES…` tries them again",
    )


def index(session: Session) -> Finding:
    """Whether the index has the passages of the catalog, and the bytes that were written."""
    try:
        if protocol.is_foreign(session.index):
            detail = "its files have changed, or another user or computer wrote them; the next search rebuilds it"
            return Finding("index", False, detail, "`library reindex`")
        beside = {one.name: session.index.beside(one.beside) for one in besides()}
        stats, others = session.index.stats(), {name: index.stats() for name, index in beside.items()}
        missing, extra = map(sum, zip(*_differences(session), strict=True))
        damaged = [name for index in (session.index, *beside.values()) for name in protocol.damage(index)]
    except ConspectusError as error:
        return Finding("index", False, error.message, error.hint)
    if damaged:
        detail = f"{len(damaged)} of its files have other bytes than were written: {names(damaged)}"
        return Finding("index", False, detail, "`library reindex`")
    change = session.catalog.change()
    behind = stats.change != change and (stats.rows or missing)
    if behind or any(other.change != change and other.rows for other in others.values()):
        how = f"{extra} too many, of a run that was killed" if stats.rows else "it is not made yet"
        return Finding("index", True, f"{missing} passages behind, {how}; the next search mends it")
    if missing or extra:
        return Finding("index", False, f"{missing} passages missing, {extra} too many", "`library reindex`")
    written = "".join(f", {other.rows} {name}" for name, other in others.items() if other.rows)
    size = sum(one.megabytes for one in (stats, *others.values()))
    return Finding("index", True, f"{stats.rows} passages{written}, {size:.1f} MB")


def _differences(session: Session) -> Iterator[tuple[int, int]]:
    """How many passages are missing in the index, and how many it has too many; the same of those beside it."""
    own = session.catalog.passage_keys()
    wanted = [(session.index.beside(one.beside), one.passages(session.catalog)) for one in besides()]
    for _, made in wanted:
        own = np.setdiff1d(own, made)
    for index, keys in ((session.index, own), *wanted):
        present = index.keys()
        yield len(np.setdiff1d(keys, present)), len(np.setdiff1d(present, keys))


def linked(session: Session) -> Finding | None:
    """Papers that were not linked by the vocabularies as they are now; None where there is none, or nothing linked."""
    number, entities = graph_sql.mention_size(session.catalog)
    if not number:
        return None
    if lacking := count_unlinked(session):
        detail = f"not linked by the vocabularies as they are now: {pluralize(lacking, 'paper')}"
        return Finding("graph", False, detail, "`graph link` finds their entities")
    return Finding("graph", True, f"{pluralize(number, 'mention')} of {pluralize(entities, 'entity', 'entities')}")
