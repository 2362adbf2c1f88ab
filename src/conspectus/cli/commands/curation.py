"""`tag`, `tags`, `collect`, `collections`, `note` and `notes`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from conspectus.cli.app import verb
from conspectus.cli.describe import counted
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.records.curation import PaperNote, PaperSet
from conspectus.wire import encode


@verb("tag")
@click.argument("name", metavar="TAG")
@click.argument("papers", nargs=-1, metavar="PAPERS…")
@click.option("--remove", is_flag=True, help="Take it off these papers; without any, off all.")
def tag_verb(state: State, name: str, papers: tuple[str, ...], remove: bool) -> None:
    """Put a tag on papers, or take it off.

    `tag:NAME` in a query, or --tag NAME, then asks for them. A tag is one in any case, and gone when no paper has it.
    """
    with state.library() as library:
        found = library.untag(name, papers or None) if remove else library.tag(name, papers)
        now = library.tags()
    said = "Taken off" if remove else "On"
    state.tell(lambda: {"tags": encode.plain(now)}, [f"{said} {counted(len(papers), 'paper')}: {one_line(found.name)}"])


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
    lines = [f"{one_line(now.name)}: {counted(now.papers, 'paper')}"]
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
        out.row((one.id, str(one.papers), name), (one.id, "dim"), f"  {counted(one.papers, 'paper'):>10}  ", name)
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
