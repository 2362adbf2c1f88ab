"""`status`, `doctor` and `reindex`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import click

from conspectus.cli.app import verb
from conspectus.cli.describe import holdings, say_trouble
from conspectus.cli.polite import step_back
from conspectus.cli.printer import Printer
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.plural import pluralize
from conspectus.records import Finding, Status
from conspectus.wire import encode


@verb("status")
@click.option("--failed", is_flag=True, help="Only the files that failed, are missing or had records refused.")
def status_verb(state: State, failed: bool) -> None:
    """Show the library in numbers, and the files that failed."""
    with state.library() as library:
        status = library.status()
    state.tell(lambda: encode.status(status, failed_only=failed), lambda out: _say(out, status, failed))


def _say(out: Printer, status: Status, failed: bool) -> None:
    if not failed:
        _numbers(out, status)
    rows = list(filter(encode.troubled, status.files))
    say_trouble(out, rows)
    if failed and not rows:
        out.line("No file failed.")


def _numbers(out: Printer, status: Status) -> None:
    states = Counter(row.state for row in status.files)
    ledger = ", ".join(f"{count} {name}" for name, count in states.most_common())
    rows = {
        "library": status.path,
        "papers": holdings(dict(status.counts)),
        "files": f"{len(status.files)}: {ledger}" if ledger else "none yet; conspectus add FILES…",
        "embedder": status.embedder,
        "index": status.index,
        "space": f"catalog {status.space['catalog']:,.1f} MB, {status.space['free']:,.0f} MB free",
    }
    if last := status.last_add:
        rate = last["files"] / max(last["seconds"], 0.1)
        rows["last add"] = (
            f"{pluralize(last['files'], 'file')} in {last['seconds']:,.0f} s ({rate:.1f}/s), {last['at']}"
        )
    if status.ignored:
        rows["ignored"] = f"{', '.join(status.ignored)}: a library's folder does not set this; conspectus doctor"
    if backups := status.backups:
        held = ", ".join(f"{name} ({size:,.1f} MB)" for name, size in backups.items())
        rows["backups"] = f"{held}: papers that restore --replace replaced; conspectus backup --remove NAME deletes one"
    if number := status.counts["images"]:
        rows["images"] = f"{number} in collections"
    if number := status.counts["concepts"]:
        rows["concepts"] = f"{number:,} of {status.counts['vocabularies']} vocabularies"
    if stale := status.counts["stale"]:
        rows["stale"] = (
            f"{pluralize(stale, 'file')} changed, or read by an older version: conspectus add FILES… reads them anew"
        )
    if number := status.counts["underived"]:
        rows["underived"] = (
            f"{pluralize(number, 'paper')} lack what is made of them; conspectus add (any file) makes it"
        )
    for name, value in rows.items():
        out.line((f"{name:<9} ", "dim"), value)


@verb("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
def doctor_verb(state: State, fix: bool) -> int:
    """Check library, index, model and files; each trouble with its remedy.

    The exit code is 1 where something is not well.
    """
    with state.library() as library:
        findings = library.doctor(fix=fix)
    findings = [replace(one, remedy=typed(one.remedy)) for one in findings]
    well = all(finding.ok for finding in findings)
    state.tell(lambda: {"ok": well, "findings": encode.plain(findings)}, lambda out: _findings(out, findings))
    return int(not well)


def _findings(out: Printer, findings: list[Finding]) -> None:
    for finding in findings:
        mark = ("ok ", "good") if finding.ok else ("not", "bad")
        out.line(mark, f"  {finding.check:<12} {finding.detail}")
        if finding.remedy:
            out.line(finding.remedy, indent=18)


@verb("reindex")
def reindex_verb(state: State) -> None:
    """Compute missing embeddings for the current model and rebuild the index.

    Run it after you change models.embedder, or when `doctor` asks for it. Papers are not read again. The catalog's
    file is rewritten too, so that no word of a removed paper is left in it.
    """
    step_back()
    with showing(state), state.library() as library:
        made = library.reindex()
        status = library.status()
    state.tell(
        lambda: {"embedded": made, "counts": dict(status.counts), "index": status.index},
        [f"Embedded {pluralize(made, 'passage')}. The index holds {status.index}."],
    )
