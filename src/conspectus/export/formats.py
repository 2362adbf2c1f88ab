"""What papers can be exported to, told without importing what writes it: the command line's help names it."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from conspectus.core import packages
from conspectus.core.errors import UsageError

STYLES = {
    "apa": "apa",
    "vancouver": "nlm-citation-sequence",
    "ieee": "ieee",
    "nature": "nature",
    "chicago": "chicago-author-date",
}
"""Styles of references, and what the package of styles calls them."""
STYLE_PREFIX = "style:"
"""Before the name of any other style, or the path of its file."""
STYLE_ENDING = ".csl"
FORMATS = ("bibtex", "ris", "csl", "csv", "jsonl", "markdown", *STYLES)
"""What is built in."""
MANY = 100
"""Papers from which on an export says how far it is."""
ANSWER_FORMATS = ("md", "html", "json", "bib")
"""What answers and conversations can be exported to."""
CITED_AS = {"bib": "bibtex", "ris": "ris", "csv": "csv"}
"""What the papers that an answer cites can be exported to, and what that format is called where papers are."""
TAKEN = (*ANSWER_FORMATS, "library", "figures")
"""Names that mean something else than papers in a format."""


def formats() -> dict[str, EntryPoint]:
    """What papers can be exported to, by name: what is built in, and what installed packages bring.

    An exporter is a function as those of `export.write`: of papers and files, as `pieces` has them, to pieces.
    """
    points = packages.offered("exporters", {name: f"conspectus.export.write:_{name}" for name in FORMATS})
    return {name: point for name, point in points.items() if name not in TAKEN}


def refuse_taken(to: str) -> None:
    """Tell whoever means a package's exporter by a name that is taken.

    Raises:
        UsageError: there is such a package.
    """
    if to in ANSWER_FORMATS and (point := packages.claimed("exporters", to)):
        raise UsageError(
            f"The exporter '{to}' of the package '{packages.package(point)}' cannot be used: its name is taken.",
            "Ask its makers for a version with another name, or remove it: pip uninstall "
            f"{point.dist.name if point.dist else ''}",
        )
