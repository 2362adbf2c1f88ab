"""RDF: classes of OWL ontologies and concepts of SKOS thesauri. Statements that cannot be read are reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import islice
from typing import TYPE_CHECKING

from conspectus.graph.vocabularies.draft import VocabularyDraft
from conspectus.graph.vocabularies.obo import TREAT_AS_SAME
from conspectus.graph.vocabularies.rdf_statements import RDF as _RDF
from conspectus.graph.vocabularies.rdf_statements import parse_rdf, read_statements
from conspectus.records.vocabularies import LinkKind, NameKind

if TYPE_CHECKING:
    from pyoxigraph import Literal, Quad

STEP = 50_000
"""Statements between two signs of life."""
_HEAD = 500
"""Statements among which a file says which ontology it is."""
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL, _SKOS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2004/02/skos/core#"
_OIO, _OBO = "http://www.geneontology.org/formats/oboInOwl#", "http://purl.obolibrary.org/obo/"
_XL = "http://www.w3.org/2008/05/skos-xl#"
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
_LABELS = {
    f"{_XL}prefLabel": NameKind.PREFERRED,
    f"{_XL}altLabel": NameKind.EXACT,
    f"{_XL}hiddenLabel": NameKind.EXACT,
}
"""What leads to a label that is a node itself, whose text is its `literalForm` (SKOS-XL)."""
_LINKS = {
    f"{_RDFS}subClassOf": LinkKind.BROADER,
    f"{_SKOS}broader": LinkKind.BROADER,
    f"{_SKOS}related": LinkKind.RELATED,
    f"{_SKOS}exactMatch": LinkKind.SAME,
    f"{_SKOS}closeMatch": LinkKind.XREF,
    f"{_OWL}equivalentClass": LinkKind.SAME,
    f"{_OBO}BFO_0000050": LinkKind.PART_OF,
    f"{_OBO}IAO_0100001": LinkKind.REPLACED_BY,
    f"{_NIF}isReplacedByClass": LinkKind.REPLACED_BY,
    f"{_DC}isReplacedBy": LinkKind.REPLACED_BY,
}
_REFERS = f"{_OIO}hasDbXref"
_DEFINITIONS = (f"{_OBO}IAO_0000115", f"{_SKOS}definition")
_CONCEPTS = (f"{_OWL}Class", f"{_RDFS}Class", f"{_SKOS}Concept")
_VERSIONS = (f"{_OWL}versionIRI", f"{_OWL}versionInfo")
_OF_SCHEMA = (_OWL, _RDFS, _RDF, f"{_SKOS}Concept")
_PART_OF = re.compile(r"(?:BFO_0000050|part_?of\d*)$", re.IGNORECASE)
_SHORT = re.compile(r"abbreviation$|acronym$|OMO_0003000$|OMO_0003012$", re.IGNORECASE)
_OF_AXIOMS = {f"{_OWL}annotatedSource": 0, f"{_OWL}annotatedTarget": 1, f"{_OIO}hasSynonymType": 2}


def read_rdf(
    stream: BufferedReader, name: str, form: str, draft: VocabularyDraft, reopen: Callable[[], BufferedReader]
) -> Iterator[None]:
    """Gather what a file says. Yields as a sign of life; the arguments are those of `read_statements`.

    Raises:
        InputError: It is not well-formed as a whole, is cut off, or nothing of it can be read.
    """
    nodes = _Nodes()
    for number, quad in enumerate(read_statements(stream, name, form, draft, reopen), 1):
        _take_statement(quad, draft, nodes)
        if not number % STEP:
            yield
    nodes.settle(draft)


def ontology_of(stream: BufferedReader, name: str, form: str) -> str:
    """Return the IRI of the ontology that a file says it is, near its beginning; "" where it says none."""
    try:
        for quad in islice(parse_rdf(stream, name, form), _HEAD):
            if quad.predicate.value == f"{_RDF}type" and str(quad.object) == f"<{_OWL}Ontology>":
                return str(quad.subject).strip("<>")
    except (SyntaxError, ValueError, OSError):
        pass
    return ""


class _Nodes:
    """What is said of nodes that serve others: restrictions (part of what), axioms about names, labels."""

    def __init__(self) -> None:
        self._property: dict[str, str] = {}
        self._filler: dict[str, str] = {}
        self._axioms: dict[str, list[str]] = {}
        self._narrowed: list[tuple[str, str]] = []
        self._labels: list[tuple[str, NameKind, str]] = []
        self._forms: dict[str, list[tuple[str, str]]] = {}

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

    def label(self, name: str, kind: NameKind, node: str) -> None:
        """Note that a concept has a label that is a node."""
        self._labels.append((name, kind, node))

    def form(self, node: str, text: str, language: str) -> None:
        """Note the text of a label."""
        self._forms.setdefault(node, []).append((text, language))

    def settle(self, draft: VocabularyDraft) -> None:
        """What they mean, once all is there."""
        for name, label_kind, node in self._labels:
            for text, language in self._forms.get(node, ()):
                draft[name].name(text, label_kind, language)
        for name, node in self._narrowed:
            if _PART_OF.search(self._property.get(node, "")) and (filler := self._filler.get(node)):
                draft[name].link(LinkKind.PART_OF, filler)
        for source, text, kind in self._axioms.values():
            if _SHORT.search(kind) and (entry := draft.entries.get(source)):
                entry.names += [
                    (entry_name, NameKind.ABBREVIATION, tongue)
                    for entry_name, _, tongue in entry.names
                    if entry_name == text
                ]


def _take_statement(quad: Quad, draft: VocabularyDraft, nodes: _Nodes) -> None:
    """One statement."""
    from pyoxigraph import BlankNode, Literal, NamedNode

    subject, predicate, target = quad.subject, quad.predicate.value, quad.object
    if predicate.startswith(_XL) and isinstance(subject, NamedNode | BlankNode):
        if label_kind := _LABELS.get(predicate):
            nodes.label(subject.value, label_kind, str(target))
        elif predicate == f"{_XL}literalForm" and isinstance(target, Literal):
            nodes.form(str(subject), target.value, target.language or "")
    elif isinstance(subject, BlankNode):
        if isinstance(target, NamedNode | Literal):
            nodes.take(subject.value, predicate, target.value)
    elif isinstance(subject, NamedNode):
        if isinstance(target, Literal):
            _take_text(subject.value, predicate, target, draft)
        elif isinstance(target, NamedNode):
            _take_link(subject.value, predicate, target.value, draft)
        elif predicate == f"{_RDFS}subClassOf" and isinstance(target, BlankNode):
            nodes.narrows(subject.value, target.value)


def _take_text(name: str, predicate: str, text: Literal, draft: VocabularyDraft) -> None:
    if kind := _NAMES.get(predicate):
        draft[name].name(text.value, kind, text.language or "")
    elif predicate in _DEFINITIONS:
        draft[name].definition = draft[name].definition or text.value
    elif predicate == f"{_OWL}deprecated":
        draft[name].deprecated = text.value in ("true", "1")
    elif predicate == _REFERS:
        draft[name].refer(text.value)
    elif predicate == f"{_OIO}{TREAT_AS_SAME}":
        draft.equivalent_prefixes.add(text.value)
    elif predicate in _VERSIONS and name in draft.ontologies:
        draft.version = draft.version or text.value


def _take_link(name: str, predicate: str, target: str, draft: VocabularyDraft) -> None:
    if predicate == f"{_RDF}type":
        entry = draft[name]
        entry.typed, entry.known = True, entry.known or target in _CONCEPTS
        if target == f"{_OWL}Ontology":
            draft.ontologies.add(name)
    elif predicate == f"{_OWL}imports":
        draft.imports[target] = None
    elif predicate == f"{_SKOS}narrower":
        draft[target].link(LinkKind.BROADER, name)
    elif predicate == _REFERS:
        draft[name].refer(target)
    elif (kind := _LINKS.get(predicate)) and not target.startswith(_OF_SCHEMA):
        draft[name].link(kind, target)
    elif predicate in _VERSIONS:
        draft.version = draft.version or target
