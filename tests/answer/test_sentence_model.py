"""Which sentence bears an answer: zones, measures, sentences that cannot be read alone, words in other forms."""

from pathlib import Path

import numpy as np
import pytest

from conspectus.answer.missing_words import is_abbreviation, is_spelt_out, plain_letters
from conspectus.answer.sentence_model import MEASURES, OF_ALL, compare_passages, is_dangling, load_bearing_model
from conspectus.answer.zones import ZONES, hash_features, load_zone_model
from helpers import open_library, write_jsonl


@pytest.mark.parametrize(
    ("sentence", "place", "zone"),
    [
        ("Little is known about the neural basis of sarcasm in schizophrenia.", 0, "background"),
        ("The aim of this study was to determine whether sleep loss alters attention.", 1, "aim"),
        ("PubMed and Embase databases were searched for studies published until May 2020.", 1, "method"),
        ("Patients showed significantly lower activation in the left insula than controls (P < 0.05).", 2, "result"),
        ("CONCLUSIONS: These findings suggest that early treatment may prevent relapse.", 3, "conclusion"),
        ("This article is part of a Special Issue entitled Human Auditory Neuroimaging.", 3, "notice"),
    ],
)
def test_what_a_sentence_does_in_its_paper(sentence: str, place: int, zone: str) -> None:
    """Else introductions, aims and notices of publishers are quoted for answers."""
    texts = ["Sleep is common.", "It was studied often.", "There is more."]
    texts.insert(place, sentence)
    likely = load_zone_model().probabilities(list(hash_features(texts, abstract=True)))
    assert likely.shape == (4, len(ZONES)) and np.allclose(likely.sum(axis=1), 1, atol=1e-4)
    assert ZONES[int(likely[place].argmax())] == zone


def test_the_model_has_the_measures_that_are_taken() -> None:
    """Else a measure is multiplied with the weight of another."""
    made = load_bearing_model()
    assert tuple(made.names) == MEASURES and len(made.hidden) == len(MEASURES) + 1
    assert len(made.output) == len(made.hidden[0]) + len(MEASURES) + 1
    assert made.probabilities(np.zeros((2, len(MEASURES)), np.float32)).shape == (2,)


def test_passages_are_held_against_the_best() -> None:
    """Else a sentence of a paper on another subject counts as much as one of the right paper."""
    rows = np.zeros((1, len(MEASURES) - len(OF_ALL)), np.float32)
    near, far = rows.copy(), rows.copy()
    near[0, MEASURES.index("cosine")], far[0, MEASURES.index("cosine")] = 0.8, 0.5
    first, second = compare_passages([near, far])
    assert first[0, -1] == 0 and second[0, -1] == pytest.approx(-0.3)
    assert compare_passages([]) == []


@pytest.mark.parametrize(
    ("sentence", "dangles"),
    [
        ("This suggests a halo.", True),
        ("However, they rose again.", True),
        ("These results indicate a halo.", True),
        ("This study found a halo.", False),
        ("It is known that haloes are dark.", False),
        ("Thistles grow here.", False),
        ("The halo is dark.", False),
    ],
)
def test_what_cannot_be_read_alone(sentence: str, dangles: bool) -> None:
    """Else a reader does not know what "this" is."""
    assert is_dangling(sentence) == dangles


def test_a_dangling_sentence_comes_with_the_one_before(tmp_path: Path, quick_pool: None) -> None:
    """Both sentences are cited, so that each can be opened."""
    text = "Cats sleep all day. A dark halo lies around the galaxy. It keeps the rotation curve of the galaxy flat."
    with open_library(tmp_path / "lib", answer__threshold=0.1, answer__statements=1) as library:
        library.add(write_jsonl(tmp_path / "one.jsonl", [{"title": "Halo", "abstract": text}]))
        (statement,) = library.ask("What keeps the rotation curve flat?").statements
    (citation,) = statement.citations
    assert [span.text for span in citation.spans] == [
        "A dark halo lies around the galaxy.",
        "It keeps the rotation curve of the galaxy flat.",
    ]
    assert statement.text == citation.quote == " … ".join(span.text for span in citation.spans)


def test_a_word_in_another_form_is_not_missing() -> None:
    """Else a question is refused for a word that stands there abbreviated, spelt out, or in Greek letters."""
    assert is_abbreviation("Sgr", "Sagittarii") and not is_abbreviation("Ori", "Sagittarii")
    assert is_spelt_out("uws", "the unresponsive wakefulness syndrome is rare".split())
    assert not is_spelt_out("uws", "the unresponsive patients slept".split())
    assert plain_letters("N-acetyl-aspartate") in plain_letters("the N-acetylaspartate of patients")
    assert plain_letters("α Orionis") == plain_letters("alpha Orionis")
    assert plain_letters("apnoea") == plain_letters("apnea")
