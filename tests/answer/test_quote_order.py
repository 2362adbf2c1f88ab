"""The order of quotes by a model that reads each sentence together with the question."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from conspectus import Library
from conspectus.answer.quote_order import NAMES, READ_TOGETHER, add_scores, load_quote_model, order_quotes
from conspectus.answer.sentence_model import MEASURES, load_bearing_model
from conspectus.answer.sentences import QuotableSentence
from conspectus.models import pair_reader
from conspectus.models.minilm import SPEC
from conspectus.models.pair_reader import (
    Adapter,
    PairReader,
    adapt_weights,
    mark_pair,
    open_pair_reader,
    read_adapter,
)
from conspectus.models.store import ModelStore
from conspectus.records import Paper, Passage, Span
from conspectus.search.retriever import Retriever

QUESTION = "Does sleep loss change the activity of the thalamus?"
SENTENCES = (
    "Thalamic activation was significantly increased after sleep deprivation compared with rested wakefulness.",
    "PubMed was searched for studies of sleep deprivation that report coordinates in the thalamus.",
    "Cats purr when they are warm and happy.",
)
REFERENCE = (0.05, -6.53, -8.51)
"""Log odds by the network of `benchmarks/pair_reader.py`, whose weights are not quantised."""


@pytest.fixture(scope="module")
def reader() -> PairReader:
    store = ModelStore()
    if not store.has(SPEC):
        pytest.skip("the model 'minilm' is not in the model store")
    return open_pair_reader(store.path(SPEC))


def test_it_reads_as_it_was_trained(reader: PairReader) -> None:
    """Else the adapter is added to other weights than those it was trained with, or wrongly."""
    assert np.allclose(reader.score(QUESTION, SENTENCES), REFERENCE, atol=1.0)


def test_adapted_weights_are_read_from_the_store_and_made_again_where_damaged(
    reader: PairReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each process takes half a second more to its first answer, or one bad file ends all answers."""
    folder = tmp_path / "minilm-1"
    folder.symlink_to(ModelStore().path(SPEC))
    scores = reader.score(QUESTION, SENTENCES).tolist()
    made: list[Path] = []

    def note(path: Path, adapter: Adapter) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        made.append(path)
        return adapt_weights(path, adapter)

    monkeypatch.setattr(pair_reader, "adapt_weights", note)

    def read_anew() -> list[float]:
        pair_reader.open_pair_reader.cache_clear()
        return open_pair_reader(folder).score(QUESTION, SENTENCES).tolist()

    try:
        assert read_anew() == scores and len(made) == 1
        (cache,) = tmp_path.glob("pair-reader-*.npz")
        assert read_anew() == scores and len(made) == 1
        whole = cache.read_bytes()
        other = io.BytesIO()
        np.savez(other, **{"bert.weight": np.zeros(3)})  # type: ignore[arg-type]
        for data in (b"", whole[:1000], whole[:-1000], b"\x93NUMPY" + whole, other.getvalue()):
            cache.write_bytes(data)
            before = len(made)
            assert read_anew() == scores and len(made) == before + 1
            assert cache.read_bytes() == whole
        cache.unlink()
        cache.mkdir()  # nothing can be written there
        assert read_anew() == scores
    finally:
        pair_reader.open_pair_reader.cache_clear()


def test_a_score_depends_on_the_pair_alone(reader: PairReader) -> None:
    """Else the same question gives other quotes when something else was found as well."""
    scores = reader.score(QUESTION, SENTENCES)
    assert scores.tolist() == reader.score(QUESTION, SENTENCES).tolist()
    assert scores[2] == reader.score(QUESTION, SENTENCES[2:])[0]
    assert reader.score("", SENTENCES[:1]).shape == reader.score(QUESTION, [""]).shape == (1,)


def test_a_long_pair_is_cut_in_the_sentence() -> None:
    """Else the model reads more tokens than it was trained with, or no sentence at all."""
    ids, marks = mark_pair(range(28), range(500))
    assert len(ids) == len(marks) == 96 and marks.count(2) == 28 and marks[-2:] == [3, 1]


def test_the_weights_are_for_the_measures_that_are_taken() -> None:
    """Else a measure is multiplied with the weight of another, or of another embedder."""
    made = load_quote_model()
    assert tuple(made.names) == NAMES and made.embedder == load_bearing_model().embedder
    assert add_scores(np.zeros((2, len(MEASURES)), np.float32), np.zeros(2, np.float32)).shape == (2, len(NAMES))
    assert sum(value.size * 2 for value in read_adapter().values()) < 3_000_000


class Ordered:
    """A retriever with an embedder of some id, and the folder of its model."""

    def __init__(self, embedder: str, folder: Path | None) -> None:
        self.embedder = SimpleNamespace(id=embedder, **({"folder": folder} if folder else {}))


def quotable() -> list[QuotableSentence]:
    """Sentences that all measures hold for equal."""
    paper = cast(Paper, None)
    measures = np.array(load_bearing_model().means, np.float32)
    spans = tuple(Span(f"s{number}", 0, len(text), text) for number, text in enumerate(SENTENCES[::-1] * 20))
    passage = Passage("p.1", "p", "abstract", "", " ".join(span.text for span in spans), spans)
    return [
        QuotableSentence(span, passage, paper, 0.5, 0.5, number, frozenset(), 0.5, measures)
        for number, span in enumerate(spans)
    ]


def test_the_best_are_read_with_the_question(reader: PairReader) -> None:
    """Else a method is quoted before the result, or the same question gives other quotes the next time."""
    retriever = cast(Retriever, Ordered(f"{load_quote_model().embedder}/256", ModelStore().path(SPEC)))
    ordered = order_quotes(retriever, QUESTION, quotable())
    assert len(ordered) == READ_TOGETHER and ordered[0].span.text == SENTENCES[0]
    assert [one.bears for one in ordered] == [one.bears for one in order_quotes(retriever, QUESTION, quotable())]
    assert order_quotes(retriever, QUESTION, []) == []


def test_other_embedders_keep_their_order(reader: PairReader) -> None:
    """Else quotes are ordered by a model that knows nothing of their measures."""
    folder, known = ModelStore().path(SPEC), load_quote_model().embedder
    unmeasured = [replace(one, measures=None) for one in quotable()]
    for embedder, where, given in (
        ("another/1", folder, quotable()),
        (known, None, quotable()),
        (known, folder, unmeasured),
    ):
        ordered = order_quotes(cast(Retriever, Ordered(embedder, where)), QUESTION, given)
        assert len(ordered) == len(given) and all(one is other for one, other in zip(ordered, given, strict=True))


def test_what_a_rare_word_is_said_of_comes_first(reader: PairReader, tmp_path: Path) -> None:
    """Else "What does tetrodotoxin block?" is answered by what blocks another channel."""
    assert reader
    primers = Path(__file__).parents[2] / "examples" / "papers"
    with Library(tmp_path / "lib") as library:
        library.add(primers)
        (only,) = library.ask("What does tetrodotoxin block?").statements
        assert only.text.startswith("Tetrodotoxin, the poison of the puffer fish,")
        depth, *_ = library.ask("How deep is the transit of the Earth in front of the Sun?").statements
        assert "84 parts per million" in depth.text
