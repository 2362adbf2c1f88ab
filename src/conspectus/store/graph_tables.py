"""The tables of vocabularies, of entities in papers, and of what connects them; `schema` has the others."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, LargeBinary, UniqueConstraint

from conspectus.store.columns import CleanText, Key, parent, table

# `options`: what of its source was taken, as JSON. `rank`: where two know a name, the lower one's concept goes before.
vocabularies = table(
    "vocabularies",
    Column("key", Key, primary_key=True),
    Column("name", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False, unique=True),
    Column("rank", Integer, nullable=False),
    Column("source", CleanText(), nullable=False),
    Column("sha256", CleanText(64), nullable=False),
    Column("version", CleanText(), nullable=False),
    Column("options", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    sqlite_autoincrement=True,
)


# `id` is a CURIE. `state`: "" of a vocabulary's own; what a model found waits (`new`), or was `accepted` or `rejected`.
concepts = table(
    "concepts",
    Column("key", Key, primary_key=True),
    Column("vocabulary_key", Key, parent("vocabularies"), nullable=False),
    Column("id", CleanText(key=True), nullable=False, index=True),
    Column("iri", CleanText(), nullable=False),
    Column("label", CleanText(), nullable=False),
    Column("definition", CleanText(), nullable=False),
    Column("deprecated", Boolean, nullable=False),
    Column("state", CleanText(8), nullable=False),
    UniqueConstraint("vocabulary_key", "id"),
    sqlite_autoincrement=True,
)


# `term` is the name for comparing; `left_out` says why texts are not searched for it, "" where they are.
concept_names = table(
    "concept_names",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("text", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False, index=True),
    Column("kind", CleanText(16), nullable=False),
    Column("left_out", CleanText(32), nullable=False),
    sqlite_with_rowid=False,
)


# `broader`, `part_of`, `related`, `same`, `replaced_by`: to the concept of an id, in whatever vocabulary it is, if any.
concept_links = table(
    "concept_links",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("kind", CleanText(16), primary_key=True),
    Column("target", CleanText(key=True), primary_key=True, index=True),
    sqlite_with_rowid=False,
)


# What a user, or what was learnt, says of a name: whether it means a concept (`use`) or not (`leave`); "": whichever.
name_rules = table(
    "name_rules",
    Column("term", CleanText(key=True), primary_key=True),
    Column("concept", CleanText(key=True), primary_key=True),
    Column("verdict", CleanText(8), nullable=False),
    Column("source", CleanText(8), nullable=False),
    Column("made", CleanText(32), nullable=False),
    sqlite_with_rowid=False,
)


# A concept that users take to be another one (`said_key`), and what it is by all that was said. Undone: no row.
merges = table(
    "merges",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("said_key", Key, parent("concepts"), nullable=False, index=True),
    Column("into_key", Key, parent("concepts"), nullable=False, index=True),
    Column("made", CleanText(32), nullable=False),
    sqlite_with_rowid=False,
)


# Where a sentence (`span`, its name within the paper) of a `passage` speaks of a concept; `others`: what
# else the words could mean.
mentions = table(
    "mentions",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("span", CleanText(16), primary_key=True),
    Column("start", Integer, primary_key=True, autoincrement=False),
    Column("passage", CleanText(16), nullable=False),
    Column("stop", Integer, nullable=False),
    Column("concept_key", Key, parent("concepts"), nullable=False),
    Column("score", Float, nullable=False),
    Column("method", CleanText(16), nullable=False),
    Column("others", LargeBinary),
    Index("ix_mentions_concept_key", "concept_key", "paper_key", "span"),
    sqlite_with_rowid=False,
)


# Of papers that a language model has read: words that may speak of an entity (an id), found by names or by the model,
# and whether they do. Those that are `kept`, the longest of them, are the paper's mentions.
candidates = table(
    "candidates",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("span", CleanText(16), primary_key=True),
    Column("start", Integer, primary_key=True, autoincrement=False),
    Column("stop", Integer, primary_key=True, autoincrement=False),
    Column("passage", CleanText(16), nullable=False),
    Column("text", CleanText(), nullable=False),
    Column("entity", CleanText(key=True), nullable=False, index=True),
    Column("score", Float, nullable=False),
    Column("method", CleanText(16), nullable=False),
    Column("others", LargeBinary),
    Column("kept", Boolean, nullable=False),
    sqlite_with_rowid=False,
)


# What a model read: that spans of a passage state something of two concepts, or (`other_key` NULL) describe one.
relations = table(
    "relations",
    Column("key", Key, primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("passage", CleanText(16), nullable=False),
    Column("concept_key", Key, parent("concepts"), nullable=False, index=True),
    Column("other_key", Key, parent("concepts"), index=True),
    Column("spans", LargeBinary, nullable=False),
    Column("model", CleanText(), nullable=False),
    sqlite_autoincrement=True,
)
