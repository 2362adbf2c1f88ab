"""Captions in parts, as authors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.figures.captions import parts_of

NATURAL = [
    (
        "Figure 1: Results. (a) Raw data. (b) As in (a), but filtered. (c, d) Both groups.",
        {"a": "Raw data.", "b": "As in (a), but filtered.", "c": "Both groups.", "d": "Both groups."},
    ),
    (
        "Distribution of (a) ages, (b) sexes, and (c) incomes.",
        {"a": "Distribution of ages", "b": "Distribution of sexes", "c": "Distribution of incomes."},
    ),
    (
        "Survey. Distribution of ages (a), sexes (b) and incomes (c).",
        {"a": "Distribution of ages", "b": "sexes", "c": "incomes"},
    ),
    ("Fig. 2. A) Raw data. B) Fits. C) Residuals.", {"A": "Raw data.", "B": "Fits.", "C": "Residuals."}),
    (
        "a, Schematic of the set-up. b, Spectrum. c,d, Maps at two times.",
        {"a": "Schematic of the set-up.", "b": "Spectrum.", "c": "Maps at two times.", "d": "Maps at two times."},
    ),
    ("Figure S3. A. Schematic. B. Results; n = 5.", {"A": "Schematic.", "B": "Results; n = 5."}),
    ("a Schematic of the set-up. b Results of A.", {"a": "Schematic of the set-up.", "b": "Results of A."}),
    (
        "(A–C) Traces. (D) Mean. (E and F) As D, for other cells.",
        {"A": "Traces.", "B": "Traces.", "C": "Traces.", "D": "Mean.", "E": "As D, for other cells.",
         "F": "As D, for other cells."},
    ),
    ("Overview: (a)-(c) rates, (d) counts.", {"a": "rates", "b": "rates", "c": "rates", "d": "counts."}),
    ("Overview. (a) and (b): rates; (c): counts.", {"a": "rates", "b": "rates", "c": "counts."}),
    ("Panel A shows the rates. Panel B shows the counts.", {"A": "shows the rates.", "B": "shows the counts."}),
    ("(i) First; (ii) second; (iii) third.", {"i": "First", "ii": "second", "iii": "third."}),
    ("Model. [a] Raw. [b] Fit.", {"a": "Raw.", "b": "Fit."}),
    ("Figure 4: (a, left) Raw. (b, right) Fit.", {"a": "Raw.", "b": "Fit."}),
    ("(a) Same as (b) but weaker. (b) Original.", {"a": "Same as (b) but weaker.", "b": "Original."}),
    (
        "(a) Rates. (b) Counts. (a, b) Scale bars are 10 µm.",
        {"a": "Rates. Scale bars are 10 µm.", "b": "Counts. Scale bars are 10 µm."},
    ),
    (
        "A: Currents. B1–B3: Traces. C: Fit to B2.",
        {"A": "Currents.", "B1": "Traces.", "B2": "Traces.", "B3": "Traces.", "C": "Fit to B2."},
    ),
    ("(a1) Raw. (a2) Fit. (b) Rest.", {"a1": "Raw.", "a2": "Fit.", "b": "Rest."}),
    ("A1: Raw. A2: Fit. C1: No B.", {"A1": "Raw.", "A2": "Fit. C1: No B."}),
    ("Left: rates. Right: counts.", {"left": "rates.", "right": "counts."}),
    ("Rates (left) and counts (right) of the neurons.", {"left": "Rates", "right": "counts"}),
    (
        "The upper panel shows rates; the lower panel shows counts.",
        {"top": "shows rates", "bottom": "shows counts."},
    ),
    (
        "Top left: ages. Top right: sexes. Bottom left: jobs. Bottom right: incomes.",
        {"top left": "ages.", "top right": "sexes.", "bottom left": "jobs.", "bottom right": "incomes."},
    ),
]  # fmt: skip
WHOLE = [
    "",
    "The potential of a cell over time.",
    "Rates of neuron(s) with gain (A) in amperes.",
    "The network with input (a).",
    "Results of the model with parameters a, b and c.",
    "A network was trained. B cells are shown in red.",
    "The left hemisphere is more active than the right.",
    "Spectra (b) and (c) of Smith et al.",
    "Bonds of (C1) and of (H2) in water.",
]


@pytest.mark.parametrize(("caption", "parts"), NATURAL)
def test_each_panel_has_what_is_said_of_it(caption: str, parts: dict[str, str]) -> None:
    """Lost otherwise: a search for what panel (b) shows."""
    found = parts_of(caption)
    assert dict(found) == parts
    assert list(found) == list(parts), "in reading order"


@pytest.mark.parametrize("caption", WHOLE)
def test_a_caption_that_tells_no_panels_apart_has_no_parts(caption: str) -> None:
    """Lost otherwise: figures that are one picture, cut to pieces."""
    assert parts_of(caption) == {}


@given(st.text(alphabet="abcABix()[].,;:– \nleftrigh", max_size=120))
def test_any_text_is_a_caption(caption: str) -> None:
    """Lost otherwise: the figures of a paper, to one caption."""
    assert len(parts_of(caption)) != 1
