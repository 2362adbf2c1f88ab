"""Rows of tables answer questions about their cells, and do not crowd out sentences."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conspectus import Library
from conspectus.answer.table_rows import cell_stretches, row_answers
from conspectus.records import Span
from helpers import HashEmbedder, InlinePool, markdown, open_library, write

TABLE = (
    "Table 1. Parameters of the nerve model.\n\n"
    "| Parameter | Original | Replication | Location |\n"
    "| --- | --- | --- | --- |\n"
    "| pulse width | 3 ms | 5 ms | Figure 1 |\n"
    "| sodium conductance | 5.92 nS | 3.05 mS | Figure 2 |\n"
    "| potassium conductance | not specified | 4.10 mS | Figure 3 |\n"
)
SENTENCE = "The replication was done for the firing rates of all nine neurons of the model."


@pytest.fixture(params=[True, False], ids=["word-vectors", "literal"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    paper = write(
        tmp_path / "nerve.md",
        markdown("Nerves", f"{SENTENCE} We thank our families and the staff of the institute.", TABLE),
    )
    embedder = HashEmbedder(words=request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        with open_library(tmp_path / "lib", embedder=embedder, answer__threshold=0.01) as library:
            library.add([paper])
            yield library


def quoted(library: Library, question: str) -> list[Span]:
    return [span for statement in library.ask(question).statements for c in statement.citations for span in c.spans]


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("How long was the pulse width?", "pulse width"),
        ("Which original sodium conductance was used?", "sodium conductance"),
        ("Where is the potassium conductance shown, at which location?", "potassium conductance"),
    ],
)
def test_the_row_with_the_cells_that_are_asked_for_is_quoted(library: Library, question: str, label: str) -> None:
    """What only a table says could not be asked for, or the rows beside it would be quoted too."""
    rows = [span.cells[0][1] for span in quoted(library, question) if span.cells]
    assert rows == [label]


@pytest.mark.parametrize(
    "question", ["What was the replication?", "Was there a replication?", "Why was a replication done?"]
)
def test_a_column_that_shares_a_word_with_the_question_answers_nothing(library: Library, question: str) -> None:
    """Rows of parameters stood where the sentence should."""
    spans = quoted(library, question)
    assert spans
    assert not [span for span in spans if span.cells]


NEAR, FAR = 0.9, 0.3


@pytest.mark.parametrize(
    ("cells", "whole", "weights", "answers"),
    [
        ([FAR], [NEAR], [1.0], False),  # one word, the name of a column
        ([NEAR], [NEAR], [1.0], True),  # one word, a cell
        ([FAR, FAR, FAR], [NEAR, NEAR, NEAR], [0.4, 0.3, 0.3], True),  # all that is asked for are columns
        ([FAR, FAR, FAR], [NEAR, NEAR, FAR], [0.3, 0.3, 0.4], False),  # another row is named
        ([NEAR, FAR], [NEAR, FAR], [0.55, 0.45], False),  # a cell by chance
        ([NEAR, FAR, FAR], [NEAR, NEAR, FAR], [0.4, 0.3, 0.3], True),  # a cell and a column
        ([NEAR, FAR, FAR], [NEAR, NEAR, FAR], [0.2, 0.2, 0.6], False),  # most of the question is elsewhere
    ],
)
def test_which_rows_answer(cells: list[float], whole: list[float], weights: list[float], *, answers: bool) -> None:
    """Rows of a table would answer whatever shares a word with its head."""
    values = (np.array(row, np.float32) for row in (cells, whole, weights))
    assert row_answers(*values) is answers


def test_cells_are_told_from_names_of_columns() -> None:
    """A name that is said in a cell too would count as the cell."""
    text = "Table 1, row Perth (Location): Frequency = 3.4; Noise = Perth noise"
    row = Span("s1", 0, len(text), text, cells=(("Location", "Perth"), ("Frequency", "3.4"), ("Noise", "Perth noise")))
    assert [text[start:end] for start, end in cell_stretches(row)] == ["Perth", "3.4", "Perth noise"]
