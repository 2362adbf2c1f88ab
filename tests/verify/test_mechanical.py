"""The mechanical check: numbers, names and quotations that are not the sentences' own; which of them are certain."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.verify.mechanical import hints
from conspectus.verify.normalised import fold
from conspectus.verify.quantities import quantities
from growth import Steep, repeated

METFORMIN = (
    "Metformin was not associated with lower mortality than insulin in 1,234 patients with type 2 diabetes (P<.001)."
)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("They were given 10 mg per day.", "They were given 10 mg per kg per day."),
        ("They were given 10 mg.", "The medium had 10 mg/L."),
        ("They were given 5 mg/L.", "They were given 5 mg."),
    ],
)
def test_a_unit_that_lost_a_part_gets_an_uncertain_hint(statement: str, sentence: str) -> None:
    """Lost otherwise: a dose that is 70 times as small passes as correct."""
    (hint,) = hints(statement, [sentence])
    assert (hint.kind, hint.certain) == ("unit", False)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("For each kg of body weight, 10 mg were given daily.", "They were given 10 mg/kg/day."),
        ("Rats had 10 mg/kg daily.", "Rats had 10 mg/kg/day."),
        ("Each litre had 10 mg.", "The medium had 10 mg/L."),
    ],
)
def test_a_unit_whose_rest_is_said_in_words_gets_no_hint(statement: str, sentence: str) -> None:
    """Lost otherwise: trust in hints that mark correct statements."""
    assert not hints(statement, [sentence])


TRUE_BOUNDS = [
    ("Less than 50 % survived.", "12 % survived."),
    ("Fewer than 10 % died.", "3 % died."),
    ("The crystals were at least 5 mm long.", "The crystals were 12 mm long."),
    ("They took at most 10 mg.", "They took 4 mg."),
    ("It lasted more than 20 years.", "It lasted 45 years."),
    ("More than 100 patients took part.", "We saw 412 patients."),
]


@pytest.mark.parametrize(("statement", "sentence"), TRUE_BOUNDS)
def test_a_bound_that_is_true_gets_no_hint(statement: str, sentence: str) -> None:
    """Lost otherwise: correct statements are marked as wrong with certainty."""
    assert not hints(statement, [sentence])


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Less than 10 % survived.", "12 % survived."),
        ("It lasted more than 50 years.", "It lasted 45 years."),
        ("They took at most 10 mg.", "They took 40 mg."),
    ],
)
def test_a_bound_that_is_false_gets_a_hint(statement: str, sentence: str) -> None:
    """Lost otherwise: the warning that a statement contradicts its source."""
    assert [hint.kind for hint in hints(statement, [sentence])] == ["number"]


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
        ("It differed (p < 0.05).", "It differed (p = 0.03)."),
        ("It was kept at 310.15 K.", "It was kept at 37 °C."),
        ("It was 12 K warmer.", "It was 12 °C warmer."),
        ("The film is 0.2 micrometres thick.", "The film is 200 nm thick."),
        ("It was 45%.", "The fraction was 0.45."),
        ("The doses were 5 mg and 20 mg.", "The doses were 5, 10 and 20 mg."),
        ("Two thirds answered.", "About 2/3 answered."),
        ("About 50% answered.", "Of all, 48.7% answered."),
        ("The dose was 3.5 mg.", "La dosis fue de 3,5 mg."),
        ("It was twice as large.", "It was 2-fold larger."),
        ("The first dose cured them.", "The fifth dose cured them."),  # it counts what the statement says
        ("The black hole has 10^6 solar masses.", "Its mass is $10^6\\,M_{\\odot}$."),
    ],
)
def test_numbers_written_otherwise_are_no_hint(statement: str, sentence: str) -> None:
    """A user would be shown a struck-out statement because a model writes numbers as people do."""
    assert hints(statement, [sentence]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence", "kind", "found"),
    [
        ("The level was 45 %.", "The level was 54 %.", "number", "45 %"),
        ("The level was 1.23.", "The level was 1.2.", "number", "1.23"),
        ("There were four groups.", "There were three groups.", "number", "four"),
        ("It was 10^5 cells.", "It was 10^6 cells.", "number", "10^5"),
        ("The dose was 5 mg.", "The dose was 5 g.", "unit", "5 mg"),
        ("The dose was 520 mg.", "The dose was 0.5 g.", "number", "520 mg"),
        ("It differed (p < 0.05).", "It did not differ (p = 0.2).", "number", "0.05"),
        ("It took 12 days.", "It took 12 weeks.", "unit", "12 days"),
        ("The dose was 5 μg.", "The dose was 5 μM.", "unit", "5 μg"),
        ("It fell to 12 mg/L.", "It fell to 12 mg/dL.", "unit", "12 mg/L"),
        ("The third dose cured them.", "The fifth dose cured them.", "number", "third"),
        ("Without p53 all of 7 mice died.", "Without p53 all of 9 mice died.", "number", "7"),
    ],
)
def test_other_numbers_and_units_are_hints(statement: str, sentence: str, kind: str, found: str) -> None:
    """A user would believe a number that no paper gives."""
    (hint,) = hints(statement, [sentence])
    assert (hint.kind, hint.found) == (kind, found)
    assert found in hint.why and hint.why.endswith(".")


@pytest.mark.parametrize(
    ("statement", "sentence", "around"),
    [
        ("The level was 45 %.", "The level was 54 %.", ""),
        ("The dose was 5 mg.", "The dose was 5 g.", ""),
        ("It took 12 days.", "It took 12 weeks.", "They were 30 days old."),
        ("The gas of NGC 1277 cools.", "The gas of NGC1275 cools.", ""),
        ("We saw that p63 is lost.", "We saw that p53 is lost.", ""),
        ("It is in GSE123456.", "It is in GSE654321.", "The data are public."),
        ("They call it “a sea of slow mice”.", "They call it a sea of fast mice.", ""),
    ],
)
def test_what_stands_nowhere_is_certain(statement: str, sentence: str, around: str) -> None:
    """Without a judge a dose, a gene or a quotation that nobody gives would look like any other statement."""
    assert any(hint.certain for hint in hints(statement, [sentence], [around]))


@pytest.mark.parametrize(
    ("statement", "sentence", "around"),
    [
        ("There were four groups.", "There were three groups.", ""),
        ("The level was 45 %.", "The level was high.", "In all, 45 % had it."),
        ("The other 46 % had none.", "The level was 54 %.", ""),
        ("Both took 30 min.", "They took 10 min and 20 min.", ""),
        ("It took four months.", "It took 120 days.", ""),
        ("They came 60 to 120 minutes later.", "They came one to two hours later.", ""),
        ("The dose was 5 mg.", "The dose was 5 (mg).", ""),
        ("The level of IL-8 rose.", "The level of interleukin rose.", ""),
        ("Carbon-14 rose.", "The 14C level rose.", ""),
        ("The gas in Perseus cools.", "The gas in Virgo cools.", ""),
        ("COVID-19 spread.", "SARS-CoV-2 infections spread.", ""),
        ("They call it a “calm sea”.", "They call it quiet.", ""),
        ("In NIH 3T3 cells miR-142-5P rose.", "In these cells it rose.", ""),
        ("A year later it fell.", "It rose in 2020 and fell in 2021.", ""),
    ],
)
def test_what_may_be_right_is_never_certain(statement: str, sentence: str, around: str) -> None:
    """A true statement would be struck out: reckoned, rounded, in other words, or from the text around."""
    assert not any(hint.certain for hint in hints(statement, [sentence], [around]))


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("Neither of the drugs helped.", "The drugs did not help."),
        ("They are proofs of concept rather than exact reproductions.", "They are not exact, but prove the concept."),
        ("It spreads without anybody proving it.", "It spreads; nobody has proved it."),
        ("Mice had lower scores than rats.", "Rats had higher scores than mice."),
        ("Coffee was associated with cancer.", "Coffee was not associated with cancer."),
    ],
)
def test_words_are_left_to_a_judge(statement: str, sentence: str) -> None:
    """Rules about denials and directions struck out one true statement in ten, and found few of the false ones."""
    assert hints(statement, [sentence]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence", "around"),
    [
        ("IL6 and α-synuclein rose.", "IL-6 and alpha-synuclein rose.", ""),
        ("The MRI of T cells was bright.", "Magnetic resonance imaging of T-cells was bright.", ""),
        ("The ACC was bright.", "This region was bright.", "the anterior cingulate cortex (ACC)"),
        ("In NGC 1275 gas cools.", "Gas cools in NGC1275.", ""),
        ("TiO₂ is active.", "TiO2 is active.", ""),
        ("CD34+ cells of Müller grew.", "CD34-positive cells of Muller grew.", ""),
        ("The effect of Metformin is small.", "Its effect is small.", "We gave metformin."),
        ("MRIs were made. Then it grew.", "An MRI was made. It grew.", ""),
    ],
)
def test_names_written_otherwise_are_no_hint(statement: str, sentence: str, around: str) -> None:
    """A judge would be asked about a name that stands there in another form."""
    assert hints(statement, [sentence], [around]) == ()


@pytest.mark.parametrize(
    ("statement", "sentence", "found"),
    [
        ("We saw that p63 is lost.", "We saw that p53 is lost.", "p63"),
        ("Wir sahen, dass p63 fehlt.", "We saw that p53 is lost.", "p63"),
        ("The level of IL-8 rose.", "The level of IL-6 rose.", "IL-8"),
        ("The receptor is CXCR4.", "The receptor is CCR5.", "CXCR4"),
    ],
)
def test_other_names_are_hints(statement: str, sentence: str, found: str) -> None:
    """A judge would have to notice by itself that a statement is about another gene than the paper."""
    assert [(item.kind, item.found) for item in hints(statement, [sentence])] == [("name", found)]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The gas in Perseus cools.", "The gas in Virgo cools."),
        ("Der Nutzen der Behandlung übertrifft bei Kindern das Risiko.", "In children, benefits outweigh harms."),
        ("COVID-19 spread.", "SARS-CoV-2 infections spread."),
        ("CO2 doubled.", "Carbon dioxide doubled in the GISS-E2 model."),
        ("IL-2 and C-14 were measured.", "Interleukin 2 and 14C were measured, but not IL-7."),
    ],
)
def test_names_in_other_words_are_left_to_a_judge(statement: str, sentence: str) -> None:
    """Every noun of an answer in German would be reported as not named in the cited sentences."""
    assert hints(statement, [sentence]) == ()


def _read_rows(name: str) -> list[dict[str, str]]:
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


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
    assert hint.found == "15 %" and not hint.certain


def test_other_languages_are_compared_by_numbers_and_names() -> None:
    """The numbers of an answer in Spanish would not be looked at."""
    sentence = "Metformin did not reduce mortality in 1,234 patients at 45 mg."
    assert hints("La metformina no redujo la mortalidad en 1.234 pacientes con 45 mg.", [sentence]) == ()
    (hint,) = hints("La metformina no redujo la mortalidad en 1.234 pacientes con 54 mg.", [sentence])
    assert hint.found == "54 mg" and hint.certain


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
    assert all(item.why and item.found in statement for item in found)


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
    assert not steep(lambda length: hints(repeated(piece, length), [METFORMIN + " It grew."], [METFORMIN]), 10_000)


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
