"""Titles compared as people write them: what is the same work, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.text.titles import holds_title, same_title, similarity

MAP = "Microstructure of a spatial map in the entorhinal cortex"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MAP, MAP.upper() + "."),
        (MAP, "Micro-structure of a spatial map, in the entorhinal cortex"),
        (MAP, "Microstucture of a spatial map in the entorhinal cortex"),
        ("Gödel’s theorem and the naïve café", "Godel's theorem and the naive cafe"),
        (r"G{\"o}del and the {RNA} of $\alpha$-synuclein", "Gödel and the RNA of α-synuclein"),
        ("TGF-β1 signalling in the tumour", "TGF-beta1 signaling in the tumor"),
        ("Grid cells of the rat: a review of ten years", "Grid cells of the rat"),
        ("Selection of <i>PIK3CA</i> in colon cancer", "Selection of PIK3CA in colon cancer"),
        ("Sleep &amp; memory in the cat", "Sleep and memory in the cat"),
        ("The effects of sleep on memory", "Effects of sleep on memory"),
    ],
)
def test_the_same_title(one: str, other: str) -> None:
    """A right reference would be called wrong for the way it is typed."""
    assert same_title(one, other) and same_title(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MAP, "Microstructure of a spatial map in the prefrontal cortex"),
        ("Attention is all you need", "Attention is all you need for protein folding"),
        ("Sleep is associated with memory in old mice", "Sleep is not associated with memory in old mice"),
        ("Theory of turbulence in pipes part I", "Theory of turbulence in pipes part II"),
        ("Models of rain in 2015", "Models of rain in 2016"),
        ("Estrogen and hypertension in young mice", "Estrogen and hypotension in young mice"),
        ("Intracellular calcium of the axon", "Extracellular calcium of the axon"),
        ("Grid cells of the rat: a review", "Grid cells of the rat: a model"),
        (MAP, ""),
        ("", ""),
    ],
)
def test_another_title(one: str, other: str) -> None:
    """An invented title would pass for the work that it resembles."""
    assert not same_title(one, other) and not same_title(other, one)


@given(st.text(max_size=80), st.text(max_size=80))
def test_similarity_is_a_fraction_and_has_no_order(one: str, other: str) -> None:
    """A title nobody thought of would end an audit."""
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, other) == pytest.approx(similarity(other, one))


@given(st.text(max_size=60))
def test_a_title_is_itself(title: str) -> None:
    """The surest case of all would fail."""
    assert similarity(title, title) in (0.0, 1.0)
    assert not any(char.isascii() and char.isalnum() for char in title) or similarity(title, title) == 1.0


def test_a_title_in_an_entry() -> None:
    """An entry whose title was told apart wrongly would be called wrong."""
    assert holds_title(f"Hafting T. {MAP} Nature 436 (2005)", MAP + ".")
    assert not holds_title("Hafting T. Another map. Nature 436 (2005)", MAP)
    assert not holds_title("Introduction to sleep. 2005", "Introduction")
