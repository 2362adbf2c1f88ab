"""The figures that answers rest on."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.answer.requested_kind import requested_kind
from conspectus.records import Answer
from conspectus.records.notes import Drawn, PagePicture
from conspectus.wire import encode
from conspectus.wire.html import page
from helpers import open_library, write
from language_server import serve_script
from oracle import reader

pytestmark = pytest.mark.usefixtures("quick_pool")
PDF = Path(__file__).resolve().parents[2] / "examples" / "papers" / "action-potential.pdf"
XML = """<article><front><article-meta><title-group><article-title>Leaves in section</article-title></title-group>
  </article-meta></front><body><sec><title>Results</title>
  <p>The palisade of an oak leaf is twice as thick in the sun (<xref ref-type="fig" rid="f1">Fig. 1</xref>).</p></sec>
  <sec><title>Counts</title><p>Every tree of the park was counted by hand in May.</p>
  <fig id="f1"><label>Figure 1</label><caption><p>A palisade under a &lt;b&gt; microscope.</p></caption></fig>
  <fig id="f2"><label>Figure 2</label><caption><p>Root hairs of a birch seen under the microscope.</p></caption></fig>
  <table-wrap id="t1"><label>Table 1</label><caption><p>Leaves counted on trees.</p></caption><table>
  <thead><tr><th>tree</th><th>leaves</th></tr></thead><tbody><tr><td>birch</td><td>3</td></tr>
  <tr><td>elm</td><td>4</td></tr></tbody></table></table-wrap></sec></body></article>"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", **{"answer.threshold": 0.01}) as library:
        library.add([PDF, write(tmp_path / "leaf.xml", XML)])
        yield library


def told(answer: Answer) -> list[tuple[str, str]]:
    return [(one.figure.label, one.by) for one in answer.figures]


def test_a_sentence_that_speaks_of_a_figure_leads_to_it(library: Library) -> None:
    answer = library.ask("How thick is the palisade of an oak leaf in the sun?")
    assert ("Figure 1", "mention") in told(answer)
    one = next(one for one in answer.figures if one.figure.label == "Figure 1")
    quoted = {span.id for said in answer.statements for cited in said.citations for span in cited.spans}
    assert one.spans and set(one.spans) <= quoted


def test_captions_come_first_and_answer_what_asks_for_a_figure(library: Library) -> None:
    """A caption is no statement, but it is the answer to which figure shows something."""
    answer = library.ask("Which figure shows root hairs of a birch?")
    assert told(answer)[0] == ("Figure 2", "caption"), answer
    assert told(library.ask("Which table lists leaves counted on trees?"))[0] == ("Table 1", "caption")
    assert told(library.ask("What does Table 1 say of the birch?")) == [("Table 1", "caption")]


def test_a_table_that_no_paper_has_is_not_answered_by_another(library: Library) -> None:
    answer = library.ask("What does Table 7 say of the birch?")
    assert not answer.answered and "figure or table that it names" in answer.reason


def test_what_only_sounds_like_a_figure_is_a_usual_question() -> None:
    for question in (
        "Which algorithm shows the best results?",
        "What do box C/D RNAs do?",
        "What figures in mythology?",
    ):
        assert requested_kind(question) is None
    assert requested_kind("Which diagram shows the phases?") and requested_kind("What does Fig. 3 show?")


def test_kept_answers_have_the_figures_that_the_library_has_now(library: Library) -> None:
    """They are told when an answer is shown: those kept before there were figures have them, removed papers do not."""
    asked = library.ask("Which figure shows root hairs of a birch?")
    assert library.answers.show(asked.id).answer.figures == asked.figures
    talk = library.answers.begin_conversation(answer=asked.id)
    assert library.answers.conversation(talk).answers[0].figures == asked.figures
    library.remove("Leaves in section")
    assert not [one for one in library.answers.show(asked.id).answer.figures if one.figure.label == "Figure 2"]


def test_every_way_to_show_an_answer_tells_its_figures(library: Library, tmp_path: Path) -> None:
    answer = library.ask("Which figure shows root hairs of a birch?")
    figure = answer.figures[0].figure
    assert "Figure 2 · " in str(answer) and figure.id in str(answer)
    said = encode.body(answer)["figures"][0]
    assert (said["by"], said["figure"]["id"], said["spans"]) == ("caption", figure.id, answer.figures[0].spans)
    assert figure.id in answer._repr_html_()
    library.export_answer(answer.id, "md", tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "**Figures**" in text and figure.id in text and "![" not in text, "of a paper without pages"


def test_a_figure_of_a_page_is_in_the_document(library: Library, tmp_path: Path) -> None:
    answer = library.ask("Which figure shows the membrane potential?")
    figure = answer.figures[0].figure
    assert figure.page
    library.export_answer(answer.id, "md", tmp_path / "a.md")
    picture = tmp_path / "a-pages" / f"figure-{figure.id}.png"
    assert (
        picture.read_bytes().startswith(b"\x89PNG") and f"<a-pages/{picture.name}>" in (tmp_path / "a.md").read_text()
    )
    held = io.StringIO()
    library.export_answer(answer.id, "html", held)
    assert f'<img alt="{figure.label}' in held.getvalue() and "data:image/png;base64,iVBOR" in held.getvalue()
    held = io.StringIO()
    library.export_answer(answer.id, "html", held, pictures=False)
    assert "<img" not in held.getvalue() and figure.id in held.getvalue()


def test_what_papers_say_is_shown_as_text(library: Library) -> None:
    answer = library.ask("Which figure shows a palisade?")
    name = answer.figures[0].figure.id
    made = page("Why?", [answer], Drawn(figures={name: PagePicture(1, why="<i>gone</i>")}))
    assert "under a &lt;b&gt; microscope" in made and "No picture: &lt;i&gt;gone&lt;/i&gt;" in made


def test_with_a_model_a_caption_is_evidence_like_any_passage(library: Library) -> None:
    with serve_script(reader("root hairs")) as server:
        answer = library.ask("Which figure shows root hairs of a birch?", model=server.url)
    assert answer.method == "model" and ("Figure 2", "caption") in told(answer)
