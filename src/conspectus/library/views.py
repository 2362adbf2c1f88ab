"""How the state of a library, its settings and the sample papers look in a terminal."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from pathlib import PurePath
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.describe import holdings, say_trouble
from conspectus.models.languages.model_titles import model_title
from conspectus.settings.user_folders import config_file

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records import Backup, DoctorReport, IndexReport, LedgerRow, SettingRow, Status
    from conspectus.records.sources import AddedWorks
    from conspectus.records.usage import ModelUsage, Totals


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
        **_waiting(status),
        "space": f"catalog {status.space['catalog']:,.1f} MB, {status.space['free']:,.0f} MB free",
    }
    if last := status.last_add:
        rate = last["files"] / max(last["seconds"], 0.1)
        files = pluralize(last["files"], "file")
        shown_rate = f" ({rate:.1f}/s)" if rate >= 0.1 else ""  # a file may have thousands of records
        numbers["last add"] = f"{files} in {last['seconds']:,.0f} s{shown_rate}, {last['at']}"
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


def _waiting(status: Status) -> dict[str, str]:
    """How far the vectors of the chosen model are, while static ones are searched."""
    if not (waiting := status.counts["waiting"]):
        return {}
    total = status.counts["passages"]
    return {
        "vectors": f"{total - waiting:,} of {total:,} passages have the model's vectors, {waiting:,} wait for them; "
        "until then static vectors are searched; conspectus library reindex computes the rest"
    }


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


def backup(out: Printer, archive: Backup) -> None:
    """Where the backup is, and what is in it."""
    out.line(f"{archive.path}: {holdings(dict(archive.counts))}, {archive.megabytes:.1f} MB.")
    if archive.left_out:
        out.line(f"Not in it, for it sets what a library's file may not: {', '.join(archive.left_out)}.")


def restore(out: Printer, archive: Backup) -> None:
    """What the library holds now."""
    out.line(f"The library is that of {archive.made} again: {holdings(dict(archive.counts))}.")
    if archive.left_out:
        out.line(f"Left out: {', '.join(archive.left_out)}.")


def remove_backup(out: Printer, name: str) -> None:
    """What was deleted."""
    out.line(f"Deleted {name}.")


def configuration(out: Printer, rows: Sequence[SettingRow], *, key: str = "") -> None:
    """Each setting, what it is and where it was set; of one that was named the value alone."""
    if key:
        out.line(_show_value(rows[0].value))
        return
    out.line((f"Your configuration: {config_file()}", "dim"))
    for row in rows:
        value = _show_value(row.value) if row.value != "" else '""'
        out.line((f"{row.name:<21} ", "title"), f"{value:<10}", (f"  {row.origin}", "dim"))
        if row.ignored:
            out.line(f"ignored: what '{row.ignored}' sets", indent=4)
        out.fold(f"{row.doc} ({row.type})", indent=4)


def _show_value(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def samples_list(out: Printer, rows: tuple[LedgerRow, ...]) -> None:
    """A file per line."""
    for row in rows:
        out.row((row.path, row.state), one_line(PurePath(row.path).name), (f"  {row.state}", "dim"))
    if not rows:
        out.line("The library has no sample papers; `conspectus samples add` adds them.")


def samples_add(out: Printer, works: AddedWorks) -> None:
    """How many came, and what to do next."""
    for row in works.failed:
        out.line(one_line(f"{row.path}: {row.reason}"))
    out.line(f"{pluralize(works.added, 'sample paper')} added. Remove them again: conspectus samples remove")
    out.line('Ask them: conspectus ask "Do grain boundaries make metals better or worse?"')


def samples_remove(out: Printer, rows: tuple[LedgerRow, ...]) -> None:
    """How many files went."""
    out.line(f"{pluralize(len(rows), 'file')} of sample papers removed.")


_COLUMNS = ("calls", "cached", "failed", "tokens in", "tokens out", "cost", "saved", "seconds")


def usage(out: Printer, spending: ModelUsage) -> None:
    """A line a day, model, role, prompt or answer, and their sum."""
    if not spending.rows:
        out.line("No language model was asked" + (f" since {spending.since}." if spending.since else " yet."))
        return
    by, rows = spending.by, spending.rows
    names = [one_line(model_title(row.name) if by == "model" else row.name) or "-" for row in rows]
    width = max(len(by), *map(len, names), 5)
    out.line((f"{by:<{width}}  " + "".join(f"{name:>12}" for name in _COLUMNS), "title"))
    for name, row in zip(names, rows, strict=True):
        out.line(_total(name, width, row))
    if len(rows) > 1:
        out.line((_total("all", width, reduce(operator.add, rows)), "title"))


def _total(name: str, width: int, row: Totals) -> str:
    cost = f"{row.cost:.4f}{'+' if row.unpriced else ''}" if row.cost or not row.unpriced else "not known"
    cells = (row.calls, row.from_cache, row.failed, f"{row.prompt_tokens:,}", f"{row.completion_tokens:,}")
    all_cells = (*cells, cost, f"{row.saved:.4f}", f"{row.seconds:.1f}")
    return f"{name:<{width}}  " + "".join(f"{cell:>12}" for cell in all_cells)
