"""`tag`, `tags`, `collect`, `collections`, `note`, `notes`, `edit` and `feedback`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

from conspectus.cli.app import verb
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.core.plural import pluralize
from conspectus.records.curation import Edit, Feedback, PaperNote, PaperSet, checked_verdict
from conspectus.wire import encode


@verb("tag")
@click.argument("name", metavar="TAG")
@click.argument("papers", nargs=-1, metavar="PAPERS…")
@click.option("--remove", is_flag=True, help="Take the tag off these papers, or off all if you name none.")
def tag_verb(state: State, name: str, papers: tuple[str, ...], remove: bool) -> None:
    """Put a tag on papers, or take it off.

    Find tagged papers with `tag:NAME` in a query, or with --tag NAME. Upper and lower case are the same tag. A tag that
    no paper has is deleted.
    """
    with state.library() as library:
        tag = library.untag(name, papers or None) if remove else library.tag(name, papers)
        tags = library.tags()
    left = next((one.papers for one in tags if one.id == tag.id), 0)
    name = one_line(tag.name)
    if not remove:
        line = f"Tagged {pluralize(len(papers), 'paper')} with '{name}'; {pluralize(left, 'paper')} in all."
    else:
        rest = f"{pluralize(left, 'paper')} left with it." if left else "no paper has it now, so it is deleted."
        line = f"Took '{name}' off {pluralize(tag.papers - left, 'paper')}; {rest}"
    state.tell(lambda: {"tags": encode.plain(tags)}, [line])


@verb("tags")
def tags_verb(state: State) -> None:
    """List the tags with the numbers of their papers."""
    with state.library() as library:
        found = library.tags()
    state.tell(lambda: {"tags": encode.plain(found)}, lambda out: _list(out, found, "conspectus tag NAME PAPERS…"))


@verb("collect")
@click.argument("name", metavar="COLLECTION")
@click.argument("papers", nargs=-1, metavar="PAPERS…")
@click.option("--remove", is_flag=True, help="Take these papers out.")
def collect_verb(state: State, name: str, papers: tuple[str, ...], remove: bool) -> None:
    """Put papers into a collection, which is made where there is none, or take them out.

    `collection:NAME` in a query, or --collection NAME, asks for its papers alone, wherever papers are
    searched, asked, counted, listed or exported.
    """
    with state.library() as library:
        found = library.uncollect(name, papers) if remove else library.collect(name, papers)
        now = library.collection(found.id)
    lines = [f"{one_line(now.name)}: {pluralize(now.papers, 'paper')}"]
    state.tell(lambda: {"collection": encode.plain(now)}, lines)


@verb("collections")
@click.option("--rename", nargs=2, metavar="NAME NEW", help="Give a collection another name.")
@click.option("--remove", metavar="NAME", help="Delete a collection; its papers stay.")
def collections_verb(state: State, rename: tuple[str, str] | None, remove: str | None) -> None:
    """List the collections, or rename or delete one."""
    with state.library() as library:
        if remove is not None:
            _done(state, "removed", library.remove_collection(remove))
            return
        if rename is not None:
            _done(state, "renamed", library.rename_collection(*rename))
            return
        found = library.collections()
    say = "conspectus collect NAME PAPERS…"
    state.tell(lambda: {"collections": encode.plain(found)}, lambda out: _list(out, found, say))


def _done(state: State, what: str, found: PaperSet) -> None:
    state.tell(lambda: {what: encode.plain(found)}, [f"{what.capitalize()} {found.id}  {one_line(found.name)}"])


def _list(out: Printer, found: Sequence[PaperSet], how: str) -> None:
    for one in found:
        name = one_line(one.name)
        out.row((one.id, str(one.papers), name), (one.id, "dim"), f"  {pluralize(one.papers, 'paper'):>10}  ", name)
    if not found and out.width is not None:
        out.line(f"There is none yet: {how}")


@verb("note")
@click.argument("paper", metavar="PAPER")
@click.argument("text", metavar="TEXT")
def note_verb(state: State, paper: str, text: str) -> None:
    """Keep a note about a paper: TEXT in Markdown, or - for what standard input says.

    `conspectus show PAPER` shows it.
    """
    text = sys.stdin.read() if text == "-" else text
    with state.library() as library:
        found = library.note(paper, text)
    state.tell(lambda: {"note": encode.plain(found)}, [f"Kept {found.id}"])


@verb("notes")
@click.argument("paper", required=False, metavar="[PAPER]")
@click.option("--edit", nargs=2, metavar="ID TEXT", help="Give a note another text.")
@click.option("--remove", metavar="ID", help="Delete a note.")
def notes_verb(state: State, paper: str | None, edit: tuple[str, str] | None, remove: str | None) -> None:
    """List the notes about a paper, or all, or change or delete one."""
    if bool(paper) + (edit is not None) + (remove is not None) > 1:
        raise UsageError("One thing at a time.", "Give a PAPER, --edit or --remove.")
    with state.library() as library:
        if edit is not None or remove is not None:
            one = library.edit_note(*edit) if edit is not None else library.remove_note(remove or "")
            what = "changed" if edit is not None else "removed"
            state.tell(lambda: {what: encode.plain(one)}, [f"{what.capitalize()} {one.id}"])
            return
        listed = library.notes(paper or "")
    state.tell(lambda: {"notes": encode.plain(listed)}, lambda out: show_notes(out, listed))


def show_notes(out: Printer, found: Sequence[PaperNote]) -> None:
    """Notes, each with its id and when it was last changed."""
    for one in found:
        out.line((f"{one.id}  {one.updated[:16].replace('T', ' ')}  {one.paper}", "dim"))
        for line in one.text.splitlines():
            out.fold(line, indent=2)


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
