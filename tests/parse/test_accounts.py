"""Nothing of a page is lost without a word: every letter of a text layer is accounted for, and text can be found."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from overlays import OVERLAYS, PICTURES, overlaid

from conspectus.core.errors import ConspectusError
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import LACKING, LEAST_SEARCHED, ParsedPaper

TYPESET = Path(__file__).resolve().parent / "typeset"
NAMES = sorted(path.stem for path in TYPESET.glob("*.pdf"))
SEARCHED = ("paragraph", "abstract", "caption", "footnote", "heading", "code")
SAME = 0.005
FAST = ("part_image", "striped_image", "stamp", "tint")


@cache
def plain(name: str, pages: int | None = None) -> ParsedPaper:
    """A document, or its first pages."""
    source = TYPESET / f"{name}.pdf"
    with tempfile.TemporaryDirectory() as folder:
        return read_pdf(overlaid(source, Path(folder) / source.name, pages=pages) if pages else source)


def words(paper: ParsedPaper, *kinds: str) -> Counter[str]:
    """The words of the blocks of these kinds, and those of the title and the authors."""
    said = [paper.metadata.title, *(author.name for author in paper.metadata.authors)]
    text = " ".join([*said, *(block.text for block in paper.blocks if block.kind in kinds)])
    return Counter(word.strip(".,;:()[]") for word in text.split())


def printed(path: Path) -> list[int]:
    """How many characters that are no white space PDFium finds on each page."""
    with pypdfium2.PdfDocument(path) as document:
        return [len("".join(page.get_textpage().get_text_range().split())) for page in document]


def check_law(path: Path, paper: ParsedPaper) -> None:
    """Every letter that PDFium finds is in the account of its page, and those of blocks are in the blocks."""
    assert [account.page for account in paper.accounts] == sorted({account.page for account in paper.accounts})
    counts = printed(path)
    for account in paper.accounts:
        assert sum(share.letters for share in account.shares) == account.letters
        count = counts[account.page - 1]
        assert abs(account.letters - count) <= max(SAME * count, 3), (path.name, account)
    left = Counter[tuple[str, str]]()
    for part in paper.left_out:
        left[part.fate, part.reason] += len("".join(part.text.split()))
    told = Counter[tuple[str, str]]()
    for share in (share for account in paper.accounts for share in account.shares):
        if share.fate in ("front", "figure", "furniture"):
            told[share.fate, share.reason] += share.letters
    assert left == told
    kept = sum(len("".join(block.text.split())) for block in paper.blocks)
    held = sum(s.letters for a in paper.accounts for s in a.shares if s.fate in ("text", "equation", "reference"))
    assert abs(kept - held) <= max(0.01 * held, 5)


@pytest.mark.parametrize("name", NAMES)
def test_every_letter_is_accounted_for(name: str) -> None:
    """A step that takes lines away without saying so would lose what nobody misses until it is needed."""
    paper = plain(name)
    check_law(TYPESET / f"{name}.pdf", paper)
    assert len(paper.accounts) == paper.pages


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.again)], ids=["some", "all"])
def test_published_papers_lose_nothing_in_silence(data: Path, step: int) -> None:
    """What journals print that our own documents do not have would take text away, and nobody would be told."""
    papers = sorted(path for name in ("pdf_jose", "pdf_rescience") for path in (data / name).glob("*.pdf"))
    assert papers
    for path in papers[::step]:
        paper = read_pdf(path)
        check_law(path, paper)
        assert len(paper.accounts) == paper.pages
        told = " ".join(paper.warnings)
        for account in paper.accounts:
            lost = 1 - account.part("text", "equation", "reference", "front", "furniture")
            assert lost <= 1 - LEAST_SEARCHED or account.why_lacking(), (path.name, account)
            assert not account.why_lacking(figures=False) or LACKING in told


def _marks(place: int, name: str, overlay: str) -> tuple[pytest.MarkDecorator, ...]:
    """Every second pair is left to `again`, but for "pictures", which are all pictures in turn."""
    often = place % 2 == 0 or overlay == "pictures"
    fast = name in ("article", "thesis") and overlay in FAST
    return (*(() if fast else (pytest.mark.slow,)), *(() if often else (pytest.mark.again,)))


@pytest.mark.parametrize(
    ("name", "overlay"),
    [
        pytest.param(name, overlay, marks=_marks(row + column, name, overlay))
        for row, name in enumerate(NAMES)
        for column, overlay in enumerate((*OVERLAYS, "pictures"))
    ],
)
def test_what_is_put_on_a_page_takes_no_text_away(name: str, overlay: str, tmp_path: Path) -> None:
    """A pale picture, a stamp or a banner would make authors, abstract and introduction vanish without a word."""
    pytest.importorskip("pypdf")
    draws = PICTURES if overlay == "pictures" else [OVERLAYS[overlay]]
    pages = 1 if OVERLAYS.get(overlay) in PICTURES else 2 * len(PICTURES)  # pages with pictures are drawn
    path = overlaid(TYPESET / f"{name}.pdf", tmp_path / f"{name}.pdf", *draws, pages=pages)
    paper = read_pdf(path)
    check_law(path, paper)
    before = plain(name, pages)
    assert paper.metadata.title == before.metadata.title
    assert paper.metadata.authors == before.metadata.authors
    known = words(before, *SEARCHED, "reference", "equation")
    lost = known - words(paper, *SEARCHED, "reference", "equation")
    assert lost.total() <= 0.01 * known.total(), lost


def test_mutated_files_keep_the_law_or_are_refused(tmp_path: Path) -> None:
    """A damaged file would lose text that its pages still have, without a word."""
    pypdf = pytest.importorskip("pypdf")
    draw, read = random.Random(11), 0
    for i in range(30):
        path = tmp_path / f"mutated{i}.pdf"
        reader = pypdf.PdfReader(TYPESET / f"{NAMES[i % len(NAMES)]}.pdf")
        writer = pypdf.PdfWriter()
        page = writer.add_page(reader.pages[draw.randrange(min(3, len(reader.pages)))])
        contents = page.get_contents()
        data = mutated(bytearray(contents.get_data()), draw)
        contents.set_data(bytes(data))
        page[pypdf.generic.NameObject("/Contents")] = writer._add_object(contents)
        with path.open("wb") as file:
            writer.write(file)
        try:
            paper = read_pdf(path)
        except ConspectusError as error:
            assert path.name in str(error)
        else:
            check_law(path, paper)
            read += 1
    assert read > 10


def mutated(data: bytearray, draw: random.Random) -> bytearray:
    """A content stream with operators dropped, doubled or moved, or bytes changed."""
    lines = bytes(data).split(b"\n")
    for _ in range(draw.choice((1, 5, 20))):
        at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
        kind = draw.randrange(4)
        if kind == 0:
            lines[at] = b""
        elif kind == 1:
            lines.insert(to, lines[at])
        elif kind == 2:
            lines[at], lines[to] = lines[to], lines[at]
        else:
            lines[at] = bytes(draw.randrange(32, 127) if draw.random() < 0.05 else byte for byte in lines[at])
    return bytearray(b"\n".join(lines))
