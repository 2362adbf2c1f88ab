"""Rows as they cross the catalog's border, and the passages of papers that are stored again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from conspectus.core.errors import LibraryDamagedError
from conspectus.core.groups import grouped
from conspectus.records import FigureKind, FileState, Metadata, ParsedPaper, Passage, Place, Summary
from conspectus.store.codec import check_parsed, check_spans, pack_spans, unpack_metadata
from conspectus.store.connection import CatalogReader, delete_where, insert_rows, keys_by_id
from conspectus.store.schema import documents, papers, passages

Name = tuple[str, str]
"""(scheme, value) by which a paper or a document is known."""
SCHEMES = ("doi", "arxiv_id", "pmid", "bibcode", "pmcid", "openalex", "s2")
"""Those of identifiers: names of fields of `Metadata`, or of texts in its `extra`."""
_ARXIV_DOI = "10.48550/arxiv."
_LONGEST_IDENTIFIER = 500


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of the ledger. `mtime_ns`, `size` and `reader` decide whether it needs to be looked into again.

    `machine` is the worker's of a cluster that read it; "": the one that added it did.
    """

    path: str
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""
    reader: str = ""
    state: FileState = "queued"
    reason: str = ""
    retry: bool = False
    notes: tuple[str, ...] = ()
    updated: str = ""
    key: int = 0
    papers: int = 0
    machine: str = ""


@dataclass(frozen=True)
class StoredDocument:
    """What one file says of one paper.

    Attributes:
        sha256: of the file's bytes.
        ordinal: the number of the record in the file, from 1; 0 where the whole file is one paper.
        digest: of `parsed`.
        key: 0 until it is stored.
        edits: fields of its paper that were written by hand, whichever of its documents says what.
    """

    file_key: int
    path: str
    sha256: str
    ordinal: int
    digest: bytes
    parsed: ParsedPaper
    key: int = 0
    edits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def edited(self) -> StoredDocument:
        """The same, as if it said what was written by hand."""
        return replace(self, parsed=replace(self.parsed, metadata=replace(self.parsed.metadata, **self.edits)))

    @cached_property
    def content(self) -> str:
        """A digest of what `parsed` says, whatever its spaces and capitals."""
        metadata = self.parsed.metadata
        digest = hashlib.blake2b(digest_size=16)
        names = ";".join(author.name for author in metadata.authors)
        head = (metadata.title, names, metadata.venue, str(metadata.year), metadata.abstract)
        for text in (*head, *(block.text for block in self.parsed.blocks)):
            digest.update(" ".join(text.split()).casefold().encode() + b"\0")
        return digest.hexdigest()

    @cached_property
    def identities(self) -> tuple[Name, ...]:
        """What its paper is known by: its identifiers, also by hand, its file's bytes, its content, files it names.

        The first of them makes the id of a new paper. The bytes come before the content, which another version of a
        reader may read otherwise. A bare title that has an identifier is not known by its content: many are called
        "Editorial".
        """
        metadata = self.parsed.metadata
        names = list(identifiers(self))
        if not self.ordinal:
            names.append(("file", self.sha256))
        if self.parsed.blocks or metadata.abstract or not names:
            names.append(("content", self.content))
        return (*names, *map(path_name, self.linked))

    @cached_property
    def linked(self) -> tuple[str, ...]:
        """The absolute paths of the files that a record says are the same paper, in its order."""
        folder = os.path.dirname(self.path)  # noqa: PTH120 - a path of another system stays as it is
        paths = (os.path.join(folder, name) for name in self.parsed.files)  # noqa: PTH118
        return tuple(dict.fromkeys(os.path.abspath(path) for path in paths))  # noqa: PTH100 - links stay links


def identifiers(document: StoredDocument) -> tuple[Name, ...]:
    """The identifiers that a document says, then those written by hand; an arXiv DOI gives its arXiv id, too."""
    metadata, edits = document.parsed.metadata, document.edits
    pairs = [(scheme, known_identifier(metadata, scheme)) for scheme in SCHEMES]
    pairs += [(scheme, edits[scheme]) for scheme in SCHEMES if edits.get(scheme)]
    names = [(scheme, value.lower()) for scheme, value in pairs if value]
    names += [("arxiv_id", value.removeprefix(_ARXIV_DOI)) for _, value in names if value.startswith(_ARXIV_DOI)]
    return tuple(dict.fromkeys(names))


def known_identifier(metadata: Metadata, scheme: str) -> str:
    """The identifier of one of `SCHEMES`, as the paper's source has it; "" where it says none."""
    value = getattr(metadata, scheme, "") or metadata.extra.get(scheme)
    return value if isinstance(value, str) and len(value) <= _LONGEST_IDENTIFIER else ""


def title_number(title: str) -> int | None:
    """A title, as `normal_name` has it, as a number of 63 bits by which papers of that title are found."""
    return (
        int.from_bytes(hashlib.blake2b(title.encode(errors="replace"), digest_size=8).digest()) >> 1 if title else None
    )


def path_name(path: str) -> Name:
    """What a record that names the file at `path` is known by. Not the file: another may come to lie there."""
    return "link", hashlib.blake2b(os.path.normcase(path).encode(errors="replace"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with its key in the catalog and its paper's."""

    key: int
    paper_key: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """A summary with the key of its passage and its paper's."""

    key: int
    paper_key: int
    summary: Summary


@dataclass(frozen=True, slots=True)
class StoredFigure:
    """A figure or a table of a paper.

    Attributes:
        id: the paper's id, and a name made of what the figure says; it is the same as long as that is.
        name: what the paper's structure calls it (`f3`); see `records.Figure.key`.
        caption: its words, with the label.
        place: where the picture or the cells stand; None where that is not known.
        mentions: ids of the sentences that speak of it, in reading order.
        key: in the catalog; it stays as long as nothing of this becomes otherwise.
    """

    id: str
    name: str
    kind: FigureKind
    label: str
    caption: str
    place: Place | None
    mentions: tuple[str, ...]
    key: int


@dataclass(frozen=True, slots=True)
class PaperDraft:
    """A paper as it is to be.

    Attributes:
        key: the paper's key; 0 for a new one.
        absorbs: keys of papers that turned out to be the same one, to be taken up into it.
        parsed: what its documents say together.
        identities: (scheme, value) pairs by which it is known.
        documents: those to be added (their `key` is 0) and those that stay; all others of it go.
        summaries: what a model wrote of it that still holds; all others go.
    """

    key: int
    absorbs: tuple[int, ...]
    id: str
    parsed: ParsedPaper
    identities: tuple[tuple[str, str], ...]
    documents: tuple[StoredDocument, ...]
    passages: tuple[Passage, ...]
    summaries: tuple[Summary, ...] = ()

    @property
    def keys(self) -> tuple[int, ...]:
        """The keys of the papers that it goes on as and takes up, the oldest first; none of a new one."""
        return tuple(key for key in (self.key, *self.absorbs) if key)

    @property
    def metadata(self) -> Metadata:
        """What its documents say of it together."""
        return self.parsed.metadata

    @property
    def all_passages(self) -> tuple[Passage, ...]:
        """Its own passages, then those of summaries."""
        return (*self.passages, *(summary.passage for summary in self.summaries))


_CHANGEABLE = ("id", "paper_key", "ordinal", "spans")
"""What may become otherwise of a row that stays."""


@dataclass(frozen=True, slots=True)
class StoredPassages:
    """Rows of the papers that drafts are of.

    Attributes:
        row_by_id: id of a passage as it is to be -> the row that it has.
        other_keys: the keys of all other rows.
    """

    row_by_id: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    other_keys: Sequence[int] = ()


def local_name(name: str) -> str:
    """What a passage or a span is called within its paper."""
    return name.partition(".")[2]


def read_stored_passages(catalog: CatalogReader, drafts: Sequence[PaperDraft]) -> StoredPassages:
    """Which passages of drafts have a row already, in their paper or in one that it takes up."""
    keys = [key for draft in drafts for key in draft.keys]
    if not keys:
        return StoredPassages()
    passage_rows = catalog.rows_where(select(passages).order_by(passages.c.key), passages.c.paper_key, keys)
    rows = grouped((row.paper_key, dict(row._mapping)) for row in passage_rows)
    row_by_id: dict[str, Mapping[str, Any]] = {}
    for draft in drafts:
        mine: dict[tuple[str, ...], Mapping[str, Any]] = {}
        for key in draft.keys:  # of two rows of one passage the older paper's
            for row in rows.get(key, ()):
                mine.setdefault((local_name(row["id"]), row["kind"], row["section"], row["text"]), row)
        for passage in draft.all_passages:
            if same := mine.get((local_name(passage.id), passage.kind, passage.section, passage.text)):
                row_by_id[passage.id] = same
    stay = {row["key"] for row in row_by_id.values()}
    gone = [row["key"] for group in rows.values() for row in group if row["key"] not in stay]
    return StoredPassages(row_by_id, gone)


def put_passages(
    connection: Connection, keyed_passages: Sequence[tuple[int, Passage]], stored_passages: StoredPassages
) -> set[int]:
    """Let the passages be these, each with its paper's key; returns the papers that took up others' rows.

    Those that have no row yet are left to be inserted.
    """
    delete_where(connection, passages.c.key, stored_passages.other_keys)
    moved: set[int] = set()
    rows = []
    for paper_key, passage in keyed_passages:
        if row := stored_passages.row_by_id.get(passage.id):
            values = _passage_values(paper_key, passage)
            if any(values[name] != row[name] for name in _CHANGEABLE):
                rows.append({"b_key": row["key"], **{name: values[name] for name in _CHANGEABLE}})
            if paper_key != row["paper_key"]:
                moved.add(paper_key)
    if rows:
        names: dict[str, Any] = {name: bindparam(name) for name in _CHANGEABLE}
        connection.execute(update(passages).where(passages.c.key == bindparam("b_key")).values(names), rows)
    return moved


def add_passages(connection: Connection, new: Sequence[tuple[int, Passage]]) -> dict[str, int]:
    """Insert passages, each with its paper's key; their keys by their ids."""
    insert_rows(connection, passages, [_passage_values(paper_key, passage) for paper_key, passage in new])
    return keys_by_id(connection, passages, [passage.id for _, passage in new])


def _passage_values(paper_key: int, passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "paper_key": paper_key,
        "ordinal": passage.ordinal,
        "kind": passage.kind,
        "section": passage.section,
        "text": passage.text,
        "spans": pack_spans(passage.spans),
    }


def find_unreadable(catalog: CatalogReader) -> list[str]:
    """The ids of papers whose metadata, sentences, or what was read of one of their files, cannot be unpacked."""
    paper_ids: dict[str, None] = {}
    columns = documents.c.key, documents.c.parsed, papers.c.id, papers.c.metadata
    query = select(*columns).join(papers, papers.c.key == documents.c.paper_key)
    for rows in catalog.pages(query, documents.c.key, 0):
        for row in rows:
            if not (check_parsed(row.parsed) and _can_unpack(unpack_metadata, row.metadata)):
                paper_ids[row.id] = None
    spans = select(passages.c.key, passages.c.spans, papers.c.id).join(papers)
    for rows in catalog.pages(spans, passages.c.key, 0):
        paper_ids |= dict.fromkeys(row.id for row in rows if not _can_unpack(check_spans, row.spans))
    return list(paper_ids)


def _can_unpack(unpack: Callable[[bytes], object], raw: bytes) -> bool:
    try:
        unpack(raw)
    except LibraryDamagedError:
        return False
    return True
