"""Filling a table: each paper read once for the columns that it lacks, and kept at once; a killed run goes on there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import BudgetError, ConspectusError, ModelAnswerError, ServiceError
from conspectus.core.job_context import emit
from conspectus.llm.client import LlmClient
from conspectus.llm.prompts import passage_room
from conspectus.records import Passage, Usage
from conspectus.records.events import Progress
from conspectus.records.review import BY_WORDS, Review, ReviewEntry, TableCell, TableColumn
from conspectus.review import sql
from conspectus.review.table.cell_reader import CELL_PROMPT, CELL_ROLE, CellReading, PaperText, read_cells
from conspectus.review.table.cell_values import check_value, sort_number
from conspectus.review.table.column_passages import best_sentence, choose_passages, rank_by_vectors
from conspectus.review.table.columns import column_text
from conspectus.review.table.proposals import propose
from conspectus.review.table.tables import BY_MODEL, cell_entry, is_edit
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL
from conspectus.store.summaries import digest_of
from conspectus.store.vectors import vectors_of

WINDOW = 8
"""Papers that are read at the same time, at most."""
_BATCH = 50
"""Papers whose proposals are kept in one transaction."""
NEEDS_MODEL = "Only numbers are proposed without a language model."
NO_NUMBER = "No number is bound to the words of the column. A language model may find one."


@dataclass(frozen=True, slots=True)
class RowWork:
    """A paper with the columns that it lacks, each with the digest of what its cell is made from."""

    text: PaperText
    digests: Mapping[TableColumn, str]


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What came of a paper: its new cells as they are stored, or why it could not be read."""

    work: RowWork
    entries: tuple[ReviewEntry, ...] = ()
    error: ConspectusError | None = None


@dataclass(slots=True)
class TableRun:
    """One run over a table.

    Attributes:
        columns: to be filled.
        papers: ids of papers to be read.
        model: of this name, or "" for the one of the settings.
        reread: also read cells that there are.
        fresh: without what the model said before.
        stopped: why it ended before all papers were read.
        failed: why papers could not be read, by their ids.
    """

    session: Session
    review: Review
    columns: Sequence[TableColumn]
    papers: Sequence[str]
    model: str = ""
    reread: bool = False
    fresh: bool = False
    by: str = BY_WORDS
    read: int = 0
    done: int = 0
    stopped: ConspectusError | None = None
    failed: dict[str, str] = field(default_factory=dict)
    usage: Usage | None = None
    _queries: dict[str, FloatArray] = field(default_factory=dict)

    def run(self) -> None:
        """Fill the cells that are lacking; by a model if there is one, else by words.

        Raises:
            ServiceError: the model cannot be asked at all.
            NotFoundError: the table was deleted meanwhile.
        """
        name = self.model or self.session.settings.language.of(CELL_ROLE)
        if name and name != NO_MODEL:
            self._run_with_model()
        else:
            self._run_by_words()

    def _run_by_words(self) -> None:
        waiting: list[ReviewEntry] = []
        for work in self._works(instead_of_model=False):
            waiting += propose_cells(work)
            self._progress(work)
            if self.done % _BATCH == 0:
                self._keep(waiting)
                waiting = []
        self._keep(waiting)

    def _run_with_model(self) -> None:
        language = self.session.settings.language

        async def job(put: Callable[[RowOutcome], None]) -> None:
            async with self.session.client(self.model, fresh=self.fresh) as client:
                await client.prepare((CELL_ROLE,), [CELL_PROMPT])
                self.by = BY_MODEL + await client.name_of(CELL_ROLE)
                room = passage_room(await client.context(CELL_ROLE), language.max_tokens)
                try:
                    await self._read_all(client, room, put)
                finally:
                    self.usage = client.usage

        for outcome in self.session.loop.events(job):
            self._keep(outcome.entries)
            if outcome.error is not None:
                self.failed[outcome.work.text.paper.id] = outcome.error.message
            self._progress(outcome.work)

    async def _read_all(self, client: LlmClient, room: int, put: Callable[[RowOutcome], None]) -> None:
        running: set[asyncio.Task[None]] = set()

        async def read(work: RowWork) -> None:
            put(await self._read(client, work, room))

        try:
            for work in self._works(instead_of_model=True):
                running.add(asyncio.create_task(read(work)))
                if len(running) >= WINDOW:
                    running = await _wait_for_first(running)
                if self.stopped:
                    break
            while running:
                running = await _wait_for_first(running)
        finally:
            for task in running:
                task.cancel()

    async def _read(self, client: LlmClient, work: RowWork, room: int) -> RowOutcome:
        try:
            passage_ids = await asyncio.to_thread(self._choose, work, room)
            readings = await read_cells(client, work.text, passage_ids, room)
        except (BudgetError, ServiceError) as error:
            if not isinstance(error, ModelAnswerError):
                if isinstance(error, ServiceError) and not client.meter.answered:
                    raise
                self.stopped = error
            return RowOutcome(work, error=error)
        entries = tuple(self._entry(work, column, reading) for column, reading in readings.items())
        return RowOutcome(work, entries, next((reading.error for reading in readings.values() if reading.error), None))

    def _entry(self, work: RowWork, column: TableColumn, reading: CellReading) -> ReviewEntry:
        return cell_entry(
            work.text.paper.id,
            cell_of_reading(column, reading, self.by),
            [span.id for span in reading.spans],
            "" if reading.error else work.digests[column],
        )

    def _choose(self, work: RowWork, room: int) -> dict[TableColumn, tuple[str, ...]]:
        """The ids of the passages that are read for each column."""
        similarity, passages = self._similarity(work, room), work.text.passages
        return {column: choose_passages(column, passages, similarity(column), room) for column in work.digests}

    def _similarity(self, work: RowWork, room: int) -> Callable[[TableColumn], dict[str, float]]:
        """How near passages are to a column's name, by ids; nothing for a paper that is read whole, or no vectors."""
        passages = work.text.passages
        if sum(len(passage.text) for passage in passages) <= room:
            return lambda _: {}
        session, catalog = self.session, self.session.catalog
        stored = catalog.passages_of([catalog.paper_key(work.text.paper.id)])
        by_key = vectors_of(catalog, list(stored), session.embedder.id)
        vectors = {stored[key].passage.id: vector for key, vector in by_key.items()}

        def rank(column: TableColumn) -> dict[str, float]:
            if column.name not in self._queries:
                self._queries[column.name] = session.embedder.embed_query(column.name).vector
            return rank_by_vectors(self._queries[column.name], vectors)

        return rank

    def _works(self, *, instead_of_model: bool) -> Iterator[RowWork]:
        """The papers that lack cells, in the order of the table."""
        catalog = self.session.catalog
        for name in self.papers:
            papers = catalog.find_papers(name)
            passages = tuple(catalog.passages(name)) if papers else ()
            if not passages:
                self.done += 1
                continue
            digests = {column: digest_cell(column, passages) for column in self.columns}
            known = self._load_digests(name, instead_of_model=instead_of_model) if not self.reread else {}
            lacking = {column: digest for column, digest in digests.items() if digest not in known.get(column.name, ())}
            if lacking:
                yield RowWork(PaperText(papers[0], passages), lacking)
            else:
                self.done += 1

    def _load_digests(self, paper: str, *, instead_of_model: bool) -> dict[str, set[str]]:
        """The digests of the cells that a paper has, by column: those of this model, or, by words, of anybody."""
        digests: dict[str, set[str]] = {}
        for entry in sql.entries_of(self.session.catalog, self.review, paper=paper):
            if not is_edit(entry) and (entry.by == self.by or not instead_of_model):
                digests.setdefault(entry.field, set()).add(entry.value["of"])
        return digests

    def _keep(self, entries: Sequence[ReviewEntry]) -> None:
        new_entries = sql.keep_entries(self.session, self.review, entries, instead=True)
        self.read += sum(entry.value["status"] != "unread" for entry in new_entries)

    def _progress(self, work: RowWork) -> None:
        self.done += 1
        paper = work.text.paper
        emit(Progress("reading", self.done, len(self.papers), "papers", paper.title or paper.id))


async def _wait_for_first(running: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Wait until some are done; raises what they raised."""
    done, left = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    return left


def digest_cell(column: TableColumn, passages: Sequence[Passage]) -> str:
    """16 hexadecimal digits that stand for a column and the sentences of a paper: what its cell is made from."""
    text = column_text(column).encode()
    return blake2b(text + b"\0" + digest_of(passages), digest_size=8).hexdigest()


def cell_of_reading(column: TableColumn, reading: CellReading, by: str) -> TableCell:
    """The cell for what a model said: only what its sentences have is confirmed."""
    if reading.error is not None:
        return TableCell(column.name, why=reading.error.message, by=by)
    if not reading.spans:
        return TableCell(column.name, status="not stated", by=by)
    checked = check_value(column, reading.value, reading.unit, [span.text for span in reading.spans])
    return TableCell(column.name, checked.value, checked.unit, checked.status, checked.why, checked.number, by=by)


def propose_cells(work: RowWork) -> list[ReviewEntry]:
    """The cells of a paper without a model: numbers with units near the words of a column, else a sentence."""
    paper, passages = work.text.paper.id, work.text.passages
    entries = []
    for column, digest in work.digests.items():
        cell, spans = TableCell(column.name, why=NEEDS_MODEL, by=BY_WORDS), list[str]()
        if column.kind in ("number", "count"):
            proposal = propose(column, passages)
            cell = replace(cell, why=NO_NUMBER)
            if proposal is not None:
                match = proposal.match
                number = sort_number(column, match.first)
                cell = TableCell(column.name, match.value, match.unit, "proposed", "", number, by=BY_WORDS)
                spans = [proposal.span.id]
        elif place := best_sentence(column, passages):
            spans = [place[0].spans[place[1]].id]
        entries.append(cell_entry(paper, cell, spans, digest))
    return entries
