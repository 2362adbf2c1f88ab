"""Writing papers to the catalog with all that is derived of them; cutting them again; forgetting files."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from conspectus.core.disk import possible_path
from conspectus.core.errors import InputError, NotFoundError, SettingsError, UsageError
from conspectus.core.job_context import emit
from conspectus.core.text import language_of
from conspectus.ingest.derivations.registry import list_derivations
from conspectus.ingest.error_attribution import run_one_by_one
from conspectus.ingest.paper_groups import NO_CHANGE, Change
from conspectus.ingest.paper_merge import merge, paper_id
from conspectus.ingest.paper_plan import Cut, Plan, plan, replan
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.text.passages import PASSAGES_VERSION, passages
from conspectus.records import ParsedPaper, Passage
from conspectus.records.events import Progress
from conspectus.records.passage import embedding_text, text_digest
from conspectus.settings import PassageSettings
from conspectus.store import removal, rows, user_data, writer
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, transact, writing
from conspectus.store.rows import FileRow, PaperDraft, StoredDocument

Cuts = Mapping[str, tuple[ParsedPaper, tuple[Passage, ...]]]
"""Paper id -> the paper, and the passages that it is cut into."""
Also = Callable[[Connection], object]
"""Writes something in the same transaction."""
_BATCH = 64


@dataclass(frozen=True, slots=True)
class PaperStore:
    """Writes papers to a catalog: what documents say of them, cut into passages, and what is derived of that.

    The caller holds the library's writer lock, and has the index follow. The `tally` of "papers" says by how many the
    catalog has grown through it.
    """

    catalog: Catalog
    embedder: Embedder
    cut: Cut
    tally: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, catalog: Catalog, embedder: Embedder, settings: PassageSettings) -> PaperStore:
        """One that cuts papers as the settings say."""
        return cls(catalog, embedder, partial(passages, chars=settings.chars, overlap=settings.overlap))

    def add(
        self, documents: Sequence[StoredDocument], cuts: Cuts, embeddings: Mapping[bytes, Embedding]
    ) -> tuple[str, ...]:
        """Store new documents with the papers that they are of; returns what users are told of these.

        Args:
            documents: from files that are in the ledger.
            cuts: papers that are cut already.
            embeddings: embeddings that are there already, by digests of texts.
        """

        def cut(name: str, paper: ParsedPaper) -> tuple[Passage, ...]:
            known, cut_passages = cuts.get(name, (None, ()))
            return cut_passages if known == paper else self.cut(name, paper)

        with self.catalog.snapshot() as now:
            planned = plan(now, documents, cut)
        self._put(planned, embeddings, lambda connection: user_data.learn_names(connection, planned.names))
        return planned.notes

    def remake(
        self, paper_keys: Iterable[int], change: Change = NO_CHANGE, also: Also = lambda _: None
    ) -> list[PaperDraft]:
        """Make papers anew of their documents after a change; what has none left goes. Returns what they are then."""
        planned = replan(self.catalog, paper_keys, change, self.cut)
        self._put(planned, {}, also)
        return planned.drafts

    def forget(self, removed_keys: set[int], moved: Mapping[int, int] | None = None) -> None:
        """Make the papers anew of documents that go, or are `moved` to other numbers in their files."""
        change = Change(removed_keys=removed_keys, moved=moved or {})
        papers = self.catalog.papers_of(sorted(removed_keys | change.moved.keys()))
        for start in range(0, len(papers), _BATCH):
            self.remake(papers[start : start + _BATCH], change)

    def cut_ahead(self, documents: Sequence[StoredDocument]) -> Cuts:
        """The papers of documents that are new to the catalog, as they will be if no other document is of theirs."""
        known = self.catalog.papers_known_as(name for document in documents for name in document.identities)
        new = [document for document in documents if known.keys().isdisjoint(document.identities)]
        papers = {paper_id(document.identities[0]): merge([document]) for document in new}
        for paper in papers.values():
            language_of(paper.metadata.abstract or paper.metadata.title)  # loads its model, if needed, without the lock
        return {name: (paper, self.cut(name, paper)) for name, paper in papers.items()}

    def _put(self, planned: Plan, embeddings: Mapping[bytes, Embedding], also: Also) -> None:
        """Make a plan true with all that is derived of it, in one transaction with what `also` writes."""
        drafts: Sequence[PaperDraft] = planned.drafts
        kinds = list_derivations(self.embedder, embeddings)
        for derivation in kinds:
            drafts = derivation.carry_passages(self.catalog, drafts)
        stored_passages = rows.read_stored_passages(self.catalog, drafts)
        prepared = [derivation.prepare(self.catalog, drafts, stored_passages) for derivation in kinds]

        def put(connection: Connection) -> None:
            also(connection)
            writer.put_papers(connection, drafts, prepared, stored_passages)
            removal.drop_papers(connection, planned.empty)

        transact(self.catalog.engine, put)
        grown = sum((not draft.key) - len(draft.absorbs) for draft in drafts)
        self.tally["papers"] += grown - len(planned.empty)


def texts_of(cuts: Cuts) -> dict[bytes, str]:
    """What will be embedded of papers: digest -> text."""
    texts = (
        embedding_text(paper.metadata, passage)[0] for paper, cut_passages in cuts.values() for passage in cut_passages
    )
    return {text_digest(text): text for text in texts}


KEPT = "kept as cut before"


def rechunk(catalog: Catalog, embedder: Embedder, settings: PassageSettings) -> None:
    """Cut all papers anew, from what was read of them, where settings or an older version cut otherwise.

    One that fails stays as it was, is told by `doctor`, and is tried again the next time.

    Only passages whose text is new are embedded. Interrupted, it begins anew and finds the embeddings made so far.
    """
    cut_name = _cut_name(settings)
    known, spared = catalog.meta("cut"), sorted(catalog.papers_by_key(list(_read_papers_cut_before(catalog))))
    if known == cut_name and not spared:
        return

    store = PaperStore.of(catalog, embedder, settings)
    error_by_paper: dict[int, InputError] = {}
    if known:
        batches = [spared] if known == cut_name else catalog.paper_keys(_BATCH)
        total, done = len(spared) if known == cut_name else catalog.counts()["papers"], 0
        for keys in batches:
            error_by_paper |= run_one_by_one(store.remake, keys)
            done += len(keys)
            emit(Progress("cutting", done, total, "papers"))
    with writing(catalog.engine) as connection:
        put_meta(connection, "cut", cut_name)
        put_meta(connection, KEPT, json.dumps({str(key): str(error) for key, error in error_by_paper.items()}))


def check_cut(catalog: Catalog, settings: PassageSettings) -> None:
    """See that nobody has cut the library otherwise since `rechunk`.

    Raises:
        SettingsError: another run did.
    """
    if catalog.meta("cut") != _cut_name(settings):
        raise SettingsError(
            "While this ran another process cut the library's papers into passages of another length.",
            "Set `passages.chars` and `passages.overlap` to the same for all who add, then add again.",
        )


def _cut_name(settings: PassageSettings) -> str:
    return f"{settings.chars}/{settings.overlap}/{PASSAGES_VERSION}"


def papers_cut_before(catalog: Catalog) -> dict[str, str]:
    """Papers, by id, that could not be cut anew and are as they were, and why."""
    reasons = _read_papers_cut_before(catalog)
    papers = catalog.papers_by_key(list(reasons))
    return {papers[key].id: reason for key, reason in reasons.items() if key in papers}


def _read_papers_cut_before(catalog: Catalog) -> dict[int, str]:
    return unpack_json(catalog.meta(KEPT) or "{}", dict[int, str], "which papers could not be cut anew")


def find_file_rows(catalog: Catalog, names: Sequence[str | Path]) -> list[FileRow]:
    """The ledger rows of files as `add` was told of them, or of all files that lay in a folder, each once.

    Raises:
        NotFoundError: the ledger has none that is called so.
    """
    rows = list(catalog.file_rows())
    rows_by_path: dict[str, FileRow] = {}
    for name in map(str, names):
        full_path = os.path.abspath(possible_path(name))  # noqa: PTH100 - links stay links
        folder = os.path.join(full_path, "")  # noqa: PTH118
        meant = [row for row in rows if row.path in (name, full_path) or row.path.startswith(folder)]
        if not meant:
            raise NotFoundError(f"The library knows no file '{name}'.", "`status` lists them.")
        rows_by_path |= {row.path: row for row in meant}
    return list(rows_by_path.values())


def forget_files(store: PaperStore, rows: Sequence[FileRow], *, papers: bool) -> None:
    """Take files out of the ledger; papers lose what those said of them. The caller has the index follow.

    Args:
        papers: whether papers that rest on these files alone go, too.

    Raises:
        UsageError: there are such papers, and `papers` is False; nothing was done.
    """
    catalog = store.catalog
    gone = {key for row in rows for key in catalog.digests(row.key).values()}
    if not papers and (alone := _resting_on(catalog, gone)):
        which = f"'{rows[0].path}'" if len(rows) == 1 else "these files"
        resting = "1 paper rests" if len(alone) == 1 else f"{len(alone)} papers rest"
        raise UsageError(
            f"{resting} on {which} alone, such as {catalog.papers_by_key(alone[:1])[alone[0]].id}; nothing was done.",
            "To let the papers go as well: `forget FILE papers=True`. To keep them, leave the file as it is.",
        )
    store.forget(gone)
    with writing(catalog.engine) as connection:
        writer.drop_files(connection, [row.key for row in rows])


def _resting_on(catalog: Catalog, gone: set[int]) -> list[int]:
    """The keys of papers of which nothing else is said than in these documents."""
    paper_keys: list[int] = []
    keys = catalog.papers_of(sorted(gone))
    for batch in (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)):
        stored = catalog.documents_of(batch)
        paper_keys += [key for key, documents in stored.items() if all(document.key in gone for document in documents)]
    return paper_keys
