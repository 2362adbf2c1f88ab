"""A printed entry of a reference list told apart: label, authors, year, title, venue, volume, pages, identifiers.

Rules over the styles in which journals print references, measured on thousands of entries whose publishers say what is
what (`benchmarks/references.py`). An entry is read from its ends inwards: identifiers go first, then the authors at the
head, the year, and the venue with its numbers; what is left between them is the title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.parse.references.authors import PARTICLE, Byline, authors_until, leading_authors
from conspectus.parse.references.sources import ReferenceSource, in_venue, split_source
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi
from conspectus.records import Author, Reference

_LONGEST = 4000
"""Characters of an entry that are looked at: the longest lists of authors have about as many."""
_LABEL = re.compile(
    r"\s*+(?P<label>\[(?:[^\[\]]{1,30}|[^\[\]]{3,80}\d{4}[a-z]?)\]|\(\d{1,3}\)|\d{1,3}[.)](?!\d)|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}"
    rf"|\d{{1,3}}(?=\s++(?:{PARTICLE} )?[A-ZÀ-Þ“\"]|(?!D[ -])[A-ZÀ-Þ][.\w ])|[•▪◦*–-](?=\s))\s*+"
)
_SAME_AUTHORS = re.compile(r"(?:[-‐‑–—―_⸺⸻]\s?){2,}|[—―⸺⸻](?=[.,:;\s])")
"""Dashes in place of the names, which are those of the entry before."""
_LABELS_INSIDE = re.compile(
    r"(?:(?<=\s)|^)(?:(?:\[(?P<square>\d{1,3})\]|\((?P<round>\d{1,3})\)|(?P<stop>\d{1,3})[.)])\s(?=[^\s–—-])"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})\s?(?=\S))|(?:(?<=[.\d)\]]\s)|^)(?P<bare>\d{1,3})\s(?=[A-ZÀ-Þ“])"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SHORTEST = 25
"""Characters of an entry: what follows a number sooner is none."""
_FEWEST_BARE = 3
"""So many entries at least have numbers without a sign behind them."""
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?P<letter>[a-z])?"
_YEAR_HEAD = (
    re.compile(
        rf"(?:[.,:;]|(?<![.,:;\s]))\s*+[(\[](?:[A-Za-z.]+ "
        rf"|\[?\d{{4}}\]?[ /])?{_YEAR}(?![\d])[^()\[\]]{{0,30}}[)\]]\s*+(?P<stop>[.,:;]?)\s*+"
    ),
    re.compile(rf"(?:[.,:;]|(?<![.,:;\s]))\s*+{_YEAR}\s*+(?P<stop>[.,:;])\s++(?![\d;:])"),
    re.compile(
        r"(?:[.,:;]|(?<![.,:;\s]))\s*+[(\[](?P<year>)(?P<letter>)(?:n\. ?d\.|in press|submitted|forthcoming"
        r"|in preparation|to appear|accepted)[)\]]\s*+(?P<stop>[.,:;]?)\s*+",
        re.I,
    ),
)
_ANY_YEAR = re.compile(rf"(?<![\d/.:–-]){_YEAR}(?![\d/–-]|\.\d|:\d)")
_QUOTED = re.compile(
    r"(?:``|[“\"„«]|''|‘‘)\s?(?P<title>.{6,400}?)\s?(?:[”\"»]|''|’’|(?<=[,.])“)(?=,|[.;(\[]|\s|$)(?!\s[a-z]+\s(?!in\b))"
)
_SINGLE = re.compile(r"[‘'](?P<title>.{6,400}?)[’'](?=\s*(?:[,.;(\[]|$))")
_URL = re.compile(r"<?\b(?:https?://|ftp://|www\.)[^\s<>]+>?")
_LINKS = re.compile(
    r"[\s\[(]{0,3}(?:\b(?:Available|available|Retrieved|Accessed|Online)(?: (?:from|at|online|in"
    r"|on)){0,6}+\b(?:[^.]{0,40}?from)?:?\s*+)?(?:\bURL:?\s*+|\bdoi:?\s*+|\bDOI:?\s*+){0,6}+"
    r"(?:<?\b(?:https?://|ftp://|www\.)[^\s<>]+>?|\b10\.\d{4,9}/\S+)[\])]*",
)
_DATED = re.compile(r"(?<!\s)\s*+\((?:(?:1[5-9]|20)\d\d[a-z]?|n\. ?d\.)(?:[,/–-][^()]{0,30})?\)[.,:]?\s*+(?=\S|$)")
_TORN = re.compile(
    r"((?:\bhttps?://|\bwww\.|\b10\.\d{4,9}/)\S{0,500}[./_=-])\s(?=[a-z0-9][\w-]*(?:[./_-][\w/.-]+|/?\.?$))"
)
_NOTES = re.compile(
    r"[\s.;,]{0,3}\b(?:PMID|PubMed(?: PMID)?|PMCID|pmid):?\s*+(?:PMC)?(?P<pmid>\d{3,9})\b\.?"
    r"|[\s;,]{0,3}\bPMC\d{4,9}\b|(?<!\s)\s*+\[(?:PubMed|CrossRef|Google Scholar)\]"
    r"|[\s.;]{0,3}\bEpub (?:ahead of print )?\d{4}[/ \w]{0,12}\b\.?|(?<!\s)\s*+[\[(](?:[Aa]ccessed|cited"
    r"|[Ll]ast accessed|[Vv]isited|[Rr]etrieved)[^\])]{3,40}[\])]|[\s,.;]{0,3}\b(?:[Aa]ccessed|[Rr]etrieved"
    r"|[Ll]ast (?:accessed|visited))(?: on)?:? [\w,. /-]{4,25}\d{4}\b"
    r"|[\s,;]{0,3}\bar[Xx]iv(?: preprint)?(?:[: ]\s?ar[Xx]iv)?\s?:\s?[\w.\-/]+\d(?:v\d+)?"
    r"(?:\s?\[[\w.\-]+\])?(?:\s\((?!\d{4}\))[\w.-]+\))?"
    r"|(?<!\s)\s*+\b(?:ISSN|ISBN)(?:-1[03])?:?\s[\dXx–-]{9,20}",
)
_BARE_PMID = re.compile(r"(?<=[\s.])(?P<pmid>[1-9]\d{6,7})\.?\s*$")
_TAIL_OF_TITLE = re.compile(
    r"(?<!\s)\s*+(?:\[(?:Internet|internet|Online|online|Computer software|Data ?set|Software|Preprint|Abstract"
    r"|Letter|Review|in [A-Z]\w+|[A-Z]\w+ ?thesis)[^\]]*\]|[.,;] (?:\d+\w{2}|[Tt]hird|[Ss]econd|[Ff]irst"
    r"|[Rr]ev(?:ised|\.)) [Ee]d(?:ition|n)?\.?|[.;] [Vv]er(?:sion|\.)? ?[\d.]+|[.,;] [Vv]ol(?:ume|\.) ?\d+"
    r"|\((?:\d+\w{2} [Ee]d\.?[^)]*|latest|[^()]*\b[Ee]ds?\.[^()]*|[Vv]er(?:sion|\.)? ?[\w.]+|[Vv]ol\. \d+"
    r"|pp?\. ?[\d–-]+)\))\s*+$"
)


def split_label(text: str) -> tuple[str, str]:
    """The label that an entry begins with as printed (`[12]`, `12.`, `[Smi10]`), or "", and the entry without it."""
    match = _LABEL.match(text)
    if not match or match.end() == len(text):
        return "", text
    return match["label"].strip("•▪◦*–- "), text[match.end() :]


def split_entries(text: str) -> list[str]:
    """The entries in one text: several where their labels count up in it, `[3] … [4] …`, else the text."""
    starts: list[int] = []
    form, last = "", 0
    lead = len(text) - len(text.lstrip())
    for match in _LABELS_INSIDE.finditer(text):
        kind = match.lastgroup or ""
        value = int(match[kind].translate(_RAISED))
        first = not starts and match.start() <= lead
        if first or (kind == form and value == last + 1 and match.start() - starts[-1] > _SHORTEST):
            starts.append(match.start())
            form, last = kind, value
    if len(starts) < (_FEWEST_BARE if form == "bare" else 2):
        return [text]
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def parse_reference(text: str, key: str, label: str = "", before: Sequence[Author] = ()) -> Reference:
    """What one printed entry says, as far as rules can tell. `text` in the result is the entry without its label.

    Dashes in place of the names stand for those of the entry `before`.

    Without a `label` the one that the text begins with is taken; an entry of a list without labels whose year has a
    letter is labelled with first author and year (`Smith 2010a`).
    """
    text = clean_line(text)
    leading_label, entry = split_label(text) if not label else ("", text)
    if label and entry.startswith(label):
        entry = entry[len(label) :].lstrip()
    ids, bare = _identifiers(entry[:_LONGEST])
    same = _SAME_AUTHORS.match(bare)
    byline = Byline(tuple(before), len(same[0].rstrip())) if same else _byline(bare)
    year, letter, source = _source(bare, byline)
    title, authors = _title(source.title), byline.authors
    if year is None:
        year, letter = _year(source, bare)
    label = label or leading_label
    if not label and letter and authors:
        label = f"{authors[0].surname} {year}{letter}"
    return Reference(key, entry, label, title, authors, year, source.venue, source.volume, source.pages, *ids)


def _byline(text: str) -> Byline:
    """The authors; where a year in parentheses follows somewhat later, all that reads like names before it."""
    byline = leading_authors(text)
    dated = _DATED.search(text)
    if not dated or dated.start() <= byline.end or byline.editors:
        return byline
    gap = text[byline.end : dated.start()]
    after = text[dated.end() :]
    parts = re.split(r"[,;&]| and ", gap)
    if byline.authors:
        names = len(gap) < 4000 and all(len(part.split()) <= 5 and len(part) < 50 for part in parts)
        names = names and len(after) > 3 and not re.search(r"[:?!“”]|[a-z]{3}\. |\b\d", gap)
        return authors_until(text, byline, dated.start()) if names else byline
    if _is_untitled(after) or re.search(r"[a-z]{2}[.?!:] ", gap) or len(gap.split()) > 7 or len(gap) > 70:
        return byline
    return Byline((Author(gap.strip(" .,")),), dated.start())


def _rejoined(text: str) -> str:
    """Addresses that a line end has torn apart made whole again."""
    text = re.sub(r"(?<=doi\.org/)\s+(?=10\.)|(?<=[Dd][Oo][Ii]:)\s+(?=10\.)", "", text)
    text = re.sub(r"(?<=\b10\.)\s+(?=\d{4,5}/)", "", text)
    return _TORN.sub(lambda match: match[1], text)


def _identifiers(text: str) -> tuple[tuple[str, str, str, str], str]:
    """DOI, arXiv id, PMID and link in `text`, and the text without them."""
    joined = _rejoined(text)
    urls = (match[0].strip("<>").rstrip(".,;)]") for match in _URL.finditer(joined) if "doi.org/" not in match[0])
    bare = _LINKS.sub(" ", joined)
    pmid = next((match["pmid"] for match in _NOTES.finditer(bare) if match["pmid"] and "PMC" not in match[0]), "")
    bare = _NOTES.sub(" ", bare)
    bare = re.sub(r"(?<!\s)\s*+\(?\b(?:doi|DOI|URL|url)\b:?+\)?+(?=[\s.,]*+$)", "", bare).strip()
    if last := _BARE_PMID.search(bare):
        pmid, bare = pmid or last["pmid"], bare[: last.start()].rstrip()
    ids = find_doi(joined), find_arxiv_id(joined), pmid, next(urls, "")
    return ids, re.sub(r"(?<!\s)\s++([.,;:])", r"\1", " ".join(bare.split()))


def _source(text: str, byline: Byline) -> tuple[int | None, str, ReferenceSource]:
    """Year and letter where they follow the authors, and title and venue from what follows."""
    rest = text[byline.end :]
    for pattern in _YEAR_HEAD if byline.end else ():
        if match := pattern.match(rest):
            source = _split_quoted(rest[match.end() :], commas=match["stop"] == ",")
            return int(match["year"] or 0) or None, match["letter"] or "", source
    dated = None if byline.end else _DATED.search(rest)
    if dated and _is_untitled(rest[dated.end() :]):
        return *_year(ReferenceSource("", rest=dated[0]), dated[0]), in_venue(
            rest[: dated.start()], rest[dated.end() :]
        )
    return None, "", _split_quoted(rest.lstrip(" .,:;"), commas=rest.lstrip()[:1] == ",")


def _is_untitled(text: str) -> bool:
    """Whether no title stands behind a year in parentheses."""
    return len(text) < 4 or text.startswith(("In ", "In: "))


def _split_quoted(rest: str, *, commas: bool) -> ReferenceSource:
    match = _QUOTED.match(rest) or _SINGLE.match(rest) or _QUOTED.search(rest)
    if match and not re.search(r"\w", rest[: match.start()]):
        return in_venue(match["title"], rest[match.end() :])
    return split_source(rest, commas=commas)


def _year(source: ReferenceSource, text: str) -> tuple[int | None, str]:
    """The year where it does not follow the authors: of the locator, else the last one behind the title, else any."""
    if source.year:
        return source.year, ""
    for match in [*_ANY_YEAR.finditer(text), *_ANY_YEAR.finditer(source.rest)][-1:]:
        return int(match["year"]), match["letter"] or ""
    return None, ""


def _title(text: str) -> str:
    """A title without what is printed around it."""
    title = text.strip().strip('“”"„*_ ')
    while (shorter := _TAIL_OF_TITLE.sub("", title.rstrip(" .,;:"))) != title:
        title = shorter
    return title.lstrip(" .,;:")
