"""Another embedder: said at once, mended by `library reindex`, and vectors of two models never meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import ModelMismatchError
from conspectus.models.protocol import Embedding
from helpers import HashEmbedder, assert_consistent, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
COUNT = 300


class Failing(HashEmbedder):
    """Fails once in the middle of its work, as a service may."""

    left = 270

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        for found in super().embed(texts):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            yield found


def open_as(folder: Path, embedder: HashEmbedder) -> Library:
    return open_library(folder / "lib", embedder)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = write_jsonl(tmp_path / "refs.jsonl", [{"title": f"Record {number}"} for number in range(COUNT)])
    with open_as(tmp_path, HashEmbedder("old/1")) as library:
        library.add(path)
    return tmp_path


def test_it_is_said_before_anything_is_mixed(filled: Path) -> None:
    """Else similarities of vectors that have nothing to do with each other are shown as results."""
    with open_as(filled, HashEmbedder("new/2", 48)) as library:
        write_jsonl(filled / "more.jsonl", [{"title": "One more"}])
        for use in (
            lambda: library.search("record"),
            lambda: library.ask("record?"),
            lambda: library.similar(text="record"),
            lambda: library.add(filled / "more.jsonl"),
        ):
            with pytest.raises(ModelMismatchError) as caught:
                use()
            assert "old/1" in caught.value.message and "new/2" in caught.value.message
            assert "reindex" in caught.value.hint
        assert library.session.catalog.model_counts() == {"old/1": COUNT}
        assert len(list(library.papers())) == COUNT
    with open_as(filled, HashEmbedder("old/1")) as library:
        assert library.search("record 7").hits, "set back, all is as it was"


def test_reindex_embeds_anew(filled: Path) -> None:
    """Else there is no way to a better model but to begin again."""
    with open_as(filled, HashEmbedder("new/2", 48)) as library:
        assert library.reindex().embedded == COUNT
        assert library.session.catalog.model_counts() == {"new/2": COUNT}
        assert library.session.index.stats().model == "new/2"
        assert library.search("record 7").models == ("new/2",)
        assert library.search("record 7").hits[0].paper.title == "Record 7"
        assert library.reindex().embedded == 0, "nothing is embedded twice"
        assert_consistent(library)


def test_an_interrupted_reindex_goes_on(filled: Path) -> None:
    """Else a reindex of a large library must run through in one go, or never ends."""
    with open_as(filled, Failing("new/2", 48)) as library:
        with pytest.raises(KeyboardInterrupt):
            library.reindex()
        counts = library.session.catalog.model_counts()
        assert counts["old/1"] == COUNT, "the old vectors stay until all new ones are there"
        assert 0 < counts["new/2"] < COUNT
        with pytest.raises(ModelMismatchError):
            library.search("record")
    again = HashEmbedder("new/2", 48)
    with open_as(filled, again) as library:
        assert library.reindex().embedded == len(again.embedded) == COUNT - counts["new/2"]
        assert library.session.catalog.model_counts() == {"new/2": COUNT}
        assert_consistent(library)


def test_reindex_with_the_same_model_mends_the_index(filled: Path) -> None:
    """Else a lost index cannot be had back without embedding everything."""
    with open_as(filled, HashEmbedder("old/1")) as library:
        (library.session.index.folder / "CURRENT").unlink()
        assert "passages behind" in next(found for found in library.doctor().findings if found.check == "index").detail
        assert library.reindex().embedded == 0
        assert_consistent(library)


def test_an_index_that_is_behind_is_brought_up_by_a_search(filled: Path) -> None:
    """Else a run that was killed between catalog and index leaves papers that cannot be found."""
    with open_as(filled, HashEmbedder("old/1")) as library:
        (library.session.index.folder / "CURRENT").unlink()
        assert library.search("record 7").hits[0].paper.title == "Record 7"
        assert_consistent(library)


def test_removing_needs_no_model(filled: Path) -> None:
    """Else a paper cannot be removed from a library whose service is gone."""
    with open_as(filled, HashEmbedder("new/2", 48)) as library:
        library.remove("Record 7")
        assert library.session.index.stats().model == "old/1"
        assert library.session.index.stats().rows == COUNT - 1
        assert library.session.catalog.model_counts() == {"old/1": COUNT - 1}
