"""What is declined, and what is not: counting papers, not facts that have numbers in them."""

import gzip
import json
from pathlib import Path

import pytest

from conspectus.answer.out_of_scope import declined
from helpers import open_library, read_cases, write_jsonl

CASES = read_cases(__file__)


@pytest.mark.parametrize("question", CASES["counting_is_declined"])
def test_counting_is_declined(question: str) -> None:
    """A number made up from twenty passages would look like a count."""
    assert "`count WORDS`" in declined(question)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many papers on grid cells are there?", "2 papers have these words: `count grid cells`."),
        ("How many rat studies of 2018?", "1 paper has these words: `count rat year=2018`."),
        (
            "Count the articles about cells between 2015 and 2019",
            "1 paper has these words: `count cells year=2015..2019`.",
        ),
        ("how many articles on grid cells since 2019", "1 paper has these words: `count grid cells year=2019..`."),
        ("how many articles on grid cells before 2019?", "1 paper has these words: `count grid cells year=..2018`."),
        ("How many papers on rats have appeared since 2018?", "1 paper has these words: `count rats year=2018..`."),
        ("How has the number of papers on cells grown from year to year?", "2 papers have these words: `count cells`."),
        ("How many papers are there?", ""),
        ("Which author has published the most?", ""),
    ],
)
def test_what_is_declined_is_counted_instead(tmp_path: Path, question: str, reason: str) -> None:
    """Who asks how many papers there are is told where to count, and has to ask again."""
    records = [
        {"title": "Grid cells in rats", "abstract": "Cells fire.", "year": 2018},
        {"title": "Grid cells in bats", "abstract": "Cells fire.", "year": 2020},
    ]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records))
        answer = library.ask(question)
        assert not answer.answered and answer.reason.startswith(f"{reason} Conspectus does not count".strip())
        sums = library.ask("Calculate the mean number of papers on cells over all papers of the library.").reason
        assert sums.startswith("Conspectus does not calculate"), "nobody asked how many have these words"


@pytest.mark.parametrize(
    "question",
    [
        "Calculate the mean sample size of the papers in the library.",
        "What is the average effect size across all studies?",
        "What is the median redshift over all papers?",
        "2 + 2 * (3 - 1)",
        "What is 17 * 23?",
        "How many participants were studied in total, over all papers on addiction?",
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
