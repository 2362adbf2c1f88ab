"""The tables of maps: where texts stand, and the regions that they make."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer

from conspectus.catalog.columns import Key, Words, parent, table

# One for each of what is mapped. `facts`: how it was fitted, and what is to be told of it, as JSON.
maps = table(
    "maps",
    Column("of", Words(8), primary_key=True),
    Column("version", Words(), nullable=False),
    Column("facts", Words(), nullable=False),
    sqlite_with_rowid=False,
)

# `name` is what it was called by `named_by`; `given`, "": nothing, is what a user calls it. `terms` as JSON.
regions = table(
    "regions",
    Column("key", Key, primary_key=True),
    Column("of", Words(8), nullable=False, index=True),
    Column("level", Integer, nullable=False),
    Column("parent_key", Integer),
    Column("name", Words(), nullable=False),
    Column("named_by", Words(16), nullable=False),
    Column("given", Words(), nullable=False),
    Column("terms", Words(), nullable=False),
    sqlite_autoincrement=True,
)

# `unit`: of a passage its own name; "" of a paper. `region`: the key of the smallest.
positions = table(
    "positions",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("of", Words(8), primary_key=True),
    Column("unit", Words(16), primary_key=True),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("region", Integer, nullable=False),
    Index("ix_positions_region", "region"),
    sqlite_with_rowid=False,
)
