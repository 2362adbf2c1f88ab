"""Small vocabularies of each kind, made of our own words, and how tests read them."""

import os
from pathlib import Path

from conspectus.graph.vocabularies.reader import read_order
from conspectus.parse.process.wire import Order, VocabularyHead, VocabularyOrder
from conspectus.records.vocabularies import Concept, NameKind

TURTLE = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix NIFRID: <http://uri.neuinfo.org/nif/nifstd/readable/> .
@prefix MY: <http://example.org/terms/my_> .
@prefix other: <http://example.org/> .

<http://example.org/brain.ttl> a owl:Ontology ; owl:versionInfo "3" ;
    owl:imports <http://example.org/cells.ttl>, <http://example.org/away.ttl> .
obo:UBERON_0000955 a owl:Class ; rdfs:label "brain"@en, "Gehirn"@de ; skos:prefLabel "Brain"@en ;
    oio:hasExactSynonym "encephalon" ; oio:hasRelatedSynonym "the brain" ; oio:hasBroadSynonym "head part" ;
    oio:hasNarrowSynonym "suprasegmental structures" ; obo:IAO_0000115 "What thinks." ; NIFRID:abbrev "Br" .
MY:1 a owl:Class ; rdfs:label "colour area"@en-GB ; rdfs:subClassOf obo:UBERON_0000955 ,
    [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom other:cortex ] ;
    skos:altLabel "V4", "7", "x" .
other:cortex a owl:Class ; rdfs:label "Rinde"@de .
obo:UBERON_1 a owl:Class ; rdfs:label "old brain" ; owl:deprecated true ; obo:IAO_0100001 obo:UBERON_0000955 .
MY:2 a owl:Class .
obo:BFO_0000050 a owl:ObjectProperty ; rdfs:label "part of" .
[] a owl:Axiom ; owl:annotatedSource MY:1 ; owl:annotatedProperty oio:hasExactSynonym ; owl:annotatedTarget "V4" ;
    oio:hasSynonymType obo:OMO_0003000 .
"""
CELLS = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/cells.ttl> a owl:Ontology ; owl:imports <http://example.org/brain.ttl> .
<http://purl.obolibrary.org/obo/CL_0000540> a owl:Class ; rdfs:label "neuron" .
"""
OBO = """format-version: 1.4
data-version: 2026-01-01
ontology: cl

[Term]
id: CL:0000540
name: neuron
def: "A cell that fires." [X:1]
synonym: "nerve cell" EXACT []
synonym: "NC" RELATED ABBREVIATION []
is_a: CL:0000393 ! cell
relationship: part_of UBERON:0001016 ! nervous system
alt_id: CL:0000001

[Term]
id: CL:0000393
name: cell
is_obsolete: true
replaced_by: CL:0000540
"""
GRAPHS = """{"graphs": [{"nodes": [
 {"id": "http://purl.obolibrary.org/obo/CL_0000540", "lbl": "neuron", "type": "CLASS",
  "meta": {"definition": {"val": "It fires."}, "synonyms": [{"pred": "hasNarrowSynonym", "val": "brain cell"}]}},
 {"id": "http://purl.obolibrary.org/obo/BFO_0000050", "lbl": "part of", "type": "PROPERTY"}],
 "edges": [{"sub": "http://purl.obolibrary.org/obo/CL_0000540", "pred": "is_a",
  "obj": "http://purl.obolibrary.org/obo/CL_0000393"}]}]}"""
_RECORD = """<DescriptorRecord><DescriptorUI>{ui}</DescriptorUI><DescriptorName><String>{name}</String></DescriptorName>
<SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D1</DescriptorUI></DescriptorReferredTo>
</SeeRelatedDescriptor></SeeRelatedList><TreeNumberList><TreeNumber>{tree}</TreeNumber></TreeNumberList>
<ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI><ScopeNote>About {name}.</ScopeNote>
<ConceptRelationList><ConceptRelation RelationName="NRW"><Concept1UI>M1</Concept1UI><Concept2UI>M2</Concept2UI>
</ConceptRelation></ConceptRelationList><TermList><Term IsPermutedTermYN="N"><String>{name}</String></Term>
<Term IsPermutedTermYN="Y"><String>{name}, turned</String></Term>
<Term IsPermutedTermYN="N" LexicalTag="ABB"><String>{name} abb</String></Term></TermList></Concept>
<Concept PreferredConceptYN="N"><ConceptUI>M2</ConceptUI><TermList><Term><String>narrow {name}</String></Term>
</TermList></Concept></ConceptList></DescriptorRecord>"""
MESH = (
    '<?xml version="1.0"?><!DOCTYPE DescriptorRecordSet SYSTEM "x.dtd"><DescriptorRecordSet>'
    + _RECORD.format(ui="D1", name="Ganglia", tree="A08.1")
    + _RECORD.format(ui="D2", name="Basal Ganglia", tree="A08.1.2")
    + _RECORD.format(ui="D3", name="Skin", tree="A17")
    + "</DescriptorRecordSet>"
)
TABLE = """id	label	synonyms	broader
X:1	magnetic reconnection	reconnection | field line merging	X:2
X:2	plasma	ionised gas	X:3
"""
ENTITIES = '<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)
"""Entities of XML of which the last unfolds to 10 GB."""


def read(
    *paths: Path, subtree: tuple[str, ...] = (), languages: tuple[str, ...] = ("en",)
) -> tuple[dict[str, Concept], VocabularyHead]:
    """Return the concepts of a vocabulary by their ids, and its head."""
    order = VocabularyOrder(tuple(os.fsencode(path) for path in paths), "my words", subtree, languages)
    every = list(read_order(Order(b"", "vocabulary", vocabulary=order)))
    head = every[-1].vocabulary
    assert head is not None
    return {one.id: one for report in every for one in report.concepts}, head


def write_file(place: Path, text: str | bytes) -> Path:
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    return place


def names(concept: Concept) -> dict[str, NameKind]:
    return {name.text: name.kind for name in concept.names}
