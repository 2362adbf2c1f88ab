"""What a judge is shown around a citation: what explains it, each sentence once, and nothing else."""

import pytest

from conspectus.answer.citation_context import find_context, locate_uncited_numbers
from conspectus.answer.statement_checks import Case, show_cases
from conspectus.records import Citation, Paper, Passage, Span, Statement

PAPER = Paper(id="p1", title="Tides of Open Coasts", year=2012)
PROSE = [
    "The tide was measured at two gauges.",
    "It rose by 12 cm in the north.",
    "In the south it fell.",
    "\nThe gauges were built in 1990.",
    "They cost 4,200 euros.",
]
ROWS = [
    "Table 2. Heights in centimetres.",
    "Site: North; Height: 12",
    "Site: South; Height: 9",
    "Site: East; Height: 7",
]


def _passage(texts: list[str], *, is_table: bool = False) -> Passage:
    spans, text = [], ""
    for number, part in enumerate(texts):
        gap = "" if not text else "\n\n" if part.startswith("\n") else " "
        start, words = len(text + gap), part.strip()
        text += gap + words
        cells = (("Site", words),) if is_table and number else ()
        spans.append(Span(f"s{number}", start, start + len(words), words, cells=cells))
    return Passage("pa", "p1", "table" if is_table else "body", "Results", text, tuple(spans))


def _case(passage: Passage, text: str, *places: int) -> Case:
    spans = tuple(passage.spans[place] for place in places)
    return Case(Statement(text, "unchecked", (Citation(PAPER, passage.id, spans, ""),)))


@pytest.mark.parametrize(
    ("cited", "context"), [({"s1"}, ["s0", "s2"]), ({"s2"}, ["s1"]), ({"s3"}, ["s4"]), ({"s0", "s1"}, ["s2"])]
)
def test_context_is_of_the_same_paragraph(cited: set[str], context: list[str]) -> None:
    """A judge could not know what "it" is, or would be shown a sentence about something else."""
    assert [span.id for span in find_context(_passage(PROSE), cited)] == context


def test_a_row_is_shown_with_its_caption_alone() -> None:
    """A judge would not know the unit of a cell, or would read the whole table at each statement."""
    table = _passage(ROWS, is_table=True)
    assert [span.id for span in find_context(table, {"s2"})] == ["s0"]
    text = show_cases([_case(table, "In the south it is 9 cm high.", 2)], {"pa": table})
    assert "(1.1) Table 2. Heights in centimetres.\n[1.2] Site: South" in text and "East" not in text


def test_each_sentence_is_shown_once_and_numbers_are_located() -> None:
    """Tokens would be paid for twice, and a judge would call a number invented that stands two sentences on."""
    passage = _passage(PROSE)
    first = _case(passage, "The northern tide rose by 12 cm.", 1)
    second = _case(passage, "The gauges, at 4200 euros each, saw the southern tide fall.", 2)
    text = show_cases([first, second], {"pa": passage})
    assert (
        all(text.count(sentence.strip()) == 1 for sentence in (*PROSE[:3], PROSE[4])) and PROSE[3].strip() not in text
    )
    assert "cites: [1.2]" in text and "cites: [1.3]" in text
    assert "'4200' stands in (1.4), not cited" in text
    (number,) = locate_uncited_numbers(second.statement, {"pa": passage})
    assert number.span.id == "s4" and number.words == "4200"


def test_a_statement_is_shown_where_its_passage_is_gone() -> None:
    """A paper removed while its answer is written would crash the check."""
    assert "[1.1] In the south it fell." in show_cases([_case(_passage(PROSE), "It fell.", 2)], {})
