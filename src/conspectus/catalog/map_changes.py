"""Whether a map is still what it was: a number that grows with all that is written of maps, and that of the papers."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.schema import meta
from conspectus.catalog.writer import put_meta

CHANGE = "map_change"


def state(catalog: Catalog) -> str:
    """Otherwise than before where a place, a region, a name or a paper of a map is."""
    return f"{catalog.meta('change') or 0}.{catalog.meta(CHANGE) or 0}"


def note_change(connection: Connection) -> None:
    """Places or regions are others now, or are called otherwise."""
    value = connection.scalar(select(meta.c.value).where(meta.c.name == CHANGE)) or "0"
    put_meta(connection, CHANGE, str(int(value) + 1))
    connection.execute(delete(meta).where(meta.c.name == "restored"))  # it is not what a backup held any more
