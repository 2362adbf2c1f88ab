"""Words that several rooms know: each list once, in a file of `words/` with its language and its source."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def words(name: str) -> dict[str, Any]:
    """What a file of `words/` holds."""
    return tomllib.loads(files(__name__).joinpath(f"words/{name}.toml").read_text("utf-8"))


def pairs(listed: str) -> dict[str, str]:
    """A list of words, each odd one with what follows it."""
    parts = listed.split()
    return dict(zip(parts[::2], parts[1::2], strict=True))


STOP_WORDS = frozenset(words("function_words")["words"].split())
"""English function words: they carry no subject, so full text, late interaction and quoting pass over them."""
