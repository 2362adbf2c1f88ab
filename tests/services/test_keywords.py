"""Keywords of questions, by which services are asked."""

import pytest

from conspectus.services.query_words import keywords_of


@pytest.mark.parametrize(
    ("question", "shorter"),
    [
        (
            "Does sex affect the outcome of laparoscopic cholecystectomy?",
            ("laparoscopic cholecystectomy sex affect", "laparoscopic cholecystectomy"),
        ),
        ("Are place cells\n in the hippocampus of rats?", ("hippocampus place cells", "hippocampus")),
        ("Place cells", ()),
        ("Why is it so?", ()),
        ("", ()),
    ],
)
def test_the_question_then_its_phrases(question: str, shorter: tuple[str, ...]) -> None:
    """A service that wants every word of a query would find nothing, and one that ranks would lose the question."""
    assert keywords_of(question) == (" ".join(question.split()), *shorter)
