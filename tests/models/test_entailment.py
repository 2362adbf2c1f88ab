"""Models of entailment in a folder: the usual shapes, long texts, and folders that are none."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.pairs import OnnxEntailment
from tiny_cross_encoder import WORDS, folder

TEXT, SAME, OTHER = "tides slow the rotation of earth", "tides slow earth", "corals grow"


def made(path: Path, outputs: int, labels: dict[str, str] | None = None, **settings: Any) -> OnnxEntailment:
    """A tiny model: 1 where there is one number; of others, all are 1 but the second, 1 more for each shared word."""
    folder(path, outputs=outputs, **settings)
    if labels is not None:
        (path / "config.json").write_text(json.dumps({"id2label": labels}))
    return OnnxEntailment(path)


def test_three_kinds_are_read_by_their_names(tmp_path: Path) -> None:
    """MNLI models have their kinds in any order: a contradiction would be taken for support."""
    mnli = made(tmp_path / "one", 3, {"0": "CONTRADICTION", "1": "ENTAILMENT", "2": "NEUTRAL"})
    found = mnli.of(TEXT, SAME)
    assert found.support == pytest.approx(math.e**3 / (math.e**3 + 2)) and found.contradiction < 0.1
    turned = made(tmp_path / "two", 3, {"0": "entailment", "1": "contradiction", "2": "neutral"}).of(TEXT, SAME)
    assert turned.contradiction == pytest.approx(found.support)
    assert mnli.of(TEXT, OTHER).support == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("labels", "support"),
    [
        (None, True),
        ({"0": "LABEL_0", "1": "LABEL_1"}, True),
        ({"0": "not_entailment", "1": "entailment"}, True),
        ({"0": "supported", "1": "unsupported"}, False),
        ({"0": "consistent", "1": "inconsistent"}, False),
    ],
)
def test_two_kinds(tmp_path: Path, labels: dict[str, str] | None, support: bool) -> None:
    """MiniCheck names none of its two kinds, others do: the second is support, unless names say otherwise."""
    assert (made(tmp_path, 2, labels).of(TEXT, SAME).support > 0.9) == support


def test_one_number_is_the_logit_of_support(tmp_path: Path) -> None:
    """HHEM gives one number."""
    assert made(tmp_path, 1).of(TEXT, SAME).support == pytest.approx(1 / (1 + math.exp(-3)))


def test_all_of_a_long_text_is_read(tmp_path: Path) -> None:
    """What supports a statement stands at the end of its text, where a model of 64 tokens would never come."""
    model = made(tmp_path, 2, limit=64)
    long = " ".join(word for _ in range(40) for word in WORDS if word not in SAME.split() and word != "the")
    assert model.of(long, SAME).support == pytest.approx(0.5)
    assert model.of(f"{long} {SAME}", SAME).support > 0.9
    assert model.of(f"{SAME} {long}", SAME).support > 0.9


@pytest.mark.parametrize("labels", [{}, {"0": "a", "1": "b", "2": "c"}, {"0": "entailment", "1": "entails", "2": "c"}])
def test_kinds_without_a_clear_name_are_refused(tmp_path: Path, labels: dict[str, str]) -> None:
    """Which number means support would be guessed."""
    with pytest.raises(ModelDamagedError, match="does not name entailment"):
        made(tmp_path, 3, labels).of(TEXT, SAME)


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    """A user would not know which setting is wrong."""
    with pytest.raises(ModelMissingError, match="no judge at"):
        OnnxEntailment(tmp_path / "nowhere")
    folder(tmp_path / "x")
    (tmp_path / "x" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelDamagedError, match="The judge"):
        OnnxEntailment(tmp_path / "x").of(TEXT, SAME)


def test_another_model_has_another_name(tmp_path: Path) -> None:
    """What two models said could not be told apart."""
    assert made(tmp_path / "a", 2).id != made(tmp_path / "b", 2, factor=2.0).id
