"""The embedded engine: what every engine does, and its own generations of files."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from conspectus.core.errors import BusyError, LibraryDamagedError
from conspectus.index import embedded_engine, generations
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.records.filters import Stands
from conspectus.testing.index import IndexConformance
from conspectus.testing.index_writes import (
    ALL,
    DIMENSIONS,
    MODEL,
    by_text,
    by_vector,
    many_rows,
    row,
    unit,
    write_rows,
)
from helpers import HANG


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


class TestEmbeddedIndex(IndexConformance):
    @pytest.fixture
    def make_index(self, folder: Path) -> Callable[[], EmbeddedIndex]:
        return lambda: EmbeddedIndex(folder)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"write.lock"}


def test_opening_and_searching_writes_nothing(folder: Path) -> None:
    """Else looking into a library on a read-only medium fails."""
    index = EmbeddedIndex(folder)
    assert by_text(index, "common") == []
    assert not folder.exists()


def test_one_generation_is_kept(folder: Path) -> None:
    """Else the disk fills with every `add`."""
    index = EmbeddedIndex(folder)
    for change in range(1, 4):
        write_rows(index, [row(change)], change)
    assert names(folder) == {"CURRENT", "gen-00000003"}
    assert index.stats().generation == 3
    assert index.stats().megabytes > 0


def test_a_reader_of_the_old_generation_goes_on(folder: Path) -> None:
    """Else a search that runs while another process commits fails in the middle."""
    write_rows(EmbeddedIndex(folder), many_rows(50))
    reader = EmbeddedIndex(folder)
    held = reader._current()
    assert held is not None
    write_rows(EmbeddedIndex(folder), [row(100)], 2, delete=list(range(1, 51)))
    assert len(held.text.search("common galaxy", 100, ALL)) == 50
    assert len(held.vectors.search(unit(16), 100, None)) == 50
    assert by_text(reader, "common") == by_vector(reader, unit(16)) == [100]


def test_what_a_killed_writer_left_is_removed(folder: Path) -> None:
    """Else every killed run costs disk space for ever; and its half-written rows are never seen."""
    index = EmbeddedIndex(folder)
    write_rows(index, [row(1)])
    shutil.copytree(folder / "gen-00000001", folder / "tmp-00000002")
    shutil.copytree(folder / "gen-00000001", folder / "gen-00000007")  # renamed, but CURRENT was not yet replaced
    (folder / "CURRENT.new").write_text("gen-0000")
    assert index.keys().tolist() == [1]
    write_rows(index, [row(2)], 2)
    assert index.keys().tolist() == sorted(by_text(index, "common")) == [1, 2]
    assert names(folder) == {"CURRENT", "gen-00000008"}


def test_without_the_pointer_it_is_empty(folder: Path) -> None:
    """Else a library copied without its index cannot be opened; empty, it is built again from the catalog."""
    index = EmbeddedIndex(folder)
    write_rows(index, [row(1)])
    (folder / "CURRENT").unlink()
    for each in (index, EmbeddedIndex(folder)):
        assert by_text(each, "common") == each.keys().tolist() == []
        assert each.stats().rows == 0


@pytest.mark.parametrize("name", ["manifest.json", "codes", "keys", "text/meta.json", "CURRENT"])
@pytest.mark.parametrize("harm", ["emptied", "garbled", "cut"])
def test_damage_is_named_with_the_remedy(folder: Path, name: str, harm: str) -> None:
    """Else a bad disk shows as a traceback, or as wrong results."""
    write_rows(EmbeddedIndex(folder), many_rows(20))
    path = folder / name if name == "CURRENT" else folder / "gen-00000001" / name
    raw = path.read_bytes()
    path.write_bytes({"emptied": b"", "garbled": b"\x00garbage\xff" * 9, "cut": raw[: len(raw) // 2]}[harm])
    for look in (EmbeddedIndex(folder).stats, EmbeddedIndex(folder).keys):
        with pytest.raises(LibraryDamagedError) as caught:
            look()
        assert "`library reindex`" in caught.value.hint
        assert str(folder) in caught.value.message


@pytest.mark.parametrize("name", ["manifest.json", "codes", "facet_rows", "text"])
def test_a_missing_part_is_damage_too(folder: Path, name: str) -> None:
    """Else a half-copied library is taken for an empty one."""
    write_rows(EmbeddedIndex(folder), many_rows(20))
    path = folder / "gen-00000001" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(LibraryDamagedError):
        EmbeddedIndex(folder).stats()


def test_another_version_of_the_index_counts_as_none(folder: Path) -> None:
    """Else an upgrade calls every library damaged, though its index can be made again."""
    write_rows(EmbeddedIndex(folder), many_rows(20))
    manifest = folder / "gen-00000001" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"format": {generations.FORMAT}', '"format": 99'))
    index = EmbeddedIndex(folder)
    assert index.stats().rows == 0 and by_text(index, "common") == []
    write_rows(index, [row(1)])
    assert by_text(EmbeddedIndex(folder), "common") == [1]


def test_damage_is_healed_by_a_fresh_index(folder: Path) -> None:
    """Else the remedy that the error names does not help."""
    write_rows(EmbeddedIndex(folder), many_rows(20))
    (folder / "gen-00000001" / "codes").write_bytes(b"")
    index = EmbeddedIndex(folder)
    with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
        writer.add([row(1)])
        writer.commit(1)
    assert by_text(index, "common") == by_vector(index, unit(16)) == [1]


def test_vectors_of_another_model_are_refused(folder: Path) -> None:
    """Else vectors that cannot be compared end up in one index."""
    index = EmbeddedIndex(folder)
    write_rows(index, [row(1)])
    with pytest.raises(AssertionError, match="test/1"), index.writing("other/2", DIMENSIONS):
        pass
    write_rows(index, [row(2)], 2)
    assert index.keys().tolist() == [1, 2]


def test_waiting_for_a_writer_has_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a hung process makes all others hang without a word."""
    monkeypatch.setattr(embedded_engine, "LOCK_SECONDS", 0.1)
    index = EmbeddedIndex(folder)
    caught: list[BaseException] = []

    def second() -> None:
        try:
            write_rows(EmbeddedIndex(folder), [row(2)])
        except BusyError as error:
            caught.append(error)

    with index.writing(MODEL, DIMENSIONS):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(HANG)
    assert [error.retry for error in caught] == [True]


def test_codes_hold_vectors_of_any_direction(folder: Path) -> None:
    """Else a vector along one axis, whose large components are beyond the codes' range, loses its direction."""
    index = EmbeddedIndex(folder)
    axes = np.eye(384, dtype=np.float32)[:40]
    write_rows(index, [row(key, vector=vector) for key, vector in enumerate(axes, 1)])
    for key in range(1, 41):
        assert by_vector(index, axes[key - 1], 1) == [key]


def spoilt(path: Path) -> None:
    raw = path.read_bytes()
    overwrite(path, bytes(255 - byte for byte in raw[: len(raw) // 2]))


def overwrite(path: Path, raw: bytes) -> None:
    """In place: to cut a file short that is memory-mapped kills the process."""
    with path.open("r+b") as file:
        file.write(raw)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("gen-*/**/*") if path.is_file() and path.suffix != ".lock")


def test_bytes_that_have_changed_are_noticed(folder: Path) -> None:
    """A disk that fails leaves files of the right length; results would be wrong, and nobody would know."""
    write_rows(EmbeddedIndex(folder), many_rows(50))
    write_rows(EmbeddedIndex(folder), [row(100)], 2, delete=[7])  # segments that stay are not read again
    assert EmbeddedIndex(folder).damage() == []
    names = {path.relative_to(next(folder.glob("gen-*"))).as_posix() for path in files(folder)}
    generation = EmbeddedIndex(folder)._current()
    assert generation is not None and generation.checksums.keys() == names - {"manifest.json"}
    for path in files(folder):
        if path.name == "manifest.json" or not path.stat().st_size:
            continue
        raw = path.read_bytes()
        index = EmbeddedIndex(folder)
        index.stats()  # it is open already: else some are noticed at once
        spoilt(path)
        assert [Path(name).name for name in index.damage()] == [path.name]
        overwrite(path, raw)


@pytest.mark.parametrize("name", ["codes", "keys", "papers", "years", "kinds"])
def test_what_is_searched_has_the_bytes_that_were_written(folder: Path, name: str) -> None:
    """A disk that fails would give fewer hits, or other papers' passages, and nobody would look into `doctor`."""
    write_rows(EmbeddedIndex(folder), many_rows(50))
    path = folder / "gen-00000001" / name
    overwrite(path, bytes(byte ^ 1 for byte in path.read_bytes()[:40]))
    with pytest.raises(LibraryDamagedError, match=f"'{name}' has other bytes") as caught:
        EmbeddedIndex(folder).search_vector(row(3).vector, 5, ALL)
    assert "`library reindex`" in caught.value.hint and str(folder) in caught.value.message
    with pytest.raises(LibraryDamagedError):  # else the copies would get checksums that fit
        write_rows(EmbeddedIndex(folder), [row(100)], 2)
    with EmbeddedIndex(folder).writing(MODEL, DIMENSIONS, fresh=True) as writer:
        writer.add(many_rows(50))
        writer.commit(3)
    assert EmbeddedIndex(folder).search_vector(row(3).vector, 5, ALL)


def test_an_index_that_is_open_stays_so_while_another_writes(folder: Path) -> None:
    """A search that began before would be told of damage where a writer has only taken the old files away."""
    write_rows(EmbeddedIndex(folder), many_rows(50))
    old = EmbeddedIndex(folder)._current()
    assert old is not None
    write_rows(EmbeddedIndex(folder), [row(100)], 2)
    assert old.vectors.search(row(3).vector, 5, None)


def test_a_panic_is_told_as_damage(folder: Path) -> None:
    """tantivy's panics are no `Exception`: they would go through all that tells errors."""
    write_rows(EmbeddedIndex(folder), [row(number, "common galaxy and moss " * 50) for number in range(1, 200)])
    for path in folder.glob("gen-*/text/*.pos"):
        overwrite(path, b"\xff" * (path.stat().st_size // 2))  # what ends it stays
    index = EmbeddedIndex(folder)
    with pytest.raises(LibraryDamagedError, match="gave up") as caught:
        index.search_text("common", 10, ALL, Stands("galaxy and moss"))
    assert "reindex" in caught.value.hint
