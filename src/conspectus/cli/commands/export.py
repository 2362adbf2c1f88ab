"""`export`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.progress import showing
from conspectus.cli.state import State
from conspectus.cli.verb_commands import options_of, take_options
from conspectus.core.errors import UsageError
from conspectus.core.text import pluralize
from conspectus.export.formats import ANSWER_FORMATS, CITED_AS, STYLE_PREFIX, formats, refuse_taken
from conspectus.faces.filters import make_filters
from conspectus.faces.printer import Printer, one_line
from conspectus.records import Filters
from conspectus.wire import encode

_PICTURED = ("md", "html")


class _PrinterStream:
    """Standard output as a stream of text."""

    def __init__(self, out: Printer) -> None:
        self._out = out

    def write(self, text: str) -> None:
        self._out.text(text)


class _Format(click.Choice[str]):
    """A format, the style of a journal, or a collection of Zotero."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from conspectus.zotero.item_import import is_zotero

        is_name = is_zotero(value) or str(value).startswith(STYLE_PREFIX)
        return value if is_name else super().convert(value, param, ctx)


@verb("export")
@click.argument("papers", nargs=-1, metavar="[PAPERS…|ANSWER|CONVERSATION] [DIR]")
@click.option(
    "--to",
    type=_Format([*formats(), "library", "figures", *ANSWER_FORMATS]),
    required=True,
    help="The format. jsonl has all metadata of the papers, markdown your notes and highlights, library "
    "everything; apa, vancouver, ieee, nature, chicago and style:NAME (of a journal, or a file *.csl) are formatted "
    "references; figures writes pictures, in a folder; md, html, json and bib are of an answer. Or "
    "zotero:COLLECTION, which writes to Zotero.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to this file.")
@click.option(
    "--files/--no-files",
    default=None,
    help="Also write the paths of the papers' files (BibTeX, RIS; default: in JSON Lines only).",
)
@click.option("--vectors", is_flag=True, help="With --to library: also write the passages' vectors.")
@click.option(
    "--pictures/--no-pictures",
    default=None,
    help="Of an answer as md or html: the pages that its notes cite (default).",
)
@options_of(make_filters)
def export_verb(
    state: State,
    /,
    papers: tuple[str, ...],
    to: str,
    output: Path | None,
    files: bool | None,
    vectors: bool,
    pictures: bool | None,
    **chosen: Any,
) -> int:
    """Write papers as a bibliography or records, an answer, or the whole library.

    PAPERS are identifiers of papers; without them all papers are written, or those that pass the filters. Without
    --output the export goes to standard output. Papers imported from BibTeX keep their keys. ANSWER is an answer's id,
    or `last`; it is written as Markdown with footnotes (md), a page (html), JSON as from `ask` (json), or the papers
    that it cites as BibTeX (bib). A conversation is exported the same way, by its id (`conspectus answers
    conversations`). With --to figures the last argument is a folder; the figures and tables of the papers are written
    there as PNGs, with a manifest and a contact sheet. A second run writes only what is missing.
    """
    if to.startswith("zotero:"):
        return _zotero(state, papers, to, take_options(make_filters, chosen))
    if to == "figures":
        flags = {"--output": output is not None, "--files": files is not None, "--vectors": vectors}
        unfit_for = [name for name, is_given in flags.items() if is_given]
        return _figures(state, papers, take_options(make_filters, chosen), unfit_for)
    if pictures is not None and to not in _PICTURED:
        raise UsageError(f"There are no pictures in {to}.", "They are in an answer as md or html.")
    if pictures and to == "md" and output is None:
        raise UsageError("The pictures of Markdown lie beside its file.", "Name a file with --output, or take html.")
    if to in ANSWER_FORMATS:
        unfit = {"--files": files is not None, "--vectors": vectors, "filters": take_options(make_filters, chosen)}
        _answer(
            state, papers, to, output, pictures is not False, [name for name, is_given in unfit.items() if is_given]
        )
        return 0
    if to == "library" and state.json and output is None:
        raise UsageError("An export of the library is too long for one JSON object.", "Name a file with --output.")
    buffer = io.StringIO()
    target = output or (buffer if state.json else _PrinterStream(state.out))
    is_apart = output is not None or state.json or not state.out.terminal  # else both write to one screen
    with showing(state) if is_apart else nullcontext(), state.library() as library:
        count = library.export(to, target, papers, take_options(make_filters, chosen), files=files, vectors=vectors)
    _report_export(state, to, count, pluralize(count, "paper"), output, buffer)
    return 0


def _figures(state: State, names: Sequence[str], filters: Filters, unfit: Sequence[str]) -> int:
    """1 where none of several could be drawn."""
    if unfit or not names:
        what = f"Figures are exported without {unfit[0]}." if unfit else "Figures are written to a folder."
        raise UsageError(what, "conspectus export [PAPERS…] DIR --to figures")
    with showing(state), state.library() as library:
        report = library.export_figures(names[-1], names[:-1], filters)
    lines = [f"Wrote {pluralize(report.pictures, 'picture')} to {one_line(report.folder)}: index.html shows them."]
    lines += [f"{name}: {one_line(why)}" for name, why in report.without]
    state.tell(lambda: {"format": "figures"} | encode.plain(report), lines)
    return int(bool(report.without) and not report.pictures)


def _zotero(state: State, papers: Sequence[str], to: str, filters: Filters) -> int:
    """1 where something was not written: a conflict, or an item that Zotero refused."""
    from conspectus.zotero import views
    from conspectus.zotero.verbs import export_code

    with showing(state), state.library() as library:
        report = library.export_to_zotero(to.removeprefix("zotero:"), papers, filters)
    state.tell(lambda: {"format": "zotero"} | encode.plain(report), lambda out: views.export(out, report))
    return export_code(report)


def _answer(
    state: State, names: Sequence[str], to: str, output: Path | None, pictures: bool, unfit: Sequence[str]
) -> None:
    if len(names) != 1 or unfit:
        refuse_taken(to)
        what = (
            f"An answer is exported without {unfit[0]}." if unfit else f"--to {to} is for one answer or conversation."
        )
        raise UsageError(what, f"conspectus export ans-… --to {to}; `conspectus answers list` lists them.")
    from conspectus.export.answer import cited

    buffer = io.StringIO()
    target = output or (buffer if state.json else _PrinterStream(state.out))
    with state.library() as library:
        if names[0].startswith("con-"):
            answers = library.export_conversation(names[0], to, target, pictures=pictures).answers
        else:
            answers = (library.export_answer(names[0], to, target, pictures=pictures),)
    papers = len(cited(answers))
    quantity = (papers, "paper") if to in CITED_AS else (len(answers), "answer")
    _report_export(state, to, papers, pluralize(*quantity), output, buffer)


def _report_export(state: State, to: str, count: int, what: str, output: Path | None, buffer: io.StringIO) -> None:
    """That papers, or the answers that cite them, were written."""
    where = "" if output is None else str(output)
    state.tell(
        lambda: {"format": to, "papers": count, "output": where, "text": buffer.getvalue()},
        [f"Wrote {what} to {one_line(where)}."] if where else [],
    )
