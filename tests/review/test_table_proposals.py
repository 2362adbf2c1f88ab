"""Numbers that are proposed for columns without a model."""

import pytest

from conspectus.records import Passage, PassageKind, Span
from conspectus.review.table.columns import parse_column
from conspectus.review.table.proposals import propose


def best(column: str, *sentences: str, kind: PassageKind = "abstract") -> str:
    """The number with its unit that is proposed of a paper with these sentences; "" if none is."""
    text, spans, start = " ".join(sentences), [], 0
    for number, sentence in enumerate(sentences):
        spans.append(Span(f"s{number}", start, start + len(sentence), sentence))
        start += len(sentence) + 1
    found = propose(parse_column(column), [Passage("p", "paper", kind, "", text, tuple(spans))])
    return f"{found.match.value} {found.match.unit}".strip() if found else ""


@pytest.mark.parametrize(
    ("column", "sentence", "number"),
    [
        ("temperature", "The samples were kept at a temperature of about 300 K for 2 h.", "300 K"),
        ("temperature", "They were annealed at 450 °C.", "450 °C"),
        ("thickness", "A 200-nm-thick layer was grown.", "200 nm"),
        ("slice thickness", "We took 30 slices of 6 mm slice thickness, 1 mm gap.", "6 mm"),
        ("slice thickness", "Slice thickness, 3.5 mm, gap 1 mm.", "3.5 mm"),
        ("echo time", "Repetition time = 3000 ms; echo time = 30 ms.", "30 ms"),
        ("band gap", "It has a band gap of 1.63(3) eV.", "1.63 eV"),
        ("dose", "Rats received doses of 5, 10 and 20 mg/kg.", "5, 10 and 20 mg/kg"),
        ("dose", "The dose of gabapentin was 1,800 mg per os.", "1,800 mg"),
        ("age", "Young adults (aged 18–30, 68% male) took part.", "18–30"),
        ("age", "A 35-year-old woman came.", "35 year"),
        ("age", "The mean age was 8.67.", "8.67"),
        ("redshift", r"We study galaxies at $1.4 < z < 9$ with JWST.", "1.4 < z < 9"),
        ("redshift", "Cluster galaxies at z~1.6 are gas-rich.", "1.6"),
        ("sample size", "A total of 378 college students, all right-handed, participated.", "378"),
        ("sample size", "We scanned 24 healthy right-handed volunteers.", "24"),
        ("sample size", "Adults (N = 5286) were recruited.", "5286"),
        ("sample size", "We scanned 24 (12 female) healthy volunteers.", "24"),
        ("number of studies", "We included 31 studies with 766 patients.", "31"),
        ("sample size", "A total of 1933 patients were assigned to amisulpride (n = 1247) or placebo.", "1933"),
        ("sample size", "Ten pediatric patients were studied (n = 5 each).", "Ten"),
        ("sample size", "We studied 31 patients: 20 adults and 11 children.", "31"),
        ("sample size", "Children with asthma (n = 30) were enrolled.", "30"),
    ],
)
def test_numbers_that_are_bound_to_words_of_the_column_are_found(column: str, sentence: str, number: str) -> None:
    """Without a model a table of numbers would be empty."""
    assert best(column, sentence) == number


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("sample size", "Forty-seven young and 33 older (age 65–75) participants performed a task."),
        ("temperature", "The temperature difference was 5 K."),
        ("temperature", "A 10 K temperature rise was seen."),
        ("temperature", "Its Seebeck coefficient is 24 μV/K at room temperature."),
        ("temperature", "Particles of the decay of 12C were seen."),
        ("temperature", "The sample had 30 g."),
        ("age", "The error of the predicted age was 3.07 years."),
        ("age", "The correlation with chronological age was 0.98."),
        ("age", "We compared 60 patients and 60 age-matched controls."),
        ("stellar mass", "The halo mass is 3 Msun."),
        ("mass", r"Its mass, $7.24^{+0.52}_{-0.64} \times 10^7 M_\odot$, is low."),
        ("thickness", "A wave of 300 nm hit the thick layer."),
        ("redshift", "The field is tied at the surfaces z = 0 and z = L."),
        ("redshift", "The z-score of galaxies was 3."),
        ("sample size", "Papers before April 2020 comparing healthy controls were searched."),
        ("sample size", "Among 40 of the patients, 12 patients developed a fever."),
        ("sample size", "The blocks consisted of 12 trials."),
        ("sample size", "It was a randomized, two-way crossover study of patients."),
        ("sample size", "We recruited 38 patients and 41 controls."),
        ("sample size", "Patients were given olanzapine (n = 70) or placebo (n = 69)."),
        ("sample size", "They were given orally to more than 300 patients in a trial."),
        ("sample size", "Reasons why patients of the trial stopped were drowsiness or sedation (n = 153)."),
        ("sample size", "We compared two groups of 20 patients each."),
        ("sample size", "Cases were matched with 2696 controls in this study."),
        ("sample size", "Women of Group A (n = 14) were included."),
        ("sample size", "We studied 133 patients in the SAM group."),
        ("sample size", "A total of 311 subjects (34.8 percent) were included."),
        ("sample size", "Trials included volunteers (n = 20 to 115)."),
        ("resolution (number)", "We use high-resolution, three-dimensional simulations."),
        ("material", "We used 5 g of silica."),
    ],
)
def test_other_numbers_are_not(column: str, sentence: str) -> None:
    """A wrong number with a quote is worse than none."""
    assert best(column, sentence) == ""


@pytest.mark.parametrize(
    ("column", "cells", "number"),
    [
        ("age", [("", "Age (years)"), ("Patients", "34.2 ± 5.1"), ("Controls", "33")], "34.2 ± 5.1 years"),
        ("age", [("", "Signa"), ("Subjects", "12"), ("Mean age (year)*", "55.5 (42–75)")], "55.5 year"),
        ("sintering temperature", [("Sample", "A"), ("Sintering temperature, °C", "850")], "850 °C"),
        ("temperature", [("Sample", "A"), ("Sintering temperature, °C", "850")], ""),
        ("age", [("", "Age at onset (years)"), ("Patients", "34.2")], ""),
        ("age", [("", "Age (years)"), ("p", "n.s.")], ""),
        ("temperature", [("", "Temperature (K)"), ("A", "12 g")], ""),
    ],
)
def test_cells_of_tables_are_found_by_their_headings(column: str, cells: list[tuple[str, str]], number: str) -> None:
    """The numbers of a paper's tables would be lost, or taken for those of another column."""
    text = "; ".join(" = ".join(cell) for cell in cells)
    row = Passage("p", "paper", "table", "", text, (Span("s", 0, len(text), text, cells=tuple(cells)),))
    found = propose(parse_column(column), [row])
    assert (f"{found.match.value} {found.match.unit}".strip() if found else "") == number


def test_the_sentence_that_binds_closest_is_taken_and_the_abstract_first() -> None:
    """A number of the introduction would hide the paper's own."""
    assert best("age", "They were 20–30 years old.", "The mean age was 24.5 years.") == "24.5 years"
    assert best("temperature", "It was heated at 300 K.", kind="body") == ""
    assert best("temperature", "The temperature was 300 K.", kind="body") == "300 K"
    assert best("temperature", "Kojima et al. (2009) used a temperature of 300 K.", kind="body") == ""
