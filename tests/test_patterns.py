"""No regular expression takes a time out of all proportion to a text that somebody made for it."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from patterns import Used, used_patterns, worst_strings

LENGTH = 16_384
"""Characters of a text; one that is not linear takes a second for it, or for ever."""
MOST_SECONDS = 0.15
"""What is linear takes two thousandths."""
SHORT = {
    "conspectus.answer.prompting._FILE": (1_000, "a prompt's file is the user's own"),
    "conspectus.search.": (1_000, "a question is cut before it is routed"),
    "conspectus.parse.pdf.": (1_000, "a line or a paragraph on a page"),
    "conspectus.parse.reference": (1_000, "an entry of a reference list is cut"),
    "conspectus.parse.author_year": (1_000, "what stands behind a name, in a block of bounded length"),
    "conspectus.parse.mention": (1_000, "a block of bounded length"),
    "conspectus.parse.citing": (1_000, "what stands around a number, in a block of bounded length"),
    "conspectus.parse.tex.": (
        2_000,
        "an author's or a bibliography's field, and conditions, which are looked at in turn",
    ),
    "conspectus.parse.web.": (1_000, "a page's title and names"),
    "conspectus.parse.people": (501, "a name is cut"),
    "conspectus.parse.office.reader": (600, "a line above the title is cut"),
    "conspectus.evals.": (2_000, "an answer of a model"),
    "conspectus.answer.verify.": (2_000, "a sentence or a statement"),
    "conspectus.answer.": (2_000, "a statement of a model"),
    "conspectus.parse.bibliography.bibsyntax": (4_000, "the head of an entry"),
}
"""Patterns that see only short texts: how many characters, and why. They are tested with as many."""


class _Late(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what takes longer; the engine of patterns listens to signals."""

    def late(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def seconds(used: Used, method: str, text: str) -> float:
    """What the processor took for one use."""
    call = getattr(used.pattern, method)
    began = time.process_time()
    try:
        with within(20 * MOST_SECONDS):
            if method == "finditer":
                for _ in call(text):
                    pass
            elif method in ("sub", "subn"):
                call("", text)
            else:
                call(text)
    except _Late:
        return 20 * MOST_SECONDS
    return time.process_time() - began


def length_of(used: Used) -> int:
    return next((most for name, (most, _) in SHORT.items() if used.where.startswith(name)), LENGTH)


def slow(used: Used) -> str:
    """What takes too long, if anything; a slow moment of the machine is tried again."""
    for length in (64, length_of(used)):
        for text in worst_strings(used.pattern, length):
            for method in used.methods:
                if all(seconds(used, method, text) > MOST_SECONDS for _ in range(4)):
                    return f"{used.where} {method}: {used.pattern.pattern[:60]!r} on {text[:30]!r}… ({length:,})"
    return ""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_no_pattern_takes_long_for_a_text_made_for_it() -> None:
    """Lost otherwise: minutes, to a file of some kilobytes; or the program, to an answer of a model."""
    gc.disable()
    try:
        assert not [found for used in used_patterns() if (found := slow(used))]
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_patterns_are_found_and_a_bad_one_is_told() -> None:
    """Lost otherwise: the test above, which would pass without looking at anything."""
    import re

    found = list(used_patterns())
    assert len(found) > 600
    assert len({used.where.split(":")[0].rpartition(".")[0] for used in found}) > 120
    for bad in (r"(?:a|a)+b", r"\s+$", r"(?:\d+,?)+x", r"(\w+) \[doi\]"):
        assert slow(Used("here", re.compile(bad), ("search",))), bad
    assert not slow(Used("here", re.compile(r"(?<!\s)\s++$"), ("search",)))
