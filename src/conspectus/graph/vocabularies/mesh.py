"""The descriptors of MeSH, from the National Library of Medicine's XML (`desc2026.xml`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.gathering import Entry, Gathered
from conspectus.records.concepts import LinkKind, NameKind

PREFIX = "MESH"
STEP = 2_000
_RECORD = "DescriptorRecord"
_RELATIONS = {"NRW": NameKind.NARROW, "BRD": NameKind.BROAD, "REL": NameKind.RELATED}
_SHORT = ("ABB", "ABX", "ACR", "ACX")


def read_mesh(stream: BinaryIO, name: str, found: Gathered) -> Iterator[None]:
    """Gathers descriptors: terms of the preferred concept are exact, those of others narrower, broader or related.

    Raises:
        InputError: it is not well-formed.
    """
    options = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    try:
        for number, (_, record) in enumerate(etree.iterparse(stream, tag=_RECORD, **options), 1):
            _take(record, found)
            record.clear()
            while (before := record.getprevious()) is not None:  # else the emptied records of the whole file stay
                before.getparent().remove(before)
            if not number % STEP:
                yield
    except etree.XMLSyntaxError as error:
        reason = " ".join((error.msg or "it is cut off").split())[:300]
        raise InputError(f"'{name}' is no well-formed XML: {reason}.", "Fetch it anew.") from error


def _take(record: etree._Element, found: Gathered) -> None:
    entry = found[f"{PREFIX}:{record.findtext('DescriptorUI', '').strip()}"]
    entry.known = True
    entry.name(record.findtext("DescriptorName/String", ""), NameKind.PREFERRED)
    entry.codes += [place.text.strip() for place in record.iterfind("TreeNumberList/TreeNumber") if place.text]
    for other in record.iterfind("SeeRelatedList/SeeRelatedDescriptor/DescriptorReferredTo/DescriptorUI"):
        entry.link(LinkKind.RELATED, f"{PREFIX}:{(other.text or '').strip()}")
    concepts = record.findall("ConceptList/Concept")
    kinds = {
        relation.findtext("Concept2UI", ""): _RELATIONS.get(relation.get("RelationName", ""), NameKind.RELATED)
        for concept in concepts
        for relation in concept.iterfind("ConceptRelationList/ConceptRelation")
        if concept.get("PreferredConceptYN") == "Y"
    }
    for concept in concepts:
        preferred = concept.get("PreferredConceptYN") == "Y"
        _take_terms(concept, entry, NameKind.EXACT if preferred else _kind(concept, kinds))
        if preferred:
            entry.definition = concept.findtext("ScopeNote", "")


def _kind(concept: etree._Element, kinds: dict[str, NameKind]) -> NameKind:
    return kinds.get(concept.findtext("ConceptUI", ""), NameKind.RELATED)


def _take_terms(concept: etree._Element, entry: Entry, kind: NameKind) -> None:
    """Its terms; those that are only turned around (`Ganglia, Spinal`) are none that texts use."""
    for term in concept.iterfind("TermList/Term"):
        if term.get("IsPermutedTermYN") != "Y":
            short = term.get("LexicalTag", "") in _SHORT and kind is NameKind.EXACT
            entry.name(term.findtext("String", ""), NameKind.ABBREVIATION if short else kind)
