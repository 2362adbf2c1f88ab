"""Names of regions from phrases."""

import numpy as np
import pytest

from conspectus.map.region_namer import RegionNamer, write_name
from conspectus.map.region_phrases import MinedPaper, PhraseCounter, PhraseTable
from conspectus.map.review_model import review_log_odds
from conspectus.map.subject_model import singular_words, subject_log_odds


def table_of(texts: list[dict[str, float]], quality: dict[str, float] | None = None) -> PhraseTable:
    """Phrases of texts, each spelt as it is, and a subject unless `quality` says otherwise."""
    phrases = sorted({phrase for text in texts for phrase in text})
    rows = [np.array([row for row, text in enumerate(texts) if phrase in text], np.int64) for phrase in phrases]
    weights = [
        np.array([texts[row][phrase] for row in own], np.float32) for phrase, own in zip(phrases, rows, strict=True)
    ]
    good = np.array([(quality or {}).get(phrase, 1.0) for phrase in phrases], np.float32)
    return PhraseTable(phrases, phrases, good, rows, weights)


def names_of(
    texts: list[dict[str, float]], labels: list[tuple[int, int, int]], **how: float
) -> list[dict[int, set[str]]]:
    """The phrases of the names by levels, without vectors."""
    table = table_of(texts, how)
    made = RegionNamer(table, np.array(labels), np.ones((len(texts), 2), np.float32), None).names()
    return [{key: {table.phrases[one] for one in name.phrases} for key, name in level.items()} for level in made]


def test_a_large_region_is_called_after_what_all_its_parts_say() -> None:
    """Else a region of galaxies is called after the quasars that a tenth of it is about."""
    texts = [{"galaxy": 1.0, "quasar": 1.0}] * 10 + [{"galaxy": 1.0, "dwarf": 1.0}] * 10 + [{"planet": 1.0}] * 20
    labels = [(0, 0, 0)] * 10 + [(0, 1, 1)] * 10 + [(1, 2, 2)] * 20
    largest, middle, smallest = names_of(texts, labels)
    assert largest == {0: {"galaxy"}, 1: {"planet"}}
    assert middle == {0: {"quasar"}, 1: {"dwarf"}, 2: {"planet"}}
    assert smallest == middle, "a region that is all of another is called as that is"


def test_two_subjects_name_a_region_that_one_leaves_half_out() -> None:
    texts = [{"planet": 1.0}] * 8 + [{"comet": 1.0}] * 7 + [{"bread": 1.0}] * 15
    labels = [(0, 0, 0)] * 15 + [(1, 1, 1)] * 15
    assert names_of(texts, labels)[0] == {0: {"planet", "comet"}, 1: {"bread"}}


def test_what_is_no_subject_names_nothing_while_there_is_one() -> None:
    texts = [{"result": 1.0, "comet": 1.0}] * 6 + [{"result": 1.0}] * 2 + [{"bread": 1.0}] * 8
    labels = [(0, 0, 0)] * 8 + [(1, 1, 1)] * 8
    assert names_of(texts, labels, result=0.01)[0][0] == {"comet"}


def test_no_two_regions_of_a_level_share_a_phrase() -> None:
    texts = [{"star": 1.0}] * 6 + [{"star": 1.0, "dust": 1.0}] * 6
    labels = [(0, 0, 0)] * 6 + [(0, 1, 1)] * 6
    middle = names_of(texts, labels)[1]
    assert not middle[0] & middle[1] and "dust" in middle[1]


PAPERS = [
    MinedPaper(
        ("black hole", "AGN", "hole"),
        "Black holes in galaxies",
        "We show that active galactic nuclei (AGN) host black holes. The black hole of an AGN is large.",
    ),
    MinedPaper(("black hole", "active galactic nuclei"), "An AGN", "The AGN is near. There are black holes."),
    MinedPaper(("active galactic nuclei", "hole"), "On active galactic nuclei", "We see active galactic nuclei (AGN)."),
    MinedPaper(("active galactic nuclei",), "More", "We study active galactic nuclei (AGN) that lack black holes."),
]


def test_phrases_are_whole_written_out_and_spelt_as_usual() -> None:
    """Else regions are called AGN, hole, and Black Hole."""
    counter = PhraseCounter(paper.key_phrases for paper in PAPERS)
    counter.define(f"{paper.title}. {paper.abstract}" for paper in PAPERS)
    table = counter.table([counter.count(paper) for paper in PAPERS])
    assert list(table.phrases) == ["active galactic nuclei", "black hole"]
    assert list(table.spellings) == ["active galactic nuclei", "black holes"]
    assert table.rows[0].tolist() == [0, 1, 2, 3], "the second paper has only the short form"
    assert table.weights[1].tolist() == [1.0, 1.0, 0.5], "the last mentions them, and is about something else"


def test_capitals_of_titles_and_brackets_are_no_spelling() -> None:
    """Else regions are called `Faster Algorithms and kalman filter`, and `Anterior) temporal lobe`."""
    titles = ["Faster Algorithms", "Kalman Filter", "Faster Algorithms", "Kalman Filter"]
    text = "(Anterior) temporal lobe. Some are faster, few algorithms are, and Kalman knew."
    papers = [
        MinedPaper(("faster algorithm", "kalman filter", "anterior temporal lobe"), title, text) for title in titles
    ]
    counter = PhraseCounter(paper.key_phrases for paper in papers)
    counter.define(f"{paper.title}. {paper.abstract}" for paper in papers)
    table = counter.table([counter.count(paper) for paper in papers])
    assert set(table.spellings) == {"faster algorithms", "Kalman Filter", "anterior temporal lobe"}


@pytest.mark.parametrize(
    ("subject", "filler"), [("neural network", "result"), ("black hole", "nm"), ("quantum mechanics", "large scale")]
)
def test_subjects_are_told_from_words_of_prose(subject: str, filler: str) -> None:
    better, worse = subject_log_odds([subject, filler])
    assert better > worse + 1


def test_words_are_compared_in_the_singular() -> None:
    assert singular_words("parkinson s diseases") == "parkinson disease"
    assert singular_words("optics and galaxies") == "optics and galaxy"


def test_a_paper_that_only_begins_with_a_review_is_a_less_likely_one() -> None:
    """Else the paper on a new detector is the last review of detectors."""
    whole = "We review the theory and observations of stellar winds, recent progress and open questions. Topics include"
    begun = "We briefly review the model and then fit it to new data. We find that the mass is 3.2 at 90% confidence."
    assert review_log_odds("Stellar winds: theory and observations", whole) > 1 + review_log_odds("A new fit", begun)


@pytest.mark.parametrize(
    ("spellings", "name"),
    [
        (["black holes"], "Black holes"),
        (["dark matter", "Higgs bosons"], "Dark matter and Higgs bosons"),
        (["mRNA vaccines"], "mRNA vaccines"),
        (["water-Cherenkov detectors"], "Water-Cherenkov detectors"),
        (["p-type semiconductors"], "p-type semiconductors"),
        ([], ""),
    ],
)
def test_names_begin_with_a_capital(spellings: list[str], name: str) -> None:
    assert write_name(spellings) == name
