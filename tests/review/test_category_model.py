"""Categories from vectors and words: what descriptions, examples and other papers teach, and honest probabilities."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from conspectus.review.classify.model import CategoryModel, TrainingPapers, WordWeights, fit_categories, unit_rows

DIMENSIONS, CATEGORIES = 24, 3
Floats = npt.NDArray[np.float32]


def make_papers(seed: int, count: int, noise: float = 1.0) -> tuple[TrainingPapers, npt.NDArray[np.int64]]:
    """Papers around the first unit vectors, two words of their category among others; and the categories."""
    draw = np.random.default_rng(seed)
    of = np.arange(count) % CATEGORIES
    vectors = unit_rows(np.eye(DIMENSIONS)[of] + noise * draw.standard_normal((count, DIMENSIONS)) / DIMENSIONS**0.5)
    texts = [[f"word{draw.integers(50)}" for _ in range(8)] + [f"topic{one}", "paper"] for one in of]
    return TrainingPapers(vectors, texts), of


def one_hot(of: Sequence[int] | npt.NDArray[np.int64]) -> Floats:
    """With a last column: that none fits."""
    return np.eye(CATEGORIES + 1, dtype=np.float32)[of]


NOBODY = TrainingPapers(np.empty((0, DIMENSIONS), np.float32), [])
DESCRIPTIONS = np.eye(CATEGORIES, DIMENSIONS, dtype=np.float32)


def accuracy(model: CategoryModel, papers: TrainingPapers, of: npt.NDArray[np.int64]) -> float:
    return float((model.probabilities(papers.vectors, papers.texts)[:, :CATEGORIES].argmax(axis=1) == of).mean())


def test_descriptions_alone_classify() -> None:
    """Without a label nothing could be classified."""
    papers, of = make_papers(1, 90)
    model = fit_categories(DESCRIPTIONS, NOBODY, one_hot([]).reshape(0, CATEGORIES + 1), papers)
    assert accuracy(model, papers, of) > 0.8
    assert model.unseen_probabilities is None


def test_examples_overrule_descriptions() -> None:
    """Descriptions that mislead would mislead for ever."""
    examples, labels = make_papers(2, 60)
    papers, of = make_papers(3, 90)
    swapped = np.roll(DESCRIPTIONS, 1, axis=0)
    empty = one_hot([]).reshape(0, CATEGORIES + 1)
    assert accuracy(fit_categories(swapped, NOBODY, empty, papers), papers, of) < 0.2
    assert accuracy(fit_categories(swapped, examples, one_hot(labels), papers), papers, of) > 0.8


def test_words_count_where_vectors_say_nothing() -> None:
    """Two fields that an embedder does not tell apart would never be told apart."""
    examples, labels = make_papers(4, 60, noise=100.0)
    papers, of = make_papers(5, 90, noise=100.0)
    assert accuracy(fit_categories(DESCRIPTIONS, examples, one_hot(labels), papers), papers, of) > 0.55


def test_papers_without_labels_help() -> None:
    """Words that go with a category would never be learnt from descriptions alone."""
    papers, of = make_papers(7, 600, noise=4.0)
    empty = one_hot([]).reshape(0, CATEGORIES + 1)
    alone = accuracy(fit_categories(DESCRIPTIONS, NOBODY, empty, NOBODY), papers, of)
    assert accuracy(fit_categories(DESCRIPTIONS, NOBODY, empty, papers), papers, of) > alone


@pytest.mark.parametrize("several", [False, True])
def test_probabilities_are_honest(several: bool) -> None:
    """A threshold would mean nothing."""
    examples, labels = make_papers(8, 90, noise=2.0)
    papers, of = make_papers(9, 900, noise=2.0)
    columns = CATEGORIES if several else CATEGORIES + 1
    model = fit_categories(DESCRIPTIONS, examples, one_hot(labels)[:, :columns], papers, several=several)
    chances = model.probabilities(papers.vectors, papers.texts)
    sure, right = (
        (chances.mean(), 1 / CATEGORIES) if several else (chances.max(axis=1).mean(), accuracy(model, papers, of))
    )
    assert abs(float(sure - right)) < 0.05
    assert several or np.allclose(chances.sum(axis=1), 1, atol=1e-4)
    assert model.unseen_probabilities is not None and model.unseen_probabilities.shape == (90, columns)


def test_a_model_depends_on_its_papers_alone() -> None:
    """A killed run would go on with other categories."""
    examples, labels = make_papers(10, 30)
    papers, _ = make_papers(11, 90)
    first, second = (fit_categories(DESCRIPTIONS, examples, one_hot(labels), papers) for _ in range(2))
    assert np.array_equal(first.weights, second.weights) and first.temperature == second.temperature


@pytest.mark.parametrize("number", [0, 1])
def test_next_to_no_papers_are_no_error(number: int) -> None:
    """A library of one paper could not be classified."""
    papers, _ = make_papers(12, number)
    model = fit_categories(DESCRIPTIONS, NOBODY, one_hot([]).reshape(0, CATEGORIES + 1), papers)
    chances = model.probabilities(*([p := make_papers(13, 3)[0]] and (p.vectors, p.texts)))
    assert np.isfinite(chances).all()


def test_words_that_all_or_one_have_say_nothing() -> None:
    """The table of words would fill up with what tells no paper from another."""
    texts = [["cell", "the", f"only{n}", "grid" if n % 2 else "place"] for n in range(8)]
    assert set(WordWeights.of(texts).columns) == {"grid", "place"}


def test_papers_on_something_else_have_no_category() -> None:
    """Of any two categories one would fit every paper."""
    papers, of = make_papers(14, 90, noise=0.5)
    descriptions, labels = DESCRIPTIONS[:2], np.zeros((0, 3), np.float32)
    chances = fit_categories(descriptions, NOBODY, labels, papers).probabilities(papers.vectors, papers.texts)
    fits = chances[:, :2].max(axis=1) > chances[:, 2]
    assert fits[of < 2].mean() > 0.9 and fits[of == 2].mean() < 0.1
