"""A package of somebody else, from the entry point to what a user sees; nothing inside the program names it."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core import packages
from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ServiceError, SettingsError, UnavailableError, UsageError
from conspectus.evaluation import load_answers
from conspectus.export.formats import formats
from conspectus.export.write import pieces
from conspectus.index.registry import engine
from conspectus.models.protocol import Embedding
from conspectus.models.registry import make_embedder, make_encoder, make_reranker
from conspectus.models.wrappers import CachingReranker, ValidatingEmbedder, ValidatingEncoder
from conspectus.parse import registry
from conspectus.parse.registry import get_reader, readers
from conspectus.settings import load_settings
from helpers import open_library

pytestmark = pytest.mark.usefixtures("installed")
NOTE = "NOTE\nReplay in the hippocampus\n\nThe hippocampus replays sequences during sleep. Nobody knows why.\n"
CHOSEN = {
    "CONSPECTUS_INDEX_ENGINE": "plain",
    "CONSPECTUS_MODELS_EMBEDDER": "letters:300",
    "CONSPECTUS_MODELS_ENCODER": "colours:red,blue",
    "CONSPECTUS_SEARCH_RERANKER": "overlap",
}


def conspectus(library: Path, *words: str) -> str:
    """What a verb prints; in this process, which is quicker."""
    result = CliRunner().invoke(app, ["--library", str(library), *words], env=CHOSEN)
    assert result.exit_code == 0, result.output
    return result.stdout


def program(library: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "conspectus", "--library", str(library), *words],
        capture_output=True, text=True, check=False, env=os.environ | CHOSEN, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_library_of_parts_from_outside(tmp_path: Path) -> None:
    """A reader, an embedder, a reranker, an engine and an exporter could not be had without a change of the program."""
    (tmp_path / "one.note").write_text(NOTE)
    (tmp_path / "two.note").write_text("NOTE\nDark matter\n\nHaloes have a universal profile.\n")
    library = tmp_path / "library"
    program(library, "add", str(tmp_path / "one.note"), str(tmp_path / "two.note"))
    assert (library / "index" / "rows").exists() and not list((library / "index").glob("gen-*"))
    found = program(library, "search", "why does the hippocampus replay sequences")
    assert found.index("Replay in the hippocampus") < found.index("Dark matter")
    assert sorted(conspectus(library, "export", "--to", "titles").splitlines()) == [
        "Dark matter", "Replay in the hippocampus",
    ]  # fmt: skip
    conspectus(library, "remove", "Dark matter", "--yes")
    assert "Dark matter" not in conspectus(library, "search", "universal profile of haloes")
    assert "letters/300" in conspectus(library, "status")
    for colour in ("red", "blue"):
        Image.new("RGB", (30, 20), colour).save(tmp_path / f"{colour}.png")
    conspectus(library, "images", "add", str(tmp_path / "red.png"), str(tmp_path / "blue.png"))
    found = conspectus(library, "images", "search", str(tmp_path / "blue.png"))
    assert found.index("blue.png") < found.index("red.png") and "colours/red,blue" in found
    assert "colours/red,blue" in conspectus(library, "doctor")


def test_a_reader_that_cannot_be_loaded_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """A package that is broken would end every `add`, also of files that it has nothing to do with."""
    names = [reader.name for reader in readers()]
    assert names[0] == "notes" and "pdf" in names and len(names) == len(set(names))
    assert all(said in caplog.text for said in ("conspectus-plain 1.0", "'broken'", "another reader 'text'"))


def test_a_reader_that_says_nothing_usable_of_itself_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """No file could be added, of whatever kind, the program would end, or files of others would be taken."""
    assert not {"endless", "greedy"} & {reader.name for reader in readers()}
    assert caplog.text.count("Its 'suffixes' cannot be used") == 2 and "SystemExit: 7" in caplog.text


def test_a_name_that_is_taken_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """A single search would say the same three times."""
    for _ in range(3):
        packages.offered("embedders", {"minilm": "conspectus.models.registry:_make_minilm"})
    assert caplog.text.count("'minilm'") == 1


MODELS = load_settings(None, {"models.embedder": "failing", "models.encoder": "failing"}).models


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: engine("failing", folder, None),
        lambda _: make_embedder(MODELS),
        lambda _: make_encoder(MODELS),
        lambda _: make_reranker("failing", MODELS),
        lambda _: pieces("failing", lambda: []),
    ],
)
def test_what_fails_when_it_is_made_names_its_package(tmp_path: Path, act: object) -> None:
    """Users would be told of a fault of Conspectus, which is to be reported, and not which package it is."""
    with pytest.raises(UnavailableError, match=r"'failing'.*conspectus-plain 1\.0.*ValueError: it cannot"):
        act(tmp_path)  # type: ignore[operator]


def test_what_is_built_in_stays_what_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """A package that calls itself `minilm` would silently embed in its place."""
    found = packages.offered("embedders", {"minilm": "conspectus.models.registry:_make_minilm"})
    assert found["minilm"].dist is None and "letters" in found
    assert "left out" in caplog.text


@pytest.mark.parametrize(
    "act",
    [
        lambda folder: engine("nowhere", folder, None),
        lambda folder: make_embedder(load_settings(None, {"models.embedder": "nowhere"}).models),
        lambda folder: make_encoder(load_settings(None, {"models.encoder": "nowhere"}).models),
        lambda folder: list(pieces("nowhere", lambda: [])),
    ],
)
def test_an_unknown_name_says_what_there_is(tmp_path: Path, act: object) -> None:
    """Who misspells the name of what a package brings would not see which there are."""
    with pytest.raises((SettingsError, UsageError), match=r"plain|letters|colours|titles"):
        act(tmp_path)  # type: ignore[operator]


def test_what_cannot_be_imported_names_its_package() -> None:
    """A traceback of somebody else's package would not say what to remove."""
    broken = packages.offered("readers", {})["broken"]
    with pytest.raises(UnavailableError, match=r"conspectus-plain 1\.0.*ModuleNotFoundError"):
        packages.load(broken)


class Wrong:
    """An embedder that is none: `vectors` of every batch, whatever the texts."""

    id, dimensions = "wrong/1", 4

    def __init__(self, *vectors: list[float]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        return (Embedding(np.array(vector, np.float32)) for vector in self.vectors)

    def embed_query(self, text: str) -> Embedding:
        raise KeyError("letters")


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[float("nan")] * 4], "no unit vector"),
        ([[1.0, 2.0, 0.0, 0.0]], "no unit vector"),
        ([[1.0] * 7], "7 numbers, not 4"),
        ([], "0 vectors of 1 texts"),
        ([[1.0, 0, 0, 0], [1.0, 0, 0, 0]], "2 vectors of 1 texts"),
    ],
)
def test_a_wrong_vector_is_not_stored(vectors: list[list[float]], said: str) -> None:
    """Papers would be stored that no search finds, and the embedder never be blamed."""
    checked = ValidatingEmbedder(Wrong(*vectors))
    with pytest.raises(ServiceError, match=rf"wrong/1.*{said}"):
        list(checked.embed(["a text"]))
    with pytest.raises(ServiceError, match="KeyError"):
        checked.embed_query("a text")


class WrongEncoder:
    """An encoder that is none: it gives `vectors`, whatever the pictures."""

    id, dimensions, takes = "wrong/1", 2, frozenset({"image", "text"})

    def __init__(self, *vectors: list[float]) -> None:
        self.vectors = vectors

    def images(self, pictures: Iterable[Image.Image]) -> Iterator[FloatArray]:
        return (np.array(vector, np.float32) for vector, _ in zip(self.vectors, pictures, strict=False))

    def text(self, words: str) -> FloatArray:
        raise KeyError(words)


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[1.0, float("nan")]] * 2, "no numbers"),
        ([[1.0, 2.0, 3.0]] * 2, "3 numbers, not 2"),
        ([[1.0, 2.0]], "1 vectors of 2 pictures"),
    ],
)
def test_a_wrong_vector_of_a_picture_is_not_stored(vectors: list[list[float]], said: str) -> None:
    """Figures would be kept that are found by nothing, or under the pictures of others."""
    checked = ValidatingEncoder(WrongEncoder(*vectors))
    with pytest.raises(ServiceError, match=rf"wrong/1.*{said}"):
        list(checked.images([Image.new("L", (3, 3))] * 2))
    with pytest.raises(ServiceError, match="KeyError"):
        checked.text("a plot")


def test_what_is_put_in_is_checked(tmp_path: Path) -> None:
    """The message would be of an attribute that a string does not have."""
    with Library(tmp_path / "library", embedder=Wrong()) as library:  # type: ignore[arg-type]
        assert isinstance(library.session.embedder, ValidatingEmbedder) and library.session.embedder.id == "wrong/1"
    with (
        Library(tmp_path / "library", encoder="efficientnet") as library,
        pytest.raises(UsageError, match="no image enc"),
    ):  # type: ignore[arg-type]
        library.session.encoder  # noqa: B018
    with Library(tmp_path / "library", embedder="minilm") as library, pytest.raises(UsageError, match="no embedder"):  # type: ignore[arg-type]
        library.search("sleep")


def test_scores_that_are_none_are_told() -> None:
    """A search would end in a traceback, or be in an order that means nothing."""
    for scores in (np.array([np.nan], np.float32), np.array([1.0, 2.0], np.float32), []):
        broken = CachingReranker(type("R", (), {"id": "r/1", "scores": lambda *_, s=scores: s})())
        with pytest.raises(ServiceError, match="r/1"):
            broken.scores("sleep", ["a text"])


def test_a_reader_that_fails_to_say_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Every file with its ending would fail, as a fault of the program."""
    broken = type("Broken", (), {"name": "evil", "accepts": lambda self, head, suffix: 1 / 0})()
    monkeypatch.setattr(registry, "_sharing", lambda path: ([broken, get_reader("markdown")], ".md"))
    (tmp_path / "a.md").write_text("# A title\n\nA text.\n")
    assert registry.reader_for(tmp_path / "a.md").name == "markdown"
    assert "'evil'" in caplog.text and "ZeroDivisionError" in caplog.text


def test_an_exporter_of_a_name_that_is_taken_is_told(tmp_path: Path) -> None:
    """It could not be reached, and nobody would know why."""
    with open_library(tmp_path / "lib") as library, pytest.raises(UsageError, match=r"'md' of .*conspectus-plain 1\.0"):
        library.export("md", str(tmp_path / "all.md"))
    assert "md" not in formats()


def test_a_broken_set_of_questions_costs_only_itself(tmp_path: Path) -> None:
    """One's own questions could not be asked while any installed package is broken."""
    questions = tmp_path / "mine.jsonl"
    questions.write_text('{"question": "Why do cats sleep?", "answerable": false}\n')
    assert load_answers(str(questions)).questions[0].text == "Why do cats sleep?"
    with pytest.raises(UnavailableError, match="failing"):
        load_answers("failing")
