"""The check of the map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from conspectus.core.errors import ConspectusError
from conspectus.core.plural import pluralize
from conspectus.ingest.derivations.mentions import PositionRows
from conspectus.library.checks.check import FIX
from conspectus.map import sql as map_sql
from conspectus.map.sql import note_map_change
from conspectus.records import Finding
from conspectus.records.atlas import Mapped
from conspectus.session.session import Session
from conspectus.store import derivations
from conspectus.store.connection import writing


def places(session: Session) -> Finding | None:
    """Maps made by another embedder, texts that stand in no region, papers that are not on it; None: there is none."""
    told: list[str] = []
    for of in get_args(Mapped):
        try:
            found = map_sql.read_map_facts(session.catalog, of)
        except ConspectusError as error:
            return Finding("map", False, error.message, error.hint)
        if found is None:
            continue
        wrong = _wrong(session, of, found[1].get("model"))
        if wrong is not None:
            return wrong
        told += _describe_positions(session, of, found[0])
    return Finding("map", True, "; ".join(told)) if told else None


def _wrong(session: Session, of: Mapped, model: str | None) -> Finding | None:
    made = session.catalog.model_counts()
    now = max(made, key=lambda one: made[one], default="")
    if now and model != now:
        detail = f"the map of {of} is by {model}, and passages are by {now}"
        return Finding("map", False, detail, f"`map build of={of}` fits it again")
    if astray := len(map_sql.find_misplaced(session.catalog, of)):
        detail = f"on the map of {of} {pluralize(astray, 'paper')} in no region: another program's work"
        return Finding("map", False, detail, f"{FIX}, then `map build of={of}` places them again")
    return None


def _describe_positions(session: Session, of: Mapped, version: str) -> Iterator[str]:
    noted = derivations.noted(session.catalog).get((PositionRows(of).name, version), 0)
    behind = max(session.catalog.counts()["papers"] - noted, 0)
    yield f"{of}: {noted} placed" + (f", {behind} not yet; `map build of={of}` does" if behind else "")


def take_off(session: Session) -> None:
    """Take off the map what stands in no region of it."""
    catalog = session.catalog
    for of in get_args(Mapped):
        if map_sql.read_map_facts(catalog, of) and (keys := map_sql.find_misplaced(catalog, of)):
            with session.writing(), writing(catalog.engine) as connection:
                map_sql.take_off_map(connection, of, PositionRows(of).name, keys)
                note_map_change(connection)
