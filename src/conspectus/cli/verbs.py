"""The verbs of the overview by section.

Those that are written by hand have their module and line here, so that the overview imports none; a test compares the
lines with the verbs' own help. The lines of declared verbs come from `faces.index`.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A verb: the module of `cli.commands` that has it under its own name, and what it does in one line."""

    module: str
    line: str


DECLARED = Entry("", "")
"""A declared verb: `faces.index` has its line."""
SECTIONS: dict[str, dict[str, Entry]] = {
    "Papers": {
        "add": Entry("add", "Add files and folders. Run it again to pick up only new or changed files."),
        "retry": Entry("add", "Read files that failed, or were read only in part, once more."),
        "list": DECLARED,
        "show": Entry("papers", "Show a paper, an answer or a figure."),
        "export": Entry("export", "Write papers as a bibliography or records, an answer, or the whole library."),
        "inspect": Entry("inspect", "Show what was read from a file or a paper: a page in colour, or its structure."),
        "summarise": Entry("summarise", "Let a language model write summaries of papers, to search by."),
        "forget": Entry("add", "Forget files (added, failed or missing) and the data read from them."),
        "split": Entry("papers", "Split a paper that was merged from several documents, or undo a split."),
        "edit": Entry("curation", "Edit a paper's metadata, or show the edits."),
        "remove": Entry("papers", "Remove papers and every trace of them."),
    },
    "Questions": {
        "search": DECLARED,
        "ask": Entry("ask", "Answer a question with statements that are cited and checked, or say why not."),
        "route": DECLARED,
        "chat": Entry("chat", "Ask questions that follow on from each other."),
        "consensus": DECLARED,
        "open": Entry("open", "Show the page of a citation with its sentence highlighted."),
        "audit": Entry("audit", "Check whether the works in a reference list exist and match their entries."),
        "similar": DECLARED,
    },
    "Serving": {
        "serve": Entry("serve", "Serve the library to browsers and programs (HTTP) until Ctrl-C."),
        "mcp": Entry(
            "serve",
            "Offer the library to language models as tools (Model Context Protocol).",
        ),
    },
    "Measuring": {
        "eval": Entry("eval", "Measure search on your library or on sets of questions, and compare configurations."),
    },
    "Care": {
        "status": DECLARED,
        "doctor": DECLARED,
        "config": Entry("config", "Show the settings and where each was set."),
        "prompts": Entry("answers", "List the prompts for language models, or show one."),
        "usage": Entry("answers", "Show the token usage and cost of language models."),
        "models": Entry("models", "List, fetch and verify models."),
    },
}

VERBS: dict[str, Entry] = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}

SCHEMAS = {
    "retry": "papers.retry",
    "inspect": "papers.inspect",
    "summarise": "papers.summarise",
    "forget": "papers.forget",
    "split": "papers.split",
    "edit": "papers.edit",
    "prompts": "models.prompts",
    "usage": "models.usage",
}
"""The schema of a verb that is in a group by the public contract, and not yet on the command line."""


def schema_name(verb: str) -> str:
    """The name of the schema of a verb's JSON, as in `conspectus.NAME/1`."""
    return SCHEMAS.get(verb, verb.replace(" ", "."))
