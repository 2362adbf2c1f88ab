"""Vocabularies of each kind become concepts."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from conspectus.core.errors import InputError, LimitError, UsageError
from conspectus.graph.linking.words import reason_left_out
from conspectus.records.vocabularies import LinkKind, NameKind
from vocabulary_files import CELLS, ENTITIES, GRAPHS, MESH, OBO, TABLE, TURTLE, names, read, write_file

Kind, Link = NameKind, LinkKind


def test_an_ontology_with_what_it_imports(tmp_path: Path) -> None:
    """Who links with an ontology would lose its synonyms, take is-a for them, or never learn what is missing."""
    write_file(tmp_path / "cells.ttl", CELLS)
    found, head = read(write_file(tmp_path / "brain.ttl", TURTLE))
    brain = found["UBERON:0000955"]
    assert brain.label == "Brain" and brain.definition == "What thinks."
    assert names(brain) == {
        **{"Brain": Kind.PREFERRED, "brain": Kind.LABEL, "Br": Kind.ABBREVIATION, "encephalon": Kind.EXACT},
        **{"the brain": Kind.RELATED, "head part": Kind.BROAD, "suprasegmental structures": Kind.NARROW},
    }
    area = found["MY:1"]
    assert area.label == "colour area" and names(area)["V4"] == Kind.ABBREVIATION
    assert area.links == ((Link.BROADER, "UBERON:0000955"), (Link.PART_OF, "other:cortex"))
    assert found["other:cortex"].label == "Rinde", "a name in another language is better than none"
    assert found["UBERON:1"].deprecated and found["UBERON:1"].links == ((Link.REPLACED_BY, "UBERON:0000955"),)
    assert "CL:0000540" in found and "BFO:0000050" not in found and "MY:2" not in found
    assert head.missing == ("http://example.org/away.ttl",) and head.version == "3"
    assert [os.fsdecode(path) for path in head.imported] == [str(tmp_path / "cells.ttl")]
    assert head.notes == ("skipped: 1 concept without a name or an id",)


def test_imports_are_found_by_the_iri_that_a_file_says_it_has(tmp_path: Path) -> None:
    """Files are often not called as their IRIs are; a catalog of Protégé's says more."""
    brain = write_file(tmp_path / "brain.ttl", TURTLE)
    other = write_file(tmp_path / "downloaded.ttl", CELLS)
    assert "CL:0000540" in read(brain)[0]
    catalog = '<catalog xmlns="urn:x"><uri name="http://example.org/away.ttl" uri="sub/other.ttl"/></catalog>'
    write_file(tmp_path / "catalog-v001.xml", catalog)
    other.unlink()
    (tmp_path / "sub").mkdir()
    write_file(tmp_path / "sub" / "other.ttl", CELLS.replace("cells.ttl", "elsewhere.ttl"))
    found, head = read(brain)
    assert "CL:0000540" in found and head.missing == ("http://example.org/cells.ttl",)


@pytest.mark.parametrize("kind", ["rdf", "nt", "jsonld"])
def test_other_forms_say_the_same(tmp_path: Path, kind: str) -> None:
    """The same thesaurus would come out otherwise by the button that was pressed to export it."""
    from pyoxigraph import RdfFormat, parse, serialize

    forms = {"rdf": RdfFormat.RDF_XML, "nt": RdfFormat.N_TRIPLES, "jsonld": RdfFormat.JSON_LD}
    prefixes = {"MY": "http://example.org/terms/my_", "other": "http://example.org/"}
    made = serialize(parse(TURTLE, RdfFormat.TURTLE), format=forms[kind], prefixes=prefixes)
    assert made is not None
    found, _ = read(write_file(tmp_path / f"brain.{kind}", made))
    expected, _ = read(write_file(tmp_path / "x.ttl", TURTLE))
    assert {one.iri: names(one) for one in found.values()} == {one.iri: names(one) for one in expected.values()}


def test_skos_in_several_languages(tmp_path: Path) -> None:
    """German users would be given English names, and others names in no language of theirs."""
    text = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    <http://ex.org/t/1> skos:prefLabel "colour"@en-GB, "color"@en, "Farbe"@de, "цвет"@ru ; skos:altLabel "hue"@en .
    <http://ex.org/t/2> a skos:Concept ; skos:prefLabel "цвет"@ru ; skos:narrower <http://ex.org/t/1> ."""
    path = write_file(tmp_path / "colours.ttl", text)
    found, _ = read(path)
    expected = {"color": Kind.PREFERRED, "colour": Kind.EXACT, "hue": Kind.EXACT}
    assert names(found["my_words:1"]) == expected and found["my_words:2"].label == "цвет"
    assert found["my_words:1"].links == ((Link.BROADER, "my_words:2"),)
    assert read(path, languages=("de", "ru"))[0]["my_words:1"].label == "Farbe"
    assert len(read(path, languages=("*",))[0]["my_words:1"].names) == 5


def test_obo_and_obographs(tmp_path: Path) -> None:
    """Most ontologies of biology come so."""
    found, head = read(write_file(tmp_path / "cl.obo", OBO))
    neuron = found["CL:0000540"]
    assert names(neuron) == {"neuron": Kind.LABEL, "NC": Kind.ABBREVIATION, "nerve cell": Kind.EXACT}
    assert dict(neuron.links) == {Link.BROADER: "CL:0000393", Link.PART_OF: "UBERON:0001016", Link.SAME: "CL:0000001"}
    assert neuron.definition == "A cell that fires." and found["CL:0000393"].deprecated and head.version
    found, _ = read(write_file(tmp_path / "cl.json", GRAPHS))
    assert list(found) == ["CL:0000540"] and found["CL:0000540"].definition == "It fires."
    assert names(found["CL:0000540"]) == {"neuron": Kind.LABEL, "brain cell": Kind.NARROW}


def test_zstandard(tmp_path: Path) -> None:
    """OBO's obographs are offered packed like this; in two frames, as tools that work in parallel write."""
    half = len(GRAPHS) // 2
    packed = zstandard.compress(GRAPHS[:half].encode()) + zstandard.compress(GRAPHS[half:].encode())
    assert list(read(write_file(tmp_path / "cl.json.zst", packed))[0]) == ["CL:0000540"]


def test_mesh_and_a_part_of_it(tmp_path: Path) -> None:
    """All of MeSH would be linked where one asked for the nervous system."""
    path = write_file(tmp_path / "desc2026.xml", MESH)
    found, _ = read(path)
    expected = {"Ganglia": Kind.PREFERRED, "Ganglia abb": Kind.ABBREVIATION, "narrow Ganglia": Kind.NARROW}
    assert names(found["MESH:D1"]) == expected and found["MESH:D1"].definition == "About Ganglia."
    assert found["MESH:D2"].links == ((Link.RELATED, "MESH:D1"), (Link.BROADER, "MESH:D1"))
    assert list(read(path, subtree=("A08",))[0]) == ["MESH:D1", "MESH:D2"]
    assert list(read(path, subtree=("A",))[0]) == ["MESH:D1", "MESH:D2", "MESH:D3"]
    assert list(read(path, subtree=("MESH:D2", "A17"))[0]) == ["MESH:D2", "MESH:D3"]
    with pytest.raises(UsageError, match="nothing called 'A09'"):
        read(path, subtree=("A08", "A09"))


def test_tables(tmp_path: Path) -> None:
    """A group's own list of names would have to be made an ontology first."""
    found, _ = read(write_file(tmp_path / "a.tsv", TABLE))
    assert list(names(found["X:1"])) == ["magnetic reconnection", "reconnection", "field line merging"]
    assert found["X:1"].links == ((Link.BROADER, "X:2"),)
    rows = [{"uri": "http://a.org/7", "name": "dust", "altNames": ["grains"], "broader": [{"uri": "http://a.org/8"}]}]
    found, _ = read(write_file(tmp_path / "b.json", json.dumps(rows)))
    assert names(found["my_words:7"]) == {"dust": Kind.LABEL, "grains": Kind.EXACT}
    assert found["my_words:7"].links == ((Link.BROADER, "my_words:8"),)
    held = {"CL:1": {"label": "cell", "synonyms": ["corpuscle"], "ancestors": {"CL:1": 0, "CL:2": 1, "CL:3": 2}}}
    found, _ = read(write_file(tmp_path / "c.json", json.dumps(held)))
    assert names(found["CL:1"]) == {"cell": Kind.LABEL, "corpuscle": Kind.EXACT}
    assert found["CL:1"].links == ((Link.BROADER, "CL:2"),)
    found, _ = read(write_file(tmp_path / "d.jsonl", '{"label": "α-synuclein", "abbrev": "aSyn; SNCA"}\n\n'))
    assert names(found["my_words:α-synuclein"]) == {
        "α-synuclein": Kind.LABEL,
        "aSyn": Kind.ABBREVIATION,
        "SNCA": Kind.ABBREVIATION,
    }
    found, _ = read(write_file(tmp_path / "e.txt", "海马体\nhippocampus\n"))
    assert [one.label for one in found.values()] == ["海马体", "hippocampus"]


def test_packed_files_folders_and_archives(tmp_path: Path) -> None:
    """A vocabulary comes as what a site offers, and is to be read as that."""
    turtle, cells = TURTLE.encode(), CELLS.encode()
    for name, data in (("a.ttl.gz", gzip.compress(turtle)), ("b.ttl.xz", lzma.compress(turtle))):
        assert "UBERON:0000955" in read(write_file(tmp_path / name, data))[0]
    folder = tmp_path / "all"
    (folder / "inner").mkdir(parents=True)
    write_file(folder / "brain.ttl", turtle), write_file(folder / "inner" / "cells.ttl", cells)
    write_file(folder / "README.json", "[]")
    with tarfile.open(tmp_path / "all.tar.xz", "w:xz") as tar:
        tar.add(folder, "all")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("x/brain.ttl", turtle), archive.writestr("../../cells.ttl", cells)
    for place in (folder, tmp_path / "all.tar.xz"):
        found, head = read(place)
        assert {"UBERON:0000955", "CL:0000540"} <= found.keys() and head.missing == ("http://example.org/away.ttl",)
    assert "CL:0000540" not in read(tmp_path / "all.zip")[0], "names that lead out of an archive"


BOMB = f"""<?xml version="1.0"?><!DOCTYPE DescriptorRecordSet [{ENTITIES}]>
<DescriptorRecordSet><DescriptorRecord><DescriptorUI>&j;</DescriptorUI></DescriptorRecord></DescriptorRecordSet>"""
ELSEWHERE = """<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>"""


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.ttl", TURTLE[:900], "no well-formed RDF"),
        ("a.ttl", "", "is empty"),
        ("a.rdf", '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><a', "RDF"),
        ("a.owl", '<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', "is OWL/XML"),
        ("a.owl", "Prefix(:=<http://x/>)", "functional"),
        ("a.jsonld", '{"@context": "http://away.example/context.json", "@id": "http://x/1"}', "RDF|context"),
        ("a.obo", "format-version: 1.4\n\n[Term]\nid CL:1\n", "no well-formed OBO"),
        ("a.json", '{"graphs": [{"nodes": 7}]}', "obographs"),
        ("a.json", "[1, 2]", "no object"),
        ("a.json", "[" * 100_000, "cannot be read as a table"),
        ("a.csv", "one,two\n1,2\n", "no column that is called `label`"),
        ("a.xml", MESH[:-30], "no well-formed XML"),
        ("a.xml", BOMB, "entities made of entities"),
        ("a.owl", ELSEWHERE, "in other files or at addresses"),
        ("a.pdf", b"%PDF-1.5\n%\xe2\xe3", r"is a paper \(pdf\), and no vocabulary"),
        ("a.owl", b"<html><head><title>404", "is a web page, and no vocabulary"),
        ("a.ttl.gz", gzip.compress(TURTLE.encode(), mtime=0)[:100], "damaged"),
        ("a.ttl.zst", b"\x28\xb5\x2f\xfd123", "damaged"),
        ("a.ttl.zst", zstandard.compress(TURTLE.encode())[:100], "damaged"),
        ("a.zip", b"PK\x05\x06" + bytes(18), "nothing in it"),
        ("a.tar.gz", b"no archive", "damaged"),
    ],
    ids=range(21),
)
def test_what_cannot_be_read_is_told(tmp_path: Path, name: str, data: str | bytes, said: str) -> None:
    """An empty vocabulary would look like one that has nothing to say."""
    path = write_file(tmp_path / name, data)
    with pytest.raises(InputError, match=said) as told:
        read(path)
    assert name in str(told.value)


def test_a_file_of_gigabytes_is_refused(tmp_path: Path) -> None:
    """It would fill the memory, or take the day."""
    with (tmp_path / "huge.nt").open("wb") as file:
        file.truncate(2 * 2**30)
    with pytest.raises(LimitError, match="larger than 1,024 MB"):
        read(tmp_path / "huge.nt")


def test_names_that_are_left_out() -> None:
    """Every "in" and "1" of a paper would be linked; what abbreviates in capitals would not."""
    said = {"brain": "", "ALL": "", "心": "", "5-HT": "", "x": "one letter", "α": "one letter", "12-3": "number"}
    said |= {"all": "function word", "In": "function word", "*.*": "no letters", "(Talairach)": "no letters"}
    assert {name: reason_left_out(name) for name in said} == said


def test_wildcards_of_an_atlas_are_no_part_of_a_name(tmp_path: Path) -> None:
    """Else a list of entities shows `*.*.Middle Occipital Gyrus.*.*`."""
    rows = "id,label,synonyms\nA:1,*.*.Precuneus.*.*,\nA:2,Left.*.Cuneus (Atlas),HLA-A*02\n"
    found, _ = read(write_file(tmp_path / "atlas.csv", rows))
    assert names(found["A:1"]) == {"Precuneus": Kind.LABEL} and found["A:1"].label == "Precuneus"
    assert names(found["A:2"]) == {"Left.Cuneus (Atlas)": Kind.LABEL, "HLA-A*02": Kind.EXACT}
