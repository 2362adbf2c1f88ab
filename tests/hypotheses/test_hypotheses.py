"""Hypotheses: what nothing joins, with the ledger of its evidence, a test, and what later papers said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.errors import NotFoundError, UsageError
from conspectus.graph.link_prediction import MEASURES, forecast_links
from conspectus.graph.pair_interest import PairInterest
from conspectus.hypotheses.ledger import joins_in_clause, suggest_test
from conspectus.records.graph import Entity, Hypothesis
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write
from language_server import serve_script

pytestmark = pytest.mark.usefixtures("quick_pool")
NAMES = {
    **{"MED:1": ("migraine",), "MED:2": ("magnesium",), "MED:3": ("serotonin",), "MED:4": ("vasospasm",)},
    **{"MED:5": ("aspirin",), "MED:6": ("sugar",), "MED:7": ("stress",)},
}
PAPERS = {
    "one": markdown("One", "Migraine comes with vasospasm. Serotonin is reduced in migraine.", year="1980"),
    "two": markdown("Two", "Magnesium prevents vasospasm. Magnesium, serotonin.", year="1984"),
    "three": markdown("Three", "Sugar lowers serotonin. Aspirin helps in migraine. Stress.", year="1986"),
    "four": markdown("Four", "Magnesium helps in migraine. Stress is bad.", year="1989"),
}


def fill(library: Library, folder: Path) -> Library:
    library.add([write(folder / f"{name}.md", text) for name, text in PAPERS.items()])
    put_vocabulary(library, NAMES)
    library.graph.link()
    return library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        yield fill(opened, tmp_path)


def test_a_hypothesis_has_all_that_has_to_hold_with_its_sentence(library: Library) -> None:
    """A scientist could not see what a suggestion rests on, and what of it nobody said."""
    found = library.hypotheses(["migraine"], until=1987)
    assert (found.asked, found.papers, found.later_papers) == (("MED:1",), 3, 1) and "no findings" in found.note
    best = found.hypotheses[0]
    assert (best.source, best.target, best.papers) == ("MED:1", "MED:2", 0)
    *links, last = best.ledger
    assert {(one.source, one.target) for one in links} == {
        *(("MED:1", via) for via in best.bridges),
        *((via, "MED:2") for via in best.bridges),
    }
    sentences = {(one.source, one.target): one.citation.quote for one in links if one.citation}
    assert sentences["MED:4", "MED:2"] == "Magnesium prevents vasospasm."
    bases = {(one.source, one.target): one.basis for one in links}
    assert bases["MED:1", "MED:3"] == "one clause" and bases["MED:3", "MED:2"] == "co-mention"
    assert (last.source, last.target, last.basis, last.citation) == ("MED:1", "MED:2", "not stated", None)
    assert best.test.startswith("To test it (from a template):") and "migraine" in best.test


def test_later_papers_say_what_came_true(library: Library) -> None:
    """A user could not see whether the suggestions are worth anything."""
    found = library.hypotheses(["migraine"], until=1987)
    later = {one.target: one.later for one in found.hypotheses}
    assert later["MED:2"] and later["MED:2"].year == 1989 and later["MED:2"].first
    assert later["MED:2"].first.quote == "Magnesium helps in migraine." and later["MED:6"] is None
    whole = library.hypotheses(["migraine"])
    assert whole.later_papers is None and "MED:2" not in {one.target for one in whole.hypotheses}


def test_all_pairs_are_ranked_once_each(library: Library) -> None:
    """The same pair would stand twice, or one entity fill the list."""
    found = library.hypotheses(until=1987)
    pairs = [frozenset((one.source, one.target)) for one in found.hypotheses]
    assert len(set(pairs)) == len(pairs) > 1 and found.candidates >= len(pairs)
    ends = [end for pair in pairs for end in pair]
    assert max(map(ends.count, ends)) <= 2
    joined = library.graph.show(["serotonin"], depth=1).edges
    assert not {frozenset((edge.source, edge.target)) for edge in joined} & set(pairs)
    assert [one.rank for one in library.hypotheses(until=1987, k=1).hypotheses] == [1]


def test_an_answer_removed_suggests_nothing(library: Library) -> None:
    """A removed paper would go on to suggest."""
    two = next(paper.id for paper in library.papers() if paper.title == "Two")
    library.remove(two)
    assert "MED:2" not in {one.target for one in library.hypotheses(["migraine"], until=1987).hypotheses}


def test_nothing_is_asked_in_vain(library: Library, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="No vocabulary"):
        library.hypotheses(["quokka"])
    with pytest.raises(UsageError, match="k is 0"):
        library.hypotheses(k=0)
    with open_library(tmp_path / "empty") as empty, pytest.raises(UsageError, match="No paper mentions"):
        empty.hypotheses()
    assert "No candidate pairs" in library.hypotheses(["stress"]).note


def test_a_model_is_held_to_the_sentences(tmp_path: Path) -> None:
    """A premise with a number that no sentence has would pass for evidence."""
    reply = {
        "premises": [
            {"text": "Magnesium prevents vasospasm.", "spans": [1, 2, 3, 4]},
            {"text": "Magnesium prevents 90 % of migraines.", "spans": [1]},
        ],
        "novel": "Magnesium may prevent migraine.",
        "test": "Give magnesium and count attacks.",
    }
    with serve_script([reply]) as server, open_library(tmp_path / "lib", language__model=server.url) as opened:
        found = fill(opened, tmp_path).hypotheses(["migraine"], until=1987, k=1, model="")
        (prompt,) = server.requests
        assert "Magnesium prevents vasospasm." in str(prompt) and "Magnesium helps in migraine." not in str(prompt)
    proposal = found.hypotheses[0].proposal
    assert proposal and proposal.novel == "Magnesium may prevent migraine." and proposal.refused == 1
    assert [one.text for one in proposal.premises] == ["Magnesium prevents vasospasm."]
    assert proposal.premises[0].citations and found.usage.calls == 1


@pytest.mark.parametrize(
    ("between", "joined"),
    [
        (" is reduced in ", True),
        (" comes with ", True),
        (" near ", False),
        (" increased activity in the ", True),
        (", ", False),
        (" and the ", False),
        (" was reduced; we found ", False),
        ("", False),
    ],
)
def test_one_clause_needs_a_verb_between(between: str, joined: bool) -> None:
    assert joins_in_clause(between) is joined


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"A": {"disease"}, "B": {"brain"}}, "compare b between cases with and without a"),
        ({"A": {"brain"}, "B": {"disease"}}, "compare a between cases with and without b"),
        ({"A": {"disorder"}, "B": {"disease"}}, "count how often a and b occur in the same cases"),
        ({"A": {"brain"}, "B": {"hormone"}}, "change b and measure a"),
        ({"A": {"hormone"}, "B": {"brain"}}, "change a and measure b"),
    ],
)
def test_a_test_goes_by_the_kinds_of_the_entities(kinds: dict[str, set[str]], words: str) -> None:
    names = {one: Entity(one, one.lower(), "v") for one in "AB"}
    found = Hypothesis(1, "A", "B", 0.0, 0.0, 0.0, 0.0, 0.0, 1, 0, ())
    assert words in suggest_test(found, names, kinds)
    assert suggest_test(found, names, {}) == "", "nothing joins them, so that nothing can be said"


def test_a_test_names_the_papers_that_measured_either_entity(library: Library) -> None:
    """A scientist would be told to vary two things together, and not where anybody measured either."""
    best = library.hypotheses("migraine").hypotheses[0]
    papers = {link.citation.where for link in best.ledger[:2] if link.citation}
    assert len(papers) == 2 and all(f"{where} (" in best.test for where in papers)
    assert best.test.count("also have") == 1 and "whether those of" in best.test


def test_what_anybody_knows_and_what_is_vague_goes_last() -> None:
    """Lost otherwise: the first rows would be names of one thing, categories and doubtful mentions."""
    labels = {1: "superior parietal lobule", 2: "superior parietal cortex", 3: "leptin", 4: "gyrus", 5: "sagitta"}
    labels |= {6: "lingual gyrus", 7: "fusiform gyrus", 8: "angular gyrus"}
    told = [(paper, "s", concept) for paper, concept in enumerate(labels)]
    forecast = forecast_links(told, {})
    interest = PairInterest(forecast, labels, {}, {3: -5.0, 4: -1.0}, {5: 0.78})
    row = {label: int(forecast.network.concepts.tolist().index(key)) for key, label in labels.items()}
    assert interest.costs[row["leptin"]] == 0 < interest.costs[row["sagitta"]] < interest.costs[row["gyrus"]]
    others = forecast.network.concepts.argsort()
    textbook = interest.textbook(row["superior parietal lobule"], others)
    assert textbook[row["superior parietal cortex"]] > textbook[row["leptin"]] == 0
    assert not interest.sameness(forecast.measures.rows(others)[..., : len(MEASURES)]).any(), "too few papers"


def test_what_most_papers_mention_or_has_much_below_it_joins_nothing() -> None:
    """Lost otherwise: every entity would be joined to every other one by `galaxies`."""
    told = [(paper, "s", concept) for paper in range(100) for concept in (1, 2 + paper % 50, 60 + paper % 40)]
    interest = PairInterest(forecast_links(told, {}), below={60: 5000})
    specific = dict(zip(interest.forecast.network.concepts.tolist(), interest.specific.tolist(), strict=True))
    assert [key for key, is_specific in specific.items() if not is_specific] == [1, 60]
    few = PairInterest(forecast_links(told[:30], {}), below={60: 5000})
    assert few.specific.all(), "too few papers"
