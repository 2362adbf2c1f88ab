"""Where authors work, as papers print it: lines below the names, led to by marks (`1`, `a`, `†`) or by their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conspectus.parse.byline import CLOSE, OPEN, Named
from conspectus.parse.name_words import PLACE
from conspectus.records import Author

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
class Place:
    """A place of work as printed, and the key of the mark that leads to it, or whom the print says it is `of`."""

    text: str
    key: str = ""
    of: str = ""

    def belongs_to(self, one: Named) -> bool:
        """Whether a mark of the name, or what is said of it, leads here."""
        if self.of:
            return _ALL.fullmatch(self.of) is not None or one.author.surname in self.of
        return self.key in one.marks


def keyed_places(text: str, keys: Iterable[str], *, note: bool = False) -> list[Place]:
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
    found = (Place(clean_place(text[at:end]), key) for (_, at, key), end in zip(starts, ends, strict=True))
    return [place for place in found if is_place(place) and (not note or PLACE.search(place.text))]


def places_in_note(text: str) -> list[Place]:
    """The places in a note such as `A. Bee and C. Dee are with the University of Eff. G. Haw is with …`."""
    if " with " not in text:
        return []
    sentences = re.split(r"(?<=[a-z)])\.\s+(?=[A-Z])", " ".join(text.split()))
    found = (_WITH.match(sentence[:_LONGEST]) for sentence in sentences)
    places = [Place(clean_place(match["place"]), of=match["who"]) for match in found if match]
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


def is_place(place: Place) -> bool:
    """Whether the text names a place of work: a number leads to any, a sign only to what is called one."""
    text = place.text
    if not 3 < len(text) <= _LONGEST or (_NO_PLACE.search(text) and not PLACE.search(text)):
        return False
    return bool(PLACE.search(text)) or (place.key.isalnum() and not _NO_PLACE.search(text) and text[:1].isupper())


def with_places(named: Sequence[Named], places: Sequence[Place]) -> list[Author]:
    """The authors with the places that lead to them; what leads to nobody is everybody's, or one person's."""
    loose = [place for place in places if not place.key and not place.of]
    shared = loose if len(places) == 1 or len(named) == 1 else []
    return [_with(one, [place for place in places if place.belongs_to(one)] or shared) for one in named]


def _with(one: Named, places: Iterable[Place]) -> Author:
    """The author with the places in the order of the marks, of each mark the first."""
    order = {key: number for number, key in enumerate(one.marks)}
    by_key: dict[str, str] = {}
    for place in sorted(places, key=lambda place: order.get(place.key, 0)):
        by_key.setdefault(place.key or place.text, place.text)
    return replace(one.author, affiliations=tuple(dict.fromkeys(by_key.values())))
