"""When `ask` without a language model says no, and what it says then."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conspectus import Library
from conspectus.answer import answerable
from conspectus.answer.answerable import Measured, measures
from conspectus.answer.factual_sentences import words_of
from conspectus.answer.requested_kind import requested_kind
from conspectus.answer.sentence_model import MEASURES
from conspectus.search.encoded_query import QueryWords
from conspectus.wire.answer_text import blocks
from helpers import HashEmbedder, open_library, write_jsonl

RECORDS = [
    {
        "title": "Radio sources",
        "abstract": "The pulsar in the crab nebula was found with a radio dish and its period is short. "
        "The pulsar in the nebula was found by Jocelyn Bell with a dish in 1967. "
        "Twelve dishes of steel looked at the pulsar in the nebula.",
        "authors": ["Hewish, Antony"],
        "year": 1968,
    },
    {"title": "Cats", "abstract": "Cats purr when they are warm and happy. They sleep all day long."},
]


class Known(HashEmbedder):
    """Says to be the embedder that the probability is made for."""

    def __init__(self) -> None:
        super().__init__(f"{answerable.model().embedder}/test")


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib", answer__threshold=0.1) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", RECORDS))
        yield library


@pytest.mark.parametrize(
    ("question", "has", "thing"),
    [
        ("In which year was the pulsar in the nebula found?", "1967", "a year"),
        ("Who found the pulsar in the nebula?", "Bell", "a name"),
        ("How many dishes looked at the pulsar in the nebula?", "Twelve dishes", "a number"),
    ],
)
def test_what_is_asked_for_stands_in_what_is_quoted(library: Library, question: str, has: str, thing: str) -> None:
    """Else "in which year" is answered by sentences without one, as long as they have the question's other words."""
    assert (found := requested_kind(question)) and found.thing == thing
    answer = library.ask(question)
    assert answer.answered and all(has in one.text for one in answer.statements)


def test_without_the_thing_there_is_no_answer(library: Library) -> None:
    """Nor is a far sentence taken because it happens to have one, nor the year of what is cited."""
    found = requested_kind("In which year was it found?")
    assert found and not found.is_in("It was found early (Bell et al. 1967).") and found.is_in("Bell (1967) found it.")
    answer = library.ask("In which year were cats warm and happy?")
    assert not answer.answered and "a year" in answer.reason and answer.closest
    kept = library.answers.show(answer.id).answer
    assert kept.closest == answer.closest and answer.closest.quote in str(answer)
    library.remove(answer.closest.paper.id)
    assert library.answers.show(answer.id).answer.closest is None, "it goes with its paper"


@pytest.mark.parametrize(
    "sentence",
    [
        "Smith (2019) found many sources.",
        "Smith and Jones (2019a, b) saw many sources [12].",
        "Rubin et al. 1980 saw many sources.",
        "Many sources have been seen since 1998.",
        "Many sources are listed in Table 2 and drawn in Fig. 3b.",
        "COVID-19 and IL-6 are among the sources (p < 0.05).",
    ],
)
def test_how_many_is_not_answered_by_a_year_or_a_label(sentence: str) -> None:
    """Else the year of a citation, the number of a figure or of a gene passes for the number asked for."""
    found = requested_kind("How many sources are there?")
    assert found and not found.is_in(sentence)
    assert found.is_in(f"Of 2000 sources few vary. {sentence}") and found.is_in(f"{sentence} There were twelve.")


@pytest.mark.parametrize(
    "question",
    [
        "A herd immunity of what percentage of the population is required?",
        "What is the percentage of individuals at risk?",
        "What was the number of patients in the trial?",
    ],
)
def test_numbers_are_asked_for_in_other_words_too(question: str) -> None:
    """Else sentences without a number answer them."""
    assert (found := requested_kind(question)) and found.thing == "a number"


@pytest.mark.parametrize(
    "question",
    ["How much does sleep matter to cats?", "When does a cat purr?", "Who benefits from sleep?", "How do cats sleep?"],
)
def test_what_needs_no_number_or_name_is_not_held_to_one(question: str) -> None:
    """Else questions are refused that plain sentences answer."""
    assert requested_kind(question) is None


def test_a_false_premise_is_told(library: Library) -> None:
    """Else an answer about another object, or about a paper that nobody wrote, passes for one."""
    answer = library.ask("Which radio dish found the pulsar Vela-7 in the nebula?")
    assert not answer.answered and "'Vela-7'" in answer.reason
    answer = library.ask("What did Smith et al. (2019) find in the nebula with a radio dish?")
    assert not answer.answered and "Smith from 2019" in answer.reason
    assert library.ask("What did Hewish et al. (1968) find in the nebula with a radio dish?").answered
    assert library.ask("Which radio dish found the pulsar in the Crab nebula?").answered


def test_a_designation_is_more_than_its_parts(tmp_path: Path, quick_pool: None) -> None:
    """Else a satellite that nobody built is known because another has its name and some table its number."""
    text = "The satellite Sentinel-3 of the nebula programme saw 9 fires, and NGC 1275 was seen with the dish in 2020."
    with open_library(tmp_path / "lib", answer__threshold=0.1) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", [{"title": "Fires", "abstract": text}]))
        for name in ("Sentinel-9", "NGC 2020"):
            answer = library.ask(f"What fires did the satellite {name} see?")
            assert not answer.answered and f"'{name}'" in answer.reason
        for name in ("Sentinel-3", "Sentinel 3", "NGC 1275", "NGC-1275"):
            assert "No paper" not in library.ask(f"What fires did the satellite {name} see?").reason


def test_another_object_is_no_evidence(tmp_path: Path, quick_pool: None) -> None:
    """Else a question on M87 is answered by the masses of other galaxies' black holes."""
    records = [
        {"title": "Jets", "abstract": "The jet of M87 was seen with a dish. It is bent."},
        {
            "title": "Masses",
            "abstract": "The mass of the black hole is 7 million suns. The galaxy was seen.",
        },
    ]
    with open_library(tmp_path / "lib", answer__threshold=0.1) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", records))
        answer = library.ask("How large is the mass of the black hole of M87, seen with a dish?")
        assert not any("7 million" in one.text for one in answer.statements)
        answer = library.ask("How large is the mass of the black hole, seen with a dish?")
        assert any("7 million" in one.text for one in answer.statements)


def test_a_name_with_something_hung_on_it_is_that_name(tmp_path: Path, quick_pool: None) -> None:
    """Else a question on "HIV-related" behaviour is refused although the paper that answers speaks of HIV."""
    records = [
        {"title": "Students", "abstract": "Risk of HIV was 9 per cent in students who were seen at school."},
        {"title": "Teachers", "abstract": "Risk was 3 per cent in teachers who were seen at school."},
    ]
    with open_library(tmp_path / "lib", answer__threshold=0.1) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", records))
        for name in ("HIV-related", "HIV--related", "HIV/AIDS"):
            answer = library.ask(f"How large is the {name} risk that was seen at school?")
            assert [one.text[:11] for one in answer.statements] == ["Risk of HIV"], name


def test_a_symbol_is_known_however_it_is_written(tmp_path: Path, quick_pool: None) -> None:
    """Else the S8 tension is in no paper, since they write it in TeX."""
    records = [{"title": f"Survey {number}", "abstract": f"The {text} tension of the surveys is a matter of galaxies."}
               for number, text in enumerate(("$S_8$", "S₈", "$S_{8}$"))]  # fmt: skip
    for number, record in enumerate(records):
        with open_library(tmp_path / f"lib{number}", answer__threshold=0.1) as library:
            library.add(write_jsonl(tmp_path / f"{number}.jsonl", [record]))
            for name in ("S8", "S_8", "S₈"):
                answer = library.ask(f"What is the {name} tension of the surveys of galaxies?")
                assert answer.answered, (record, name, answer.reason)
            assert "'S9'" in library.ask("What is the S9 tension of the surveys of galaxies?").reason


@pytest.mark.model
def test_words_in_capitals_and_of_other_languages_are_no_names(tmp_path: Path, quick_pool: None) -> None:
    """Else "WHERE" has to be the name of something, and "viele" a word of specialists."""
    with Library(tmp_path / "lib", {"parse.workers": 1}) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", RECORDS))
        for question in ("WHEN do cats PURR?", "Wie viele Katzen schlafen am ganzen Tag?"):
            reason = library.ask(question).reason
            assert "which the question is about" not in reason and "The question is about" not in reason, reason


def words() -> QueryWords:
    return QueryWords(("pulsar", "nebula", "found"), (3, 5, 400), 1000)


def passage(paper: str, cosine: float, near: float, text: str = "Nothing of that is said here.") -> Measured:
    each = np.full(3, near, np.float32)
    rows = np.zeros((1, len(MEASURES)), np.float32)
    return Measured(paper, (), (words_of(text),), cosine, each, each[None, :], rows, np.array([near / 2], np.float32))


def quotes(read: list[Measured]) -> list[tuple[str, float]]:
    return [(one.paper, float(one.bears[0])) for one in read]


def test_the_nearer_and_the_farther_ahead_the_more_probable() -> None:
    """Else what looks like an answer is refused, and what does not is quoted."""
    others = [passage(f"p{number}", 0.4, 0.4) for number in range(11)]
    best = passage("best", 0.8, 0.9, "A pulsar was found in the nebula.")
    told = [
        answerable.probability(answerable.model().embedder, words(), read, quotes(read))
        for read in ([best, *others], [passage("best", 0.55, 0.6), *others], others)
    ]
    assert None not in told
    first, second, third = (float(one or 0) for one in told)
    assert first > 0.8 > second > 0.25 > third


def test_where_it_cannot_be_told_it_is_not() -> None:
    """A number for another embedder would be made up."""
    read = [passage("p", 0.8, 0.9)]
    embedder, best = answerable.model().embedder, quotes(read)
    assert answerable.probability("another/1", words(), read, best) is None
    assert answerable.probability(embedder, QueryWords((), (), 1000), read, best) is None
    assert answerable.probability(embedder, words(), [], best) is None
    assert answerable.probability(embedder, words(), read, []) is None


def test_the_model_has_the_measures_that_are_taken() -> None:
    """Else a measure is multiplied with the weight of another."""
    made = answerable.model()
    assert made.names and not set(made.names) - measures(words(), [passage("p", 0.8, 0.9)], [("p", 0.5)]).keys()
    assert len(made.names) == len(made.means) == len(made.deviations) == len(made.hidden) - 1
    assert len(made.output) == len(made.hidden[0]) + len(made.names) + 1


def test_the_probability_decides_and_is_shown(tmp_path: Path, quick_pool: None) -> None:
    """Else nobody can say how sure to be, or ask for more or less of it; and it is kept with the answer."""
    question = "Which dish found the pulsar in the nebula?"
    with open_library(tmp_path / "lib", Known(), answer__probability=0.0) as library:
        library.add(write_jsonl(tmp_path / "some.jsonl", RECORDS))
        answer = library.ask(question)
        assert answer.answered and answer.probability is not None and 0 <= answer.probability <= 1
        assert library.answers.show(answer.id).answer.probability == answer.probability
    with open_library(tmp_path / "lib", Known(), answer__probability=1.0) as library:
        answer = library.ask(question)
        assert not answer.answered and "answer.probability" in answer.reason and "needed: 1.00" in answer.reason
        first, *_ = blocks(answer, ids=False)
        assert str(first[0]) == "No passage answers this question.", "it said 'No', as if that were the answer"
    with open_library(tmp_path / "lib", Known(), answer__probability=1.0, answer__threshold=0.1) as library:
        assert not library.ask(question).answered, "answer.threshold is for other embedders"


@pytest.mark.parametrize("question", ["What did Hewish find in the crab nebula?", "What does Astronomy say of cats?"])
def test_who_wrote_and_where_it_stands_is_known(tmp_path: Path, quick_pool: None, question: str) -> None:
    """Else the library is said not to have an author or a journal that it has."""
    records = [RECORDS[0], {**RECORDS[1], "venue": "Annals of Astronomy"}]
    with open_library(tmp_path / "lib", answer__threshold=0.1) as library:
        library.add([write_jsonl(tmp_path / "records.jsonl", records)])
        assert "No paper in the library mentions" not in str(library.ask(question))
