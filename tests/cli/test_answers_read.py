"""An answer as a user has it: the pages behind its notes, what a library says it is, paragraphs on a terminal."""

import io
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from cli_cases import Run
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.faces.printer import STYLES, Printer, clean
from conspectus.figures import page_images
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.model


TRANSIT = "How does a transit reveal a planet?"


def test_pages_stand_behind_the_notes(own: Path, tmp_path: Path):
    """Who is sent an answer would have to believe it, or to find the sentences in the papers."""
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        library.export_answer(asked.id, "md", tmp_path / "an answer.md")
        library.export_answer(asked.id, "html", tmp_path / "answer.html")
        library.export_answer(asked.id, "html", bare := io.StringIO(), pictures=False)
        library.export_answer(asked.id, "md", piped := io.StringIO())
    links = re.findall(r"\[page \d+\]\(<(.*?)>\)", (tmp_path / "an answer.md").read_text("utf-8"))
    assert len(links) == len(asked.statements) > 1 and links[0] == "an%20answer-pages/note-1-page-1.png"
    pictures = [Image.open(tmp_path / unquote(link)).convert("RGB") for link in links]
    lit = [_yellow(picture) for picture in pictures]
    assert len(lit[0] - lit[1]) > 500 and len(lit[1] - lit[0]) > 500, "each has its own sentence lit up"
    page = (tmp_path / "answer.html").read_text("utf-8")
    assert page.count("data:image/png;base64,") == len(links) and "img-src data:" in page
    assert "base64" not in bare.getvalue() and "](<" not in piped.getvalue()


def _yellow(picture: Image.Image) -> set[int]:
    """The pixels that a marker pen has coloured."""
    data = picture.tobytes()
    return {at for at in range(0, len(data), 3) if data[at] > 200 and data[at + 2] < 150}


def test_a_pdf_that_is_gone_is_told_in_the_note(own: Path, tmp_path: Path):
    """The export would fail for one moved file, or the picture be missing without a word."""
    moved = tmp_path / "transits.pdf"
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        shutil.copy(asked.statements[0].citations[0].paper.files[0].path, moved)
    with Library(tmp_path / "lib") as library:
        library.add(moved)
        asked = library.ask(TRANSIT, model="none")
        moved.unlink()
        library.export_answer(asked.id, "html", held := io.StringIO())
    assert "No picture of page 1: its PDF is gone, was changed" in held.getvalue()
    assert str(tmp_path) not in held.getvalue(), "where files lie is nothing for who is sent the answer"


def test_a_pdf_that_may_not_be_read_is_told_in_the_note(own: Path, monkeypatch: pytest.MonkeyPatch):
    """One file without the right to read it would end the whole export, with a traceback."""

    def forbidden(_: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(page_images, "sha256", forbidden)
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        library.export_answer(asked.id, "html", held := io.StringIO())
    assert "No picture of page 1: its PDF" in held.getvalue() and "may not be read" in held.getvalue()


def test_pages_that_are_too_many_are_told(own: Path, monkeypatch: pytest.MonkeyPatch):
    """From some note on the pictures would be missing without a word."""
    monkeypatch.setattr(page_images, "MOST_PAGES", 1)
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        library.export_answer(asked.id, "html", held := io.StringIO())
    assert held.getvalue().count("data:image/png") == 1
    assert held.getvalue().count("others are shown, and no more") == len(asked.statements) - 1 > 0


def test_the_folder_of_pages_holds_those_of_this_export(own: Path, tmp_path: Path):
    """Pages of an earlier answer would be sent on with this one, or a link in their place be written through."""
    (folder := tmp_path / "answer-pages").mkdir()
    (folder / "note-77-page-3.png").write_bytes(b"of another answer")
    (folder / "mine.png").write_bytes(b"mine")
    (kept := tmp_path / "kept").write_text("kept")
    (folder / "note-1-page-1.png").symlink_to(kept)
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        library.export_answer(asked.id, "md", tmp_path / "answer.md")
        (tmp_path / "linked-pages").symlink_to(folder)
        with pytest.raises(UsageError, match="it is a link"):
            library.export_answer(asked.id, "md", tmp_path / "linked.md")
    assert kept.read_text() == "kept" and not (tmp_path / "linked.md").exists()
    names = {f"note-{number}-page-1.png" for number in range(1, len(asked.statements) + 1)}
    assert {path.name for path in folder.iterdir()} == {"mine.png", *names}


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="devices are of POSIX")
def test_no_folder_stands_beside_a_device(own: Path):
    """A folder of pictures would appear in /dev."""
    with Library(own) as library:
        library.export_answer(library.ask(TRANSIT, model="none").id, "md", "/dev/null")
    assert not Path("/dev/null-pages").exists()


def test_the_page_of_a_note_shows_all_of_its_sentences(own: Path):
    """Of a statement that rests on two sentences the reader would be shown one."""
    with Library(own) as library:
        asked = library.ask(TRANSIT, model="none")
        ids = [one.citations[0].spans[0].id for one in asked.statements[:2]]
        alone = [_yellow(library.open(one)) for one in ids]
        assert _yellow(library.open(ids)) == alone[0] | alone[1] and alone[0] - alone[1] and alone[1] - alone[0]
        others = [paper.id for paper in library.papers() if paper.id != ids[0].partition(".")[0]]
        for wrong in ([], [ids[0], next(iter(library.passages(others[0]))).id]):
            with pytest.raises(UsageError, match="sentences of one paper"):
                library.open(wrong)


def test_a_library_says_what_it_is(own: Path):
    """In a notebook `lib` would be an address in memory."""
    library = Library(own)
    assert repr(library) == f"Library({str(own)!r}, 4 papers, {library.status().counts['passages']} passages)"
    library.close()
    assert repr(library) == f"Library({str(own)!r}, closed)"


def test_a_list_has_short_lines(run: Run, tmp_path: Path):
    """One title of a thousand words, or one question, would fill the screen between all others."""
    long = "A title of a thousand words " * 50
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"id": "a", "title": long, "abstract": "Cats sleep."}]))
        library.ask(f"Do cats sleep? {long}")
    words = ("--library", tmp_path / "lib")
    for verb, about in ((["list"], "A title"), (["answers", "list"], "Do cats sleep?")):
        (line,) = run(*words, *verb).stdout.splitlines()
        assert about in line and "…" in line and len(line) < 500
        assert long.strip() in run(*words, "--json", *verb).stdout


@given(
    parts=st.lists(
        st.tuples(st.text("ab c\x1b[2J\u202e-é", max_size=12), st.sampled_from(["", "dim", "title"])), max_size=6
    ),
    width=st.integers(20, 60) | st.none(),
)
def test_folding_keeps_each_word_and_its_style(parts: list[tuple[str, str]], width: int | None):
    """A doubted statement would be printed as if it held, or words be lost where a line ends."""
    out = Printer()
    out.width, out.color = width, True
    written: list[str] = []
    out._write = written.append  # type: ignore[method-assign]
    out.flow([(text, style) if style else text for text, style in parts])
    plain = click.unstyle("".join(written))
    cleaned = [(clean(text), style) for text, style in parts]
    assert "".join(plain.split()) == "".join("".join(text for text, _ in cleaned).split())
    for style in ("dim", "title"):
        begun = click.style("", reset=False, **STYLES[style])
        shown = "".join(piece.split("\x1b[0m")[0] for piece in "".join(written).split(begun)[1:])
        assert "".join(shown.split()) == "".join("".join(text for text, one in cleaned if one == style).split())
