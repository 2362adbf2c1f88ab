"""A paper on the screen: the words that are laid over a page's picture, its outline, finding words in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError, InputError, NotFoundError, UsageError
from conspectus.papers.paper_text import dealt
from conspectus.records import Place, Sentence
from helpers import open_library, write_jsonl

PDF = Path(__file__).parents[2] / "examples" / "papers" / "action-potential.pdf"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("reading")
    with open_library(folder / "lib") as library:
        library.add([PDF, write_jsonl(folder / "a.jsonl", [{"id": "p", "title": "Eels", "abstract": "Eels swim."}])])
        yield library


def test_pages_are_as_large_as_their_pictures(library: Library) -> None:
    """What is laid over a picture would lie beside it."""
    sizes = library.pages(PDF.name)
    assert [size.page for size in sizes] == [1, 2]
    for size in sizes:
        image = library.page(PDF.name, size.page, 1)
        assert abs(image.width - size.width) <= 1 and abs(image.height - size.height) <= 1


def test_words_stand_where_they_are(library: Library) -> None:
    """Text that is selected on the screen would be another than that under the pointer."""
    parsed = library.parsed(PDF.name)
    for size in library.pages(PDF.name):
        page = library.page_text(PDF.name, size.page)
        assert (page.width, page.height) == (size.width, size.height) and page.lines
        for line in page.lines:
            assert line.text == parsed.blocks[line.block].text[line.start : line.end]
            x0, y0, x1, y1 = line.rect
            assert 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1
        cited = [line for line in page.lines if line.span]
        assert all(line.span for line in page.lines if line.kind == "paragraph")
        for name in {line.span for line in cited}:
            _, _, span = library.citation(name)
            if {place.page for place in span.places} == {page.page}:
                assert "".join(line.text for line in cited if line.span == name).split() == span.text.split()


def test_each_word_of_a_sentence_is_on_one_line() -> None:
    """Words would be lost where a line ends, or stand there twice."""
    text = "So it is that cats purr. Dogs bark loudly at night and then they sleep until morning comes."
    rects = ((0.0, 0.0, 60.0, 1.0), (0.0, 2.0, 60.0, 3.0), (0.0, 4.0, 25.0, 5.0))
    for count in (1, 2, 3):
        sentence = Sentence(25, len(text), tuple(Place(1, rect) for rect in rects[:count]))
        pieces = list(dealt(text, sentence))
        assert [text[start:end] for start, end, _ in pieces][-1].endswith("comes.")
        assert "".join(text[start:end] for start, end, _ in pieces) == text[25:]
        assert all(end == len(text) or text[end - 1] == " " for _, end, _ in pieces)
    assert not list(dealt(text, Sentence(0, 24)))
    one = Sentence(0, 4, tuple(Place(1, rect) for rect in rects))
    assert "".join("word"[start:end] for start, end, _ in dealt("word", one)) == "word"


def test_the_outline(library: Library) -> None:
    """Who reads a long paper would have to turn every page."""
    headings = library.outline(PDF.name)
    blocks = library.parsed(PDF.name).blocks
    assert [one.text for one in headings] == [block.text for block in blocks if block.kind == "heading"]
    assert all(one.level >= 1 and one.place and one.place.page in (1, 2) for one in headings)
    assert library.outline("p") == ()


def test_words_are_found_in_a_paper(library: Library) -> None:
    """A word in capitals, with an accent, or over the end of a line would not be found."""
    found = library.find(PDF.name, "  SODIUM   conductance ")
    assert found and all(one.text[one.start : one.end].casefold().split() == ["sodium", "conductance"] for one in found)
    assert all(one.places for one in found) and any(one.span for one in found)
    assert [one.start for one in library.find("p", "e")][:2] == [0, 1], "each time in a sentence"
    assert library.find("p", "éels SWIM")[0].text == "Eels swim."
    assert library.find(PDF.name, "nowhere at all") == ()
    with pytest.raises(UsageError, match=r"nothing to look for"):
        library.find(PDF.name, " ")


@pytest.mark.parametrize(
    ("name", "page", "kind"), [("p", 1, InputError), (PDF.name, 0, NotFoundError), (PDF.name, 3, NotFoundError)]
)
def test_what_has_no_such_page_says_so(library: Library, name: str, page: int, kind: type[ConspectusError]) -> None:
    """An empty page would look like one that has no text."""
    with pytest.raises(kind):
        library.page_text(name, page)
