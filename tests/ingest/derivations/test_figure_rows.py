"""Figures and tables as rows: what they are, what speaks of them, and what outlives a new record."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.store import figures
from conspectus.store.connection import writing
from conspectus.store.rows import StoredFigure
from helpers import assert_consistent, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

XML = """<article><front><article-meta><title-group><article-title>Leaves in section</article-title></title-group>
  </article-meta></front><body><sec><title>Results</title>
  <p>The leaf is thin (<xref ref-type="fig" rid="f1">Fig. 1</xref>). It is green. %s</p>
  <p>Numbers are in <xref ref-type="table" rid="t1">Table 1</xref> and <xref ref-type="fig" rid="f1">Fig. 1</xref>.</p>
  <fig id="f1"><label>Figure 1</label><caption><p>A leaf.</p></caption><graphic href="a.png"/></fig>
  <table-wrap id="t1"><label>Table 1</label><caption><p>Leaves counted.</p></caption><table><tbody>
  <tr><td>oak</td><td>3</td></tr></tbody></table></table-wrap></sec></body></article>"""


def rows_of(library: Library) -> list[StoredFigure]:
    catalog = library.session.catalog
    return [one for group in figures.figures_of_papers(catalog, next(catalog.paper_keys(9))).values() for one in group]


def test_a_figure_has_its_caption_and_what_speaks_of_it(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "leaf.xml", XML % ""))
        figure, table = rows_of(library)
        assert [(one.kind, one.label) for one in (figure, table)] == [("figure", "Figure 1"), ("table", "Table 1")]
        assert "A leaf." in figure.caption and "Leaves counted." in table.caption
        said = [[library.citation(name)[2].text for name in one.mentions] for one in (figure, table)]
        assert [text.startswith("The leaf is thin") for text in said[0]] == [True, False]
        assert len(said[1]) == 1 and said[1][0] == said[0][1]
        assert [one.key for one in library.parsed(library.paper("Leaves in section").id).figures] == [
            figure.name,
            table.name,
        ]


def test_rows_outlive_a_record_and_an_edit(tmp_path: Path) -> None:
    """Else vectors and notes of figures go when a BibTeX record arrives."""
    with open_library(tmp_path / "lib") as library:
        leaf = write(tmp_path / "leaf.xml", XML % "")
        library.add(leaf)
        before = {one.id: one for one in rows_of(library)}
        record = {"title": "Leaves in section", "doi": "10.1000/leaf", "files": ["leaf.xml"], "venue": "Botany"}
        library.add(write_jsonl(tmp_path / "refs.jsonl", [record]))
        assert library.paper("10.1000/leaf").venue == "Botany" and {one.id: one for one in rows_of(library)} == before
        write(leaf, XML % "It has veins.")
        library.add(leaf)
        assert {one.id: one for one in rows_of(library)} == before
        write(leaf, (XML % "").replace("A leaf.", "A leaf of an oak."))
        library.add(leaf)
        changed = {one.id: one for one in rows_of(library)}
        assert len(before.keys() & changed.keys()) == 1 and len(changed) == 2
        assert_consistent(library)
        library.remove("10.1000/leaf")
        assert not table_rows(library)["figures"]


def test_an_older_library_gets_them_at_its_next_add(tmp_path: Path) -> None:
    """Else its figures are never found."""
    with open_library(tmp_path / "lib") as library:
        leaf = write(tmp_path / "leaf.xml", XML % "")
        library.add(leaf)
        made = [one.id for one in rows_of(library)]
        with writing(library.session.catalog.engine) as connection:
            connection.execute(text("DELETE FROM figures"))
            connection.execute(text("DELETE FROM derived"))
        embedded = table_rows(library)["vectors"]
        library.add(leaf)
        assert [one.id for one in rows_of(library)] == made and table_rows(library)["vectors"] == embedded
