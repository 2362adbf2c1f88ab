"""The sets with relevant papers, as they are in the shared data."""

from pathlib import Path

import pytest

from conspectus.evaluation import known_sets, load

COUNTS = {
    "scifact": (5183, 809),
    "pubmedqa": (500, 500),
    "bioasq": (7808, 1497),
    "cranfield": (1400, 225),
    "sysrev": (11546, 10),
    "arxiv_cited": (21887, 1141),
    "pubmedqa_hidden": (100500, 500),
    "arxiv_astro": (20078, 500),
}


def test_every_set_is_installed_and_counted_here() -> None:
    assert set(COUNTS) == set(known_sets())
    assert all(reader.name == name and reader.about for name, reader in known_sets().items())


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [name if COUNTS[name][0] < 6_000 else pytest.param(name, marks=pytest.mark.again) for name in COUNTS]
)
def test_a_set_is_what_its_readme_says(name: str, data: Path) -> None:
    """A set read wrongly gives figures that mean something else."""
    found = load(name, data)
    names = [one.id for one in found.documents()]
    assert (len(names), len(found.questions)) == COUNTS[name]
    assert len(set(names)) == len(names) and len({one.id for one in found.questions}) == len(found.questions)
    there = set(names)
    for question in found.questions:
        assert question.text.strip() and question.relevant
        assert there.issuperset(question.relevant) and there.issuperset(question.exclude)
        assert not set(question.relevant) & set(question.exclude)


@pytest.mark.data
@pytest.mark.again
def test_hidden_questions_are_hidden_among_others(data: Path) -> None:
    """A copy of a question's own abstract among the others would count as wrong."""
    found = load("pubmedqa_hidden", data)
    own = {question.id for question in found.questions}
    texts: dict[bool, set[str]] = {True: set(), False: set()}
    for one in found.documents():
        texts[one.id in own].add(one.abstract[:200])
    assert texts[True] and not texts[True] & texts[False]
