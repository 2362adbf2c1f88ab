"""Hypotheses by what two entities share, ranked by what earlier years foretold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus import Filters, Library
from conspectus.errors import NotFoundError, UsageError
from conspectus.graph.example_sentences import rate_clarity
from conspectus.graph.link_prediction import MEASURES, LinkForecast, forecast_links, prior_weights
from conspectus.graph.network import Network
from conspectus.records.graph import Discovery
from conspectus.store import graph_tables
from conspectus.store.connection import writing
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
NAMES = {
    **{"MED:1": ("migraine",), "MED:2": ("magnesium",), "MED:3": ("serotonin",), "MED:4": ("vasospasm",)},
    **{"MED:5": ("aspirin",), "MED:6": ("sugar",), "MED:7": ("stress",)},
}
PAPERS = {
    "one": markdown("One", "Migraine comes with vasospasm. Serotonin falls in migraine.", year="1980"),
    "two": markdown("Two", "Magnesium prevents vasospasm. Magnesium holds serotonin.", year="1984"),
    "three": markdown("Three", "Sugar lowers serotonin. Aspirin helps in migraine. Stress.", year="1986"),
    "four": markdown("Four", "Magnesium helps in migraine. Stress is bad.", year="1989"),
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / f"{name}.md", text) for name, text in PAPERS.items()])
        put_vocabulary(opened, NAMES)
        opened.graph.link()
        yield opened


def test_what_swanson_found(library: Library) -> None:
    """Magnesium and migraine shared vasospasm and serotonin in 1987; it was said later."""
    found = library.graph.discover("migraine", until=1987)
    assert [one.target for one in found.pairs] == ["MED:2", "MED:6"]
    assert (found.entity.id, found.until, found.candidates) == ("MED:1", 1987, 2) and "no finding" in found.note
    best = found.pairs[0]
    assert (best.rank, best.shared, best.papers) == (1, 2, 0)
    names = {node.id: node.name for node in found.nodes}
    assert {names[path.via] for path in best.paths} == {"serotonin", "vasospasm"}
    for path in best.paths:
        near, far = path.hops
        assert (near.source, near.target, far.source, far.target) == ("MED:1", path.via, path.via, "MED:2")
        assert all(names[path.via] in hop.examples[0].quote.lower() for hop in path.hops)
    assert best.later
    assert best.later.first
    assert (best.later.year, best.later.sentences, best.later.first.quote) == (1989, 1, "Magnesium helps in migraine.")
    assert found.pairs[1].later is None


def test_the_score_is_as_it_is_told(library: Library) -> None:
    found = library.graph.discover("migraine", until=1987)
    ages = {"one": 6, "two": 2, "three": 0}
    one, two, three = (2 ** (-age / 5) for age in ages.values())
    shared = {"vasospasm": 1 / log(2), "serotonin": 1 / log(3)}
    best, other = found.pairs
    names = {node.id: node.name for node in found.nodes}
    assert {names[path.via]: path.worth for path in best.paths} == pytest.approx(shared)
    assert best.worth == pytest.approx(sum(shared.values()))
    assert best.spoken == pytest.approx(log(1 + 2 * one + three) + log(1 + 2 * two))
    assert best.product == pytest.approx(log(1 + 2 * one + three) * log(1 + 2 * two))
    assert (found.ranking.learnt, best.beside) == (0, 0.0)
    weights = {**found.ranking.others, **{name: getattr(found.ranking, name) for name in MEASURES[:4]}}
    assert weights.keys() == set(MEASURES)
    shown = sum(weights[name] * (getattr(best, name) - getattr(other, name)) for name in MEASURES[:4])
    assert best.score - other.score >= shown - 20 and best.score > other.score
    assert other.worth == pytest.approx(1 / log(3))


def test_what_is_said_is_no_hypothesis(library: Library) -> None:
    assert [one.target for one in library.graph.discover("migraine").pairs] == ["MED:6"]
    assert not library.graph.discover("stress").pairs and "No candidates" in library.graph.discover("stress").note
    assert library.graph.discover("aspirin", k=1, examples=0).pairs[0].paths[0].hops[0].examples == ()


def test_what_is_said_of_a_kind_is_no_hypothesis(tmp_path: Path) -> None:
    """A sentence on primordial black holes would be no sentence on black holes."""
    names = {"A:1": ("black hole",), "A:2": ("primordial black hole",), "A:3": ("gas",), "A:4": ("gravitational wave",)}
    text = "Black holes eat gas. Gas makes gravitational waves. A primordial black hole makes gravitational waves."
    with open_library(tmp_path / "lib") as opened:
        opened.add([write(tmp_path / "a.md", markdown("Holes", text))])
        put_vocabulary(opened, names)
        opened.graph.link()
        assert not opened.graph.discover("black hole").pairs
        assert [pair.target for pair in opened.graph.discover("primordial black hole").pairs] == ["A:3"]


def test_what_a_paper_speaks_of_beside_can_be_left_out(library: Library) -> None:
    found = library.graph.discover("aspirin")
    (serotonin,) = [node.id for node in found.nodes if node.name == "serotonin"]
    (beside,) = [pair for pair in found.pairs if pair.target == serotonin]
    assert beside.papers == 1
    assert serotonin not in {pair.target for pair in library.graph.discover("aspirin", apart=True).pairs}


def test_what_a_vocabulary_links_is_no_hypothesis(library: Library) -> None:
    with writing(library.session.catalog.engine) as connection:
        (key,) = (
            connection.execute(graph_tables.concepts.select().where(graph_tables.concepts.c.id == "MED:6"))
            .scalars()
            .all()[:1]
        )
        row = {"concept_key": key, "kind": "broader", "target": "MED:1"}
        connection.execute(graph_tables.concept_links.insert(), row)
    assert not library.graph.discover("migraine").pairs
    assert "MED:1" not in {one.target for one in library.graph.discover("sugar").pairs}


def test_filters_and_years(library: Library) -> None:
    within = library.graph.discover("migraine", until=1987, filters=Filters(year=(1980, 1988)))
    assert all(one.later is None for one in within.pairs)
    assert not library.graph.discover("migraine", filters=Filters(year=(1980, 1980))).pairs
    with pytest.raises(UsageError, match="1990"):
        library.graph.discover("migraine", until=1987, filters=Filters(year=(1990, None)))


def test_nothing_is_asked_in_vain(library: Library) -> None:
    with pytest.raises(NotFoundError, match="No vocabulary"):
        library.graph.discover("quokka")
    with pytest.raises(NotFoundError, match="speaks of"):
        library.graph.discover("migraine", until=1950)
    with pytest.raises(UsageError, match="k is 0"):
        library.graph.discover("migraine", k=0)


def test_a_network_of_nothing_and_of_one() -> None:
    assert not len(Network.of([], {}).concepts)
    alone = Network.of([(1, "a", 7), (1, "b", 7)], {})
    worth, number = alone.shared_neighbours(0)
    assert (worth.tolist(), number.tolist()) == ([0.0], [0])


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_ties_are_those_of_sentences(said: set[tuple[int, int]]) -> None:
    """Each pair of a sentence's concepts is tied, both ways, and no others."""
    rows = [(sentence // 2, str(sentence), concept) for sentence, concept in sorted(said)]
    network = Network.of(rows, {})
    for row, key in enumerate(network.concepts.tolist()):
        sentences = {sentence for sentence, concept in said if concept == key}
        near = {concept for sentence, concept in said if sentence in sentences} - {key}
        assert network.concepts[network.around(row)].tolist() == sorted(near)


def told(found: Discovery) -> list[object]:
    return [
        (one.target, one.score, one.shared, one.papers, [(path.worth, path.hops[0].sentences) for path in one.paths])
        for one in found.pairs
    ]


@settings(max_examples=settings.default.max_examples // 5)
@given(st.sets(st.sampled_from(sorted(PAPERS)), min_size=1))
def test_what_is_removed_suggests_nothing(tmp_path_factory: pytest.TempPathFactory, stay: set[str]) -> None:
    folder, found = tmp_path_factory.mktemp("removed"), []
    files = {name: write(folder / f"{name}.md", text) for name, text in PAPERS.items()}
    for name, wanted in (("all", PAPERS.keys()), ("some", stay)):
        with open_library(folder / name) as library:
            put_vocabulary(library, NAMES)
            library.add([files[one] for one in sorted(wanted)])
            library.graph.link()
            for paper in [one.id for one in library.papers() if one.title.lower() not in stay]:
                library.remove(paper)
            asked = [one.name for one in library.graph.entities().entities]
            found.append({label: told(library.graph.discover(label)) for label in sorted(asked)})
    assert found[0] == found[1]


CONCEPTS = 60


def rows(*, joined_later: bool) -> tuple[list[tuple[int, str, int]], dict[int, int]]:
    """All are joined to one; of the other pairs half stand in one paper, and are mostly joined in 2020, or never."""
    draw, told, years = random.Random(0), list[tuple[int, str, int]](), dict[int, int]()

    def paper(year: int, *sentences: tuple[int, ...]) -> None:
        years[len(years)] = year
        told.extend((len(years) - 1, str(at), one) for at, said in enumerate(sentences) for one in said)

    for one in range(1, CONCEPTS):
        paper(2010, (0, one))
    for one, two in combinations(range(1, CONCEPTS), 2):
        if beside := draw.random() < 0.5:
            paper(2015, (one,), (two,))
        if joined_later and draw.random() < (0.6 if beside else 0.05):
            paper(2020, (one, two))
    if not joined_later:
        paper(2020, (0,))
    return told, years


def scores_of(forecast: LinkForecast, row: int) -> np.ndarray:
    return forecast.foresight.scores(forecast.measures.rows(np.array([row]))[0])


def test_what_foretold_is_learnt() -> None:
    """Papers that speak of both were followed by a sentence of both: such pairs come first now."""
    forecast = forecast_links(*rows(joined_later=True))
    network = forecast.network
    assert forecast.foresight.learnt >= 100
    scores, beside = scores_of(forecast, 1), network.papers[1] > 0
    apart = ~network.joined[1]
    apart[1] = False
    assert scores[apart & beside].min() > scores[apart & ~beside].max()


def test_of_nothing_nothing_is_learnt() -> None:
    """A library without later years has the weights that come with the program."""
    told, years = rows(joined_later=False)
    for own in (told, years), (told, {}), ([], {}):
        foresight = forecast_links(*own).foresight
        assert foresight.learnt == 0 and np.array_equal(foresight.weights, prior_weights())
    assert forecast_links(told, years).foresight.ranking.learnt == 0


def test_the_order_of_papers_does_not_count() -> None:
    told, years = rows(joined_later=True)
    last = max(years)
    other = [(last - paper, sentence, concept) for paper, sentence, concept in reversed(told)]
    first, second = (
        forecast_links(one, of).foresight.weights
        for one, of in ((told, years), (other, {last - paper: year for paper, year in years.items()}))
    )
    assert np.allclose(first, second, atol=1e-3)


def test_measures_are_as_their_formulas_say() -> None:
    """A ring of four: each is joined to two, and shares both with the one across."""
    told = [(at, "s", concept) for at in range(4) for concept in (at, (at + 1) % 4)]
    forecast = forecast_links(told, dict.fromkeys(range(4), 2000))
    measures = dict(zip(MEASURES, forecast.measures.rows(np.array([0]))[0, 2].tolist(), strict=True))
    expected = {
        "worth": 2 / log(2),
        "resource": log(0.01 + 2 / 2),
        "common": log(3),
        "spoken": 2 * log(3),
        "product": log(3) ** 2,
        "neighbours": 2 * log(3),
        "beside": 0.0,
        "excess": log(0.5 / (2 * 2 / 4 + 0.5)),
        "alike_sentences": 1.0 if log(1 * 4 / (2 * 2)) > 0 else 0.0,
    }
    assert {name: measures[name] for name in expected} == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("Oxytocin lowered the response of the amygdala to angry faces in healthy men.", True),
        ("Amygdala L 4.2 (-22, -4, -18); R 3.9 (24, -2, -20); insula 38, 12, -4.", False),
        ("the amygdala, the insula, the striatum, the thalamus, the pons, and the cortex", False),
    ],
)
def test_sentences_that_read_well_are_shown_first(text: str, clear: bool) -> None:
    assert (rate_clarity(text) > 0.5) is clear
