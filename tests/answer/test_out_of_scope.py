"""What is declined, and what is not: counting papers, not facts that have numbers in them."""

import gzip
import json
from pathlib import Path

import pytest

from conspectus.answer.out_of_scope import declined
from helpers import read_cases

CASES = read_cases(__file__)


@pytest.mark.parametrize("question", CASES["counting_is_declined"])
def test_counting_is_declined(question: str) -> None:
    """A number made up from twenty passages would look like a count."""
    assert "`count WORDS`" in declined(question)


@pytest.mark.parametrize(
    "question",
    [
        "Calculate the mean sample size of the papers in the library.",
        "What is the average effect size across all studies?",
        "What is the median redshift over all papers?",
        "2 + 2 * (3 - 1)",
        "What is 17 * 23?",
        "Plot the distribution of years over the collection.",
    ],
)
def test_calculating_is_declined(question: str) -> None:
    """Nobody should get a mean that nobody calculated."""
    assert "export" in declined(question)


@pytest.mark.parametrize("question", CASES["facts_with_numbers_are_answered"])
def test_facts_with_numbers_are_answered(question: str) -> None:
    """A question for a number that a paper reports is an ordinary question."""
    assert not declined(question)


def test_a_long_question_takes_no_time() -> None:
    """A hostile question cannot stop the program."""
    for part in ("how many ", "calculate the mean ", "number of all ", "1+", "which "):
        assert isinstance(declined(part * 5000), str)


@pytest.mark.data
def test_questions_of_researchers_are_not_declined(data: Path) -> None:
    """Of some thousand real questions about biomedicine and astronomy hardly one counts papers."""
    questions = []
    for name, key in (("pubmedqa/pqal.jsonl.gz", "question"), ("bioasq/questions.jsonl.gz", "question")):
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            questions += [found for line in lines if (found := json.loads(line).get(key))]
    assert len(questions) > 1000
    assert sum(bool(declined(question)) for question in questions) <= len(questions) // 500
