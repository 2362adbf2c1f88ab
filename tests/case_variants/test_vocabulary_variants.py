"""Vocabularies as they are published: one bad line costs that line, named with its number, and nothing else."""

import io
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_reading import add_vocabulary, concept_names
from conspectus import Library
from helpers import open_library

CASES = tomllib.loads(Path(__file__).with_name("vocabularies.toml").read_text("utf-8"))
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


def write_case(folder: Path, case: dict[str, Any], text: str) -> Path:
    path = folder / case["name"]
    path.write_bytes(text.replace("\n", case.get("newline", "\n")).encode(case.get("encoding", "utf-8")))
    return path


@pytest.mark.parametrize("case", CASES["line"], ids=lambda case: case["name"])
def test_a_bad_line_costs_that_line(tmp_path: Path, library: Library, case: dict[str, Any]) -> None:
    """A user would have no vocabulary at all, or not know what is missing, for one line."""
    name = case["name"] + ".obo"
    path = write_case(tmp_path, case | {"name": name}, HEAD + TERM.format(line=case["line"]) + OTHER)
    added = add_vocabulary(library, path, name)
    assert added.outcome == "added", added.reason
    found = concept_names(library, name)
    assert all(WHOLE[label] <= found.get(label, set()) for label in WHOLE), found
    assert "named" not in case or any(re.search(rf"\bline {LINE}\b", note) for note in added.notes), added.notes


@pytest.mark.parametrize("case", CASES["file"], ids=lambda case: case["name"])
def test_a_file_is_read_whole(tmp_path: Path, library: Library, case: dict[str, Any]) -> None:
    """A file that other programs read would be refused, come without its names, or end the program that reads it."""
    added = add_vocabulary(library, write_case(tmp_path, case, case["text"]))
    assert added.outcome == "added", added.reason
    assert concept_names(library, case["name"]) == WHOLE
    assert "noted" not in case or any(case["noted"] in note for note in added.notes), added.notes


@pytest.mark.parametrize("case", CASES["table"], ids=lambda case: case["name"])
def test_tables_of_names(tmp_path: Path, library: Library, case: dict[str, Any]) -> None:
    """A user would have to rename columns by hand before the first vocabulary works."""
    added = add_vocabulary(library, write_case(tmp_path, case, case["text"]))
    assert added.outcome == "added", added.reason
    found = concept_names(library, case["name"])
    assert {"shore reef"} <= found["fringing reef"] and {"outer reef"} <= found["barrier reef"]
    assert any(name.endswith("far reef") or name == '"far" reef' for name in found["barrier reef"])
    assert all("|" not in name and ", " not in name for names in found.values() for name in names)


def test_the_bioportal_table_says_what_is_obsolete_and_broader(tmp_path: Path, library: Library) -> None:
    """Names that nobody uses any more would be linked, and the tree would be lost."""
    (case,) = (case for case in CASES["table"] if case["name"] == "bioportal.csv")
    add_vocabulary(library, write_case(tmp_path, case, case["text"]), "parents.csv")
    concepts = {
        concept.label: concept
        for hit in library.vocabularies.search("", vocabulary="parents.csv").concepts
        for concept in library.vocabularies.show(hit.id)
        if concept.vocabulary == "parents.csv"
    }
    assert concepts["fringing reef"].definition == "A reef, at the shore."
    assert any(link.label == "fringing reef" for link in concepts["barrier reef"].links)
    assert "old reef" not in concepts or concepts["old reef"].deprecated


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_table_in_an_archive_beside_links(tmp_path: Path, library: Library, kind: str) -> None:
    """A packed table would be refused, or a link in the archive would read a file of the user's."""
    secret = tmp_path / "secret.csv"
    secret.write_text("id,label\nX:1,secret word\n", "utf-8")
    table = b"id,label,synonyms\nR:1,fringing reef,shore reef\nR:2,barrier reef,outer reef\n"
    path = tmp_path / f"reefs.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("reefs.csv", table)
            link = zipfile.ZipInfo("link.csv")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, str(secret))
            archive.writestr("../up.csv", table)
    else:
        with tarfile.open(path, "w") as archive_of_tar:
            plain = tarfile.TarInfo("reefs.csv")
            plain.size = len(table)
            archive_of_tar.addfile(plain, io.BytesIO(table))
            for name, what in (("link.csv", tarfile.SYMTYPE), ("hard.csv", tarfile.LNKTYPE)):
                linked = tarfile.TarInfo(name)
                linked.type, linked.linkname = what, str(secret)
                archive_of_tar.addfile(linked)
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    assert concept_names(library, path.name) == WHOLE
    assert any("link.csv" in note for note in added.notes)
