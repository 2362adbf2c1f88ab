"""Embedders, image encoders and rerankers by name: those built in, and those that installed packages bring."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

from conspectus.core import packages
from conspectus.core.disk import possible_path, user_path
from conspectus.core.errors import ServiceError, SettingsError
from conspectus.core.job_context import emit
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.protocol import Embedder, Encoder, Reranker
from conspectus.models.services import ollama_address, openai_address, split_address
from conspectus.models.static import StaticEmbedder
from conspectus.models.store import ModelSpec, ModelStore
from conspectus.models.wrappers import ValidatingEmbedder, ValidatingEncoder
from conspectus.records.events import Progress
from conspectus.records.models import NeededModel
from conspectus.settings import ModelSettings, keys, without_user

BUILT_IN_EMBEDDERS = {
    "minilm": "conspectus.models.registry:_make_minilm",
    "minilm-float32": "conspectus.models.registry:_make_minilm_float",
    "static": "conspectus.models.registry:_make_static",
    "openai": "conspectus.models.registry:_make_openai",
    "ollama": "conspectus.models.registry:_make_ollama",
    "http": "conspectus.models.registry:_make_remote",
    "https": "conspectus.models.registry:_make_remote",
}
_EMBEDDERS_WITH_NAME = ("openai", "ollama", "http", "https")


def specs() -> dict[str, ModelSpec]:
    """The models that can be fetched, by name."""
    from conspectus.models import efficientnet, minilm_float

    return {spec.name: spec for spec in (SPEC, minilm_float.SPEC, efficientnet.SPEC)}


def _needed_spec(settings: ModelSettings) -> ModelSpec | None:
    return SPEC if settings.embedder == "static" else specs().get(settings.embedder)


def needed_model(settings: ModelSettings) -> NeededModel:
    """What `settings.embedder` names, and whether it can be used without a download."""
    spec = _needed_spec(settings)
    if spec is None:
        return NeededModel(without_user(settings.embedder), without_user(settings.embedder), "", 0, is_here=True)
    is_here = ModelStore(settings.store or None).has(spec)
    return NeededModel(spec.name, spec.title, spec.licence, spec.megabytes, is_here)


def fetch_needed(settings: ModelSettings) -> NeededModel:
    """Download what `settings.embedder` names, unless it is here.

    Raises:
        ServiceError: no source answered.
        ModelMissingError: the store cannot be written, or its disk does not have the room.
    """
    if (spec := _needed_spec(settings)) is not None:
        fetch_model(ModelStore(settings.store or None), spec)
    return needed_model(settings)


def fetch_model(store: ModelStore, spec: ModelSpec, *, refetch: bool = False) -> Path:
    """`ModelStore.fetch`, with its progress as events."""

    def tell(done: int, total: int) -> None:
        emit(Progress("fetching", done / 1e6, total / 1e6, "MB", spec.name))

    return store.fetch(spec, tell, refetch=refetch)


def make_embedder(settings: ModelSettings) -> Embedder:
    """The embedder that `settings.embedder` names; it loads or connects at first use.

    A name is that of an entry point of the group `conspectus.embedders`, alone or with what follows it after a colon;
    the address of a server is one of `http` or `https`. What the entry point gives is called with the settings.

    Raises:
        ModelMissingError: a local model that is not in the store.
        SettingsError: a name of no known form.
        UnavailableError: the package that brings it cannot be loaded, or fails.
    """
    kind, _, rest = settings.embedder.partition(":")
    known = packages.offered("embedders", BUILT_IN_EMBEDDERS)
    if kind in known and (rest or kind not in _EMBEDDERS_WITH_NAME):
        embedder: Embedder = packages.make(known[kind], settings)
        return ValidatingEmbedder(embedder) if known[kind].dist else embedder
    raise _unknown_embedder(settings.embedder)


def computes_here(settings: ModelSettings) -> bool:
    """Whether the embedder that is set computes by itself, and asks no service."""
    return settings.embedder.partition(":")[0] not in _EMBEDDERS_WITH_NAME


def _make_minilm(settings: ModelSettings) -> Embedder:
    if settings.embedder != "minilm":
        raise _unknown_embedder(settings.embedder)
    if settings.device not in ("auto", "cpu"):
        raise SettingsError(
            f"The embedder 'minilm' has 8-bit numbers, which '{settings.device}' does not compute with.",
            "Set models.embedder to 'minilm-float32', or models.device to 'auto'.",
        )
    return MiniLM(ModelStore(settings.store or None).path(SPEC), settings.threads)


def _make_minilm_float(settings: ModelSettings) -> Embedder:
    from conspectus.models import minilm_float

    if settings.embedder != minilm_float.SPEC.name:
        raise _unknown_embedder(settings.embedder)
    folder = ModelStore(settings.store or None).path(minilm_float.SPEC)
    return minilm_float.FloatMiniLM(folder, settings.device, settings.threads)


def _make_static(settings: ModelSettings) -> Embedder:
    if settings.embedder != "static":
        raise _unknown_embedder(settings.embedder)
    return make_static(settings)


def make_static(settings: ModelSettings) -> Embedder:
    """What makes static vectors, whatever embedder is set; they are made of `minilm`.

    Raises:
        ModelMissingError: that is not in the model store.
    """
    store = ModelStore(settings.store or None)
    return StaticEmbedder(store.path(SPEC), store.root / "static-1.npy", settings.threads)


def _make_openai(settings: ModelSettings) -> Embedder:
    from conspectus.models.remote import OpenAIEmbedder

    key = keys.find_key(settings.api_key, "models.api_key", ("OPENAI_API_KEY",)).reveal()
    model = settings.embedder.removeprefix("openai:")
    return OpenAIEmbedder(openai_address(), model, key=key, timeout=settings.timeout)


def _make_ollama(settings: ModelSettings) -> Embedder:
    from conspectus.models.remote import OllamaEmbedder

    return OllamaEmbedder(ollama_address(), settings.embedder.removeprefix("ollama:"), timeout=settings.timeout)


def _make_remote(settings: ModelSettings) -> Embedder:
    url, _, model = settings.embedder.partition("#")
    if not (url.startswith(("http://", "https://")) and model):
        raise _unknown_embedder(settings.embedder)
    from conspectus.models.remote import OpenAIEmbedder

    key = keys.find_key(settings.api_key, "models.api_key").reveal()
    return OpenAIEmbedder(url, model, key=key, timeout=settings.timeout)


def _unknown_embedder(name: str) -> SettingsError:
    brought = packages.offered("embedders", BUILT_IN_EMBEDDERS).keys() - BUILT_IN_EMBEDDERS.keys()
    named = ("minilm", "minilm-float32", "static", "openai:NAME", "ollama:NAME", "URL#NAME")
    forms = ", ".join(f"'{form}'" for form in (*named, *sorted(brought)))
    return SettingsError(f"There is no embedder '{name}'.", f"models.embedder may be {forms}.")


BUILT_IN_ENCODERS = {
    "efficientnet": "conspectus.models.registry:_make_efficientnet",
    "onnx": "conspectus.models.registry:_make_onnx_encoder",
    "sentence-transformers": "conspectus.models.registry:_make_sentence_transformers",
}
_ENCODERS_WITH_NAME = {"onnx": "onnx:FOLDER", "sentence-transformers": "sentence-transformers:NAME"}


def make_encoder(settings: ModelSettings) -> Encoder:
    """The image encoder that `settings.encoder` names; it loads at first use.

    A name is that of an entry point of the group `conspectus.encoders`, alone or with what follows it after a colon;
    what the entry point gives is called with what follows, and the settings.

    Raises:
        ModelMissingError, ModelDamagedError: a model, a folder or a package is missing or wrong.
        SettingsError: a name of no known form.
        UnavailableError: the package that brings it cannot be loaded, or fails.
    """
    kind, _, name = settings.encoder.partition(":")
    known = packages.offered("encoders", BUILT_IN_ENCODERS)
    if kind not in known or (kind in BUILT_IN_ENCODERS and bool(name.strip()) != (kind in _ENCODERS_WITH_NAME)):
        forms = ", ".join(f"'{_ENCODERS_WITH_NAME.get(form, form)}'" for form in known)
        raise SettingsError(f"There is no image encoder '{settings.encoder}'.", f"models.encoder may be {forms}.")
    encoder: Encoder = packages.make(known[kind], name.strip(), settings)
    return ValidatingEncoder(encoder) if known[kind].dist else encoder


def _make_efficientnet(_: str, settings: ModelSettings) -> Encoder:
    from conspectus.models.efficientnet import SPEC, EfficientNet

    return EfficientNet(ModelStore(settings.store or None).path(SPEC))


def _make_onnx_encoder(folder: str, _: ModelSettings) -> Encoder:
    from conspectus.models.onnx_encoder import OnnxEncoder

    return OnnxEncoder(user_path(folder))


def _make_sentence_transformers(name: str, _: ModelSettings) -> Encoder:
    from conspectus.models.sentence_transformers import SentenceTransformersEncoder

    return SentenceTransformersEncoder(name)


LATE = "late"
"""Late interaction: `search` does it itself, with the word vectors of the embedder."""
NONE = "none"
"""No re-ranking."""
JUDGE = "judge"
"""The language model for the role `judge`: `answer.reranking` makes it."""
ONNX, SENTENCE_TRANSFORMERS, COHERE, URL = "onnx", "sentence-transformers", "cohere", "url"
PROVIDERS = (ONNX, SENTENCE_TRANSFORMERS, COHERE)
FORMS = (LATE, NONE, "onnx:FOLDER", "sentence-transformers:NAME", "cohere:MODEL", "http://HOST:PORT#NAME", JUDGE)
COHERE_ADDRESS = "https://api.cohere.com"
COHERE_KEYS = ("COHERE_API_KEY", "CO_API_KEY")


@dataclass(frozen=True, slots=True)
class RerankerName:
    """A reranker's name, taken apart: `kind` is one of those above; `address` is only that of a `url`."""

    kind: str
    model: str = ""
    address: str = ""


def parse_reranker(name: str) -> RerankerName:
    """The parts of a name.

    Raises:
        SettingsError: it has no known form.
    """
    text = name.strip()
    if text in (LATE, NONE, JUDGE):
        return RerankerName(text)
    if text.startswith(("http://", "https://")):
        if parts := split_address(text, "models.rerank_key"):
            return RerankerName(URL, parts[1], parts[0])
        raise _unknown_reranker(text)
    kind, colon, model = text.partition(":")
    if (colon and kind in PROVIDERS and model.strip()) or kind in _installed_rerankers():
        return RerankerName(kind, model.strip())
    raise _unknown_reranker(name)


def make_reranker(name: str, settings: ModelSettings) -> Reranker:
    """The reranker that `name` names; it loads or connects at first use, and is not asked the same twice.

    Args:
        name: of another kind than `late`, `none` and `judge`, which are not made here.
        settings: the key, the timeout, and how many threads compute.

    Raises:
        SettingsError: a name of no known form, or one that is not made here.
        ModelMissingError, ModelDamagedError: a folder, a file or a package is missing or wrong.
        ServiceError: a key is missing.
    """
    from conspectus.models.wrappers import CachingReranker

    reranker_name = parse_reranker(name)
    if point := _installed_rerankers().get(reranker_name.kind):
        reranker: Reranker = packages.make(point, reranker_name.model, settings)
        return CachingReranker(reranker)
    if reranker_name.kind == ONNX:
        from conspectus.models.pairs import OnnxReranker

        return CachingReranker(OnnxReranker(user_path(reranker_name.model), settings.threads))
    if reranker_name.kind == SENTENCE_TRANSFORMERS:
        from conspectus.models.sentence_transformers import SentenceTransformersReranker

        return CachingReranker(SentenceTransformersReranker(reranker_name.model))
    if reranker_name.kind == COHERE:
        return CachingReranker(_make_cohere(reranker_name.model, settings))
    if reranker_name.kind == URL:
        from conspectus.models.remote import HttpReranker

        key = keys.find_key(settings.rerank_key, "models.rerank_key")
        return CachingReranker(
            HttpReranker(reranker_name.address, reranker_name.model, key=key, timeout=settings.timeout)
        )
    raise SettingsError(
        f"'{name}' is no reranker that is made from its name alone.", f"There are: {_reranker_forms()}."
    )


def _make_cohere(model: str, settings: ModelSettings) -> Reranker:
    from conspectus.models.remote import CohereReranker

    key = keys.find_key(settings.rerank_key, "models.rerank_key", COHERE_KEYS)
    if not key.reveal().strip():
        raise ServiceError(
            f"There is no key for 'cohere:{model}'.",
            f"Set the variable {COHERE_KEYS[0]}, or the setting models.rerank_key.",
        )
    address = (os.environ.get("CO_API_URL") or COHERE_ADDRESS).rstrip("/")
    return CohereReranker(address, model, key=key, timeout=settings.timeout)


def _unknown_reranker(name: str) -> SettingsError:
    near = _guess_reranker(name.strip())
    hint = f"Did you mean '{near}'? " if near else ""
    return SettingsError(
        f"There is no reranker '{without_user(name)}'.", f"{hint}search.reranker may be {_reranker_forms()}."
    )


def _installed_rerankers() -> dict[str, EntryPoint]:
    """What installed packages bring: called with what follows the name after a colon, and the settings."""
    reserved = dict.fromkeys((LATE, NONE, JUDGE, "http", "https", *PROVIDERS), "")
    return {name: point for name, point in packages.offered("rerankers", reserved).items() if point.value}


def _reranker_forms() -> str:
    return ", ".join(f"'{form}'" for form in (*FORMS, *_installed_rerankers()))


def _guess_reranker(name: str) -> str:
    """The right name that was probably meant; "" where there is no telling."""
    kind, colon, model = name.partition(":")
    if colon and model.partition("/")[0].partition("#")[0].isdigit():
        return f"http://{name}"
    if colon and model and (close := difflib.get_close_matches(kind.lower(), PROVIDERS, 1)):
        return f"{close[0]}:{model}"
    if possible_path(name).is_dir() or name.lower().endswith(".onnx"):
        return f"{ONNX}:{name}"
    if "/" in name and ":" not in name:  # as the hub writes names
        return f"{SENTENCE_TRANSFORMERS}:{name}"
    close = difflib.get_close_matches(name.lower(), (LATE, NONE, JUDGE), 1)
    return close[0] if close else ""
