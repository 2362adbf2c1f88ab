"""What models compute on: which device is taken, the error where there is none, and batches of about one length."""

import os

import numpy as np
import onnxruntime
import pytest
from click.testing import CliRunner

from conspectus.cli.app import app
from conspectus.core.errors import SettingsError, UnavailableError
from conspectus.models.devices import find_device
from conspectus.models.minilm_float import SPEC, TOKENS, FloatMiniLM, check_device, split_batches
from conspectus.models.registry import make_embedder
from conspectus.models.store import ModelStore
from conspectus.settings import ModelSettings


def test_auto_takes_what_onnxruntime_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a GPU would compute without it, and one without could not compute at all."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    assert find_device("auto").name == "cpu"
    offered = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: offered)
    assert find_device("auto").name == "cuda"
    assert find_device("cuda").providers == offered
    assert find_device("cpu").providers == ["CPUExecutionProvider"]


@pytest.mark.parametrize(
    ("name", "package"), [("cuda", "onnxruntime-gpu"), ("directml", "onnxruntime-directml"), ("coreml", "macOS")]
)
def test_a_device_that_is_not_there_names_its_package(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person with a GPU would read of a provider and not know what to install."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(UnavailableError, match=name) as caught:
        find_device(name)  # type: ignore[arg-type]
    assert package in caught.value.hint


def test_the_8_bit_model_says_which_to_take() -> None:
    """It would go on computing on the processor, where another device was asked for."""
    with pytest.raises(SettingsError, match="8-bit") as caught:
        make_embedder(ModelSettings(device="cuda"))
    assert "minilm-float32" in caught.value.hint


def test_batches_are_of_about_one_length() -> None:
    """Short texts filled up to the length of long ones would take as long as these; a batch too large, all memory."""
    lengths = [7, 250, 9, 251, 8, 252, 10, 3000]
    batches = list(split_batches(lengths, 520))
    assert sorted(number for batch in batches for number in batch) == list(range(8))
    assert [[lengths[number] for number in batch] for batch in batches] == [[3000], [252, 251], [250, 10], [9, 8, 7]]
    assert list(split_batches([], 520)) == []


@pytest.mark.model
def test_vectors_in_batches_are_those_of_each_text_alone() -> None:
    """A library that was filled on a GPU could not be searched on a laptop."""
    store = ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE"))
    if not store.has(SPEC):
        pytest.skip("the model store has no minilm-float32")
    folder = store.path(SPEC)
    texts = ["Grid cells fire.", "", "Stars die as supernovae. " * 120, "A meadow " * 30]
    together, alone = FloatMiniLM(folder, "cpu", 1, TOKENS), FloatMiniLM(folder, "cpu", 1)
    for text, one in zip(texts, together.embed(texts), strict=True):
        other = alone.embed_query(text)
        np.testing.assert_allclose(one.vector, other.vector, atol=1e-5)
        assert one.tokens is not None and other.tokens is not None
        np.testing.assert_array_equal(one.tokens.starts, other.tokens.starts)
        np.testing.assert_allclose(one.tokens.vectors, other.tokens.vectors, atol=1)
    checked = check_device(folder, "cpu", 3, threads=1)
    assert checked.ok and checked.cosine > 0.9999 and checked.providers == ("CPUExecutionProvider",)


def test_check_names_the_model_that_can_be_checked() -> None:
    """`models check minilm` would compare the processor with itself."""
    done = CliRunner().invoke(app, ["models", "check", "minilm"])
    assert done.exit_code != 0
