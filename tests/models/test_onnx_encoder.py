"""Image encoders in a folder, and by other names."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.onnx_encoder import OnnxEncoder, Preprocessing
from conspectus.models.protocol import Encoder
from conspectus.models.registry import make_encoder
from conspectus.settings import ModelSettings
from conspectus.testing.models import EncoderConformance

WORDS = {"[UNK]": 0, "red": 1, "blue": 2}
PREPARED = {
    "size": {"shortest_edge": 8}, "crop_size": {"height": 8, "width": 8}, "do_center_crop": True, "resample": 3,
    "image_mean": [0, 0, 0], "image_std": [1, 1, 1],
}  # fmt: skip


def vision(output: str = "image_embeds", batch: str | int = "n") -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """The mean colour of a picture: nodes, inputs, outputs, constants."""
    pooled = helper.make_node("GlobalAveragePool", ["pixel_values"], ["pooled"])
    flat = helper.make_node("Flatten", ["pooled"], [output])
    given = helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [batch, 3, 8, 8])
    return [pooled, flat], [given], [helper.make_tensor_value_info(output, TensorProto.FLOAT, [batch, 3])], []


def text() -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """The mean of the colours that words name."""
    colours = numpy_helper.from_array(np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1]], np.float32), "colours")
    looked_up = helper.make_node("Gather", ["colours", "input_ids"], ["found"])
    mean = helper.make_node("ReduceMean", ["found"], ["text_embeds"], axes=[1], keepdims=0)
    given = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "t"])
    return (
        [looked_up, mean],
        [given],
        [helper.make_tensor_value_info("text_embeds", TensorProto.FLOAT, ["n", 3])],
        [colours],
    )


def save(path: Path, *parts: tuple[list[Any], ...]) -> None:
    nodes, inputs, outputs, constants = ([one for part in parts for one in part[at]] for at in range(4))
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    path.parent.mkdir(exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def folder(path: Path, *, words: bool = True, **prepared: Any) -> Path:
    path.mkdir()
    (path / "preprocessor_config.json").write_text(json.dumps(PREPARED | prepared))
    if words:
        tokenizer = Tokenizer(WordLevel(WORDS, "[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(path / "tokenizer.json"))
    return path


def is_red(model: Encoder) -> None:
    """A red picture is near the word, and beside others its vector is the same."""
    pictures = [Image.new("RGB", (30, 9), colour) for colour in ("red", "blue", "red")]
    vectors = list(model.images(pictures))
    np.testing.assert_allclose(vectors, [[1, 0, 0], [0, 0, 1], [1, 0, 0]], atol=0.01)
    if "text" in model.takes:
        np.testing.assert_allclose(model.text("red"), [1, 0, 0])
        np.testing.assert_allclose(model.text("blue red"), [0.5, 0, 0.5])


def test_two_graphs(tmp_path: Path) -> None:
    path = folder(tmp_path / "clip")
    save(path / "onnx" / "vision_model.onnx", vision())
    save(path / "onnx" / "text_model.onnx", text())
    model = make_encoder(ModelSettings(encoder=f"onnx:{path}"))
    assert model.takes == {"image", "text"} and model.dimensions == 3 and model.id.startswith("onnx:clip/")
    is_red(model)


def test_one_graph_for_both(tmp_path: Path) -> None:
    path = folder(tmp_path / "clip")
    save(path / "model.onnx", vision(), text())
    model = OnnxEncoder(path)
    assert model.takes == {"image", "text"}
    is_red(model)


class TestConformance(EncoderConformance):
    @pytest.fixture
    def encoder(self, tmp_path: Path) -> OnnxEncoder:
        path = folder(tmp_path / "clip")
        save(path / "model.onnx", vision(), text())
        return OnnxEncoder(path)


@pytest.mark.parametrize(("output", "batch"), [("pooler_output", "n"), ("whatever", 1)])
def test_a_graph_for_pictures_alone(tmp_path: Path, output: str, batch: str | int) -> None:
    path = folder(tmp_path / "dino", words=False)
    save(path / "model.onnx", vision(output, batch))
    model = OnnxEncoder(path)
    assert model.takes == {"image"}
    is_red(model)


def test_another_file_is_another_encoder(tmp_path: Path) -> None:
    path = folder(tmp_path / "dino", words=False)
    save(path / "model.onnx", vision())
    before = OnnxEncoder(path).id
    (path / "preprocessor_config.json").write_text(json.dumps(PREPARED | {"resample": 2}))
    assert OnnxEncoder(path).id != before


def test_what_is_missing_or_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match=r"no vision_model\.onnx"):
        OnnxEncoder(tmp_path / "nowhere")
    path = folder(tmp_path / "empty", words=False)
    (path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelDamagedError, match="cannot be loaded"):
        list(OnnxEncoder(path).images([Image.new("RGB", (3, 3))]))
    path = folder(tmp_path / "sized", words=False, size="large")
    save(path / "model.onnx", vision())
    with pytest.raises(ModelDamagedError, match="does not say how pictures are prepared"):
        list(OnnxEncoder(path).images([Image.new("RGB", (3, 3))]))


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelMissingError, match="sentence-transformers"):
        make_encoder(ModelSettings(encoder="sentence-transformers:clip-ViT-B-32"))


@pytest.mark.parametrize(
    ("said", "shape"),
    [
        ({}, (224, 224)),
        ({"size": {"height": 5, "width": 7}}, (5, 7)),
        ({"size": 9, "crop_size": 6}, (6, 6)),
        ({"size": {"shortest_edge": 9}, "crop_size": {"height": 4, "width": 6}}, (4, 6)),
    ],
)
def test_pictures_are_prepared_as_the_file_says(said: dict[str, Any], shape: tuple[int, int]) -> None:
    prepared = Preprocessing.of(said)
    for size in ((1, 1), (300, 2), (10, 4000)):
        assert prepared.pixels(Image.new("LA", size)).shape == (3, *shape)


@pytest.mark.parametrize(
    "said", [{"size": 0}, {"size": {}}, {"image_std": [0, 1, 1]}, {"image_mean": "x"}, {"size": 10**9}]
)
def test_preparations_that_cannot_be(said: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Preprocessing.of(said)
