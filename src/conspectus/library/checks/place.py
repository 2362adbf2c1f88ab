"""Checks of the program and of the folder: settings, leftovers, rights, drive, disk."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from conspectus.core import packages
from conspectus.core.disk import is_private
from conspectus.core.errors import ConspectusError
from conspectus.index import protocol
from conspectus.ingest.files import drive_of, is_network
from conspectus.library.checks.check import FIX
from conspectus.records import Finding
from conspectus.session.session import Session
from conspectus.settings import explain_ignored
from conspectus.sources.online_folder import OnlineFolder
from conspectus.store import schema
from conspectus.store.lock import folder_lock

LOW_MB = 500


def program(_: Session) -> Finding:
    """The versions of what the program needs."""
    if unfit_packages := packages.unfit():
        return Finding("versions", False, "; ".join(unfit_packages), "pip install --upgrade conspectus")
    return Finding("versions", True, f"{packages.running()}, schema {schema.SCHEMA_VERSION}")


def settings(session: Session) -> Finding:
    """Settings of the library's own file that are ignored, because a library's folder does not set them."""
    what, remedy = explain_ignored(session.settings)
    return Finding("settings", not what, what or "all settings of the library's file are used", remedy)


def leftovers(session: Session) -> Finding | None:
    """What a run that was killed left in the folder."""
    try:
        with folder_lock(session.folder, wait=0):  # else somebody may be using them
            paths = _leftovers(session)
    except ConspectusError:
        return None  # somebody is writing, or the folder can only be read: nobody can say
    if paths:
        return Finding("leftovers", False, f"{len(paths)} of runs that were killed: '{paths[0].name}'", FIX)
    return Finding("leftovers", True, "none")


def _leftovers(session: Session) -> list[Path]:
    from conspectus.library.backup import leftovers as restores

    fetched = OnlineFolder(session.folder).leftovers((row.path for row in session.catalog.file_rows()), time.time())
    return [*restores(session.folder), *protocol.leftovers(session.index), *fetched]


def clean(session: Session) -> None:
    """Take away what runs that were killed left."""
    with folder_lock(session.folder, wait=0):
        for path in _leftovers(session):
            if path.is_file():
                path.unlink(missing_ok=True)
            else:
                shutil.rmtree(path, ignore_errors=True)


def private(session: Session) -> Finding | None:
    """Who else may look into the folder: new libraries are their user's alone, and the modes of older ones stay."""
    if os.name != "posix":
        return None
    if is_private(session.folder):
        return Finding("private", True, "only you can read the folder")
    mode = session.folder.stat().st_mode & 0o777
    remedy = f"If they should not: chmod go= '{session.folder}'"
    return Finding("private", True, f"others on this machine may look into the folder (mode {mode:o})", remedy)


def drive(session: Session) -> Finding | None:
    """What kind of drive the folder lies on."""
    kind = drive_of(session.folder)
    if is_network(kind):
        remedy = "Keep the library on a disk of this machine: SQLite needs locks that such drives do not keep."
        return Finding("drive", False, f"the folder lies on a network drive ({kind})", remedy)
    return Finding("drive", True, kind) if kind else None


def disk(session: Session) -> Finding:
    """Room on the disk."""
    free = shutil.disk_usage(session.folder).free // 10**6
    return Finding("disk", free >= LOW_MB, f"{free} MB free", "" if free >= LOW_MB else "Make room on this disk.")
