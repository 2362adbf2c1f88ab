"""The names of what models compute on."""

from typing import Literal

DeviceName = Literal["auto", "cpu", "cuda", "coreml", "directml"]
