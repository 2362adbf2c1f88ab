"""`ask` without a language model: exact quotes, each with its place, or an honest no."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conspectus import Answer, Filters, Library
from conspectus.answer.sentences import overlap
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.records.events import Done, Searching, StatementChecked
from helpers import InlinePool, markdown, open_library, write, write_jsonl

QUESTION = "Why does the rotation curve of the galaxy stay flat?"
HALO = "The rotation curve of the galaxy stays flat because a dark halo surrounds it."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answer")
    paragraph = (
        f"Does the rotation curve of the galaxy stay flat? {HALO} "
        "The flat rotation curve of the galaxy needs mass beyond the stars of its disc. "
        "Stay flat, galaxy. "
        "The curve of rotation stays flat in the galaxy out to forty kiloparsecs. "
        "We thank our families and the staff of the observatory for their patience."
    )
    papers = [
        write(
            folder / "one.md",
            markdown(
                "Dark halos",
                paragraph,
                "A galaxy with a flat rotation curve has a halo of dark mass. " + paragraph[49:],
                authors="Rubin, Vera",
                year="1980",
            ),
        ),
        write_jsonl(
            folder / "refs.jsonl",
            [
                {"title": "Copy", "abstract": HALO + " It was said before.", "doi": "10.1000/copy", "year": 1990},
                {
                    "title": "Gravity",
                    "abstract": "In modified gravity the galaxy keeps a flat rotation curve without any halo.",
                    "authors": ["Rubin, Vera"],
                    "year": 1980,
                },
                {"title": "Cats", "abstract": "Cats purr when they are warm and happy. They sleep all day long."},
            ],
        ),
    ]
    with pytest.MonkeyPatch.context() as patch, open_library(folder / "lib") as library:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        library.add(papers)
    return folder / "lib"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder, answer__threshold=0.2) as library:
        yield library


def quotes(answer: Answer) -> list[str]:
    return [statement.text for statement in answer.statements]


def test_quotes_are_exactly_what_the_paper_says(library: Library) -> None:
    """The promise: every statement traceable to its sentence, word by word."""
    answer = library.ask(QUESTION)
    assert answer.answered and answer.reason == "" and answer.method == "extractive"
    assert answer.question == QUESTION and answer.models == ("hash/1",)
    assert HALO in quotes(answer)
    for statement in answer.statements:
        (citation,) = statement.citations
        (span,) = citation.spans
        passage = next(p for p in library.passages(citation.paper.id) if p.id == citation.passage_id)
        assert statement.text == citation.quote == span.text == passage.text[span.start : span.end]
        assert statement.status == "quoted"
        assert library.citation(span.id)[0].id == citation.paper.id
        assert statement.text in answer.text and citation.marker in answer.text
    assert answer.usage.seconds > 0 and answer.usage.passages > 0 and answer.usage.sentences >= len(answer.statements)
    assert library.ask(QUESTION).statements == answer.statements, "the same again"


def test_no_neighbours_no_copies_no_fragments(library: Library) -> None:
    """Else the answer says one thing three times."""
    answer = library.ask(QUESTION)
    said = quotes(answer)
    assert len(said) == len(set(said))
    words = [frozenset(text.lower().rstrip(".").split()) for text in said]
    for number, one in enumerate(words):
        assert all(overlap(one, other) < 0.75 for other in words[:number])
    assert not any(text.endswith("?") for text in said), "a question is no answer"
    assert "Stay flat, galaxy." not in said, "too short to say anything"
    for statement in answer.statements:
        for other in answer.statements:
            one, two = statement.citations[0], other.citations[0]
            if statement is not other and one.passage_id == two.passage_id:
                passage = next(p for p in library.passages(one.paper.id) if p.id == one.passage_id)
                places = [span.id for span in passage.spans]
                assert abs(places.index(one.spans[0].id) - places.index(two.spans[0].id)) > 1


def test_several_papers_speak(library: Library) -> None:
    """Else one paper is taken for the literature; and no label may mean two papers."""
    answer = library.ask(QUESTION)
    named = {statement.citations[0].paper.id: statement.citations[0].marker for statement in answer.statements}
    assert len(named) >= 2
    assert len(set(named.values())) == len(named), named


@pytest.mark.parametrize(("per_paper", "statements"), [(1, 5), (2, 2), (1, 1), (5, 3)])
def test_bounds_are_kept(folder: Path, per_paper: int, statements: int) -> None:
    """Else the settings have no effect."""
    with open_library(
        folder, answer__threshold=0.0, answer__per_paper=per_paper, answer__statements=statements
    ) as library:
        answer = library.ask(QUESTION)
        papers = [statement.citations[0].paper.id for statement in answer.statements]
        assert 0 < len(papers) <= statements
        assert max(papers.count(paper) for paper in papers) <= per_paper


def test_a_filter_that_no_paper_passes_is_named(library: Library) -> None:
    """A misspelt author would look like a question that nobody answers."""
    reason = library.ask("What do mitochondria do?", Filters(author=("Nobody",))).reason
    assert "No paper has the author 'Nobody'." in reason


def test_an_honest_no(folder: Path) -> None:
    """Else an answer is made up of whatever is nearest."""
    with open_library(folder, answer__threshold=0.99) as library:
        answer = library.ask("Which enzyme cuts the plasmid of this bacterium?")
        assert not answer.answered and answer.statements == () and answer.text == ""
        assert "0.99" in answer.reason and "answer.threshold" in answer.reason


def test_an_empty_library_or_a_filter_that_nothing_passes(library: Library, tmp_path: Path) -> None:
    """Else the reason that is given is wrong."""
    assert "filters" in library.ask(QUESTION, Filters(year=(1800, 1801))).reason
    with open_library(tmp_path / "empty") as empty:
        answer = empty.ask(QUESTION)
        assert not answer.answered and "`add" in answer.reason


def test_filters_hold_for_every_citation(library: Library) -> None:
    """Else an answer 'from 1990 on' cites what is older."""
    answer = library.ask(QUESTION, Filters(year=(1990, None)))
    assert answer.answered
    assert {statement.citations[0].paper.year for statement in answer.statements} == {1990}


@pytest.mark.parametrize("question", ["", "  ", "\n", "?", "  ?!"])
def test_an_empty_question_is_refused(library: Library, question: str) -> None:
    with pytest.raises(UsageError):
        library.ask(question)


@pytest.mark.parametrize("question", ["the of", "AND OR (", "\ud800", "x" * 10_000])
def test_no_other_question_is_an_error(library: Library, question: str) -> None:
    """Else a stray key ends in a traceback."""
    answer = library.ask(question)
    assert answer.answered or answer.reason


def test_without_blocking_and_as_events(library: Library) -> None:
    """Else a server stands still while one user asks."""

    async def both() -> tuple[Answer, list[object]]:
        return await library.aask(QUESTION), [event async for event in library.stream(QUESTION)]

    answer, events = asyncio.run(both())
    assert answer.statements == library.ask(QUESTION).statements
    assert events[0] == Searching(QUESTION)
    assert [event.statement for event in events[1:-1] if isinstance(event, StatementChecked)] == list(answer.statements)
    assert isinstance(events[-1], Done) and events[-1].answer.statements == answer.statements


class TestOpen:
    """From a citation to the lit sentence on its page."""

    @pytest.fixture
    def pdf(self, tmp_path: Path, examples: Path) -> Path:
        return Path(shutil.copy(examples / "papers" / "action-potential.pdf", tmp_path / "paper.pdf"))

    @pytest.fixture
    def library(self, tmp_path: Path, pdf: Path, quick_pool: None) -> Iterator[Library]:
        with open_library(tmp_path / "lib", answer__threshold=0.0) as library:
            library.add([pdf, write(tmp_path / "words.md", markdown("Words", "Only words stand here, on no page."))])
            yield library

    def test_the_sentence_is_lit(self, library: Library) -> None:
        """Else a reader has to search the page for what was cited."""
        answer = library.ask("What did Hodgkin and Huxley measure with the voltage clamp?", Filters(full_text=True))
        spans = [
            statement.citations[0].spans[0] for statement in answer.statements if statement.citations[0].spans[0].places
        ]
        assert spans
        for span in spans:
            picture = np.asarray(library.open(span.id, scale=1.0).convert("RGB")).astype(int)
            height, width, _ = picture.shape
            tinted = picture.max(axis=2) - picture.min(axis=2) > 40
            for place in span.places:
                x0, y0, x1, y1 = place.rect
                assert 0 <= x0 < x1 <= width + 1 and 0 <= y0 < y1 <= height + 1
                if place.page == span.page:
                    assert tinted[int(y0) + 1 : int(y1), int(x0) + 1 : int(x1)].mean() > 0.3

    def test_a_changed_or_moved_file_is_told(self, library: Library, pdf: Path) -> None:
        """Else the rectangles of the old version are drawn on the new one."""
        span = next(span for passage in library.passages(str(pdf)) for span in passage.spans if span.page)
        raw = pdf.read_bytes()
        pdf.write_bytes(raw + b"\n%changed")
        with pytest.raises(NotFoundError) as caught:
            library.open(span.id)
        assert "paper.pdf" in caught.value.message and caught.value.hint
        pdf.unlink()
        with pytest.raises(NotFoundError):
            library.open(span.id)
        pdf.write_bytes(raw)
        assert library.open(span.id, scale=1.0).size[0] > 100

    def test_what_has_no_pages_is_told(self, library: Library) -> None:
        """Else Markdown ends in a traceback; the sentence itself is said instead."""
        span = next(library.passages("Words")).spans[0]
        with pytest.raises(InputError) as caught:
            library.open(span.id)
        assert span.text in caught.value.hint

    def test_an_unknown_sentence_is_told(self, library: Library) -> None:
        for name in ("", "x", "nothing.sabc", next(library.papers()).id):
            with pytest.raises(NotFoundError):
                library.open(name)
