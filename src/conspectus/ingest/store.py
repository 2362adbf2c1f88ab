"""Papers to the catalog, with all that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from conspectus.ingest.derivations.registry import derivations
from conspectus.ingest.merge import merge, paper_id
from conspectus.ingest.parting import NO_CHANGE, Change
from conspectus.ingest.plan import Cut, Plan, plan, replan
from conspectus.models.protocol import Embedder, Embedding
from conspectus.parse.text.passages import passages
from conspectus.records import ParsedPaper, Passage
from conspectus.records.passage import embedding_text, text_digest
from conspectus.settings import PassageSettings
from conspectus.store import removal, rows, user_data, writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import transact
from conspectus.store.rows import Document, Draft

Cuts = Mapping[str, tuple[ParsedPaper, tuple[Passage, ...]]]
"""Paper id -> the paper, and the passages that it is cut into."""
Also = Callable[[Connection], object]
"""Writes something in the same transaction."""
_BATCH = 64


@dataclass(frozen=True, slots=True)
class PaperStore:
    """Writes papers to a catalog: what documents say of them, cut into passages, and what is derived of that.

    The caller holds the library's writer lock, and has the index follow.
    """

    catalog: Catalog
    embedder: Embedder
    cut: Cut

    @classmethod
    def of(cls, catalog: Catalog, embedder: Embedder, settings: PassageSettings) -> PaperStore:
        """One that cuts papers as the settings say."""
        return cls(catalog, embedder, partial(passages, chars=settings.chars, overlap=settings.overlap))

    def add(self, documents: Sequence[Document], cuts: Cuts, made: Mapping[bytes, Embedding]) -> tuple[str, ...]:
        """Store new documents with the papers that they are of; returns what users are told of these.

        Args:
            documents: from files that are in the ledger.
            cuts: papers that are cut already.
            made: embeddings that are there already, by digests of texts.
        """

        def cut(name: str, paper: ParsedPaper) -> tuple[Passage, ...]:
            known, found = cuts.get(name, (None, ()))
            return found if known == paper else self.cut(name, paper)

        planned = plan(self.catalog, documents, cut)
        self._put(planned, made, lambda connection: user_data.learn_names(connection, planned.names))
        return planned.notes

    def remake(self, paper_keys: Iterable[int], change: Change = NO_CHANGE, also: Also = lambda _: None) -> list[Draft]:
        """Make papers anew of their documents after a change; what has none left goes. Returns what they are then."""
        planned = replan(self.catalog, paper_keys, change, self.cut)
        self._put(planned, {}, also)
        return planned.drafts

    def forget(self, gone: set[int], moved: Mapping[int, int] | None = None) -> None:
        """Make the papers anew of documents that go, or are `moved` to other numbers in their files."""
        change = Change(gone=gone, moved=moved or {})
        papers = self.catalog.papers_of(sorted(gone | change.moved.keys()))
        for start in range(0, len(papers), _BATCH):
            self.remake(papers[start : start + _BATCH], change)

    def cut_ahead(self, documents: Sequence[Document]) -> Cuts:
        """The papers of documents that are new to the catalog, as they will be if no other document is of theirs."""
        known = self.catalog.papers_known_as(name for document in documents for name in document.identities)
        new = [document for document in documents if known.keys().isdisjoint(document.identities)]
        papers = {paper_id(document.identities[0]): merge([document]) for document in new}
        return {name: (paper, self.cut(name, paper)) for name, paper in papers.items()}

    def _put(self, planned: Plan, made: Mapping[bytes, Embedding], also: Also) -> None:
        """Make a plan true with all that is derived of it, in one transaction with what `also` writes."""
        drafts: Sequence[Draft] = planned.drafts
        kinds = derivations(self.embedder, made)
        for one in kinds:
            drafts = one.carried(self.catalog, drafts)
        held = rows.read_stored_passages(self.catalog, drafts)
        prepared = [one.prepared(self.catalog, drafts, held) for one in kinds]

        def put(connection: Connection) -> None:
            also(connection)
            writer.put_papers(connection, drafts, prepared, held)
            removal.drop_papers(connection, planned.empty)

        transact(self.catalog.engine, put)


def texts_of(cuts: Cuts) -> dict[bytes, str]:
    """What will be embedded of papers: digest -> text."""
    texts = (embedding_text(paper.metadata, passage)[0] for paper, found in cuts.values() for passage in found)
    return {text_digest(text): text for text in texts}
