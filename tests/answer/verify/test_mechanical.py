"""The mechanical check: what is wrong in a statement is doubted, what is right in other words is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus.answer.verify.mechanical import doubts

METFORMIN = (
    "Metformin was not associated with lower mortality than insulin in 1,234 patients with type 2 diabetes (P<.001)."
)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("It rose to 12 mg/L (p < 0.001).", "It increased from 8 to 12 mg L−1 (P<.001)."),
        ("It rose to 12 mg/L.", "It increased from 8 to $12\\,{\\rm mg\\,L^{-1}}$."),
        ("In 1 234 mice 45 percent died.", "Of 1,234 mice, 45 % died."),
        ("There were 1000 cells.", "There were 10³ cells."),
        ("There were 1.5 million cells.", "There were $1.5\\times 10^{6}$ cells."),
        ("Thirty-five patients were seen.", "We saw 35 patients."),
        ("The mean was 12.3 ms.", "The mean was 12.34 ms."),
        ("The dose was 500 mg.", "The dose was 0.5 g."),
        ("It took two hours.", "It took 120 min."),
        ("It was kept at 310.15 K.", "It was kept at 37 °C."),
        ("The film is 0.2 micrometres thick.", "The film is 200 nm thick."),
        ("It was 45%.", "The fraction was 0.45."),
        ("The doses were 5 mg and 20 mg.", "The doses were 5, 10 and 20 mg."),
        ("Two thirds answered.", "About 2/3 answered."),
        ("About 50% answered.", "Of all, 48.7% answered."),
        ("The dose was 3.5 mg.", "La dosis fue de 3,5 mg."),
        ("It was twice as large.", "It was 2-fold larger."),
        ("The black hole has 10^6 solar masses.", "Its mass is $10^6\\,M_{\\odot}$."),
    ],
)
def test_numbers_written_otherwise_are_no_doubt(statement: str, sentence: str) -> None:
    """A user would be shown a struck-out statement because a model writes numbers as people do."""
    assert doubts(statement, [sentence]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence", "kind", "found"),
    [
        ("The level was 45 %.", "The level was 54 %.", "number", "45 %"),
        ("The level was 1.23.", "The level was 1.2.", "number", "1.23"),
        ("There were four groups.", "There were three groups.", "number", "four"),
        ("It was 10^5 cells.", "It was 10^6 cells.", "number", "10^5"),
        ("The dose was 5 mg.", "The dose was 5 g.", "unit", "5 mg"),
        ("It took 12 days.", "It took 12 weeks.", "unit", "12 days"),
        ("The dose was 5 μg.", "The dose was 5 μM.", "unit", "5 μg"),
        ("It fell to 12 mg/L.", "It fell to 12 mg/dL.", "unit", "12 mg/L"),
    ],
)
def test_other_numbers_and_units_are_doubted(statement: str, sentence: str, kind: str, found: str) -> None:
    """A user would believe a number that no paper gives."""
    (doubt,) = {item.kind: item for item in doubts(statement, [sentence])}.values()
    assert (doubt.kind, doubt.found) == (kind, found)
    assert found in doubt.why and doubt.why.endswith(".")


def test_numbers_that_change_places_are_doubted() -> None:
    """Both numbers stand in the sentence, but each for the other group."""
    sentence = "More women had mammograms after counselling (71% vs 61%) in the first year of the trial."
    assert doubts(sentence.replace("71% vs 61%", "61% vs 71%"), [sentence])


@pytest.mark.parametrize(
    ("statement", "sentence", "context"),
    [
        ("E. coli grew.", "Escherichia coli grew.", ""),
        ("Escherichia coli grew.", "E. coli grew.", ""),
        ("IL6 and α-synuclein rose.", "IL-6 and alpha-synuclein rose.", ""),
        ("The MRI of T cells was bright.", "Magnetic resonance imaging of T-cells was bright.", ""),
        (
            "The scan of the ACC was bright.",
            "The scan of this region was bright.",
            "the anterior cingulate cortex (ACC)",
        ),
        ("In NGC 1275 gas cools.", "Gas cools in NGC1275.", ""),
        ("TiO₂ is active.", "TiO2 is active.", ""),
        ("Tumours of haematopoietic CD34+ cells grew.", "Tumors of hematopoietic CD34+ cells grew.", ""),
        ("The effect of Metformin is small.", "Its effect is small.", "We gave metformin."),
        ("According to Smith et al. (2019), it grew.", "It grew.", ""),
        ("In phase III it failed.", "In phase 3 it failed.", ""),
    ],
)
def test_names_written_otherwise_are_no_doubt(statement: str, sentence: str, context: str) -> None:
    """A user would be told that a name is missing which stands there in another form."""
    assert [item for item in doubts(statement, [sentence], [context]) if item.kind == "entity"] == []
    assert doubts(statement, [sentence], [context]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence", "found"),
    [
        ("We saw that p63 is lost.", "We saw that p53 is lost.", "p63"),
        ("The gas in Perseus cools.", "The gas in Virgo cools.", "Perseus"),
        ("The level of IL-8 rose.", "The level of IL-6 rose.", "IL-8"),
        ("The films of TiN conduct.", "The films of TiO2 conduct.", "TiN"),
    ],
)
def test_other_names_are_doubted(statement: str, sentence: str, found: str) -> None:
    """A user would be told something of a gene that the paper says of another."""
    assert [(item.kind, item.found) for item in doubts(statement, [sentence])][:1] == [("entity", found)]


def test_a_name_in_the_place_of_another_is_doubted_though_the_passage_has_it() -> None:
    """The passage speaks of both cells, the sentence of one."""
    sentence = "The number of CD4 cells in the blood of these patients rose during the treatment."
    context = f"CD4 and CD8 cells were counted. {sentence}"
    assert [item.kind for item in doubts(sentence.replace("CD4", "CD8"), [sentence], [context])] == ["entity"]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("There was no difference between the groups.", "The groups did not differ."),
        ("The drug did not affect survival.", "Survival was unaffected by the drug."),
        ("The drug failed to reduce pain.", "The drug did not reduce pain."),
        ("The groups were similar.", "The groups did not differ."),
        ("It is not uncommon in children.", "It is common in children."),
        ("Mice lacking Sirt1 gained weight.", "Loss of Sirt1 made mice gain weight."),
        ("No, the drug reduced pain.", "The drug reduced pain."),
        ("The drug reduced pain not only in adults.", "The drug reduced pain in adults and children."),
    ],
)
def test_denials_in_other_words_are_no_doubt(statement: str, sentence: str) -> None:
    """A user would see a right statement called wrong."""
    assert doubts(statement, [sentence]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Coffee was not associated with cancer in women.", "Coffee was associated with cancer in women."),
        ("Coffee was associated with cancer in women.", "Coffee was not associated with cancer in women."),
        ("The drug does not reduce pain.", "In this trial of adults the drug reduces pain, with few side effects."),
        ("In adults the drug can reduce pain.", "The drug cannot reduce pain in adults."),
        ("There was a difference in survival.", "There was no difference in survival."),
    ],
)
def test_what_is_denied_on_one_side_is_doubted(statement: str, sentence: str) -> None:
    """A user would read the contrary of what the paper found."""
    assert "negation" in {item.kind for item in doubts(statement, [sentence])}


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Mortality in smokers was lower.", "Mortality in smokers was higher."),
        ("Exercise decreases the blood pressure of adults.", "Exercise increases the blood pressure of adults."),
        ("Rats had higher scores than mice.", "Mice had higher scores than rats."),
        ("Height is negatively correlated with weight.", "Height is positively correlated with weight."),
    ],
)
def test_the_other_direction_is_doubted(statement: str, sentence: str) -> None:
    """A user would read that something rises which falls."""
    assert "comparison" in {item.kind for item in doubts(statement, [sentence])}


def test_the_same_comparison_from_the_other_side_is_no_doubt() -> None:
    """`A is more than B` and `B is less than A` say the same."""
    assert doubts("Mice had lower scores than rats.", ["Rats had higher scores than mice."]) == ()


def test_other_languages_are_compared_by_numbers_and_names_only() -> None:
    """An answer in Spanish would be called wrong for its grammar, or its numbers not looked at."""
    sentence = "Metformin did not reduce mortality in 1,234 patients at 45 mg."
    assert doubts("La metformina no redujo la mortalidad en 1.234 pacientes con 45 mg.", [sentence]) == ()
    (doubt,) = doubts("La metformina no redujo la mortalidad en 1.243 pacientes con 45 mg.", [sentence])
    assert doubt.found == "1.243"


def test_without_sentences_there_is_nothing_to_doubt() -> None:
    """What is not cited at all is another fault, with its own message."""
    assert doubts("It was 45 %.", []) == () == doubts("It was 45 %.", ["  "])


_PIECES = st.lists(
    st.sampled_from(
        "5 12,5 1.0e3 10^ -3 – ± % "
        "mg /L μ IL-6 p53 not no than higher lower $ \\mu { ( ) . , ; Smith et al. [3] α".split()
    )
)
_TEXT = st.one_of(st.text(max_size=200), _PIECES.map(" ".join), _PIECES.map("".join))


@settings(deadline=None, max_examples=300)
@given(_TEXT, st.lists(_TEXT, max_size=4), _TEXT)
def test_any_text_can_be_checked(statement: str, sentences: list[str], context: str) -> None:
    """A model that writes nonsense would crash the answer. The order of citations may not matter either."""
    found = doubts(statement, sentences, [context])
    assert found == doubts(statement, sentences[::-1], [context])
    assert all(item.why and item.found in statement for item in found)


@settings(deadline=None, max_examples=200)
@given(_TEXT, st.lists(_TEXT, max_size=3))
def test_a_quotation_is_never_doubted(statement: str, others: list[str]) -> None:
    """A statement that repeats its sentence would be struck out."""
    assert doubts(statement, [*others, statement]) == ()


@pytest.mark.parametrize(
    "piece",
    [METFORMIN + " ", "1", "123 ", "1.2.3,", "Aa ", "a", "a-", "(", "$\\mu_{",
     "Smith, ", "Aa et al ", "not ", "higher than ",
     "1e5", "1 x 10 ", "5 mg/", "p = ", "~", "one half ", "hundred and ", "ab (AB) "],
)  # fmt: skip
def test_a_long_statement_is_checked_in_time(piece: str) -> None:
    """A model that repeats itself for ever would hang the answer: no pattern may take more than linear time."""
    began = time.process_time()
    doubts((piece * 100_000)[:100_000], [METFORMIN + " It grew."], [METFORMIN])
    assert time.process_time() - began < 15


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
    assert ("quotation" in {item.kind for item in doubts(statement, [sentence])}) == doubted
