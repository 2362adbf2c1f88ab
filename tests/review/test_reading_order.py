"""The order in which papers are screened, learnt from criteria and labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from conspectus.review.screen.reading_order import (
    UNSURE,
    FeatureTable,
    order_unread,
    score_papers,
    vector_features,
    word_features,
)

PAPERS = 60
RELEVANT = range(0, PAPERS, 6)


def texts(count: int = PAPERS) -> list[str]:
    """Every sixth is about whales, and shares no word with the others."""
    whales, rocks = "whales sing songs under ice", "rocks and rivers of the north"
    return [f"{whales if number in range(0, count, 6) else rocks} {number} a{number % 7}" for number in range(count)]


def words(include: str, exclude: tuple[str, ...] = ()) -> list[FeatureTable]:
    return [word_features(texts(), include, exclude)]


def vectors() -> FeatureTable:
    random = np.random.default_rng(2)
    made = random.normal(size=(PAPERS, 8)).astype(np.float32)
    made[::6, 0] += 4
    return vector_features(made, np.eye(8, dtype=np.float32)[0], np.eye(8, dtype=np.float32)[1:3])


@pytest.mark.parametrize(
    "tables",
    [lambda: words("songs of whales", ("rocks",)), lambda: [*words("songs of whales"), vectors()]],
    ids=["words", "words and vectors"],
)
def test_the_criteria_alone_order_papers(tables: Callable[[], list[FeatureTable]]) -> None:
    """The first hours of a screening would be spent on what is irrelevant."""
    order = order_unread(tables(), {})
    assert {item.row for item in order[: len(RELEVANT)]} == set(RELEVANT)
    assert {item.reason for item in order} == {"by the criteria"}


def test_labels_overrule_criteria() -> None:
    """Criteria that are worded badly would have the last word."""
    order = order_unread([*words("rocks"), vectors()], {0: True, 6: True, 1: False, 2: False, 3: False})
    assert {item.row for item in order[:8]} == set(RELEVANT) - {0, 6}
    assert order[0].reason == "by the labels"


def test_what_is_close_to_the_criteria_counts_less_with_each_relevant_paper() -> None:
    """Words that the first relevant papers happen to share would outweigh what the user asked for, or never would."""
    random = np.random.default_rng(4)
    vocabulary = [f"word{number}" for number in range(30)]
    table = word_features([" ".join(random.choice(vocabulary, 12)) for _ in range(PAPERS)], "word1 word2 word3", ())
    bare = dataclasses.replace(table, closeness=None)

    def gain(count: int) -> float:
        """How much more the score follows closeness than it would without this feature, after so many labels."""
        labels = {row: row % 2 == 0 for row in range(count)}
        own, without = (np.corrcoef(score_papers([of], labels), table.closeness)[0, 1] for of in (table, bare))
        return float(own - without)

    assert gain(2) > max(0, gain(40))


def test_marks_of_irrelevant_papers_are_learnt() -> None:
    """Editorials and letters, which have no abstract, would be screened before the trials with the same words."""
    bare = [number % 2 == 1 for number in range(PAPERS)]
    table = word_features(["whales sing songs"] * PAPERS, "songs of whales", (), [(mark, False) for mark in bare])
    order = order_unread([table], {0: True, 1: False, 2: True, 3: False})
    assert [bare[item.row] for item in order] == [False] * 28 + [True] * 28


def test_without_anything_relevant_every_second_paper_is_drawn() -> None:
    """Criteria that mislead would hide every relevant paper until the end."""
    labels: dict[int, bool] = {}
    reasons = []
    for _ in range(20):
        paper = order_unread(words("rocks and rivers of the north"), labels)[0]
        reasons.append(paper.reason.startswith("drawn at random"))
        labels[paper.row] = False
    assert not any(reasons[:UNSURE]) and sum(reasons[UNSURE:]) == len(reasons[UNSURE:]) // 2 + UNSURE % 2


@pytest.mark.parametrize(
    "labels",
    [
        dict.fromkeys(range(PAPERS), True),
        dict.fromkeys(range(PAPERS), False),
        dict.fromkeys(range(PAPERS - 1), True),
        dict.fromkeys(range(PAPERS - 1), False),
    ],
)
def test_labels_of_one_kind(labels: dict[int, bool]) -> None:
    """A classifier cannot be fitted to one class, and the last paper would end in an error."""
    assert len(order_unread(words("whales"), labels)) == PAPERS - len(labels)
    assert len(order_unread([*words("whales", ("rocks",)), vectors()], labels)) == PAPERS - len(labels)


def test_the_same_labels_give_the_same_order() -> None:
    """What is next would depend on when somebody asks."""
    labels = {0: True, 1: False, 2: False}
    tables = [*words("whales"), vectors()]
    assert order_unread(tables, labels) == order_unread(tables, labels)
