"""Vocabularies as they are published: one bad line costs that line, named with its number, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from case_reading import add_vocabulary, concept_names
from conspectus import Library
from helpers import open_library

HEAD = 'format-version: 1.2\nontology: reef\nsynonymtypedef: ABBR "abbreviation" EXACT\n\n'
TERM = '[Term]\nid: REEF:0000001\nname: fringing reef\n{line}\nsynonym: "shore reef" EXACT []\n\n'
OTHER = (
    '[Term]\nid: REEF:0000002\nname: barrier reef\nsynonym: "outer reef" EXACT []\nis_a: REEF:0000001 ! fringing reef\n'
)
LINE = 8
"""The line of the file that `line` of `TERM` is on."""
WHOLE = {"fringing reef": {"fringing reef", "shore reef"}, "barrier reef": {"barrier reef", "outer reef"}}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(tmp_path_factory.mktemp("vocabularies") / "lib") as opened:
        yield opened


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / re.sub(r"\W+", "-", name)
    path = path.with_name(path.name.strip("-") + ".obo") if "." not in name else folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


LINES = {
    "xref with a space in its address": "xref: https://en.wikipedia.example/wiki/Fringing reef",
    "xref of a pattern": 'xref: id-validation-regexp:"[A-Z]{4}:[0-9]{7}"',
    "xref with words and braces": 'xref: CAS:50-00-0 {source="Book {1}"} "Reef Web Book"',
    "xref without a prefix": "xref: Fringing",
    "empty xref": "xref:",
    "a source with a comma": 'def: "A reef at the shore." [Smith, J. (2003), Reefs, p. 5]',
    "a source that is an address": 'def: "A reef at the shore." [http://reef.example/a b?x=1,2]',
    "def without sources": 'def: "A reef at the shore."',
    "def with quotes inside": 'def: "A so-called "fringing" reef at the shore." [REEF:curators]',
    "def without its last quote": 'def: "A reef at the shore. [REEF:curators]',
    "def without quotes": "def: A reef at the shore. [REEF:curators]",
    "two defs": 'def: "A reef." [X:1]\ndef: "A reef at the shore." [X:2]',
    "two names": "name: reef at the shore",
    "synonym type that nobody defined": 'synonym: "FR" EXACT MY_TYPE [REEF:curators]',
    "synonym scope in small letters": 'synonym: "FR" exact []',
    "synonym scope that is none": 'synonym: "FR" SAME_AS []',
    "synonym with a prime and quotes": 'synonym: "5\'-reef-3"-ol" RELATED []',
    "is_a without an id": "is_a: ",
    "is_a with a name alone": "is_a: shore structure",
    "relationship of one word": "relationship: part_of",
    "property without a type": 'property_value: seeAlso "http://reef.example"',
    "creation_date in words": "creation_date: last Tuesday",
    "is_obsolete in words": "is_obsolete: maybe",
    "a tag that nobody knows": "reviewed_by: Ana",
    "no tag": "This line is a remark of the editor",
    "a tab": "\tcomment: moved from the old file",
    "a control character": "comment: a\x0bb\x0c",
    "a brace that never closes": 'comment: see {note="x"',
    "an escape that is none": "comment: the \\q reef",
    "alt_id with spaces": "alt_id: REEF:0000009 REEF:0000010",
    "subset that nobody declared": "subset: reef slim",
    "a letter of another encoding": "comment: r\udce9cif",
    "a comment between the lines": "! moved from the old file",
}  # fmt: skip


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_bad_line_costs_that_line(
    tmp_path: Path, library: Library, line: str, request: pytest.FixtureRequest
) -> None:
    """A user would have no vocabulary at all because of one line of a hundred thousand."""
    name = request.node.callspec.id
    path = written(tmp_path, HEAD + TERM.format(line=line) + OTHER, name)
    added = add_vocabulary(library, path, name)
    assert added.outcome == "added", added.reason
    found = concept_names(library, name)
    assert {label: WHOLE[label] <= found.get(label, set()) for label in WHOLE} == dict.fromkeys(WHOLE, True)


NAMED = ["def without quotes", "synonym scope that is none", "no tag", "relationship of one word"]


@pytest.mark.parametrize("name", NAMED)
def test_a_line_that_was_left_out_is_named(tmp_path: Path, library: Library, name: str) -> None:
    """The user would not know which synonym or definition is missing."""
    path = written(tmp_path, HEAD + TERM.format(line=LINES[name]) + OTHER, "named " + name)
    added = add_vocabulary(library, path, "named " + name)
    assert added.outcome == "added", added.reason
    assert any(re.search(rf"\bline {LINE}\b", note) for note in added.notes), added.notes


def test_a_term_without_an_id_costs_that_term(tmp_path: Path, library: Library) -> None:
    """Its names would be given to a neighbour, or the file would be refused."""
    path = written(tmp_path, HEAD + "[Term]\nname: lost reef\n\n" + TERM.format(line="comment: x") + OTHER, "no-id.obo")
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    assert concept_names(library, path.name) == WHOLE
    assert any("line 5" in note or "line 6" in note for note in added.notes), added.notes


BODY = TERM.format(line="comment: x") + OTHER
FRAMES = {
    "no head": BODY,
    "no head, an empty line": "\n" + BODY,
    "a mark of the encoding": "\ufeff" + BODY,
    "a comment in front": "! made by hand\n! 2026\n" + HEAD + BODY,
    "a comment between the frames": HEAD + BODY.replace("\n\n[Term]", "\n\n! ====\n! barrier reefs\n\n[Term]"),
    "a comment close to a frame": HEAD + BODY.replace("\n\n[Term]", "\n! barrier reefs\n[Term]"),
    "a comment at the end": HEAD + BODY + "\n! end of the file",
    "a comment behind the type of a frame": HEAD + BODY.replace("[Term]", "[Term] ! a term"),
    "carriage returns": (HEAD + BODY).replace("\n", "\r\n"),
    "a frame without a body": HEAD + BODY + "\n[Term]\n",
    "a bad frame of a relation": HEAD + BODY + "\n[Typedef]\nid: part of\nname: part of\nis_transitive: yes\n",
    "a frame of an unknown type": HEAD + BODY + "\n[Remark]\nid: X\ntext: y\n",
    "no empty lines": HEAD + BODY.replace("\n\n", "\n"),
    "a head with a bad line": HEAD.replace("ontology", "date: yesterday\nontology") + BODY,
}


@pytest.mark.parametrize("text", FRAMES.values(), ids=FRAMES)
def test_frames_and_comments(tmp_path: Path, library: Library, text: str, request: pytest.FixtureRequest) -> None:
    """A file that other programs read would be refused, or would end the program that reads it."""
    name = request.node.callspec.id
    added = add_vocabulary(library, written(tmp_path, text, name), name)
    assert added.outcome == "added", added.reason
    assert concept_names(library, name) == WHOLE


PREFIXES = (
    "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .\n"
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n@prefix r: <http://reef.example/> .\n"
)
XML_HEAD = (
    '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:xl="http://www.w3.org/2008/05/skos-xl#">'
)
RDF = {
    "skosxl-blank.ttl": PREFIXES
    + 'r:1 a skos:Concept ; xl:prefLabel [ a xl:Label ; xl:literalForm "fringing reef"@en ] ; '
    'xl:altLabel [ xl:literalForm "shore reef"@en ] .\n'
    'r:2 a skos:Concept ; skos:prefLabel "barrier reef"@en ; xl:altLabel [ xl:literalForm "outer reef"@en ] .\n',
    "skosxl.rdf": XML_HEAD
    + '<skos:Concept rdf:about="http://reef.example/1"><xl:prefLabel rdf:resource="http://reef.example/l1"/>'
    '<xl:hiddenLabel><xl:Label><xl:literalForm xml:lang="en">shore reef</xl:literalForm></xl:Label></xl:hiddenLabel>'
    '</skos:Concept><xl:Label rdf:about="http://reef.example/l1"><xl:literalForm xml:lang="en">fringing reef'
    '</xl:literalForm></xl:Label><skos:Concept rdf:about="http://reef.example/2"><skos:prefLabel xml:lang="en">barrier '
    'reef</skos:prefLabel><skos:altLabel xml:lang="en">outer reef</skos:altLabel></skos:Concept></rdf:RDF>',
    "bad-number.ttl": PREFIXES
    + 'r:1 a skos:Concept ; skos:prefLabel "fringing reef"@en ; skos:altLabel "shore reef"@en ; '
    'skos:notation "many"^^xsd:integer .\n'
    'r:2 a skos:Concept ; skos:prefLabel "barrier reef"@en ; skos:altLabel "outer reef"@en ; '
    'skos:changeNote "2012-13-45"^^xsd:date .\n',
    "bad-line.nt": "".join(
        f"<http://reef.example/{number}> <http://www.w3.org/{what}> {value} .\n"
        for number, what, value in [
            (1, "1999/02/22-rdf-syntax-ns#type", "<http://www.w3.org/2004/02/skos/core#Concept>"),
            (1, "2004/02/skos/core#prefLabel", '"fringing reef"@en'),
            (1, "2004/02/skos/core#definition", '"A reef "at" the shore"@en'),
            (1, "2004/02/skos/core#altLabel", '"shore reef"@en'),
            (2, "1999/02/22-rdf-syntax-ns#type", "<http://www.w3.org/2004/02/skos/core#Concept>"),
            (2, "2004/02/skos/core#prefLabel", '"barrier reef"@en'),
            (2, "2004/02/skos/core#altLabel", '"outer reef"@en'),
            (2, "2004/02/skos/core#seeAlso", "<http://reef.example/a b>"),
        ]
    ),
    "bad-language.ttl": PREFIXES
    + 'r:1 a skos:Concept ; skos:prefLabel "fringing reef"@en ; skos:altLabel "shore reef"@en .\n'
    'r:1 skos:definition "Ein Riff"@de_DE .\n'
    'r:2 a skos:Concept ; skos:prefLabel "barrier reef"@en ; skos:altLabel "outer reef"@en .\n',
}  # fmt: skip


@pytest.mark.parametrize("file", RDF)
def test_labels_of_skos(tmp_path: Path, library: Library, file: str) -> None:
    """A thesaurus would come without its names, or not at all for one bad value."""
    added = add_vocabulary(library, written(tmp_path, RDF[file], file))
    assert added.outcome == "added", added.reason
    assert concept_names(library, file) == WHOLE


BIOPORTAL = (
    "Class ID,Preferred Label,Synonyms,Definitions,Obsolete,CUI,Semantic Types,Parents,"
    "http://data.bioontology.org/metadata/prefixIRI,http://purl.org/dc/terms/creator\r\n"
    'http://reef.example/1,fringing reef,shore reef,"A reef, at the shore.",false,C001,T082,,REEF:1,Ana\r\n'
    'http://reef.example/2,barrier reef,outer reef|"far" reef,,false,,,http://reef.example/1|http://reef.example/9,,\r\n'
    "http://reef.example/3,old reef,,,true,,,http://reef.example/1,,\r\n"
)
WIKIDATA = (
    "item,itemLabel,itemDescription,itemAltLabel\n"
    "http://www.wikidata.org/entity/Q1,fringing reef,a reef at the shore,shore reef\n"
    'http://www.wikidata.org/entity/Q2,barrier reef,,"outer reef, far reef"\n'
    "http://www.wikidata.org/entity/Q3,Q3,,\n"
)


@pytest.mark.parametrize(("file", "text"), [("bioportal.csv", BIOPORTAL), ("wikidata.csv", WIKIDATA)])
def test_tables_of_names(tmp_path: Path, library: Library, file: str, text: str) -> None:
    """A user would have to rename columns by hand before the first vocabulary works."""
    added = add_vocabulary(library, written(tmp_path, text, file))
    assert added.outcome == "added", added.reason
    found = concept_names(library, file)
    assert {"shore reef"} <= found["fringing reef"] and {"outer reef"} <= found["barrier reef"]
    assert any(name.endswith("far reef") or name == '"far" reef' for name in found["barrier reef"])
    assert all("|" not in name and ", " not in name for names in found.values() for name in names)


def test_the_bioportal_table_says_what_is_obsolete_and_broader(tmp_path: Path, library: Library) -> None:
    """Names that nobody uses any more would be linked, and the tree would be lost."""
    add_vocabulary(library, written(tmp_path, BIOPORTAL, "parents.csv"))
    concepts = {
        concept.label: concept
        for hit in library.vocabularies.search("", vocabulary="parents.csv").concepts
        for concept in library.vocabularies.show(hit.id)
        if concept.vocabulary == "parents.csv"
    }
    assert concepts["fringing reef"].definition == "A reef, at the shore."
    assert any(link.label == "fringing reef" for link in concepts["barrier reef"].links)
    assert "old reef" not in concepts or concepts["old reef"].deprecated


SUPPLEMENT = """<?xml version="1.0"?>
<!DOCTYPE SupplementalRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmsupplementalrecordset_20250101.dtd">
<SupplementalRecordSet LanguageCode="eng">{records}</SupplementalRecordSet>"""
RECORD = """<SupplementalRecord SCRClass="1"><SupplementalRecordUI>{ui}</SupplementalRecordUI>
<SupplementalRecordName><String>{name}</String></SupplementalRecordName>
<DateCreated><Year>1999</Year><Month>01</Month><Day>01</Day></DateCreated>
<Note>from corals</Note><HeadingMappedToList><HeadingMappedTo><DescriptorReferredTo>
<DescriptorUI>*D000001</DescriptorUI><DescriptorName><String>Corals</String></DescriptorName>
</DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList>
<ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M{ui}</ConceptUI>
<ConceptName><String>{name}</String></ConceptName>
<TermList><Term ConceptPreferredTermYN="Y" IsPermutedTermYN="N" LexicalTag="NON" RecordPreferredTermYN="Y">
<TermUI>T{ui}</TermUI><String>{name}</String></Term><Term ConceptPreferredTermYN="N" IsPermutedTermYN="N"
 LexicalTag="NON" RecordPreferredTermYN="N"><TermUI>T{ui}2</TermUI><String>{synonym}</String></Term></TermList>
</Concept></ConceptList></SupplementalRecord>"""


def test_supplementary_records_of_mesh(tmp_path: Path, library: Library) -> None:
    """The chemicals and rare diseases of MeSH are in a file of their own, which would be refused."""
    records = RECORD.format(ui="C000001", name="fringing reef", synonym="shore reef")
    records += RECORD.format(ui="C000002", name="barrier reef", synonym="outer reef")
    path = written(tmp_path, SUPPLEMENT.format(records=records), "supp2025.xml")
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    assert concept_names(library, path.name) == WHOLE
