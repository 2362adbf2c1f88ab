"""A citation graph as a file for other programs: JSON as the verb gives it, GraphML, or a table of works (CSV)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

from conspectus.core.characters import json_text, line
from conspectus.core.errors import UsageError
from conspectus.core.output import csv_line, writing_to
from conspectus.records.sources import CitationGraph, CitationNode

_FIELDS = tuple(field.name for field in fields(CitationNode) if field.name != "id")
_TYPES = {"in_library": "boolean", "year": "int", "links": "int", "citation_count": "int"}


def check_format(path: str) -> None:
    """See that a graph can be written to a file of this name.

    Raises:
        UsageError: its ending names no format.
    """
    if Path(path).suffix.lower() not in _FORMATS:
        raise UsageError(
            f"'{path}' does not say in which format the graph is to be written.",
            f"End the file's name in one of {', '.join(_FORMATS)}.",
        )


def write_graph(graph: CitationGraph, path: str) -> None:
    """Write a graph in the format that the file's ending names.

    Raises:
        UsageError: the file cannot be written, or as `check_format`.
    """
    check_format(path)
    with writing_to(path) as stream:
        for piece in _FORMATS[Path(path).suffix.lower()](graph):
            stream.write(piece)


def _json(graph: CitationGraph) -> Iterator[str]:
    yield json_text({"schema": "conspectus.sources.graph/1", **msgspec.to_builtins(graph)}, 1) + "\n"


def _graphml(graph: CitationGraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name in _FIELDS:
        yield f'<key id="{name}" for="node" attr.name="{name}" attr.type="{_TYPES.get(name, "string")}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for node in graph.nodes:
        said = ((name, getattr(node, name)) for name in _FIELDS)
        data = "".join(f'<data key="{name}">{_xml(value)}</data>' for name, value in said if value not in (None, ""))
        yield f"<node id={quoteattr(line(node.id))}>{data}</node>\n"
    for edge in graph.edges:
        yield f"<edge source={quoteattr(line(edge.source))} target={quoteattr(line(edge.target))}/>\n"
    yield "</graph>\n</graphml>\n"


def _xml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else escape(line(str(value)))


def _csv(graph: CitationGraph) -> Iterator[str]:
    """A row for each work, with the ids of the works that it cites."""
    cites: dict[str, list[str]] = {}
    for edge in graph.edges:
        cites.setdefault(edge.source, []).append(edge.target)
    yield csv_line(["id", *_FIELDS, "cites"])
    for node in graph.nodes:
        values = (getattr(node, name) for name in ("id", *_FIELDS))
        cells = [line(value) if isinstance(value, str) else value for value in values]
        yield csv_line([*cells, cites.get(node.id, [])])


_FORMATS: Mapping[str, Callable[[CitationGraph], Iterator[str]]] = {".json": _json, ".graphml": _graphml, ".csv": _csv}
