"""What papers can be exported to, told without importing what writes it: the command line's help names it."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from conspectus.core import entry_points

FORMATS = ("bibtex", "ris", "csl", "csv", "jsonl")
"""What is built in."""
ANSWER_FORMATS = ("md", "html", "json", "bib")
"""What answers and conversations can be exported to."""


def formats() -> dict[str, EntryPoint]:
    """What papers can be exported to, by name: what is built in, and what installed packages bring.

    An exporter is a function as those of `export.write`: of papers and files, as `pieces` has them, to pieces.
    """
    return entry_points.offered("exporters", {name: f"conspectus.export.write:_{name}" for name in FORMATS})
