"""Sentences in which papers say what limits them."""

from conspectus.records import Passage, Span
from conspectus.review.report.limitations import limitation_odds, surest_limitation

LIMITS = [
    "However, the sample size of this study was small, which limits the generalization of our results.",
    "The cross-sectional design of this study precludes conclusions about causality.",
    "Future studies with larger samples are needed to confirm these findings.",
]
OTHERS = [
    "Participants gave written informed consent before the experiment.",
    "The scanner was a 3 T Siemens Trio with a 32-channel head coil.",
    "Caffeine raised the heart rate of mice by twenty beats.",
]


def passage(*texts: str, section: str = "Discussion") -> Passage:
    starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    spans = tuple(
        Span(f"p.s{number}", start, start + len(text), text)
        for number, (start, text) in enumerate(zip(starts, texts, strict=True))
    )
    return Passage("p.a", "p", "body", section, " ".join(texts), spans)


def test_limitations_are_surer_than_other_sentences() -> None:
    """A report would quote methods under its limitations."""
    assert limitation_odds(LIMITS).min() > limitation_odds(OTHERS).max()


def test_the_surest_sentence_of_a_paper_is_taken() -> None:
    """A paper that says nothing of limits must not seem to, and references never do."""
    found = surest_limitation([passage(*OTHERS), passage(OTHERS[0], LIMITS[0], OTHERS[1])])
    assert found and found[1].text == LIMITS[0]
    assert surest_limitation([passage(*OTHERS)]) is None and surest_limitation([]) is None
    assert surest_limitation([passage(LIMITS[0], section="References")]) is None
