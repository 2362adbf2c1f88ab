"""The facade: one object, thin, the same verbs everywhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from conspectus.catalog import writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import writing
from conspectus.catalog.lock import writer_lock
from conspectus.catalog.rows import Document
from conspectus.errors import (
    LibraryError,
    ModelMismatchError,
    NotFoundError,
    UsageError,
)
from conspectus.ingest.progress import ProgressCallback, silent, waiting
from conspectus.parse.identifiers import identify
from conspectus.records import (
    AddReport,
    Answer,
    CitedWork,
    Filters,
    Finding,
    Paper,
    ParsedPaper,
    Passage,
    SearchResult,
    Span,
    Status,
)
from conspectus.settings import Settings, default_folder, load_settings

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.export.output import Output
    from conspectus.index.embedded import EmbeddedIndex
    from conspectus.models.protocol import Embedder
    from conspectus.search.retrieve import Retriever


class Library:
    """A library of papers in one folder; a context manager.

    Args:
        folder: opened, or made where it is not there; None: `default_folder()`.
        settings: checked settings, or `{"group.name": value}` that goes before the library's file and the environment.
        create: whether a catalog is made where there is none.

    Raises:
        NotFoundError: there is no catalog, and `create` is False.
        LibraryError: the folder cannot be made or used, or a newer Conspectus wrote it.
        SettingsError: an unknown setting or a value out of bounds.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        create: bool = True,
    ) -> None:
        named = Path(folder).expanduser() if folder is not None else default_folder()
        self.folder = Path(os.path.abspath(named))  # noqa: PTH100 - stays where it is when the process changes folders
        self.settings = settings if isinstance(settings, Settings) else load_settings(self.folder, settings)
        try:
            os.fsencode(self.folder).decode("utf-8")
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, UnicodeDecodeError) as error:
            why = "its name is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise LibraryError(
                f"The library folder {str(self.folder)!r} cannot be used: {why}.",
                "Choose another with --library or CONSPECTUS_LIBRARY.",
            ) from error
        place = self.settings.catalog
        self._catalog = Catalog(self.folder / "catalog.sqlite", place.url.reveal(), place.schema, create=create)

    def close(self) -> None:
        """Give everything back."""
        if "_index" in self.__dict__:  # else it was never opened
            self._index.close()
        self._catalog.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # adding and removing

    def add(self, paths: Sequence[str | Path] | str | Path, progress: ProgressCallback | None = None) -> AddReport:
        """Read what is new or changed among files, folders and globs; make it searchable.

        A file that cannot be read is reported and does not stop the others; what is committed stays, also when the run
        is interrupted, and the same call goes on from there.

        Raises:
            ModelMissingError: the embedder is not in the model store.
            ModelMismatchError: the library was embedded with another model.
            BusyError: another process is writing to the library.
        """
        from conspectus.ingest.run import Adder
        from conspectus.ingest.sync import mark_indexed, sync

        names = [paths] if isinstance(paths, str | Path) else list(paths)
        tell = progress or silent
        with self._writing(tell):
            self._check_model()
            try:
                follow = partial(sync, self._catalog, self._index, self._embedder.id)
                report = Adder(self._catalog, self._embedder, self.settings, tell, follow).run(names)
            finally:  # what was committed before an interruption is to be found too
                sync(self._catalog, self._index, self._embedder.id, tell)
                mark_indexed(self._catalog)
        return self._as_indexed(report)

    def _as_indexed(self, report: AddReport) -> AddReport:
        """The report with the ledger's rows as they are now."""
        from conspectus.ingest.run import ledger_row

        paths = [row.path for row in (*report.added, *report.updated)]
        now = {row.path: ledger_row(row) for row in self._catalog.file_rows(paths)}
        added, updated = (tuple(now.get(row.path, row) for row in rows) for rows in (report.added, report.updated))
        return replace(report, added=added, updated=updated)

    def remove(self, name: str) -> Paper:
        """Remove a paper, by id or any other name of it, with every trace; returns it as it was.

        Raises:
            NotFoundError: no paper, or more than one, is called so.
        """
        with self._writing():
            paper = self.paper(name)
            with writing(self._catalog.engine) as connection:
                writer.delete_papers(connection, [self._catalog.paper_key(paper.id)])
            self._follow()
        return paper

    def reindex(self, progress: ProgressCallback | None = None) -> int:
        """Embed what the embedder set now has not embedded, then build the index anew; returns passages embedded."""
        from conspectus.ingest.sync import embed_missing, sync

        with self._writing(progress or silent):
            made = embed_missing(self._catalog, self._embedder, progress or silent)
            sync(self._catalog, self._index, self._embedder.id, progress or silent, fresh=True)
        return made

    # looking

    def papers(self, filters: Filters | None = None) -> Iterator[Paper]:
        """All papers, or those that pass `filters`, in the order they were added."""
        return self._catalog.papers(filters)

    def paper(self, name: str) -> Paper:
        """The paper called `name`: its id, external id, DOI, arXiv id, PMID, bibcode, file or title.

        Raises:
            NotFoundError: none, or more than one.
        """
        found = self._catalog.find_papers(name) or self._catalog.find_papers(identify(name)[1])
        if not found:
            raise NotFoundError(f"There is no paper '{name}' in the library.", "`conspectus list` shows the papers.")
        if len(found) > 1:
            some = ", ".join(paper.id for paper in found[:5])
            raise NotFoundError(f"'{name}' can mean {len(found)} papers: {some}.", "Use one of these ids.")
        return found[0]

    def passages(self, name: str) -> Iterator[Passage]:
        """A paper's passages in reading order; the paper by any of its names."""
        return self._catalog.passages(self.paper(name).id)

    def parsed(self, name: str) -> ParsedPaper:
        """A paper's structure: headings, paragraphs, captions, footnotes, figures and references; by any of its names.

        Of a paper of several files it is that of the one whose text is searched.
        """
        from conspectus.ingest.merge import merge

        return merge(self._documents(self.paper(name)))

    def references(self, name: str) -> tuple[CitedWork, ...]:
        """A paper's reference list in its order, each entry with the paper of the library that it is, if any."""
        from conspectus.ingest.cited import cited_works

        return cited_works(self._catalog, self.parsed(name).references)

    def citation(self, span_id: str) -> tuple[Paper, Passage, Span]:
        """Where a citation's sentence stands.

        Args:
            span_id: a span's id as citations give it, or a passage's id (then its first sentence is meant).

        Raises:
            NotFoundError: the library has no such sentence (any more).
        """
        paper_id = span_id.partition(".")[0]
        for passage in self._catalog.passages(paper_id):
            for span in passage.spans:
                if span_id in (span.id, passage.id):
                    return self.paper(paper_id), passage, span
        raise NotFoundError(
            f"There is no sentence '{span_id}' in the library.",
            "`conspectus ask` and `conspectus search` show the ids; the paper may have been removed or edited.",
        )

    def open(self, span_id: str, scale: float = 2.0, page: int | None = None) -> Image:
        """The page of a citation as a picture, with the sentence lit up.

        Args:
            span_id: as for `citation`.
            scale: pixels per point.
            page: where a sentence stands on two pages, which of them (from 1); None: the first.

        Raises:
            NotFoundError: no such sentence, or its file is no longer there or has other bytes.
            InputError: the source has no pages (a record, Markdown).
            UsageError: the sentence does not stand on that page.
        """
        from conspectus import pictures

        paper, _, span = self.citation(span_id)
        return pictures.of_sentence(paper, self._documents(paper), span, page, scale)

    def inspect(self, name: str, page: int = 1, scale: float = 2.0) -> Image:
        """A page of a paper as a picture, with what was read on it in colour: blocks, sentences, figures, order.

        Raises:
            NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        from conspectus import pictures

        paper = self.paper(name)
        return pictures.of_structure(paper, self._documents(paper), page, scale)

    def figure_image(self, name: str, key: str, scale: float = 2.0) -> Image:
        """A figure or table as a picture, without its caption; `key` as in `parsed(name).figures`: `f1`, `t2`.

        Raises:
            NotFoundError: no such paper or figure, or its file is no longer there or has other bytes.
            InputError: where the figure stands is not known.
        """
        from conspectus import pictures

        paper = self.paper(name)
        return pictures.of_figure(paper, self._documents(paper), key, scale)

    def _documents(self, paper: Paper) -> list[Document]:
        """What was read of the paper's files."""
        key = self._catalog.paper_key(paper.id)
        return self._catalog.documents_of([key])[key]

    def export(
        self,
        to: str,
        output: Output,
        papers: Sequence[str] = (),
        filters: Filters | None = None,
        *,
        files: bool | None = None,
    ) -> int:
        """Write papers (by any names; none: all) that pass the filters as a bibliography; returns how many.

        Args:
            to: `bibtex`, `ris`, `csl`, `csv` or `jsonl`; the last keeps all that is known of a paper.
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            files: whether the papers' own files are named; None: in `jsonl` only.

        Raises:
            NotFoundError: a name that no paper has.
            UsageError: no such format, or the file cannot be written.
        """
        from conspectus.export.output import export

        wanted = {self.paper(name).id for name in papers} if papers else None
        return export(self._catalog, to, output, wanted, filters, files)

    def search(self, query: str, k: int | None = None, filters: Filters | None = None) -> SearchResult:
        """The k best papers for words or a question, each with its best passage."""
        from conspectus.search.search import search

        return search(self._retriever(), query, self.settings.search.k if k is None else k, filters or Filters())

    def similar(
        self, name: str | None = None, *, text: str | None = None, k: int | None = None, filters: Filters | None = None
    ) -> SearchResult:
        """The k papers nearest in meaning to a paper of the library, or to a text (F16)."""
        from conspectus.search.search import similar

        count = self.settings.search.k if k is None else k
        if (name is None) == (text is None):
            raise UsageError("Give either a paper or a text to compare with.", "conspectus similar PAPER | --text TEXT")
        if text is not None:
            return similar(self._retriever(), text, count, filters or Filters())
        assert name is not None
        paper = self.paper(name)
        key = int(self._catalog.passage_keys(paper.id)[0])
        found = paper.title if not paper.abstract else f"{paper.title}\n{paper.abstract}"
        return similar(self._retriever(), found, count, filters or Filters(), key=key, without=paper.id)

    def ask(self, question: str, filters: Filters | None = None) -> Answer:
        """An answer made of quoted sentences, each cited, or the reason why there is none."""
        from conspectus.answer.extractive import answer

        return answer(self._retriever(), question, filters or Filters(), self.settings.answer)

    async def aask(self, question: str, filters: Filters | None = None) -> Answer:
        """`ask`, without blocking the event loop."""
        return await asyncio.to_thread(self.ask, question, filters)

    async def stream(self, question: str, filters: Filters | None = None) -> AsyncIterator[Any]:
        """`ask` as typed events: `Searching`, then a `Stated` for each statement, then `Done` with the answer."""
        from conspectus.answer.events import Done, Searching, Stated

        yield Searching(question)
        answer = await self.aask(question, filters)
        for statement in answer.statements:
            yield Stated(statement)
        yield Done(answer)

    # care

    def status(self) -> Status:
        """The library in numbers, and its ledger."""
        from conspectus.ingest.run import rows_of

        rows = rows_of(self._catalog.file_rows())
        counts = dict(self._catalog.counts())
        counts["missing"] = sum(row.state == "missing" for row in rows)
        made = ", ".join(self._catalog.model_counts())
        return Status(
            str(self.folder.absolute()), counts, rows, made or self.settings.models.embedder, self._index_state()
        )

    def doctor(self) -> list[Finding]:
        """Checks of the library, its index, its model and its files, each with a remedy where it is not well."""
        from conspectus.doctor import examine

        return list(examine(self._catalog, self._index, self.settings, self.folder))

    def _index_state(self) -> str:
        stats = self._index.stats()
        behind = "" if stats.change == self._catalog.change() or not stats.rows else ", behind the catalog"
        return f"{stats.rows} passages, {stats.megabytes:.1f} MB{behind}"

    def _writing(self, tell: ProgressCallback = silent) -> AbstractContextManager[None]:
        """The writer lock; a wait for it is told."""
        return writer_lock(self._catalog, self.folder, self.settings.catalog.wait, waiting(tell))

    def _follow(self) -> None:
        """Bring the index up to the catalog, with vectors of the model that the library has."""
        from conspectus.ingest.sync import sync

        made = self._catalog.model_counts() or {self._index.stats().model: 0}
        sync(self._catalog, self._index, max(made, key=lambda model: made[model]))

    def _check_model(self) -> None:
        made = self._catalog.model_ids()
        if made and set(made) != {self._embedder.id}:
            raise ModelMismatchError(
                f"The library's vectors are of {', '.join(made)}, but models.embedder is {self._embedder.id}.",
                "Embed it anew: conspectus reindex. Or set models.embedder back.",
            )

    def _retriever(self) -> Retriever:
        from conspectus.ingest.sync import catch_up, is_synced
        from conspectus.search.retrieve import Retriever

        self._check_model()
        note = ""
        if not is_synced(self._catalog, self._index, self._embedder.id):
            note = catch_up(self._catalog, self._index, self._embedder.id, self.folder)
        return Retriever(self._catalog, self._index, self._embedder, self.settings.search, note)

    @cached_property
    def _index(self) -> EmbeddedIndex:
        from conspectus.index.embedded import EmbeddedIndex

        return EmbeddedIndex(self.folder / self._catalog.store.index_name)

    @cached_property
    def _embedder(self) -> Embedder:
        from conspectus.models.registry import embedder

        return embedder(self.settings.models)
