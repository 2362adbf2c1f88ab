"""Identifiers of papers in one form each, so that two sources that mean the same paper say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from conspectus.core.text import lazy_pattern

_DOI_PREFIX = re.compile(r"^(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi\s*:\s*)+", re.I)
_CLOSING = (
    r"«»…\u2018-\u201f\u2039\u203a\u2308-\u230b\u2329\u232a\u2768-\u2775\u27e6-\u27ef\u2983-\u2998"
    r"\u3001-\u3003\u3008-\u301f\uff01-\uff0c\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
"""Signs that no DOI has, as ranges: quotation marks, brackets and punctuation of the text around it."""
_PART_OF_ISSUE = r"[^\s\"'<>{}|\\^`,;]{0,60}<[\w:.-]{1,40}>\d\.\d\.co;\d(?:-\w)?"
"""The end of a DOI that names a page of an issue (SICI), `0003(2000)026<0001:SM>2.0.CO;2`."""
_BEHIND = re.compile(
    rf"[{_CLOSING}]|(?<=\d)\.?[A-Z][a-z]{{2}}|(?<=\w)[.;,]?https?:|\.hal-\d|[?&]\w{{1,20}}=|\[[A-Za-z]"
    r"|/(?:full|abstract|e?pdf)$"
)
"""What is glued to a DOI: text that goes on, another address, a query, or a part of the journal's page."""
_ESCAPED = re.compile(r"%[0-9a-f]{2}", re.I)
_DOI = re.compile(
    rf"\b10\.\d{{4,9}}(?:\.\d{{1,9}}){{0,4}}(?:/|%2f)(?:{_PART_OF_ISSUE}|[^\s\"'<>{{}}|\\^`{_CLOSING}]+)", re.I
)
_WHOLE_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,4}/\S+")
_ARXIV_PREFIX = lazy_pattern(
    r"^(?:(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|(?:doi:\s*)?10\.48550/arxiv\.|arxiv\s*:\s*)+",
    re.I,
)
_ARXIV_NEW = r"\d{4}\.\d{4,5}"
_ARXIV_OLD = r"[a-z](?:[a-z]{1,7}(?:-[a-z]{2,5})?|-[a-z]{2,5})(?:\.[A-Za-z-]{2,15})?/\d{7}"
_ARXIV = lazy_pattern(rf"(?P<id>{_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d{{1,3}})?", re.I)
_ARXIV_IN_TEXT = lazy_pattern(
    rf"(?:\barxiv\s*:\s*|arxiv\.org/(?:abs|pdf|html)/|10\.48550/arxiv\.)(?P<id>{_ARXIV_NEW}(?!\d)|{_ARXIV_OLD}(?!\d))",
    re.I,
)
_PMID = lazy_pattern(
    r"(?:(?:https?://)?(?:pubmed\.ncbi\.nlm\.nih\.gov/|www\.ncbi\.nlm\.nih\.gov/pubmed/)|pmid\s*+(?::\s*+)?)?0*+(\d{1,9})/?",
    re.I,
)
_BIBCODE = re.compile(r"\d{4}[A-Za-z\d&.]{5}[\w.]{4}[\w.][\d.]{4}[A-Z.:]")
_PMCID = re.compile(r"(?:PMC)?0*([1-9]\d{0,9})(?:\.\d{1,5})?", re.I | re.ASCII)
_OPENING = {")": "(", "]": "["}
_START = re.compile(r"(?:(?<![\w.])|(?<=%2f))10\.\d{4,9}(?:\.\d{1,9}){0,4}(?:/|%2f)", re.I)
_RUN = re.compile(rf"[^\s\"'<>{{}}|\\^`,;{_CLOSING}]*")
_OLD_RUN = re.compile(rf"\(sici\)[^\s\"'{{}}|\\^`]*|{_PART_OF_ISSUE}", re.I)
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


def normal_doi(text: str) -> str:
    """The DOI in lower case without prefix and trailing punctuation (`10.1000/xyz`), or "" if it is none.

    Of several the first; old ones have odd signs in them (`10.1002/(sici)…5:4<259::aid-hbm10>3.0.co;2-9`).
    """
    plain = unquote(text) if _ESCAPED.search(text) else text
    words = _DOI_PREFIX.sub("", plain.strip()).split()
    first_word = words[0] if words else ""
    behind = _BEHIND.search(first_word)
    doi = trimmed(first_word[: behind.start()] if behind else first_word)
    return doi.lower() if _WHOLE_DOI.fullmatch(doi) else ""


def normal_arxiv_id(text: str) -> str:
    """The arXiv identifier without prefix, version and subject class (`2101.00001`, `cond-mat/9306039`), or ""."""
    match = _ARXIV.fullmatch(_ARXIV_PREFIX.sub("", text.strip()).removesuffix(".pdf"))
    return _plain_arxiv(match["id"]) if match else ""


def normal_pmid(text: str) -> str:
    """The PubMed identifier in digits, or ""."""
    match = _PMID.fullmatch(text.strip())
    return match[1] if match and match[1] != "0" else ""


def normal_bibcode(text: str) -> str:
    """The 19 characters of an ADS bibcode, or "". Case matters in it."""
    return text.strip() if _BIBCODE.fullmatch(text.strip()) else ""


def normal_pmcid(text: str) -> str:
    """The PMC identifier without its version (`PMC3257301`), or ""; it may be given as a number alone."""
    match = _PMCID.fullmatch(text.strip())
    return f"PMC{match[1]}" if match else ""


def find_doi(text: str) -> str:
    """The first DOI in running text, normalised, or ""."""
    match = _DOI.search(text)
    return normal_doi(match[0]) if match else ""


def find_arxiv_id(text: str) -> str:
    """The first arXiv identifier in running text that is marked as one (`arXiv:…`, its address or DOI), or ""."""
    match = _ARXIV_IN_TEXT.search(text)
    return _plain_arxiv(match["id"]) if match else ""


def identifiers_by_kind(typed_texts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """`doi`, `pmid`, `arxiv_id` and `pmcid`, each normalised or "", of (what articles in XML call its kind, text)."""
    identifiers = {"doi": "", "pmid": "", "arxiv_id": "", "pmcid": ""}
    for kind, text in typed_texts:
        if kind == "doi":
            identifiers["doi"] = identifiers["doi"] or normal_doi(text)
        elif kind == "pmid":
            identifiers["pmid"] = identifiers["pmid"] or normal_pmid(text)
        elif kind == "arxiv":
            identifiers["arxiv_id"] = identifiers["arxiv_id"] or normal_arxiv_id(text.split("[")[0])
        elif kind in ("pmc", "pmcid", "pmcaid"):
            identifiers["pmcid"] = identifiers["pmcid"] or normal_pmcid(text)
    return identifiers


def identify(text: str) -> tuple[str, str]:
    """What kind of identifier `text` is by its own look: ("doi" | "arxiv_id" | "pmid", normalised), or ("", "")."""
    text = text.strip()
    if _ARXIV_PREFIX.match(text) and (arxiv := normal_arxiv_id(text)):
        return "arxiv_id", arxiv
    if doi := normal_doi(text):
        return "doi", doi
    if text.lower().startswith(("pmid", "https://pubmed.")) and (pmid := normal_pmid(text)):
        return "pmid", pmid
    return "", ""


def _plain_arxiv(text: str) -> str:
    archive, slash, number = text.lower().partition("/")
    return f"{archive.partition('.')[0]}/{number}" if slash else archive


def trimmed(doi: str, signs: str = ".,;:*†/") -> str:
    """Without the punctuation of the sentence around it; a closing bracket stays if it was opened within."""
    while doi and (doi[-1] in signs or (doi[-1] in _OPENING and doi.count(doi[-1]) > doi.count(_OPENING[doi[-1]]))):
        doi = doi[:-1]
    return doi


def own_doi(texts: Sequence[str], file_dois: Sequence[str] = ()) -> str:
    """The DOI that is the paper's own, in lower case; "" where none is, or where none is whole.

    What the file says of itself goes first, unless the page calls it another thing's or has it whole where the file
    breaks it off. Else the label before each counts, then where it is deposited, then how often it is printed.
    """
    scores: dict[str, int] = {}
    for text in texts:
        for doi, score in _printed(text):
            scores[doi] = scores[doi] + 1 if doi in scores and score > 0 else max(score, scores.get(doi, score))
    for doi in filter(None, file_dois):
        longer = [each for each in scores if each.startswith(doi) and each != doi]
        if not longer and scores.get(doi, 0) > _ANOTHER / 2:
            return doi
    best = max(scores, key=lambda doi: scores[doi], default="")
    if best and scores[best] > _ANOTHER / 2:
        complete_dois = [doi for doi in scores if doi.startswith(best) and scores[doi] > _ANOTHER / 2]
        return max(complete_dois, key=len)
    return ""


def _printed(text: str) -> Iterator[tuple[str, int]]:
    """Each whole DOI in a text, and how much speaks for it."""
    for match in _START.finditer(text):
        doi = normal_doi(_joined_doi(text, match.start(), match.end()))
        if doi:
            yield doi, _score(doi, text, match.start())


def _joined_doi(text: str, start: int, end: int) -> str:
    """A DOI put together where a line ends in it; "" where its end is missing."""
    run = _OLD_RUN.match(text, end) or _RUN.match(text, end)
    stop = run.end() if run else end
    while True:
        pieces = re.sub(r"\s+", "", text[start:stop]).replace("‐", "-").replace("‑", "-")
        if _BEHIND.search(pieces):
            return pieces
        opened = pieces.count("(") > pieces.count(")")
        if pieces.endswith(_OPEN_ENDED) or opened:
            more = _GOES_ON.match(text, stop)
        else:
            broken = pieces.endswith(".") and pieces[-2:-1].isalpha()  # behind a number a DOI may end
            more = _AFTER_A_DOT.match(text, stop) if broken else None
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
