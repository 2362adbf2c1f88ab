"""No regular expression takes a time out of all proportion to a text that somebody made for it."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

import conspectus
from conspectus.search.route import LONGEST
from patterns import Used, used_patterns, worst_strings

LENGTH = 2_048
"""Characters of the shortest texts; the longest are sixteen times as long."""
FLOOR = 0.0002
"""Seconds that are too few to compare; what is not linear takes more for `LENGTH` characters."""
STEEP = 8.0
"""Between four (in proportion to the length) and sixteen (to its square), for a text four times as long."""
ENOUGH = 0.25
"""Seconds after which a pattern is ended; for the longest text four times as many."""
HARMLESS = 0.05
"""Seconds that a pattern may take for the longest text that it is ever shown."""
BOUNDED = {
    "conspectus.search.wordings.": (LONGEST, "`route` cuts a question"),
    "conspectus.search.shapes.": (LONGEST, "`route` cuts a question"),
    "conspectus.search.parts.": (LONGEST, "`route` cuts a question"),
    "conspectus.search.flags.": (LONGEST, "`route` cuts a question"),
    "conspectus.parse.web.refuse._KINDS": (300, "longer titles and pages are not looked at"),
    "conspectus.parse.web.refuse._ERROR_TITLE": (300, "longer titles are not looked at"),
}
"""Patterns that only ever see short texts: how many characters, and what sees to it. They may be steep."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer"),
]


class _Late(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Ends what takes more of the processor's time; the engine of patterns listens to signals."""

    def late(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(used: Used, method: str, text: str, most: float = ENOUGH) -> float:
    """What the processor took for one use, `most` at most."""
    call = getattr(used.pattern, method)
    began = time.process_time()
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
        return most
    return time.process_time() - began


def slow(used: Used) -> str:
    """What takes too long, if anything."""
    bound = next((most for name, (most, _) in BOUNDED.items() if used.where.startswith(name)), 0)
    lengths = (64, bound) if bound else (64, LENGTH)
    for length in lengths:
        for number, text in enumerate(worst_strings(used.pattern, length)):
            for method in used.methods:
                took = seconds(used, method, text)
                if took < (HARMLESS if bound or length == 64 else FLOOR):
                    continue
                if bound or length == 64:
                    bad = min(seconds(used, method, text) for _ in range(3)) > HARMLESS
                else:
                    bad = _steep(used, method, number, LENGTH) and _steep(used, method, number, 4 * LENGTH)
                if bad:
                    return f"{used.where} {method}: {used.pattern.pattern[:60]!r} on {text[:30]!r}… ({length:,})"
    return ""


def _steep(used: Used, method: str, number: int, length: int) -> bool:
    """Whether the time for the text of that number grows faster than its length."""
    short, long = (next(islice(worst_strings(used.pattern, n), number, None), "") for n in (length, 4 * length))
    first = min(seconds(used, method, short) for _ in range(4))
    if first < FLOOR:
        return False
    return first >= ENOUGH or min(seconds(used, method, long, 4 * ENOUGH) for _ in range(2)) > STEEP * first


@cache
def by_module() -> dict[str, list[Used]]:
    """The patterns of each module."""
    found: dict[str, list[Used]] = {}
    for used in used_patterns():
        found.setdefault(used.where.split(":")[0] if ":" in used.where else used.where.rpartition(".")[0], []).append(
            used
        )
    return found


def _modules() -> list[str]:
    home = Path(str(conspectus.__file__)).parent
    files = sorted(file for file in home.rglob("*.py") if re.search(r"\bre\.[a-z]+\(", file.read_text("utf-8")))
    return [".".join(file.relative_to(home.parent).with_suffix("").parts).removesuffix(".__init__") for file in files]


@pytest.mark.parametrize("module", _modules())
def test_no_pattern_takes_long_for_a_text_made_for_it(module: str) -> None:
    """Lost otherwise: minutes, to a file of some kilobytes; or the program, to an answer of a model."""
    assert not [found for used in by_module().get(module, ()) if (found := slow(used))]


def test_patterns_are_found_and_a_bad_one_is_told() -> None:
    """Lost otherwise: the test above, which would pass without looking at anything."""
    assert sum(map(len, by_module().values())) > 600
    assert set(by_module()) <= set(_modules()), "a module with patterns that the test above does not see"
    names = [used.where for found in by_module().values() for used in found]
    assert all(any(where.startswith(name) for where in names) for name in BOUNDED)
    for bad in (r"(?:a|a)+b", r"\s+$", r"(?:\d+,?)+x", r"(\w+) \[doi\]", r"<a>.*?</a>"):
        assert slow(Used("here", re.compile(bad), ("search",))), bad
    assert not slow(Used("here", re.compile(r"(?<!\s)\s++$"), ("search",)))
