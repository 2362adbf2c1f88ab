"""Lends the benchmarks what the tests' folder has: the scrambler of columns, scans, a Crossref, questions."""

from __future__ import annotations

import sys
from pathlib import Path

_PARSE = Path(__file__).resolve().parents[1] / "tests" / "parse"
sys.path.insert(0, str(_PARSE))
sys.path.insert(0, str(_PARSE / "typeset"))
sys.path.insert(0, str(_PARSE.parent / "search"))
sys.path.insert(0, str(_PARSE.parent))

import routing_cases  # noqa: E402
from scan_samples import as_scan  # noqa: E402
from scramble import scramble  # noqa: E402

from crossref_server import crossref_server  # noqa: E402

__all__ = ["as_scan", "crossref_server", "routing_cases", "scramble"]
