"""Rerankers by name, as `search.reranker` is written."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from importlib.metadata import EntryPoint

from conspectus.core import entry_points
from conspectus.core.disk import possible_path, user_path
from conspectus.core.errors import ServiceError, SettingsError
from conspectus.models.addresses import server
from conspectus.models.protocol import Reranker
from conspectus.settings import ModelSettings, keys, without_user

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


def parse(name: str) -> RerankerName:
    """The parts of a name.

    Raises:
        SettingsError: it has no known form.
    """
    text = name.strip()
    if text in (LATE, NONE, JUDGE):
        return RerankerName(text)
    if text.startswith(("http://", "https://")):
        if found := server(text, "models.rerank_key"):
            return RerankerName(URL, found[1], found[0])
        raise _wrong(text)
    kind, colon, model = text.partition(":")
    if (colon and kind in PROVIDERS and model.strip()) or kind in _brought():
        return RerankerName(kind, model.strip())
    raise _wrong(name)


def reranker(name: str, settings: ModelSettings) -> Reranker:
    """The reranker that `name` names; it loads or connects at first use, and is not asked the same twice.

    Args:
        name: of another kind than `late`, `none` and `judge`, which are not made here.
        settings: the key, the timeout, and how many threads compute.

    Raises:
        SettingsError: a name of no known form, or one that is not made here.
        ModelMissingError, ModelDamagedError: a folder, a file or a package is missing or wrong.
        ServiceError: a key is missing.
    """
    from conspectus.models.rerankers.remembered import Remembered

    found = parse(name)
    if point := _brought().get(found.kind):
        made: Reranker = entry_points.make(point, found.model, settings)
        return Remembered(made)
    if found.kind == ONNX:
        from conspectus.models.rerankers.cross_encoder import OnnxReranker

        return Remembered(OnnxReranker(user_path(found.model), settings.threads))
    if found.kind == SENTENCE_TRANSFORMERS:
        from conspectus.models.rerankers.sentence_transformers import SentenceTransformersReranker

        return Remembered(SentenceTransformersReranker(found.model))
    if found.kind == COHERE:
        return Remembered(_cohere(found.model, settings))
    if found.kind == URL:
        from conspectus.models.rerankers.served import ServedReranker

        key = keys.found(settings.rerank_key, "models.rerank_key")
        return Remembered(ServedReranker(found.address, found.model, key=key, timeout=settings.timeout))
    raise SettingsError(f"'{name}' is no reranker that is made from its name alone.", f"There are: {_forms()}.")


def _cohere(model: str, settings: ModelSettings) -> Reranker:
    from conspectus.models.rerankers.served import CohereReranker

    key = keys.found(settings.rerank_key, "models.rerank_key", COHERE_KEYS)
    if not key.reveal().strip():
        raise ServiceError(
            f"There is no key for 'cohere:{model}'.",
            f"Set the variable {COHERE_KEYS[0]}, or the setting models.rerank_key.",
        )
    address = (os.environ.get("CO_API_URL") or COHERE_ADDRESS).rstrip("/")
    return CohereReranker(address, model, key=key, timeout=settings.timeout)


def _wrong(name: str) -> SettingsError:
    near = _nearest(name.strip())
    hint = f"Did you mean '{near}'? " if near else ""
    return SettingsError(f"There is no reranker '{without_user(name)}'.", f"{hint}search.reranker may be {_forms()}.")


def _brought() -> dict[str, EntryPoint]:
    """What installed packages bring: called with what follows the name after a colon, and the settings."""
    reserved = dict.fromkeys((LATE, NONE, JUDGE, "http", "https", *PROVIDERS), "")
    return {name: point for name, point in entry_points.offered("rerankers", reserved).items() if point.value}


def _forms() -> str:
    return ", ".join(f"'{form}'" for form in (*FORMS, *_brought()))


def _nearest(name: str) -> str:
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
