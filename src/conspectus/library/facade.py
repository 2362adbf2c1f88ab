"""The facade: one object, thin, the same verbs everywhere."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.catalog import writer
from conspectus.catalog.engine import writing
from conspectus.errors import NotFoundError, UntrustedError, UsageError
from conspectus.ingest.progress import ProgressCallback, silent
from conspectus.library.agreeing import Agreeing
from conspectus.library.conversations import Conversing
from conspectus.library.maintenance import Care
from conspectus.library.searching import Searching
from conspectus.library.summarising import Summarising
from conspectus.records import (
    AddReport,
    AuditReport,
    CitedWork,
    Filters,
    LedgerRow,
    Paper,
    PaperDocument,
    ParsedPaper,
    Passage,
    Span,
)
from conspectus.settings.standing import origin, remedy

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.export.output import Output


class Library(Care, Conversing, Searching, Summarising, Agreeing):
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
        from conspectus.ingest.interrupt import GRACE, interrupted_after
        from conspectus.ingest.ledger import note_run
        from conspectus.ingest.run import Adder
        from conspectus.ingest.sync import sync

        names = [paths] if isinstance(paths, str | Path) else list(paths)
        tell = progress or silent
        with self._writing(tell):
            self._check_model()
            try:
                follow = partial(sync, self._catalog, self._index, self._embedder.id)
                begun = time.monotonic()
                report = Adder(self._catalog, self._embedder, self.settings, tell, follow).run(names)
                if read := len(report.added) + len(report.updated) + len(report.duplicates):
                    note_run(self._catalog, read, time.monotonic() - begun)
            except KeyboardInterrupt:  # where it is not soon done, the next search or the same call does it
                with suppress(Exception), interrupted_after(GRACE):
                    self._index_all(tell)
                raise
            except BaseException:  # what was committed before is to be found too; the reason is what is told
                with suppress(Exception):
                    self._index_all(tell)
                raise
            self._index_all(tell)
        return self._as_indexed(report)

    def _index_all(self, tell: ProgressCallback) -> None:
        from conspectus.ingest.sync import mark_indexed, sync

        sync(self._catalog, self._index, self._embedder.id, tell)
        mark_indexed(self._catalog)

    def watch(
        self, paths: Sequence[str | Path] | str | Path, progress: ProgressCallback | None = None
    ) -> Iterator[AddReport]:
        """`add`, and again whenever something has changed there; a report each time, without end.

        Raises:
            InputError: there is nothing to watch; else as `add`.
        """
        from conspectus.ingest.watch import changes

        names = [paths] if isinstance(paths, str | Path) else list(paths)
        for _ in changes(names, self.folder):  # first when it watches: what comes during an `add` is added by the next
            yield self.add(names, progress)

    def retry(self, progress: ProgressCallback | None = None, *, everything: bool = False) -> AddReport:
        """Read again the files that failed where that can help, or were not read to the end; or all that failed.

        Files of which records were refused are read again where they have changed since.

        Raises:
            UntrustedError: there are such files, and the library is neither made here nor trusted: its ledger may name
                any file of this machine. Else as `add`.
        """
        from conspectus.ingest.ledger import rows_of

        rows = list(self._catalog.file_rows())
        again = [
            row.path for row in rows if row.state == "queued" or (row.state == "failed" and (row.retry or everything))
        ]
        again += [row.path for row in rows_of(rows) if row.state == "stale" and row.reason]
        if again and not self._standing.whole:
            raise UntrustedError(
                f"The library '{self.folder}' {origin(self.folder)}, and its ledger names the files to read: "
                f"{len(again)}, such as '{again[0]}'.",
                f"Name those that you mean: conspectus add FILES… {remedy(self.folder)}",
            )
        return self.add(again, progress)

    def _as_indexed(self, report: AddReport) -> AddReport:
        """The report with the ledger's rows as they are now."""
        from conspectus.ingest.ledger import ledger_row

        paths = [row.path for row in (*report.added, *report.updated, *report.duplicates)]
        now = {row.path: ledger_row(row) for row in self._catalog.file_rows(paths)}
        added, updated = (tuple(now.get(row.path, row) for row in rows) for rows in (report.added, report.updated))
        twice = tuple(replace(now.get(row.path, row), reason=row.reason) for row in report.duplicates)
        return replace(report, added=added, updated=updated, duplicates=twice)

    def forget(self, paths: Sequence[str | Path] | str | Path, *, papers: bool = False) -> tuple[LedgerRow, ...]:
        """Let go of files that were added, failed or are gone, and of what they said; returns their rows as they were.

        Papers that other files speak of too stay, without what these said. The files themselves are not touched.

        Args:
            paths: files as they were added, or folders with all that was added from there.
            papers: whether papers that rest on these files alone are removed.

        Raises:
            NotFoundError: the library knows no such file.
            UsageError: papers rest on these files alone, and `papers` is False; nothing was done.
        """
        from conspectus.ingest.forget import forget_files, named
        from conspectus.ingest.ledger import rows_of
        from conspectus.ingest.store import cutter

        with self._writing():
            rows = named(self._catalog, [paths] if isinstance(paths, str | Path) else list(paths))
            told = rows_of(rows)
            if any(row.papers for row in rows):
                self._check_model()
            cut = cutter(self.settings.passages)
            forget_files(self._catalog, self._embedder, rows, cut, papers=papers)
            self._follow()
        return told

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

    def split(self, name: str, documents: Sequence[str | int] = (), *, undo: bool = False) -> tuple[Paper, ...]:
        """Take a paper apart that was made of documents of several; returns what became of it, the one it was first.

        They stay apart when they are added again, also where their files have changed or were moved.

        Args:
            name: the paper, by any of its names.
            documents: those that are to be another paper, as `documents` numbers or names them (a path, a file's name);
                none: each becomes a paper of its own.
            undo: instead let what was split off from the paper be judged again, as if it was never split.

        Raises:
            NotFoundError: no paper, or more than one, is called so; or none of its documents.
            UsageError: it is made of one document only, of those named only, or was never split.
        """
        from conspectus.ingest import splitting
        from conspectus.ingest.store import cutter

        with self._writing():
            self._check_model()
            key, cut = self._catalog.paper_key(self.paper(name).id), cutter(self.settings.passages)
            if undo:
                keys = splitting.unite(self._catalog, self._embedder, key, cut)
            else:
                keys = splitting.split(self._catalog, self._embedder, key, list(map(str, documents)), cut)
            self._follow()
        found = self._catalog.papers_by_key(keys)
        return tuple(found[key] for key in keys if key in found)

    # looking

    def documents(self, name: str) -> tuple[PaperDocument, ...]:
        """What a paper is made of: what its files say of it, in the order of their paths, and why it is one paper."""
        from conspectus.ingest.splitting import described

        return described(self._documents(self.paper(name)))

    def papers(self, filters: Filters | None = None) -> Iterator[Paper]:
        """All papers, or those that pass `filters`, in the order they were added."""
        return self._catalog.papers(filters)

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

    def audit(self, references: str | Path, *, online: bool | None = None) -> AuditReport:
        """Whether the works of a reference list (a file, or a text) exist and are as the list says (K10).

        `online`: whether the service at `sources.crossref_url` is asked what the library does not have; None: as
        `sources.online` says. A service that is away is no error: what could not be asked is `unchecked`.

        Raises:
            InputError: the file cannot be read.
        """
        from conspectus.references.audit import audit

        return audit(self._catalog, self._own_index(), references, self.settings, online=online)

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
        for summary in self.summaries(paper_id) if self._catalog.has_paper(paper_id) else ():
            if span_id == summary.passage.id or span_id in (span.id for span in summary.passage.spans):
                raise NotFoundError(
                    f"'{span_id}' is of a summary that '{summary.model}' wrote; those are not the paper's words.",
                    f"The sentences it rests on: {', '.join(summary.sources)}.",
                )
        raise NotFoundError(
            f"There is no sentence '{span_id}' in the library.",
            "`conspectus ask` and `conspectus search` show the ids; the paper may have been removed or edited.",
        )

    def open(self, span_id: str | Sequence[str], scale: float = 2.0, page: int | None = None) -> Image:
        """The page of a citation as a picture, with the sentence lit up.

        Args:
            span_id: as for `citation`; of several sentences of one paper, those on the page are lit up.
            scale: pixels per point.
            page: where they stand on several pages, which of them (from 1); None: the one that the first begins on.

        Raises:
            NotFoundError: no such sentence, or its file is no longer there or has other bytes.
            InputError: the source has no pages (a record, Markdown).
            UsageError: the sentence does not stand on that page; no sentence, or sentences of several papers.
        """
        from conspectus.library import pictures

        found = [self.citation(one) for one in ([span_id] if isinstance(span_id, str) else span_id)]
        if len({paper.id for paper, _, _ in found}) != 1:
            raise UsageError("A picture is of sentences of one paper.", "Name at least one, and those of others apart.")
        paper, spans = found[0][0], [span for _, _, span in found]
        return pictures.of_sentences(paper, self._documents(paper), spans, page, scale, self.settings.parse)

    def inspect(self, name: str, page: int = 1, scale: float = 2.0) -> Image:
        """A page of a paper as a picture, with what was read on it in colour: blocks, sentences, figures, order.

        Raises:
            NotFoundError: no such paper or page, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        from conspectus.library import pictures

        paper = self.paper(name)
        return pictures.of_structure(paper, self._documents(paper), page, scale, self.settings.parse)

    def figure_image(self, name: str, key: str, scale: float = 2.0) -> Image:
        """A figure or table as a picture, without its caption; `key` as in `parsed(name).figures`: `f1`, `t2`.

        Raises:
            NotFoundError: no such paper or figure, or its file is no longer there or has other bytes.
            InputError: where the figure stands is not known.
        """
        from conspectus.library import pictures

        paper = self.paper(name)
        return pictures.of_figure(paper, self._documents(paper), key, scale, self.settings.parse)

    def export(
        self,
        to: str,
        output: Output,
        papers: Sequence[str] = (),
        filters: Filters | None = None,
        *,
        files: bool | None = None,
        vectors: bool = False,
    ) -> int:
        """Write papers (by any names; none: all) that pass the filters as a bibliography; returns how many.

        Args:
            to: `bibtex`, `ris`, `csl`, `csv` or `jsonl`; the last keeps all that is known of a paper. `library`:
                everything, as JSON Lines (the ledger, papers, what was read of their files, passages).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            files: whether the papers' own files are named; None: in `jsonl` only. `library` always names them.
            vectors: with `library`, whether the passages' vectors are written too.

        Raises:
            NotFoundError: a name that no paper has.
            UsageError: no such format, an option that it does not have, or the file cannot be written.
        """
        from conspectus.export.output import export

        wanted = {self.paper(name).id for name in papers} if papers else None
        return export(self._catalog, to, output, wanted, filters, files, vectors)
