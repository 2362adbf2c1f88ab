"""The sets with known answers, as they are in the shared data."""

from pathlib import Path

import pytest

from conspectus.core.errors import NotFoundError
from conspectus.evaluation import AnswerSet, known_answer_sets, load_answers
from conspectus.evaluation.question_sets import shrink_library

NAMES = ("astroqa", "pubmedqa", "bioasq", "bioasq_missing", "scifact", "qasa")


@pytest.fixture(params=NAMES)
def one(request: pytest.FixtureRequest, data: Path) -> AnswerSet:
    return load_answers(request.param, data)


def test_every_set_is_installed() -> None:
    assert set(NAMES) == set(known_answer_sets())


@pytest.mark.data
def test_questions_are_whole(one: AnswerSet) -> None:
    """A right option that is not shown, or gold that is not in the library, could never be met."""
    assert len({question.id for question in one.questions}) == len(one.questions) > 100
    for question in one.questions:
        assert question.text.strip()
        assert bool(question.options) == (question.right in question.options)
        assert len(set(question.options)) == len(question.options)
        assert question.options or question.answerable is not None


@pytest.mark.data
def test_gold_is_in_the_library(one: AnswerSet) -> None:
    if one.papers is None:  # asked of the model alone, or of a library of one's own
        assert not any(question.gold for question in one.questions)
        return
    texts = {paper.id: f"{paper.title} {paper.abstract}" for paper in one.papers.documents()}
    authors = {author for paper in one.papers.documents() for author in paper.authors}
    gold = [(name, text) for question in one.questions for name, said in question.gold.items() for text in said]
    assert all(name in texts for question in one.questions for name in question.gold)
    assert all(text.strip() in texts[name] for name, text in gold)
    assert all(not question.author or question.author in authors for question in one.questions)
    few = shrink_library(one, one.questions[:3], 2, 0)
    assert few.papers and set(one.questions[0].gold) <= {paper.id for paper in few.papers.documents()}


@pytest.mark.data
def test_half_the_questions_have_no_papers_left(data: Path) -> None:
    """What is called unanswerable must not have its papers in the library; what is answerable, all of them."""
    whole = {one.id: set(one.gold) for one in load_answers("bioasq", data).questions}
    missing = load_answers("bioasq_missing", data)
    assert missing.papers
    there = {paper.id for paper in missing.papers.documents()}
    for question in missing.questions:
        assert whole[question.id] <= there if question.answerable else not whole[question.id] & there


def test_absent_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no folder 'astroqa'"):
        load_answers("astroqa", tmp_path)
