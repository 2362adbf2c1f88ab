"""A BERT encoder as an ONNX graph, built by hand from its safetensors file.

An exporter would drag in torch, and one of them exported wrong vectors without an error; this takes a second and is
checked against reference vectors (see `minilm.build`). The graph takes one text at a time, so it has no mask:
`input_ids` int64 [1, tokens] -> `tokens` float32 [1, tokens, hidden], the last hidden state.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.disk import read_file

OPSET = 17
Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The shape of the encoder, as in the model's own `config.json`."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


def read_safetensors(path: Path) -> Weights:
    """The float32 tensors of a safetensors file by name (the format: 8 bytes of length, a JSON header, the data)."""
    raw = read_file(path, 2**31)
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    body = memoryview(raw)[8 + length :]
    weights: Weights = {}
    for name, info in header.items():
        if name != "__metadata__" and info["dtype"] == "F32":
            start, end = info["data_offsets"]
            weights[name] = np.frombuffer(body[start:end], np.float32).reshape(info["shape"])
    return weights


def build_graph(weights: Weights, config: BertConfig) -> Any:
    """An `onnx.ModelProto` of the encoder."""
    graph = _Graph(weights, config)
    hidden = graph.embeddings()
    for layer in range(config.num_hidden_layers):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}")
    return graph.model(hidden)


class _Graph:
    """Collects nodes and constants while the encoder is written down from input to output."""

    def __init__(self, weights: Weights, config: BertConfig) -> None:
        self.weights = weights
        self.config = config
        self.nodes: list[Any] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.setdefault(name, np.ascontiguousarray(value))
        return name

    def ints(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def embeddings(self) -> str:
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        # Slice, not Range + Gather: that pattern crashes one of onnxruntime's fusions.
        length = self.node("Slice", self.node("Shape", "input_ids"), self.ints(1), self.ints(2))
        positions = self.node(
            "Slice", self.weight("embeddings.position_embeddings.weight"), self.ints(0), length, self.ints(0)
        )
        kind = self.constant("token_type", self.weights["embeddings.token_type_embeddings.weight"][0])
        total = self.node("Add", self.node("Add", words, positions), kind)
        return self.normalise(total, "embeddings.LayerNorm")

    def layer(self, hidden: str, name: str) -> str:
        attended = self.linear(self.attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self.normalise(self.node("Add", attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = self.gelu(self.linear(hidden, f"{name}.intermediate.dense"))
        outer = self.linear(inner, f"{name}.output.dense")
        return self.normalise(self.node("Add", outer, hidden), f"{name}.output.LayerNorm")

    def attention(self, hidden: str, name: str) -> str:
        heads = self.config.num_attention_heads
        size = self.config.hidden_size // heads
        query, key, value = (self.heads(self.linear(hidden, f"{name}.{part}")) for part in ("query", "key", "value"))
        scores = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 1, 3, 2]))
        scores = self.node("Div", scores, self.constant("scale", np.array(np.sqrt(size), np.float32)))
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), value)
        back = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.node("Reshape", back, self.ints(0, 0, self.config.hidden_size))

    def heads(self, tensor: str) -> str:
        heads = self.config.num_attention_heads
        split = self.node("Reshape", tensor, self.ints(0, 0, heads, self.config.hidden_size // heads))
        return self.node("Transpose", split, perm=[0, 2, 1, 3])

    def linear(self, tensor: str, name: str) -> str:
        matrix = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", tensor, matrix), self.weight(f"{name}.bias"))

    def normalise(self, tensor: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", tensor, scale, bias, axis=-1, epsilon=self.config.layer_norm_eps)

    def gelu(self, tensor: str) -> str:
        # The exact GELU, x/2 (1 + erf(x/sqrt 2)), in the shape that onnxruntime fuses into one kernel.
        half = self.node("Div", tensor, self.constant("sqrt2", np.array(np.sqrt(2.0), np.float32)))
        erf = self.node("Add", self.node("Erf", half), self.constant("one", np.array(1.0, np.float32)))
        return self.node("Mul", self.node("Mul", tensor, erf), self.constant("half", np.array(0.5, np.float32)))

    def model(self, hidden: str) -> Any:
        from onnx import TensorProto, helper, numpy_helper

        self.nodes.append(helper.make_node("Identity", [hidden], ["tokens"], name="tokens"))
        graph = helper.make_graph(
            self.nodes,
            "bert",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "tokens", self.config.hidden_size])],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def quantise(source: Path, target: Path) -> None:
    """Write `source` with int8 weights (per channel) and activations quantised on the fly to `target`.

    Weights have 7 of the 8 bits: with all 8, processors without VNNI saturate (cosine to float32 0.992 for 0.993).
    """
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.getLogger().disabled, before = True, logging.getLogger().disabled  # it warns on the root logger
    try:
        quantize_dynamic(source, target, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    finally:
        logging.getLogger().disabled = before
