"""The child process that reads vocabularies: `python -m conspectus.graph.vocabularies.worker MEMORY_MB`."""

from __future__ import annotations

import sys

from conspectus.graph.vocabularies.reading import told
from conspectus.parse.protocol import Reader
from conspectus.parse.worker import main


def _none(name: str) -> Reader:
    raise ValueError(name)


if __name__ == "__main__":
    main(_none, int(sys.argv[-1]), draws=True, tells=told)
