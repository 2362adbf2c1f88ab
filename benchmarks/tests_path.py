"""Lends the benchmarks what the tests' folder has: the scrambler of columns."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parse" / "typeset"))

from scramble import scramble

__all__ = ["scramble"]
