"""Descriptors, supplementary records and qualifiers of MeSH, from the National Library of Medicine's XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.draft import DraftConcept, VocabularyDraft
from conspectus.records.vocabularies import LinkKind, NameKind

PREFIX = "MESH"
STEP = 2_000
_RECORDS = {
    "DescriptorRecord": "Descriptor",
    "SupplementalRecord": "SupplementalRecord",
    "QualifierRecord": "Qualifier",
}
"""Kinds of records, and what the names of their own elements begin with."""
_RELATIONS = {"NRW": NameKind.NARROW, "BRD": NameKind.BROAD, "REL": NameKind.RELATED}
_RELATED = ("SeeRelatedList/SeeRelatedDescriptor", "HeadingMappedToList/HeadingMappedTo")
_SHORT = ("ABB", "ABX", "ACR", "ACX")


def read_mesh(stream: BinaryIO, name: str, draft: VocabularyDraft) -> Iterator[None]:
    """Gather records: terms of the preferred concept are exact, those of others narrower, broader or related.

    Raises:
        InputError: it is not well-formed.
    """
    options = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
    try:
        for number, (_, record) in enumerate(etree.iterparse(stream, tag=tuple(_RECORDS), **options), 1):
            _take(record, draft)
            record.clear()
            while (before := record.getprevious()) is not None:  # else the emptied records of the whole file stay
                before.getparent().remove(before)
            if not number % STEP:
                yield
    except etree.XMLSyntaxError as error:
        reason = " ".join((error.msg or "it is cut off").split())[:300]
        raise InputError(f"'{name}' is no well-formed XML: {reason}.", "Fetch it again.") from error


def _take(record: etree._Element, draft: VocabularyDraft) -> None:
    prefix = _RECORDS[record.tag]
    entry = draft[f"{PREFIX}:{record.findtext(f'{prefix}UI', '').strip()}"]
    entry.known = True
    entry.name(record.findtext(f"{prefix}Name/String", ""), NameKind.PREFERRED)
    entry.codes += [place.text.strip() for place in record.iterfind("TreeNumberList/TreeNumber") if place.text]
    for path in _RELATED:
        for other in record.iterfind(f"{path}/DescriptorReferredTo/DescriptorUI"):
            entry.link(LinkKind.RELATED, f"{PREFIX}:{(other.text or '').strip().lstrip('*')}")
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
            entry.definition = concept.findtext("ScopeNote", "") or record.findtext("Note", "")


def _kind(concept: etree._Element, kinds: dict[str, NameKind]) -> NameKind:
    return kinds.get(concept.findtext("ConceptUI", ""), NameKind.RELATED)


def _take_terms(concept: etree._Element, entry: DraftConcept, kind: NameKind) -> None:
    """Its terms; those that are only turned around (`Ganglia, Spinal`) are none that texts use."""
    for term in concept.iterfind("TermList/Term"):
        if term.get("IsPermutedTermYN") != "Y":
            short = term.get("LexicalTag", "") in _SHORT and kind is NameKind.EXACT
            entry.name(term.findtext("String", ""), NameKind.ABBREVIATION if short else kind)
