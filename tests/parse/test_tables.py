"""Tables are where papers put their numbers: each row must be found, read alone and shown where it stands."""

from __future__ import annotations

from pathlib import Path

import figure_samples
import pytest
import render_html
from articles import SAMPLE
from render_docx import docx
from render_tex import document

from conspectus.parse.references.completion import complete
from conspectus.parse.registry import reader_for
from conspectus.parse.text.blocks import text_block
from conspectus.parse.text.passages import passages, table_rows
from conspectus.records import Block, Figure, Metadata, ParsedPaper, Place

CELLS = (("Cell type", "Rate (Hz)", "n"), ("Purkinje", "41.2", "12"), ("Golgi", "8.3", "7"))


def said(*cells: tuple[str, ...], label: str = "Table 2") -> list[str]:
    return [row.text for row in table_rows(Figure("t1", "table", label, cells=cells))]


def captioned(cells: tuple[tuple[str, ...], ...], caption: str = "Table 2. Firing rates at rest.") -> ParsedPaper:
    return ParsedPaper(
        Metadata(title="Cerebellum"),
        (text_block("heading", "Results", 1), text_block("caption", caption), text_block("paragraph", "Cells fire.")),
        figures=(Figure("t1", "table", "Table 2", 1, cells=cells),),
    )


def test_a_row_says_its_table_its_label_and_its_columns() -> None:
    """Lost otherwise: what a number in a table is of."""
    assert said(*CELLS) == [
        "Table 2, row Purkinje (Cell type): Rate (Hz) = 41.2; n = 12",
        "Table 2, row Golgi (Cell type): Rate (Hz) = 8.3; n = 7",
    ]


def test_heads_of_several_rows_and_headings_within() -> None:
    """Lost otherwise: whether a value is of men or women, treated or not."""
    rows = said(
        ("Age", "Men", "Men", "Women", "Women"),
        ("", "n", "mean", "n", "mean"),
        ("Treated", "", "", "", ""),
        ("20", "3", "1.5", "4", "1.7"),
        ("", "5", "", "6", ""),
        ("Control", "Control", "Control", "Control", "Control"),
        ("20", "7", "2.5", "8", "2.7"),
    )
    assert rows == [
        "Table 2, Treated, row 20 (Age): Men – n = 3; mean = 1.5; Women – n = 4; mean = 1.7",
        "Table 2, Treated, row 20 (Age): Men – n = 5; Women – n = 6",
        "Table 2, Control, row 20 (Age): Men – n = 7; mean = 2.5; Women – n = 8; mean = 2.7",
    ]


def test_heads_that_span_columns_as_pages_show_them() -> None:
    """Lost otherwise: that a probability is not an estimate, where one head stands over two columns."""
    rows = said(
        ("", "", "Estimate (%)", "", "Interval"),
        ("Rule", "original", "reproduced", "original", "reproduced"),
        ("90%", "36", "37", "29–42", "29–43"),
    )
    assert rows == [
        "Table 2, row 90% (Rule): Estimate (%) – original = 36; reproduced = 37; "
        "Interval – original = 29–42; reproduced = 29–43"
    ]


def test_a_table_without_a_head_or_with_two() -> None:
    """Lost otherwise: the first row of data, taken for names of columns; or the second head, taken for data."""
    assert said(("1", "apples"), ("2", "pears"), label="") == ["Table, row 1: apples", "Table, row 2: pears"]
    assert said(("Method", "a"), ("R", "1"), ("Method", "b"), ("R", "2"))[1] == "Table 2, row R (Method): b = 2"
    assert said(("", "a"), ("b", "c")) == ["Table 2, row b: a = c"]
    assert said(("only", "one row")) == said(("one",), ("column",)) == []


def test_rows_become_passages_with_their_caption() -> None:
    """Lost otherwise: every number that stands in a table and not in the text."""
    table, body = passages("p", captioned(CELLS))
    assert (table.kind, table.section, body.kind) == ("table", "Results", "body")
    assert [span.text for span in table.spans] == ["Table 2. Firing rates at rest.", *said(*CELLS)]
    assert all(span.text == table.text[span.start : span.end] for span in table.spans)
    assert table.spans[-1].cells == (("Cell type", "Golgi"), ("Rate (Hz)", "8.3"), ("n", "7"))


def test_a_long_table_has_several_passages_that_each_say_what_it_is() -> None:
    """Lost otherwise: what the rows of a long table are of, from the second passage on."""
    cells = (CELLS[0], *((f"cell {n}", f"{n}.5", str(n)) for n in range(200)))
    found = [one for one in passages("p", captioned(cells), chars=700, overlap=100) if one.kind == "table"]
    assert len(found) > 10
    assert all(len(one.text) <= 700 and "Firing rates at rest." in one.text for one in found)
    rows = [span.id for one in found for span in one.spans if span.cells]
    assert len(rows) == len(set(rows)) == 200


def test_ids_of_rows_come_from_their_words() -> None:
    """Lost otherwise: the citation of a row, when another row is mended."""
    before, after = captioned(CELLS), captioned((*CELLS, ("Basket", "9.9", "3")))
    ids = {span.text: span.id for one in passages("p", before) for span in one.spans}
    again = {span.text: span.id for one in passages("p", after) for span in one.spans}
    assert ids.items() <= again.items()


def test_a_table_in_the_text_is_not_there_twice() -> None:
    """Lost otherwise: room among what is found, to the same rows told in two ways."""
    text = "\n".join(" | ".join(row) for row in CELLS)
    block = Block("paragraph", text, text_block("paragraph", text).sentences)
    paper = ParsedPaper(Metadata(), (block,), figures=(Figure("t1", "table", cells=CELLS, block=0),))
    assert [one.kind for one in passages("p", paper)] == ["table"]


def test_rows_stand_where_they_stand_on_the_page(tmp_path: Path) -> None:
    """Lost otherwise: the row that an answer cites, lit on its page."""
    from conspectus.parse.pdf.reader import read_pdf

    shown = 0
    for make in figure_samples.SAMPLES.values():
        for figure in read_pdf(make(tmp_path / "paper.pdf").path).figures:
            if not figure.cells or figure.place is None:
                continue
            x0, y0, x1, y1 = figure.place.rect
            assert len(figure.rows) == len(figure.cells)
            tops = [rect[1] for rect in figure.rows]
            assert tops == sorted(tops)
            for rect in figure.rows:
                assert x0 - 2 <= rect[0] < rect[2] <= x1 + 2
                assert y0 - 4 <= rect[1] < rect[3] <= y1 + 4
            rows = table_rows(figure)
            assert all(row.places and row.places[0].page == figure.place.page for row in rows)
            shown += len(rows)
    assert shown > 5


def test_without_places_of_rows_the_table_is_shown() -> None:
    """Lost otherwise: any place of a row, where a reader knows only that of the table."""
    table = Figure("t1", "table", "Table 1", place=Place(3, (1.0, 2.0, 3.0, 4.0)), cells=CELLS)
    assert table_rows(table)[0].places == (Place(3, (1.0, 2.0, 3.0, 4.0)),)


MARKDOWN = """# On cells

Cells fire.

Table 2: Firing rates at rest.

| Cell type | Rate (Hz) | n |
| --- | --- | --- |
| Purkinje | 41.2 | 12 |
| Golgi | 8.3 | 7 |

They rest.

| Drug | Dose |
| --- | --- |
| Zinc | 5 mg |
"""


def test_tables_of_markdown(tmp_path: Path) -> None:
    """Lost otherwise: tables of notes and preprints in Markdown, as anything but rows with bars."""
    path = tmp_path / "a.md"
    path.write_text(MARKDOWN)
    reader = reader_for(path)
    assert reader is not None
    (paper,) = reader.read(path)
    assert isinstance(paper, ParsedPaper)
    found = [(one.kind, [span.text for span in one.spans][-1]) for one in passages("p", complete(paper))]
    assert found == [
        ("body", "They rest."),
        ("table", "Table 2, row Golgi (Cell type): Rate (Hz) = 8.3; n = 7"),
        ("table", "Table, row Zinc (Drug): Dose = 5 mg"),
    ]


def _written(kind: str, folder: Path) -> Path:
    text = {
        "html": lambda: render_html.plos(SAMPLE).encode(),
        "docx": lambda: docx(SAMPLE),
        "tex": lambda: document(SAMPLE).encode(),
    }
    path = folder / f"paper.{kind}"
    path.write_bytes(text[kind]())
    return path


@pytest.mark.parametrize("kind", ["html", "docx", "tex"])
def test_tables_of_other_kinds_of_files(kind: str, tmp_path: Path) -> None:
    """Lost otherwise: the rows of tables in web pages, Word files and LaTeX."""
    path = _written(kind, tmp_path)
    reader = reader_for(path)
    assert reader is not None
    (paper,) = reader.read(path)
    assert isinstance(paper, ParsedPaper)
    (table,) = (one for one in passages("p", paper) if one.kind == "table")
    assert table.spans[0].text.startswith("Table 1")
    rows = [span.text for span in table.spans if span.cells]
    assert rows[1] == "Table 1, row thin moss (Surface): k = 0.9; tau = 4.8"
    assert len(rows) == 3


def test_an_empty_last_cell_costs_no_table(tmp_path: Path) -> None:
    """Lost otherwise: a Markdown table with a column of notes, read as one sentence."""
    file = tmp_path / "mass.md"
    rows = "| Name | Mass (kg) | Note |\n|---|---|---|\n| Alpha | 1.2 | |\n| Beta | 3.4 | heavy |\n"
    file.write_text(f"# On mass\n\n## Results\n\n{rows}\nBoth are light.\n", "utf-8")
    (paper,) = reader_for(file).read(file)
    (figure,) = paper.figures
    assert figure.cells[1:] == (("Alpha", "1.2", ""), ("Beta", "3.4", "heavy"))
