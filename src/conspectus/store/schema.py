"""The tables of the catalog, the source of truth, and the steps that upgrade a catalog from each version to the next.

To change a table: change it here, append a function to `UPGRADES` that does the same to a catalog that has rows, and
add 1 to `SCHEMA_VERSION`. Steps of released versions are never edited.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Index, Integer, LargeBinary, UniqueConstraint

from conspectus.store import direction_tables, graph_tables, map_tables, review_tables  # noqa: F401 - of the catalog, too
from conspectus.store.columns import CleanText, Key, metadata, parent, table

SCHEMA_VERSION = 1
"""The version of the tables below; each catalog has its own in the table `conspectus_schema`."""

UPGRADES: tuple[Callable[[Connection], None], ...] = ()
"""The step from version 1 to 2, from 2 to 3, …; they run in one transaction, on SQLite and PostgreSQL."""

SUMMARY = "summary"
"""The kind of passages that language models wrote; all others are the papers' own."""

# Searches online that are kept. `query` has fields of `services.protocol.WorkQuery`, `services` names, both as JSON.
kept_searches = table(
    "kept_searches",
    Column("key", Key, primary_key=True),
    Column("name", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False, unique=True),
    Column("query", CleanText(), nullable=False),
    Column("services", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("asked", CleanText(32), nullable=False),
    sqlite_autoincrement=True,
)

# Works that a kept search has found, by digests of their identifiers: whoever reads them learns of no paper.
kept_finds = table(
    "kept_finds",
    Column("search_key", Key, parent("kept_searches"), primary_key=True),
    Column("digest", CleanText(32), primary_key=True),
    sqlite_with_rowid=False,
)

meta = table(
    "meta",
    Column("name", CleanText(64), primary_key=True),
    Column("value", CleanText(), nullable=False),
)

files = table(
    "files",
    Column("key", Key, primary_key=True),
    Column("path", CleanText(), nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("sha256", CleanText(64), nullable=False),
    Column("reader", CleanText(64), nullable=False),
    Column("machine", CleanText(64), nullable=False),
    Column("state", CleanText(16), nullable=False),
    Column("reason", CleanText(), nullable=False),
    Column("retry", Boolean, nullable=False),
    Column("notes", CleanText(), nullable=False),
    Column("updated", CleanText(32), nullable=False),
    sqlite_autoincrement=True,
)

# `changed`: the number of the last change of what the index is told of passages that stayed; NULL: there was none.
# `title_number`: of the title, for comparing (`title_number`); NULL: it has none.
papers = table(
    "papers",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("external_id", CleanText(key=True), nullable=False, index=True),
    Column("title", CleanText(), nullable=False),
    Column("year", Integer, index=True),
    Column("has_full_text", Boolean, nullable=False),
    Column("metadata", LargeBinary, nullable=False),
    Column("published", Float),
    Column("cited_by", Integer, index=True),
    Column("changed", BigInteger, index=True),
    Column("title_number", BigInteger, index=True),
    sqlite_autoincrement=True,
)

# What a paper is known by. Papers that share an identifier and do not agree all claim it.
identifiers = table(
    "identifiers",
    Column("scheme", CleanText(16), primary_key=True),
    Column("value", CleanText(255, key=True), primary_key=True),
    Column("paper_key", Key, parent("papers"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

facets = table(
    "facets",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("facet", CleanText(16), primary_key=True),
    Column("term", CleanText(key=True), primary_key=True),
    Index("ix_facets_facet_term", "facet", "term", "paper_key"),
    sqlite_with_rowid=False,
)

# What is made of papers by which version of it (`ingest.derivations`), and of which papers it is made: `digest` stands
# for what it was made of.
derivations = table(
    "derivations",
    Column("key", Key, primary_key=True),
    Column("name", CleanText(32), nullable=False),
    Column("version", CleanText(255), nullable=False),
    UniqueConstraint("name", "version"),
)

derived = table(
    "derived",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("derivation_key", Key, parent("derivations"), primary_key=True),
    Column("digest", LargeBinary),
    sqlite_with_rowid=False,
)

# Works that a paper cites, and (`own`) its own names, by which others cite it: digests of 63 bits. `year`: of a cited
# work, as the list of references says; NULL: it does not.
citations = table(
    "citations",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("work", BigInteger, primary_key=True, autoincrement=False),
    Column("own", Boolean, nullable=False),
    Column("year", Integer),
    Index("ix_citations_work", "work", "own"),
    sqlite_with_rowid=False,
)

key_phrases = table(
    "key_phrases",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("rank", Integer, primary_key=True),
    Column("term", CleanText(key=True), nullable=False, index=True),
    Column("text", CleanText(), nullable=False),
    Column("score", Float, nullable=False),
    sqlite_with_rowid=False,
)

# `id` is made of what the figure is; `name` is what its paper's structure calls it (`f3`), `mentions` are span ids.
figures = table(
    "figures",
    Column("key", Key, primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("ordinal", Integer, nullable=False),
    Column("id", CleanText(16), nullable=False),
    Column("name", CleanText(), nullable=False),
    Column("kind", CleanText(16), nullable=False),
    Column("label", CleanText(), nullable=False),
    Column("caption", CleanText(), nullable=False),
    Column("page", Integer),
    Column("box", LargeBinary),
    Column("mentions", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

# What figures and their panels show. `figure` is the figure's `id`; `number` is 0 for the whole, and `box` a panel's
# place in it, in parts of its width and height; `words` are those that stand in it, `recognised` by OCR; `vector` is
# float16, as the encoder gives it.
pictures = table(
    "pictures",
    Column("key", Key, primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("figure", CleanText(16), nullable=False),
    Column("number", Integer, nullable=False),
    Column("label", CleanText(), nullable=False),
    Column("caption", CleanText(), nullable=False),
    Column("box", LargeBinary),
    Column("kind", CleanText(16), nullable=False),
    Column("probability", Float, nullable=False),
    Column("words", CleanText(), nullable=False),
    Column("recognised", Boolean, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

# The files that pictures of figures were when these were looked at. Of one that was not there `path` is "", of one that
# took too long or too much `size` and `mtime_ns` are the seconds and megabytes that it was given, and `path` is "?".
picture_files = table(
    "picture_files",
    Column("key", Key, primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("source", CleanText(), nullable=False),
    Column("href", CleanText(), nullable=False),
    Column("path", CleanText(), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

# What one file says of one paper. A paper is the merger of its documents, and can be made anew from them at any time.
documents = table(
    "documents",
    Column("key", Key, primary_key=True),
    Column("file_key", Key, parent("files"), nullable=False, index=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("ordinal", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("parsed", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

# Documents that are to stay apart, by what they are called wherever they come from: no row of theirs has to be there.
splits = table(
    "splits",
    Column("split", Integer, primary_key=True, autoincrement=False),
    Column("scheme", CleanText(16), primary_key=True),
    Column("value", CleanText(255, key=True), primary_key=True, index=True),
    Column("side", Integer, nullable=False),
)

# The words of a passage row never change. It stays while its paper has them, wherever they stand in it, so that the
# index follows by comparing keys, and `papers.changed`.
passages = table(
    "passages",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(32), nullable=False, unique=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("ordinal", Integer, nullable=False),
    Column("kind", CleanText(16), nullable=False),
    Column("section", CleanText(), nullable=False),
    Column("text", CleanText(), nullable=False),
    Column("spans", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

models = table(
    "models",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(255), nullable=False, unique=True),
    Column("dimensions", Integer, nullable=False),
)

vectors = table(
    "vectors",
    Column("passage_key", Key, parent("passages"), primary_key=True),
    Column("model_key", Key, parent("models"), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("vector", LargeBinary, nullable=False),
)

# Apart from the vectors, which are read as a whole when the index is built.
token_vectors = table(
    "token_vectors",
    Column("passage_key", Key, parent("passages"), primary_key=True),
    Column("model_key", Key, parent("models"), primary_key=True),
    Column("starts", LargeBinary, nullable=False),
    Column("vectors", LargeBinary, nullable=False),
)

# What a model answered, by a digest of all that it was asked; and the papers whose words it was shown. The answer may
# repeat them, so a call goes with any of its papers.
calls = table(
    "calls",
    Column("key", Key, primary_key=True),
    Column("digest", CleanText(64), nullable=False, unique=True),
    Column("made", CleanText(32), nullable=False),
    Column("reply", LargeBinary, nullable=False),
)

call_papers = table(
    "call_papers",
    Column("call_key", Key, parent("calls"), primary_key=True),
    Column("paper_key", Key, parent("papers"), primary_key=True, index=True),
)

# Numbers only: they stay when papers, calls and answers go.
spending = table(
    "spending",
    Column("key", Key, primary_key=True),
    Column("at", CleanText(32), nullable=False, index=True),
    Column("answer_id", CleanText(16), nullable=False, index=True),
    Column("role", CleanText(32), nullable=False),
    Column("model", CleanText(), nullable=False),
    Column("prompt", CleanText(), nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("cost", Float),
    Column("seconds", Float, nullable=False),
    Column("from_cache", Boolean, nullable=False),
    Column("failed", Boolean, nullable=False),
)

conversations = table(
    "conversations",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("title", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("updated", CleanText(32), nullable=False),
)

# The body has no words copied from papers; the trace may have some, and is emptied when one of these papers goes.
answers = table(
    "answers",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("made", CleanText(32), nullable=False),
    Column("question", CleanText(), nullable=False),
    Column("standalone", CleanText(), nullable=False),
    Column("method", CleanText(16), nullable=False),
    Column("kind", CleanText(16), nullable=False),
    Column("answered", Boolean, nullable=False),
    Column("conversation_key", Key, parent("conversations"), index=True),
    Column("ordinal", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("trace", LargeBinary, nullable=False),
)

# The papers that an answer was made of; `named` is the id that it calls the paper by, also when another took that up.
answer_papers = table(
    "answer_papers",
    Column("answer_key", Key, parent("answers"), primary_key=True),
    Column("named", CleanText(16), primary_key=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
)

evidence = table(
    "evidence",
    Column("key", Key, primary_key=True),
    Column("answer_key", Key, parent("answers"), nullable=False, index=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("id", CleanText(16), nullable=False),
    Column("passage_id", CleanText(32), nullable=False),
    Column("span_ids", LargeBinary, nullable=False),
    Column("summary", CleanText(), nullable=False),
    Column("score", Integer, nullable=False),
    Column("retrieval", Float, nullable=False),
)

# Passages of the kind `summary` are a model's words; `links` lead each sentence to the spans that it rests on.
summaries = table(
    "summaries",
    Column("passage_key", Key, parent("passages"), primary_key=True),
    Column("model", CleanText(), nullable=False),
    Column("prompt", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("links", LargeBinary, nullable=False),
)

# What users keep about papers. A tag and a collection (`kind`) are both a named set; `term` is its name for comparing.
sets = table(
    "sets",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("kind", CleanText(16), nullable=False),
    Column("name", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False),
    Column("made", CleanText(32), nullable=False),
    UniqueConstraint("kind", "term"),
    sqlite_autoincrement=True,
)

set_papers = table(
    "set_papers",
    Column("set_key", Key, parent("sets"), primary_key=True),
    Column("paper_key", Key, parent("papers"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

notes = table(
    "notes",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("text", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("updated", CleanText(32), nullable=False),
    sqlite_autoincrement=True,
)

# Words of a paper that users have marked. `quote`: as they were then; `anchor`: where, as JSON of `Anchor`.
highlights = table(
    "highlights",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("paper_key", Key, parent("papers"), nullable=False, index=True),
    Column("color", CleanText(16), nullable=False),
    Column("quote", CleanText(), nullable=False),
    Column("note", CleanText(), nullable=False),
    Column("anchor", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    Column("updated", CleanText(32), nullable=False),
    sqlite_autoincrement=True,
)

# Fields of a paper's metadata as users have written them, as JSON: they go before what any file says.
edits = table(
    "edits",
    Column("paper_key", Key, parent("papers"), primary_key=True),
    Column("field", CleanText(32), primary_key=True),
    Column("value", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    sqlite_with_rowid=False,
)

# What users think of an answer, or of one of its statements, by its number from 1; 0: of all of it.
feedback = table(
    "feedback",
    Column("answer_key", Key, parent("answers"), primary_key=True),
    Column("statement", Integer, primary_key=True, autoincrement=False),
    Column("verdict", CleanText(8), nullable=False),
    Column("comment", CleanText(), nullable=False),
    Column("made", CleanText(32), nullable=False),
    sqlite_with_rowid=False,
)

# Collections of pictures that are of no paper; nothing of them leads to papers or passages.
image_collections = table(
    "image_collections",
    Column("key", Key, primary_key=True),
    Column("name", CleanText(), nullable=False),
    Column("term", CleanText(key=True), nullable=False, unique=True),
    sqlite_autoincrement=True,
)

# `mtime_ns` is -1 until all pages of the file are there.
image_files = table(
    "image_files",
    Column("key", Key, primary_key=True),
    Column("collection_key", Key, parent("image_collections"), nullable=False),
    Column("path", CleanText(), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("sha256", CleanText(64), nullable=False),
    UniqueConstraint("collection_key", "path"),
    sqlite_autoincrement=True,
)

# `vector` is the encoder's raw one, float16; `hash` is perceptual; `thumbnail` a small JPEG of ours.
images = table(
    "images",
    Column("key", Key, primary_key=True),
    Column("id", CleanText(16), nullable=False, unique=True),
    Column("file_key", Key, parent("image_files"), nullable=False),
    Column("page", Integer, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("note", CleanText(), nullable=False),
    Column("encoder", CleanText(255), nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("thumbnail", LargeBinary, nullable=False),
    UniqueConstraint("file_key", "page"),
    sqlite_autoincrement=True,
)

# What is known of an image: by its `file`, or by a table (`csv`) that came with it. `term` is the value for comparing.
image_facts = table(
    "image_facts",
    Column("image_key", Key, parent("images"), primary_key=True),
    Column("name", CleanText(64), primary_key=True),
    Column("term", CleanText(key=True), primary_key=True),
    Column("value", CleanText(), nullable=False),
    Column("source", CleanText(8), nullable=False),
    Index("ix_image_facts_name_term", "name", "term", "image_key"),
    sqlite_with_rowid=False,
)

CHILDREN = tuple((each, column) for each in metadata.sorted_tables for column in each.columns if column.foreign_keys)
"""Tables with the columns that name a row of another table, parents before their children."""
