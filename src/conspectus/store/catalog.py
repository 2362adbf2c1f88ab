"""Reading the catalog: files, papers, passages, vectors."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Row, bindparam, exists, func, or_, select

from conspectus.core.errors import NotFoundError
from conspectus.core.groups import grouped
from conspectus.records import FileState, Filters, Metadata, Paper, PaperFile, Passage, PassageKind, normal_name
from conspectus.records.filters import FACTS, SETS
from conspectus.store import user_data
from conspectus.store.codec import (
    damaged,
    known_word,
    unpack_extra,
    unpack_json,
    unpack_metadata,
    unpack_parsed,
    unpack_spans,
)
from conspectus.store.connection import CHUNK, CatalogReader, split_chunks
from conspectus.store.facets import facet_terms, filter_conditions, key_phrase_texts
from conspectus.store.rows import FileRow, Name, StoredDocument, StoredPassage, title_number
from conspectus.store.schema import (
    SUMMARY,
    documents,
    facets,
    files,
    identifiers,
    models,
    papers,
    passages,
    summaries,
    vectors,
)

_WHOLES = (
    select(files.c.path, documents.c.paper_key)
    .join(files, files.c.key == documents.c.file_key)
    .where(documents.c.ordinal == 0)
    .order_by(documents.c.key)
)
"""Files that are one paper as a whole, as they came."""
_MODEL_IDS = select(models.c.id).order_by(models.c.id)
_KNOWN_AS = (
    select(identifiers)
    .where(identifiers.c.scheme == bindparam("of"), identifiers.c.value.in_(bindparam("values", expanding=True)))
    .order_by(identifiers.c.paper_key)
)
"""Asked of each file that is added: a statement costs more to put together than to run."""


class Catalog(CatalogReader):
    """The library's source of truth, read. Writing is in `store.writer`."""

    # files

    def file_rows(self, paths: Sequence[str] | None = None) -> Iterator[FileRow]:
        """The ledger, by path; of `paths` only where given."""
        count = select(func.count()).where(documents.c.file_key == files.c.key).scalar_subquery()
        query = select(files, count.label("papers"))
        if paths is not None:
            yield from map(_file_row, self.rows_where(query.order_by(files.c.path), files.c.path, paths))
            return
        for rows in self.pages(query, files.c.path, ""):
            yield from map(_file_row, rows)

    def file_state(self, path: str) -> tuple[int, str, str] | None:
        """(key, SHA-256, reader) of a file's ledger row; None where there is none."""
        rows = self.rows(select(files.c.key, files.c.sha256, files.c.reader).where(files.c.path == path))
        return tuple(rows[0]) if rows else None

    def files_with(self, sha256: str) -> list[FileRow]:
        """The ledger rows of all files of the same bytes."""
        paths = [row.path for row in self.rows(select(files.c.path).where(files.c.sha256 == sha256))]
        return list(self.file_rows(paths))

    # papers

    def papers(self, filters: Filters | None = None, after: int = 0) -> Iterator[Paper]:
        """The papers that pass `filters`, in the order they were added, behind the one with the key `after`."""
        user_data.check_sets(self, filters or Filters())
        query = select(papers).where(*filter_conditions(filters or Filters()))
        for rows in self.pages(query, papers.c.key, after, CHUNK):
            yield from self._papers(rows)

    def known_ids(self, paper_ids: Sequence[str]) -> set[str]:
        """Those of `paper_ids` that papers have."""
        return {row.id for row in self.rows_where(select(papers.c.id), papers.c.id, paper_ids)}

    def has_paper(self, paper_id: str) -> bool:
        """Whether a paper has this id."""
        return self.scalar(select(papers.c.key).where(papers.c.id == paper_id)) is not None

    def paper_key(self, paper_id: str) -> int:
        """The key of a paper that exists, by its id."""
        key = self.scalar(select(papers.c.key).where(papers.c.id == paper_id))
        if key is None:  # removed by another since it was looked up
            raise NotFoundError(f"There is no paper '{paper_id}' in the library.", "`list` shows the papers.")
        return int(key)

    def keys_of(self, paper_ids: Sequence[str]) -> dict[str, int]:
        """The keys of papers, by their ids; those that another has removed since they were looked up are left out."""
        query = select(papers.c.id, papers.c.key)
        key_by_id = {row.id: row.key for row in self.rows_where(query, papers.c.id, paper_ids)}
        return {name: key_by_id[name] for name in paper_ids if name in key_by_id}

    def ids_of(self, paper_keys: Collection[int]) -> dict[int, str]:
        """The ids of papers, by their keys; those that are gone are left out."""
        query = select(papers.c.key, papers.c.id)
        return {row.key: row.id for row in self.rows_where(query, papers.c.key, paper_keys)}

    def paper_keys(self, most: int) -> Iterator[list[int]]:
        """The keys of all papers, ascending, `most` at a time."""
        for rows in self.pages(select(papers.c.key), papers.c.key, 0, most):
            yield [row.key for row in rows]

    def papers_by_key(self, keys: Sequence[int]) -> dict[int, Paper]:
        """Papers by their keys."""
        if not keys:  # as with each file of new papers: even a question that nobody is asked takes its time to be put
            return {}
        rows = list(self.rows_where(select(papers), papers.c.key, keys))
        return dict(zip((row.key for row in rows), self._papers(rows), strict=True))

    def extras_of_papers(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The id, title and `extra` of each paper, without the rest: a third of the work."""
        for rows in self.pages(select(papers.c.key, papers.c.id, papers.c.metadata), papers.c.key, 0):
            for row in rows:
                yield row.id, *unpack_extra(row.metadata)

    def metadata_by_key(self, keys: Sequence[int]) -> dict[int, Metadata]:
        """What is said of papers, by their keys: a fourth of the work of whole ones."""
        return {key: metadata for key, (metadata, _) in self.indexed_by_key(keys).items()}

    def indexed_by_key(self, keys: Sequence[int]) -> dict[int, tuple[Metadata, bool]]:
        """What is said of papers, and whether they have a full text, by their keys."""
        rows = self.rows_where(select(papers.c.key, papers.c.metadata, papers.c.has_full_text), papers.c.key, keys)
        return {row.key: (unpack_metadata(row.metadata), row.has_full_text) for row in rows}

    def find_papers(self, name: str) -> list[Paper]:
        """The papers that `name` can mean: an id, an external id, any identifier, a file's path, or a title."""
        if not name:
            return []
        by_identifier = select(identifiers.c.paper_key).where(identifiers.c.value == name.lower())
        by_file = (
            select(documents.c.paper_key)
            .join(files, files.c.key == documents.c.file_key)
            .where(or_(files.c.path == name, files.c.path == os.path.abspath(name)))  # noqa: PTH100 - links stay links
        )
        for condition in (
            papers.c.id == name,
            papers.c.external_id == name,
            papers.c.key.in_(by_identifier),
            papers.c.key.in_(by_file),
        ):
            if rows := self.rows(select(papers).where(condition).order_by(papers.c.key).limit(CHUNK)):
                return list(self._papers(rows))
        return self._find_titled(name)

    def titled_with(self, part: str, most: int) -> list[tuple[str, str]]:
        """The ids and titles of papers whose title has a part, in any case, of the library's first papers."""
        has = papers.c.title.icontains(part, autoescape=True)
        rows = self.rows(select(papers.c.id, papers.c.title).where(has).order_by(papers.c.key).limit(most))
        return [(row.id, row.title) for row in rows]

    def _find_titled(self, title: str) -> list[Paper]:
        """The papers of a title, in any case; if there are none, those whose titles differ in accents or punctuation.

        Databases differ in what they take for small letters; Python does not.
        """
        term = normal_name(title)
        same = select(facets.c.paper_key).where(facets.c.facet == "title", facets.c.term == term)
        condition = papers.c.key.in_(same) if term else papers.c.title == title
        rows = self.rows(select(papers).where(condition).order_by(papers.c.key).limit(CHUNK))
        same_title = [row for row in rows if row.title.lower() == title.lower()]
        return list(self._papers(same_title or (rows if term else [])))

    def _papers(self, rows: Sequence[Row[Any]]) -> Iterator[Paper]:
        keys = [row.key for row in rows]
        sources, phrases = self._paper_files(keys), key_phrase_texts(self, keys)
        facts = {name: facet_terms(self, name, keys) for name in FACTS}
        sets_by_paper, edited = user_data.sets_of_papers(self, keys), user_data.edits_of_papers(self, keys)
        for row in rows:
            known = unpack_metadata(row.metadata)
            fields = {name: getattr(known, name) for name in Metadata.__dataclass_fields__}
            fields |= {"files": sources.get(row.key, ()), "key_phrases": phrases.get(row.key, ())}
            fields |= {f"{kind}s": names for kind, names in sets_by_paper.get(row.key, {}).items()}
            fields["edited"] = tuple(edited.get(row.key, ()))
            fields["facts"] = {
                name: terms_by_paper[row.key][0] for name, terms_by_paper in facts.items() if row.key in terms_by_paper
            }
            yield Paper(id=row.id, has_full_text=row.has_full_text, **fields)

    def _paper_files(self, keys: Sequence[int]) -> dict[int, tuple[PaperFile, ...]]:
        query = (
            select(documents.c.paper_key, files.c.path, files.c.sha256)
            .join(files, files.c.key == documents.c.file_key)
            .distinct()
        )
        rows = self.rows_where(query.order_by(files.c.path), documents.c.paper_key, keys)
        files_by_paper = grouped((row.paper_key, PaperFile(row.path, row.sha256)) for row in rows)
        return {key: tuple(group) for key, group in files_by_paper.items()}

    # passages

    def passages(self, paper_id: str) -> Iterator[Passage]:
        """A paper's own passages in reading order."""
        query = select(passages, papers.c.id.label("paper_id")).join(papers, papers.c.key == passages.c.paper_key)
        query = query.where(passages.c.kind != SUMMARY)
        for row in self.rows(query.where(papers.c.id == paper_id).order_by(passages.c.ordinal)):
            yield _passage(row)

    def passages_by_key(self, keys: Sequence[int]) -> dict[int, StoredPassage]:
        """Passages by their keys; those that are gone are left out."""
        return self.passages_where(passages.c.key, keys)

    def wordings(self, keys: Sequence[int]) -> list[str]:
        """The texts of passages, and the title and authors of each of their papers."""
        query = select(passages.c.text, passages.c.paper_key)
        passage_rows = list(self.rows_where(query, passages.c.key, keys))
        rows = self.rows_where(select(papers.c.metadata), papers.c.key, sorted({row.paper_key for row in passage_rows}))
        known = (unpack_metadata(row.metadata) for row in rows)
        paper_texts = (" ".join((record.title, *(author.name for author in record.authors))) for record in known)
        return [*(row.text for row in passage_rows), *paper_texts]

    def passage_names(self, paper_keys: Sequence[int]) -> dict[int, dict[int, str]]:
        """Paper key -> key -> id of each of its passages, summaries too, in reading order."""
        query = select(passages.c.key, passages.c.paper_key, passages.c.id)
        names_by_paper: dict[int, dict[int, str]] = {}
        query = query.order_by(passages.c.paper_key, passages.c.ordinal)
        for row in self.rows_where(query, passages.c.paper_key, paper_keys):
            names_by_paper.setdefault(row.paper_key, {})[row.key] = row.id
        return names_by_paper

    def papers_of_passages(self, keys: Sequence[int]) -> dict[int, int]:
        """Passage key -> its paper's; those that are gone are left out."""
        query = select(passages.c.key, passages.c.paper_key)
        return {row.key: row.paper_key for row in self.rows_where(query, passages.c.key, keys)}

    def reading_order(self, keys: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Passage key -> its paper's key and its number in the paper: the order in which they are read."""
        query = select(passages.c.key, passages.c.paper_key, passages.c.ordinal)
        return {row.key: (row.paper_key, row.ordinal) for row in self.rows_where(query, passages.c.key, keys)}

    def passages_of(self, paper_keys: Sequence[int]) -> dict[int, StoredPassage]:
        """All passages of papers that are their own, by their keys."""
        passage_items = self.passages_where(passages.c.paper_key, paper_keys).items()
        return {key: stored for key, stored in passage_items if stored.passage.kind != SUMMARY}

    def passages_where(self, column: Column[Any], values: Sequence[Any]) -> dict[int, StoredPassage]:
        """The passages whose `column` has one of `values`, by their keys."""
        query = select(passages, papers.c.id.label("paper_id")).join(papers, papers.c.key == passages.c.paper_key)
        rows = self.rows_where(query, column, values)
        return {row.key: StoredPassage(row.key, row.paper_key, _passage(row)) for row in rows}

    def passage_keys(self, paper_id: str | None = None) -> npt.NDArray[np.int64]:
        """The keys of all passages (of one paper), summaries too, int64, ascending."""
        query = select(passages.c.key).order_by(passages.c.key)
        if paper_id is not None:
            query = query.join(papers, papers.c.key == passages.c.paper_key).where(papers.c.id == paper_id)
        return self.numbers(query)

    def keys_changed_since(self, since: int) -> npt.NDArray[np.int64]:
        """The keys of passages of which an index as of the change `since` was told otherwise, int64, ascending."""
        query = select(passages.c.key).join(papers, papers.c.key == passages.c.paper_key)
        return self.numbers(query.where(papers.c.changed > since).order_by(passages.c.key))

    # models

    def model_ids(self) -> tuple[str, ...]:
        """The ids of the embedders that vectors were ever stored of and not dropped since."""
        return tuple(row.id for row in self.rows(_MODEL_IDS))

    def model_counts(self) -> dict[str, int]:
        """Embedder id -> number of passages with its vectors."""
        query = (
            select(models.c.id, func.count().label("number"))
            .join(vectors, vectors.c.model_key == models.c.key)
            .group_by(models.c.id)
            .order_by(models.c.id)
        )
        return {row.id: row.number for row in self.rows(query)}

    # documents

    def documents_of(self, paper_keys: Sequence[int]) -> dict[int, list[StoredDocument]]:
        """The documents that papers are made of, by the papers' keys."""
        documents_by_paper: dict[int, list[StoredDocument]] = {}
        query = select(documents, files.c.path, files.c.sha256).join(files, files.c.key == documents.c.file_key)
        edited = user_data.edits_of_papers(self, paper_keys)
        for row in self.rows_where(query.order_by(documents.c.key), documents.c.paper_key, paper_keys):
            parsed = unpack_parsed(row.parsed)
            edits = edited.get(row.paper_key, {})
            document = StoredDocument(
                row.file_key, row.path, row.sha256, row.ordinal, row.digest, parsed, row.key, edits
            )
            documents_by_paper.setdefault(row.paper_key, []).append(document)
        return documents_by_paper

    def documents_of_one(self, paper_key: int) -> list[StoredDocument]:
        """The documents that a paper is made of.

        Raises:
            NotFoundError: another has removed it since it was looked up.
            LibraryDamagedError: it is made of none.
        """
        if paper_documents := self.documents_of([paper_key]).get(paper_key):
            return paper_documents
        if self.scalar(select(papers.c.id).where(papers.c.key == paper_key)) is None:
            raise NotFoundError("The paper was removed meanwhile.", "`list` shows the papers.")
        raise damaged("a paper", "rests on no file")

    def papers_of(self, document_keys: Sequence[int]) -> list[int]:
        """The keys of the papers that documents belong to."""
        query = select(documents.c.paper_key).distinct()
        return sorted({row.paper_key for row in self.rows_where(query, documents.c.key, document_keys)})

    def papers_at(self, paths: Sequence[str]) -> dict[str, int]:
        """Path -> paper key, of files that are one paper as a whole."""
        return {row.path: row.paper_key for row in self.rows_where(_WHOLES, files.c.path, paths)}

    def wholes(self, paper_keys: Sequence[int]) -> dict[int, list[str]]:
        """Paper key -> the paths of its files that are one paper as a whole, as they came."""
        rows = self.rows_where(_WHOLES, documents.c.paper_key, paper_keys)
        return grouped((row.paper_key, row.path) for row in rows)

    def linking(self, file_key: int) -> list[StoredDocument]:
        """The documents of a file whose papers name other files as theirs."""
        names = exists().where(identifiers.c.paper_key == documents.c.paper_key, identifiers.c.scheme == "link")
        query = select(documents.c.paper_key).where(documents.c.file_key == file_key, names).distinct()
        keys = [row.paper_key for row in self.rows(query)]
        documents_by_paper = self.documents_of(keys)
        return [
            document for group in documents_by_paper.values() for document in group if document.file_key == file_key
        ]

    def digests(self, file_key: int, after: int = 0) -> dict[bytes, int]:
        """Digest -> document key of all that a file said when it was last read, of those with keys above `after`."""
        query = select(documents.c.digest, documents.c.key)
        query = query.where(documents.c.file_key == file_key, documents.c.key > after)
        return {row.digest: row.key for row in self.rows(query)}

    def places(self, file_key: int) -> list[tuple[int, int, int]]:
        """(key, number in the file, paper key) of the documents of a file."""
        query = select(documents.c.key, documents.c.ordinal, documents.c.paper_key)
        return [tuple(row) for row in self.rows(query.where(documents.c.file_key == file_key))]

    def papers_known_as(self, names: Iterable[Name]) -> dict[Name, tuple[int, ...]]:
        """Name -> the keys of the papers that are known by it, or claim it, the oldest first; only what is known."""
        keys_by_name: dict[Name, tuple[int, ...]] = {}
        for scheme, values in sorted(grouped(names).items()):
            chunks = split_chunks(sorted(set(values)))
            rows = (row for chunk in chunks for row in self.rows(_KNOWN_AS, {"of": scheme, "values": chunk}))
            known = grouped(((scheme, row.value), row.paper_key) for row in rows)
            keys_by_name |= {name: tuple(keys) for name, keys in known.items()}
        return keys_by_name

    def claimants_by_name(self, schemes: Sequence[str]) -> dict[Name, tuple[int, ...]]:
        """Name -> the keys of the papers that claim it, where several do."""
        several = select(identifiers.c.scheme, identifiers.c.value).where(identifiers.c.scheme.in_(schemes))
        several = several.group_by(identifiers.c.scheme, identifiers.c.value).having(func.count() > 1)
        return self.papers_known_as((row.scheme, row.value) for row in self.rows(several))

    def identities(self, paper_keys: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
        """Paper key -> the (scheme, value) pairs by which the paper is known, in order."""
        rows = self.rows_where(select(identifiers), identifiers.c.paper_key, paper_keys)
        names_by_paper = grouped((row.paper_key, (row.scheme, row.value)) for row in rows)
        return {key: sorted(names) for key, names in names_by_paper.items()}

    def papers_titled(self, titles: Iterable[str]) -> dict[str, list[int]]:
        """Title, as `normal_name` has it -> the keys of the papers that have it."""
        title_set = set(titles)
        numbers = sorted(filter(None, map(title_number, title_set)))
        query = select(papers.c.key, papers.c.title).order_by(papers.c.key)
        rows = self.rows_where(query, papers.c.title_number, numbers)
        titled_keys = ((normal_name(row.title), row.key) for row in rows)
        return grouped((title, key) for title, key in titled_keys if title in title_set)

    def counts(self) -> dict[str, int]:
        """How many papers, papers with full text, passages, summaries, files and failed files there are."""
        queries = {
            "papers": select(func.count()).select_from(papers),
            "full_text": select(func.count()).select_from(papers).where(papers.c.has_full_text),
            "passages": select(func.count()).select_from(passages),
            "summaries": select(func.count()).select_from(summaries),
            "files": select(func.count()).select_from(files),
            "failed": select(func.count()).select_from(files).where(files.c.state == "failed"),
        }
        row = self.rows(select(*(query.scalar_subquery().label(name) for name, query in queries.items())))[0]
        counts = dict(row._mapping)
        return counts | {"passages": counts["passages"] - counts["summaries"]}  # both counted by keys, which is quick

    def facet_values(self, facet: str) -> list[str]:
        """All values of a facet, or the names of all tags or collections, in order."""
        if facet in SETS:
            return user_data.set_terms(self, facet)
        query = select(facets.c.term).where(facets.c.facet == facet).distinct().order_by(facets.c.term)
        return [row.term for row in self.rows(query)]


def _file_row(row: Row[Any]) -> FileRow:
    known = dict(row._mapping)
    known["state"] = known_word(known["state"], FileState, "the state of a file")
    known["notes"] = unpack_json(known["notes"], tuple[str, ...], "what was said of a file")
    return FileRow(**known)


def _passage(row: Row[Any]) -> Passage:
    spans = unpack_spans(row.spans, row.text, row.paper_id)
    kind = known_word(row.kind, PassageKind, "the kind of a passage")
    return Passage(row.id, row.paper_id, kind, row.section, row.text, spans, row.ordinal)
