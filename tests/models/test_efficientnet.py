"""The default image encoder; where its model is not in the store, what needs it is skipped."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from PIL import Image

from conspectus.core.errors import ModelMissingError, SettingsError
from conspectus.models.encoders import efficientnet
from conspectus.models.encoders.efficientnet import BATCH, EfficientNet
from conspectus.models.encoders.names import encoder
from conspectus.settings import ModelSettings


@pytest.fixture(scope="module")
def model() -> EfficientNet:
    try:
        found = encoder(ModelSettings())
    except ModelMissingError:
        pytest.skip("the model 'efficientnet' is not in the store")
    assert isinstance(found, EfficientNet)
    return found


def test_a_picture_has_one_vector_whatever_stands_beside_it(model: EfficientNet) -> None:
    draw = np.random.default_rng(1)
    pictures = [Image.fromarray(draw.integers(0, 255, (40 + n, 90, 3), np.uint8)) for n in range(BATCH + 3)]
    together = list(model.images(pictures))
    alone = [next(model.images([picture])) for picture in pictures]
    assert [vector.shape for vector in together] == [(model.dimensions,)] * len(pictures)
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert len({vector.tobytes() for vector in together}) == len(pictures)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "CMYK", "I;16", "F"])
def test_pictures_of_any_mode_are_taken(model: EfficientNet, mode: str) -> None:
    (vector,) = model.images([Image.new(mode, (1, 3))])
    assert np.isfinite(vector).all()


def test_nothing_gives_nothing(model: EfficientNet) -> None:
    assert list(model.images([])) == []


def test_weights_that_bring_code_are_not_run() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.eval is no part of weights"):
        efficientnet._weights(pickle.dumps(1) + pickle.dumps(1) + pickle.dumps(1) + pickle.dumps(eval))


@pytest.mark.parametrize("name", ["nothing", "efficientnet:x", ""])
def test_names_that_there_are_not(name: str) -> None:
    with pytest.raises(SettingsError, match="There is no image encoder"):
        encoder(ModelSettings(encoder=name))
