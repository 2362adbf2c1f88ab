"""Mentions of figures and tables in running text (`Figs. 1–3`, `Table S2`), led to the figures by their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conspectus.lexicon.word_lists import OTHER_FIGURES, OTHER_TABLES
from conspectus.records import Figure, FigureKind, Mark, MarkKind

_FURTHER = (
    r"(?:(?P<further>[Ss]upplementa(?:ry|l)|[Ee]xtended [Dd]ata|[Ss]uppl?\.|SUPPLEMENTARY"
    r"|[Ss]upporting(?: [Ii]nformation)?|[Aa]ppendix|[Oo]nline)\s)?"
)
_WORD = (
    r"(?P<word>(?:[Ff]ig(?:ure)?s?|FIG(?:URE)?S?|[Tt]ab(?:le)?s?|TABLES?|[Ss]chemes?|SCHEMES?|[Cc]harts?"
    r"|[Pp]lates?|[Bb]ox(?:es)?"
    r"|[Ll]istings?|[Aa]lgorithms?|[Vv]ideos?|[Mm]ovies?|[Mm]aps?|Tab)\b"
    rf"|(?i:{OTHER_FIGURES}|{OTHER_TABLES})(?![^\W\d_]))\.?"
)
_NUMBER = r"(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,2}(?!\d))?|[IVX]{1,5}(?![\w])|[A-Z](?=[\s.:)]|$)"
_PANEL = r"(?:\s?\(?[a-zA-Z]\)?(?:\s?[,–—-]\s?\(?[a-zA-Z]\)?)*(?:,?\s(?:and|&)\s\(?[a-zA-Z]\)?)?(?![\w]))?"
_TIGHT_PANEL = rf"(?:(?=[a-zA-Z(]){_PANEL})?"
_LABEL = re.compile(rf"{_FURTHER}{_WORD}\s?(?P<number>{_NUMBER})", re.I)
_MENTION = re.compile(
    rf"(?:(?<![\w-])|(?=[表图圖図])){_FURTHER}{_WORD}\s?(?P<items>(?:{_NUMBER}){_TIGHT_PANEL}"
    rf"(?:(?:\s?[,;/]\s?(?:and\s|&\s)?|\s?(?:and|&|or|to|through)\s|\s?[–—‐-]\s?)"
    rf"(?:[A-Z]?\d{{1,3}}(?:\.\d{{1,2}}(?!\d))?){_TIGHT_PANEL}(?![\w%°]))*)(?![\d])"
)
_ITEM = re.compile(
    r"(?P<range>(?:[–—‐-]|\bto\b|\bthrough\b)\s?)?"
    r"(?P<number>(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.-]\d{1,2}(?!\d))?|[IVX]{1,5}(?!\w)"
    r"|^[A-Z]$)"
)
_ELSEWHERE = re.compile(
    r"[^.;]{0,12}\s(?:of|in|from)\s(?:(?:the )?[Rr]efs?\.?\s|\[\d|[A-Z][\w’-]+(?:\set\sal|\s(?:and"
    r"|&)\s[A-Z][\w-]+\s\(|\s\((?:19|20)\d\d)|[A-Z][\w’-]+\s?[¹²³⁴-⁹]"
    r"|(?:the\s|their\s|its\s)?original\s(?:paper|article|study|publication|work|manuscript)\b)"
)
_OF_OTHERS = re.compile(
    r"(?:\b(?:[Oo]riginal|[Ii]ts|[Tt]heir|[Hh]is|[Hh]er|[Aa]uthors[’'])\s(?:(?:original\s)?(?:paper|article|study|publication|work)[’']s\s)?"
    r"|\boriginal\s(?:paper|article|study|publication|work)[’']s\s"
    r"|(?<![\w-])[A-Z][\w-]++(?:\set\sal\.?)?(?:[’']s?)\s|\set\sal\.?\s?[¹²³⁴-⁹⁰]*\s)$"
)
"""What stands before a mention of another paper's figure: `Original Fig. 3`, `their Table 1`, `Powell’s Figure 2`."""
_KINDS = {
    "table": re.compile(rf"tab|{OTHER_TABLES}", re.I),
    "figure": re.compile(rf"fig|{OTHER_FIGURES}", re.I),
}


@dataclass(frozen=True, slots=True)
class Label:
    """What a caption is called: `kind` of word, and its number with an `s` before where it is supplementary."""

    kind: str
    number: str

    @property
    def figure_kind(self) -> FigureKind:
        """Whether this is a table; everything else counts as a figure."""
        return "table" if self.kind == "table" else "figure"


def label_of(caption: str) -> tuple[str, Label] | None:
    """The label that a caption begins with, as printed and as mentions are compared with it; None without one."""
    match = _LABEL.match(caption)
    if not match:
        return None
    return match[0].rstrip(" .:"), _label(match["further"], match["word"], match["number"])


def _label(further: str | None, word: str, number: str) -> Label:
    known = (kind for kind, pattern in _KINDS.items() if pattern.match(word))
    kind = next(known, word.lower().rstrip("."))
    number = number.lower().replace("-", ".")
    extra = bool(further) and not further.lower().startswith(("ext", "app", "onl")) if further else False
    if extra and not number.startswith("s"):
        number = "s" + number
    if further and further.lower().startswith("ext"):
        number = "e" + number
    return Label(kind.removesuffix("s") if kind not in ("table", "figure") else kind, number)


def by_label(figures: Sequence[Figure]) -> dict[Label, Figure]:
    """The figures that have labels, by what mentions say; of two with one label the first."""
    figure_by_label: dict[Label, Figure] = {}
    for figure in figures:
        if parsed := label_of(figure.label):
            figure_by_label.setdefault(parsed[1], figure)
    return figure_by_label


def mention_marks(text: str, figures: Mapping[Label, Figure], *, caption: bool = False) -> Iterator[Mark]:
    """The mentions in `text` that lead to figures or tables. A caption's own label is none."""
    for match in _MENTION.finditer(text):
        if caption and match.start() == 0:
            continue
        if _ELSEWHERE.match(text, match.end()) or _OF_OTHERS.search(text, max(match.start() - 60, 0), match.start()):
            continue
        meant = [figures[label] for label in _labels(match) if label in figures]
        if meant:
            kind: MarkKind = meant[0].kind
            end = match.start("items") + len(match["items"].rstrip(" ,;"))
            yield Mark(match.start(), end, kind, tuple(dict.fromkeys(figure.key for figure in meant)))


def labels_in(text: str) -> frozenset[Label]:
    """The figures and tables that a text names, with that of its own which a caption begins with."""
    labels = {label for match in _MENTION.finditer(text) for label in _labels(match)}
    own_label = label_of(text)
    return frozenset(labels | {own_label[1]} if own_label else labels)


def without_mentions(text: str) -> str:
    """The text without what it says of figures and tables ("Fig. 3"), whose numbers count nothing."""
    return _MENTION.sub(" ", text)


def _labels(match: re.Match[str]) -> Iterator[Label]:
    """The single labels of a mention, ranges written out."""
    last = 0
    prefix = ""
    for item in _ITEM.finditer(match["items"]):
        number = item["number"]
        digits = re.search(r"(?<!\d)\d++$", number)
        if item["range"] and digits and last and 0 < int(digits[0]) - last < 30:
            for between in range(last + 1, int(digits[0])):
                yield _label(match["further"], match["word"], f"{prefix}{between}")
        yield _label(match["further"], match["word"], number)
        last, prefix = (int(digits[0]), number[: digits.start()]) if digits else (0, "")
