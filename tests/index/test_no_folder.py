"""An index that is a plain file: told with a remedy that helps."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import LibraryDamagedError
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

VERBS: dict[str, Callable[[Library], object]] = {
    "search": lambda library: library.search("eels"),
    "ask": lambda library: library.ask("Do eels swim?"),
    "status": lambda library: library.status(),
    "reindex": lambda library: library.reindex(),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_in_the_index_s_place_is_told_with_what_to_do(verb: str, tmp_path: Path) -> None:
    """ "Not a directory", without a remedy, is all that a user was told after a sync tool had put a file there."""
    folder = tmp_path / "library"
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "eels.jsonl", [{"title": "Eels", "abstract": "They swim at night."}]))
    (folder / "index").rename(tmp_path / "away")
    (folder / "index").write_text("a file")
    with open_library(folder) as library:
        try:
            VERBS[verb](library)
        except LibraryDamagedError as error:
            assert "is a file" in error.message and "delete it" in error.hint
        else:
            assert verb == "status"
            assert not next(found for found in library.doctor().findings if found.check == "index").ok
    (folder / "index").unlink()
    with open_library(folder) as library:
        assert library.search("eels").hits
