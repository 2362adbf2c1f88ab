"""The mechanical check: numbers, names and quotations that are not the sentences' own; which of them are certain."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.verify.folded_text import fold
from conspectus.verify.mechanical import hints
from conspectus.verify.quantities import quantities
from growth import Steep, repeat_text

METFORMIN = (
    "Metformin was not associated with lower mortality than insulin in 1,234 patients with type 2 diabetes (P<.001)."
)


def _read_rows(name: str) -> list[dict[str, str]]:
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", _read_rows("hints.tsv"), ids=lambda row: f"{row['about']}: {row['statement']}")
def test_hints_are_about_what_is_wrong(row: dict[str, str]) -> None:
    """A wrong dose would pass, or a true statement be struck out because a model writes numbers and names as people do.

    Expected is no hint, one of a kind and what it finds (`unit?`: and not certain), or hints of which some or none are
    certain.
    """
    found = hints(row["statement"], [row["sentence"]], [row["around"]])
    kind, _, words = row["expected"].partition(": ")
    if kind in ("certain", "uncertain"):
        assert any(hint.certain for hint in found) == (kind == "certain")
    elif not kind:
        assert found == ()
    else:
        (hint,) = found
        assert hint.kind == kind.rstrip("?") and words in (hint.words, "") and not (hint.certain and "?" in kind)
        assert hint.words in hint.why and hint.why.endswith(".")


@pytest.mark.parametrize("row", _read_rows("quantity_pairs.tsv"), ids=lambda row: row["statement"])
def test_quantities_agree_however_they_are_written(row: dict[str, str]) -> None:
    """A right number would be struck out because a journal prints it in its own way, and a wrong one would pass."""
    kinds = {hint.kind for hint in hints(row["statement"], [row["sentence"]])}
    assert kinds <= ({"number", "unit"} if row["label"] == "contradict" else set()), row
    assert bool(kinds) == (row["label"] == "contradict"), row


@pytest.mark.parametrize("row", _read_rows("natural_statements.tsv"), ids=lambda row: row["statement"])
def test_hints_in_three_languages_are_about_errors(row: dict[str, str]) -> None:
    """A reader would learn to pass over hints, because nearly all were about true statements."""
    found = hints(row["statement"], [row["sentence"]])
    assert bool(found) == (row["label"] == "contradict"), (row, found)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("4·5 mg and 26·6%, p<0·001", [4.5, 26.6, 0.001]),
        ("1·10 (0·95–1·27), 1·10-1·35", [1.1, 0.95, 1.27, 1.1, 1.35]),
        ("4‧5 or 4⋅5 or 4∙5 or 4・5", [4.5, 4.5, 4.5, 4.5]),
        ("5·10^3 and 5·10⁻³ and 5·10-3", [5e3, 5e-3, 5e-3]),
        ("12 345·6 and 12\u202f345 and 1.234.567 and 1.234,5", [12345.6, 12345, 1234567, 1234.5]),
        ("version 1.10.2 of GSL-1.10, L12, COVID-19, n-3 and CuSO4·5H2O", []),
        ("a value of ca.146", [146]),
        ("a third of them, two thirds, half-life, double-blind, a third group", [1 / 3, 2 / 3, 3]),
        ("one in five, nine out of ten, 81 of the 395", [0.2, 0.9, 81, 395]),
        ("2.5e-3.", [2.5e-3]),
    ],
)
def test_numbers_of_a_text(text: str, numbers: list[float]) -> None:
    """The dose `4·5 mg` would be read as 5 mg, and the product `5·10^3` as 5.1."""
    assert [item.value for item in quantities(fold(text))] == pytest.approx(numbers)


def test_a_translated_quotation_is_no_error() -> None:
    """An answer in German that translates the words of a paper would be struck out."""
    sentence = "The authors call this a silent epidemic of loneliness."
    assert hints("Sie nennen es „eine stille Epidemie der Einsamkeit“.", [sentence]) == ()
    assert hints("They call it “a silent epidemic of hunger”.", [sentence])


def test_what_stands_in_the_passage_is_doubted_only_where_the_sentence_has_another() -> None:
    """A judge would be asked about every number of the sentence before."""
    passage = "Doses were 5 mg. In men mortality was 15 %. In women mortality was 12 %."
    assert hints("Men died more often (15 %).", ["They died more often."], [passage]) == ()
    (hint,) = hints("Women died in 15 % of cases.", ["In women mortality was 12 %."], [passage])
    assert hint.words == "15 %" and not hint.certain


def test_other_languages_are_compared_by_numbers_and_names() -> None:
    """The numbers of an answer in Spanish would not be looked at."""
    sentence = "Metformin did not reduce mortality in 1,234 patients at 45 mg."
    assert hints("La metformina no redujo la mortalidad en 1.234 pacientes con 45 mg.", [sentence]) == ()
    (hint,) = hints("La metformina no redujo la mortalidad en 1.234 pacientes con 54 mg.", [sentence])
    assert hint.words == "54 mg" and hint.certain


def test_without_sentences_there_is_nothing_to_compare() -> None:
    """What is not cited at all is another fault, with its own message."""
    assert hints("It was 45 %.", []) == () == hints("It was 45 %.", ["  "])


_PIECES = st.lists(
    st.sampled_from(
        "5 12,5 1.0e3 10^ -3 – ± % "
        "mg /L μ IL-6 p53 not no than higher lower $ \\mu { ( ) . , ; Smith et al. [3] α".split()
    )
)
_TEXT = st.one_of(st.text(max_size=200), _PIECES.map(" ".join), _PIECES.map("".join))


@given(_TEXT, st.lists(_TEXT, max_size=4), _TEXT)
def test_any_text_can_be_checked(statement: str, sentences: list[str], context: str) -> None:
    """A model that writes nonsense would crash the answer. The order of citations may not matter either."""
    found = hints(statement, sentences, [context])
    assert found == hints(statement, sentences[::-1], [context])
    assert all(item.why and item.words in statement for item in found)


@given(_TEXT, st.lists(_TEXT, max_size=3))
def test_a_copy_has_no_hints(statement: str, others: list[str]) -> None:
    """A statement that repeats its sentence would be struck out."""
    assert hints(statement, [*others, statement]) == ()


@pytest.mark.parametrize(
    "piece",
    [METFORMIN + " ", "1", "123 ", "1.2.3,", "Aa ", "a", "a-", "(", "$\\mu_{",
     "Smith, ", "Aa et al ", "not ", "higher than ",
     "1e5", "1 x 10 ", "5 mg/",
     "1·", "1·2 ", "1.2.", "a third of ", "one in ", "p53, ", "1\u2009234 ", "zwei Drittel ",
     "p = ", "~", "one half ", "hundred and ", "ab (AB) "],
)  # fmt: skip
def test_a_long_statement_is_checked_in_time(piece: str, steep: Steep) -> None:
    """A model that repeats itself for ever would hang the answer: no pattern may take more than linear time."""
    assert not steep(lambda length: hints(repeat_text(piece, length), [METFORMIN + " It grew."], [METFORMIN]), 10_000)


@pytest.mark.parametrize(
    ("statement", "doubted"),
    [
        ("They call it “a sea of slow mice” there.", True),
        ('They call it "a sea of fast mice" there.', False),
        ("They call it «A SEA of … mice» there.", False),
        ("They call it “a sea of [many] fast mice”.", False),
        ("They call it a “calm sea” there.", False),
        ('A slit of 5" and, for all the others of them, one of 10".', False),
    ],
)
def test_quotations_are_those_of_the_paper(statement: str, doubted: bool) -> None:
    """A reader takes words in quotation marks for the paper's own."""
    sentence = 'They call it a sea of fast mice there, by a slit of 5" or 10".'
    assert ("quotation" in {item.kind for item in hints(statement, [sentence])}) == doubted
