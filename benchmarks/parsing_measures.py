"""How near a parser's output is to the truth: words, order, headings, hyphens, what is printed around the text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from parsing_truth import Truth

from conspectus.records import ParsedPaper, normal_name

_TOKEN = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_BROKEN = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)[\x02\ufffe]\s*([^\W\d_]+(?:-[^\W\d_]+)*)")
_NUMBER = re.compile(r"^(?:(?:chapter|appendix)\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-Z]\.)\s+(?=\S)", re.I)
WINDOW = 4
"""Words are compared in runs of this many."""


@dataclass
class Share:
    """A part of a whole."""

    good: float = 0.0
    of: float = 0.0

    def add(self, good: float, of: float = 1.0) -> None:
        self.good += good
        self.of += of

    @property
    def value(self) -> float:
        return self.good / self.of if self.of else 1.0


@dataclass
class Measures:
    """Sums over files. Headings have three: found, right among those found, right with level."""

    words: Share = field(default_factory=Share)
    order: Share = field(default_factory=Share)
    whole: Share = field(default_factory=Share)
    heading_recall: Share = field(default_factory=Share)
    heading_precision: Share = field(default_factory=Share)
    level_recall: Share = field(default_factory=Share)
    level_precision: Share = field(default_factory=Share)
    furniture: Share = field(default_factory=Share)
    mended: Share = field(default_factory=Share)
    kept: Share = field(default_factory=Share)
    captions: Share = field(default_factory=Share)
    footnotes: Share = field(default_factory=Share)
    equations: Share = field(default_factory=Share)
    misses: list[str] = field(default_factory=list)


def f1(recall: Share, precision: Share) -> float:
    """Their harmonic mean."""
    total = recall.value + precision.value
    return 2 * recall.value * precision.value / total if total else 0.0


def fold_text(text: str) -> str:
    """`text` without case, accents, punctuation and white space."""
    return re.sub(r"[\W_]", "", normal_name(unicodedata.normalize("NFKC", text)))


def tokens(text: str) -> list[str]:
    """The words of `text`, case and ligatures folded. A hyphen parts words, so that only its loss counts elsewhere."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def compare_text(truth: Truth, output: str, bare: str, sums: Measures) -> None:
    """Adds what any parser's output tells: `output` is its whole text, `bare` PDFium's with line-end hyphens marked."""
    found = tokens(output)
    _compare_words(truth, found, sums)
    _compare_order(truth, found, sums)
    _compare_hyphens(truth, output, bare, sums)
    _compare_furniture(truth, output, bare, sums)


def grams(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + WINDOW]) for i in range(len(words) - WINDOW + 1)]


def _compare_words(truth: Truth, found: list[str], sums: Measures) -> None:
    wanted = Counter(gram for text in truth.paragraphs for gram in grams(tokens(text)))
    sums.words.add((wanted & Counter(grams(found))).total(), wanted.total())


def _compare_order(truth: Truth, found: list[str], sums: Measures) -> None:
    """A paragraph is right if four fifths of it stand in one place, and after the one before (longest such chain).

    Only paragraphs that are mostly unlike all others are asked for.
    """
    positions: dict[tuple[str, ...], list[int]] = {}
    for at, gram in enumerate(grams(found)):
        positions.setdefault(gram, []).append(at)
    texts = [words for text in truth.paragraphs if len(words := tokens(text)) >= 12]
    counts = Counter(gram for words in texts for gram in set(grams(words)))
    texts = [words for words in texts if sum(counts[gram] == 1 for gram in grams(words)) > 0.5 * len(words)]
    starts = [_place(words, positions) for words in texts]
    sums.order.add(_longest_chain([at for at in starts if at >= 0]), len(texts))


def _place(words: list[str], positions: dict[tuple[str, ...], list[int]]) -> int:
    """Where the paragraph stands, -1 where it is nowhere in one piece."""
    runs = grams(words)
    own = sorted(positions[gram][0] - i for i, gram in enumerate(runs) if len(positions.get(gram, ())) == 1)
    if not own:
        return -1
    middle = own[len(own) // 2]
    reach = 0.25 * len(words) + 6
    inside = sum(any(abs(at - i - middle) <= reach for at in positions.get(gram, ())) for i, gram in enumerate(runs))
    return max(middle, 0) if inside >= 0.8 * len(runs) else -1


def _longest_chain(values: list[int]) -> int:
    ends: list[int] = []
    for value in values:
        at = bisect_left(ends, value)
        ends[at : at + 1] = [value]
    return len(ends)


def _compare_hyphens(truth: Truth, output: str, bare: str, sums: Measures) -> None:
    if not truth.paragraphs:
        return
    known = _vocabulary(" ".join([*truth.paragraphs, truth.abstract]))
    found = _vocabulary(output)
    for first, second in set(_BROKEN.findall(bare.casefold())):
        for form, share in ((first + second, sums.mended), (f"{first}-{second}", sums.kept)):
            if known[form]:
                right = min(found[form], known[form]) / known[form]
                share.add(right)
                if right < 1 and len(sums.misses) < 400:
                    sums.misses.append(f"{truth.path.name}: line-end hyphen of {form!r}")


def _vocabulary(text: str) -> Counter[str]:
    text = unicodedata.normalize("NFKC", text).casefold()
    return Counter(word.replace("\u2010", "-") for word in _WORD.findall(text))


def _compare_furniture(truth: Truth, output: str, bare: str, sums: Measures) -> None:
    heads = [" ".join(tokens(head)) for head in truth.furniture]
    if truth.first_page:
        heads += [str(truth.first_page + i) for i in range(40)]
    printed, left = (f" {' '.join(tokens(text))} " for text in (bare, output))
    for head in heads:
        count = printed.count(f" {head} ")
        remain = min(left.count(f" {head} "), count)
        sums.furniture.add(count - remain, count)
        if remain:
            sums.misses.append(f"{truth.path.name}: {head!r} left {remain} times of {count}")


def compare_structure(truth: Truth, paper: ParsedPaper, sums: Measures) -> None:
    """Adds what only a structured output tells: headings with levels, whole paragraphs, footnotes, formulas."""
    _compare_headings(truth, paper, sums)
    blocks = Counter(fold_text(block.text) for block in paper.blocks if block.kind in ("paragraph", "abstract"))
    for text in truth.paragraphs:
        key = fold_text(text)
        right = blocks[key] > 0 or blocks["•" + key] > 0
        blocks[key] -= right
        sums.whole.add(right)
        if not right and truth.kind == "typeset":
            sums.misses.append(f"{truth.path.name}: not one paragraph: {text[:90]!r}")
    notes = Counter((b.label, fold_text(b.text).removeprefix(b.label)) for b in paper.blocks if b.kind == "footnote")
    for label, text in truth.footnotes:
        right = notes[label, fold_text(text)] > 0
        notes[label, fold_text(text)] -= right
        sums.footnotes.add(right)
        if not right:
            sums.misses.append(f"{truth.path.name}: footnote {label} {text[:50]!r}")
    formulas = {block.label for block in paper.blocks if block.kind == "equation"}
    for label in truth.equations:
        sums.equations.add(label in formulas)
    captions = [fold_text(block.text) for block in paper.blocks if block.kind == "caption"]
    for label in truth.captions:
        sums.captions.add(any(text.startswith(fold_text(label)) for text in captions))


def _compare_headings(truth: Truth, paper: ParsedPaper, sums: Measures) -> None:
    if not truth.headings:
        return
    own = ("abstract", "references", "keywords", "contents", "bibliography")
    found = [(fold_text(without_number(block.text)), block.level) for block in paper.blocks if block.kind == "heading"]
    found = [(text, level) for text, level in found if text not in own]
    wanted = [(fold_text(text), level) for text, level in truth.headings]
    wanted = [(text, level) for text, level in wanted if text not in own]
    same = (Counter(text for text, _ in wanted) & Counter(text for text, _ in found)).total()
    with_level = (Counter(wanted) & Counter(found)).total()
    sums.heading_recall.add(same, len(wanted))
    sums.heading_precision.add(same, len(found))
    sums.level_recall.add(with_level, len(wanted))
    sums.level_precision.add(with_level, len(found))
    for text, level in wanted:
        if text not in {name for name, _ in found}:
            sums.misses.append(f"{truth.path.name}: heading missed: {text!r} (level {level})")
    for text, level in found:
        if text not in {name for name, _ in wanted}:
            sums.misses.append(f"{truth.path.name}: no heading: {text!r} (level {level})")
        elif (text, level) not in wanted:
            sums.misses.append(f"{truth.path.name}: level {level} wrong: {text!r}")


def without_number(text: str) -> str:
    """A heading's name."""
    return _NUMBER.sub("", text)
