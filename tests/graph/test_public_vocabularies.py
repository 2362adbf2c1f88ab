"""Well-known vocabularies: listed, downloaded from their own servers, and added as any other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, ServiceError, UsageError
from conspectus.graph.vocabularies import public_vocabularies
from conspectus.records.vocabularies import KnownVocabulary
from file_server import PAGE, FileServer, file_server
from helpers import open_library

CATS = b'format-version: 1.2\nontology: cats\n\n[Term]\nid: CAT:1\nname: cat\nsynonym: "feline" EXACT []\n'
KITTENS = b"\n[Term]\nid: CAT:2\nname: kitten\nis_a: CAT:1\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with file_server() as found:
        addresses = (f"{found.url}/cats.obo", f"{found.url}/kittens.obo")
        one = KnownVocabulary("cats", "Cats of the World", "cats", "CC0", 0.1, addresses)
        monkeypatch.setattr(public_vocabularies, "KNOWN", (one,))
        found.files |= {"/cats.obo": CATS, "/kittens.obo": b"format-version: 1.2\nontology: kittens\n" + KITTENS}
        yield found


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        yield library


def test_a_known_vocabulary_is_one_call_away(server: FileServer, library: Library) -> None:
    """A newcomer would have to find an ontology's download page, and guess which of its files is read."""
    assert [(one.name, one.is_added) for one in library.vocabularies.available()] == [("cats", False)]
    with pytest.raises(UsageError, match="turned off"):
        library.vocabularies.fetch("cats")
    assert not server.asked
    [added] = library.vocabularies.fetch("cats of the world", online=True).vocabularies
    assert (added.name, added.outcome, added.concepts) == ("cats", "added", 2)
    assert library.vocabularies.available()[0].is_added
    [again] = library.vocabularies.fetch("cats", online=True).vocabularies
    assert again.outcome == "unchanged"
    server.files["/kittens.obo"] += b"\n[Term]\nid: CAT:3\nname: tabby\nis_a: CAT:1\n"
    [newer] = library.vocabularies.fetch("cats", online=True).vocabularies
    assert (newer.outcome, newer.added, newer.concepts) == ("updated", 1, 3)
    folder = library.folder / "vocabularies" / "cats"
    assert len([path for path in folder.iterdir() if path.suffix == ".obo"]) == 2  # the earlier one is gone


def test_what_does_not_come_costs_nothing(server: FileServer, library: Library) -> None:
    """A page that asks for a password would be read as a vocabulary without concepts."""
    library.vocabularies.fetch("cats", online=True)
    server.files["/cats.obo"] = PAGE
    with pytest.raises(ServiceError, match="it sends a web page"):
        library.vocabularies.fetch("cats", online=True)
    assert library.vocabularies.list()[0].concepts == 2
    with pytest.raises(NotFoundError, match="none of the well-known"):
        library.vocabularies.fetch("dogs", online=True)


def test_all_have_what_a_reader_needs_to_know() -> None:
    """A licence that is missing, or two of one name, would be found by the user."""
    names = [one.name for one in public_vocabularies.KNOWN]
    assert len(set(names)) == len(names) == 8
    for one in public_vocabularies.KNOWN:
        assert one.title and one.about and one.licence and one.megabytes > 0
        assert all(address.startswith("http") for address in one.addresses)
