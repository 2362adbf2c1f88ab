"""The default image encoder; where its model is not in the store, what needs it is skipped."""

import pickle

import pytest

from conspectus.core.errors import ModelMissingError, SettingsError, UsageError
from conspectus.models import efficientnet
from conspectus.models.efficientnet import EfficientNet
from conspectus.models.registry import make_encoder
from conspectus.settings import ModelSettings
from conspectus.testing.models import EncoderConformance


@pytest.fixture(scope="module")
def model() -> EfficientNet:
    try:
        found = make_encoder(ModelSettings())
    except ModelMissingError:
        pytest.skip("the model 'efficientnet' is not in the store")
    assert isinstance(found, EfficientNet)
    return found


class TestConformance(EncoderConformance):
    @pytest.fixture
    def encoder(self, model: EfficientNet) -> EfficientNet:
        return model


def test_words_are_refused(model: EfficientNet) -> None:
    """Whoever asks it for words would get an error of the program, without what to do."""
    assert "text" not in model.takes
    with pytest.raises(UsageError, match="takes no words"):
        model.text("rings of Saturn")


def test_weights_that_bring_code_are_not_run() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.eval is no part of weights"):
        efficientnet._weights(pickle.dumps(1) + pickle.dumps(1) + pickle.dumps(1) + pickle.dumps(eval))


@pytest.mark.parametrize("name", ["nothing", "efficientnet:x", ""])
def test_names_that_there_are_not(name: str) -> None:
    with pytest.raises(SettingsError, match="There is no image encoder"):
        make_encoder(ModelSettings(encoder=name))
