"""The tables of the map: how it was fitted, its regions, and where papers and passages are on it."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer

from conspectus.store.columns import CleanText, Key, parent, table

# One for each of what is mapped. `facts`: how it was fitted, and what is to be told of it, as JSON.
maps = table(
    "maps",
    Column("of", CleanText(8), primary_key=True),
    Column("version", CleanText(), nullable=False),
    Column("facts", CleanText(), nullable=False),
    sqlite_with_rowid=False,
)

# `name` is what it was called by `named_by`; `given`, "": nothing, is what a user calls it. `terms` as JSON.
regions = table(
    "regions",
    Column("key", Key, primary_key=True),
    Column("of", CleanText(8), nullable=False, index=True),
    Column("level", Integer, nullable=False),
    Column("parent_key", Integer),
    Column("name", CleanText(), nullable=False),
    Column("named_by", CleanText(16), nullable=False),
    Column("given", CleanText(), nullable=False),
    Column("terms", CleanText(), nullable=False),
    sqlite_autoincrement=True,
)

# `unit`: of a passage its own name; "" of a paper. `region`: the key of the smallest.
positions = table(
    "positions",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("of", CleanText(8), primary_key=True),
    Column("unit", CleanText(16), primary_key=True),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("region", Integer, nullable=False),
    Index("ix_positions_region", "region"),
    sqlite_with_rowid=False,
)
