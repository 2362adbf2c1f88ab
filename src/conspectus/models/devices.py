"""What models compute on: the processor, or what an execution provider of onnxruntime offers."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.core.errors import UnavailableError
from conspectus.records.models import DeviceName


@dataclass(frozen=True, slots=True)
class Device:
    """A device by its name in settings, with its provider, and the package whose onnxruntime has that."""

    name: DeviceName
    provider: str
    package: str

    @property
    def providers(self) -> list[str]:
        """What onnxruntime is to use, in this order: what the device cannot compute, the processor does."""
        return list(dict.fromkeys([self.provider, _CPU.provider]))


_CPU = Device("cpu", "CPUExecutionProvider", "onnxruntime")
_ACCELERATORS = (
    Device("cuda", "CUDAExecutionProvider", "onnxruntime-gpu"),
    Device("coreml", "CoreMLExecutionProvider", "onnxruntime (on macOS)"),
    Device("directml", "DmlExecutionProvider", "onnxruntime-directml (on Windows)"),
)


def find_device(name: DeviceName) -> Device:
    """The device of this name; `auto` is the first that the onnxruntime here offers.

    Raises:
        UnavailableError: the onnxruntime that is installed does not offer it.
    """
    import onnxruntime

    offered = onnxruntime.get_available_providers()
    if name == "auto":
        return next((device for device in _ACCELERATORS if device.provider in offered), _CPU)
    device = next(device for device in (_CPU, *_ACCELERATORS) if device.name == name)
    if device.provider in offered:
        return device
    there = ", ".join(device.name for device in (_CPU, *_ACCELERATORS) if device.provider in offered)
    raise UnavailableError(
        f"The onnxruntime that is installed cannot compute on '{name}', only on: {there}.",
        f"Install {device.package} in place of onnxruntime (pip uninstall onnxruntime first), or set models.device to "
        "'auto'.",
    )
