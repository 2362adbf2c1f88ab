"""One bad line of a vocabulary costs that line, which is named, and never the vocabulary."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from conspectus.core.errors import InputError, UsageError
from conspectus.records.vocabularies import LinkKind, NameKind
from helpers import open_library
from vocabulary_files import names, read, write_file

HEADER = 'format-version: 1.2\nontology: seas\nsynonymtypedef: ABBR "abbreviation" EXACT\n\n'
TERM = "[Term]\nid: SEA:1\nname: neap tide\n{}\n\n[Term]\nid: SEA:2\nname: spring tide\nis_a: SEA:1\n"

WHOLE = {
    "space in an xref": 'synonym: "quarter tide" EXACT [TAO:Bird and Mabee 2003]',
    "several names in an xref": 'synonym: "quarter tide" EXACT [Papas N, "Tides of old", 2003, p. 4]',
    "brackets in an xref": 'synonym: "quarter tide" EXACT [ISBN:0[7]43, "a ]" "b"]',
    "backslash in an xref": 'xref: http://x.example/wiki/Category\\:Tide\nsynonym: "quarter tide" EXACT []',
    "lone backslash in an xref": 'xref: WIKI:a\\\nsynonym: "quarter tide" EXACT []',
    "no xref list": 'synonym: "quarter tide" EXACT',
    "text after the xref list": 'synonym: "quarter tide" EXACT [] see also "ebb"',
    "modifiers": 'synonym: "quarter tide" EXACT [X:1] {source="X:2", note="a } b"} ! comment',
    "quote within": 'synonym: "quarter tide" EXACT []\nsynonym: "the "weak" tide" RELATED [X:1 "so"]',
    "escaped quote within": 'synonym: "quarter tide" EXACT []\nsynonym: "the \\"weak\\" tide" RELATED []',
    "odd clauses": 'synonym: "quarter tide" EXACT []\nproperty_value: IAO:1 "x\nunheard_of: 7\nnonsense: [ {',
    "tab and spaces": '  synonym:\t"quarter tide"   EXACT   [ ]  ',
    "comments": '! a comment\nsynonym: "quarter tide" EXACT [] ! weak\n! another',
    "unknown parents": 'synonym: "quarter tide" EXACT []\nis_a: SEA:404 {source="x"} ! gone\nis_a: nowhere',
}


@pytest.mark.parametrize("line", WHOLE.values(), ids=WHOLE)
def test_odd_lines_of_obo_that_say_enough_are_read(tmp_path: Path, line: str) -> None:
    """One term that a curator typed by hand would cost all 200,000 of ChEBI."""
    concepts, head = read(write_file(tmp_path / "seas.obo", HEADER + TERM.format(line)))
    assert list(concepts) == ["SEA:1", "SEA:2"] and concepts["SEA:2"].links == ((LinkKind.BROADER, "SEA:1"),)
    assert names(concepts["SEA:1"])["quarter tide"] is NameKind.EXACT
    assert all('"weak"' in note for note in names(concepts["SEA:1"]) if "weak" in note)
    assert not head.notes


SCOPES = {
    'synonym: "quarter tide"': NameKind.RELATED,
    'synonym: "quarter tide" []': NameKind.RELATED,
    'synonym: "quarter tide" SIMILAR []': NameKind.RELATED,
    'synonym: "quarter tide" exact []': NameKind.EXACT,
    'synonym: "quarter tide" ABBR []': NameKind.ABBREVIATION,
    'synonym: "quarter tide" RELATED ABBR [X:1]': NameKind.ABBREVIATION,
    'exact_synonym: "quarter tide" []': NameKind.EXACT,
    'related_synonym: "quarter tide" [X:1]': NameKind.RELATED,
    'narrow_synonym: "quarter tide"': NameKind.NARROW,
    'broad_synonym: "quarter tide" []': NameKind.BROAD,
}


@pytest.mark.parametrize(("line", "kind"), SCOPES.items())
def test_synonyms_without_a_scope_are_only_related(tmp_path: Path, line: str, kind: NameKind) -> None:
    """Texts would be searched for what is only related, or older files would lose their synonyms."""
    concepts, head = read(write_file(tmp_path / "seas.obo", HEADER + TERM.format(line)))
    assert names(concepts["SEA:1"])["quarter tide"] is kind
    unknown = [note for note in head.notes if "line 8" in note and "read as RELATED" in note and "SIMILAR" in note]
    assert len(unknown) == len(head.notes) == ("SIMILAR" in line)


LOST = {
    "synonym without quotes": ("synonym: quarter tide EXACT []", "synonym: quarter tide"),
    "quote that is not closed": ('synonym: "quarter tide EXACT []', 'synonym: "quarter'),
    "definition without quotes": ("def: A weak tide. [X:1]", "def: A weak"),
    "line without a colon": ("quarter tide", "quarter tide"),
    "empty value": ("is_a:", "is_a:"),
    "empty synonym": ('synonym: "" EXACT []', 'synonym: ""'),
    "relation to nothing": ("relationship: part_of", "relationship: part_of"),
    "very long line": ('synonym: "' + "tide " * 500_000 + '" EXACT []', "longer than"),
}


@pytest.mark.parametrize(("line", "shown"), LOST.values(), ids=LOST)
def test_a_line_of_obo_that_is_left_out_is_named(tmp_path: Path, line: str, shown: str) -> None:
    """Nobody would know which line to mend, or the whole vocabulary would be refused for it."""
    concepts, head = read(write_file(tmp_path / "seas.obo", HEADER + TERM.format(line)))
    assert list(concepts) == ["SEA:1", "SEA:2"]
    (note,) = head.notes
    assert "seas.obo" in note and "line 8" in note and shown in note and len(note) < 400


@pytest.mark.parametrize(
    "text",
    [
        TERM.format('synonym: "quarter tide" EXACT []'),
        "! made by hand\n\n" + TERM.format('synonym: "quarter tide" EXACT []'),
        "ontology: seas\n\n! ignore me\n" + TERM.format('synonym: "quarter tide" EXACT []\n\n! ignore me\n! me too'),
        (HEADER + TERM.format('synonym: "quarter tide" EXACT []')).replace("\n", "\r\n"),
        "\ufeff" + HEADER + TERM.format('synonym: "quarter tide" EXACT []'),
        (HEADER + TERM.format('synonym: "quarter tide" EXACT []')).encode("utf-16"),
        TERM.format('synonym: "quarter tide" EXACT []').replace("[Term]", "[Term] ! a term"),
        TERM.format('synonym: "quarter tide" EXACT []').replace("[Term]\nid: SEA:2", "[Term\nid: SEA:2"),
        TERM.format('synonym: "quarter tide" EXACT []').replace("[Term]\nid: SEA:2", "id: SEA:2"),
        TERM.format('synonym: "quarter tide" EXACT []') + "\n[Typedef]\nid: part_of\nname: part of\n\n[Odd]\nx\n",
    ],
    ids=["no header", "comment", "comments", "CRLF", "BOM", "UTF-16", "after [Term]", "[Term", "no [Term]", "typedef"],
)
def test_obo_is_read_however_it_is_laid_out(tmp_path: Path, text: str | bytes) -> None:
    """Files without a header were refused as tables, and comments between terms crashed the reader."""
    for name in ("seas.obo", "seas"):
        concepts, _ = read(write_file(tmp_path / name, text))
        assert list(concepts) == ["SEA:1", "SEA:2"]
        assert names(concepts["SEA:1"]) == {"neap tide": NameKind.LABEL, "quarter tide": NameKind.EXACT}


def test_what_obo_says_more_than_once_or_in_another_encoding(tmp_path: Path) -> None:
    """A term would lose the names of its other half, or one byte of an old export cost the vocabulary."""
    twice = HEADER + TERM.format("") + '\n[Term]\nid: SEA:1\nname: neap tide\nsynonym: "weak tide" EXACT []\n'
    concepts, _ = read(write_file(tmp_path / "a.obo", twice))
    assert names(concepts["SEA:1"]) == {"neap tide": NameKind.LABEL, "weak tide": NameKind.EXACT}
    latin = (HEADER + TERM.format('synonym: "marée" EXACT []')).encode("latin-1")
    concepts, head = read(write_file(tmp_path / "b.obo", latin))
    assert "marée" in names(concepts["SEA:1"]) and "line 8" in head.notes[0] and "Windows-1252" in head.notes[0]
    gone = TERM.format("is_obsolete: true\nreplaced_by: SEA:2\nconsider: SEA:3")
    concepts, _ = read(write_file(tmp_path / "c.obo", gone))
    assert concepts["SEA:1"].deprecated and concepts["SEA:1"].links == ((LinkKind.REPLACED_BY, "SEA:2"),)
    names_of = names(
        read(write_file(tmp_path / "d.obo", '[Term]\nid: X:1\nname: 1-{[(2S)-a\\, b]c} \\! {n="1"} ! x\n'))[0]["X:1"]
    )
    assert list(names_of) == ["1-{[(2S)-a, b]c} !"]


def test_many_bad_lines_are_counted(tmp_path: Path) -> None:
    """A million messages would fill the screen, and none at all would hide what is lost."""
    _, head = read(write_file(tmp_path / "a.obo", TERM.format("rubbish\n" * 1000)))
    assert len(head.notes) < 30 and "980" in head.notes[-1]


TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix s: <http://x.example/s/> .
s:neap a skos:Concept ; skos:prefLabel "neap tide"@en .
{}
s:spring a skos:Concept ;
    skos:prefLabel "spring tide"@en ;
    skos:definition \"\"\"The highest.
It comes
twice a month.\"\"\"@en .
s:ebb a skos:Concept ; skos:prefLabel "ebb"@en ; skos:broader s:neap .
"""


@pytest.mark.parametrize(
    "statement",
    [
        's:bad skos:prefLabel "unclosed ; skos:altLabel "ebb tide" .',
        's:bad skos:prefLabel "wrong \\q escape"@en .',
        's:bad skos:prefLabel "two"@en_GB , "three"@@en .',
        "s:bad skos:broader <http://x.example/a .",
        's:bad nowhere:prefLabel "no prefix" .',
        "s:bad skos:broader .",
        's:bad skos:prefLabel "no dot"@en',
        "rubbish here.",
        's:bad skos:prefLabel """never closed .',
    ],
)
def test_one_bad_statement_of_turtle_costs_only_that(tmp_path: Path, statement: str) -> None:
    """A thesaurus of 30,000 concepts was refused for one literal."""
    concepts, head = read(write_file(tmp_path / "seas.ttl", TURTLE.format(statement)))
    assert {one.label for one in concepts.values()} >= {"spring tide", "ebb"}
    assert {"neap tide"} <= {one.label for one in concepts.values()}
    assert concepts["s:spring"].definition.endswith("twice a month.")
    assert any("seas.ttl" in note and "line 4" in note for note in head.notes), head.notes


@pytest.mark.parametrize(
    "statement",
    [
        's:bad skos:prefLabel "wrong \\q escape"@en .',
        's:bad skos:prefLabel "A dot . in it"@@en .',
        's:bad skos:prefLabel "unclosed ; skos:altLabel "ebb tide" .',
        "s:bad skos:prefLabel 'it''s \"odd\"' .",
        's:bad skos:prefLabel """never closed .',
        "s:bad skos:broader <http://x.example/a .",
        "rubbish .",
    ],
)
@pytest.mark.parametrize("between", [" ", "\n  "])
def test_turtle_on_one_line_loses_only_the_bad_statement(tmp_path: Path, statement: str, between: str) -> None:
    """A file that a program wrote without line breaks was refused, or lost whole, for one literal."""
    good = [
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
        "@prefix s: <http://x.example/s/> .",
        's:neap a skos:Concept ; skos:prefLabel "neap tide"@en ; skos:definition "Weak . It\'s # \\" < low."@en .',
    ]
    rest = ['s:ebb a skos:Concept ; skos:prefLabel "ebb"@en .', "s:flood a skos:Concept ; skos:prefLabel 'flood' ."]
    concepts, head = read(write_file(tmp_path / "seas.ttl", between.join([*good, statement, *rest]) + "\n"))
    assert {concept.label for concept in concepts.values()} >= {"neap tide", "ebb", "flood"}
    assert concepts["s:neap"].definition == "Weak . It's # \" < low."
    assert any("seas.ttl" in note and statement[:8] in note for note in head.notes), head.notes


def test_one_bad_statement_of_other_rdf_costs_only_that(tmp_path: Path) -> None:
    """The same thesaurus, exported by another button."""
    label = "<http://www.w3.org/2004/02/skos/core#prefLabel>"
    lines = [f'<http://x.example/s/{n}> {label} "tide {n}"@en .' for n in range(6)]
    lines[2] = lines[2].replace('"@en', "@en")
    lines[4] = "rubbish"
    concepts, head = read(write_file(tmp_path / "seas.nt", "\n".join(lines)))
    assert {one.label for one in concepts.values()} == {"tide 0", "tide 1", "tide 3", "tide 5"}
    assert "line 3" in head.notes[0] and "line 5" in head.notes[1] and "seas.nt" in head.notes[0]
    for bad in (
        '<s:Concept rdf:ID="1 2"><s:prefLabel>bad</s:prefLabel></s:Concept>',
        '<s:Concept rdf:about="http://x.example/s/8"><s:prefLabel>bad &copy;</s:prefLabel></s:Concept>',
        '<s:Concept rdf:about="http://x.example/s/8"><s:prefLabel>bad</s:altLabel></s:Concept>',
        '<s:Concept rdf:about="http://x.example/s/8" rdf:li="7"><s:prefLabel>bad</s:prefLabel></s:Concept>',
        '<s:Concept rdf:ID="1 2"><s:prefLabel>bad</s:prefLabel><s:note rdf:ID="3 4">x</s:note></s:Concept>',
    ):
        text = f"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:s="http://www.w3.org/2004/02/skos/core#">
<s:Concept rdf:about="http://x.example/s/7"><s:prefLabel>neap tide</s:prefLabel></s:Concept>
{bad}
<s:Concept rdf:about="http://x.example/s/9"><s:prefLabel>spring tide</s:prefLabel></s:Concept></rdf:RDF>"""
        concepts, head = read(write_file(tmp_path / "seas.rdf", text))
        assert {"neap tide", "spring tide"} <= {one.label for one in concepts.values()}, bad
        assert "line 4" in head.notes[0] and "seas.rdf" in head.notes[0]


XL = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .\n"


@pytest.mark.parametrize(
    "text",
    [
        "@prefix s: <http://x.example/s/> .\ns:neap a skos:Concept ; xl:prefLabel s:l1 ; xl:altLabel s:l2 .\n"
        's:l1 a xl:Label ; xl:literalForm "neap tide"@en .\ns:l2 a xl:Label ; xl:literalForm "quarter tide"@en .\n',
        '@prefix s: <http://x.example/s/> .\ns:l2 xl:literalForm "quarter tide"@en .\n'
        's:neap a skos:Concept ; xl:prefLabel [ a xl:Label ; xl:literalForm "neap tide"@en ] ; xl:hiddenLabel s:l2 .\n',
        "@prefix s: <http://x.example/s/> .\ns:neap xl:prefLabel _:a ; xl:altLabel _:b . # typed nowhere\n"
        '_:a xl:literalForm "neap tide"@en , "Nipptide"@de .\n_:b xl:literalForm "quarter tide" .\n',
    ],
    ids=["named", "blank", "untyped"],
)
def test_labels_of_skos_xl(tmp_path: Path, text: str) -> None:
    """Agrovoc, EuroVoc and others name their concepts only so: they had no names at all."""
    from pyoxigraph import RdfFormat, parse, serialize

    turtle = XL + text
    as_xml = serialize(parse(turtle, RdfFormat.TURTLE), format=RdfFormat.RDF_XML)
    assert as_xml is not None
    for path in (write_file(tmp_path / "a.ttl", turtle), write_file(tmp_path / "a.rdf", as_xml)):
        concepts, _ = read(path)
        (neap,) = concepts.values()
        assert names(neap) == {"neap tide": NameKind.PREFERRED, "quarter tide": NameKind.EXACT}


def test_tables_of_bioportal(tmp_path: Path) -> None:
    """What BioPortal offers for download was refused for the names of its columns."""
    head = "Class ID,Preferred Label,Synonyms,Definitions,Obsolete,CUI,Semantic Types,Parents"
    neap = "http://x.example/s/neap,neap tide,quarter tide|tide; weak,A weak tide.,false,,,http://x.example/s/tide"
    gone = "http://x.example/s/old,old tide,,,true,,,http://x.example/s/a|http://x.example/s/b"
    concepts, _ = read(write_file(tmp_path / "a.csv", f"{head}\n{neap}\n{gone}\n"))
    assert list(names(concepts["my_words:neap"])) == ["neap tide", "quarter tide", "tide; weak"]
    assert concepts["my_words:neap"].definition == "A weak tide."
    assert concepts["my_words:neap"].links == ((LinkKind.BROADER, "my_words:tide"),)
    assert concepts["my_words:old"].deprecated and len(concepts["my_words:old"].links) == 2
    excel = f"sep=,\r\n{head}\r\n{neap}\r\n"
    assert len(read(write_file(tmp_path / "b.csv", "\ufeff" + excel))[0]) == 1
    concepts, _ = read(write_file(tmp_path / "c.csv", excel.encode("utf-16")))
    assert [one.label for one in concepts.values()] == ["neap tide"]


def test_tables_of_wikidata(tmp_path: Path) -> None:
    """The quickest list of names of a field is a query of Wikidata."""
    q = "http://www.wikidata.org/entity/Q"
    text = (
        "item,itemLabel,itemAltLabel,itemDescription\n"
        f'{q}1,neap tide,"quarter tide, weak tide",a tide\n{q}1,neap tide,"quarter tide, weak tide",\n'
        f'{q}2,Q2,"ebb, low",\n'
    )
    concepts, _ = read(write_file(tmp_path / "a.csv", text))
    assert list(names(concepts["my_words:Q1"])) == ["neap tide", "quarter tide", "weak tide"]
    assert concepts["my_words:Q1"].definition == "a tide"
    assert list(names(concepts["my_words:Q2"])) == ["ebb", "low"], "Q2 is no name"
    other = f"disease\tdiseaseLabel\tdiseaseAltLabel\tparent\tparentLabel\n{q}3\tgout\tpodagra\t{q}4\tarthritis\n"
    concepts, _ = read(write_file(tmp_path / "b.tsv", other))
    assert list(names(concepts["my_words:Q3"])) == ["gout", "podagra"]
    assert concepts["my_words:Q3"].links == ((LinkKind.BROADER, "my_words:Q4"),)
    rows = [{"star": f"{q}5", "starLabel": "Vega", "starAltLabel": "α Lyrae, Fidis"}]
    concepts, _ = read(write_file(tmp_path / "c.json", json.dumps(rows)))
    assert list(names(concepts["my_words:Q5"])) == ["Vega", "α Lyrae", "Fidis"]


def test_a_bad_row_of_a_table_costs_only_that_row(tmp_path: Path) -> None:
    """One broken line of a list of 100,000 names, or one byte in another encoding, would cost all."""
    lines = '{"label": "neap tide"}\n{"label": \n[1]\n{"label": "spring tide"}\n'
    concepts, head = read(write_file(tmp_path / "a.jsonl", lines))
    assert [one.label for one in concepts.values()] == ["neap tide", "spring tide"]
    assert "line 2" in head.notes[0] and "line 3" in head.notes[1] and "a.jsonl" in head.notes[0]
    concepts, head = read(write_file(tmp_path / "b.csv", "id,label\n1,mar\xe9e\n2,tide\n".encode("latin-1")))
    assert [one.label for one in concepts.values()] == ["marée", "tide"] and "line 2" in head.notes[0]
    concepts, head = read(write_file(tmp_path / "c.csv", 'id,label\n1,"' + "x" * 200_000 + '"\n2,tide\n3,\n'))
    assert [one.label for one in concepts.values()] == ["tide"] and len(head.notes) == 3


def test_a_bad_node_of_obographs_costs_only_that_node(tmp_path: Path) -> None:
    """A node with a number for a name would cost the ontology."""
    nodes = [
        {"id": "http://purl.obolibrary.org/obo/SEA_1", "lbl": "neap tide"},
        {"id": "http://purl.obolibrary.org/obo/SEA_2", "lbl": 7},
        {"lbl": "nothing"},
        {"id": "http://purl.obolibrary.org/obo/SEA_3", "lbl": None, "meta": {"synonyms": [{"val": "ebb"}]}},
    ]
    text = json.dumps({"graphs": [{"nodes": nodes, "edges": [{"sub": "http://purl.obolibrary.org/obo/SEA_1"}]}]})
    concepts, head = read(write_file(tmp_path / "a.json", text))
    assert [one.label for one in concepts.values()] == ["neap tide", "ebb"]
    assert [note.split(" (")[0] for note in head.notes] == [
        "left out: node 2 of 'a.json'",
        "left out: node 3 of 'a.json'",
        "left out: edge 1 of 'a.json'",
    ]


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("a.ttl", XL + "<http://[x> <http://www.w3.org/2002/07/owl#imports> <http://[odd/a.ttl> .\n{}", "neap tide"),
        (
            "a.json",
            '{{"graphs": [{{"nodes": [{{"id": "x:1", "lbl": "neap\xff"}}, {{"id": "x:2", "lbl": "ebb"}}]}}]}}',
            "ebb",
        ),
    ],
)
def test_odd_addresses_and_bytes_are_no_crash(tmp_path: Path, name: str, text: str, label: str) -> None:
    """An internal error says nothing of the line to mend, and costs the vocabulary."""
    statement = '<http://x.example/1> skos:prefLabel "neap tide"@en .\n'
    concepts, _ = read(write_file(tmp_path / name, text.format(statement).encode("latin-1")))
    assert label in {one.label for one in concepts.values()}


def test_rdf_with_a_namespace_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    """The same."""
    text = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://x /">
<s:Concept rdf:ID="1 2"/></rdf:RDF>"""
    with pytest.raises(InputError, match=r"seas.rdf"):
        read(write_file(tmp_path / "seas.rdf", text))


SUPPLEMENTAL = """<?xml version="1.0"?><SupplementalRecordSet LanguageCode="eng">
<SupplementalRecord SCRClass="1"><SupplementalRecordUI>C000002</SupplementalRecordUI>
<SupplementalRecordName><String>bevonium</String></SupplementalRecordName>
<HeadingMappedToList><HeadingMappedTo><DescriptorReferredTo><DescriptorUI>*D001561</DescriptorUI>
</DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList>
<ConceptList><Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI><TermList>
<Term IsPermutedTermYN="N"><String>bevonium</String></Term>
<Term IsPermutedTermYN="N"><String>bevonium ion</String></Term>
</TermList></Concept></ConceptList></SupplementalRecord></SupplementalRecordSet>"""


def test_supplementary_records_of_mesh(tmp_path: Path) -> None:
    """Chemicals and rare diseases have no descriptor: their 300,000 records were refused."""
    concepts, _ = read(write_file(tmp_path / "supp2026.xml", SUPPLEMENTAL))
    bevonium = concepts["MESH:C000002"]
    assert names(bevonium) == {"bevonium": NameKind.PREFERRED, "bevonium ion": NameKind.EXACT}
    assert bevonium.links == ((LinkKind.RELATED, "MESH:D001561"),)
    bare = SUPPLEMENTAL.partition("?>")[2]
    assert list(read(write_file(tmp_path / "supp.xml", bare))[0]) == ["MESH:C000002"]
    with pytest.raises(InputError, match="MeSH in ASCII"):
        read(write_file(tmp_path / "c2026.bin", "*NEWRECORD\nRECTYPE = C\nNM = bevonium\nUI = C000002\n"))


def test_links_that_lead_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    """A folder from a stranger could bring any file that its user may read into the library."""
    secret = write_file(tmp_path / "secret.obo", TERM.format("").replace("SEA:", "SECRET:"))
    (tmp_path / "elsewhere").mkdir()
    write_file(tmp_path / "elsewhere" / "more.obo", TERM.format("").replace("SEA:", "MORE:"))
    folder = tmp_path / "seas"
    folder.mkdir()
    write_file(folder / "seas.obo", TERM.format(""))
    (folder / "link.obo").symlink_to(secret)
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "same.obo").symlink_to("seas.obo")
    concepts, head = read(folder)
    assert list(concepts) == ["SEA:1", "SEA:2"]
    assert sum("link.obo" in note or "out" in note.split("'") for note in head.notes) == 2, head.notes
    alone, _ = read(folder / "link.obo")
    assert list(alone) == ["SECRET:1", "SECRET:2"], "one that is named itself is meant"


def test_links_in_archives_are_not_followed(tmp_path: Path) -> None:
    """The same of what is fetched as an archive; and a link in a zip is no vocabulary that says `../secret.obo`."""
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        data = TERM.format("").encode()
        member = tarfile.TarInfo("seas.obo")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.obo")
        link.type, link.linkname = tarfile.SYMTYPE, "../secret.obo"
        tar.addfile(link)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("seas.obo", TERM.format(""))
        info = zipfile.ZipInfo("link.obo")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "../secret.obo")
    for name in ("a.tar", "a.zip"):
        concepts, head = read(tmp_path / name)
        assert list(concepts) == ["SEA:1", "SEA:2"] and "link.obo" in head.notes[0]


def test_a_file_without_a_name_of_its_own_costs_that_file(tmp_path: Path) -> None:
    """A pattern that the shell did not fill in was refused for the name `*`, and the files beside it with it."""
    text = HEADER + TERM.format("comment: x")
    with open_library(tmp_path / "lib") as library:
        paths = [tmp_path / "*.owl", write_file(tmp_path / "--.obo", text), write_file(tmp_path / "seas.obo", text)]
        gone, nameless, added = library.vocabularies.add(paths).vocabularies
        assert "There is no file" in gone.reason and "`name`" in nameless.reason
        assert (gone.outcome, nameless.outcome, added.outcome) == ("failed", "failed", "added")
        with pytest.raises(UsageError, match="no name of a vocabulary"):
            library.vocabularies.add(paths[2:], name="--")
