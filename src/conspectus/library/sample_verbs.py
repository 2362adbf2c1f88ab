"""Add the sample papers that come with the program, and remove them again.

They are the primers and records of `examples/`, which we wrote. The wheel has them in `conspectus/samples`. They are
copied into the library's folder, where they stay when the program is updated or moved.
"""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

from conspectus.core.disk import explained
from conspectus.core.errors import InputError
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
        from conspectus.ingest.ledger import ledger_row

        folder = self.session.folder / FOLDER
        if not folder.is_dir():  # nobody waits for the rows of a large library
            return ()
        return tuple(map(ledger_row, self.session.catalog.file_rows([str(path) for path in sorted(folder.iterdir())])))

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
            copies = [Path(shutil.copyfile(path, folder / path.name)) for path in sample_files()]
        report = paper_changes.add(self.session, copies, progress)
        return AddedWorks(report.new_papers, report.failed)

    @verb(http="DELETE /samples", key="files", writes=True)
    def remove(self) -> tuple[LedgerRow, ...]:
        """Remove the sample papers with every trace of them, and list their files. Papers of your own files stay."""
        folder, rows = self.session.folder / FOLDER, self.list()
        if rows:
            paper_changes.forget(self.session, [row.path for row in rows], papers=True)
        if folder.is_dir():
            with explained(folder):
                shutil.rmtree(folder)
        return rows


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
