"""Cross-encoders in a folder: an ONNX graph and its tokenizer, run by onnxruntime on the processor.

One pair at a time, in parallel threads. A batch is no faster here (6 layers of 384, 8 bits, pairs of 330 tokens: 13.8
pairs a CPU-second so, 11.4 in batches of 8 of like length, 5.9 in batches of 32), and where activations are quantised a
pair's score would depend on its neighbours (by 0.005 of a logit).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np

from conspectus.models.fingerprint import fingerprint
from conspectus.models.pairs import PairEncoder, damaged, find, missing, whole
from conspectus.models.protocol import FloatArray


class OnnxReranker:
    """See `Reranker`. Scores are logits: of one output as it is, of two the second less the first.

    Args:
        path: the folder, or the graph in it where there are several.
        threads: that compute; 0: as many as there are processors.

    Raises:
        ModelMissingError: the folder, the graph or the tokenizer is not there.
    """

    def __init__(self, path: Path, threads: int = 0) -> None:
        try:
            self._files = find(path, "reranker")
            digest = fingerprint(self._files.all())
        except OSError as error:
            raise missing("reranker", f"The reranker '{path}' cannot be read: {error.strerror or error}.") from error
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()
        self.id = f"onnx:{self._files.tokenizer.parent.resolve().name}/{digest}"

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:  # noqa: ARG002
        """See `Reranker`."""
        if not texts:
            return np.empty(0, np.float32)
        encoder = self._encoder
        question = encoder.fitting(whole(query))

        def one(text: str) -> float:
            return self._score(encoder, question, whole(text))

        if len(texts) == 1 or self._threads == 1:
            return np.array([one(text) for text in texts], np.float32)
        with ThreadPoolExecutor(self._threads, "rerank") as pool:
            return np.array(list(pool.map(one, texts)), np.float32)

    def _score(self, encoder: PairEncoder, question: str, text: str) -> float:
        values, graph = encoder.numbers(question, text), self._files.graph
        if len(values) not in (1, 2):
            gives = f"gives {len(values)} numbers for a pair, where a reranker gives one or two"
            raise damaged("reranker", graph, gives)
        score = float(values[0] if len(values) == 1 else values[1] - values[0])
        if not np.isfinite(score):
            raise damaged("reranker", graph, f"gives {score} for a pair")
        return score

    @cached_property
    def _encoder(self) -> PairEncoder:
        with self._lock:
            return PairEncoder.load(self._files, "reranker")
