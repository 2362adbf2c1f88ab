"""The graph as GraphML, JSON-LD, Cypher or CSV, piece by piece."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

NODES: Mapping[str, Mapping[str, type]] = {
    "Entity": {"curie": str, "label": str, "vocabulary": str, "papers": int, "sentences": int},
    "Paper": {"title": str, "year": int, "doi": str},
    "Paragraph": {"section": str, "kind": str, "number": int, "text": str},
    "Sentence": {"text": str},
}
"""Kind -> what is said of each, beside its `id`."""
TIES: Mapping[str, tuple[str, str, Mapping[str, type]]] = {
    "IN_PAPER": ("Sentence", "Paper", {}),
    "IN_PARAGRAPH": ("Sentence", "Paragraph", {}),
    "PARAGRAPH_OF": ("Paragraph", "Paper", {}),
    "MENTIONS": ("Sentence", "Entity", {"start": int, "stop": int, "words": str, "score": float, "method": str}),
    "DESCRIBES": ("Sentence", "Entity", {"model": str}),
    "MENTIONED_IN": ("Entity", "Paragraph", {"sentences": int, "described": int, "span_ids": list}),
    "RELATED_TO": ("Entity", "Entity", {"kind": str, "papers": int, "sentences": int, "span_ids": list}),
}
"""Kind -> of what to what it leads, and what is said of each."""
OWN: Mapping[str, str] = {"MENTIONS": "start", "DESCRIBES": "model", "RELATED_TO": "kind"}
"""By what two of a kind between the same are distinguished."""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, a paper, a paragraph or a sentence."""

    kind: str
    id: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tie:
    """What leads from one to another, by their ids."""

    kind: str
    first: str
    second: str
    properties: Mapping[str, Any]


Parts = Iterable[Node | Tie]
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def all_fields(part: Node | Tie) -> dict[str, Any]:
    """All that can be said of its kind; None, which in a database takes away what was said before, where it is not."""
    fields = NODES[part.kind] if isinstance(part, Node) else TIES[part.kind][2]
    return {**dict.fromkeys(fields), **part.properties}


def graphml(parts: Parts) -> Iterator[str]:
    """The pieces of a GraphML file; its edges have a direction, which says nothing for `RELATED_TO`."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for on, fields in (("node", _fields(NODES.values())), ("edge", _fields(tie[2] for tie in TIES.values()))):
        for name, kind in {"kind_of": str, **fields}.items():
            type_name = {int: "long", float: "double"}.get(kind, "string")
            yield f'<key id="{on}.{name}" for="{on}" attr.name="{name}" attr.type="{type_name}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for number, part in enumerate(parts):
        if isinstance(part, Node):
            yield f"<node id={_quoted(_iri(part.kind, part.id))}>{_data('node', part)}</node>\n"
        else:
            ends = f"source={_quoted(_end(part, 0))} target={_quoted(_end(part, 1))}"
            yield f'<edge id="e{number}" {ends}>{_data("edge", part)}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _fields(of: Iterable[Mapping[str, type]]) -> dict[str, type]:
    return {name: kind for fields in of for name, kind in fields.items()}


def _data(on: str, part: Node | Tie) -> str:
    fields = {"kind_of": part.kind, **part.properties}
    return "".join(f'<data key="{on}.{name}">{_xml(value)}</data>' for name, value in fields.items())


def _xml(value: Any) -> str:
    return escape(_sane(" ".join(value) if isinstance(value, list) else str(value)))


def _quoted(text: str) -> str:
    return quoteattr(_sane(text))


def _sane(text: str) -> str:
    """A text without the characters that XML cannot have."""
    return _NOT_XML.sub("\ufffd", text)


def jsonld(parts: Parts) -> Iterator[str]:
    """The pieces of a JSON-LD file; what joins two entities is a node of its own, for sentences hang on it."""
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    yield f'{{"@context": {json.dumps({"@vocab": "urn:conspectus:", "label": label})},\n"@graph": [\n'
    for number, part in enumerate(parts):
        yield (",\n" if number else "") + json.dumps(_ld(part), ensure_ascii=False)
    yield "\n]}\n"


def _ld(part: Node | Tie) -> dict[str, Any]:
    if isinstance(part, Node):
        return {"@id": _iri(part.kind, part.id), "@type": part.kind, **part.properties}
    fields = {name: value for name, value in part.properties.items() if name != "span_ids"}
    spans = [{"@id": _iri("Sentence", span)} for span in part.properties.get("span_ids", ())]
    ends = {"first": {"@id": _end(part, 0)}, "second": {"@id": _end(part, 1)}}
    return {"@type": part.kind, **ends, **fields, **({"said_in": spans} if spans else {})}


def cypher(parts: Parts) -> Iterator[str]:
    """Statements, a line each, that put the graph into a database, or bring it up to date there."""
    for kind in NODES:
        yield f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{kind}) REQUIRE n.id IS UNIQUE;\n"
    for part in parts:
        if isinstance(part, Node):
            yield f"MERGE (n:{part.kind} {{id: {_literal(part.id)}}}) SET n += {_map(all_fields(part))};\n"
        else:
            start, end, _ = TIES[part.kind]
            ends = f"MATCH (a:{start} {{id: {_literal(part.first)}}}) MATCH (b:{end} {{id: {_literal(part.second)}}})"
            key_fields = {name: part.properties[name] for name in (OWN.get(part.kind),) if name}
            yield f"{ends} MERGE (a)-[r:{part.kind} {_map(key_fields)}]->(b) SET r += {_map(all_fields(part))};\n"


def _map(fields: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name}: {_literal(value)}" for name, value in fields.items()) + "}"


def _literal(value: Any) -> str:
    """A number, a text, a list of texts or null: with these, JSON in ASCII is Cypher, too."""
    return json.dumps(value)


def table_heads() -> dict[str, str]:
    """The tables of CSV, as Neo4j's import reads them: name -> its first line."""
    types = {int: ":int", float: ":float", list: ":string[]", str: ""}
    heads = {
        kind: [f"id:ID({kind})", *(f"{name}{types[of]}" for name, of in fields.items())]
        for kind, fields in NODES.items()
    }
    for kind, (start, end, fields) in TIES.items():
        columns = (f"{name}{types[of]}" for name, of in fields.items())
        heads[kind] = [f":START_ID({start})", f":END_ID({end})", *columns]
    return {kind: _line([*head, ":LABEL" if kind in NODES else ":TYPE"]) for kind, head in heads.items()}


def table_line(part: Node | Tie) -> str:
    """Its line in the table of its kind."""
    if isinstance(part, Node):
        return _line([part.id, *(part.properties.get(name, "") for name in NODES[part.kind]), part.kind])
    return _line([part.first, part.second, *(part.properties.get(name, "") for name in TIES[part.kind][2]), part.kind])


def _line(values: Iterable[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(
        ";".join(value) if isinstance(value, list) else value for value in values
    )
    return buffer.getvalue()


def _end(tie: Tie, at: int) -> str:
    return _iri(str(TIES[tie.kind][at]), (tie.first, tie.second)[at])


def _iri(kind: str, name: str) -> str:
    return f"urn:conspectus:{kind.lower()}:{quote(name, safe=':/')}"


TEXTS = {"graphml": graphml, "jsonld": jsonld, "cypher": cypher}
