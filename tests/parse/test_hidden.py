"""Text that a PDF holds and does not show: it is kept apart and told of, and is no part of the paper."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import hidden_samples as samples
import pytest
from click.testing import CliRunner
from hidden_samples import HIDDEN_STYLES, SECRET, SPOTS, VISIBLE_STYLES, WORD
from pdf_samples import TITLE

from conspectus.cli.app import app
from conspectus.core.errors import EmptyTextError
from conspectus.parse.pdf.page_images import draw_structure
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper
from helpers import open_library


def said(paper: ParsedPaper) -> str:
    """All that is told of a paper but what it hides."""
    return repr((paper.metadata, paper.blocks, paper.references, paper.figures))


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("way", HIDDEN_STYLES)
def test_what_nobody_sees_is_kept_apart(way: str, spot: str, tmp_path: Path) -> None:
    """Hidden instructions would be quoted as the paper's words, and shown to a language model."""
    paper = read_pdf(samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES[way], SPOTS[spot]))
    assert WORD not in said(paper)
    assert squeezed(SECRET) in squeezed("".join(hidden.text for hidden in paper.hidden))
    assert {hidden.place.page for hidden in paper.hidden if hidden.place} == {1}


@pytest.mark.parametrize("way", ["white", "mode 3", "transparent", "0.1 point", "cut by a rectangle", "switched off"])
@pytest.mark.parametrize("spot", ["beside the title", "in the abstract", "before all"])
def test_a_paper_is_read_as_if_nothing_were_hidden(way: str, spot: str, tmp_path: Path) -> None:
    """Hidden words would part a title, or add an author."""
    paper = read_pdf(samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES[way], SPOTS[spot]))
    bare = read_pdf(samples.paper(tmp_path / "b.pdf", HIDDEN_STYLES["left of the page"], SPOTS[spot]))
    assert paper.metadata == bare.metadata
    assert paper.blocks == bare.blocks


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("way", VISIBLE_STYLES)
def test_what_is_seen_stays(way: str, spot: str, tmp_path: Path) -> None:
    """Words in unusual colours, forms or layers would vanish from search."""
    paper = read_pdf(samples.paper(tmp_path / "a.pdf", VISIBLE_STYLES[way], SPOTS[spot], on=True))
    assert paper.hidden == ()
    assert WORD in said(paper) or spot not in ("in the abstract", "beside the title") or way == "four points"


def test_pages_without_doubt_are_not_drawn() -> None:
    """Every page with a pale word, such as a watermark, would be drawn, and each reading process load numpy."""
    papers = [str(path) for path in sorted((Path(__file__).parent / "typeset").glob("*.pdf"))]
    script = (
        "import sys\nfrom pathlib import Path\nfrom conspectus.parse.pdf.reader import read_pdf\n"
        "for path in sys.argv[1:]: assert not read_pdf(Path(path)).hidden\n"
        "drew = {'numpy', 'conspectus.parse.pdf.word_traces'}.intersection(sys.modules)\n"
        "assert not drew, drew"
    )
    done = subprocess.run([sys.executable, "-c", script, *papers], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("white", "same colour"),
        ("mode 3", "invisible"),
        ("transparent", "invisible"),
        ("0.1 point", "tiny"),
        ("cut by a rectangle", "clipped"),
        ("switched off", "switched off"),
        ("a form switched off", "switched off"),
        ("under a picture", "covered"),
        ("above the page", "off page"),
    ],
)
def test_the_reason_is_told(way: str, reason: str, tmp_path: Path) -> None:
    """A reader could not tell a trick from an accident."""
    paper = read_pdf(samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES[way], SPOTS["body"]))
    assert {hidden.reason for hidden in paper.hidden} == {reason}


@pytest.mark.parametrize(("before", "number"), [(False, 3), (True, 0), (True, 3)])
def test_the_text_of_a_scan_is_read(before: bool, number: int, tmp_path: Path) -> None:
    """Scans with a layer of recognised text, as libraries have thousands, could no longer be searched."""
    paper = read_pdf(samples.searchable_scan(tmp_path / "a.pdf", before=before, number=number))
    assert "resonance" in paper.metadata.abstract
    assert paper.hidden == ()


def test_a_layer_over_a_picture_that_shows_nothing_is_hidden(tmp_path: Path) -> None:
    """A pale picture under invisible text would make it the text of a scan."""
    with pytest.raises(EmptyTextError, match="hidden"):
        read_pdf(samples.searchable_scan(tmp_path / "a.pdf", printed=False))


@pytest.mark.parametrize("way", ["white", "mode 3", "0.1 point", "left of the page", "under a white box"])
def test_a_file_of_hidden_text_only_is_called_so(way: str, tmp_path: Path) -> None:
    """The user would be told to recognise a scan that is none."""
    with pytest.raises(EmptyTextError, match="hidden"):
        read_pdf(samples.only_hidden(tmp_path / "a.pdf", HIDDEN_STYLES[way]))


def test_the_user_is_told(tmp_path: Path) -> None:
    """Nobody would know that a paper tries to sway its readers."""
    paper = read_pdf(samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES["white"], SPOTS["body"]))
    assert any("Page 1" in note and "hidden text" in note and "44 letters" in note for note in paper.warnings)


def test_inspect_shows_what_is_hidden(tmp_path: Path) -> None:
    """The user could not look at what a paper hides, or where."""
    path = samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES["white"], SPOTS["body"])
    paper = read_pdf(path)
    bare = draw_structure(path, replace(paper, hidden=()), 1, 1.0)
    drawn = draw_structure(path, paper, 1, 1.0)
    place = paper.hidden[0].place
    assert place is not None
    x0, y0, x1, y1 = map(int, place.rect)
    at = (x0 + x1) // 2, (y0 + y1) // 2
    assert drawn.getpixel(at) != bare.getpixel(at)
    printed = CliRunner().invoke(app, ["inspect", str(path)])
    assert "hidden (same colour)  p. 1" in printed.output
    assert SECRET in printed.output


def test_show_and_doctor_tell_of_it(tmp_path: Path) -> None:
    """Once added, nobody would learn any more that a paper hides something."""
    path = samples.paper(tmp_path / "a.pdf", HIDDEN_STYLES["mode 3"], SPOTS["body"])
    with open_library(tmp_path / "library") as library:
        assert any("hidden text" in note for row in library.add(path).rows for note in row.notes)
        found = {finding.check: finding for finding in library.doctor().findings}
        assert found["hidden text"].ok
        assert "a.pdf" in found["hidden text"].detail
    shown = CliRunner().invoke(app, ["--library", str(tmp_path / "library"), "show", TITLE])
    assert "44 letters invisible" in " ".join(shown.output.split())
