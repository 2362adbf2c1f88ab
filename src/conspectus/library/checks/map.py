"""The check of the map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from conspectus.catalog import atlas, derivations, region_rows
from conspectus.catalog.engine import writing
from conspectus.catalog.map_changes import note_change
from conspectus.core.errors import ConspectusError
from conspectus.core.plural import pluralize
from conspectus.ingest.derivations.positions import Positions
from conspectus.library.checks.check import FIX
from conspectus.library.session import Session
from conspectus.records import Finding
from conspectus.records.atlas import Mapped


def places(session: Session) -> Finding | None:
    """Maps made by another embedder, texts that stand in no region, papers that are not on it; None: there is none."""
    told: list[str] = []
    for of in get_args(Mapped):
        try:
            found = atlas.facts(session.catalog, of)
        except ConspectusError as error:
            return Finding("map", False, error.message, error.hint)
        if found is None:
            continue
        wrong = _wrong(session, of, found[1].get("model"))
        if wrong is not None:
            return wrong
        told += _told(session, of, found[0])
    return Finding("map", True, "; ".join(told)) if told else None


def _wrong(session: Session, of: Mapped, model: str | None) -> Finding | None:
    made = session.catalog.model_counts()
    now = max(made, key=lambda one: made[one], default="")
    if now and model != now:
        detail = f"the map of {of} is by {model}, and passages are by {now}"
        return Finding("map", False, detail, f"`atlas of={of}` fits it again")
    if astray := len(region_rows.astray(session.catalog, of)):
        detail = f"on the map of {of} {pluralize(astray, 'paper')} in no region: another program's work"
        return Finding("map", False, detail, f"{FIX}, then `atlas of={of}` places them anew")
    return None


def _told(session: Session, of: Mapped, version: str) -> Iterator[str]:
    noted = derivations.noted(session.catalog).get((Positions(of).name, version), 0)
    behind = max(session.catalog.counts()["papers"] - noted, 0)
    yield f"{of}: {noted} placed" + (f", {behind} not yet; the next `atlas of={of}` does" if behind else "")


def take_off(session: Session) -> None:
    """Take off the map what stands in no region of it."""
    catalog = session.catalog
    for of in get_args(Mapped):
        if atlas.facts(catalog, of) and (keys := region_rows.astray(catalog, of)):
            with session.writing(), writing(catalog.engine) as connection:
                region_rows.take_off(connection, of, Positions(of).name, keys)
                note_change(connection)
