"""Arrays as they are handed from room to room."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
"""Of four bytes a number; which axes it has is said where it is returned."""
