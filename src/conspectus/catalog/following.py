"""What users keep about a paper belongs to the one that takes it up."""

from __future__ import annotations

from sqlalchemy import Connection, insert, literal, select, update

from conspectus.catalog.schema import edits, notes, set_papers


def follow(connection: Connection, old: int, new: int) -> None:
    """Let what is kept about a paper belong to another; what was written by hand of that one goes before it."""
    for table in (set_papers, edits):
        own = [column for column in table.columns if column.name != "paper_key"]
        key = next(column for column in own if column.primary_key)
        known = select(key).where(table.c.paper_key == new)
        moved = select(literal(new), *own).where(table.c.paper_key == old, key.not_in(known))
        connection.execute(insert(table).from_select(["paper_key", *(column.name for column in own)], moved))
    connection.execute(update(notes).where(notes.c.paper_key == old).values(paper_key=new))
