"""The DOI of a paper among those that are printed in it: not that of its data, its code or a work it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conspectus.parse.identifiers import normal_doi

_START = re.compile(r"(?<![\w.])10\.\d{4,9}(?:\.\d{1,9}){0,4}/")
_RUN = re.compile(r"[^\s\"'<>{}|\\^`,;]*")
_OLD_RUN = re.compile(r"\(sici\)[^\s\"'{}|\\^`]*", re.I)
_OPEN_ENDED = tuple("-/_(:‐‑–")
_GOES_ON = re.compile(r"\s{1,3}([A-Za-z0-9(][\w.\-/():‐‑–]{0,60}\d[\w)]{0,20})")
_AFTER_A_DOT = re.compile(r"\s{1,3}([a-z0-9]{1,20}[.\-/][\w.\-/()]{0,40}\d)")
_ANOTHERS = re.compile(
    r"\b(?:data|datasets?|code|software|archived?|repositor\w+|deposit\w*|protocols?|supplement\w*|supporting|materials?"
    r"|pre-?regist\w+|source files?|peer review|review history|companion|comment\w* on|correct\w+ to|erratum|reply to"
    r"|zenodo|figshare|dryad|osf|mendeley|dataverse)\b",
    re.I,
)
"""Words before a DOI that is of something else than the paper."""
_ITS_OWN = re.compile(r"©|\(c\)\s|copyright|\b(?:cite|citation|published|received|vol|journal|article)\b", re.I)
_LABEL = re.compile(r"(?:\bdoi\b\s*+(?:[:.]\s*+)?|doi\.org/)$", re.I)
_DEPOSITS = ("10.5281/", "10.6084/", "10.5061/", "10.17605/", "10.17504/", "10.7910/", "10.24433/", "10.17632/")
"""Where data, code and protocols are deposited; some journals keep their papers there too, so this alone is little."""
_BEFORE = 200
_ANOTHER = -6
"""What a label that calls it another thing's counts; less than half of it says so."""


def own_doi(texts: Sequence[str], said: Sequence[str] = ()) -> str:
    """The DOI that is the paper's own, in lower case; "" where none is, or where none is whole.

    What the file says of itself goes first, unless the page calls it another thing's or has it whole where the file
    breaks it off. Else the label before each counts, then where it is deposited, then how often it is printed.
    """
    scores: dict[str, int] = {}
    for text in texts:
        for doi, score in _printed(text):
            scores[doi] = scores[doi] + 1 if doi in scores and score > 0 else max(score, scores.get(doi, score))
    for doi in filter(None, said):
        longer = [each for each in scores if each.startswith(doi) and each != doi]
        if not longer and scores.get(doi, 0) > _ANOTHER / 2:
            return doi
    best = max(scores, key=lambda doi: scores[doi], default="")
    if best and scores[best] > _ANOTHER / 2:
        whole = [doi for doi in scores if doi.startswith(best) and scores[doi] > _ANOTHER / 2]
        return max(whole, key=len)
    return ""


def _printed(text: str) -> Iterator[tuple[str, int]]:
    """Each whole DOI in a text, and how much speaks for it."""
    for match in _START.finditer(text):
        doi = normal_doi(_whole(text, match.start(), match.end()))
        if doi:
            yield doi, _score(doi, text, match.start())


def _whole(text: str, start: int, end: int) -> str:
    """A DOI put together where a line ends in it; "" where its end is missing."""
    run = (_OLD_RUN if text[end : end + 6].lower() == "(sici)" else _RUN).match(text, end)
    stop = run.end() if run else end
    while True:
        pieces = re.sub(r"\s+", "", text[start:stop]).replace("‐", "-").replace("‑", "-")
        opened = pieces.count("(") > pieces.count(")")
        if pieces.endswith(_OPEN_ENDED) or opened:
            more = _GOES_ON.match(text, stop)
        else:
            more = _AFTER_A_DOT.match(text, stop) if pieces.endswith(".") else None
            if more is None:
                return pieces
        if more is None:
            return ""
        stop = more.end()


def _score(doi: str, text: str, start: int) -> int:
    before = re.split(r"10\.\d{4,9}/\S*", text[max(0, start - _BEFORE) : start])[-1]
    parts = re.split(r"[;\n]|\.\s", before)
    label = " ".join(parts[-2:]) if len(parts[-1].split()) < 2 else parts[-1]
    alone = text.strip(" .,;()[]").lower() == doi
    score = 2 * bool(alone or _ITS_OWN.search(label)) + bool(_LABEL.search(text[:start]))
    return score + _ANOTHER * bool(_ANOTHERS.search(label)) - doi.startswith(_DEPOSITS)
