"""Values of a model, held against the sentences it quotes."""

import pytest

from conspectus.review.table.cell_values import check_value
from conspectus.review.table.columns import parse_column


@pytest.mark.parametrize(
    ("column", "value", "unit", "quote", "shown"),
    [
        ("temperature", "25", "°C", "Heated at 25 °C for 2 h.", "25 °C"),
        ("temperature", "298.15", "K", "Heated at 25 °C for 2 h.", "25 °C"),
        ("temperature (K)", "25", "", "Heated at 25 °C for 2 h.", "25 °C"),
        ("dose", "1000", "mg", "A dose of 1 g was given.", "1 g"),
        ("dose", "10-20", "mg", "Doses of 10–20 mg were given.", "10–20 mg"),
        ("age", "12.3 ± 2.1", "years", "Their age was 12.3 ± 2.1 years.", "12.3 ± 2.1 years"),
        ("band gap", "1.63", "eV", "A gap of 1.63(3) eV.", "1.63 eV"),
        ("mass (number)", "70", "kg", "A mass of more than 70 kg.", "> 70 kg"),
        ("sample size", "24", "", "Twenty-four mice ran.", "24"),
        ("sample size", "1,234", "", "Of 1234 people.", "1234"),
        ("hardness (number)", "3", "foo", "It was 3 foo hard.", "3 foo"),
        ("material", "silica gel", "", "We used Silica-gel here.", "silica gel"),
        ("material", "silica and gold", "", "Silica lies on gold.", "silica and gold"),
        ("design (trial|cohort)", "Trial", "", "In this trial, all slept.", "trial"),
    ],
)
def test_what_the_sentences_have_is_confirmed(column: str, value: str, unit: str, quote: str, shown: str) -> None:
    """Right cells would be doubted; and a cell shows the number as the paper has it."""
    checked = check_value(parse_column(column), value, unit, ["Nothing here.", quote])
    assert (f"{checked.value} {checked.unit}".strip(), checked.status) == (shown, "confirmed")


@pytest.mark.parametrize(
    ("column", "value", "unit", "quote"),
    [
        ("temperature", "26", "°C", "Heated at 25 °C for 2 h."),
        ("temperature", "25", "K", "Heated at 25 °C for 2 h."),
        ("temperature", "2", "", "Heated at 25 °C for 2 h."),
        ("temperature", "-25", "°C", "Heated at 25 °C for 2 h."),
        ("temperature", "2.5", "°C", "Heated at 25 °C for 2 h."),
        ("dose", "10", "g", "A dose of 10 mg/kg was given."),
        ("dose", "10", "mg/kg/day", "A dose of 10 mg/kg was given."),
        ("dose", "10", "mg", "A dose of 10 mg/kg was given."),
        ("dose", "10-25", "mg", "Doses of 10–20 mg were given."),
        ("dose", "none", "", "Doses of 10–20 mg were given."),
        ("hardness (number)", "3", "foo", "It was 3 bar hard."),
        ("hardness (number)", "3", "foo", "It was 13 foo hard."),
        ("sample size", "30", "", "40 patients aged 30 years."),
        ("sample size", "4", "", "40 patients aged 30 years."),
        ("sample size", "53", "", "p53 was found."),
        ("material", "5 mg", "", "We took 0.5 mg of it."),
        ("material", "gold", "", "Goldfish swam."),
        ("material", "silica and lead", "", "Silica lies on gold."),
        ("design (trial|cohort)", "survey", "", "In this survey, all slept."),
    ],
)
def test_what_they_do_not_have_is_never_confirmed(column: str, value: str, unit: str, quote: str) -> None:
    """A wrong number or unit would look as fine as a right one."""
    assert check_value(parse_column(column), value, unit, [quote]).status == "unconfirmed"


@pytest.mark.parametrize(
    ("column", "value", "quote"),
    [
        ("blinded (yes/no)", "yes", "The trial was double-blind."),
        ("design (trial|cohort)", "trial", "Patients were randomised."),
        ("design (trial|cohort)", "trial", "It is no cohort but a trial."),
    ],
)
def test_what_is_a_reading_of_the_sentences_is_marked_so(column: str, value: str, quote: str) -> None:
    """A judgement would look like a quotation."""
    assert check_value(parse_column(column), value, "", [quote]).status == "judged"
