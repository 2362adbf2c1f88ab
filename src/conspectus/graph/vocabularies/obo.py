"""OBO files, and the same as JSON (obographs)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from conspectus.core.errors import InputError, UnavailableError
from conspectus.graph.vocabularies.gathering import Entry, Gathered
from conspectus.graph.vocabularies.rdf import REMEDY, STEP
from conspectus.records.concepts import LinkKind, NameKind

_SCOPES = {
    "EXACT": NameKind.EXACT,
    "RELATED": NameKind.RELATED,
    "BROAD": NameKind.BROAD,
    "NARROW": NameKind.NARROW,
}
_SHORT = re.compile(r"abbreviation$|acronym$|OMO[_:]0003000$|OMO[_:]0003012$", re.IGNORECASE)
_LINKS = {"is_a": LinkKind.BROADER, "replaced_by": LinkKind.REPLACED_BY, "equivalent_to": LinkKind.SAME}
_PART_OF = ("part_of", "BFO:0000050", "http://purl.obolibrary.org/obo/BFO_0000050")
_ANEW = "Fetch or export it anew, for example as OWL in RDF/XML."


def read_obo(stream: BinaryIO, name: str, found: Gathered) -> Iterator[None]:
    """Gathers the terms of an OBO file; a sign of life now and then.

    Raises:
        InputError: it is not well-formed.
    """
    try:
        import fastobo
    except ImportError as error:
        raise UnavailableError(f"'{name}' is OBO, for which a library is missing.", REMEDY) from error
    try:
        frames = fastobo.iter(stream, ordered=True, threads=1)
        for clause in frames.header():
            if clause.raw_tag() == "data-version":
                found.version = found.version or clause.raw_value()
        for number, frame in enumerate(frames, 1):
            if isinstance(frame, fastobo.term.TermFrame):
                _take(frame, found[str(frame.id)])
            if not number % STEP:
                yield
    except (SyntaxError, ValueError, OSError) as error:
        raise InputError(f"'{name}' is no well-formed OBO: {_said(error)}", _ANEW) from error


def _said(error: Exception) -> str:
    return " ".join(str(error).replace("<stdin>, ", "").split())[:300]


def _take(frame: Any, entry: Entry) -> None:
    entry.known = True
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "name":
            entry.name(clause.name, NameKind.LABEL)
        elif tag == "synonym":
            entry.name(clause.synonym.desc, _kind(clause.synonym))
        elif tag == "def":
            entry.definition = str(clause.definition)
        elif tag == "is_obsolete":
            entry.deprecated = clause.obsolete
        elif tag in _LINKS:
            entry.link(_LINKS[tag], str(clause.term))
        elif tag == "relationship" and str(clause.typedef) in _PART_OF:
            entry.link(LinkKind.PART_OF, str(clause.term))
        elif tag == "alt_id":
            entry.link(LinkKind.SAME, str(clause.alt_id))


def _kind(synonym: Any) -> NameKind:
    return NameKind.ABBREVIATION if _SHORT.search(str(synonym.type or "")) else _SCOPES[synonym.scope]


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
    lbl: str = ""
    type: str = "CLASS"
    meta: _Meta | None = None


class _Edge(msgspec.Struct):
    sub: str
    pred: str
    obj: str


class _Graph(msgspec.Struct):
    nodes: list[_Node] = []
    edges: list[_Edge] = []
    meta: _Meta | None = None


class _Graphs(msgspec.Struct):
    graphs: list[_Graph]


def read_graphs(stream: BinaryIO, name: str, found: Gathered) -> Iterator[None]:
    """Gathers the classes of an ontology as obographs have it (`graphs`, each with `nodes` and `edges`).

    Raises:
        InputError: it is not that.
    """
    try:
        held = msgspec.json.decode(stream.read(), type=_Graphs)
    except msgspec.MsgspecError as error:
        raise InputError(f"'{name}' is no ontology in JSON (obographs): {_said(error)}.", _ANEW) from error
    yield
    for graph in held.graphs:
        found.version = found.version or (graph.meta.version if graph.meta else "")
        for node in graph.nodes:
            if node.type == "CLASS":
                _take_node(node, found[node.id])
        for edge in graph.edges:
            if edge.pred in _LINKS or edge.pred in _PART_OF:
                found[edge.sub].link(_LINKS.get(edge.pred, LinkKind.PART_OF), edge.obj)
        yield


def _take_node(node: _Node, entry: Entry) -> None:
    entry.known = True
    entry.name(node.lbl, NameKind.LABEL)
    said = node.meta or _Meta()
    entry.deprecated = said.deprecated
    entry.definition = said.definition.val if said.definition else ""
    for one in said.synonyms:
        scope = one.pred.removeprefix("has").removesuffix("Synonym").upper()
        entry.name(
            one.val, NameKind.ABBREVIATION if _SHORT.search(one.synonymType) else _SCOPES.get(scope, NameKind.EXACT)
        )
    for value in said.basicPropertyValues:
        if value.pred.endswith("IAO_0100001"):
            entry.link(LinkKind.REPLACED_BY, value.val)
