"""`tag`, `tags`, `collect`, `collections`, `note`, `notes`, `edit` and `feedback`."""

from __future__ import annotations

import io
from collections.abc import Sequence

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.faces.printer import Printer, one_line
from conspectus.records.curation import Edit, Feedback, checked_verdict
from conspectus.wire import encode


@verb("edit")
@click.argument("paper", metavar="PAPER")
@click.argument("changes", nargs=-1, metavar="[FIELD=VALUE…]")
@click.option("--revert", multiple=True, metavar="FIELD", help="Let it be as the files say again. Repeatable.")
def edit_verb(state: State, paper: str, changes: tuple[str, ...], revert: tuple[str, ...]) -> None:
    """Write fields of a paper's metadata by hand, or show what was written.

    FIELD is title, authors, abstract, year, date, doi, arxiv_id, pmid, bibcode, venue, keywords, citation_count or url;
    authors and keywords are apart by `;`, and no VALUE empties the field. It goes before what files say, also when they
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


@verb("feedback")
@click.argument("answer", required=False, metavar="[ANSWER]")
@click.option("--verdict", type=click.Choice(["up", "down"]), help="Whether it is good.")
@click.option("--comment", metavar="TEXT", help="Why; an empty one takes it back.")
@click.option("--statement", type=click.IntRange(0), default=0, metavar="N", help="Of its N-th statement, from 1.")
@click.option("--remove", is_flag=True, help="Take back what was said of it.")
@click.option("--to", type=click.Choice(["csv", "jsonl"]), help="Write all of it in this format.")
@click.option("-o", "--output", metavar="FILE", help="Into this file, instead of standard output.")
def feedback_verb(
    state: State,
    answer: str | None,
    verdict: str | None,
    comment: str | None,
    statement: int,
    remove: bool,
    to: str | None,
    output: str | None,
) -> None:
    """Say what you think of an answer or one of its statements, list what was said, or write it to a file.

    ANSWER is an id that begins with `ans-`, or `last`. A verdict or a comment that is not given stays as it was.
    """
    said = not (verdict is None and comment is None)
    says = said or remove
    if (to and (says or answer)) or (says and not answer) or (output and not to) or (remove and said):
        raise UsageError(
            "These do not go together.", "feedback ANSWER --verdict up | feedback | feedback --to csv -o FILE"
        )
    with state.library() as library:
        if to:
            text = io.StringIO(newline="")
            number = library.export_feedback(to, output or text)
            told = {"format": to, "feedback": number, "output": output or "", "text": text.getvalue()}
            state.tell(lambda: told, text.getvalue().splitlines() if not output else [f"Wrote {number} to {output}"])
            return
        found = library.feedback(answer or "")
        if says and answer:
            kind = None if verdict is None else checked_verdict(verdict)
            found = library.judge(answer, *(("", "") if remove else (kind, comment)), statement=statement)
    state.tell(lambda: {"feedback": encode.plain(found)}, lambda out: _show_feedback(out, found))


def _show_feedback(out: Printer, found: Sequence[Feedback]) -> None:
    for one in found:
        about = f"statement {one.statement}" if one.statement else "all of it"
        cells = one.answer, about, one.verdict, one_line(one.comment)
        out.row(cells, (one.answer, "dim"), f"  {about:<13} {one.verdict:<5} {cells[3]}")
    if not found and out.width is not None:
        out.line("Nothing was said yet: conspectus feedback last --verdict up")
