"""The list of authors that a printed reference begins with, in the forms in which journals print names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conspectus.lexicon import words
from conspectus.parse.people.names import in_small
from conspectus.parse.text.sentences import TITLE_ABBREVIATION
from conspectus.records import Author

_UP = "[A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽĿŁŃŅŇŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽȘȚΑ-ΡΣ-ΩЀ-Я]"
_LETTER = r"(?:[^\W\d_][\u0300-\u036f]?)"
PARTICLE = (
    r"(?:[Vv][ao]n(?: den| der| de| 't| ’t| dem| het)?|[Dd]e(?: la| los| las| l[’'])?|[Dd]el(?:la|le|lo"
    r"|l[’'])?|den|der|dem"
    r"|[Dd][aiou]s?|[Ll][aeo]|[Tt]e[nr]|zu[mr]?|zu|dal(?:la)?|bin|ben|ibn|[Ee]l|[Aa]l|af|av|of|[Vv]om|y|e|St\.|’t|'t)"
)
_NAME = (
    rf"(?:(?:[dDlL]|O|Mc|Mac|N)[’'`´]\s?|[a-z]{{2,6}}-?(?={_UP}[a-z]))?"
    rf"{_UP}(?:{_LETTER}|[’'`´–‐-](?={_LETTER})){{1,40}}"
)
_FAMILY = (
    rf"(?:{PARTICLE}[ ]){{0,3}}{_NAME}(?:(?:[ ]|[ ](?:y|e|i)[ ]"
    rf"|[ ][-–‐][ ])(?:{PARTICLE}[ ]){{0,2}}{_NAME}){{0,2}}"
)
_INITIAL = rf"(?:{_UP}|Yu|Ya|Ye|Ju|Ch|Chr|Sh|Kh|Zh|Th|Ph|Ts|Gy|Sz|Zs|Cs|Wm|Fr|St)\."
_DOTTED = rf"{_INITIAL}(?:[ ]?[-–‐]?[ ]?{_INITIAL}|[-–‐]{_UP}(?!\w)\.?){{0,4}}(?:[ ](?!J\b){_UP}(?=,|[ ]{_UP}[a-z]))?"
_BARE = rf"{_UP}{{1,5}}(?:[ ]?[-–‐][ ]?{_UP}{{1,2}})?(?![\w’'])\.?"
_SPACED = rf"{_UP}(?![\w.])(?:[ -]{_UP}(?![\w.])){{1,3}}"
_GIVEN = (
    rf"{_UP}{_LETTER}{{1,30}}(?:[-‐]{_LETTER}{{1,30}})?"
    rf"(?:[ ](?:{_UP}\.|{_UP}(?![\w.])|{_UP}{_LETTER}+(?=[ ](?:{_UP}|de "
    rf"|van |von |da |der |den ))(?:[-‐]{_LETTER}+)?)){{0,3}}"
)
_SUFFIX = r"(?:,?[ ](?:[JS]r(?!\w)\.?|I{2,3}\b|IV\b|[23](?:nd|rd|d)\b|4th\b))?"
_TRAILING = rf"(?:[ ](?=[a-z]){PARTICLE}(?=\.?[ ](?:[(&]|[a-z]|and )|[,;]))*"

_FORMS = {
    "family, dotted": re.compile(
        rf"(?P<family>{_FAMILY})(?P<jr>{_SUFFIX}),[ ]?(?P<given>{_DOTTED}{_TRAILING}){_SUFFIX}"
    ),
    "family dotted": re.compile(rf"(?P<family>{_FAMILY})(?P<jr>{_SUFFIX})[ ](?P<given>{_DOTTED}{_TRAILING}){_SUFFIX}"),
    "family bare": re.compile(rf"(?P<family>{_FAMILY})(?P<jr>{_SUFFIX}),?[ ](?P<given>{_BARE}|{_SPACED}){_SUFFIX}"),
    "dotted family": re.compile(rf"(?P<given>{_DOTTED})[ ]?(?P<family>{_FAMILY}){_SUFFIX}"),
    "bare family": re.compile(rf"(?P<given>{_UP}{{1,3}}(?:[ -]{_UP}){{0,2}})[ ](?P<family>{_FAMILY}){_SUFFIX}"),
    "given family": re.compile(rf"(?P<given>{_GIVEN})[ ](?P<family>(?:{PARTICLE}[ ]){{0,3}}{_NAME}){_SUFFIX}"),
    "family, given": re.compile(rf"(?P<family>{_FAMILY}),[ ](?P<given>{_GIVEN}){_TRAILING}{_SUFFIX}"),
}
_LISTS = (
    (("family, dotted",), ("family, dotted", "dotted family", "family bare")),
    (("family bare",), ("family bare",)),
    (("family dotted",), ("family dotted",)),
    (("dotted family",), ("dotted family",)),
    (("bare family",), ("bare family",)),
    (("given family",), ("given family", "dotted family")),
    (("family, given",), ("given family", "family, dotted", "family, given", "dotted family")),
)
"""The forms that the first name of a list may have, and those of the others."""

_AND = r"(?:and|&|und|u\.|et|y|e|og|och|en|with)"
_NEXT = re.compile(
    rf"\s*+[,;]?\s*+(?:…|\.\s?\.\s?\.)\s*+(?:{_AND}\s++)?|\s*+[,;/]\s*+(?:{_AND}\s++)?|\s++{_AND}\s++|\s*+&\s*+"
)
_ET_AL = re.compile(
    r"\s*+[,;]?\s*+(?:\[?\(?\bet\.?\s?al(?:ii|ia)?\b\.?\]?\)?|(?:and|&) (?:others|colleagues|co-?workers)"
    r"|u\.\s?a\.|…|et\.(?=\s[A-Z]))"
)
_EDITORS = re.compile(
    r"\s*+[,.]?\s*+[(\[]\s*+(?:[Ee]ds?|[Ee]ditors?|Hrsg|Hg|[Cc]omps?|[Tt]rans)\b\.?\s*+[)\]]"
    r"|\s*+,\s*+(?:[Ee]ds?|[Ee]ditors?|Hrsg|Hg|[Cc]omps?|[Tt]rans)\b\.?"
    r"|\s*+[,.]?\s*+(?:[Ee]ds|[Ee]ditors?|Hrsg|Hg)\b\.?(?!\s++[a-z])|\s*+\.?\s*+(?:Ed|ed|Comp)\.(?!\s++[a-z])"
)
_GROUP_WORDS = "|".join(words("references")["groups"])
_GROUP = re.compile(
    rf"(?!(?:1[5-9]|20)\d\d\b)(?:[Tt]he )?(?:{_UP}[\w&’'./-]*|\d+)(?:,? (?:of|for|on|and|the|de|del|in|to"
    rf"|von|für|&|{_UP}[\w&’'/-]*|\d+)){{0,11}}?[ ](?:{_GROUP_WORDS})\b"
    rf"(?:(?:,)? (?:of|for|on|and|the|de|in|{_UP}[\w&’'/-]*)){{0,8}}(?=\s*[.,:;(]|\s+\d{{4}}|$)"
)
_SEGMENT = re.compile(r"[^,;&]+")
_SHORT_NAME = re.compile(r"\s*[(\[][A-Z]{2,10}[)\]]")
_CAPITALS = re.compile(r"[A-Z]{2,8}(?=[.:] )")
_SHORT_GROUP = re.compile(rf"(?P<name>(?:[Tt]he )?{_UP}[\w-]{{0,40}}(?: {_UP}[\w-]{{0,40}}){{0,4}})(?=[.,]? ?\()")
_YEAR_NEXT = re.compile(r"[.,:;]?\s*[(\[]?(?:1[6-9]|20)\d\d[a-z]?\b")
_CLEAN_END = re.compile(r"\s*(?:[.:;,]|[(\[]|[“\"‘«„]|$)")
_LONE = re.compile(rf"{_UP}{_LETTER}+ {_UP}\.?$")
"""`John C.`, rather the beginning of `John C. Cross` than somebody called John."""
_NAME_AND_TITLE = re.compile(rf"\.? (?!(?:{TITLE_ABBREVIATION}|Med|Ph)\.){_UP}[\w’'-]+[.:] .*[a-z)]{{2}}[.?!] \S")
_BACK_TO_TITLE = re.compile(r"\s+(?!(?:and|et|und|y|van|von|de|der|den|in|with)\b)[a-z]{2,}")
_JOURNAL_AFTER_J = re.compile(rf"\s*(?:{'|'.join(words('references')['after_j'])})\b\.?")


@dataclass(frozen=True, slots=True)
class Byline:
    """The authors at the head of a text, and where what follows them begins (at its punctuation)."""

    authors: tuple[Author, ...]
    end: int
    editors: bool = False


def leading_authors(text: str) -> Byline:
    """The authors that `text` begins with; none, and an end of 0, where it begins with something else."""
    best, merit = Byline((), 0), 0.0
    for first, others in _LISTS:
        byline = _list(text, first, others)
        if byline and (worth := _merit(text, byline)) > merit:
            best, merit = byline, worth
    if group := _GROUP.match(text) or _CAPITALS.match(text):
        byline = _with_members(text, group)
        if not best.authors or (byline.end > best.end and len(best.authors) == 1):
            best = byline
    if not best.authors and (short := _SHORT_GROUP.match(text)) and _YEAR_NEXT.match(text, short.end()):
        best = Byline((Author(short["name"].strip()),), short.end())
    if best.authors and (editors := _EDITORS.match(text, best.end)):
        return Byline(best.authors, editors.end(), editors=True)
    return best


def authors_until(text: str, byline: Byline, end: int) -> Byline:
    """The authors up to `end`, where it is known that they end there: what is no usual name counts as one."""
    authors = list(byline.authors)
    at = byline.end
    while at < end:
        if following := _NEXT.match(text, at):
            at = following.end()
        name_and_end = _read_name(text, at, _LISTS[0][1]) if at else None
        if (
            name_and_end
            and name_and_end[1] <= end
            and (name_and_end[1] == end or _NEXT.match(text, name_and_end[1]) or text[name_and_end[1]] in ". ")
        ):
            author, at = name_and_end
            authors.append(author)
            continue
        segment = _SEGMENT.match(text, at, end)
        at = max(segment.end() if segment else end, at + 1)
        if segment and (name := segment[0].strip(" .,;&")):
            authors.append(Author(name))
    return Byline(tuple(authors), end)


def _with_members(text: str, group: re.Match[str]) -> Byline:
    """A group, and the persons that may follow it."""
    end = short.end() if (short := _SHORT_NAME.match(text, group.end())) else group.end()
    following = _NEXT.match(text, end)
    lists = [_list(text, first, others, following.end()) for first, others in _LISTS] if following else []
    members = max(
        (byline for byline in lists if byline), key=lambda byline: len(byline.authors), default=Byline((), end)
    )
    if not members.authors or _merit(text, members) < 1:
        members = Byline((), end)
    return Byline((Author(group[0]), *members.authors), members.end)


def _merit(text: str, byline: Byline) -> float:
    """How likely the list is to be one: its length, and whether what follows looks like the end of a list."""
    if _YEAR_NEXT.match(text, byline.end):
        return len(byline.authors) + 2
    if len(byline.authors) == 1 and _LONE.match(text[: byline.end]) and _NAME_AND_TITLE.match(text, byline.end):
        return 0.9
    clean = text[byline.end - 1] == "." or _CLEAN_END.match(text, byline.end)
    return len(byline.authors) + (0.5 if clean else -1.5)


def _list(text: str, first: tuple[str, ...], others: tuple[str, ...], at: int = 0) -> Byline | None:
    """The list that begins at `at` with a name in one of the forms `first` and goes on in those of `others`."""
    authors: list[Author] = []
    end = at
    forms = first
    while True:
        name_and_end = _read_name(text, at, forms)
        if name_and_end is None:
            break
        author, at = name_and_end
        authors.append(author)
        end = at
        if others[:1] != ("family bare",):
            forms = others
        if et_al := _ET_AL.match(text, at):
            return Byline(tuple(authors), et_al.end())
        following = _NEXT.match(text, at)
        if not following or (following[0].strip() == "," and text[following.end() : following.end() + 1] in '“"‘«„'):
            break  # the title
        at = following.end()
        if et_al := _ET_AL.match(text, following.start()):
            return Byline(tuple(authors), et_al.end())
    return Byline(tuple(authors), end) if authors else None


def _read_name(text: str, at: int, forms: tuple[str, ...]) -> tuple[Author, int] | None:
    """One name at `at` in one of the forms, or a group, and its end."""
    for form in forms:
        if name_match := _FORMS[form].match(text, at):
            given_name, end = name_match["given"], name_match.end()
            if form in ("family, dotted", "family dotted"):
                given_name, end = _without_title(text, given_name, name_match)
            if form in ("given family", "bare family") and _is_words(name_match[0]):
                continue
            if form not in ("family, dotted", "family dotted") and text[end : end + 1].isalnum():
                continue
            family = name_match["family"].strip()
            if form == "family bare":
                given_name, end = given_name.rstrip("."), end - given_name.endswith(".")
            if family.isupper() and len(family) > 3:
                family = " ".join(in_small(family.split()))
            if given_name:
                return Author(f"{given_name} {family}", family, given_name), end
    if at and (group := _GROUP.match(text, at)):
        return Author(group[0]), group.end()
    return None


def _without_title(text: str, given_name: str, name_match: re.Match[str]) -> tuple[str, int]:
    """The initials without a last one that begins what follows: `B. J. Am. Chem. Soc.`, `B. E. coli grows`."""
    end = name_match.end()
    initials = [match.end() for match in re.finditer(r"\.", given_name)]
    if len(initials) < 2 or end != name_match.end("given"):
        return given_name, end
    last = given_name[initials[-2] :].strip()
    if (last == "J." and _JOURNAL_AFTER_J.match(text, end)) or _BACK_TO_TITLE.match(text, end):
        cut = name_match.start("given") + initials[-2]
        return given_name[: initials[-2]], cut
    return given_name, end


_FIRST_WORDS, _WORDS = (frozenset(words("references")[name].split()) for name in ("first", "title"))


def _is_words(name: str) -> bool:
    """Whether a "name" is made of words of titles."""
    parts = name.split()
    return parts[0] in _FIRST_WORDS or any(part in _WORDS for part in parts)
