"""References that a model wrote on its own are taken out of its text, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.evidence.model_text import mentioned_works, without_references

KEPT = [
    "(p < 0.0001)",
    "(n = 2000 cells)",
    "(N = 2000)",
    "(2000 cells)",
    "[Ca2+]",
    "[Na+] = 140 mM",
    "[0.5, 1.2]",
    "[0, 1]",
    "the interval [1, 2]",
    "95% CI [12, 18]",
    "values in [1, 5]",
    "x ∈ [2, 3]",
    "[12, 18] ms",
    "the vector [3, 4, 5]",
    "A[1]",
    "[3H]thymidine",
    "[60]fullerene",
    "(Fig. 2)",
    "(Table 3)",
    "(May 2015)",
    "(since 2015)",
    "(1999–2005)",
    "(Windows 2000)",
    "(WHO 2020)",
    "(version 2.0, 2015)",
    "(r = 0.5, p = 0.03)",
    "(mean ± SD, 12 ± 3; range 2–19)",
    "10.5 mV",
    "the ratio 10/3",
    "(Na+/K+ ATPase)",
    "f(x) = [x]",
    "in 2015",
    "(see below)",
    "H2O",
    "10⁵ cells",
    "(i.e. the control)",
    "Paris (2015)",
    '"Grid cells fire in hexagons"',
]
TAKEN = [
    "(Smith et al., 2015)",
    "(Smith & Jones 2011)",
    "(van der Berg, 1999; O'Keefe and Dostrovsky, 1971)",
    "(see Müller 2015a,b)",
    "[Hafting et al. 2005, p. 3]",
    "(Hafting et al., 2005, doi:10.1038/nature03721)",
    "(IPCC, 2014)",
    "(Moser et al. 2008: 71)",
    "(Fyhn, M. et al., 2004)",
    "(Hafting 2005 and Moser 2008)",
    "(Smith et al., in press)",
    "[13]-[15]",
    "[Hafting2005]",
    "[99]",
    "[1, 2]",
    "[3–5]",
    "(ref. 12)",
    "【12†source】",
    "[^1]",
    "[@smith2015]",
    "doi:10.1016/S0006-3495(61)86902-6",
    "https://doi.org/10.1038/nature03721",
    "(https://www.example.org/a_(b)?c=1)",
    "arXiv:1706.03762v5",
    "(PMID: 15965463)",
    "PMC1234567",
    "[Hafting 2005](https://example.org/x)",
]
WORDS = st.sampled_from(
    "cells fire with the rhythm of sleep and rates rise slowly during rest while others do not".split()
)
PROSE = st.lists(WORDS, min_size=2, max_size=6).map(" ".join)


@pytest.mark.parametrize("part", KEPT)
def test_what_is_no_reference_stays(part: str) -> None:
    """A result would lose its statistics, its units or its conditions."""
    text = f"The rates rose {part} during sleep. They fell {part}."
    assert without_references(text) == (text, ())


@pytest.mark.parametrize("part", TAKEN)
def test_what_is_a_reference_goes(part: str) -> None:
    """An invented reference would be shown to the reader as if it were a source."""
    text, taken = without_references(f"The rates rose {part} during sleep. They fell {part}.")
    assert text == "The rates rose during sleep. They fell."
    assert taken


@given(st.lists(st.tuples(PROSE, st.sampled_from(KEPT)), min_size=1, max_size=5))
def test_any_text_without_references_is_left_as_it_is(parts: list[tuple[str, str]]) -> None:
    """Words would be lost from an answer."""
    text = ". ".join(f"{prose} {part} too" for prose, part in parts) + "."
    assert without_references(text) == (text, ())


@given(st.lists(st.tuples(PROSE, st.sampled_from([*KEPT, *TAKEN])), min_size=1, max_size=6))
def test_what_stays_is_what_was_there(parts: list[tuple[str, str]]) -> None:
    """A reference would stay beside another, or something beside a reference would go with it."""
    text = ". ".join(f"{prose} {part} too" for prose, part in parts) + "."
    kept = ". ".join(f"{prose} {part} too" if part in KEPT else f"{prose} too" for prose, part in parts) + "."
    assert without_references(text)[0] == kept


@given(st.text(alphabet="aA[](){}.,;:0123459 \n/-–&et alSmith20151doi10.@†【】", max_size=120))
def test_any_text_ends_and_stays_so(text: str) -> None:
    """An answer of a hostile model would hang the program, or come out with signs that were not in it."""
    once, taken = without_references(text)
    left = iter(text)
    assert all(char in left for char in once)
    assert once == text or taken
    assert without_references(once)[0] == once
    for one in mentioned_works(text):
        assert 0 <= one.start < one.end <= len(text) and one.words and one.value


def test_parts_of_brackets() -> None:
    """`(n = 12; Smith et al., 2015)` would lose its number of cells, or keep its reference."""
    assert without_references("So (n = 12 cells; Smith et al., 2015).") == (
        "So (n = 12 cells).",
        ("; Smith et al., 2015",),
    )
    assert without_references("So (Smith et al., 2015; n = 12 cells).")[0] == "So (n = 12 cells)."
    assert without_references("So (p < 0.05, Smith et al. 2015).")[0] == "So (p < 0.05)."
    assert without_references("So ([1], [2]) it is.")[0] == "So it is."
    assert without_references("So (see https://doi.org/10.1000/x).")[0] == "So."


def test_authors_that_a_sentence_needs_stay() -> None:
    """`showed that cells fire` would have no subject."""
    text, taken = without_references("Smith et al. (2015) showed it, as did Hodgkin and Huxley (1952).")
    assert text == "Smith et al. showed it, as did Hodgkin and Huxley."
    assert taken == ("Smith et al. (2015)", "Hodgkin and Huxley (1952)")


def test_a_list_at_the_end_goes_whole() -> None:
    """Without its DOI an invented entry would still stand there."""
    entries = [
        "1. Hafting T, Fyhn M. Microstructure of a spatial map. Nature. 2005;436:801-806.",
        "2. Smith, J. (2015). The invention of references. Journal of Tests, 3, 4-5. https://doi.org/10.1000/x",
        "- **Doe, A. et al. (2019).** *Another invention.* Science 12, 3–4.",
    ]
    for heading in ("References", "## References:", "**Sources:**"):
        text, taken = without_references("Cells fire [1].\n\n" + "\n".join([heading, "", *entries]) + "\n\nSo it is.")
        assert text == "Cells fire.\n\nSo it is."
        assert taken[0] == heading and set(entries) < set(taken)
    assert without_references("Cells fire.\n" + "\n".join(entries))[0] == "Cells fire."


@pytest.mark.parametrize(
    "text",
    [
        "References\n\nThe references of this library are good.",
        "1. Smith et al. measured cells in sleep, which rose by 12, 34–45 Hz.",
        "1. Rates rise in sleep.\n2. They fall at rest.",
        "- The IPCC of 2014 says so in its Report.",
        '1. "Gridness scores" were set to 0.4 in 2005 by most who used them.',
    ],
)
def test_a_list_of_findings_is_no_list_of_references(text: str) -> None:
    """An answer in points would come out empty."""
    assert without_references(text) == (text, ())


def test_the_kinds_and_values() -> None:
    """An identifier would be looked up as something else."""
    text = "See doi:10.1000/Ab, https://arxiv.org/abs/1706.03762, PMID 123456 and [4, 5] (Doe, 2001)."
    found = [(one.kind, one.value) for one in mentioned_works(text)]
    assert found == [
        ("doi", "10.1000/ab"),
        ("arxiv_id", "1706.03762"),
        ("pmid", "123456"),
        ("number", "4, 5"),
        ("author-year", "Doe, 2001"),
    ]


def test_long_hostile_texts_are_quick() -> None:
    """A model that repeats itself would hold the program for minutes."""
    for part in ("(", "[1", "A a, ", "Aa and ", "doi:10.1/", "(Smith et al., 2015; ", "van van "):
        text = part * (60_000 // len(part))
        without_references(text)
