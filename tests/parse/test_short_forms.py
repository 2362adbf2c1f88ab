"""Short forms are written out as their paper defines them."""

from __future__ import annotations

import pytest

from conspectus.parse.text.key_phrases import find_short_forms, write_out


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("The white blood cell count (WBC) rose.", {"WBC": "white blood cell count"}),
        ("Regulatory T cells (Tregs) and hematopoietic stem cells (HSCs).", {"HSC": "hematopoietic stem cell"}),
        ("Injury severity score (ISS; range 1 to 75) was low.", {"ISS": "Injury severity score"}),
        ("It fell (see below). Nuchal translucency (NT) rose (NT, 1.5 mm).", {"NT": "Nuchal translucency"}),
        ("A cohort (London) of men (n = 12) had pain (P < 0.01).", {}),
        ("Nothing here is short (ABC).", {}),
        ("(WBC)", {}),
        ("", {}),
    ],
)
def test_definitions_are_found(text: str, forms: dict[str, str]) -> None:
    """A wrong long form would make two sentences look alike that are about different things."""
    found = find_short_forms(text)
    assert {short: found.get(short) for short in forms} == forms
    assert forms or not found


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("WBC was high.", "white blood cell count was high."),
        ("WBCs were high; XWBC and WBC2 were not.", "white blood cell counts were high; XWBC and WBC2 were not."),
        ("The white blood cell count (WBC) rose.", "The white blood cell count (WBC) rose."),
        ("Nothing.", "Nothing."),
    ],
)
def test_sentences_are_written_out(sentence: str, written: str) -> None:
    """Without it a statement about the WBC is not compared with one about leukocytes."""
    assert write_out(sentence, {"WBC": "white blood cell count"}) == written
