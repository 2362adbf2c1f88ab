"""Rerankers by name: a folder with an ONNX graph, and the package sentence-transformers; what they share."""

import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from onnx import TensorProto

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ModelDamagedError, ModelMissingError, SettingsError
from conspectus.models import registry, sentence_transformers
from conspectus.models.pairs import OnnxReranker, limit_of
from conspectus.models.protocol import Reranker
from conspectus.models.wrappers import CachingReranker
from conspectus.settings import load_settings
from helpers import read_cases
from tiny_cross_encoder import folder, matches

CASES = read_cases(__file__)

QUERY = "tides slow the rotation of the earth"
TEXTS = ["the moon recedes", "the tides slow the rotation of the earth", "steel is hard", "the the the", ""] * 5


def made(name: str, **settings: Any) -> Reranker:
    flags = {f"models.{key}": value for key, value in settings.items()}
    return registry.make_reranker(name, load_settings(flags=flags, environ={}).models)


def test_scores_are_those_of_the_graph(tmp_path: Path) -> None:
    """Else the order of results is another model's: each is reckoned by hand."""
    model = made(f"onnx:{folder(tmp_path / 'm')}")
    found = model.scores(QUERY, TEXTS)
    assert isinstance(model, Reranker)
    assert found.dtype == np.float32 and found.tolist() == [matches(QUERY, text) for text in TEXTS]
    assert matches(QUERY, TEXTS[1]) == 11 and matches(QUERY, TEXTS[2]) == 0
    assert model.scores(QUERY, []).shape == (0,)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_text_has_the_same_score_alone_and_among_others(tmp_path: Path, threads: int) -> None:
    """Else what is found depends on what else is found."""
    model = OnnxReranker(folder(tmp_path, factor=0.37), threads)
    together = model.scores(QUERY, TEXTS)
    alone = np.concatenate([model.scores(QUERY, [text]) for text in TEXTS])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, model.scores(QUERY, TEXTS))


@pytest.mark.parametrize("kind", [TensorProto.INT64, TensorProto.INT32])
def test_two_outputs_and_small_whole_numbers(tmp_path: Path, kind: int) -> None:
    """Models that say 'not relevant' and 'relevant' apart rank by the second less the first."""
    model = OnnxReranker(folder(tmp_path, outputs=2, kind=kind, factor=0.5))
    assert model.scores(QUERY, TEXTS[:2]).tolist() == [matches(QUERY, text) / 2 for text in TEXTS[:2]]


def test_only_the_text_is_cut(tmp_path: Path) -> None:
    """A long passage must not push the question out; one just over the limit loses its end only."""
    model = OnnxReranker(folder(tmp_path, limit=16))  # 3 marks, 7 words of the question, 6 of the text
    tail = "earth " * 40
    assert model.scores(QUERY, ["is is is is is " + tail]).tolist() == [1.0]
    assert model.scores(QUERY, ["is is is is is is " + tail]).tolist() == [0.0]
    assert model.scores(QUERY, [tail]).tolist() == [6.0]


def test_of_a_question_without_end_the_beginning_is_asked(tmp_path: Path) -> None:
    """Pasted text is searched for, too; half of what the model reads is left for the passage."""
    model = OnnxReranker(folder(tmp_path, limit=16))
    query = "moon " * 8 + "steel " * 400
    assert model.scores(query, ["moon steel", "steel"]).tolist() == [8.0, 0.0]
    assert model.scores("", ["moon"]).tolist() == [0.0]


def test_halves_of_characters_do_no_harm(tmp_path: Path) -> None:
    """Text out of broken files has them, and the tokenizer takes none."""
    assert OnnxReranker(folder(tmp_path)).scores("tides \ud800", ["tides \udfff"]).tolist() == [1.0]


@pytest.mark.parametrize(
    "place", ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_qint8_avx512.onnx"]
)
def test_where_hubs_put_the_graph(tmp_path: Path, place: str) -> None:
    """A model as it was fetched has to do, without moving its files."""
    assert OnnxReranker(folder(tmp_path, place)).scores(QUERY, ["tides"]).tolist() == [1.0]
    assert made(f"onnx:{tmp_path / place}").scores(QUERY, ["tides"]).tolist() == [1.0]


def test_of_several_graphs_one_is_named(tmp_path: Path) -> None:
    """The full one goes before the quantised; of others none is guessed."""
    folder(tmp_path / "a", "onnx/model_quantized.onnx", factor=2.0)
    folder(tmp_path / "a", factor=1.0)
    assert OnnxReranker(tmp_path / "a").scores(QUERY, ["tides"]).tolist() == [1.0]
    assert OnnxReranker(tmp_path / "a/onnx/model_quantized.onnx").scores(QUERY, ["tides"]).tolist() == [2.0]
    folder(tmp_path / "b", "onnx/model_int8.onnx")
    folder(tmp_path / "b", "onnx/model_fp16.onnx")
    with pytest.raises(ModelMissingError, match=r"onnx/model_fp16.onnx, onnx/model_int8.onnx") as caught:
        OnnxReranker(tmp_path / "b")
    assert caught.value.hint.startswith("Name the one")


def test_the_name_tells_one_model_from_another(tmp_path: Path) -> None:
    """Results that two models ranked must not look as if one had."""
    one, same = OnnxReranker(folder(tmp_path / "a/m")), OnnxReranker(folder(tmp_path / "b/m"))
    other, longer = OnnxReranker(folder(tmp_path / "c/m", factor=2.0)), OnnxReranker(folder(tmp_path / "d/m", limit=99))
    assert one.id == same.id and one.id.startswith("onnx:m/")
    assert len({one.id, other.id, longer.id}) == 3


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """'Cannot load' would leave a user to guess which of four files it is."""
    with pytest.raises(ModelMissingError, match="no reranker at '/nowhere'"):
        made("onnx:/nowhere")
    (tmp_path / "README.md").touch()
    with pytest.raises(ModelMissingError, match=r"no model.onnx in .*, which has README.md") as caught:
        OnnxReranker(tmp_path)
    assert "tokenizer.json" in caught.value.hint and caught.value.exit_code == 3
    folder(tmp_path / "m")
    (tmp_path / "m/tokenizer.json").unlink()
    with pytest.raises(ModelMissingError, match=r"has no tokenizer.json"):
        OnnxReranker(tmp_path / "m")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"outputs": 3}, "gives 3 numbers for a pair"),
        ({"extra": "pixel_values"}, "asks for 'pixel_values'"),
        ({"kind": TensorProto.FLOAT}, "whole numbers"),
        ({"factor": float("nan")}, "gives nan for a pair"),
    ],
)
def test_a_graph_that_is_no_reranker(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    """An embedder or a classifier in that folder would rank at random."""
    with pytest.raises(ModelDamagedError, match=said):
        OnnxReranker(folder(tmp_path, **settings)).scores(QUERY, ["tides", "moon"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    """A download that broke off is found out by its own name."""
    folder(tmp_path)
    (tmp_path / name).write_bytes(b"<html>")
    with pytest.raises(ModelDamagedError, match=name):
        OnnxReranker(tmp_path).scores(QUERY, ["tides"])


@pytest.mark.parametrize(
    ("config", "tokenizer", "limit"),
    [
        ({}, {}, 512),
        ({"max_position_embeddings": 512}, {"model_max_length": 1e30}, 512),
        ({"max_position_embeddings": 8192}, {"model_max_length": 4096}, 4096),
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta", "pad_token_id": 1}, {}, 512),
        ({"max_position_embeddings": "many"}, {"model_max_length": None}, 512),
    ],
)
def test_how_much_a_model_reads(config: dict[str, Any], tokenizer: dict[str, Any], limit: int) -> None:
    """More than it has positions for ends in an error; RoBERTa's begin with the third."""
    assert limit_of(config, tokenizer) == limit


def test_configurations_that_are_no_objects(tmp_path: Path) -> None:
    """JSON that is something else says nothing."""
    folder(tmp_path)
    (tmp_path / "config.json").write_text("[1]")
    assert OnnxReranker(tmp_path).scores(QUERY, ["tides"]).tolist() == [1.0]


class Counting:
    """A reranker by the length of texts that knows what it was asked."""

    id = "counting"

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str], list[str]]] = []

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:
        self.asked.append((query, list(texts), list(papers)))
        return np.array([len(query) + len(text) for text in texts], np.float32)


def test_nothing_is_asked_twice() -> None:
    """A service takes money for each text, and a search that is widened has most of them again."""
    inner = Counting()
    model = CachingReranker(inner)
    assert model.id == "counting" and isinstance(model, Reranker)
    assert model.scores("q", ["a", "bb", "a"], ["p1", "p2", "p1"]).tolist() == [2, 3, 2]
    assert model.scores("q", ["ccc", "bb"], ["p3", "p2"]).tolist() == [4, 3]
    assert model.scores("q", []).tolist() == []
    assert model.scores("other", ["a"]).tolist() == [6]
    assert [sorted(texts) for _, texts, _ in inner.asked] == [["a", "bb"], ["ccc"], ["a"]]
    assert [dict(zip(texts, papers, strict=False)) for _, texts, papers in inner.asked] == [
        {"a": "p1", "bb": "p2"},
        {"ccc": "p3"},
        {},
    ]


def test_memory_has_an_end() -> None:
    """Else a program that runs for weeks holds every passage it ever ranked."""
    inner = Counting()
    model = CachingReranker(inner, most=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        model.scores("q", [text])
    assert [texts for _, texts, _ in inner.asked] == [["a"], ["b"], ["c"], ["b"]]


@pytest.mark.parametrize(("name", "kind", "model", "address"), CASES["names"])
def test_names(name: str, kind: str, model: str, address: str) -> None:
    """One setting names them all."""
    assert registry.parse_reranker(name) == registry.RerankerName(kind, model, address)


@pytest.mark.parametrize(("name", "near"), CASES["wrong_names_have_the_right_one_beside_them"])
def test_wrong_names_have_the_right_one_beside_them(name: str, near: str) -> None:
    """A typing mistake must not turn re-ranking off without a word."""
    with pytest.raises(SettingsError) as caught:
        registry.parse_reranker(name)
    assert near in caught.value.hint


def test_no_key_is_shown_of_an_address() -> None:
    """Errors are pasted into forums."""
    with pytest.raises(SettingsError, match="holds more than an address") as caught:
        registry.parse_reranker("https://me:sk-hidden@host/v1#m")
    assert "sk-hidden" not in str(caught.value) and "models.rerank_key" in caught.value.hint


@pytest.mark.parametrize("name", ["late", "none", "judge"])
def test_those_that_are_not_made_from_a_name(name: str) -> None:
    """Whoever calls has to make them, and hears so."""
    with pytest.raises(SettingsError, match=name):
        made(name)


class CrossEncoder:
    """Stands for the class of the package, which is 0.9 GB with what it needs: its constructor and `predict`."""

    made: ClassVar[list[str]] = []
    outputs = 1

    def __init__(self, name: str) -> None:
        if name == "not/there":
            raise OSError("not/there is not a local folder and is not a valid model identifier")
        CrossEncoder.made.append(name)
        self.model = types.SimpleNamespace(config=types.SimpleNamespace(_commit_hash="0123456789abcdef0123"))

    def predict(
        self, pairs: list[tuple[str, str]], batch_size: int, show_progress_bar: bool, convert_to_numpy: bool
    ) -> Any:
        assert convert_to_numpy and not show_progress_bar and batch_size
        scores = np.array([matches(*pair) for pair in pairs], np.float32)
        return scores if self.outputs == 1 else np.stack([np.ones_like(scores)] * (self.outputs - 1) + [scores], axis=1)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> type[CrossEncoder]:
    """The package at the border where it is imported."""
    module = types.ModuleType("sentence_transformers")
    module.__spec__ = types.SimpleNamespace(name="sentence_transformers")  # type: ignore[assignment]
    module.CrossEncoder = CrossEncoder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr(CrossEncoder, "made", [])
    return CrossEncoder


def test_sentence_transformers(package: type[CrossEncoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores in the order of the texts; loaded once, when it is first needed; a folder is one."""
    model = made("sentence-transformers:who/what")
    assert package.made == []
    assert model.scores(QUERY, TEXTS).tolist() == [matches(QUERY, text) for text in TEXTS]
    assert model.scores(QUERY, ["moon"]).tolist() == [0.0] and package.made == ["who/what"]
    assert model.id == "sentence-transformers:who/what@0123456789ab"
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own").mkdir()
    made("sentence-transformers:~/own").scores(QUERY, ["moon"])
    assert package.made[1:] == [str(tmp_path / "own")]


def test_sentence_transformers_with_other_outputs(package: type[CrossEncoder], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are one less the other; a classifier of three kinds is no reranker."""
    monkeypatch.setattr(package, "outputs", 2)
    model = sentence_transformers.SentenceTransformersReranker("m")
    assert model.scores(QUERY, ["tides slow", "moon"]).tolist() == [1.0, -1.0]
    monkeypatch.setattr(package, "outputs", 3)
    with pytest.raises(ModelDamagedError, match=r"shape \(2, 3\)"):
        model.scores(QUERY, ["tides slow", "moon"])


def test_sentence_transformers_that_cannot_be_loaded(
    package: type[CrossEncoder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that the hub does not know, and a model that fails, are errors of ours with a remedy."""
    with pytest.raises(ModelMissingError, match="not a valid model identifier") as caught:
        made("sentence-transformers:not/there").scores(QUERY, ["moon"])
    assert "Check its name" in caught.value.hint

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(package, "predict", fail)
    with pytest.raises(ModelDamagedError, match="out of memory"):
        made("sentence-transformers:m").scores(QUERY, ["moon"])


def test_sentence_transformers_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that mends it stands in the error."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelMissingError) as caught:
        made("sentence-transformers:who/what")
    assert "pip install 'conspectus[sentence-transformers]'" in caught.value.hint
