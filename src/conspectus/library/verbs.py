"""Look after a library: its state, checks, settings, index, backups.

The sample papers are the primers and records of `examples/`, which we wrote. The wheel has them in
`conspectus/samples`. They are copied into the library's folder, where they stay when the program is updated or moved.
"""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace as replace_fields
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from conspectus.core.disk import explained, user_path
from conspectus.core.errors import InputError
from conspectus.core.job_context import Notice, emit, listen
from conspectus.faces.declare import Option, VerbGroup, failures_code, verb
from conspectus.faces.filters import Progressing
from conspectus.library import backup as backups
from conspectus.library import paper_changes
from conspectus.library.maintenance import (
    describe_index,
    library_status,
    list_built,
    measure_space,
    rebuild_index,
    restore_backup,
)
from conspectus.records import Backup, DoctorReport, IndexReport, LedgerRow, SettingRow, Status, Tried
from conspectus.records.events import Progress
from conspectus.records.reports import BuiltParts
from conspectus.records.sources import AddedWorks
from conspectus.records.usage import By, ModelUsage

BackupFile = Annotated[Path | None, Option("File of the backup.", metavar="FILE", faces=("cli",))]


class CareVerbs(VerbGroup, about={"library": "Back up and restore the library, rebuild its index."}):
    """Look after the library."""

    @verb(http="GET /status")
    def status(
        self,
        *,
        failed: Annotated[bool, Option("Only files that failed, are missing, or had records refused.")] = False,
        space: Annotated[bool, Option("Also what takes how much space; the whole catalog is read for it.")] = False,
    ) -> Status:
        """Show the library in numbers, and the files that failed."""
        status = library_status(self.session)
        if space:
            status = replace_fields(status, parts=measure_space(self.session))
        return replace_fields(status, files=tuple(row for row in status.files if row.is_troubled)) if failed else status

    @verb(http="GET /built", command=False)
    def built(self) -> BuiltParts:
        """Show whether the library has maps and directions."""
        return list_built(self.session)

    @verb(http="GET /doctor", exit_code=failures_code)
    def doctor(
        self,
        *,
        fix: Annotated[bool, Option("Mend what can be mended without losing anything.", faces=("cli",))] = False,
    ) -> DoctorReport:
        """Check library, index, models and files. Each problem comes with its remedy.

        Shell:
            The exit code is 1 if something is not well.
        """
        from conspectus.library.doctor import examine

        return DoctorReport(tuple(examine(self.session, fix=fix)))

    @verb("library mend", http="POST /doctor", job=True, writes=True, command=False)
    def mend(self) -> DoctorReport:
        """Mend what can be mended without losing anything; returns what `doctor` then finds."""
        return self.doctor(fix=True)

    @verb("library reindex", http="POST /reindex", job=True, writes=True)
    def reindex(self, *, progress: Progressing = None) -> IndexReport:
        """Compute missing embeddings for the current model and rebuild the index.

        Run it after you change models.embedder, or when `doctor` asks for it. Papers are not read again. The catalog's
        file is rewritten too, so that no word of a removed paper is left in it.
        """
        with listen(progress, Progress):
            embedded = rebuild_index(self.session)
        return IndexReport(embedded, describe_index(self.session))

    @verb("library backup")
    def backup(self, file: BackupFile = None, *, progress: Progressing = None) -> Backup:
        """Write the library, as it is at this moment, to one file with checksums.

        FILE: a new name; by default one with the time in it, in the current folder. You can go on using the library
        meanwhile. Papers' own files and the index, which can be rebuilt, are not copied.

        Raises:
            UsageError: the file exists.
            LibraryDamagedError: the catalog is damaged; nothing is written.
            LibraryError: it cannot be written.
        """
        with listen(progress, Progress):
            path = backups.free_name(Path.cwd()) if file is None else user_path(file)
            return backups.write(self.session.catalog, self.session.folder, path)

    @verb("library delete-backup", key="deleted", writes=True)
    def remove_backup(self, name: Annotated[str, Option("As `status` lists it.", metavar="NAME")]) -> str:
        """Delete a backup that `library restore` made of the papers that it replaced.

        Raises:
            NotFoundError: the library's folder has no such backup.
            LibraryError: it cannot be deleted.
        """
        return backups.remove_replaced_backup(self.session.folder, name)

    @verb("library restore", creates=True, writes=True)
    def restore(
        self,
        file: Annotated[Path, Option("A backup.", metavar="FILE", faces=("cli",))],
        *,
        replace: Annotated[bool, Option("Replace the library's papers, after backing them up next to it.")] = False,
        progress: Progressing = None,
    ) -> Backup:
        """Make the library what a backup holds: all of it or, if that fails, nothing.

        The backup's settings are taken if the library has none of its own. Triggers and views in its catalog, which
        none of ours has, are never taken. The index follows.

        If the library already has the papers of the backup, because making the index failed the last time, the same
        command makes the index.

        Raises:
            UsageError: the library has papers, and `replace` is False.
            InputError: the file is no backup, or damaged.
            LibraryTooNewError: a newer Conspectus made it.
            SettingsError: its settings are to be taken, and are not valid.
        """
        with listen(progress, Progress):
            return restore_backup(self.session, user_path(file), replace=replace)

    @verb("config", http="GET /settings", key="settings", settings_only=True)
    def configuration(
        self, key: Annotated[str, Option("Only this setting.", metavar="GROUP.NAME", faces=("cli",))] = ""
    ) -> tuple[SettingRow, ...]:
        """Show the settings and where each was set.

        A setting comes from `conspectus.toml` in the library's folder, your configuration, the environment
        (CONSPECTUS_GROUP_NAME) or --set; later ones win. Addresses, keys, programs, paths and larger limits are never
        taken from the library's folder: such a setting is shown as ignored. Secrets, and users and passwords in
        addresses, are not shown.

        Shell:
            With GROUP.NAME only the value of that setting is shown.

        Raises:
            SettingsError: there is no such setting.
        """
        from conspectus.library.library_folder import rows
        from conspectus.settings.layers import find_setting

        name = key and find_setting(key, "flag")
        return tuple(row for row in rows(self.session.settings) if name in ("", row.name))

    @verb("config set", http="PATCH /settings", key="settings", writes=True, command=False)
    def configure(
        self,
        settings: Annotated[
            Mapping[str, str | bool | int | float | None],
            Option(
                "New values; null: as if never set.", max_items=200, example={"search.k": 20, "search.recency": True}
            ),
        ],
    ) -> tuple[SettingRow, ...]:
        """Change settings of this library, and list them as they are now.

        They are written to the library's own file or, where that may not set them, to the library's section of the
        user's configuration. The next question uses them; those of the groups `catalog`, `index` and `models` are used
        when the library is opened again. Comments in the files stay. Secrets, and what names an address, a file or a
        program, are refused.

        Raises:
            SettingsError: an unknown setting, a value that it cannot have, one that is refused, or one that the
                environment or the command line sets, which go before the files. Nothing was changed.
            LibraryReadOnlyError: the file cannot be written.
        """
        from conspectus.library import library_folder

        self.owner.replace_session(library_folder.changed(self.session, settings))
        return tuple(row for row in library_folder.rows(self.session.settings) if row.name in settings)

    @verb(http="GET /usage", schema="models.usage")
    def usage(
        self,
        *,
        since: Annotated[str, Option("Only since this day or time (UTC), such as 2026-01-31.", metavar="DATE")] = "",
        by: Annotated[By, Option("What to add up (default: day).")] = "day",
        answer: Annotated[str, Option("Only the cost of one answer.", metavar="ID")] = "",
    ) -> ModelUsage:
        """Show the token usage and cost of language models.

        Calls that the library had the answer to are counted apart, with what they would have cost. A cost with a + is
        without calls whose price is not known.

        Raises:
            UsageError: `since` is no date, or nothing is added up by that.
            NotFoundError: there is no such answer.
        """
        from conspectus.library.history import usage

        return ModelUsage(since, by, usage(self.session, since, by, answer))

    def try_models(self, names: Sequence[str] = ()) -> tuple[Tried, ...]:
        """A small call to language models, by name (none: to those of the settings): whether each answers.

        Raises:
            SettingsError: a name that is none of the settings', and is an address or a file.
        """
        from conspectus.library.library_folder import tried

        return tried(self.session, names)


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
        if paths := [*sorted((home / "papers").glob("*")), *home.glob("records.jsonl")]:
            return tuple(paths)
    raise InputError("This installation has no sample papers.", "Add files of your own: `add FILES…`.")
