"""Figures and tables by words: by captions, and by what speaks of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Filters, Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records import FigureHit
from helpers import open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
PDF = Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf"
XML = """<article><front><article-meta><title-group><article-title>Leaves in section</article-title></title-group>
  <pub-date><year>1999</year></pub-date></article-meta></front><body><sec><title>Results</title>
  <p>The palisade of an oak is thin (<xref ref-type="fig" rid="f1">Fig. 1</xref>).</p></sec><sec><title>Counts</title>
  <p>Numbers are in <xref ref-type="table" rid="t1">Table 1</xref>, of every tree.</p>
  <fig id="f1"><label>Figure 1</label><caption><p>A leaf under the microscope.</p></caption></fig>
  <fig id="f2"><label>Figure 2</label><caption><p>A root under the microscope.</p></caption></fig>
  <table-wrap id="t1"><label>Table 1</label><caption><p>Leaves counted.</p></caption><table>
  <thead><tr><th>tree</th><th>leaves</th></tr></thead><tbody><tr><td>birch</td><td>3</td></tr>
  <tr><td>elm</td><td>4</td></tr></tbody></table></table-wrap></sec></body></article>"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        library.add([PDF, write(tmp_path / "leaf.xml", XML)])
        yield library


def labels(hits: tuple[FigureHit, ...]) -> list[str]:
    return [hit.figure.label for hit in hits]


def test_a_caption_leads_to_its_figure(library: Library) -> None:
    found = library.figures.search("root microscope", k=2)
    best, other = found.hits
    assert (best.figure.label, best.figure.paper.title, best.rank) == ("Figure 2", "Leaves in section", 1)
    assert other.figure.label == "Figure 1" and best.score > other.score
    assert best.score == pytest.approx(0.7 * best.factors["caption"] + 0.3 * best.factors["mention"])
    assert (best.figure.page, best.figure.box) == (None, None)
    assert labels(library.figures.search("birch", k=1).hits) == ["Table 1"], "a table's cells are searched, too"


def test_what_the_text_says_leads_to_the_figure_it_names(library: Library) -> None:
    """Its caption does not say what it shows: the sentence does."""
    best = library.figures.search("palisade of an oak", k=1).hits[0]
    assert best.figure.label == "Figure 1" and best.factors["mention"] > 0
    assert [library.citation(one)[2].text for one in best.figure.mentions] == [
        "The palisade of an oak is thin (Fig. 1)."
    ]


def test_kinds_and_filters(library: Library) -> None:
    assert {hit.figure.kind for hit in library.figures.search("leaves", only=["table"]).hits} == {"table"}
    assert {
        hit.figure.paper.year for hit in library.figures.search("a leaf", filters=Filters(year=(1990, 2000))).hits
    } == {1999}
    (one,) = library.figures.search("membrane potential", k=1, only=["table"]).hits
    assert one.figure.kind == "table", "figures that fit better do not take its place"
    nothing = library.figures.search("leaf", filters=Filters(tag=("oaks",)))
    assert not nothing.hits and "No paper has the tag 'oaks'" in nothing.note
    with pytest.raises(UsageError, match="captions"):
        library.figures.search("leaf", filters=Filters(kind=("body",)))
    with pytest.raises(UsageError, match="at least 1"):
        library.figures.search("leaf", k=0)


def test_without_words_the_newest_papers_figures_come_first(library: Library) -> None:
    found = library.figures.search("  ", k=10)
    years = [hit.figure.paper.year for hit in found.hits]
    assert years == sorted(years, key=lambda year: -(year or 0)) and len(set(years)) == 2
    assert labels(found.hits)[-3:] == ["Figure 1", "Figure 2", "Table 1"] and found.method == "newest first"


def test_what_is_removed_is_not_found(library: Library) -> None:
    library.remove("Leaves in section")
    assert {hit.figure.paper.title for hit in library.figures.search("a leaf under the microscope").hits} <= {
        library.paper(PDF.name).title
    }


def test_a_figure_is_cut_from_its_page_by_its_id(library: Library) -> None:
    figure = library.figures.search("membrane potential", k=1).hits[0].figure
    assert figure.page == 1 and figure.box is not None
    image = library.figures.image(figure.id)
    left, top, right, bottom = figure.box
    assert image.size == pytest.approx(((right - left) * 200 / 72, (bottom - top) * 200 / 72), abs=6)
    assert image.size == library.figures.image(figure.paper.id, figure.name).size
    with pytest.raises(NotFoundError, match="no figure"):
        library.figures.image(f"{figure.paper.id}.faaaaaaaa")
