"""The verbs by section: the module each lives in, and its line in the overview.

The lines stand here as well as in the verbs' own help, so that the overview imports none of them; a test compares.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A verb: the module of `cli.commands` that has it under its own name, and what it does in one line."""

    module: str
    line: str


SECTIONS: dict[str, dict[str, Entry]] = {
    "Papers": {
        "add": Entry("add", "Add files, folders and globs; again, only what is new or changed."),
        "retry": Entry("add", "Read again the files that failed where that can help, or were not read to the end."),
        "list": Entry("papers", "List the papers."),
        "show": Entry("papers", "Show one paper, an answer, or a figure."),
        "export": Entry("export", "Write papers as bibliographies or records, an answer, or all of the library."),
        "inspect": Entry("inspect", "Show what was read of a file or a paper: a page in colour, or its structure."),
        "summarise": Entry("summarise", "Have a language model write summary passages of papers, to search by."),
        "forget": Entry("add", "Let go of files that were added, failed or are gone, and of what they said."),
        "split": Entry("papers", "Take a paper apart that was made of documents of several, or undo that."),
        "edit": Entry("curation", "Write fields of a paper's metadata by hand, or show what was written."),
        "remove": Entry("papers", "Remove papers, with every trace of them."),
    },
    "Questions": {
        "search": Entry("search", "Find the papers that fit words or a question best."),
        "ask": Entry("ask", "Answer a question with statements, each cited and checked, or say why not."),
        "figures": Entry(
            "figures",
            "Find the figures and tables that fit words best, by captions and by what the text says of them.",
        ),
        "route": Entry("route", "Tell what kind of question it is, and which settings suit it."),
        "chat": Entry("chat", "Ask questions that go on from the one before; each answer as of `ask`."),
        "consensus": Entry(
            "consensus", "Say how far the papers found agree, each with the sentences that show its stance."
        ),
        "open": Entry("open", "Show the page of a citation with its sentence lit up."),
        "audit": Entry("audit", "Check whether the works of a reference list exist and are as it says."),
        "similar": Entry("search", "Find the papers nearest in meaning to a paper, to several, or to a text."),
    },
    "Faces": {
        "serve": Entry("serve", "Serve the library to browsers and programs (HTTP), until Ctrl-C."),
        "mcp": Entry(
            "serve",
            "Offer the library to language models as tools (Model Context Protocol), until its input ends or Ctrl-C.",
        ),
    },
    "Measuring": {
        "eval": Entry("eval", "Measure search on sets of data or on your own library, and compare configurations."),
    },
    "Care": {
        "config": Entry("config", "Show the settings and where each was set."),
        "prompts": Entry("answers", "List what is asked of language models, or show one prompt."),
        "usage": Entry("answers", "Show what language models took: calls, tokens, cost and seconds."),
        "models": Entry("models", "Look after the model store: list, fetch, verify."),
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
    "tag": "collections.tag",
    "tags": "collections.tags",
    "collect": "collections.add",
    "collections": "collections.list",
    "note": "collections.note",
    "notes": "collections.notes",
    "figures": "figures.search",
    "prompts": "models.prompts",
    "usage": "models.usage",
    "backup": "library.backup",
    "restore": "library.restore",
    "reindex": "library.reindex",
}
"""The schema of a verb that is in a group by the public contract, and not yet on the command line."""


def schema_name(verb: str) -> str:
    """The name of the schema of a verb's JSON, as in `conspectus.NAME/1`."""
    return SCHEMAS.get(verb, verb.replace(" ", "."))
