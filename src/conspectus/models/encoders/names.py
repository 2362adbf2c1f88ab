"""Image encoders by name, as `models.encoder` is written: those built in, and those that installed packages bring."""

from __future__ import annotations

from conspectus.core import entry_points
from conspectus.core.disk import user_path
from conspectus.core.errors import SettingsError
from conspectus.models.checked import CheckedEncoder
from conspectus.models.protocol import Encoder
from conspectus.models.store import ModelStore
from conspectus.settings import ModelSettings

BUILT_IN = {
    "efficientnet": "conspectus.models.encoders.names:_efficientnet",
    "onnx": "conspectus.models.encoders.names:_onnx",
    "sentence-transformers": "conspectus.models.encoders.names:_sentence_transformers",
}
_WITH_NAME = {"onnx": "onnx:FOLDER", "sentence-transformers": "sentence-transformers:NAME"}


def encoder(settings: ModelSettings) -> Encoder:
    """The image encoder that `settings.encoder` names; it loads at first use.

    A name is that of an entry point of the group `conspectus.encoders`, alone or with what follows it after a colon;
    what the entry point gives is called with what follows, and the settings.

    Raises:
        ModelMissingError, ModelDamagedError: a model, a folder or a package is missing or wrong.
        SettingsError: a name of no known form.
        UnavailableError: the package that brings it cannot be loaded, or fails.
    """
    kind, _, name = settings.encoder.partition(":")
    known = entry_points.offered("encoders", BUILT_IN)
    if kind not in known or (kind in BUILT_IN and bool(name.strip()) != (kind in _WITH_NAME)):
        told = ", ".join(f"'{_WITH_NAME.get(form, form)}'" for form in known)
        raise SettingsError(f"There is no image encoder '{settings.encoder}'.", f"models.encoder may be {told}.")
    made: Encoder = entry_points.make(known[kind], name.strip(), settings)
    return CheckedEncoder(made) if known[kind].dist else made


def _efficientnet(_: str, settings: ModelSettings) -> Encoder:
    from conspectus.models.encoders.efficientnet import SPEC, EfficientNet

    return EfficientNet(ModelStore(settings.store or None).path(SPEC))


def _onnx(folder: str, _: ModelSettings) -> Encoder:
    from conspectus.models.encoders.onnx_folder import OnnxEncoder

    return OnnxEncoder(user_path(folder))


def _sentence_transformers(name: str, _: ModelSettings) -> Encoder:
    from conspectus.models.encoders.sentence_transformers import SentenceTransformersEncoder

    return SentenceTransformersEncoder(name)
