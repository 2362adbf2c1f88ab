"""A page whose letters are not all searched: told where a file is added, and wherever one looks later."""

from pathlib import Path

import pytest
from cli_cases import Run, body
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from conspectus import Library

TOLD = "Not all letters can be searched: page 2:"
INSIDE = "valve pump boiler gauge"


SENTENCE = "The boiler house has six floors, and all of them are joined by pipes that hiss at night."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A paper whose second page is a drawing with words in it, and a few words around it."""
    return draw(tmp_path / "house.pdf", "Figure 1. The parts of the boiler house and how they are joined.")


def draw(out: Path, caption: str) -> Path:
    canvas = Canvas(str(out), pagesize=A4)
    canvas.setFont("Times-Bold", 17)
    canvas.drawString(72, 750, "On the pipes of the old boiler house")
    canvas.setFont("Times-Roman", 10)
    for i in range(30):
        canvas.drawString(72, 700 - 12 * i, SENTENCE)
    canvas.showPage()
    canvas.setFont("Times-Roman", 10)
    for i in range(24):
        x, y = 80 + 110 * (i % 4), 280 + 70 * (i // 4)
        canvas.rect(x, y, 95, 50)
        canvas.line(x + 95, y + 25, x + 110, y + 25)
        for j, word in enumerate(INSIDE.split()):
            canvas.drawString(x + 4, y + 38 - 11 * j, word)
    canvas.drawString(72, 240, caption)
    canvas.drawString(72, 150, SENTENCE)
    canvas.save()
    return out


def test_inspect_tells_and_shows_what_is_left_out(run: Run, path: Path) -> None:
    """What a figure has in it would be nowhere."""
    text = " ".join(run("inspect", path).stdout.split())
    assert "Not all letters" not in text
    assert "left out (Figure 1) p. 2" in text
    (paper,) = body(run("inspect", path, "--json", "--page", "2"), "papers.inspect")["papers"]
    (left,) = (left for left in paper["left_out"] if left["reason"] == "Figure 1")
    assert all(word in left["text"] for word in INSIDE.split())
    (account,) = (account for account in paper["accounts"] if account["page"] == 2)
    assert sum(share["letters"] for share in account["shares"]) == account["letters"]


@pytest.mark.model
def test_words_in_a_figure_are_no_loss_and_shown_where_one_looks(run: Run, own: Path, path: Path) -> None:
    """Whoever adds papers would be frightened by every axis and every label."""
    said = run("--library", own, "add", path)
    assert said.exit_code == 0, said.output
    assert "Not all letters" not in " ".join(said.output.split())
    with Library(own) as library:
        (key,) = (paper.id for paper in library.papers() if paper.files and paper.files[0].path == str(path))
    shown = " ".join(run("--library", own, "show", key).stdout.split())
    assert "not searched" in shown and "% in Figure 1" in shown


@pytest.mark.model
def test_add_and_doctor_tell_of_what_may_be_text(run: Run, own: Path, tmp_path: Path) -> None:
    """Whoever asks the library would take `nothing found` for `not in the paper`."""
    said = run("--library", own, "add", draw(tmp_path / "house.pdf", "Table 1. The parts of the boiler house."))
    assert TOLD in " ".join(said.output.split())
    findings = body(run("--library", own, "--json", "doctor"), "doctor")["findings"]
    (letters,) = (one for one in findings if one["check"] == "letters")
    assert "house.pdf': page 2:" in letters["detail"]
