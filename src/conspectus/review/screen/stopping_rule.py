"""How many relevant papers are left, and whether to stop reading: a test of the recall, and the interval it implies.

Papers are read best first, so of the papers left at any moment a relevant one is read sooner than another. Say that it
is `BIAS` times as likely to come next. Then, when a share u of those others is still unread, a relevant paper is unread
with probability u^BIAS (Wallenius' urn, in its form of competing clocks), and the number of relevant ones among those
read since is binomial. `recall_p` tests with it, from each moment on, whether the recall may still be below the target.

With `BIAS` 1 this is the rule of Callaghan and Müller-Hansen (Systematic Reviews 9:273, 2020), which takes the last
papers as drawn at random and so asks for more reading than is needed. 2 was chosen on five reviews, see
`benchmarks/review.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np

from conspectus.records.review_screen import RelevanceEstimate

TARGET = 0.95
"""The recall that is to be reached."""
ALPHA = 0.05
"""Stop when a lower recall than the target is less likely than this."""
BIAS = 2.0
"""How many times as likely as another paper a relevant one is to be read next, at least."""
LEAST = 20
"""Labels before an estimate, and so many more where it still leaves half of the papers open."""
RULE = (
    f"Stop when {TARGET:.0%} of the relevant papers are found with {1 - ALPHA:.0%} confidence, provided that a "
    f"relevant paper is at least {BIAS:g} times as likely to be read next as another."
)


def recall_p(outcomes: Sequence[bool], papers: int, relevant: int, bias: float = BIAS) -> float:
    """How likely it is that no more relevant papers were found, if there are `relevant` of them; from 0 to 1.

    The least over the moments from which on the papers read are taken as a sample.

    Args:
        outcomes: whether each paper was relevant, in the order of reading.
        papers: how many there are, read or not.
        relevant: how many of them are relevant; at least those that were found.
        bias: how many times as likely as another a relevant paper is to be read next.
    """
    from scipy.special import bdtr

    read = len(outcomes)
    if not read or relevant > papers - read + sum(outcomes):
        return 0.0 if read else 1.0
    before = np.concatenate([[0], np.cumsum(np.asarray(outcomes, int))])
    left, new = relevant - before[:-1], before[-1] - before[:-1]  # of each moment: relevant then, found since
    start = np.arange(read)
    others = papers - start - left
    unread = 1.0 - np.minimum((read - start - new) / np.maximum(others, 1), 1.0)
    return float(np.min(bdtr(new, left, 1.0 - unread**bias)))


def estimate_relevant(outcomes: Sequence[bool], papers: int) -> RelevanceEstimate:
    """How many papers are relevant in all: the number with even odds, those found, and the most at the level `ALPHA`.

    Arguments as of `recall_p`.
    """
    relevant_count, high = sum(outcomes), _largest(outcomes, papers, ALPHA)
    missing = max(0, min(LEAST, papers) - len(outcomes))
    if not missing and 2 * high > papers > len(outcomes) + LEAST:
        missing = LEAST
    return RelevanceEstimate(_largest(outcomes, papers, 0.5), relevant_count, high, missing)


def may_stop(outcomes: Sequence[bool], papers: int) -> bool:
    """Whether `RULE` says to stop; always if all are read, never before a relevant paper was found."""
    if len(outcomes) >= papers:
        return True
    relevant_count = sum(outcomes)
    return bool(relevant_count) and recall_p(outcomes, papers, floor(relevant_count / TARGET + 1e-9) + 1) < ALPHA


def _largest(outcomes: Sequence[bool], papers: int, level: float) -> int:
    """The greatest number of relevant papers that is not rejected at a level."""
    low = sum(outcomes)
    high = papers - len(outcomes) + low
    while low < high:
        middle = (low + high + 1) // 2
        if recall_p(outcomes, papers, middle) >= level:
            low = middle
        else:
            high = middle - 1
    return low
