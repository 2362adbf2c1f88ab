"""`edit`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.faces.printer import Printer, one_line
from conspectus.records.curation import Edit
from conspectus.wire import encode


@verb("edit")
@click.argument("paper", metavar="PAPER")
@click.argument("changes", nargs=-1, metavar="[FIELD=VALUE…]")
@click.option("--revert", multiple=True, metavar="FIELD", help="Return the field to what the files say. Repeatable.")
def edit_verb(state: State, paper: str, changes: tuple[str, ...], revert: tuple[str, ...]) -> None:
    """Edit a paper's metadata, or show the edits.

    FIELD is title, authors, abstract, year, date, doi, arxiv_id, pmid, bibcode, venue, keywords, citation_count or url;
    separate authors and keywords with `;`. An empty VALUE clears the field. Edits override the files, even after they
    are read again.
    """
    pairs = [change.partition("=") for change in changes]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise UsageError(f"'{wrong[0]}' is not of the form FIELD=VALUE.", "Write title='Grid cells'.")
    with state.library() as library:
        found = library.paper(paper)
        if pairs or revert:
            found = library.edit(found.id, {name.strip(): value for name, _, value in pairs}, revert)
        edits = library.edits(found.id)
    body = {"paper": encode.brief(found), "edits": encode.plain(edits)}
    state.tell(lambda: body, lambda out: _show_edits(out, edits))


def _show_edits(out: Printer, edits: Sequence[Edit]) -> None:
    for one in edits:
        said = one_line(str(one.files_say if one.files_say is not None else ""))
        value = one_line(str(one.value if one.value is not None else ""))
        out.row(
            (one.field, value, said),
            (f"{one.field:<15} ", "dim"),
            value,
            (f"  (files say: {said or 'nothing'})", "dim"),
        )
    if not edits and out.width is not None:
        out.line("All is as its files say.")
