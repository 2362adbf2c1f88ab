"""The kind of a question without a language model: how often it is right, why, what it suggests and breaks down."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from routing_cases import (
    accuracy,
    all_flags,
    cases,
    every_flag,
    halves,
    kinds,
    macro_f1,
    majority,
    of_flag,
    of_kind,
    route_cases,
)

from conspectus.core.errors import UsageError
from conspectus.models.minilm import plain_words
from conspectus.models.store import ModelStore
from conspectus.records import QUESTION_FLAGS, QUESTION_KINDS, Suggestion
from conspectus.search.question_flags import FORMS_ONLY, WordKnowledge, find_jargon, find_names
from conspectus.search.router import FLAG_ROWS, KIND_ROWS, LONGEST, route_question, suggest_settings
from conspectus.search.subquestions import split_question
from helpers import read_cases

CASES = read_cases(__file__)


def test_the_questions_are_what_they_are_said_to_be() -> None:
    """Else the figures are of another set: repeated questions, or a half without one of the kinds."""
    every = cases()
    assert len(every) == len({case.question for case in every}) == 150
    for half in halves().values():
        assert len(half) == 75
        assert all(12 <= sum(case.kind == kind for case in half) <= 13 for kind in QUESTION_KINDS)
        assert all(sum(flag in case.flags for case in half) >= 5 for flag in QUESTION_FLAGS)


def test_kinds_are_told() -> None:
    """A question would be searched with the settings of another kind (by chance: 0.17).
    The model never saw this half."""
    found = route_cases(halves()["held out"], route_question)
    assert accuracy(found) >= max(0.88, 4 * majority(found))
    assert macro_f1(found) >= 0.88
    assert all(of_kind(found, kind).f1 >= 0.7 for kind in QUESTION_KINDS)


def test_kinds_are_told_of_many_fields_and_ways_of_asking() -> None:
    """Keywords, fragments, statements, wrong spelling and small talk would be taken for something else. The model was
    made without this part of the questions."""
    sealed = [one for one in kinds() if one.sealed and not one.other_language]
    assert len(sealed) > 250 and len({one.field for one in sealed}) > 15
    for kind in QUESTION_KINDS:
        chosen = [one for one in sealed if one.kind == kind]
        assert sum(route_question(one.question).kind == kind for one in chosen) / len(chosen) >= 0.82, kind
    assert sum(route_question(one.question).kind == one.kind for one in sealed) / len(sealed) >= 0.88


def test_kinds_in_other_languages() -> None:
    """A question in Spanish would get no settings, one in Polish those of words that nobody understood."""
    sealed = [one for one in kinds() if one.sealed and one.other_language]
    assert len(sealed) > 60
    assert sum(route_question(one.question).kind == one.kind for one in sealed) / len(sealed) >= 0.9
    assert route_question("¿Cómo se forman las galaxias?").flags == ()
    assert route_question("Wie entstehen Monde?").flags == ()
    assert route_question("Co to jest egzoplaneta?").suggested is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How would galaxy evolution differ in a universe with no dark matter?", "what-if"),
        ("Could a faint dwarf galaxy and a star cluster be the same thing?", "what-if"),
        ("What is the impact of modeling assumptions on the mass of the Milky Way galaxy?", "multi-paper"),
        ("Are there open source radiative transfer codes for stellar or planetary atmospheres?", "multi-paper"),
        ("Do AGN quench star formation in galaxies?", "consensus"),
        ("How can I design an experiment to find life on other planets with JWST?", "compositional"),
        ("Que es un exoplaneta?", "multi-paper"),
    ],
)
def test_examples_of_pathfinder(question: str, kind: str) -> None:
    """The paper that names these kinds explains them by these questions."""
    assert route_question(question).kind == kind


@pytest.mark.model
@pytest.mark.parametrize("half", ["develop", "held out"])
def test_flags_are_told(half: str) -> None:
    """Names would not be looked for as they are written, and the newest would be answered with the oldest."""
    known = WordKnowledge(plain_words(ModelStore()))
    found = route_cases(halves()[half], lambda question: route_question(question, known))
    assert all_flags(found).f1 >= max(0.84, 1.5 * every_flag(found).f1)
    assert all(of_flag(found, flag).f1 >= 0.75 for flag in QUESTION_FLAGS)


@pytest.mark.parametrize("half", ["develop", "held out"])
def test_flags_are_told_without_a_vocabulary(half: str) -> None:
    """Without the embedding model jargon is told by the form of words; that must not be worth nothing."""
    found = route_cases(halves()[half], route_question)
    assert all_flags(found).f1 >= 0.79
    assert of_flag(found, "jargon").precision >= 0.8 and of_flag(found, "jargon").recall >= 0.45


@pytest.mark.data
def test_questions_of_others_are_told(data: Path) -> None:
    """It could fit our own questions alone. These were written by physicians and biologists."""
    pubmedqa = _lines(data / "pubmedqa" / "pqal.jsonl.gz", "QUESTION")
    bioasq = {
        kind: _lines(data / "bioasq" / "questions.jsonl.gz", "question", type=kind)
        for kind in ("yesno", "list", "summary", "factoid")
    }
    assert _share(pubmedqa, "consensus") >= 0.9
    assert _share(bioasq["yesno"], "consensus") >= 0.9
    assert _share([*bioasq["list"], *bioasq["summary"]], "multi-paper") >= 0.75
    assert _share(bioasq["factoid"], "single-paper") >= 0.65


def _lines(path: Path, field: str, **wanted: str) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    chosen = [row[field] for row in rows if all(row[name] == value for name, value in wanted.items())]
    return chosen[1::2]  # the model was made with the others


def _share(questions: Sequence[str], kind: str) -> float:
    assert len(questions) > 100
    return sum(route_question(question).kind == kind for question in questions) / len(questions)


def test_it_says_what_in_the_question_made_the_choice() -> None:
    """Who disagrees with a choice could not see how to put the question otherwise."""
    found = route_question("Is there still a tension between the two Hubble constants?")
    assert found.by == "rules" and found.kind == "consensus"
    assert found.flags == ("named-entity", "jargon", "time-sensitive")
    kind, *flags = found.reasons
    assert kind.startswith("consensus: 'Is'") and "probability" in kind
    assert [reason.split(":")[0] for reason in flags] == list(found.flags)
    assert "Hubble" in flags[0] and "tension" in flags[1] and "is there still" in flags[2].lower()


@pytest.mark.parametrize("question", ["galaxy clusters", "soil erosion terraces", "Role of moss in dune formation"])
def test_a_topic_is_searched_as_usual(question: str) -> None:
    """A topic in keywords would be turned away as no question at all."""
    assert route_question(question).kind == "multi-paper"
    assert route_question(question).suggested is not None


def test_nothing_is_suggested_where_nothing_is_asked() -> None:
    """A greeting would set the weights of a search."""
    found = route_question("Hello there!")
    assert (found.kind, found.suggested, found.parts) == ("unclassified", None, ())
    with pytest.raises(UsageError, match="empty"):
        route_question(" \n ")


@given(st.text(max_size=60).filter(str.strip))
def test_any_text_is_routed(text: str) -> None:
    """A pasted abstract, a formula or half a character must not end the program."""
    found = route_question(text)
    assert found.question == text and found.kind in QUESTION_KINDS and found.reasons
    assert all(part.strip() for part in found.parts)


@pytest.mark.parametrize(
    "piece", ["what ", "? ", "how do i ", "A1", "most ", "if would ", ", and ", "1+", "compare a and ", "(", "x"]
)
def test_long_questions_are_cut(piece: str) -> None:
    """A pasted paper would hold the search up: the patterns are never let loose on more than some lines."""
    found = route_question(piece * 100_000)
    assert found.kind == route_question(piece * (LONGEST // len(piece) + 1)).kind


@pytest.mark.parametrize(("text", "names"), CASES["names_are_found_by_how_they_are_written"])
def test_names_are_found_by_how_they_are_written(text: str, names: list[str]) -> None:
    """A gene or a galaxy would not be looked for, or a unit would be."""
    assert find_names(text) == names


def test_jargon_is_told_by_what_is_known_of_words() -> None:
    """Without the embedding model, and in a library of another language, rare words of the library take its place."""
    question = "why do glaciers surge near their snouts"
    assert find_jargon(question, [], FORMS_ONLY) == ""
    plain = frozenset({"glacier", "surge", "near"})
    assert find_jargon(question, [], WordKnowledge(plain)) == "specialists' words: snouts"
    counts = {"glaciers": 900, "surge": 3}
    rare = WordKnowledge(None, lambda words: [counts.get(word, 0) for word in words], 1000)
    assert find_jargon(question, [], rare) == "rare words of the library: surge"
    small = WordKnowledge(None, rare.frequencies, 50)
    assert find_jargon(question, [], small) == ""


def test_table_1_is_as_published() -> None:
    """The suggestions would be somebody else's: pathfinder's Table 1, row by row."""
    rows = {name: (row.low, row.high, *map(_sign, row[2:])) for name, row in (KIND_ROWS | FLAG_ROWS).items()}
    assert rows == {
        "single-paper": (1, 5, "+", "+", "-", "+", "+", "-"),
        "multi-paper": (7, 10, "+", "+", "+", "+", "+", "-"),
        "consensus": (15, 20, "+", "-", "+", "+", "-", "-"),
        "what-if": (10, 15, "+", "+", "-", "+", "-", "+"),
        "compositional": (10, 15, "+", "-", "+", "+", "+", "+"),
        "named-entity": (5, 7, "+", "-", "-", "+", "-", ""),
        "jargon": (7, 10, "+", "+", "+", "+", "+", ""),
        "bibliometric": (10, 15, "+", "-", "+", "-", "-", ""),
        "time-sensitive": (5, 7, "-", "+", "-", "+", "-", "-"),
    }


def _sign(value: object) -> str:
    return {True: "+", False: "-", None: ""}[value]  # type: ignore[index]


def test_flags_add_to_what_the_kind_suggests() -> None:
    """A question for the newest claim would be answered with the most cited, or a list of papers end at five."""
    plain = suggest_settings("consensus", ())
    assert plain == Suggestion((15, 20), True, False, True, True, False, False)
    newest = suggest_settings("consensus", ["time-sensitive"])
    assert newest and plain and (newest.recency, newest.citations, newest.k) == (True, False, plain.k)
    listed = suggest_settings("single-paper", ["bibliometric"])
    assert listed == Suggestion((10, 15), True, True, True, False, False, False)
    both = suggest_settings("multi-paper", ["bibliometric", "time-sensitive"])
    assert both and both.citations, "the most cited papers since 2020"
    jargon_only = suggest_settings("consensus", ["jargon"])
    assert jargon_only and (jargon_only.rerank, jargon_only.recency) == (True, False)
    assert suggest_settings("unclassified", QUESTION_FLAGS) is None
    assert suggest_settings("compositional", ()) == suggest_settings("compositional", ["named-entity"])


@pytest.mark.parametrize(("question", "parts"), CASES["compositional_questions_are_broken_down"])
def test_compositional_questions_are_broken_down(question: str, parts: list[str]) -> None:
    """Each half would be drowned by the other in one search, or "it" be searched for as it stands."""
    assert list(split_question(question)) == parts


def test_only_compositional_questions_have_parts() -> None:
    """A yes-or-no question with two clauses would be answered in pieces."""
    for case in cases():
        found = route_question(case.question)
        assert not found.parts or found.kind == "compositional"
        assert len(found.parts) != 1 and all(part.endswith("?") for part in found.parts)
