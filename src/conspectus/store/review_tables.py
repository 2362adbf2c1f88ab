"""The tables of reviews: what was asked, of which papers, and what is said of each; `schema` has the others."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, UniqueConstraint

from conspectus.store.columns import CleanText, Key, parent, table

# Rankings, classifications, screenings, tables and reports. `spec`: what was asked, as JSON; `term`: the name for
# comparing.
reviews = table(
    "reviews",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("kind", CleanText(16), nullable=False),
    Column("name", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False),
    Column("spec", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("updated", CleanText(32), nullable=False),
    UniqueConstraint("kind", "term"),
    sqlite_autoincrement=True,
)

review_papers = table(
    "review_papers",
    Column("review_key", Key, parent("reviews"), primary_key=True),
    Column("paper_key", Key, parent("papers"), primary_key=True, index=True),
    Column("ordinal", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# What a review says of a paper, or of a pair of papers (`other_key`). `by`: a model, vectors, or a person; `value` as
# JSON, without words of papers. The latest row of a field holds; earlier ones are its history.
review_entries = table(
    "review_entries",
    Column("key", Key, primary_key=True),
    Column("review_key", Key, parent("reviews"), nullable=False),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("other_key", Key, parent("papers"), index=True),
    Column("field", CleanText(), nullable=False),
    Column("by", CleanText(), nullable=False),
    Column("value", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Index("ix_review_entries_review_key", "review_key", "key"),
    sqlite_autoincrement=True,
)
