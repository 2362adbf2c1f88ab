"""The check of directions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from conspectus.core.errors import ConspectusError
from conspectus.core.plural import pluralize
from conspectus.directions import sql
from conspectus.directions.stored_directions import lacking_papers, unpack_codes
from conspectus.ingest.derivations.mentions import ActivationRows
from conspectus.records import Finding
from conspectus.records.atlas import Mapped
from conspectus.session.session import Session


def check_directions(session: Session) -> Finding | None:
    """Directions by another embedder, or that cannot be read, and papers without; None: there are none."""
    told: list[str] = []
    for of in get_args(Mapped):
        try:
            told += _describe(session, of)
        except ConspectusError as error:
            return Finding(
                "directions", False, error.message, f"`directions build of={of} refit=True` makes them again"
            )
    return Finding("directions", True, "; ".join(told)) if told else None


def _describe(session: Session, of: Mapped) -> Iterator[str]:
    catalog = session.catalog
    if (stored := sql.read_set(catalog, of)) is None:
        return
    made = catalog.model_counts()
    now = max(made, key=lambda one: made[one], default="")
    if now and stored.facts["model"] != now:
        raise ConspectusError(f"the directions of {of} are by {stored.facts['model']}, and passages are by {now}")
    keys, units, packed = sql.read_codes(catalog, of, ActivationRows(of).name, stored.version)
    unpack_codes(keys, units, packed, stored)
    behind = len(lacking_papers(catalog, stored, keys))
    yield f"{of}: {pluralize(stored.autoencoder.size, 'direction')} in {pluralize(len(packed), 'text')}" + (
        f", {pluralize(behind, 'paper')} not yet; `directions build of={of}` adds them" if behind else ""
    )
