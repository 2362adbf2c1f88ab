"""Cross-encoders in a folder: an ONNX graph and its tokenizer, run by onnxruntime on the processor.

One pair at a time, in parallel threads. A batch is no faster here (6 layers of 384, 8 bits, pairs of 330 tokens: 13.8
pairs a CPU-second so, 11.4 in batches of 8 of like length, 5.9 in batches of 32), and where activations are quantised a
pair's score would depend on its neighbours (by 0.005 of a logit).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.models.pairs import PairEncoder, PairModel, whole


class OnnxReranker(PairModel):
    """See `Reranker` and `PairModel`. Scores are logits: of one output as it is, of two the second less the first.

    Args:
        path: the folder, or the graph in it where there are several.
        threads: that compute; 0: as many as there are processors.
    """

    noun = "reranker"

    def __init__(self, path: Path, threads: int = 0) -> None:
        super().__init__(path)
        self._threads = threads or os.cpu_count() or 1

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
        values = encoder.numbers(question, text)
        if len(values) not in (1, 2):
            raise self._damaged(f"gives {len(values)} numbers for a pair, where a reranker gives one or two")
        score = float(values[0] if len(values) == 1 else values[1] - values[0])
        if not np.isfinite(score):
            raise self._damaged(f"gives {score} for a pair")
        return score
