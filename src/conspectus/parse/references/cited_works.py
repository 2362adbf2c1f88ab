"""Works that running text names by itself: DOIs, arXiv ids, PMIDs, addresses, `(Author et al., 2015)`, `[99]`.

Unlike `parse.citation_marks`, nothing is known of a reference list here: the text is what a model wrote. What only
looks like a mention is left alone: statistics, intervals, concentrations, isotopes, indices, figures and dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.lexicon.word_lists import DAYS, MONTH_FORMS, SEASONS
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, normal_arxiv_id, normal_doi, normal_pmid, trimmed
from conspectus.records import MentionedWork, MentionKind

_LONGEST = 200_000
"""Characters of a text that are looked at; answers of models are far shorter."""

_URL = r"(?:https?://|www\.)[^\s<>\"'{}|\\^`\]]+"
_LABEL = (
    r"(?:\b(?:available (?:at|from|online at)|retrieved from|accessible at|via)\s++)?"
    r"(?:\b(?:DOI|URL|link)\s*+[:=]?\s*+)?"
)
_IDENTIFIER = re.compile(
    rf"!?\[(?P<name>[^\[\]\n]{{1,200}})\]\(\s*+<?(?P<linked>{_URL})>?\s*+\)"
    rf"|{_LABEL}<?(?P<url>{_URL})>?"
    rf"|{_LABEL}(?P<doi>\b10\.\d{{4,9}}(?:\.\d{{1,9}}){{0,4}}/[^\s\"'<>{{}}|\\^`]+)"
    r"|\barXiv\s*+:\s*+(?P<arxiv>[\w.-]{1,20}/\d{7}|\d{4}\.\d{4,5})(?:v\d{1,3})?(?:\s?\[[\w.-]{2,20}\])?"
    r"|\b(?:PMID|PubMed\s?ID)\s*+[:#=]?\s*+(?P<pmid>\d{1,9})\b"
    r"|\bPMC(?:ID)?\s*+[:#]?\s*+(?:PMC)?(?P<pmc>\d{5,9})\b",
    re.I,
)
_NUMBERS = r"\d{1,3}(?:\s?(?:[,;–—−-]|,?\s?and)\s?\d{1,3})*"
_NUMBER = re.compile(
    rf"(?<![A-Za-z_\d])(?<!\b[A-Za-z]\s)\[\s?(?P<list>{_NUMBERS})\s?\](?![A-Za-z\d(])"
    rf"|(?<=[a-z]{{2}})\[\s?(?P<glued>{_NUMBERS})\s?\](?![A-Za-z\d(])"
    rf"|[\[(]\s?(?:see\s)?[Rr]ef(?:s|erences?)?\.?\s?(?P<ref>{_NUMBERS})\s?[\])]"
    r"|\[(?P<named>[A-Z][A-Za-z+]{3,20}(?:\d\d|[12]\d{3})[a-z]?)\](?!\()"
    r"|【(?P<lens>[^【】\n]{1,60})】|\[\^(?P<foot>[\w-]{1,20})\](?!:)"
    r"|\[-?@(?P<key>[\w:.#$%&+?<>~/-]{2,80})(?:;\s?-?@[\w:.#$%&+?<>~/-]{2,80})*\]"
    r"|~?\\[cC]ite[a-z]{0,12}\*?(?:\[[^\[\]\n]{0,60}\]){0,2}\{(?P<cite>[^{}\n]{1,200})\}"
)
_INTERVAL_BEFORE = re.compile(
    r"(?:\b(?:intervals?|ranges?|between|within|CI|CrI|HDI|IQR|domain|bounds?|limits?|window|vectors?|arrays?|matri(?:x|ces)"
    r"|tuples?|lists?|sets?|shapes?|sizes?|dimensions?|ind(?:ex|ices)|bins?|coordinates?|kernels?|strides?|layers?)\b"
    r"(?:\s(?:of|is|was|are|were|over|in|to|from)){0,2}|[=∈<>≤≥±~≈∼:×*/+(,-]"
    r"|\b(?:values?|lies?|lying|rang(?:es?|ing)|var(?:y|ies|ied|ying)|numbers?|drawn|sampled|uniform(?:ly)?|defined"
    r"|falls?|fell|scores?|scaled|normali[sz]ed|clipped|mapped|integers?|[a-zA-Zα-ω])\s(?:in|on|over|from|to|within))\s*$"
)
_UNIT_AFTER = re.compile(
    r"\s?(?:%|°|(?:[kMGTmµμnp]?(?:m|s|g|V|A|W|Hz|Pa|eV|L|l|M|J|N|T|K|pc)|cm|mol|min|h|hours?|days?|years?|months?|weeks?"
    r"|seconds?|minutes?|dB|px|bp|kb|Da|kDa)\b)"
)
_YEAR = r"(?:1[6-9]|20)\d\d"
_YEARS = rf"(?:in press|submitted|forthcoming|n\.\s?d\.|{_YEAR}[a-z]?)(?:\s?(?:[,/&]|and)\s?(?:{_YEAR}[a-z]?|[a-h]\b))*"
_CAP = r"(?:(?:[dDlL]|O|Mc|Mac)[’'`]?)?[A-ZÀ-ÖØ-ÞĀ-ŽΑ-Ω][^\W\d_]*(?:[’'`‐-][^\W\d_]+)*"
_PARTICLES = r"(?:(?:[Vv][ao]n|[Dd]e[nrl]?|[Dd]ella|[Dd][aiou]s?|[Ll][aeo]|[Tt]e[nr]|zu[mr]?|al|el|bin|’t|'t)\s){0,3}"
_NAME = rf"{_PARTICLES}{_CAP}(?:,?\s(?:[A-Z]\.[\s-]?){{1,3}}(?=,|\s?et\b|\s?and\b|\s?&|\s?\(|$))?"
_MORE = rf"(?:(?:,\s|,?\s(?:and|&)\s){_NAME}){{1,6}}"
_ET_AL = r",?\s(?:et\.?\s?al\b\.?|(?:and|&)\s(?:colleagues|co-?workers|others))"
_LEAD = (
    r"(?:(?:see|see also|also|e\.g\.|i\.e\.|cf\.|as in|reviewed (?:in|by)|for (?:a )?reviews?,? see|adapted from|from"
    r"|according to|but see|compare|after)[,:]?\s){0,2}"
)
_WHERE = r"(?::\s?\d[\d–-]*|,\s?(?:pp?\.|ch(?:ap)?\.|[Ff]igs?\.|[Tt]able|[Ss]ec\.|§)\s?[\dA-Z][\d–-]*)?"
_PIECE = re.compile(
    rf"\s*+{_LEAD}(?P<names>{_NAME}(?P<more>{_MORE})?(?P<et_al>{_ET_AL})?)(?P<comma>,)?\s\(?(?P<years>{_YEARS})\)?{_WHERE}\s*+"
)
_AND_ANOTHER = re.compile(rf"(?<={_YEAR}),?\s(?:and|&)\s(?=[A-ZÀ-Þ])")
_AT_END = re.compile(
    rf"(?P<comma>,)\s*{_LEAD}(?P<words>{_NAME}(?:{_ET_AL}|\s(?:and|&)\s{_NAME}),?\s{_YEARS}{_WHERE})\s*$"
)
_BRACKET = re.compile(r"\((?P<round>[^()\n]{3,600})\)|\[(?P<square>[^\[\]\n]{3,600})\](?!\()")
_TOLD = re.compile(
    rf"(?<![\w’'-])(?:(?P<names>{_NAME}(?P<more>{_MORE})?(?P<et_al>{_ET_AL})?)(?:[’']s?)?(?P<cut>\s?[(\[]\s?(?P<years>{_YEARS})\s?[)\]])"
    rf"|(?P<open>{_NAME}{_ET_AL})(?P<bare>,?\s(?P<year>{_YEARS}))(?![\w]))"
)
_SAYING = re.compile(
    r"\s(?:(?:also|first|later|then|has|have|had)\s)?(?:show|found|find|report|demonstrat|suggest|argu|propos|describ"
    r"|observ|stud|investigat|examin|conclud|claim|introduc|discover|identif|measur|not(?:e|ed)\b|stat(?:e|ed)\b|present"
    r"|develop|estimat|confirm|establish|review|us(?:e|ed|es)\b|compar|analy|reveal|point|provid|hypothes|wrote)\w*"
)
_BY = re.compile(r"\b(?:by|see|cf\.|following|per)\s$")
_NOT_NAMES = frozenset(
    """
    Since Until Before After During From In By Around About Circa Early Late Mid Version Windows Office Python
    Release Edition Table Figure Fig Section Chapter Eq Equation Appendix Box Season Phase Year Years Cycle Stage
    Week Day Grant Data Supplementary Published Updated Accessed Founded Established Launched Census Olympics Cup
    Update Copyright Act The This These A An And Or But At On Of To For With As Is No Not Also See
    """.split()
).union(MONTH_FORMS, SEASONS, DAYS)


def mentioned_works(text: str) -> tuple[MentionedWork, ...]:
    """The works that a text names, in order, none within another."""
    text = text[:_LONGEST]
    works: list[MentionedWork] = []
    mask = bytearray(len(text))
    for work in (*_bracketed(text), *_identifiers(text), *_works_in_prose(text), *_numbers(text)):
        if not any(mask[work.start : work.end]):
            mask[work.start : work.end] = b"\x01" * (work.end - work.start)
            works.append(work)
    return tuple(sorted(works, key=lambda work: work.start))


def _identifiers(text: str) -> Iterator[MentionedWork]:
    for match in _IDENTIFIER.finditer(text):
        end = match.end()
        kind: MentionKind = "url"
        value = match["linked"] or match["url"] or ""
        if match["doi"] or (match["url"] and not match[0].endswith(">")):
            written = match["doi"] or match["url"]
            value = trimmed(written, ".,;:!?*†")
            end = match.end("doi" if match["doi"] else "url") - len(written) + len(value)
        if doi := normal_doi(match["doi"] or "") or find_doi(value):
            kind, value = "doi", doi
            if arxiv := find_arxiv_id(doi):
                kind, value = "arxiv_id", arxiv
        elif arxiv := normal_arxiv_id(match["arxiv"] or "") or find_arxiv_id(value):
            kind, value = "arxiv_id", arxiv
        elif pmid := match["pmid"] or normal_pmid(value):
            kind, value = "pmid", pmid
        elif match["pmc"]:
            value = f"PMC{match['pmc']}"
        if value:
            yield MentionedWork(match.start(), end, kind, value, text[match.start() : end])


def _bracketed(text: str) -> Iterator[MentionedWork]:
    """Brackets, or the parts of them between semicolons, that are authors and years."""
    for bracket in _BRACKET.finditer(text):
        inner = bracket["round"] or bracket["square"]
        pieces, at = [], bracket.start() + 1
        for piece in inner.split(";"):
            pieces.append((at, at + len(piece)))
            at += len(piece) + 1
        cited = [(start, end) for start, end in pieces if _is_citation(_without_identifiers(text[start:end]))]
        if len(cited) == len(pieces):
            yield _work_in_words(text, bracket.start(), bracket.end())
            continue
        for start, end in cited:
            first = start == bracket.start() + 1
            yield _work_in_words(text, start if first else start - 1, end + 1 if first else end)
        last, end = pieces[-1]
        if (last, end) not in cited and (match := _AT_END.search(text, last, end)):
            yield MentionedWork(match.start(), end, "author-year", match["words"], match["words"])


def _work_in_words(text: str, start: int, end: int) -> MentionedWork:
    words = text[start:end]
    for known in _identifiers(words):
        return MentionedWork(start, end, known.kind, known.value, words)
    return MentionedWork(start, end, "author-year", words.strip(" ;()[]"), words)


def _without_identifiers(piece: str) -> str:
    """`Smith et al., 2015, doi:10.1000/1` as `Smith et al., 2015`."""
    return (
        re.sub(r"(?:[,:]|(?<![,:\s]))\s*+(?=,?\s*+$)", "", _IDENTIFIER.sub("", piece))
        if "/" in piece or "PM" in piece
        else piece
    )


def _is_citation(piece: str) -> bool:
    matches = [_PIECE.fullmatch(part) for part in _AND_ANOTHER.split(piece)]
    return all(match is not None and _are_names(match, strict=not match["comma"]) for match in matches)


def _are_names(match: re.Match[str], *, strict: bool) -> bool:
    """Whether the words before a year are authors; `strict`: nothing else says so, where it is a single word."""
    words = re.split(r"[\s,]+", match["names"])
    if words[0] in _NOT_NAMES or (len(words[0]) == 1 and len(words) == 1):
        return False
    if match["more"] or match["et_al"]:
        return not any(word in _NOT_NAMES for word in words)
    return not (strict and len(words[0]) > 1 and words[0].isupper())


def _works_in_prose(text: str) -> Iterator[MentionedWork]:
    """`Smith et al. (2015)`, of which the year goes; of a single name only where it is said to have found something."""
    for match in _TOLD.finditer(text):
        if match["open"]:
            yield MentionedWork(match.start("bare"), match.end("bare"), "author-year", match[0], match[0])
            continue
        if not _are_names(match, strict=True):
            continue
        alone = not (match["more"] or match["et_al"])
        if alone and not _SAYING.match(text, match.end()) and not _BY.search(text[: match.start()][-20:]):
            continue
        yield MentionedWork(match.start("cut"), match.end("cut"), "author-year", match[0], match[0])


def _numbers(text: str) -> Iterator[MentionedWork]:
    for match in _NUMBER.finditer(text):
        written = match["list"] or match["glued"]
        if written and not _is_mark(text, match, written):
            continue
        value = next(group for group in match.groups() if group)
        yield MentionedWork(match.start(), match.end(), "number", value, match[0])


def _is_mark(text: str, match: re.Match[str], written: str) -> bool:
    """Whether numbers in brackets are those of references rather than an interval, a vector or an index."""
    numbers = [int(number) for number in re.findall(r"\d+", written)]
    if 0 in numbers:
        return False
    before = text[max(match.start() - 60, 0) : match.start()]
    if len(numbers) == 1:
        return not re.search(r"[=∈<>≤≥±≈×*/+^]\s*$", before)
    return not (_INTERVAL_BEFORE.search(before) or _UNIT_AFTER.match(text, match.end()))
