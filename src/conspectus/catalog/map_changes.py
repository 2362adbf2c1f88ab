"""Whether a map is still what it was: a number that grows with all that is written of maps, and that of the papers."""

from __future__ import annotations

from sqlalchemy import Connection

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.writer import count_on

CHANGE = "map_change"


def state(catalog: Catalog) -> str:
    """Otherwise than before where a place, a region, a name or a paper of a map is."""
    return f"{catalog.meta('change') or 0}.{catalog.meta(CHANGE) or 0}"


def note_change(connection: Connection) -> None:
    """Places or regions are others now, or are called otherwise."""
    count_on(connection, CHANGE)
