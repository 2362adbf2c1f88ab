"""No regular expression takes a time out of all proportion to a text that somebody made for it."""

import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf, log2

import pytest

from conspectus.core.bounds import BOUNDS
from conspectus.parse.references import entries
from conspectus.parse.registry import HEAD_BYTES
from conspectus.search import router
from patterns import PatternUse, used_patterns, worst_strings

LENGTH = BOUNDS.block.most
"""Characters of a text; one that is not linear takes a second for it, or for ever."""
MOST_SECONDS = 0.16
"""What is linear takes 0.002 to 0.1, and 0.23 the least that is not, on a machine that takes `KNOWN_SECONDS`."""
KNOWN, KNOWN_SECONDS = (re.compile("a+b"), "a" * 6000), 0.026
"""A use that takes as many steps on each machine."""
LATE = 2
"""Times as long as it may take, after which a use is ended."""
DOUBT = 1 / 2
"""How much steeper the time may grow than from a sixteenth of a text to an eighth, where the whole is foretold."""
ENTRY = entries._LONGEST
SHORT = {
    "conspectus.parse.references.entries.": (ENTRY, "an entry is cut before it is told apart"),
    "conspectus.parse.references.authors.": (ENTRY, "of an entry"),
    "conspectus.parse.references.sources.": (ENTRY, "of an entry"),
    "conspectus.parse.references.files:": (2_000, "of a beginning"),
    "conspectus.parse.registry.": (HEAD_BYTES, "of a beginning"),
    "conspectus.search.question_kinds.": (router.LONGEST, "a question is cut before it is routed"),
    "conspectus.search.subquestions.": (3 * router.LONGEST, "a sub-question may have what another is about, a goal"),
}
"""Patterns that see only texts that were cut: after how many characters, and why. They are tested with as many."""


BAD = (
    r"(?:a+)+b", r"(?:a|a)+b", r"(?:a|ab|b)*c", r"(?:a|b|c|ab|bc)*d", r"(?:[a-f]|[d-z])+!", r"(?i)(?:[A-Z]|[a-z])+!",
    r"(?:aa|bb|cc|dd|ee|ff|gg|hh|hh)+!", r"(?:\d+,?)+x", r"^\s*(?:\w+\s*)+$", r"(?:\s*,\s*)+x", r"(?:and|,|\s)*and$",
    r"(?:a{1,15}){1,15}b", r"\w{0,15}\w{0,15}\w{0,15}\w{0,15}\w{0,15}x", r"x*y*z*w", r"(?>a*)*?(?:a*)*b",
    r"\s+$", r"(?m)^\s*foo", r"(\w+) \[doi\]", r"(?i)[a-z]+\d", r"(?<!\w)(?:a+ )+b", r"(\w+)\s+\1", r"(?m)^(?:#.*\n)*x",
    r".*foo.*bar", r"(.+) and (.+) in (.+) of$", r"\[(?:[^\]],?)*\]\(", r"<(?:.|\n)*?>",
    r"(?=.*x)a", r"(?=[^.]*\.)\w", r"(?=@)\S*x", r"(?<=@)(?:[^ ],?)*x", r"(?<=foo )\S+ (?:\S+ )*x",
)  # fmt: skip
"""Nested, overlapping, bounded and yet too many, unanchored, in pairs, and behind or before what is looked at."""
GOOD = (r"(?<!\s)\s++$", r"\[[^\[\]]*+\]\(", r"(?:a{1,3}){1,3}b", r"\w{1,10}\s\w{1,10}x", r"(?m)^[^\n]*$")


class _Late(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what takes the processor longer; the engine of patterns listens to signals."""

    def late(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(used: PatternUse, method: str, text: str, clock: Callable[[], float], most: float) -> float:
    """What one use took; infinite, where it was ended after `most` seconds."""
    call = getattr(used.pattern, method)
    began = clock()
    try:
        with within(most):
            if method == "finditer":
                for _ in call(text):
                    pass
            elif method in ("sub", "subn"):
                call("", text)
            else:
                call(text)
    except _Late:
        return inf
    return clock() - began


def length_of(used: PatternUse) -> int:
    return next((most for name, (most, _) in SHORT.items() if used.where.startswith(name)), LENGTH)


def known_seconds(times: int) -> float:
    """What a use takes on this machine, at this moment, whose steps are known."""
    pattern, text = KNOWN
    used = PatternUse("here", pattern, ("search",))
    return min(seconds(used, "search", text, time.thread_time, 60) for _ in range(times))


@cache
def most_seconds() -> float:
    """What a use may take on this machine."""
    return MOST_SECONDS * known_seconds(20) / KNOWN_SECONDS


def is_slow(used: PatternUse, method: str, text: str, tries: int) -> bool:
    """Whether it takes too long, however often it is tried.

    From the second time on by what is known as it takes right then: the machine may be half as fast as it was when
    the first pattern was tried, for seconds or for good.
    """
    for tried in range(tries):
        most = max(most_seconds(), MOST_SECONDS * known_seconds(2) / KNOWN_SECONDS) if tried else most_seconds()
        if seconds(used, method, text, time.thread_time, LATE * most) < most:
            return False
    return True


def is_suspect(used: PatternUse, method: str, short: str, shorter: str) -> bool:
    """Whether the whole of a text, of which these are an eighth and a sixteenth, may take too long.

    An eighth takes a three hundredth of that at the least (where its cube counts); some processors' own clocks tick
    in more than that, 4 ms.
    """
    took = seconds(used, method, short, time.perf_counter, LATE * most_seconds())
    if took <= most_seconds() / 300 or took == inf:
        return took == inf
    before = min(seconds(used, method, shorter, time.perf_counter, LATE * most_seconds()) for _ in range(5))
    return bool(took * 8 ** (max(1.0, log2(took / min(took, before))) + DOUBT) > most_seconds())


def slow(used: PatternUse, tries: int = 5) -> str:
    """What takes too long, if anything."""
    length = length_of(used)
    for tiny, shorter, short, text in worst_strings(used.pattern, (64, length // 16, length // 8, length)):
        for method in used.methods:
            if is_slow(used, method, tiny, tries) or (
                is_suspect(used, method, short, shorter) and is_slow(used, method, text, tries)
            ):
                return f"{used.where} {method}: {used.pattern.pattern[:60]!r} on {text[:30]!r}… ({length:,})"
    return ""


@pytest.mark.clock
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_no_pattern_takes_long_for_a_text_made_for_it() -> None:
    """Lost otherwise: minutes, to a file of some kilobytes; or the program, to an answer of a model."""
    gc.disable()
    try:
        assert not [found for used in used_patterns() if (found := slow(used))]
    finally:
        gc.enable()


@pytest.mark.clock
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")
def test_patterns_are_found_and_a_bad_one_is_told() -> None:
    """Lost otherwise: the test above, which would pass without looking at anything."""
    found = list(used_patterns())
    assert len(found) > 600
    assert len({used.where.split(":")[0].rpartition(".")[0] for used in found}) > 120
    for bad in BAD:
        assert slow(PatternUse("here", re.compile(bad), ("search",)), tries=1), bad
    for good in GOOD:
        assert not slow(PatternUse("here", re.compile(good), ("search",))), good
