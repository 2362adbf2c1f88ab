"""The papers of the small library, and how to read what the program prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import Result

RECORDS: list[dict[str, Any]] = [
    {
        "id": "lace",
        "title": "Mitochondria in lace plant leaves",
        "abstract": "Programmed cell death remodels the leaves of the lace plant. Mitochondria gather around the "
        "nucleus before a cell of the leaf dies. The perforations appear between the veins.",
        "authors": ["Green, Ada", "Brown, Ben", "White, Cid"],
        "year": 2011,
        "venue": "Journal of Leaves",
        "keywords": ["lace plant", "cell death"],
        "doi": "10.1234/lace.2011",
        "references": ["Somebody (1999). Something."],
    },
    {
        "id": "steel",
        "title": "Hardening of steel \u001b[2J by quenching",
        "abstract": "Rapid cooling of hot steel makes martensite, which is hard and brittle. Tempering takes away "
        "some of the hardness and most of the brittleness.",
        "authors": ["Smith, Jo"],
        "year": 2004,
        "venue": "Metals",
    },
    {
        "id": "tides",
        "title": "Ocean tides and the Moon",
        "abstract": "The Moon raises two bulges of water on the Earth. Friction of the tides slows the rotation of "
        "the Earth by about two milliseconds in a century.",
        "authors": ["Ebb, Flo", "Neap, Tim"],
        "year": 1998,
    },
]
QUESTION = "Do mitochondria play a role when cells of lace plant leaves die?"


class Shelf(NamedTuple):
    """The library's folder and the folder with its sources."""

    library: Path
    sources: Path


Run = Callable[..., Result]


def body(result: Result, verb: str) -> dict[str, Any]:
    """The JSON object that a verb printed, its schema checked."""
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["schema"] == f"conspectus.{verb}/1"
    return found


def error(result: Result) -> dict[str, str]:
    """The error object on standard error."""
    found: dict[str, Any] = json.loads(result.stderr)
    assert list(found) == ["error"]
    assert list(found["error"]) == ["type", "message", "hint"]
    assert not result.stdout
    return dict(found["error"])
