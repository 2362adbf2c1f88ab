"""Pairs a second: a cross-encoder in a folder, against late interaction on the same question and texts.

    python benchmarks/reranking.py [--folder FOLDER] [--pairs 60] [--threads 0]

Without a folder a graph of the size of ms-marco-MiniLM-L-6 (6 layers of 384, 8-bit weights) is made under `.bench/`.
Its weights are random: its scores mean nothing, its speed is that of a trained one. Texts are abstracts of the shared
data; the question is the title of one. The two take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import corpora
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.models import bert_onnx
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.rerankers.cross_encoder import OnnxReranker
from conspectus.models.store import ModelStore
from conspectus.search.asked import ask
from conspectus.search.rerank import late_interactions
from conspectus.settings import SearchSettings

LAYERS, HIDDEN, HEADS, WORDS, POSITIONS = 6, 384, 12, 30_522, 512


class PairGraph(bert_onnx._Graph):
    """The encoder for pairs: with kinds of tokens, a mask, and one number for a pair."""

    def embeddings(self) -> str:
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self.node("Slice", self.node("Shape", "input_ids"), self.ints(1), self.ints(2))
        table = self.weight("embeddings.position_embeddings.weight")
        positions = self.node("Slice", table, self.ints(0), length, self.ints(0))
        kinds = self.node("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        total = self.node("Add", self.node("Add", words, positions), kinds)
        return self.normalise(total, "embeddings.LayerNorm")

    def attention(self, hidden: str, name: str) -> str:
        query, key, value = (self.heads(self.linear(hidden, f"{name}.{part}")) for part in ("query", "key", "value"))
        scores = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 1, 3, 2]))
        scale = np.array(np.sqrt(HIDDEN // HEADS), np.float32)
        masked = self.node("Add", self.node("Div", scores, self.constant("scale", scale)), self.mask())
        mixed = self.node("MatMul", self.node("Softmax", masked, axis=-1), value)
        return self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), self.ints(0, 0, HIDDEN))

    def mask(self) -> str:
        """0 for tokens that are there, -10,000 for padding, [pairs, 1, 1, tokens]."""
        from onnx import TensorProto

        there = self.node("Cast", "attention_mask", to=TensorProto.FLOAT)
        gone = self.node("Sub", self.constant("one", np.array(1, np.float32)), there)
        far = self.node("Mul", gone, self.constant("far", np.array(-1e4, np.float32)))
        return self.node("Unsqueeze", far, self.ints(1, 2))

    def model(self, hidden: str) -> Any:
        from onnx import TensorProto, helper, numpy_helper

        first = self.node("Slice", hidden, self.ints(0), self.ints(1), self.ints(1))
        pooled = self.node("Tanh", self.linear(self.node("Squeeze", first, self.ints(1)), "pooler.dense"))
        self.nodes.append(helper.make_node("Identity", [self.linear(pooled, "classifier")], ["logits"]))
        names = ("input_ids", "attention_mask", "token_type_ids")
        graph = helper.make_graph(
            self.nodes,
            "pairs",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"]) for name in names],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 1])],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        opset = helper.make_opsetid("", bert_onnx.OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def random_weights() -> bert_onnx.Weights:
    """Of the right shapes, normal with a deviation of 0.02."""
    draw = np.random.default_rng(0)
    weights: bert_onnx.Weights = {}

    def linear(name: str, outer: int, inner: int) -> None:
        weights[f"{name}.weight"] = (draw.standard_normal((outer, inner)) * 0.02).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(outer, np.float32)

    def norm(name: str) -> None:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(HIDDEN, np.float32), np.zeros(HIDDEN, np.float32)

    for name, rows in (("word", WORDS), ("position", POSITIONS), ("token_type", 2)):
        linear(f"embeddings.{name}_embeddings", rows, HIDDEN)
    norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            linear(f"{name}.attention.{part}", HIDDEN, HIDDEN)
        linear(f"{name}.intermediate.dense", 4 * HIDDEN, HIDDEN)
        linear(f"{name}.output.dense", HIDDEN, 4 * HIDDEN)
        norm(f"{name}.attention.output.LayerNorm")
        norm(f"{name}.output.LayerNorm")
    linear("pooler.dense", HIDDEN, HIDDEN)
    linear("classifier", 1, HIDDEN)
    return weights


def untrained() -> Path:
    """The folder of a cross-encoder with random weights and MiniLM's tokenizer, made once."""
    import onnx

    folder = corpora.WORK / "untrained-cross-encoder"
    if not (folder / "model.onnx").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        config = bert_onnx.BertConfig(HIDDEN, LAYERS, HEADS, 1e-12)
        onnx.save(build(config), folder / "exact.part")
        bert_onnx.quantise(folder / "exact.part", folder / "model.part")
        (folder / "exact.part").unlink()
        shutil.copyfile(ModelStore().path(SPEC) / "tokenizer.json", folder / "tokenizer.json")
        (folder / "model.part").replace(folder / "model.onnx")
    return folder


def build(config: bert_onnx.BertConfig) -> Any:
    graph = PairGraph(random_weights(), config)
    hidden = graph.embeddings()
    for layer in range(config.num_hidden_layers):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}")
    return graph.model(hidden)


def main() -> None:
    """Print both rates, their ratio, and what 30 and 250 candidates take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    records = list(islice((record for record in corpora.distractors() if record["title"]), options.pairs))
    question, texts = records[0]["title"], [f"{record['title']}\n{record['abstract']}" for record in records]
    model = OnnxReranker(options.folder or untrained(), options.threads)
    embedder = MiniLM(ModelStore().path(SPEC), options.threads)
    tokens = [embedding.tokens for embedding in embedder.embed(texts)]
    asked = ask(question, embedder, lambda words: [1] * len(words), len(texts), SearchSettings())

    def cross() -> FloatArray:
        return model.scores(question, texts)

    def late() -> FloatArray:
        assert asked.tokens is not None
        return np.array(late_interactions(asked.tokens, [one for one in tokens if one], asked.weights), np.float32)

    wall, processor = rates([cross, late], len(texts))
    mean = np.mean([len(model._encoder._tokenizer.encode(question, text).ids) for text in texts])
    print(f"{len(texts)} pairs of {mean:.0f} tokens; {model.id}")
    if not options.folder:
        print("random weights: its scores mean nothing")
    for name, per_second, per_cpu in zip(("cross-encoder", "late interaction"), wall, processor, strict=True):
        waits = " and ".join(f"{count / per_second * 1000:,.0f} ms for {count}" for count in (30, 250))
        print(f"{name:17} {per_second:10,.1f} pairs / s {per_cpu:10,.1f} pairs / CPU-s   {waits}")
    print(f"ratio of CPU time {processor[1] / processor[0]:10,.0f}")
    print(f"peak memory       {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:10,.0f} MB")


def rates(both: list[Callable[[], FloatArray]], count: int) -> tuple[list[float], list[float]]:
    """Pairs a second and pairs a CPU-second of each, of three turns after one that warms up; the best turn counts."""
    wall, processor = [0.0, 0.0], [0.0, 0.0]
    for turn in range(4):
        for place, run in enumerate(both):
            began, cpu = time.perf_counter(), time.process_time()
            run()
            if turn:
                wall[place] = max(wall[place], count / (time.perf_counter() - began))
                processor[place] = max(processor[place], count / max(time.process_time() - cpu, 1e-6))
    return wall, processor


if __name__ == "__main__":
    main()
