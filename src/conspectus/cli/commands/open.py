"""`open`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.core.disk import explain_write_errors, user_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.faces.printer import is_terminal, one_line
from conspectus.records.figures import names_figure
from conspectus.records.notes import Notes
from conspectus.wire import encode

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.library import Library
    from conspectus.records import Answer, Citation, Paper, Passage, Span


@verb("open")
@click.argument("citation")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.png",
    help="Write the picture to this file (default: only show it).",
)
@click.option(
    "--page", type=click.IntRange(min=1), metavar="N", help="Which page, if a sentence is on two (default: the first)."
)
@click.option(
    "--show/--no-show",
    default=None,
    help="Open the picture in the system's viewer (default: in a terminal, without --output).",
)
def open_verb(state: State, citation: str, output: Path | None, page: int | None, show: bool | None) -> None:
    """Show the page of a citation with its sentence highlighted.

    CITATION is an id that `ask` or `search` printed, or the number of a note of the last answer. The page is shown as
    a picture in the system's viewer, and its path printed; where the paper was not read from pages, its passage is
    printed with the sentence marked (with --output or --page that is an error). With an id as `figures search` prints
    it, or PAPER.f3, the picture is that of the figure or table alone.
    """
    with state.library() as library:
        if names_figure(citation):
            if page:
                raise UsageError("A figure stands on one page.", "Leave --page out.")
            show_picture(state, open_figure(state, library, citation, output), show, output)
            return
        spans = note_of(library.answers.show().answer, citation).spans if citation.isdecimal() else ()
        picture_path = open_citation(state, library, [span.id for span in spans] or [citation], output, page)
    if picture_path:
        show_picture(state, picture_path, show, output)


def show_picture(state: State, picture: Path, show: bool | None = None, output: Path | None = None) -> None:
    """Open a picture in the system's viewer; unless told to (`show`), for a person at a screen who wants no file."""
    screens = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    is_person = is_terminal(sys.stdout) and (sys.platform in ("win32", "darwin") or screens)
    if show or (show is None and output is None and not state.json and is_person):
        click.launch(str(picture))


def _fleeting(name: str) -> Path:
    """A place for a picture that is only looked at: the user's own, outside the library and the current folder."""
    return Path(tempfile.mkdtemp(prefix="conspectus-")) / name


def open_figure(state: State, library: Library, name: str, output: Path | None) -> Path:
    """Write the picture of a figure, by its id, and print where."""
    path = save_picture(library.figures.image(name), output or _fleeting(f"{name}.png"), "--output")
    state.tell(lambda: {"path": str(path.absolute()), "figure": name}, [str(path)])
    return path


def note_of(answer: Answer, number: str) -> Citation:
    """What note `number` of an answer cites.

    Raises:
        UsageError: it is no number.
        NotFoundError: the answer has no such note, or it cites nothing that is still there.
    """
    notes = Notes()
    notes.prose(answer.statements)
    citations = {note.number: note.citation for note in notes if note.citation and note.citation.spans}
    if not citations:
        raise NotFoundError("The last answer cites nothing.", "`conspectus answers list` lists the answers.")
    count = f"The last answer has the notes {', '.join(map(str, citations))}."
    if not number.isdecimal():
        raise UsageError("Which note?" if not number else f"'{number}' is no number.", count)
    if int(number) not in citations:
        raise NotFoundError(f"There is no note {number} that cites a sentence.", count)
    return citations[int(number)]


def open_citation(
    state: State, library: Library, citation: Sequence[str], output: Path | None = None, page: int | None = None
) -> Path | None:
    """Write the page of a citation as a picture and print where; None where it stands on none: then its passage.

    Args:
        state: where it is told.
        library: that has the sentences.
        citation: the sentences' ids, of one paper.
        output: the picture; None: one that is only looked at.
        page: as in `Library.open`.

    Raises:
        NotFoundError: there is no such sentence, or its file is gone.
        InputError: a picture or a page is asked for, and it stands on none.
        UsageError: the picture cannot be written.
    """
    sources = [library.citation(span_id) for span_id in citation]
    paper, _, span = sources[0]
    places = [place for _, _, sentence in sources for place in sentence.places]
    picture = library.open([sentence.id for _, _, sentence in sources], page=page) if places or output or page else None
    if picture is None:
        for source in sources if not state.json else sources[:1]:
            _in_words(state, *source)
        return None
    path = save_picture(picture, output or _fleeting(f"{span.id}.png"), "--output")
    page_number = page or places[0].page
    if state.json:
        _as_json(state, str(path.absolute()), page_number, sources[0])
    else:
        state.out.line(str(path))
        state.out.line((f"{one_line(paper.label)}, p. {page_number}", "dim"))
        if any(sentence.recognised for _, _, sentence in sources):
            state.out.line("It was recognised in a picture (OCR): compare the words with the page.")
        for other in sorted({place.page for place in places} - {page_number}):
            state.out.line(f"It stands on p. {other} too: --page {other}")
    return path


def save_picture(picture: Image, output: Path, option: str) -> Path:
    """Write a picture as PNG; returns where.

    Raises:
        UsageError: it cannot be; another file can be chosen with `option`.
    """
    path = user_path(output)
    with explain_write_errors(path, f"Choose another file: {option}."):
        picture.save(path, format="PNG")
    return path


def _as_json(state: State, path: str | None, page: int | None, source: tuple[Paper, Passage, Span]) -> None:
    paper, passage, span = source
    body = {"path": path, "page": page, "paper": encode.brief(paper)}
    state.out.json("open", body | {"passage_id": passage.id, "span": encode.plain(span)})


def _in_words(state: State, paper: Paper, passage: Passage, span: Span) -> None:
    """The sentence in its passage, for a paper without pages."""
    if state.json:
        _as_json(state, None, None, (paper, passage, span))
        return
    state.out.line(f"{one_line(paper.label)}: {one_line(paper.heading)}")
    state.out.line((one_line(f"{passage.section} (not read from pages)"), "dim"))
    state.out.line()
    state.out.fold(f"{passage.text[: span.start]}>>> {span.text} <<<{passage.text[span.end :]}", indent=2)
