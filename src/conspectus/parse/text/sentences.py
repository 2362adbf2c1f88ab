"""Where the sentences of a scientific text begin and end.

A regular expression proposes the places where a sentence may end; rules about the word before and the word after
decide. Where the signs conflict the rules do not split: a merged sentence still says what its author said, half of one
may not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conspectus.core.bounds import BOUNDS
from conspectus.lexicon import words
from conspectus.lexicon.word_lists import CAPTIONED, MONTH_FORMS, MONTHS

_KNOWN = {name: frozenset(listed.split()) for name, listed in words("abbreviations").items()}

NEVER_LAST = _KNOWN["never_last"]
"""Something always follows: an example, a number, the other side."""

TITLES = _KNOWN["titles"]
"""A name always follows."""

TITLE_ABBREVIATION = (
    "(?:" + "|".join(sorted(re.escape(word) for word in NEVER_LAST | TITLES | {"Mt", "Ft", "Ste"})) + ")"
)
"""One of these inside the title of a work, as a regular expression."""

BEFORE_NUMBERS = _KNOWN["before_numbers"] | {
    form.lower() for form in MONTH_FORMS if len(form) < 5 and form not in MONTHS
}
"""A number, a letter or a Roman numeral follows: `Fig. 2`, `Eq. (3)`, `App. B`. Before an ordinary word they end."""

MAYBE_LAST = _KNOWN["maybe_last"]
"""These end a sentence only if the next word is one that sentences begin with: `et al. The`, but `et al. Nature`."""

JOURNAL_WORDS = _KNOWN["journal_words"] | {form for form in MONTH_FORMS if form not in MONTHS}

VENUE_WORDS = _KNOWN["venue_words"]
"""Words of abbreviated titles of journals (after ISO 4's list of title word abbreviations) and of their series."""

LABELLED = _KNOWN["labelled"]
"""Before a single capital these make it a label, not somebody's initial: `vitamin C. Patients`."""

STARTERS = _KNOWN["starters"]
"""Words that sentences begin with and that are no names."""


_CANDIDATE = re.compile(
    r"""[.!?…。！？｡\n]
    (?: (?<=\n) [^\S\n]*\n                                   # a blank line: always an end
      | (?<=[。！？｡]) [。！？｡]*+ [」』”’）)\]]*+               # no space follows in Chinese and Japanese
      | (?<=[.!?…]) (?<![.!?…]{2}) [.!?…]*+                   # only at the first of several stops
        (?P<close> ["'”’»)\]}*_]*+ )
        (?P<mark>                                               # of a citation
            (?: \[\d[\d,;\s–-]{0,40}\]
              | [⁰¹²³⁴⁵⁶⁷⁸⁹⁻,–]{1,12}(?<!,)
              | (?<=[^\W\d_][.)\]”"]) \d{1,3}(?:[,–-]\d{1,3}){0,9} )? )
        (?= \s | [A-Z][a-z]*[\s,] )
    )""",
    re.VERBOSE,
)
_MARK_AFTER_SPACE = re.compile(r"[^\S\n]?\[\d[\d,;\s–-]{0,40}\](?=\s|$)")
_NEXT = re.compile(
    r"""\s*(?P<open>["'“‘«(\[{*_]*(?:[-–—•#]+\s+|©\s*)?["'“‘«(\[{]*)(?P<word>[^\W_][^\s,;:()\[\]"”]*)?"""
)
_ODD_START = re.compile(r"(?:[a-z]{1,4}-?[A-Z\d]|let-7|[α-ω])")
_NUMBERING = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[ivxIVX]{1,4}|[a-zA-Z])")
_NUMBER_LIKE = re.compile(r"(?:[A-Z]?\d|[A-Z](?![\w'’])|[IVXLC]+(?!\w))")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_LABEL = re.compile(
    r"(?:(?:Supplementary|Supplemental|Supporting|Extended Data)\s)?"
    rf"(?:Fig(?:ure)?|FIG(?:URE)?|Table|TABLE|{CAPTIONED.title()})\.?\s?"
    r"(?:[A-Z]?\d{1,3}|[IVX]{1,5})[A-Za-z]?"
)
_OPENERS = "\"'“‘«([{*_"


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of the sentences of `text`, in order.

    They never overlap, begin and end with something else than white space, and leave nothing but white space between,
    before and after them, so that nothing is lost. A blank line always ends a sentence.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match.start() < start:  # within a citation mark that went with the sentence before
            continue
        end = _sentence_end(text, start, match)
        if end:
            _append_stripped(text, start, end, spans)
            start = end
    _append_stripped(text, start, len(text), spans)
    most = BOUNDS.sentence.most
    if any(end - start > most for start, end in spans):
        return [piece for start, end in spans for piece in pieces(text, start, end, most)]
    return spans


def pieces(text: str, start: int, end: int, most: int) -> list[tuple[int, int]]:
    """`text[start:end]` in pieces of at most `most` characters, cut at white space where there is any."""
    spans: list[tuple[int, int]] = []
    while end - start > most:
        cut = next((at for at in range(start + most, start + most // 2, -1) if text[at].isspace()), start + most)
        _append_stripped(text, start, cut, spans)
        start = cut
    _append_stripped(text, start, end, spans)
    return spans


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The offsets of `text[start:end]` without white space around it; the end comes first where nothing is left."""
    piece = text[start:end]
    return end - len(piece.lstrip()), start + len(piece.rstrip())


def _append_stripped(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    first, last = stripped(text, start, end)
    if first < last:
        spans.append((first, last))


class _Stop(NamedTuple):
    """A place where a sentence may end, and what stands around it."""

    text: str
    start: int  # where the sentence began
    at: int  # of the first stop
    end: int  # behind stops, closing brackets and citation mark
    stops: str
    closed: bool  # by brackets or quotation marks
    left: str  # the word before
    opening: str  # quotation marks and the like before the next word
    word: str  # the next word, "" where none follows
    sign_at: int  # where what is no word follows

    @property
    def words_before(self) -> list[str]:
        return self.text[max(self.start, self.at - 40) : self.at].split()


def _sentence_end(text: str, start: int, match: re.Match[str]) -> int:
    """Where the sentence that began at `start` ends if it ends at this candidate, else 0."""
    if text[match.start()] in "\n。！？｡":
        return match.end()
    stop = _stop(text, start, match)
    mark = match["mark"]
    if mark.isdigit() and (len(stop.left) < 3 or _kind(stop.left)):
        return 0  # `Fig.12 The`
    if not _ends_here(stop):
        return 0
    after = None if mark else _MARK_AFTER_SPACE.match(text, stop.end)
    return after.end() if after else stop.end


def _stop(text: str, start: int, match: re.Match[str]) -> _Stop:
    at, end = match.span()
    following = _NEXT.match(text, end)
    assert following is not None  # every part of the pattern is optional
    left = text[max(start, at - 48) : at].split()
    return _Stop(
        text,
        start,
        at,
        end,
        text[at : match.start("close")],
        bool(match["close"]),
        left[-1].lstrip(_OPENERS) if left else "",
        following["open"],
        following["word"] or "",
        following.end(),
    )


def _ends_here(stop: _Stop) -> bool:
    if stop.left.endswith("\\"):
        return False  # a sign of LaTeX
    if not stop.text[stop.end].isspace():
        return _glued_end(stop)
    if not stop.word:
        return _ends_before_sign(stop)
    if len(stop.stops) > 1 or stop.stops == "…" or stop.left.endswith((".", "…")):
        return stop.word[0].isupper()  # dots that leave something out
    if stop.stops != ".":
        return not stop.word[0].islower() or bool(_ODD_START.match(stop.word))
    return _full_stop_ends(stop)


def _glued_end(stop: _Stop) -> bool:
    """`…was shown.The next`, `…[3].The next`: only with clear signs, for names of files and programs look the same."""
    plain = len(stop.left) > 3 and stop.left.isalpha() and stop.left[1:].islower() and not _kind(stop.left)
    return stop.stops == "." and (plain or stop.left.endswith(("]", ")"))) and stop.word.rstrip(".") in STARTERS


def _ends_before_sign(stop: _Stop) -> bool:
    """No word follows, but the end of the text or a sign such as `=` or `$`."""
    sign = stop.text[stop.sign_at : stop.sign_at + 2]
    return sign[:1] in ("", "$", "\\", "<") and sign != "< " and not _kind(stop.left)


def _full_stop_ends(stop: _Stop) -> bool:
    kind = _kind(stop.left)
    first = stop.word[0]
    spaced = stop.at > stop.start and stop.text[stop.at - 1].isspace()  # tokenised: `it was so . the next`
    if kind == "never" or (not spaced and _is_numbering(stop)):
        return False
    if kind == "number":
        return not (_NUMBER_LIKE.match(stop.word) or first.islower())
    if first.islower():
        odd = spaced or _ODD_START.match(stop.word) is not None
        return not kind and odd and (stop.closed or len(stop.left) > 1)
    if first.isdigit():
        return not kind and _ends_before_digit(stop)
    if kind == "initial" and _is_label(stop):
        return stop.word[1:2].isalpha()
    return not kind or _starts_sentence(stop)


def _kind(left_word: str) -> str:
    """What the word before a full stop is: "never", "number", "maybe", "initial", or "" for an ordinary word."""
    bare = left_word.rstrip("\"'”’»)]}").lstrip("–—-/~")
    low = bare.lower()
    if low in NEVER_LAST or bare in TITLES:
        return "never"
    if len(bare) == 1 and bare.isalpha() and bare.isupper():
        return "initial"
    if low in BEFORE_NUMBERS:
        return "maybe" if bare in JOURNAL_WORDS else "number"
    if low in MAYBE_LAST or bare in JOURNAL_WORDS or _DOTTED.fullmatch(bare):
        return "maybe"
    return ""


def _is_numbering(stop: _Stop) -> bool:
    """Whether the full stop belongs to a number: `2.1. Methods`, `steps: 1. Weigh`, a caption's `Figure 3. Moss`."""
    if stop.start == 0 and stop.at < 50 and _LABEL.fullmatch(stop.text[: stop.at].strip()):
        return True
    if not _NUMBERING.fullmatch(stop.left):
        return False
    before = stop.text[stop.start : stop.at - len(stop.left)][-8:].rstrip().rstrip(_OPENERS)
    return not before or (before.endswith((":", ";", ",", " -", " –")) and stop.left[-1].isdigit())


def _ends_before_digit(stop: _Stop) -> bool:
    if stop.left in ("0", "-0", "−0"):
        return False  # a decimal torn apart: `0. 05`
    if stop.opening.endswith("(") and len(stop.word) > 3:
        return False  # a year: `Smith. (2010)`
    before = stop.words_before[:-1]
    longest = 8 if before and before[-1].endswith(".") else 4  # `J. Magn. Reson. 2`, `Exp. 2`
    short_name = stop.left[:1].isupper() and stop.left[1:].islower() and len(stop.left) <= longest
    return stop.closed or not short_name


def _is_label(stop: _Stop) -> bool:
    """Whether the single capital before the stop is a label or unit (`vitamin C`, `0.4 K`), not somebody's initial."""
    before = stop.words_before[:-1]
    return bool(before) and (before[-1][-1].isdigit() or before[-1].lower().lstrip(_OPENERS) in LABELLED)


def _starts_sentence(stop: _Stop) -> bool:
    """Whether the next word is one that sentences begin with and not a name."""
    bare = stop.word.rstrip(".?!’'")
    if bare != "A":
        return bare.partition("'")[0].partition("’")[0] in STARTERS
    return re.match(r"A\s+[a-z]{2}", stop.text[stop.sign_at - 1 : stop.sign_at + 40]) is not None
