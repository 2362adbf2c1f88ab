"""Title, authors, affiliations, date, keywords: what LaTeX says before the text begins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from conspectus.parse.people import author_named, without_contact
from conspectus.parse.tex.scan import group_end
from conspectus.records import Author

_AUTHORS = frozenset(("author", "Author", "authors"))
_PLACES = frozenset(("affil", "affiliation", "address", "institute", "institution", "affiliations", "altaffiliation"))
_OTHERS = frozenset(
    ("title", "Title", "icmltitle", "date", "keywords", "keyword", "doi", "orcid", "email", "subtitle", "orcidlink")
)
_DROPPED = re.compile(
    r"\\(?:thanks|footnote|footnotemark|email|orcid(?:link|ID)?|altaffil\w*|corref|fnref|tnoteref|ead|IEEEmembership)\b\*?"
)
_KEYS = re.compile(
    r"\\(?:inst|textsuperscript|affilmark|IEEEauthorrefmark|fnmsep|altaffilmark|tablenotemark)\s*+\{([^{}]*)\}|\$\s*+\^\s*+\{?([^${}]*)\}?\s*+\$|\^\{([^{}]*)\}"
)
_KEY = re.compile(
    r"\s*+(?:\\(?:inst|textsuperscript|label)\s*+\{([^{}]*)\}|\$\s*+\^\s*+\{?([^${}]*)\}?\s*+\$|\((\d+)\))\s*+"
)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_ORDINAL = re.compile(
    r"(?<![\w\\])\d{1,3}\s*+(?:\\textsuperscript\s*+\{\s*+(?:st|nd|rd|th)\s*+\}|(?:st|nd|rd|th)\b)[\s~]*"
)
"""The number before a name in the template of the IEEE."""
_NAME = re.compile(r"[^\W\d_].*[^\W\d_.]\.?")


@dataclass(slots=True)
class Front:
    """What was given, as written and in order."""

    titles: list[str] = field(default_factory=list)
    people: list[tuple[str, str, str]] = field(default_factory=list)
    """("author" | "place", key in brackets, source)."""
    dates: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    dois: list[str] = field(default_factory=list)

    def takes(self, name: str) -> bool:
        """Whether the command belongs here."""
        return name in _AUTHORS or name in _PLACES or name in _OTHERS

    def take(self, name: str, optional: str, argument: str) -> None:
        """What one command says."""
        if name in _AUTHORS:
            self.people.append(("author", optional, argument))
        elif name in _PLACES:
            self.people.append(("place", optional, argument))
        elif name in ("title", "Title", "icmltitle"):
            self.titles.append(argument)
        elif name == "date":
            self.dates.append(argument)
        elif name in ("keywords", "keyword"):
            self.keywords.append(argument.replace("\\sep", ";").replace("---", ";"))
        elif name == "doi":
            self.dois.append(argument)


def authors_of_front(front: Front, rendered: Callable[[str], str]) -> tuple[Author, ...]:
    """The authors in order, with affiliations where it is clear whose they are."""
    named: list[tuple[str, list[str]]] = []  # source of the name, keys of its affiliations
    orcids: dict[int, str] = {}
    places: dict[str, str] = {}
    loose: list[tuple[int, str]] = []  # how many authors stood before, the place
    for kind, key, source in front.people:
        if kind == "author":
            names, inner = _names(source)
            if _ORCID.fullmatch(key):
                orcids[len(named)], key = key, ""  # noqa: PLW2901 - as journals of the AAS have it
            named += [(name, keys + [k.strip() for k in key.split(",") if k.strip()]) for name, keys in names]
            loose += [(len(named), place) for place in inner]
        else:
            for number, (own, place) in enumerate(_places(source), 1):
                sign = own or key or (str(number) if "\\and" in source else "")
                if sign:
                    places[sign] = rendered(place)
                else:
                    loose.append((len(named), place))
    found: list[Author] = []
    for number, (name, keys) in enumerate(named):
        words = re.sub(r"(?<![\d*†‡§])[\d*†‡§]++$", "", without_contact(rendered(name))).strip(" ,~")
        if _NAME.fullmatch(words) and len(words.split()) <= 8 and "@" not in words:
            near = tuple(places[key] for key in keys if places.get(key))
            found.append(replace(author_named(words), affiliations=near, orcid=orcids.get(number, "")))
    return tuple(_with_loose(found, loose, rendered) if len(found) == len(named) else found)


def _with_loose(found: list[Author], loose: list[tuple[int, str]], rendered: Callable[[str], str]) -> list[Author]:
    """A place that stands behind authors belongs to all since the place before (revtex, article)."""
    first, last = 0, 0
    for count, place in loose:
        if count > last:
            first, last = last, count
        text = rendered(place)
        if text and "@" not in text:
            for i in range(first, min(last, len(found))):
                if not found[i].affiliations or first or count == last:
                    found[i] = replace(found[i], affiliations=(*found[i].affiliations, text))
    return found


def _names(source: str) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The names of an `\\author` with the keys of their affiliations, and the places that stand below them."""
    while match := _DROPPED.search(source):
        brace = re.match(r"\s*+(?:\[[^\]]*+\])?\s*+\{", source[match.end() :])
        end = group_end(source, match.end() + brace.end() - 1) if brace else match.end()
        source = source[: match.start()] + " " + source[end:]
    names: list[tuple[str, list[str]]] = []
    places: list[str] = []
    for person in re.split(r"\\(?:and|And|AND|IEEEauthorblockN)\b", source):
        first, *below = re.split(r"\\\\(?:\[[^\]\[]{0,200}\])?|\\IEEEauthorblockA", person.strip())
        for part in re.split(r",(?![^{}]{0,300}\})|;|(?<![A-Za-z])and(?![A-Za-z])", _marked(_ORDINAL.sub("", first))):
            keys = [
                key
                for group in re.findall(r"\x01([^\x01\x02]*+)\x02", part)
                for key in re.split(r"[,\s]+", group)
                if key
            ]
            name = re.sub(r"\x01[^\x01\x02]*+\x02", "", part).strip()
            if name:
                names.append((name, keys))
        places += [line for line in below if line.strip(" {}\n")]
    return names, places[:20]


def _marked(text: str) -> str:
    """Signs that point to affiliations between control characters, so that their commas do not separate names."""
    return _KEYS.sub(lambda m: "\x01" + re.sub(r"[,\s]+", " ", m[1] or m[2] or m[3] or "").strip() + "\x02", text)


def _places(source: str) -> list[tuple[str, str]]:
    """The places of an `\\affiliation` or `\\institute`, each with its key."""
    found = []
    for part in re.split(r"\\and\b|\\AND\b", source):
        match = _KEY.match(part)
        key = next((group for group in match.groups() if group), "") if match else ""
        found.append((key.strip(), part[match.end() :] if match and key else part))
    return found
