"""RDF: classes of OWL ontologies and concepts of SKOS thesauri."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from conspectus.core.errors import InputError, UnavailableError
from conspectus.graph.vocabularies.gathering import Gathered
from conspectus.records.concepts import LinkKind, NameKind

if TYPE_CHECKING:
    from pyoxigraph import Literal, Quad, QuadParser

REMEDY = "Install it: pip install 'conspectus[graph]'"
STEP = 50_000
"""Statements between two signs of life."""
_HEAD = 500
"""Statements among which a file says which ontology it is."""
_RDF, _RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
_OWL, _SKOS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2004/02/skos/core#"
_OIO, _OBO = "http://www.geneontology.org/formats/oboInOwl#", "http://purl.obolibrary.org/obo/"
_NIF, _DC = "http://uri.neuinfo.org/nif/nifstd/readable/", "http://purl.org/dc/terms/"

_NAMES = {
    f"{_SKOS}prefLabel": NameKind.PREFERRED,
    f"{_RDFS}label": NameKind.LABEL,
    f"{_SKOS}altLabel": NameKind.EXACT,
    f"{_SKOS}hiddenLabel": NameKind.EXACT,
    f"{_OIO}hasExactSynonym": NameKind.EXACT,
    f"{_OIO}hasRelatedSynonym": NameKind.RELATED,
    f"{_OIO}hasSynonym": NameKind.RELATED,
    f"{_OIO}hasBroadSynonym": NameKind.BROAD,
    f"{_OIO}hasNarrowSynonym": NameKind.NARROW,
    f"{_OBO}IAO_0000118": NameKind.EXACT,
    "http://www.ebi.ac.uk/efo/alternative_term": NameKind.EXACT,
    f"{_NIF}synonym": NameKind.EXACT,
    f"{_NIF}abbrev": NameKind.ABBREVIATION,
    f"{_NIF}acronym": NameKind.ABBREVIATION,
}
_LINKS = {
    f"{_RDFS}subClassOf": LinkKind.BROADER,
    f"{_SKOS}broader": LinkKind.BROADER,
    f"{_SKOS}related": LinkKind.RELATED,
    f"{_SKOS}exactMatch": LinkKind.SAME,
    f"{_OWL}equivalentClass": LinkKind.SAME,
    f"{_OBO}BFO_0000050": LinkKind.PART_OF,
    f"{_OBO}IAO_0100001": LinkKind.REPLACED_BY,
    f"{_NIF}isReplacedByClass": LinkKind.REPLACED_BY,
    f"{_DC}isReplacedBy": LinkKind.REPLACED_BY,
}
_DEFINITIONS = (f"{_OBO}IAO_0000115", f"{_SKOS}definition")
_CONCEPTS = (f"{_OWL}Class", f"{_RDFS}Class", f"{_SKOS}Concept")
_VERSIONS = (f"{_OWL}versionIRI", f"{_OWL}versionInfo")
_OF_SCHEMA = (_OWL, _RDFS, _RDF, f"{_SKOS}Concept")
_PART_OF = re.compile(r"(?:BFO_0000050|part_?of\d*)$", re.IGNORECASE)
_SHORT = re.compile(r"abbreviation$|acronym$|OMO_0003000$|OMO_0003012$", re.IGNORECASE)
_OF_AXIOMS = {f"{_OWL}annotatedSource": 0, f"{_OWL}annotatedTarget": 1, f"{_OIO}hasSynonymType": 2}


def read_rdf(stream: BinaryIO, name: str, form: str, found: Gathered) -> Iterator[None]:
    """Gathers what a file says; a sign of life now and then.

    Args:
        stream: its bytes.
        name: of the file.
        form: one of pyoxigraph's (`TURTLE`, `RDF_XML`, `N_TRIPLES`, `JSON_LD` …).
        found: where it is gathered.

    Raises:
        InputError: it is not well-formed.
    """
    quads, nodes = _parsed(stream, name, form), _Nodes()
    try:
        for number, quad in enumerate(quads, 1):
            _take(quad, found, nodes)
            if not number % STEP:
                yield
    except (SyntaxError, ValueError, OSError) as error:
        raise _refused(name, error) from error
    nodes.settle(found)
    for prefix, space in quads.prefixes.items():
        found.prefixes.setdefault(space, prefix)


def ontology_of(stream: BinaryIO, name: str, form: str) -> str:
    """The IRI of the ontology that a file says it is, near its beginning; "" where it says none."""
    try:
        for quad in islice(_parsed(stream, name, form), _HEAD):
            if quad.predicate.value == f"{_RDF}type" and str(quad.object) == f"<{_OWL}Ontology>":
                return str(quad.subject).strip("<>")
    except (SyntaxError, ValueError, OSError):
        pass
    return ""


def _parsed(stream: BinaryIO, name: str, form: str) -> QuadParser:
    try:
        from pyoxigraph import RdfFormat, parse
    except ImportError as error:
        raise UnavailableError(f"'{name}' is RDF, for which a library is missing.", REMEDY) from error
    return parse(stream, getattr(RdfFormat, form), base_iri=f"file:///{quote(name)}", lenient=True)


def _refused(name: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:300]
    if "LoadDocument" in reason or "context" in reason.lower():
        return InputError(f"'{name}' needs a context that is elsewhere: {reason}", "Save it with its context inside.")
    return InputError(
        f"'{name}' is no well-formed RDF: {reason.rstrip('.')}.", "Fetch or export it anew, for example as Turtle."
    )


class _Nodes:
    """What is said of nodes without a name: restrictions (part of what), and axioms about names (of which type)."""

    def __init__(self) -> None:
        self._property: dict[str, str] = {}
        self._filler: dict[str, str] = {}
        self._axioms: dict[str, list[str]] = {}
        self._narrowed: list[tuple[str, str]] = []

    def take(self, node: str, predicate: str, target: str) -> None:
        """Something that is said of one."""
        if predicate == f"{_OWL}onProperty":
            self._property[node] = target
        elif predicate == f"{_OWL}someValuesFrom":
            self._filler[node] = target
        elif (place := _OF_AXIOMS.get(predicate)) is not None:
            self._axioms.setdefault(node, ["", "", ""])[place] = target

    def narrows(self, name: str, node: str) -> None:
        """A class is a subclass of one."""
        self._narrowed.append((name, node))

    def settle(self, found: Gathered) -> None:
        """What they mean, once all is there."""
        for name, node in self._narrowed:
            if _PART_OF.search(self._property.get(node, "")) and (whole := self._filler.get(node)):
                found[name].link(LinkKind.PART_OF, whole)
        for source, text, kind in self._axioms.values():
            if _SHORT.search(kind) and (entry := found.entries.get(source)):
                entry.names += [(own, NameKind.ABBREVIATION, tongue) for own, _, tongue in entry.names if own == text]


def _take(quad: Quad, found: Gathered, nodes: _Nodes) -> None:
    """One statement."""
    from pyoxigraph import BlankNode, Literal, NamedNode

    subject, said, target = quad.subject, quad.predicate.value, quad.object
    if isinstance(subject, BlankNode):
        if isinstance(target, NamedNode | Literal):
            nodes.take(subject.value, said, target.value)
    elif isinstance(subject, NamedNode):
        if isinstance(target, Literal):
            _take_text(subject.value, said, target, found)
        elif isinstance(target, NamedNode):
            _take_link(subject.value, said, target.value, found)
        elif said == f"{_RDFS}subClassOf" and isinstance(target, BlankNode):
            nodes.narrows(subject.value, target.value)


def _take_text(name: str, said: str, text: Literal, found: Gathered) -> None:
    if kind := _NAMES.get(said):
        found[name].name(text.value, kind, text.language or "")
    elif said in _DEFINITIONS:
        found[name].definition = found[name].definition or text.value
    elif said == f"{_OWL}deprecated":
        found[name].deprecated = text.value in ("true", "1")
    elif said in _VERSIONS and name in found.ontologies:
        found.version = found.version or text.value


def _take_link(name: str, said: str, target: str, found: Gathered) -> None:
    if said == f"{_RDF}type":
        entry = found[name]
        entry.typed, entry.known = True, entry.known or target in _CONCEPTS
        if target == f"{_OWL}Ontology":
            found.ontologies.add(name)
    elif said == f"{_OWL}imports":
        found.imports[target] = None
    elif said == f"{_SKOS}narrower":
        found[target].link(LinkKind.BROADER, name)
    elif (kind := _LINKS.get(said)) and not target.startswith(_OF_SCHEMA):
        found[name].link(kind, target)
    elif said in _VERSIONS:
        found.version = found.version or target
