"""Texts a CPU-second: the embedder as the program uses it, against onnxruntime alone on the same tokens.

    python benchmarks/embedding.py [--texts 200]

The two take turns, text by text, so that a busy machine slows both. The limit is 0.85.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus.models.minilm import MODEL_FILE, SPEC, MiniLM, open_session, read_tokenizer, split_windows
from conspectus.models.store import ModelStore


def main() -> None:
    """Print both rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=200)
    count = parser.parse_args().texts
    records = islice(corpora.distractors(), count)
    texts = [f"{record['title']}\n{record['abstract']}" for record in records]
    folder = ModelStore().path(SPEC)
    model, session = MiniLM(folder, threads=1), open_session(folder / MODEL_FILE)
    tokenizer = read_tokenizer(folder)
    windows = [[window.ids for window in split_windows(tokenizer, text)] for text in texts]

    def embedder(number: int) -> None:
        next(iter(model.embed([texts[number]])))

    def runtime(number: int) -> None:
        for ids in windows[number]:
            session.run(None, {"input_ids": np.array([ids], np.int64)})

    spent = {embedder: 0.0, runtime: 0.0}
    for number in range(len(texts)):
        turns = (embedder, runtime) if number % 2 else (runtime, embedder)
        for turn in turns:
            began = time.process_time()
            turn(number)
            spent[turn] += (time.process_time() - began) * (number >= 10)  # the first ten warm up
    own, alone = spent[embedder], spent[runtime]
    measured = len(texts) - 10
    mean = sum(len(ids) for group in windows for ids in group) / len(texts)
    print(f"{measured} texts of {mean:.0f} tokens, one thread")
    print(f"onnxruntime alone   {measured / alone:6.1f} texts / CPU-s")
    print(f"the embedder        {measured / own:6.1f} texts / CPU-s")
    print(f"ratio               {alone / own:6.3f}   (limit 0.85)")
    figure = Figure("Embedder to onnxruntime alone", f"{alone / own:.2f}", "≥ 0.85")
    store_figures("embedding", "speed", f"python benchmarks/embedding.py --texts {count}", [figure])


if __name__ == "__main__":
    main()
