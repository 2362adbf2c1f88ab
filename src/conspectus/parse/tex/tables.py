"""The rows and cells of `tabular`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.parse.blocks import MOST_CELLS
from conspectus.parse.tex.scan import group_end

_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|startdata|enddata|tablebreak|noalign\s*+\{[^{}]*+\}"
    r"|(?:cline|cmidrule|addlinespace|specialrule)(?:\s*+\([^()]*+\))?(?:\s*+\[[^\[\]]*+\])?(?:\s*+\{[^{}]*+\}(?:\{[^{}]*+\})*)?|(?:small|med|big)skip)(?![A-Za-z])"
)
_HEADS = re.compile(
    r"\\(?:caption|tablecaption|label|tablecomments|tablenotetext|tablerefs|tabletypesize|tablewidth|tablenum)\*?"
)
_PIECE = re.compile(r"\\\\\*?(?:\[[^\]]{0,20}\])?|\\begin\s*\{[^{}]*\}|\\end\s*\{[^{}]*\}|\\[\s\S]|[{}&]")
_SPANNING = re.compile(r"\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}")
_HEAD_CELL = re.compile(
    r"\\colhead\b|\\nodata\b|\\tablenotemark\s*\{[^{}]*\}|\\rule\s*(?:\[[^\]]*\])?\{[^{}]*\}\{[^{}]*\}|\\rowcolor\S*"
)


def split_rows(body: str) -> Iterator[list[tuple[str, int]]]:
    """The rows of a table as lists of (source of the cell, columns it spans)."""
    head, body = _table_head(_without_heads(body))
    body = _RULES.sub(" ", _HEAD_CELL.sub(" ", head + body))
    row: list[tuple[str, int]] = []
    start = depth = 0
    for count, match in enumerate(_PIECE.finditer(body)):
        sign = match[0]
        if sign == "{" or sign.startswith("\\begin"):
            depth += 1
        elif sign == "}" or sign.startswith("\\end"):
            depth -= 1
        elif depth <= 0 and (sign == "&" or sign.startswith("\\\\")):
            row.append(_cell(body[start : match.start()]))
            start = match.end()
            if sign != "&":
                yield row
                row = []
        if count > 20 * MOST_CELLS:
            return
    row.append(_cell(body[start:]))
    yield row


def _cell(source: str) -> tuple[str, int]:
    match = _SPANNING.match(source)
    if not match:
        return source, 1
    at = source.find("{", match.end())
    end = group_end(source, at) if at >= 0 else match.end()
    return source[end:], max(1, min(100, int(match[1])))


def _without_heads(body: str) -> str:
    """The table without captions and labels that stand in it."""
    while match := _HEADS.search(body):
        at = match.end()
        if body[at : at + 1] == "[":
            at = body.find("]", at) + 1 or at
        brace = re.match(r"\s*\{", body[at:])
        body = body[: match.start()] + body[group_end(body, at + brace.end() - 1) if brace else at :]
    return body


def _table_head(body: str) -> tuple[str, str]:
    """The header row of a table in the manner of the AAS, and the rest."""
    match = re.search(r"\\tablehead\s*\{", body)
    if not match:
        return "", body
    end = group_end(body, match.end() - 1)
    return body[match.end() : end - 1] + r" \\ ", body[: match.start()] + body[end:]
