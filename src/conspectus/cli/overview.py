"""The verbs of the overview by section, and what `conspectus` alone says in a terminal.

Those that are written by hand have their module and line here, so that the overview imports none; a test compares the
lines with the verbs' own help. The lines of declared verbs come from `faces.index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from conspectus.cli.state import State
from conspectus.core.errors import NotFoundError
from conspectus.core.text import pluralize
from conspectus.faces.printer import Printer, one_line


class CommandEntry(NamedTuple):
    """A verb: the module of `cli.commands` that has it under its own name, and what it does in one line.

    A verb without a line is declared: `faces.index` has its line.
    """

    module: str = ""
    line: str = ""


DECLARED = CommandEntry()
SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Papers": {
        "add": DECLARED,
        "retry": DECLARED,
        "list": DECLARED,
        "show": DECLARED,
        "cite": DECLARED,
        "export": CommandEntry("export", "Write papers as a bibliography or records, an answer, or the whole library."),
        "inspect": CommandEntry(
            "inspect", "Show what was read from a file or a paper: a page in colour, or its structure."
        ),
        "summarise": DECLARED,
        "forget": DECLARED,
        "split": DECLARED,
        "edit": DECLARED,
        "remove": DECLARED,
    },
    "Questions": {
        "search": DECLARED,
        "ask": CommandEntry(
            "ask", "Answer a question with cited and checked statements, or explain why there is no answer."
        ),
        "route": DECLARED,
        "chat": CommandEntry("ask", "Ask follow-up questions."),
        "consensus": DECLARED,
        "hypotheses": DECLARED,
        "open": CommandEntry("open", "Show the page of a citation with its sentence highlighted."),
        "audit": DECLARED,
        "similar": DECLARED,
    },
    "Serving": {
        "app": CommandEntry("app", "Open the library in a window of its own, or in the browser."),
        "serve": CommandEntry("serve", "Serve the library to browsers and programs (HTTP) until Ctrl-C."),
        "mcp": CommandEntry(
            "serve",
            "Offer the library to language models as tools (Model Context Protocol).",
        ),
    },
    "Measuring": {
        "eval": CommandEntry(
            "eval", "Measure search on your library or on sets of questions, and compare configurations."
        ),
    },
    "Care": {
        "status": DECLARED,
        "doctor": DECLARED,
        "config": DECLARED,
        "prompts": CommandEntry("prompts", "List the prompts for language models, or show one."),
        "usage": DECLARED,
    },
}

VERBS: dict[str, CommandEntry] = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}

RUNNERS = {
    "add": "add",
    "audit": "papers",
    "library restore": "restore",
    "models connect": "models",
    "remove": "papers",
}
"""Declared verbs that run as the function `run_NAME` of this module of `cli.commands` says.

It does what only a terminal needs, and may add options of the command line alone."""

SCHEMAS = {
    "inspect": "papers.inspect",
    "prompts": "models.prompts",
}
"""The schema of a verb that is in a group by the public contract, and not yet on the command line."""


def schema_name(verb: str) -> str:
    """The name of the schema of a verb's JSON, as in `conspectus.NAME/1`."""
    return SCHEMAS.get(verb, verb.replace(" ", "."))


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
    papers, failed_count = status.counts.get("papers", 0), status.counts.get("failed", 0)
    if not papers:
        state.out.line(f"The library in {one_line(status.path)} is empty.")
        _suggest(state.out, EMPTY)
        return
    full = status.counts.get("full_text", 0)
    state.out.line(
        f"The library in {one_line(status.path)} holds {pluralize(papers, 'paper')} ({full:,} with full text)."
    )
    if failed_count:
        state.out.line(f"{pluralize(failed_count, 'file')} could not be read: conspectus status --failed")
    _suggest(state.out, FILLED if has_model else (*FILLED[:2], CONNECT))


def _suggest(out: Printer, steps: Sequence[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    out.line()
    for command, about in steps:
        out.line((f"  {command:{width}}", "title"), f"  {about}")
    out.line()
    out.line(("All verbs: conspectus --help", "dim"))
