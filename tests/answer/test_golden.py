"""Real papers and a reader that makes no mistakes: the answer, its citations, their rectangles, exactly so."""

import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.export.answer import escaped
from conspectus.records import Answer
from helpers import open_library
from language_server import serve_script
from oracle import evidence, reader

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture
def library(tmp_path: Path, data: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", parse__workers=2) as library:
        library.add(sorted((data / "pdf_jose").glob("*.pdf"))[:4])
        yield library


def sentences_of(library: Library) -> list[tuple[str, str]]:
    """(id of the paper, sentence) of one sentence in the middle of each paper, long enough to say something."""
    found = []
    for paper in library.papers():
        spans = [span for passage in library.passages(paper.id) if passage.kind == "body" for span in passage.spans]
        good = [
            span
            for span in spans
            if 60 < len(span.text) < 200 and span.places and span.text[0].isupper() and not set("([") & set(span.text)
        ]
        found.append((paper.id, good[len(good) // 2].text))
    return found


def test_each_answer_is_the_sentence_with_its_rectangles(library: Library) -> None:
    """Given a perfect model, the words, the page and the rectangles are those of the PDF, for each of the papers."""
    import pdfplumber

    for paper_id, sentence in sentences_of(library):
        shown = " ".join(sentence.split())
        with serve_script(_only(shown)) as server:
            answer: Answer = library.ask(sentence, model=server.url)
        assert [item.text for item in answer.statements] == [shown]
        (citation,) = answer.statements[0].citations
        (span,) = citation.spans
        assert citation.paper.id == paper_id and citation.quote == sentence == span.text
        assert answer.text == f"{shown} {citation.marker}" and f"p. {span.page}" in citation.marker
        paper, passage, again = library.citation(span.id)
        assert (paper.id, again.id, again.text, again.places) == (paper_id, span.id, span.text, span.places)
        assert passage.text[again.start : again.end] == sentence
        with pdfplumber.open(paper.files[0].path) as pdf:
            boxes = [pdf.pages[place.page - 1].crop(place.rect, strict=False).extract_text() for place in span.places]
        letters = "".join(filter(str.isalnum, "".join(boxes)))
        wanted = "".join(filter(str.isalnum, sentence))
        assert len(set(_grams(wanted)) & set(_grams(letters))) >= 0.9 * len(set(_grams(wanted))), (wanted, letters)
        assert library.open(span.id).size > (100, 100)


def test_the_exports_are_exactly_so(library: Library) -> None:
    """A report that says other words than the answer, or leads to another sentence, is worse than none."""
    for paper_id, sentence in sentences_of(library):
        shown = " ".join(sentence.split())
        with serve_script(_only(shown)) as server:
            answer: Answer = library.ask(sentence, model=server.url)
        paper, (citation,) = library.paper(paper_id), answer.statements[0].citations
        page = f"{citation.label}, p. {citation.spans[0].page}"
        text = exported(library, answer, "md")
        body, _, rest = text.partition("\n*model · ")
        assert body == f"# {escaped(sentence)}\n\n{escaped(shown)}[^1]\n"
        source = f"- \\[{escaped(citation.label)}\\] {escaped(paper.reference)}"
        link = f" [{escaped(paper.link)}](<{paper.link}>)"
        note = f"[^1]: {escaped(page)} “{escaped(sentence)}” {citation.spans[0].id}"
        assert rest.endswith(f"\n\n## Sources\n\n{source}{link}\n\n{note}\n")
        seen = Words(exported(library, answer, "html")).text
        assert seen.count(shown) >= 3 and page in seen and citation.spans[0].id in seen
        said = json.loads(exported(library, answer, "json"))
        (statement,) = said["statements"]
        assert (statement["text"], said["text"]) == (shown, f"{shown} [{page}]")
        (quoted,) = statement["citations"]
        assert (quoted["quote"], quoted["paper"]["id"]) == (sentence, paper_id)
        assert [tuple(place["rect"]) for span in quoted["spans"] for place in span["places"]] == [
            place.rect for place in citation.spans[0].places
        ]
        bibliography = io.StringIO()
        library.export("bibtex", bibliography, [paper_id])
        assert exported(library, answer, "bib") == bibliography.getvalue() != ""


def exported(library: Library, answer: Answer, to: str) -> str:
    held = io.StringIO()
    library.export_answer(answer.id, to, held)
    return held.getvalue()


class Words(HTMLParser):
    """The words of a page, as a reader sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data


def _only(sentence: str) -> Any:
    def write(body: dict[str, Any]) -> Any:
        name = next(name for name, text in evidence(body).items() if sentence in " ".join(text.split()))
        return {"answerable": True, "statements": [{"text": sentence, "evidence": [name]}], "missing": ""}

    return reader(sentence.lower(), write=write)


def _grams(text: str) -> list[str]:
    return [text[start : start + 6] for start in range(max(len(text) - 5, 1))]
