"""Lists of authors as papers print them: names in any order, with the marks that lead to where their bearers work.

A text is cut into tokens (words, marks, separators), the tokens into pieces between separators, and the pieces are read
twice: each as a whole name (`Ada Lindqvist, Marco di Renzo`), or in pairs (`Lindqvist, Ada, di Renzo, Marco`). The
reading that leaves fewer pieces over counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from conspectus.parse.people.names import (
    PLACE,
    cased,
    degree,
    family_of,
    group_name,
    in_small,
    is_family,
    is_given,
    is_initial,
    is_name,
    is_single,
    suffix,
    without_honours,
)
from conspectus.records import Author

OPEN, CLOSE = "\x01", "\x02"
"""Stand around a mark in a text whose source says what is one (a superscript)."""
LONGEST = 60_000
"""Characters that are looked at: collaborations of three thousand have about as many."""
_CONJUNCTIONS = frozenset("y e i".split())
_LEAST_OF_NAME = 2
"""A whole name has more words than a family name behind `y`."""
_LEAST_GOOD = 0.75
"""So many of the pieces must be names."""

_SIGNS = "*†‡§¶∗⁎⋆★☆#✉✝⁎⊥♯\ue000-\uf8ff"
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵃᵇᶜᵈᵉᶠᵍʰ", "0123456789-abcdefgh")
_RAISED_DIGITS = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰ]+(?:[⁻–,·˒‚]+[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰ]+)*")
_KEY = rf"(?:\d{{1,3}}|[a-z]|[{_SIGNS}]+)"
_KEYS = re.compile(rf"(\d{{1,3}})\s*[–-]\s*(\d{{1,3}})|\d{{1,3}}|[a-z]{{1,2}}|[{_SIGNS}]+", re.I)
_TOKEN = re.compile(
    rf"{OPEN}(?P<mark>[^{OPEN}{CLOSE}]{{0,60}}){CLOSE}"
    r"|(?:https?://)?(?:orcid\.org/)?(?P<orcid>\d{4}-\d{4}-\d{4}-\d{3}[\dX])"
    r"|(?P<mail>\{[^{}]{0,200}\}@[^\s,;]+|[^\s,;@]{1,64}@[^\s,;]+)"
    rf"|[(\[]\s*(?P<round>{_KEY}(?:\s*,\s*{_KEY})*)\s*[)\]]"
    r"|(?P<aside>\([^()]{0,200}\)|\[[^\[\]]{0,200}\]|\b[iI]D\b|\bORCID\b:?|\b\d{1,2}(?:st|nd|rd|th)\b)"
    r"|(?P<bad>\d{4,})"
    rf"|(?P<sign>[{_SIGNS}]+|\d{{1,3}}(?:\s?[–-]\s?\d{{1,3}})?)"
    r"|(?P<group>\b(?:on\s+behalf\s+of|representing|for)\s+(?=[Tt]he\b|[A-Z]))"
    r"|(?P<hard>[;·•|\t；、؛]|&|\b(?:and|AND|und|et(?!\s+al\b)|och|og|en|и|και)\b)"
    r"|(?P<comma>[,，،])"
    rf"|(?P<word>[^\s,;·•|&()\[\]{OPEN}{CLOSE}{_SIGNS}\d；、，؛،]+)"
)
_BY = re.compile(r"(?<!\s)\s*+(?:by\b|authors?\(s\)|authors?\b)\s*+:?\s*+", re.I)


@dataclass(frozen=True, slots=True)
class NamedAuthors:
    """An author, the keys of the marks that stand with the name (`1`, `a`, `*`), and whether it is a group's."""

    author: Author
    marks: tuple[str, ...] = ()
    group: bool = False


@dataclass(slots=True)
class _Piece:
    """What stands between two separators; `joined` to the one before by no more than a comma."""

    joined: bool = False
    words: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    orcid: str = ""
    group: bool = False
    suffix: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.words)


def byline(text: str) -> tuple[NamedAuthors, ...]:
    """The authors in order where `text` is nothing but a list of names, else none.

    Line ends count as white space, unless each line is a name of its own. A mark may stand between `OPEN` and `CLOSE`.
    """
    return read_byline(text)[0]


@lru_cache(maxsize=64)
def read_byline(text: str) -> tuple[tuple[NamedAuthors, ...], int]:
    """As `byline`, and how many pieces of the list are no names."""
    text = _BY.sub("", text[:LONGEST], count=1) if _BY.match(text) else text[:LONGEST]
    pieces, leading = _pieces(_one_line(text))
    pieces = list(_complete(pieces))
    if not pieces or (leading and len(pieces) < 2):
        return (), len(pieces)
    direct = [] if _is_paired(pieces) else _direct(pieces)
    names = direct or _inverted(pieces)
    used = len(pieces) if names is not direct else len(direct)
    return tuple(_surnames_in_capitals(names)), len(pieces) - (used if names else 0)


def _one_line(text: str) -> str:
    """The text with its line ends as white space, or as separators where each line is a name of its own."""
    text = _RAISED_DIGITS.sub(lambda match: OPEN + re.sub("[·˒‚]", ",", match[0].translate(_RAISED)) + CLOSE, text)
    text = re.sub(
        r"(?<=\w)[-‐][ \t]{0,9}\n\s*(?=[A-ZÀ-Þ])", "-", re.sub(r"(?<=\w)[-‐][ \t]{0,9}\n\s*(?=[a-zß-ÿ])", "", text)
    )
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    bare = [re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]{{0,60}}{CLOSE}", "", line).split() for line in lines]
    alone = len(lines) > 1 and all(is_name(words) and len(words) < 6 for words in bare)
    return ("; " if alone else " ").join(lines)


def _pieces(text: str) -> tuple[list[_Piece], bool]:
    """What stands between separators, and whether marks stand before their names."""
    pieces = [_Piece()]
    tokens = list(_TOKEN.finditer(text))
    leading = bool(tokens) and tokens[0].lastgroup in ("mark", "sign", "round")
    for number, token in enumerate(tokens):
        kind, words = token.lastgroup or "", token[token.lastgroup or 0]
        last = pieces[-1]
        if kind in ("mark", "sign", "round") or (kind == "word" and _letter_mark(tokens, number)):
            keys = _keys(words)
            if leading and last.words:
                pieces.append(_Piece(marks=keys))
            elif not leading and not last.words and len(pieces) > 1:
                pieces[-2].marks += keys
                last.joined = False
            else:
                last.marks += keys
        elif kind in ("comma", "hard", "group", "mail"):
            if last.words:
                pieces.append(_Piece(joined=kind == "comma" and (leading or not last.marks)))
            pieces[-1].joined = pieces[-1].joined and kind == "comma"
            pieces[-1].group = pieces[-1].group or kind == "group"
        elif kind == "orcid":
            (last if last.words or len(pieces) == 1 else pieces[-2]).orcid = words
        elif kind in ("word", "bad"):
            if last.marks and last.words and not leading:
                pieces.append(_Piece())
            pieces[-1].words.append(words)
    all_pieces = [part for piece in pieces for part in _split_at_conjunction(piece)]
    return [piece for piece in all_pieces if any(c.isalnum() for c in piece.text)], leading


def _split_at_conjunction(piece: _Piece) -> list[_Piece]:
    """The piece, cut at a Romance or Slavic `and` with a whole name on both sides: `Ana Ruiz y Luis Mora`.

    Within a family name (`Santiago Ramón y Cajal`) only one word follows it.
    """
    at = next((i for i, word in enumerate(piece.words) if word in _CONJUNCTIONS), None)
    if at is None or at == 1 or len(piece.words) - at <= _LEAST_OF_NAME:
        return [piece]
    if not at:
        return [replace(piece, words=piece.words[1:])]
    after = replace(piece, words=piece.words[at + 1 :], joined=False)
    return [replace(piece, words=piece.words[:at], marks=[], orcid="", suffix=""), after]


def _letter_mark(tokens: Sequence[re.Match[str]], number: int) -> bool:
    """Whether a word is the letter of an affiliation: `Ada Lindqvist a,b, Marco Renzo b`."""
    if not re.fullmatch("[a-z]", tokens[number][0]) or not number:
        return False
    following = tokens[number + 1].lastgroup if number + 1 < len(tokens) else "hard"
    return following in ("comma", "hard", "sign", "mark", "mail")


def _keys(mark: str) -> list[str]:
    """The keys in a mark: `1,2*` as `1`, `2` and `*`, `1–3` as `1`, `2` and `3`."""
    keys: list[str] = []
    for match in _KEYS.finditer(mark):
        first, last = int(match[1] or 0), int(match[2] or 0)
        keys += map(str, range(first, last + 1)) if first < last < first + 30 else [match[0]]
    return keys


def _complete(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """The pieces with suffixes and degrees taken to the names that they stand behind."""
    complete_pieces: list[_Piece] = []
    for piece in pieces:
        last = complete_pieces[-1] if complete_pieces else None
        if last and (piece.joined or not piece.marks) and (sign := suffix(piece.text)):
            last.suffix = sign
        elif last is None or not degree(piece.text, behind_name=is_name(last.words)):
            piece.words = without_honours(piece.words)
            if len(piece.words) > 2 and (sign := suffix(piece.words[-1])):
                piece.words, piece.suffix = piece.words[:-1], sign
            complete_pieces.append(piece)
            continue
        last.marks += piece.marks
        last.orcid = last.orcid or piece.orcid
    for at, piece in enumerate(complete_pieces):  # what a comma behind a degree has torn apart stays apart
        piece.joined = piece.joined and not (
            at and (complete_pieces[at - 1].suffix or complete_pieces[at - 1].marks) and is_name(piece.words)
        )
    yield from (piece for piece in complete_pieces if piece.words)


def _is_paired(pieces: Sequence[_Piece]) -> bool:
    """Whether a comma stands in each of several parts, as in `de la Cruz, Ana Maria; Roe Doe, Jane`."""
    pairs = [piece.joined for piece in pieces] == [False, True] * (len(pieces) // 2)
    fits = zip(pieces[::2], pieces[1::2], strict=False)
    return (
        len(pieces) > 3 and pairs and all(is_family(first.words) and is_given(second.words) for first, second in fits)
    )


def _direct(pieces: Sequence[_Piece]) -> list[NamedAuthors]:
    """Each piece as a name; none where too many are something else."""
    names: list[NamedAuthors | None] = []
    for piece in pieces:
        if group := group_name(piece.text, called=piece.group):
            names.append(NamedAuthors(Author(group), tuple(piece.marks), group=True))
        else:
            names.append(_read_author(piece) if is_name(piece.words) else None)
    if len(pieces) > 2 and names[-1] and is_initial(pieces[-1].words[-1]) and _rare_at_ends(pieces):
        names[-1] = None  # `Ada B.`, which the end of a page has torn off
    good = sum(name is not None for name in names)
    marked = sum(bool(piece.marks) for piece in pieces) > len(pieces) / 2
    for at, piece in enumerate(pieces):
        if names[at] is None and good > 1 and marked and piece.marks and is_single(piece.words):
            names[at] = _read_author(piece)
    good_names = [name for name in names if name is not None]
    return good_names if good_names and len(good_names) >= _LEAST_GOOD * len(pieces) else []


def _rare_at_ends(pieces: Sequence[_Piece]) -> bool:
    """Whether initials are the last words of few names, and the last one is not `LINDQVIST Ada B.`."""
    if _capitals(pieces[-1].words)[2]:
        return False
    ends = [piece.words[-1] for piece in pieces]
    return sum(is_initial(word) or (word.isupper() and len(word) < 4) for word in ends) < 0.5 * len(pieces)


def _read_author(piece: _Piece) -> NamedAuthors:
    words = cased(piece.words)
    family, given_name = family_of(words, suffixed=bool(piece.suffix))
    name = " ".join([*words, piece.suffix]).strip()
    return NamedAuthors(Author(name, family, given_name, piece.orcid), tuple(dict.fromkeys(piece.marks)))


def _inverted(pieces: Sequence[_Piece]) -> list[NamedAuthors]:
    """The pieces as pairs of family and given name; none where one does not fit."""
    names: list[NamedAuthors] = []
    at = 0
    while at < len(pieces):
        family, given_piece = pieces[at], pieces[at + 1] if at + 1 < len(pieces) else None
        if given_piece and given_piece.joined and is_family(family.words) and is_given(given_piece.words):
            names.append(_pair(family, given_piece))
            at += 2
        elif names and (group := group_name(family.text, called=family.group)):
            names.append(NamedAuthors(Author(group), tuple(family.marks), group=True))
            at += 1
        elif names and is_name(family.words):  # `Lindqvist, Ada, and Marco di Renzo`
            names.append(_read_author(family))
            at += 1
        else:
            return []
    sure = len(names) > 1 or any(piece.marks for piece in pieces) or any("." in piece.text for piece in pieces)
    return names if sure else []


def _pair(family: _Piece, given_piece: _Piece) -> NamedAuthors:
    names, first = cased(family.words, family=True), cased(given_piece.words)
    while len(first) > 1 and first[-1].islower():  # `Berg, Jan van der`
        names.insert(0, first.pop())
    full_name = " ".join([*first, *names, family.suffix or given_piece.suffix]).strip()
    author = Author(full_name, " ".join(names), " ".join(first), family.orcid or given_piece.orcid)
    return NamedAuthors(author, tuple(dict.fromkeys(family.marks + given_piece.marks)))


def _surnames_in_capitals(names: Sequence[NamedAuthors]) -> Iterator[NamedAuthors]:
    """`DUPONT Marie` and `Marie DUPONT` as they are written elsewhere; `Dupont MA` stays as it is."""
    blocks = [_capitals(name.author.name.split()) for name in names]
    known = any(len(max(words[first:last], key=len)) > 3 for words, first, last in blocks if last)
    for name, (words, first, last) in zip(names, blocks, strict=True):
        if not last or not known or name.author.family or name.group:
            yield name
            continue
        family, given_words = in_small(words[first:last]), words[:first] + words[last:]
        author = replace(
            name.author, name=" ".join(given_words + family), family=" ".join(family), given=" ".join(given_words)
        )
        yield replace(name, author=author)


def _capitals(words: list[str]) -> tuple[list[str], int, int]:
    """Where the words in capitals begin and end that stand first or last among others; 0, 0 where none do."""
    large = [len(word) > 1 and word.isupper() and "." not in word for word in words]
    count = sum(large)
    if 0 < count < len(words) and not group_name(" ".join(words)):
        if all(large[:count]):
            return words, 0, count
        if all(large[-count:]):
            return words, len(words) - count, len(words)
    return words, 0, 0


_NO_PLACE = re.compile(
    r"correspond|equal(?:ly)?\b|contribut|deceased|these authors|to whom|\bemail\b|e-mail|received|accepted|published"
    r"|supported by|funded|competing|conflicts? of interest|copyright|©|orcid|keywords|abstract",
    re.I,
)
_CONTACT = re.compile(
    r"[\s;,.(]{0,9}(?:\(?e-?mails?(?: address(?:es)?)?\s*+:?\s*+)?(?:\{[^{}]{0,200}\}|[^\s,;@(]{1,64})@[^\s,;)]+\)?"
    r"|\(Dated:[^()]*+\)|[\s;,.(]{0,9}(?:https?://)?orcid\.org/[\dX-]+\)?|[\s;,]{0,9}\b(?:e-?mail|tel|fax|phone)\b\.?\s*:[^;\n]*",
    re.I,
)
_WITH = re.compile(r"(?P<who>.{3,200}?) (?:is|are) (?:now )?with (?:the )?(?P<place>[A-Z].+)")
_ALL = re.compile(r"(?:all )?(?:the )?authors?", re.I)
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class PrintedAffiliation:
    """A place of work as printed, and the key of the mark that leads to it, or whom the print says it is `of`."""

    text: str
    key: str = ""
    of: str = ""

    def belongs_to(self, name: NamedAuthors) -> bool:
        """Whether a mark of the name, or what is said of it, leads here."""
        if self.of:
            return _ALL.fullmatch(self.of) is not None or name.author.surname in self.of
        return self.key in name.marks


def keyed_places(text: str, keys: Iterable[str], *, note: bool = False) -> list[PrintedAffiliation]:
    """The places in `text` that begin with one of `keys`, in order; a `note` is nothing but places that are called so.

    A key begins a place at the start of a line, as a superscript (between `OPEN` and `CLOSE`) anywhere, or, if it is
    the number that comes next, before a capital. A sign ends the place before it, whatever it leads to.
    """
    known = set(keys)
    starts: list[tuple[int, int, str]] = []
    for match in _starts(text):
        key = next(filter(None, match.groups()), "").strip("().[] ")
        counts_up = not match["inside"] or (
            bool(starts) and starts[-1][2].isdigit() and int(key) == int(starts[-1][2]) + 1
        )
        if match["sign"] or (key in known and counts_up):
            starts.append((match.start(), match.end(), key))
    if not starts or (note and starts[0][0] > 0):
        return []
    ends = [*(start for start, _, _ in starts[1:]), len(text)]
    places = (
        PrintedAffiliation(clean_place(text[at:end]), key) for (_, at, key), end in zip(starts, ends, strict=True)
    )
    return [place for place in places if is_place(place) and (not note or PLACE.search(place.text))]


def places_in_note(text: str) -> list[PrintedAffiliation]:
    """The places in a note such as `A. Bee and C. Dee are with the University of Eff. G. Haw is with …`."""
    if " with " not in text:
        return []
    sentences = re.split(r"(?<=[a-z)])\.\s+(?=[A-Z])", " ".join(text.split()))
    matches = (_WITH.match(sentence[:_LONGEST]) for sentence in sentences)
    places = [PrintedAffiliation(clean_place(match["place"]), of=match["who"]) for match in matches if match]
    return [place for place in places if PLACE.search(place.text)]


def _starts(text: str) -> Iterator[re.Match[str]]:
    yield from re.finditer(
        rf"{OPEN}\s*+(?P<raised>[^{OPEN}{CLOSE}]{{1,5}}?)[.)]?\s*+{CLOSE}"
        r"|^[ \t]{0,9}(?P<line>[\[(]?(?:\d{1,3}|[a-z](?=[\s)\]])|[*†‡§¶∗⋆#]{1,3})[.)\]]?)\s*(?=[^\W\d_]|[“(])"
        r"|(?<=\s)(?P<inside>\d{1,3})(?:\s+(?=[A-ZÀ-Þ])|(?=[A-ZÀ-Þ][a-zß-ÿ]))|(?<=\s)(?P<sign>[*†‡§¶∗⋆#]{1,3})\s?(?=[A-ZÀ-Þ])",
        text,
        re.M,
    )


def clean_place(text: str, *, stacked: bool = False) -> str:
    """The place in one line without addresses of electronic mail and marks; of `stacked` lines each is a part of it."""
    text = re.sub(rf"{OPEN}[^{OPEN}{CLOSE}]{{0,60}}{CLOSE}", "", text)
    text = re.sub(r"(?<=[a-zß-ÿ])[-‐][^\S\n]*+\n\s*+(?=[a-zß-ÿ])", "", _CONTACT.sub("", text))
    if stacked:
        text = re.sub(r"(?<![,;\s])(?<!\bof)(?<!\band)(?<!\bfor)[ \t]*+\n\s*+(?=[A-ZÀ-Þ])", ", ", text)
    return " ".join(text.split()).strip(" ,;.*†‡§¶–-")


def is_place(place: PrintedAffiliation) -> bool:
    """Whether the text names a place of work: a number leads to any, a sign only to what is called one."""
    text = place.text
    if not 3 < len(text) <= _LONGEST or (_NO_PLACE.search(text) and not PLACE.search(text)):
        return False
    return bool(PLACE.search(text)) or (place.key.isalnum() and not _NO_PLACE.search(text) and text[:1].isupper())


def with_places(names: Sequence[NamedAuthors], places: Sequence[PrintedAffiliation]) -> list[Author]:
    """The authors with the places that lead to them; what leads to nobody is everybody's, or one person's."""
    loose = [place for place in places if not place.key and not place.of]
    shared = loose if len(places) == 1 or len(names) == 1 else []
    return [_with(name, [place for place in places if place.belongs_to(name)] or shared) for name in names]


def _with(name: NamedAuthors, places: Iterable[PrintedAffiliation]) -> Author:
    """The author with the places in the order of the marks, of each mark the first."""
    order = {key: number for number, key in enumerate(name.marks)}
    by_key: dict[str, str] = {}
    for place in sorted(places, key=lambda place: order.get(place.key, 0)):
        by_key.setdefault(place.key or place.text, place.text)
    return replace(name.author, affiliations=tuple(dict.fromkeys(by_key.values())))
