"""The tables of vocabularies and of what papers say of their concepts."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, LargeBinary, UniqueConstraint

from conspectus.catalog.columns import Key, Words, parent, table

# `options`: what of its source was taken, as JSON. `rank`: where two know a name, the lower one's concept goes before.
vocabularies = table(
    "vocabularies",
    Column("key", Key, primary_key=True),
    Column("name", Words(), nullable=False),
    Column("term", Words(key=True), nullable=False, unique=True),
    Column("rank", Integer, nullable=False),
    Column("source", Words(), nullable=False),
    Column("sha256", Words(64), nullable=False),
    Column("version", Words(), nullable=False),
    Column("options", Words(), nullable=False),
    Column("made", Words(32), nullable=False),
    sqlite_autoincrement=True,
)

# `id` is a CURIE. `state`: "" of a vocabulary's own; what a model found waits (`new`), or was `accepted` or `rejected`.
concepts = table(
    "concepts",
    Column("key", Key, primary_key=True),
    Column("vocabulary_key", Key, parent("vocabularies"), nullable=False),
    Column("id", Words(key=True), nullable=False, index=True),
    Column("iri", Words(), nullable=False),
    Column("label", Words(), nullable=False),
    Column("definition", Words(), nullable=False),
    Column("deprecated", Boolean, nullable=False),
    Column("state", Words(8), nullable=False),
    UniqueConstraint("vocabulary_key", "id"),
    sqlite_autoincrement=True,
)

# `term` is the name for comparing; `left_out` says why texts are not searched for it, "" where they are.
concept_names = table(
    "concept_names",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("text", Words(), nullable=False),
    Column("term", Words(key=True), nullable=False, index=True),
    Column("kind", Words(16), nullable=False),
    Column("left_out", Words(32), nullable=False),
    sqlite_with_rowid=False,
)

# `broader`, `part_of`, `related`, `same`, `replaced_by`: to the concept of an id, in whatever vocabulary it is, if any.
concept_links = table(
    "concept_links",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("kind", Words(16), primary_key=True),
    Column("target", Words(key=True), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

# What a user, or what was learnt, says of a name: whether it means a concept (`use`) or not (`leave`); "": whichever.
name_rules = table(
    "name_rules",
    Column("term", Words(key=True), primary_key=True),
    Column("concept", Words(key=True), primary_key=True),
    Column("verdict", Words(8), nullable=False),
    Column("source", Words(8), nullable=False),
    Column("made", Words(32), nullable=False),
    sqlite_with_rowid=False,
)

# A concept that users take to be another one (`said_key`), and what it is by all that was said. Undone: no row.
merges = table(
    "merges",
    Column("concept_key", Key, parent("concepts"), primary_key=True),
    Column("said_key", Key, parent("concepts"), nullable=False, index=True),
    Column("into_key", Key, parent("concepts"), nullable=False, index=True),
    Column("made", Words(32), nullable=False),
    sqlite_with_rowid=False,
)

# Where a sentence (`span`, its name within the paper) of a `passage` speaks of a concept; `others`: what
# else the words could mean.
mentions = table(
    "mentions",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("span", Words(16), primary_key=True),
    Column("start", Integer, primary_key=True, autoincrement=False),
    Column("passage", Words(16), nullable=False),
    Column("stop", Integer, nullable=False),
    Column("concept_key", Key, parent("concepts"), nullable=False),
    Column("score", Float, nullable=False),
    Column("method", Words(16), nullable=False),
    Column("others", LargeBinary),
    Index("ix_mentions_concept_key", "concept_key", "paper_key", "span"),
    sqlite_with_rowid=False,
)

# Of papers that a language model has read: words that may speak of an entity (an id), found by names or by the model,
# and whether they do. Those that are `kept`, the longest of them, are the paper's mentions.
candidates = table(
    "candidates",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("span", Words(16), primary_key=True),
    Column("start", Integer, primary_key=True, autoincrement=False),
    Column("stop", Integer, primary_key=True, autoincrement=False),
    Column("passage", Words(16), nullable=False),
    Column("text", Words(), nullable=False),
    Column("entity", Words(key=True), nullable=False, index=True),
    Column("score", Float, nullable=False),
    Column("method", Words(16), nullable=False),
    Column("others", LargeBinary),
    Column("kept", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# What a model read: that spans of a passage state something of two concepts, or (`other_key` NULL) describe one.
relations = table(
    "relations",
    Column("key", Key, primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("passage", Words(16), nullable=False),
    Column("concept_key", Key, parent("concepts"), nullable=False, index=True),
    Column("other_key", Key, parent("concepts"), index=True),
    Column("spans", LargeBinary, nullable=False),
    Column("model", Words(), nullable=False),
    sqlite_autoincrement=True,
)
