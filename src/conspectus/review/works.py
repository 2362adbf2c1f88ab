"""Papers that are the same work, such as a preprint and its article: they are screened once, and contradict nothing."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.core.groups import grouped
from conspectus.parse.text.titles import DISTINCT_WORDS, same_title, title_words
from conspectus.records import Paper, normal_name

_MOST_COMPARED = 50
"""Papers whose titles begin or end alike that are compared with another."""
_YEARS = 3
"""Years by which a preprint and its article may be apart."""


def group_works(papers: Sequence[Paper]) -> list[tuple[str, ...]]:
    """Ids of papers that are the same work, such as a preprint and its article; each paper is in one group.

    They have the same title, as `parse.text.titles` has it, with enough words to be its own, a first author of one
    family name where both name one, and years that are at most three apart. Groups are in the order of their first
    papers.
    """
    leaders = list(range(len(papers)))
    candidates: dict[tuple[str, ...], list[int]] = {}
    for number, paper in enumerate(papers):
        words = title_words(paper.title)
        if len(words) < DISTINCT_WORDS:
            continue
        for bucket in {("first", *words[:4]), ("last", *words[-4:])}:
            others = candidates.setdefault(bucket, [])
            twin = next((other for other in others[:_MOST_COMPARED] if _same_work(paper, papers[other])), number)
            first, second = sorted((_root(leaders, twin), _root(leaders, number)))
            leaders[second] = first
            others.append(number)
    groups = grouped((_root(leaders, number), paper.id) for number, paper in enumerate(papers))
    return [tuple(group) for group in groups.values()]


def _root(leaders: Sequence[int], number: int) -> int:
    while leaders[number] != number:
        number = leaders[number]
    return number


def _same_work(ours: Paper, other: Paper) -> bool:
    if ours.year and other.year and abs(ours.year - other.year) > _YEARS:
        return False
    names = [normal_name(paper.authors[0].surname) for paper in (ours, other) if paper.authors]
    return len(set(names)) < 2 and same_title(ours.title, other.title)
