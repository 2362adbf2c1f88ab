"""Papers written to a file, and which files of a paper are its own."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial

from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.core.output import Output, writing_to
from conspectus.export.formats import refuse_taken
from conspectus.export.library_lines import kept_by, lines, papers_of
from conspectus.export.write import jsonl, pieces
from conspectus.parse.registry import readers
from conspectus.records import Filters, Paper
from conspectus.records.jobs import Progress
from conspectus.store.catalog import Catalog
from conspectus.store.rows import FileRow


def export(
    catalog: Catalog,
    to: str,
    output: Output,
    wanted: Container[str] | None,
    filters: Filters | None,
    files: bool | None,
    vectors: bool,
) -> int:
    """Write the papers that pass `filters`, of those with `wanted` ids; returns how many. See `Library.export`.

    JSON Lines name the papers' files unless told not to, so that a paper without identifiers stays what it is when it
    is added again.
    """
    refuse_taken(to)
    if to == "library":
        if files is not None:
            what = "An export of the library always names the files."
            raise UsageError(what, "Leave `files` out, or take `to=jsonl`.")
        with catalog.snapshot() as now:
            return _write(lines(now, wanted, filters, own_files(now.file_rows()), vectors=vectors), output)
    if vectors:
        raise UsageError(f"Vectors are not written as {to}.", "They are with `to=library`.")
    named = own_files(catalog.file_rows()) if files or (files is None and to == "jsonl") else None
    papers = partial(papers_of, catalog, wanted, filters)
    if to == "jsonl":
        return _write(jsonl(papers, named or (lambda _: ()), kept_by(catalog)), output)
    return _write(pieces(to, papers, named), output)


def _write(pieces: Iterable[tuple[int, str]], output: Output) -> int:
    count = 0
    with writing_to(output) as stream:
        for number, text in pieces:
            stream.write(text)
            count = number
            emit(Progress("exporting", count, 0, "papers"))
    return count


def own_files(ledger: Iterable[FileRow]) -> Callable[[Paper], Sequence[str]]:
    """Which files of a paper are nothing but that paper: not the bibliographies that speak of it."""
    single = {reader.name for reader in readers() if reader.one_paper}
    paths = {row.path for row in ledger if row.reader.split("/")[0] in single}
    return lambda paper: [file.path for file in paper.files if file.path in paths]
