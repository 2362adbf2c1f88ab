"""The verbs that look after a library."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace as replace_in
from functools import partial

from conspectus.core.disk import user_path
from conspectus.errors import LibraryDamagedError, UsageError
from conspectus.ingest.progress import ProgressCallback, silent
from conspectus.library.session import OpenLibrary
from conspectus.records import Backup, Finding, Status


class Care(OpenLibrary):
    """The part of `Library` that looks after it."""

    def reindex(self, progress: ProgressCallback | None = None) -> int:
        """Embed what the embedder set now has not embedded, then build the index anew; returns passages embedded."""
        from conspectus.ingest.derive import derive_missing
        from conspectus.ingest.store import recut
        from conspectus.ingest.sync import embed_missing, sync

        with self._writing(progress or silent):
            made = embed_missing(self._catalog, self._embedder, progress or silent)
            recut(self._catalog, self._embedder, self.settings.passages, progress or silent)
            derive_missing(self._catalog, progress or silent)
            sync(self._catalog, self._index, self._embedder.id, progress or silent, fresh=True)
        return made

    def status(self) -> Status:
        """The library in numbers, and its ledger."""
        from conspectus.ingest.ledger import last_run, rows_of

        rows = rows_of(self._catalog.file_rows())
        counts = dict(self._catalog.counts())
        for state in ("missing", "stale"):
            counts[state] = sum(row.state == state for row in rows)
        made = ", ".join(self._catalog.model_counts())
        return Status(
            str(self.folder.absolute()),
            counts,
            rows,
            made or self.settings.models.embedder,
            self._index_state(),
            self._space(),
            last_run(self._catalog),
        )

    def counts(self) -> dict[str, int]:
        """How many papers, papers with full text, passages, files and failed files there are."""
        return self._catalog.counts()

    def _space(self) -> dict[str, float]:
        """Megabytes of the catalog with its log, of the index, and free on the disk."""
        catalog = self._catalog.size()
        index = self._index.stats().megabytes + self._index.summaries.stats().megabytes
        free = shutil.disk_usage(self.folder).free
        return {"catalog": round(catalog / 1e6, 1), "index": round(index, 1), "free": round(free / 1e6, 1)}

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Checks of the library, its index, its model and its files, each with a remedy where it is not well.

        With `fix`, what can be mended without losing anything is.
        """
        from conspectus.library.doctor import Subject, examine

        subject = Subject(self._catalog, self._index, self.settings, self.folder, self.reindex)
        return list(examine(subject, fix=fix))

    def _index_state(self) -> str:
        if self._index.is_foreign():
            return "it came with the library, which is not trusted: the next search makes it anew"
        stats, beside = self._index.stats(), self._index.summaries.stats()
        written = f" and {beside.rows} of summaries" if beside.rows else ""
        behind = "" if stats.change == self._catalog.change() or not stats.rows else ", behind the catalog"
        return f"{stats.rows} passages{written}, {stats.megabytes + beside.megabytes:.1f} MB{behind}"

    def backup(self, path: str | os.PathLike[str], progress: ProgressCallback | None = None) -> Backup:
        """Write the library as it is at this moment to one file with checksums, also while others write to it.

        The catalog and the settings are in it; the index is not, for it is built anew from the catalog. Papers' files
        stay where they are.

        Raises:
            UsageError: the file is there already.
            LibraryDamagedError: the catalog is damaged; nothing is written.
            LibraryError: it cannot be written.
        """
        from conspectus.library import backup

        target = user_path(path)
        return backup.write(self._catalog, self.folder, target, progress or silent)

    def restore(
        self,
        path: str | os.PathLike[str],
        progress: ProgressCallback | None = None,
        *,
        replace: bool = False,
        settings: bool = False,
    ) -> Backup:
        """Make the library what a backup holds: all of it, or, if that fails, nothing; the index follows.

        Where the papers are already those of the backup, because making the index of an earlier call failed, the same
        call makes the index.

        Args:
            path: a file that `backup` wrote.
            progress: told how far it is.
            replace: also where the library has papers. They are backed up beside it first.
            settings: take the backup's settings too, where the library has none of its own; they then count as they
                would if you had written them.

        Returns:
            What was restored; `left_out` names what the backup had and was not taken: its settings, and triggers and
            views, which no catalog of ours has and which would run.

        Raises:
            UsageError: the library has papers, and `replace` is False.
            InputError: the file is no backup, or damaged.
            LibraryTooNewError: a newer Conspectus made it.
            SettingsError: its settings are to be taken, and hold a key or are none.
        """
        from conspectus.catalog import snapshot
        from conspectus.ingest.progress import Progress
        from conspectus.ingest.sync import sync
        from conspectus.library import backup

        tell = progress or silent
        with self._writing(tell), backup.opened(user_path(path), self.folder) as found:
            if settings and found.settings:
                backup.check_settings(found.settings)
            begun = snapshot.is_of(self._catalog, found.sha256)
            if not begun or (replace and self._index.stats().change == self._catalog.change()):
                self._make_way(replace, tell)
                change = max(self._catalog.change(), snapshot.change_of(found.catalog)) + 1
                pages = partial(Progress, "restoring", unit="pages")
                snapshot.load(self._catalog, found.catalog, change, found.sha256, lambda *done: tell(pages(*done)))
            taken = settings and found.settings is not None and backup.put_settings(found.settings, self.folder)
            models = self._catalog.model_counts()
            if models:
                sync(self._catalog, self._index, max(models, key=lambda name: models[name]), tell, fresh=True)
            left = found.said.left_out + (("conspectus.toml",) if found.settings and not taken else ())
        return replace_in(found.said, left_out=left)

    def _make_way(self, replace: bool, tell: ProgressCallback) -> None:
        """Back up the papers that a restore is to replace."""
        from conspectus.library import backup

        if self._may_have_papers():
            if not replace:
                raise UsageError(
                    f"The library '{self.folder}' has papers, which would be replaced.",
                    "Restore into another folder with --library, or say --replace.",
                )
            target = backup.free_name(self.folder, "before-restore")
            backup.write(self._catalog, self.folder, target, tell, damaged=True)  # a damaged one is what is replaced

    def _may_have_papers(self) -> bool:
        """Whether there are papers, or the catalog is so damaged that nobody can say."""
        try:
            return bool(self._catalog.counts()["papers"])
        except LibraryDamagedError:
            return True
