"""Numbers and units as journals print them, against a statement as a model writes it."""

from __future__ import annotations

import pytest

from conspectus.verify.mechanical import hints

DOTS = ["\u00b7", "\u2219", "\u22c5"]
"""Middle dot, bullet operator, dot operator: all three are in PDFs of journals with this house style."""


def doubts(statement: str, *sentences: str) -> list[str]:
    """What of the statement's numbers and units does not agree with the sentences."""
    return [hint.found for hint in hints(statement, sentences) if hint.kind in ("number", "unit")]


RIGHT = {
    "middle dot, dose": ("The median dose was 4.5 mg.", "Patients took a median of 4·5 mg (IQR 2·1–7·8) at night."),
    "middle dot, percentage": ("Of the patients, 26.6% relapsed.", "Relapse was seen in 112 (26·6%) of 421 patients."),
    "middle dot, ratio": (
        "The hazard ratio was 0.74 (95% CI 0.61 to 0.89).",
        "Death was rarer with the drug (HR 0·74, 95% CI 0·61–0·89; p=0·0021).",
    ),
    "middle dot, p": ("The difference was significant (p = 0.0021).", "HR 0·74, 95% CI 0·61–0·89; p=0·0021."),
    "middle dot, brackets": ("The mean height was 12.3 cm.", "Height was mean 12·3 (SD 2·1) cm in the north."),
    "middle dot, negative": ("The change was -3.2 mm.", "The mean change was −3·2 mm (SE 0·4)."),
    "dot is a product": ("There were 300,000 cells.", "Each well held 3·10⁵ cells."),
    "dot is a product, decimals": ("It was 0.0025 mol/L.", "The concentration was 2.5·10⁻³ mol/L."),
    "thin space": ("In all, 12,345 patients took part.", "We followed 12\u2009345 patients for a year."),
    "narrow no-break space": ("In all, 1,204,500 births were counted.", "The register has 1\u202f204\u202f500 births."),
    "no-break space": ("About 12 345 birds were seen.", "We counted 12\u00a0345 birds on the coast."),
    "thin space before a unit": ("The depth was 1200 m.", "The trench is 1\u2009200\u2009m deep."),
    "plus-minus": ("The mean weight was 12.3 mg.", "The larvae weighed 12.3±2.1 mg on day five."),
    "plus-minus, its error": ("The standard deviation was 2.1 mg.", "The larvae weighed 12.3 ± 2.1 mg on day five."),
    "plus-minus, percent": ("Cover was 45%.", "Cover of the plots was 45 ± 6%."),
    "range, to": ("They were given 5 to 10 mg.", "The animals were given 5–10 mg each morning."),
    "range, between and": ("It lies between 20% and 30%.", "The share was 20−30% in all years."),
    "range, first end": ("The least dose was 5 mg.", "Doses ranged from 5 mg to 10 mg."),
    "range, one end": ("The smallest depth was 20 m.", "We sampled at depths of 20-150 m."),
    "power, raised": ("The rate was 0.001 per second.", "We found a rate constant of 10⁻³ s⁻¹."),
    "power, times": ("The rate was 0.002 per day.", "Growth was 2 × 10⁻³ day⁻¹ in the cold."),
    "power, caret": ("There were 4500 cells per microlitre.", "The count was 4.5 × 10^3 cells/µL."),
    "power, letter x": ("There were 4500 grains.", "The sample held 4.5x10^3 grains."),
    "power, computer": ("The step was 0.00001.", "We used a step of 1e-5."),
    "per second": ("It fired 12 times per second.", "The firing rate was 12 s⁻¹."),
    "per second, flat": ("The rate was 12 per second.", "The rate was 12 s-1."),
    "per kilogram per day": ("They took 30 mL per kg per day.", "Intake was 30 mL kg⁻¹ day⁻¹."),
    "metres per second": ("The wind blew at 5 metres per second.", "Wind speed was 5 m s−1."),
    "kilometres per hour": ("The wind blew at 36 km/h.", "Wind speed was 10 m/s."),
    "gram/liter": ("The salt content was 12 g/L.", "The water holds 12 gram/liter of salt."),
    "grams per litre": ("The salt content was 12 grams per litre.", "The water holds 12 g L⁻¹ of salt."),
    "micrograms per cubic metre": ("It was 80 micrograms per cubic metre.", "Dust reached 80 µg/m³."),
    "millimoles per litre": ("Glucose was 7 millimoles per litre.", "Fasting glucose was 7 mmol/L."),
    "milligrams per deciliter": ("It was 50 mg/dL.", "Serum levels were 50 milligrams per deciliter."),
    "a third, percent": ("A third of the ports were closed.", "Of all ports, 33% were closed."),
    "percent, a third": ("About 33% of the ports were closed.", "A third of the ports were closed."),
    "two thirds": ("Two thirds of the ports grew.", "Growth was seen in 66.7% of the ports."),
    "a quarter": ("A quarter of the nests failed.", "Of the nests, 25% failed."),
    "three quarters": ("About 75% of the nests failed.", "Three quarters of the nests failed."),
    "one in five": ("One in five nests failed.", "Of the nests, 20% failed."),
    "half": ("Half of the nests failed.", "Of the nests, 50% failed."),
    "name with a version": ("With GSL-1.10 the fit is faster.", "The fit is faster with the newer library."),
    "name of a protein": ("The protein L12 binds the factor.", "The ribosomal protein binds the factor."),
    "the two": ("The difference between the two is small.", "Both methods differ little."),
    "on the one hand": ("On the one hand it is fast; on the other it is coarse.", "It is fast and coarse."),
    "name of a disease": ("Patients with type 2 diabetes gained weight.", "T2D patients gained weight."),
    "name of a particle size": ("PM2.5 rose in winter.", "Fine particulate matter rose in winter."),
    "name of a vitamin": ("Vitamin B12 was low in vegans.", "Cobalamin was low in vegans."),
}
WRONG = {
    "middle dot, tail": ("The median dose was 5 mg.", "Patients took a median of 4·5 mg at night."),
    "middle dot, tail of a percentage": ("Of the patients, 6% relapsed.", "Relapse was seen in 26·6% of patients."),
    "middle dot, head": ("Of the patients, 26% relapsed.", "Relapse was seen in 26·6% of patients."),
    "middle dot, left out": ("The median dose was 45 mg.", "Patients took a median of 4·5 mg at night."),
    "middle dot, other": ("The hazard ratio was 0.61.", "The hazard ratio was 0·74 in the trial."),
    "thin space, tail": ("In all, 345 patients took part.", "We followed 12\u2009345 patients for a year."),
    "thin space, head": ("The depth was 1 m.", "The trench is 1\u2009200\u2009m deep."),
    "plus-minus, unit": ("The mean weight was 12.3 g.", "The larvae weighed 12.3±2.1 mg on day five."),
    "plus-minus, other": ("The mean weight was 14.4 mg.", "The larvae weighed 12.3±2.1 mg on day five."),
    "range, between": ("They were given 7 mg.", "The animals were given 5–10 mg each morning."),
    "range, unit": ("They were given 5 to 10 g.", "The animals were given 5–10 mg each morning."),
    "power, other": ("The rate was 0.01 per second.", "We found a rate constant of 10⁻³ s⁻¹."),
    "per minute": ("The rate was 12 per minute.", "The firing rate was 12 s⁻¹."),
    "gram/deciliter": ("The salt content was 12 g/L.", "The water holds 12 gram/deciliter of salt."),
    "milligrams per cubic metre": ("It was 80 mg/m³.", "Dust reached 80 micrograms per cubic metre."),
    "a third": ("A third of the nests failed.", "Of the nests, 25% failed."),
    "a quarter": ("A quarter of the nests failed.", "Of the nests, 33% failed."),
    "one in five": ("One in five nests failed.", "Of the nests, 50% failed."),
    "name is no volume": ("The yield was 12 L.", "The protein L12 was lost."),
    "name is no time": ("It took 1.10 s.", "It was built with GSL-1.10."),
}


@pytest.mark.parametrize(("statement", "sentence"), RIGHT.values(), ids=RIGHT)
def test_a_right_number_is_not_doubted(statement: str, sentence: str) -> None:
    """A true statement would be struck out because a journal prints its numbers in another way."""
    assert doubts(statement, sentence) == []


@pytest.mark.parametrize(("statement", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_number_is_doubted(statement: str, sentence: str) -> None:
    """A reader would believe a number that the paper does not give."""
    assert doubts(statement, sentence)


@pytest.mark.parametrize("dot", DOTS)
def test_every_raised_dot_is_a_decimal_point(dot: str) -> None:
    """Fonts of one journal have three code points for the same dot."""
    assert doubts("The dose was 3.2 kg.", f"The dose was 3{dot}2 kg.") == []
    assert doubts("The dose was 2 kg.", f"The dose was 3{dot}2 kg.")
