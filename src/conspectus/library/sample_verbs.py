"""Add the sample papers that come with the program, and remove them again.

They are the primers and records of `examples/`, which we wrote. The wheel has them in `conspectus/samples`. They are
copied into the library's folder, where they stay when the program is updated or moved.
"""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from conspectus.core.disk import explained
from conspectus.core.errors import InputError
from conspectus.core.job_context import Notice, emit
from conspectus.faces.declare import VerbGroup, verb
from conspectus.faces.filters import Progressing
from conspectus.library import paper_changes
from conspectus.records import LedgerRow
from conspectus.records.sources import AddedWorks

FOLDER = "samples"
"""Of the library: where its copies are."""


class SampleVerbs(VerbGroup, name="samples"):
    """Sample papers to try the program with."""

    @verb(http="GET /samples", key="files")
    def list(self) -> tuple[LedgerRow, ...]:
        """List the files of the sample papers that the library has."""
        return self._rows(_copies(self.session.folder / FOLDER))

    def _rows(self, paths: Sequence[Path]) -> tuple[LedgerRow, ...]:
        from conspectus.ingest.ledger import ledger_row

        if not paths:  # nobody waits for the rows of a large library
            return ()
        return tuple(map(ledger_row, self.session.catalog.file_rows([str(path) for path in sorted(paths)])))

    @verb(http="POST /samples", job=True, writes=True, creates=True)
    def add(self, *, progress: Progressing = None) -> AddedWorks:
        """Add 24 sample papers on neuroscience, astronomy and materials. `samples remove` takes them out again.

        Ten are short primers that we wrote, with text; of fourteen well-known papers that they cite there is a record.

        Raises:
            InputError: this installation does not have them.
        """
        folder = self.session.folder / FOLDER
        with explained(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            for path in sample_files():
                if not (copy := folder / path.name).exists():
                    shutil.copyfile(path, copy)
                elif not _is_copy(copy, path):
                    emit(Notice(f"'{copy}' is another file than the sample paper of this name, and was left as it is."))
            copies = _copies(folder)
        report = paper_changes.add(self.session, copies, progress)
        return AddedWorks(report.new_papers, report.failed)

    @verb(http="DELETE /samples", key="files", writes=True)
    def remove(self) -> tuple[LedgerRow, ...]:
        """Remove the sample papers with every trace of them, and list their files. Papers of your own files stay."""
        folder = self.session.folder / FOLDER
        copies = _copies(folder)
        if rows := self._rows(copies):
            self.owner.forget([row.path for row in rows], papers=True)
        with explained(folder):
            for copy in copies:
                copy.unlink(missing_ok=True)
        with suppress(OSError):  # files of the user are in it, or it is not there
            folder.rmdir()
        return rows


def _copies(folder: Path) -> list[Path]:
    """The files in a folder that are sample papers, byte for byte; a user's own files are not."""
    if not folder.is_dir():
        return []
    with explained(folder):
        return [folder / path.name for path in sample_files() if _is_copy(folder / path.name, path)]


def _is_copy(path: Path, sample: Path) -> bool:
    return path.is_file() and filecmp.cmp(path, sample, shallow=False)


def sample_files() -> tuple[Path, ...]:
    """The sample papers of this installation; of a checkout those in `examples`.

    Raises:
        InputError: it has none.
    """
    package = Path(str(files("conspectus")))
    for home in (package / "samples", package.parents[1] / "examples"):
        if found := [*sorted((home / "papers").glob("*")), *home.glob("records.jsonl")]:
            return tuple(found)
    raise InputError("This installation has no sample papers.", "Add files of your own: `add FILES…`.")
