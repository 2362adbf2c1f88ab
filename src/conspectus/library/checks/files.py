"""Checks of the files that papers came from."""

from __future__ import annotations

from conspectus.ingest.ledger import rows_of
from conspectus.library.checks.check import names
from conspectus.parse.text.hidden_text import is_hidden_note
from conspectus.records import LACKING, Finding
from conspectus.session.session import Session


def read(session: Session) -> Finding:
    """Files that failed, or were not read to the end."""
    rows = rows_of(session.catalog.file_rows())
    if begun := [row.path for row in rows if row.state == "queued"]:
        detail = f"{len(begun)} begun and not read to the end: '{begun[0]}'" + (" …" if begun[1:] else "")
        return Finding("files read", False, detail, "Read them again: `retry`")
    failed = [row.path for row in rows if row.state == "failed"]
    remedy = "`status failed=True` says why. Mend them, then: `retry everything=True`; or: `forget FILE`"
    if failed:
        return Finding("files read", False, f"{len(failed)} failed: {names(failed)}", remedy)
    return Finding("files read", True, "all")


def letters(session: Session) -> Finding | None:
    """Files of whose pages a part is in nothing that can be searched: no fault, but to be known."""
    rows = rows_of(session.catalog.file_rows())
    told = [(row.path, note) for row in rows for note in row.notes if note.startswith(LACKING)]
    if not told:
        return None
    shown = "; ".join(f"'{path}': {note.removeprefix(LACKING).strip(': .')}" for path, note in told[:3])
    more = f" (and {len(told) - 3} more)" if len(told) > 3 else ""
    return Finding("letters", True, f"of {len(told)} files not all can be searched{more}: {shown}")


def hidden(session: Session) -> Finding | None:
    """Files that hold text which nobody sees, as their reader noted: it is kept apart, and that is well."""
    told = [row.path for row in rows_of(session.catalog.file_rows()) if any(map(is_hidden_note, row.notes))]
    if not told:
        return None
    return Finding("hidden text", True, f"kept apart in {len(told)} files: {names(told)} (`inspect FILE`)")


def check_missing(session: Session) -> Finding:
    """Files that papers came from, and are gone."""
    rows = rows_of(session.catalog.file_rows())
    gone = [row.path for row in rows if row.papers and row.state == "missing"]
    remedy = (
        "Put them back; or let them go: `forget FILE`, with their papers: `forget FILE papers=True`" if gone else ""
    )
    return Finding("files there", not gone, f"{len(gone)} no longer there: {names(gone)}" if gone else "all", remedy)
