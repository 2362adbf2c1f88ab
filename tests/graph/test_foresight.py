"""What a library's last years tell of how concepts come to be joined."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np

from conspectus.graph.discovery import MEASURES, PLAIN, network_and_foresight

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


def test_what_foretold_is_learnt() -> None:
    """Papers that speak of both were followed by a sentence of both: such pairs come first now."""
    told, years = rows(joined_later=True)
    network, foresight = network_and_foresight(told, years)
    assert foresight.learnt >= 100
    weight = dict(zip(MEASURES, foresight.weights, strict=True))
    assert weight["beside"] > 1
    scores = foresight.scores(network, 1, network.shared(1)[0])
    beside = network.papers_beside(1) > 0
    apart = np.ones(CONCEPTS, bool)
    apart[[0, 1, *network.around(1)]] = False
    assert scores[apart & beside].mean() > scores[apart & ~beside].mean()


def test_of_nothing_nothing_is_learnt() -> None:
    told, years = rows(joined_later=False)
    network, foresight = network_and_foresight(told, years)
    assert foresight is PLAIN and foresight.ranking.learnt == 0
    worth = network.shared(1)[0]
    plain = worth + network.spoken[1] + network.spoken
    assert np.allclose(foresight.scores(network, 1, worth), plain)
    assert network_and_foresight(told, {})[1] is PLAIN
    assert network_and_foresight([], {})[1] is PLAIN


def test_the_order_of_papers_does_not_count() -> None:
    told, years = rows(joined_later=True)
    last = max(years)
    other = [(last - paper, sentence, concept) for paper, sentence, concept in reversed(told)]
    first, second = (
        network_and_foresight(one, of)[1].weights
        for one, of in ((told, years), (other, {last - paper: year for paper, year in years.items()}))
    )
    assert np.allclose(first, second)
