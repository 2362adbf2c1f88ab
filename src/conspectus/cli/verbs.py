"""The verbs of the overview by section.

Those that are written by hand have their module and line here, so that the overview imports none; a test compares the
lines with the verbs' own help. The lines of declared verbs come from `faces.index`.
"""

from __future__ import annotations

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A verb: the module of `cli.commands` that has it under its own name, and what it does in one line.

    A verb without a line is declared: `faces.index` has its line. If it has a module, the command runs as its function
    `run_NAME` says, which may add options of the command line alone.
    """

    module: str = ""
    line: str = ""


DECLARED = CommandEntry()
SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Papers": {
        "add": CommandEntry("add", "Add files and folders. Run it again to pick up only new or changed files."),
        "retry": CommandEntry("add", "Read again the files that failed or were read only in part."),
        "list": DECLARED,
        "show": CommandEntry("papers", "Show a paper, an answer or a figure."),
        "cite": DECLARED,
        "export": CommandEntry("export", "Write papers as a bibliography or records, an answer, or the whole library."),
        "inspect": CommandEntry(
            "inspect", "Show what was read from a file or a paper: a page in colour, or its structure."
        ),
        "summarise": DECLARED,
        "forget": DECLARED,
        "split": DECLARED,
        "edit": DECLARED,
        "remove": CommandEntry("remove"),
    },
    "Questions": {
        "search": DECLARED,
        "ask": CommandEntry(
            "ask", "Answer a question with cited and checked statements, or explain why there is no answer."
        ),
        "route": DECLARED,
        "chat": CommandEntry("chat", "Ask follow-up questions."),
        "consensus": DECLARED,
        "hypotheses": DECLARED,
        "open": CommandEntry("open", "Show the page of a citation with its sentence highlighted."),
        "audit": CommandEntry("audit"),
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
        "config": CommandEntry("config", "Show the settings and where each was set."),
        "prompts": CommandEntry("answers", "List the prompts for language models, or show one."),
        "usage": CommandEntry("answers", "Show the token usage and cost of language models."),
        "models": CommandEntry("models", "Connect language models; list, fetch and verify models."),
    },
}

VERBS: dict[str, CommandEntry] = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}

SCHEMAS = {
    "retry": "papers.retry",
    "inspect": "papers.inspect",
    "prompts": "models.prompts",
    "usage": "models.usage",
}
"""The schema of a verb that is in a group by the public contract, and not yet on the command line."""


def schema_name(verb: str) -> str:
    """The name of the schema of a verb's JSON, as in `conspectus.NAME/1`."""
    return SCHEMAS.get(verb, verb.replace(" ", "."))
