"""What `conspectus` alone says in a terminal: what the library has, and three things to do next."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.cli.state import State
from conspectus.core.errors import NotFoundError
from conspectus.core.plural import pluralize
from conspectus.faces.printer import Printer, one_line

EMPTY = (
    ("conspectus add FOLDER", "add your papers: PDFs, BibTeX, RIS, exports of databases"),
    ("conspectus add doi:10.1038/nature03721", "add a paper by its DOI"),
    ("conspectus serve", "do it in the browser"),
)
FILLED = (
    ("conspectus ask 'QUESTION'", "answers with the sentences that they rest on"),
    ("conspectus search 'WORDS'", "passages, best first"),
    ("conspectus serve", "the library in the browser"),
)
CONNECT = ("conspectus models connect", "connect a language model, for written answers (optional)")


def welcome(state: State) -> None:
    """Say what the library of these settings has, and what to do with it."""
    try:
        with state.library() as library:
            status = library.status()
            has_model = bool(library.settings.language.model)
    except NotFoundError:
        state.out.line(f"There is no library in {one_line(str(state.folder))} yet.")
        _suggest(state.out, EMPTY)
        return
    papers, failed = status.counts.get("papers", 0), status.counts.get("failed", 0)
    if not papers:
        state.out.line(f"The library in {one_line(status.path)} is empty.")
        _suggest(state.out, EMPTY)
        return
    full = status.counts.get("full_text", 0)
    state.out.line(
        f"The library in {one_line(status.path)} holds {pluralize(papers, 'paper')} ({full:,} with full text)."
    )
    if failed:
        state.out.line(f"{pluralize(failed, 'file')} could not be read: conspectus status --failed")
    _suggest(state.out, FILLED if has_model else (*FILLED[:2], CONNECT))


def _suggest(out: Printer, steps: Sequence[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    out.line()
    for command, about in steps:
        out.line((f"  {command:{width}}", "title"), f"  {about}")
    out.line()
    out.line(("All verbs: conspectus --help", "dim"))
