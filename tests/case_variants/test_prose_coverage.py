"""Of real papers nothing that reads as prose is left out of the searched text."""

import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from case_reading import read_paper
from conspectus.records import ParsedPaper
from shared_data import data_folder

pytestmark = pytest.mark.data
LEAST_LETTERS, LEAST_LINES = 60, 3
"""Letters that a line of prose has at least, and the lines that a paragraph has."""
LEAST_FOUND = 0.5
"""The part of a line's runs of four words that is found where the line is searched: hyphens cost some."""
MOST_CAPITALS = 0.45
"""More words with a capital are addresses of authors."""
FURNITURE = re.compile(r"Copyright ©|Correspondence should be addressed|retain copyright|swh:1:")
"""What is printed about a paper in these two collections and is in paragraphs."""
BACK = re.compile(r"\s*(?:\d+\.?\s+)?(?:References|Bibliography)\s*", re.IGNORECASE)


def files() -> list[Path]:
    folders = [data_folder() / "pdf_jose", data_folder() / "pdf_rescience"]
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.pdf"))[1::4][:4]]


def grams(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[^\W\d_]+", text.lower())
    return list(zip(words, words[1:], words[2:], words[3:], strict=False))


def paragraphs(path: Path) -> Iterator[list[str]]:
    """Runs of long lines of the text layer, up to the reference list."""
    document = pypdfium2.PdfDocument(str(path))
    for page in document:
        run: list[str] = []
        for line in [*page.get_textpage().get_text_range().splitlines(), ""]:
            if BACK.fullmatch(line):
                return
            letters = sum(c.isalpha() or c == " " for c in line)
            if len(line) >= LEAST_LETTERS and letters >= 0.85 * len(line):
                run.append(line.strip())
                continue
            words = " ".join(run).split()
            capitals = sum(word[0].isupper() for word in words)
            if len(run) >= LEAST_LINES and capitals <= MOST_CAPITALS * len(words):
                yield run
            run = []


def searched_grams(paper: ParsedPaper) -> set[tuple[str, ...]]:
    texts = [paper.metadata.abstract, *(block.text for block in paper.blocks)]
    texts += [" ".join(cell for row in figure.cells for cell in row) for figure in paper.figures]
    found = {gram for text in texts for gram in grams(text)}
    return found | set(grams(" ".join(texts)))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_all_prose_of_a_paper_is_searched(path: Path) -> None:
    """A reader would look for a sentence that is on the page, and be told that no paper says so."""
    known = searched_grams(read_paper(path))
    found = [lines for lines in paragraphs(path) if not FURNITURE.search(" ".join(lines))]
    assert len(found) >= 5, "the text layer has no prose: the test sees nothing"
    lost = []
    for lines in found:
        missing = [line for line in lines if not is_found(line, known)]
        if len(missing) >= LEAST_LINES:
            lost.append(" ".join(missing))
    assert not lost


def is_found(line: str, known: set[tuple[str, ...]]) -> bool:
    own = grams(line)
    return sum(gram in known for gram in own) >= LEAST_FOUND * len(own)
