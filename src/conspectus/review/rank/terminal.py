"""Have a person judge a pair of papers in the terminal."""

from __future__ import annotations

import sys
import textwrap
from itertools import zip_longest
from shutil import get_terminal_size

from conspectus.core.text import line
from conspectus.records.ranks import PairSide, Preference, RankPair

ANSWERS: dict[str, Preference | None] = {
    **dict.fromkeys(("l", "left", "1"), "first"),
    **dict.fromkeys(("r", "right", "2"), "second"),
    **dict.fromkeys(("t", "tie", "="), "tie"),
    **dict.fromkeys(("s", "skip"), "skip"),
    **dict.fromkeys(("q", "quit"), None),
}
QUESTION = "[l]eft, [r]ight, [t]ie, [s]kip or [q]uit? "
_SHOWN = 1200
"""Characters of a paper's text."""
_LEAST_WIDTH, _MOST_WIDTH, _GAP = 24, 72, " │ "


def ask_in_terminal(pair: RankPair) -> Preference | None:
    """What a person prefers, read from standard input; None to end. All is shown on standard error."""
    assert pair.first
    assert pair.second
    _show(f"\n{line(pair.criterion)}: pair {pair.comparisons + 1} of {pair.budget}\n")
    width = (min(get_terminal_size().columns, 2 * _MOST_WIDTH) - len(_GAP)) // 2
    sides = [_fold(side, max(width, _LEAST_WIDTH)) for side in (pair.first, pair.second)]
    for left, right in zip_longest(*sides, fillvalue=""):
        _show(f"{left:<{max(width, _LEAST_WIDTH)}}{_GAP}{right}")
    while True:
        sys.stderr.write(QUESTION)
        sys.stderr.flush()
        typed = sys.stdin.readline()
        answer = typed.strip().lower()
        if not typed:
            _show("")
            return None
        if answer in ANSWERS:
            return ANSWERS[answer]
        _show("Type l, r, t, s or q, then Enter.")


def _fold(side: PairSide, width: int) -> list[str]:
    text = line(side.text)
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"
    return [*textwrap.wrap(line(side.title), width), "", *textwrap.wrap(cut, width)]


def _show(text: str) -> None:
    sys.stderr.write(text + "\n")
