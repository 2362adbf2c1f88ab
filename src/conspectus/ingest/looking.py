"""Which of the files that are named need to be read, and by which reader."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from conspectus.core.disk import open_file
from conspectus.core.errors import ConspectusError
from conspectus.ingest.blame import fault
from conspectus.ingest.ledger import is_gone, reader_key, reason_of
from conspectus.ingest.linked import why_not
from conspectus.ingest.outcome import Outcome
from conspectus.ingest.reading import Reading
from conspectus.parse.protocol import Reader
from conspectus.parse.registry import GrobidReader, PdfReader, reader_for
from conspectus.settings import Settings
from conspectus.sources.files import Found
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.rows import FileRow


class Looking:
    """Looks at files, for one run of `add`."""

    def __init__(self, catalog: Catalog, settings: Settings, outcome: Outcome) -> None:
        self._catalog = catalog
        self._parse = settings.parse
        self._outcome = outcome

    def look(self, found: Sequence[Found]) -> list[Reading]:
        """Those of the files that are to be read; what becomes of the others is told."""
        ledger = {row.path: row for row in self._catalog.file_rows([item.path for item in found])}
        return [reading for item in found if (reading := self._look(item, ledger.get(item.path)))]

    def forget_failed(self, named: Container[str]) -> None:
        """Drop ledger rows that no paper rests on and whose file is gone, but for those named in this call."""
        gone = [
            row.key
            for row in self._catalog.file_rows()
            if not row.papers and row.path not in named and is_gone(row.path)
        ]
        if gone:
            with writing(self._catalog.engine) as connection:
                writer.drop_files(connection, gone)

    def _look(self, found: Found, known: FileRow | None) -> Reading | None:
        """What is to be read of a file; None where it needs no reading, which is then reported."""
        if found.problem:
            self._outcome.fail(known or FileRow(found.path), found.problem, retry=False, stored=known is not None)
            return None
        try:
            reader = self._reader(Path(found.path))
            key = reader_key(reader.name, reader.version)
            settled = known is not None and known.state in ("stored", "indexed") and known.reader == key
            if known and settled and (known.size, known.mtime_ns) == (found.size, found.mtime_ns):
                self._unchanged(known, reader.one_paper)
                return None
            with open_file(found.path) as file:
                sha = hashlib.file_digest(file, "sha256").hexdigest()
        except Exception as error:  # noqa: BLE001 - whatever its first bytes do, they do it to this file alone
            told = error if isinstance(error, ConspectusError | OSError) else fault(error)
            self._outcome.fail(
                known or FileRow(found.path), reason_of(told), retry=isinstance(error, OSError), stored=True
            )
            return None
        row = replace(known or FileRow(found.path), size=found.size, mtime_ns=found.mtime_ns, sha256=sha, reader=key)
        if known and settled and known.sha256 == sha:
            self._outcome.put(row)
            self._unchanged(row, reader.one_paper)
            return None
        fresh = replace(row, state="queued", reason="", notes=())
        order = reader.order if isinstance(reader, GrobidReader) else reader.name
        return Reading(
            fresh,
            known is not None and known.papers > 0,
            reader.one_paper,
            order,
            known.reader if known else "",
            known.sha256 if known and known.papers else sha,
        )

    def _reader(self, path: Path) -> Reader:
        parse = self._parse
        reader = reader_for(path, ocr=parse.ocr == "auto")
        if parse.grobid_url and isinstance(reader, PdfReader):
            return GrobidReader(parse.grobid_url, parse.timeout, parse.grobid_wait)
        return reader

    def _unchanged(self, row: FileRow, one_paper: bool) -> None:
        if not one_paper and self._parse.linked:  # what it names may be new, changed, or there again
            for document in self._catalog.linking(row.key):
                paths = document.linked
                self._outcome.named |= dict.fromkeys(path for path in paths if not why_not(row.path, path))
        self._outcome.unchanged(row)
