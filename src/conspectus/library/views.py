"""How the state of a library looks in a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conspectus.core.plural import pluralize
from conspectus.faces.describe import holdings, say_trouble

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records import Backup, DoctorReport, IndexReport, Status


SHOWN_SHARE = 0.003
"""Parts of a library are listed with their space from such a share of the whole on."""


def status(out: Printer, status: Status, *, failed: bool = False, space: bool = False) -> None:
    """The library in numbers, what takes how much space, then the files that failed."""
    if not failed:
        for name, value in _numbers(status).items():
            out.line((f"{name:<9} ", "dim"), value)
    if space:
        _say_space(out, status)
    rows = [row for row in status.files if row.is_troubled]
    say_trouble(out, rows)
    if failed and not rows:
        out.line("No file failed.")


def _say_space(out: Printer, status: Status) -> None:
    """What takes most, and the sum of it all."""
    total = sum(row.bytes for row in status.parts)
    rows = [row for row in status.parts if row.bytes >= SHOWN_SHARE * total]
    for row in rows:
        size = f"{row.bytes / 1e6:>10,.1f} MB {row.per_passage:>9,.0f} bytes a passage  "
        out.line(size, (f"{row.kind} ", "dim"), row.name)
    if rest := total - sum(row.bytes for row in rows):
        out.line(f"{rest / 1e6:>10,.1f} MB in {len(status.parts) - len(rows)} smaller ones; --json lists them")
    out.line(f"{total / 1e6:>10,.1f} MB {total / max(status.counts['passages'], 1):>9,.0f} bytes a passage  in all")
    if not any(row.kind == "table" for row in status.parts):
        out.line("This build of SQLite cannot measure its tables.")


def _numbers(status: Status) -> dict[str, str]:
    states = Counter(row.state for row in status.files)
    ledger = ", ".join(f"{count} {name}" for name, count in states.most_common())
    numbers = {
        "library": status.path,
        "papers": holdings(dict(status.counts)),
        "files": f"{len(status.files)}: {ledger}" if ledger else "none yet; conspectus add FILES…",
        "embedder": status.embedder,
        "index": status.index,
        "space": f"catalog {status.space['catalog']:,.1f} MB, {status.space['free']:,.0f} MB free",
    }
    if last := status.last_add:
        rate = last["files"] / max(last["seconds"], 0.1)
        files = pluralize(last["files"], "file")
        numbers["last add"] = f"{files} in {last['seconds']:,.0f} s ({rate:.1f}/s), {last['at']}"
    if status.ignored:
        numbers["ignored"] = f"{', '.join(status.ignored)}: a library's folder does not set this; conspectus doctor"
    if status.backups:
        sizes = ", ".join(f"{name} ({size:,.1f} MB)" for name, size in status.backups.items())
        remedy = "conspectus library delete-backup NAME deletes one"
        numbers["backups"] = f"{sizes}: made by library restore --replace; {remedy}"
    if count := status.counts["images"]:
        numbers["images"] = f"{count} in collections"
    if count := status.counts["concepts"]:
        numbers["concepts"] = f"{count:,} of {status.counts['vocabularies']} vocabularies"
    if count := status.counts["stale"]:
        why = "changed, or read by an older version: conspectus add FILES… reads them again"
        numbers["stale"] = f"{pluralize(count, 'file')} {why}"
    if count := status.counts["underived"]:
        numbers["underived"] = f"{pluralize(count, 'paper')} lack derived data; conspectus add (any file) computes it"
    return numbers


def doctor(out: Printer, report: DoctorReport) -> None:
    """A line a check, and below it the remedy."""
    for finding in report.findings:
        mark = ("ok ", "good") if finding.ok else ("not", "bad")
        out.line(mark, f"  {finding.check:<12} {finding.detail}")
        if finding.remedy:
            out.line(out.remedy(finding.remedy), indent=18)


def reindex(out: Printer, report: IndexReport) -> None:
    """How many embeddings are new, and what the index holds."""
    out.line(f"Embedded {pluralize(report.embedded, 'passage')}. The index holds {report.index}.")


def backup(out: Printer, made: Backup) -> None:
    """Where the backup is, and what is in it."""
    out.line(f"{made.path}: {holdings(dict(made.counts))}, {made.megabytes:.1f} MB.")
    if made.left_out:
        out.line(f"Not in it, for it sets what a library's file may not: {', '.join(made.left_out)}.")


def restore(out: Printer, taken: Backup) -> None:
    """What the library holds now."""
    out.line(f"The library is that of {taken.made} again: {holdings(dict(taken.counts))}.")
    if taken.left_out:
        out.line(f"Left out: {', '.join(taken.left_out)}.")


def remove_backup(out: Printer, name: str) -> None:
    """What was deleted."""
    out.line(f"Deleted {name}.")
