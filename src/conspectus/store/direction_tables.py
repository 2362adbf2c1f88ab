"""The tables of directions: how they were trained, how active each is in a text, and what they are called."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, LargeBinary

from conspectus.store.columns import CleanText, Key, parent, table

# One for each of what directions are trained on. `facts`: how, as JSON; `weights`: arrays, numbers only.
direction_sets = table(
    "direction_sets",
    Column("of", CleanText(8), primary_key=True),
    Column("version", CleanText(), nullable=False),
    Column("facts", CleanText(), nullable=False),
    Column("weights", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# A training that is not finished; `digest` stands for what it is trained on.
direction_trainings = table(
    "direction_trainings",
    Column("of", CleanText(8), primary_key=True),
    Column("digest", CleanText(64), nullable=False),
    Column("state", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# `unit`: of a passage its own name; "" of a paper. `codes`: the numbers of the most active directions, uint16, the
# strongest first, then how active they are, float16.
activations = table(
    "activations",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("of", CleanText(8), primary_key=True),
    Column("unit", CleanText(16), primary_key=True),
    Column("codes", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# A word of a direction's label in each of a few papers that have it: it goes with the last of them. `kind`: a phrase, a
# word or a concept; `weight`: what it counts in the label's score.
direction_labels = table(
    "direction_labels",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("of", CleanText(8), primary_key=True),
    Column("direction", Integer, primary_key=True, autoincrement=False),
    Column("rank", Integer, primary_key=True, autoincrement=False),
    Column("term", CleanText(), nullable=False),
    Column("kind", CleanText(8), nullable=False),
    Column("weight", Float, nullable=False),
    Index("ix_direction_labels_direction", "of", "direction"),
    sqlite_with_rowid=False,
)
