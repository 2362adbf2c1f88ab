"""Statements of Turtle, cut into clauses, so that one that cannot be read costs no other."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

TOKEN = re.compile(
    rb'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""'  # `*+` of a group with a lookahead is wrong before Python 3.11.5
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''"
    rb'|(?:"(?:[^"\\\n]|\\.)*+"'
    rb"|'(?:[^'\\\n]|\\.)*+')(?=[\s@^.,;\])]|\Z)"
    rb'|<[^<>"{}|^`\\\s]*+>'
    rb"|(?:(?<=\s)|\A)#[^\n]*+"
    rb"|\\."  # else each escaped quote would be tried as the beginning of a string
    rb"|(?P<end>\.)(?=\s|\Z)",
    re.DOTALL,
)
"""A string, an address, a comment, or the dot at the end of a statement; a quote that is not closed is passed over."""
_CLAUSE = re.compile(TOKEN.pattern.replace(rb"(?P<end>\.)(?=\s|\Z)", rb"(?P<end>[;,\n])"), re.DOTALL)
"""As `TOKEN`, with what ends a clause."""
_MOST_LEFT_OUT = 30
"""Clauses of one statement that may be left out for the others to be read."""
_LONGEST = 1 << 16
"""Bytes of a statement that is read again for each clause; of a longer one nothing is kept."""
Piece = tuple[int, bytes]
"""The line at which a piece of a file begins, and the piece."""
FindError = Callable[[bytes], tuple[int, str] | None]
"""The line, from 0, at which a text cannot be read, and why; None if it can."""


class MendedStatement(NamedTuple):
    """A statement that can be read, and the clauses that were left out for that, each with its reason."""

    data: bytes
    left_out: list[tuple[Piece, str]]


def drop_bad_clauses(number: int, data: bytes, find_error: FindError) -> MendedStatement | None:
    """Leave out the clauses of a statement that cannot be read; None if it is no whole statement or nothing is left.

    Args:
        number: the line at which it begins.
        data: the statement.
        find_error: reads a text.
    """
    if len(data) > _LONGEST or not data.rstrip().endswith(b"."):
        return None
    clauses = _split_clauses(number, data)
    left_out: list[tuple[Piece, str]] = []
    error = _first_error(clauses, find_error)
    while error is not None and len(left_out) < min(_MOST_LEFT_OUT, len(clauses) - 2):
        # what is wrong with a clause may only be seen in a later one, when a quote has no end
        tries = [at for at in range(error[0], max(error[0] - 3, 0), -1) if at < len(clauses) and clauses[at][1]]
        rests = [(at, _first_error(_without_clause(clauses, at), find_error)) for at in tries]
        if not rests:
            return None
        at, after = max(rests, key=lambda rest: len(clauses) if rest[1] is None else rest[1][0])
        left_out.append((clauses[at], error[1]))
        clauses, error = _without_clause(clauses, at), after
    if error is not None or len(clauses) < 2:
        return None
    return MendedStatement(b"\n".join(text for _, text in clauses), left_out)


def _first_error(clauses: list[Piece], find_error: FindError) -> tuple[int, str] | None:
    """Return the place of the first clause that cannot be read, and why."""
    fault = find_error(b"\n".join(text for _, text in clauses))
    if fault is None:
        return None
    ends = accumulate(1 + text.count(b"\n") for _, text in clauses)
    return next((at for at, end in enumerate(ends) if fault[0] < end), 0), fault[1]


def _split_clauses(number: int, data: bytes) -> list[Piece]:
    """Cut a statement behind each end of a line, semicolon and comma outside of strings and addresses."""
    clauses: list[Piece] = []
    begun = 0
    for end in [*(token.end() for token in _CLAUSE.finditer(data) if token["end"]), len(data)]:
        if text := data[begun:end].strip():
            clauses.append((number + data.count(b"\n", 0, end - 1), text))
        begun = end
    return clauses


def _without_clause(clauses: list[Piece], at: int) -> list[Piece]:
    """Empty a clause; the dot of the last one stays, and no comma before it."""
    emptied = list(clauses)
    line, text = clauses[at]
    emptied[at] = line, b"." if at == len(clauses) - 1 and text.endswith(b".") else b""
    before = next((place for place in range(at - 1, -1, -1) if emptied[place][1]), 0)
    if clauses[before][1].endswith(b",") and not text.endswith(b","):
        emptied[before] = clauses[before][0], clauses[before][1][:-1] + (b";" if text.endswith(b";") else b"")
    return emptied
