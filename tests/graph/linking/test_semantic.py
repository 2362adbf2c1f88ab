"""Words that are near names by their vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from conspectus.core.arrays import FloatArray
from conspectus.graph.linking.linker import Linker, Semantic, comparable_names
from conspectus.graph.linking.name_table import RankedName

ASKED: list[str] = []
MEANT = {"kidney": 0, "renal organ": 0, "organ": 3, "heart": 1, "cardiac muscle tissue": 1, "muscle": 2}
"""Texts that have one number have one vector."""


def _embed(texts: Sequence[str]) -> FloatArray:
    ASKED.extend(texts)
    found = np.zeros((len(texts), 5), np.float32)
    for at, text in enumerate(texts):
        found[at, MEANT.get(text, 4)] = 1
    return found


@pytest.fixture
def linker() -> Linker:
    return Linker([RankedName(1, "kidney"), RankedName(2, "heart"), RankedName(3, "muscle")])


def _linked(linker: Linker, *texts: str) -> list[tuple[str, int, str]]:
    ASKED.clear()
    semantic = Semantic(linker.table, _embed(list(comparable_names(linker.table))), _embed, 0.9)
    found = semantic.link(texts, linker.link(texts))
    return [(text[m.start : m.stop], m.concept, m.method) for text, own in zip(texts, found, strict=True) for m in own]


def test_what_no_name_has_is_found_by_its_vector(linker: Linker) -> None:
    """Else words that the vocabulary does not list would stay unfound; in their place between the others."""
    found = _linked(linker, "The heart and the renal organ.", "A kidney.")
    assert found == [("heart", 2, "exact"), ("renal organ", 1, "semantic"), ("kidney", 1, "exact")]


def test_names_stand_and_marks_part(linker: Linker) -> None:
    """Else a name that is there in so many words would be taken for another one, or words of two phrases for one."""
    assert _linked(linker, "cardiac muscle tissue") == [("muscle", 3, "exact")]
    assert _linked(linker, "renal, organ") == []
    assert not any("," in text for text in ASKED)


def test_each_is_embedded_once(linker: Linker) -> None:
    """Else linking would take as long again for each time that words are said."""
    _linked(linker, "renal organ", "Renal organs, renal organ and the renal organ")
    assert len(ASKED) == len(set(ASKED))
