"""Ontologies in JSON, as obographs have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, TypeVar

import msgspec

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.gathering import Entry, Gathered
from conspectus.graph.vocabularies.obo import LINKS, PART_OF, REMEDY, SCOPES, is_abbreviation
from conspectus.records.vocabularies import LinkKind, NameKind


class _Value(msgspec.Struct):
    val: str = ""


class _Synonym(msgspec.Struct):
    pred: str = ""
    val: str = ""
    synonymType: str = ""


class _Property(msgspec.Struct):
    pred: str = ""
    val: str = ""


class _Meta(msgspec.Struct):
    definition: _Value | None = None
    synonyms: list[_Synonym] = []
    basicPropertyValues: list[_Property] = []
    deprecated: bool = False
    version: str = ""


class _Node(msgspec.Struct):
    id: str
    lbl: str | None = ""
    type: str | None = "CLASS"
    meta: _Meta | None = None


class _Edge(msgspec.Struct):
    sub: str
    pred: str
    obj: str


_P = TypeVar("_P", _Node, _Edge)


class _Graph(msgspec.Struct):
    nodes: list[msgspec.Raw] = []
    edges: list[msgspec.Raw] = []
    meta: _Meta | None = None


class _Graphs(msgspec.Struct):
    graphs: list[_Graph]


def read_graphs(stream: BinaryIO, name: str, found: Gathered) -> Iterator[None]:
    """Gather the classes of an ontology as obographs have it (`graphs`, each with `nodes` and `edges`).

    Raises:
        InputError: it is not that.
    """
    try:
        held = msgspec.json.decode(stream.read(), type=_Graphs)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"'{name}' is no ontology in JSON (obographs): {reason}.", REMEDY) from error
    yield
    for graph in held.graphs:
        found.version = found.version or (graph.meta.version if graph.meta else "")
        for node in _decoded(graph.nodes, _Node, name, "node", found):
            if node.type in ("CLASS", None):
                _take_node(node, found[node.id])
        for edge in _decoded(graph.edges, _Edge, name, "edge", found):
            if edge.pred in LINKS or edge.pred in PART_OF:
                found[edge.sub].link(LINKS.get(edge.pred, LinkKind.PART_OF), edge.obj)
        yield


def _decoded(parts: list[msgspec.Raw], kind: type[_P], name: str, what: str, found: Gathered) -> Iterator[_P]:
    """Yield the nodes or edges; one that is none is reported."""
    for number, part in enumerate(parts, 1):
        try:
            yield msgspec.json.decode(part, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            found.report(f"left out: {what} {number:,} of '{name}' ({error})")


def _take_node(node: _Node, entry: Entry) -> None:
    entry.known = True
    entry.name(node.lbl or "", NameKind.LABEL)
    said = node.meta or _Meta()
    entry.deprecated = said.deprecated
    entry.definition = said.definition.val if said.definition else ""
    for one in said.synonyms:
        scope = one.pred.removeprefix("has").removesuffix("Synonym").upper()
        kind = SCOPES.get(scope, NameKind.EXACT)
        entry.name(one.val, NameKind.ABBREVIATION if is_abbreviation(one.synonymType) else kind)
    for value in said.basicPropertyValues:
        if value.pred.endswith("IAO_0100001"):
            entry.link(LinkKind.REPLACED_BY, value.val)
