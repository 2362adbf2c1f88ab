"""`inspect`: what was read of a file, as a picture, as text and as JSON."""

import json
from pathlib import Path

import pytest
from cli_cases import Run, Shelf, body, error
from PIL import Image

from conspectus import Library
from grobid_server import address_of_nobody, grobid_server

EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"


def test_a_page_is_drawn_without_a_library(run: Run, tmp_path: Path):
    """One would have to add a file before seeing whether it can be read well."""
    out = tmp_path / "page.png"
    result = run(
        "--library", tmp_path / "none", "inspect", EXAMPLES / "exoplanet-transits.pdf", "--page", "2", "--out", out
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{out}\n"
    with Image.open(out) as picture:
        assert picture.width > picture.height * 0.9  # the page, and the legend beside it
    assert not (tmp_path / "none").exists()


def test_structure_as_text_and_json(run: Run, tmp_path: Path):
    """A reader's mistakes could not be seen, nor be used by a program."""
    text = run("inspect", EXAMPLES / "exoplanet-transits.pdf").stdout
    assert "heading" in text
    assert "f1  Figure 1" in text
    assert "paragraph" in text
    found = body(run("inspect", EXAMPLES / "exoplanet-transits.pdf", "--json", "--page", "1"), "papers.inspect")
    (paper,) = found["papers"]
    assert paper["metadata"]["title"]
    assert all(
        any(place["page"] == 1 for sentence in block["sentences"] for place in sentence["places"])
        for block in paper["blocks"]
    )
    assert {"number", "kind", "text", "sentences", "label"} <= set(paper["blocks"][0])
    assert found["picture"] is None


def test_files_without_pages_are_told_in_words(run: Run, tmp_path: Path):
    """Markdown and records would look unreadable."""
    text = run("inspect", EXAMPLES / "graphene.md").stdout
    assert "Structure and isolation" in text
    refused = run("--json", "inspect", EXAMPLES / "graphene.md", "--out", tmp_path / "page.png")
    assert refused.exit_code != 0
    assert "no pages" in error(refused)["message"]


def test_a_page_that_there_is_not_is_refused(run: Run):
    """Nothing would look as if the page were empty, or the file could not be read."""
    pdf = EXAMPLES / "exoplanet-transits.pdf"
    refused = error(run("--json", "inspect", pdf, "--page", "99"))
    assert refused["message"] == "'exoplanet-transits.pdf' has no page 99."
    assert refused["hint"] == "It has pages 1 to 2."
    assert (
        "'graphene.md' has no pages"
        in error(run("--json", "inspect", EXAMPLES / "graphene.md", "--page", "1"))["message"]
    )
    several = run("inspect", pdf, EXAMPLES / "graphene.md", "--page", "2")
    assert several.exit_code == 1 and "'graphene.md' has no pages" in several.stdout


def test_bad_files_are_named(run: Run, tmp_path: Path):
    """A damaged file would end in a traceback, or in silence."""
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.4 nothing else")
    for words, reason in (([bad], "bad.pdf"), ([tmp_path / "gone.pdf"], "There is no file")):
        result = run("--json", "--library", tmp_path / "none", "inspect", *words)
        assert result.exit_code != 0
        assert reason in error(result)["message"]


def test_folders_and_names_of_nothing_are_told(run: Run, tmp_path: Path):
    """One would look for a paper where a path is wrong, or the other way round."""
    library = tmp_path / "library"
    Library(library, create=True).close()
    result = run("--json", "--library", library, "inspect", "nofile.pdf")
    assert "neither a file 'nofile.pdf' nor such a paper" in error(result)["message"]
    assert "is a folder" in error(run("--json", "inspect", tmp_path))["message"]


def test_a_pdf_is_read_as_add_would_read_it(run: Run):
    """What is seen would not be what is added, and nothing would say so."""
    pdf = EXAMPLES / "exoplanet-transits.pdf"
    with grobid_server() as server:
        (paper,) = body(run("--set", f"parse.grobid_url={server.url}", "inspect", pdf, "--json"), "papers.inspect")[
            "papers"
        ]
        assert paper["metadata"]["title"] == "Why cats purr"
    away = ("--set", f"parse.grobid_url={address_of_nobody()}", "--json")
    assert "did not answer" in error(run(*away, "inspect", pdf))["message"]
    found = body(run(*away, "--set", "parse.grobid_away=embedded", "inspect", pdf), "papers.inspect")
    assert "embedded reader" in found["notes"][0]
    assert found["papers"][0]["metadata"]["title"] != "Why cats purr"
    assert not body(run(*away, "inspect", EXAMPLES / "graphene.md"), "papers.inspect")["notes"]


@pytest.mark.model
def test_a_paper_of_the_library_is_drawn_by_name(run: Run, shelf: Shelf, tmp_path: Path):
    """One would have to remember where the file of a paper lies."""
    papers = body(run("--library", shelf.library, "list", "--json"), "list")["papers"]
    name = next(paper["id"] for paper in papers if paper["has_full_text"])
    out = tmp_path / "page.png"
    assert run("--library", shelf.library, "inspect", name, "--out", out).exit_code == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    assert "blocks" in run("--library", shelf.library, "inspect", name).stdout


@pytest.mark.model
def test_a_figure_of_the_library_is_a_picture(shelf: Shelf):
    """Figures could be listed, but neither shown nor searched by their looks."""
    from conspectus.core.errors import NotFoundError

    with Library(shelf.library) as library:
        paper = next(paper for paper in library.papers() if paper.has_full_text)
        figure = library.parsed(paper.id).figures[0]
        assert figure.place is not None
        x0, _, x1, _ = figure.place.rect
        assert abs(library.figures.image(paper.id, figure.key, 1.0).width - (x1 - x0 + 2)) < 3
        with pytest.raises(NotFoundError, match="no figure 'f99'"):
            library.figures.image(paper.id, "f99")


def test_several_files(run: Run, tmp_path: Path):
    """One bad file would cost the others, or each had to be asked for alone."""
    good, bad, other = tmp_path / "good.md", tmp_path / "bad.pdf", tmp_path / "other.md"
    good.write_text("# Tides of the sea\n\nThe sea rises.\n", "utf-8")
    other.write_text("# Sleep of the cat\n\nCats sleep.\n", "utf-8")
    bad.write_bytes(b"%PDF-1.4 nothing else")
    words = ("--library", tmp_path / "none", "inspect", good, bad, other)
    result = run(*words)
    assert result.exit_code == 1
    assert all(said in result.stdout for said in ("Tides of the sea", "Sleep of the cat", "bad.pdf"))
    found = json.loads(run("--json", *words).stdout)
    assert [paper["metadata"]["title"] for paper in found["papers"]] == ["Tides of the sea", "Sleep of the cat"]
    assert [one["name"] for one in found["failed"]] == [str(bad)]
    assert run(*words, "--out", tmp_path / "x.png").exit_code == 2
