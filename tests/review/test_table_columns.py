"""Columns as users write them, and what they measure."""

import pytest

from conspectus.core.errors import UsageError
from conspectus.records.review import TableColumn
from conspectus.review.table.columns import column_text, parse_column, parse_columns
from conspectus.review.table.measures import measure_of
from conspectus.verify.units import Unit, read_unit


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("material", TableColumn("material")),
        ("sample size", TableColumn("sample size", "count")),
        ("sample size (number)", TableColumn("sample size", "count")),
        ("number of mice", TableColumn("number of mice", "count")),
        ("cells (n)", TableColumn("cells", "count")),
        ("temperature", TableColumn("temperature", "number")),
        ("sintering temperature (K)", TableColumn("sintering temperature", "number", "K")),
        ("main effect (value, unit)", TableColumn("main effect", "number")),
        ("dose (number, mg/kg/day)", TableColumn("dose", "number", "mg/kg/day")),
        ("design (choice: trial|cohort)", TableColumn("design", "choice", "", ("trial", "cohort"))),
        ("design (choice(trial|cohort))", TableColumn("design", "choice", "", ("trial", "cohort"))),
        ("design (trial | cohort | trial)", TableColumn("design", "choice", "", ("trial", "cohort"))),
        ("blinded (yes/no)", TableColumn("blinded", "yes/no")),
        ("was it blinded?", TableColumn("was it blinded?", "yes/no")),
        ("age (text)", TableColumn("age", "text")),
    ],
)
def test_columns_have_the_type_that_is_named_or_guessed(text: str, column: TableColumn) -> None:
    """A number would be compared as words, or words as a number; and a kept table would not be found again."""
    assert parse_column(text) == column
    assert parse_column(column_text(column)) == column


def test_columns_are_apart_by_semicolons_that_are_not_in_a_type() -> None:
    """The issue's own example would make other columns."""
    parsed = parse_columns(
        "material; method; design (choice: a; b|c)\nsample size (number);; main effect (value, unit)"
    )
    assert [column.name for column in parsed] == ["material", "method", "design", "sample size", "main effect"]
    assert parsed[2].choices == ("a; b", "c")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ; ", "no column"),
        ("a; A", "two columns 'a'"),
        ("dose (nonsense)", "the type 'nonsense'"),
        ("dose (number, furlongs)", "the unit 'furlongs'"),
        ("design (choice: one|)", "nothing to choose"),
        (";".join(f"c{n}" for n in range(51)), "50 columns at most, not 51"),
        ("x" * 201, "200 characters"),
    ],
)
def test_columns_that_are_none_are_refused(text: str, message: str) -> None:
    """A misspelled type would become a column of words without a word."""
    with pytest.raises(UsageError, match=message):
        parse_columns(text)


@pytest.mark.parametrize(
    ("column", "fits", "does_not"),
    [
        ("temperature", "K", "g"),
        ("stellar mass", "Msun", "K"),
        ("dose", "mg/kg", "K"),
        ("speed (km/h)", "m/s", "m"),
        ("main effect (number)", "K", None),
    ],
)
def test_a_measure_takes_units_that_fit(column: str, fits: str, does_not: str | None) -> None:
    """Grams would be proposed as a temperature."""
    measure = measure_of(parse_column(column))
    assert measure.takes(unit(fits))
    assert does_not is None or not measure.takes(unit(does_not))


def unit(text: str) -> Unit | None:
    return read_unit(f" {text}", 0)[0]
