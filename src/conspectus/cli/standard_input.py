"""What is given on standard input: never more of it than can be used."""

from __future__ import annotations

import sys

from conspectus.core.errors import UsageError

_BYTES = 4
"""Of a character in UTF-8, at most."""


def read_input(most: int) -> str:
    """All of standard input, as UTF-8.

    Raises:
        UsageError: it has more than `most` characters. What is behind them is not read.
    """
    raw = sys.stdin.buffer.read(_BYTES * most + 1)
    text = raw.decode("utf-8", "replace")
    if len(raw) > _BYTES * most or len(text) > most:
        raise UsageError(
            f"Standard input has more than {most:,} characters, which are the most that are taken.",
            "Give the part that matters, or name a file.",
        )
    return text
