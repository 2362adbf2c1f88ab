"""Papers for reference managers: BibTeX, CSL-JSON and RIS, the keys that manuscripts cite by, and parts of names.

BibTeX is UTF-8: accents and formulas stay as they are, and what else LaTeX takes for a command is escaped. What CSL has
no variable for is under `custom.conspectus`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from conspectus.core.text import json_text
from conspectus.lexicon import STOP_WORDS
from conspectus.lexicon.word_lists import MONTHS
from conspectus.parse.bibliography.csl import EXTRA
from conspectus.parse.bibliography.fields import canonical, kind_in, kind_of
from conspectus.parse.people.names import is_organisation
from conspectus.parse.text.plain_text import is_known
from conspectus.records import Author, Paper
from conspectus.records.sources import INTERNAL

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "$%&#_"},
    }
)
_FORMULA = r"(?<!\\)\$(?!\s)(?:[^$%\n\\]|\\.){1,1000}+(?<!\s)\$(?!\d)"
"""Between dollars as pandoc takes them; amounts of money are none."""
_MATHEMATICS = re.compile(f"({_FORMULA})")
_TITLE_WORD = re.compile(rf"(?:{_FORMULA}|\S)+")
_LIGATURE = re.compile(r"-(?=-)|'(?=')|`(?=`)")
_IN_BOOKS = frozenset({"inproceedings", "incollection", "inbook", "conference"})
_OTHER_KINDS = {"preprint": "misc", "magazine": "article", "newspaper": "article"}
_BIBTEX_KIND = re.compile(r"(?!(?:comment|string|preamble|xdata|set|control|misc)$)[a-z]{3,20}")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_RESERVED = frozenset(
    "type month day bibcode eprint archiveprefix eprinttype crossref xdata file pdf subtitle journaltitle booktitle "
    "howpublished adsurl local-url owner timestamp groups citationcount editor translator keywords pages".split()
)
_DASH = re.compile(r"(?<=\w)-(?=\w)")

_MONTHS = {f"{number:02}": name[:3].lower() for number, name in enumerate(MONTHS, 1)}


def format_bibtex(paper: Paper, key: str, files: Sequence[str] = ()) -> str:
    """The paper as an entry, an empty line behind it."""
    kind = _bibtex_kind(paper)
    lines = [f"  {name} = {value}" for name, value in _bibtex_fields(paper, kind, files)]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n\n"


def escaped(text: str) -> str:
    """`text` so that LaTeX prints just that, with its formulas."""
    return "".join(
        part if at % 2 and _is_formula(part) else _LIGATURE.sub(r"\g<0>{}", part.translate(_ESCAPES))
        for at, part in enumerate(_MATHEMATICS.split(text))
    )


def _is_formula(part: str) -> bool:
    """Whether what stands between dollars is one whose commands are known, and each of its braces has its other one.

    BibTeX counts `\\{` as a brace, too. Two amounts of money are none: there are words between them.
    """
    depth = 0
    for sign in re.findall("[{}]", part):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    is_tex = re.search(r"[\\^_{]", part) or not re.search(r"\s", part)
    return not depth and bool(is_tex) and all(map(is_known, re.findall(r"\\([A-Za-z]+)", part)))


def _bibtex_kind(paper: Paper) -> str:
    kind = str(paper.extra.get("type", ""))
    if not kind:
        return "article" if paper.venue else "misc"
    known = kind_in(kind, "bibtex") or _OTHER_KINDS.get(kind, "")
    return known or (kind if _BIBTEX_KIND.fullmatch(kind) else "misc")


def _bibtex_fields(paper: Paper, kind: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    extra = paper.extra
    for name, value in (
        ("author", names(paper.authors)),
        ("title", _protected(paper.title)),
        ("booktitle" if kind in _IN_BOOKS else "journal", escaped(paper.venue)),
        ("year", str(paper.year or "")),
    ):
        if value:
            yield name, f"{{{value}}}"
    if month := _MONTHS.get(paper.date[5:7]):
        yield "month", month
    for name, value in (
        ("date", paper.date),
        ("pages", _DASH.sub("--", escaped(text(extra.get("pages"))))),
        ("editor", _people(extra.get("editor"))),
        ("translator", _people(extra.get("translator"))),
        ("doi", _plain(paper.doi)),
        ("eprint", _plain(paper.arxiv_id)),
        ("archiveprefix", "arXiv" if paper.arxiv_id else ""),
        ("pmid", paper.pmid),
        ("bibcode", paper.bibcode),
        ("url", _address(paper.url)),
        ("keywords", _keywords(paper.keywords)),
        ("abstract", escaped(paper.abstract).replace("\n\n", "\n\n    ")),
        ("citation_count", "" if paper.citation_count is None else str(paper.citation_count)),
        ("file", ";".join(map(_file, files))),
    ):
        if value:
            yield name, f"{{{value}}}"
    if note := note_of(paper):
        yield "note", f"{{{escaped(note)}}}"
    for name, value in ((name, value) for name, value in extra.items() if name not in INTERNAL):
        text_value = text(value)
        if (
            text_value
            and name != "note"
            and _NAME.fullmatch(name)
            and name not in _RESERVED
            and not canonical({name: ""})
        ):
            yield name, f"{{{escaped(text_value)}}}"


def note_of(paper: Paper) -> str:
    """What is noted of a paper, behind that it was retracted, doubted or corrected."""
    known, note = paper.publication_status not in ("", "unchecked"), text(paper.extra.get("note"))
    status = f"{paper.status_words[:1].upper()}{paper.status_words[1:]}." if known else ""
    return note if status in note else " ".join(filter(None, (status, note)))


def names(authors: Sequence[Author]) -> str:
    """Authors apart by `and`; a name without parts in braces, so that it is not taken apart."""
    return " and ".join(_bibtex_name(author) for author in authors)


def _bibtex_name(author: Author) -> str:
    family, given, suffix = name_parts(author)
    if not family:
        return f"{{{escaped(author.name)}}}"
    return ", ".join(_name_part(part) for part in (family, suffix, given) if part)


def _name_part(text: str) -> str:
    apart = "," in text or re.search(r"(?:^|\s)and(?:\s|$)", text, re.I)
    return f"{{{escaped(text)}}}" if apart else escaped(text)


def _protected(title: str) -> str:
    """The title; words with capitals inside stand in braces, as styles make titles small."""
    return " ".join(
        f"{{{escaped(word)}}}" if any(sign.isupper() for sign in word[1:]) else escaped(word)
        for word in _TITLE_WORD.findall(title)
    )


def _people(value: Any) -> str:
    return names([Author(name) for name in listed_names(value)])


def _keywords(words: Sequence[str]) -> str:
    mark = "; " if any("," in word for word in words) else ", "
    text = mark.join(escaped(word.replace(";", ",")) for word in words)
    return f"{text};" if mark == "; " and len(words) == 1 else text


def _address(url: str) -> str:
    return re.sub(r"[\\{}\s]", lambda sign: f"%{ord(sign[0]):02X}", url)


def _plain(text: str) -> str:
    """An identifier; "" for one that BibTeX cannot have."""
    return "" if re.search(r"[{}\\]", text) else text


def _file(path: str) -> str:
    quoted = re.sub(r"[\\:;]", r"\\\g<0>", path)
    return f":{quoted}:{PurePath(path).suffix[1:].upper() or 'PDF'}"


_PERSON = re.compile(r"[^\W\d_][^\W\d_.'’ -]*(?:[.'’ -]+[^\W\d_]+)*")


def name_parts(author: Author) -> tuple[str, str, str]:
    """(family, given, suffix); of a plain name its last word and the others; all "" for what may be an organisation."""
    name = author.name
    if author.family and not author.given:
        return "", "", ""
    if author.family:
        full_name = f"{author.given} {author.family} "
        return author.family, author.given, name.removeprefix(full_name).strip() if name.startswith(full_name) else ""
    family = author.surname
    given = name.removesuffix(f" {family}")
    is_person = given != name and _PERSON.fullmatch(name) and not is_organisation(name)
    words = given.split()
    while len(words) > 1 and words[-1].islower() and len(words[-1].rstrip(".")) > 1:  # van der Zande, not G. a. Zande
        family = f"{words.pop()} {family}"
    given = " ".join(words)
    return (family, given, "") if is_person else ("", "", "")


def escape_name_commas(name: str) -> str:
    """Double the comma in an organisation's name, as EndNote does."""
    return name.replace(",", ",,", 1) if re.search(r",(?!,)\s", name) else name


def listed_names(value: object) -> list[str]:
    """The names in a field of what a record has beside; none where it is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def text(value: object) -> str:
    """A field of what a record has beside, as text; "" for what is neither a text nor a number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


_VALID = re.compile(r"[^\s{}(),\"#%~\\='@]{1,120}")
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_KEY_WORD = re.compile(r"[a-z0-9]+")


def citekey(paper: Paper) -> str:
    """The key a paper came with, if BibTeX can have it; "" where its external id is only an identifier or a file."""
    name = paper.external_id
    identifiers = (paper.doi, paper.arxiv_id, paper.pmid, paper.bibcode)
    return name if _VALID.fullmatch(name) and name not in identifiers and not _is_file_name(paper, name) else ""


def _is_file_name(paper: Paper, name: str) -> bool:
    """Whether a paper goes by the name of a file that it came in, which others may have, too."""
    return name in {PurePath(file.path).name for file in paper.files}


def any_id(paper: Paper) -> str:
    """The paper's external id, whatever it is."""
    return paper.external_id


class Citekeys:
    """Unique keys of papers. Those that papers came with are known before any is made, and go to the first."""

    def __init__(self, papers: Iterable[Paper], stored_key: Callable[[Paper], str]) -> None:
        self._stored_key = stored_key
        self._owner: dict[str, str] = {}
        self._key_counts: Counter[str] = Counter()
        for paper in papers:
            if key := stored_key(paper):
                self._owner.setdefault(key, paper.id)

    def of(self, paper: Paper) -> str:
        """The paper's key. To be asked once for each paper, in their order."""
        base = self._stored_key(paper) or make_key(paper)
        key = base
        while self._owner.setdefault(key, paper.id) != paper.id:
            self._key_counts[base] += 1
            key = base + _letters(self._key_counts[base])
        return key


def make_key(paper: Paper) -> str:
    """Family name of the first author, year and first telling word of the title, in plain small letters."""
    family = "".join(_words(paper.authors[0].surname)) if paper.authors else ""
    words = [word for word in _words(paper.title) if word not in STOP_WORDS and len(word) > 1]
    key = family + str(paper.year or "") + (words[0] if words else "")
    return key if _KEY_WORD.search(family + "".join(words)) else f"{paper.id}{paper.year or ''}"


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return _KEY_WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign) and sign not in "'’-"))


def _letters(number: int) -> str:
    """a … z, aa, ab …"""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset "
    "document entry entry-dictionary entry-encyclopedia event figure graphic hearing interview legal_case legislation "
    "manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software song speech standard thesis "
    "treaty webpage".split()
)
_VARIABLES = {ours: name for name, ours in EXTRA.items()} | {"isbn": "ISBN", "issn": "ISSN"}
_NAMES = ("editor", "translator", "collection-editor", "container-author")


def format_csl(paper: Paper, key: str) -> str:
    """The paper as one line of JSON."""
    item, custom = csl_item(paper, key)
    item |= {name: _html(item[name]) for name in ("title", "container-title", "abstract")}
    item["keyword"] = ", ".join(paper.keywords)
    custom |= {"keywords": list(paper.keywords), "references": list(paper.references)}
    custom = {name: value for name, value in custom.items() if value not in ([], {}, "")}
    if paper.citation_count is not None:
        custom["citation_count"] = paper.citation_count
    if paper.publication_status not in ("", "unchecked"):
        item["status"] = paper.status_words
    filled = {name: value for name, value in item.items() if value not in ("", [], {})}
    return json_text(filled | {"custom": {"conspectus": custom}})  # by which it is known for CSL


def csl_item(paper: Paper, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The paper's variables of CSL, texts as they are, and what CSL has no variable for."""
    custom: dict[str, Any] = {name: value for name in ("arxiv_id", "bibcode") if (value := getattr(paper, name))}
    left: dict[str, Any] = {}
    item: dict[str, Any] = {"id": key, "type": _csl_kind(paper, left), "title": paper.title}
    item |= {"author": [_csl_name(author) for author in paper.authors], "container-title": paper.venue}
    item |= _issued(paper, custom)
    for name, value in ((name, value) for name, value in paper.extra.items() if name not in INTERNAL):
        if name in _VARIABLES and isinstance(value, str):
            item[_VARIABLES[name]] = value
        elif name in _NAMES and isinstance(value, list) and all(isinstance(person, str) for person in value):
            item[name] = [{"literal": person} for person in value]
        elif name == "number" and isinstance(value, str):
            item["issue" if item["type"].startswith("article") else "number"] = value
        elif name != "type":
            left[name] = value
    item |= {"DOI": paper.doi, "PMID": paper.pmid, "URL": paper.url, "abstract": paper.abstract}
    return item, custom | {"extra": left}


def _csl_kind(paper: Paper, left: dict[str, Any]) -> str:
    """The type that CSL has for the paper; our own is left for `custom` where that does not lead back to it."""
    kind = str(paper.extra.get("type", ""))
    csl = kind_in(kind, "csl") or kind
    if csl not in _TYPES:
        csl = "article-journal" if paper.venue else "document"
    if kind_of(csl, "csl") != kind:
        left["type"] = kind
    return csl


def _csl_name(author: Author) -> dict[str, Any]:
    family, given, _ = name_parts(author)
    name: dict[str, Any] = {"family": family, "given": given}
    if not family or author.name != f"{given} {family}":
        name["literal"] = author.name
    name["ORCID"] = f"https://orcid.org/{author.orcid}" if author.orcid else ""
    name["affiliation"] = [{"name": affiliation} for affiliation in author.affiliations]
    return {part: value for part, value in name.items() if value}


def _issued(paper: Paper, custom: dict[str, Any]) -> dict[str, Any]:
    """The date; where it does not lead back to both year and date, they are left for `custom`."""
    if len(paper.date) == 4 or (paper.date and paper.date[:4] != str(paper.year)):
        custom |= {"date": paper.date, "year": paper.year}
    parts = paper.date or str(paper.year or "")
    numbers = [int(part) for part in parts.split("-") if part.isdecimal()]
    return {"issued": {"date-parts": [numbers]}} if numbers else {}


def _html(text: str) -> str:
    """CSL texts may have tags in them, so what looks like one is written as an entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;") if "<" in text or "&" in text else text


_TAGS = (
    ("volume", "VL"),
    ("number", "IS"),
    ("publisher", "PB"),
    ("address", "CY"),
    ("edition", "ET"),
    ("series", "T3"),
    ("issn", "SN"),
    ("isbn", "SN"),
    ("language", "LA"),
    ("pmcid", "C2"),
    ("section", "SE"),
    ("medium", "M3"),
)
_RIS_KIND = re.compile(r"[A-Z][A-Z0-9]{2,7}")
_RANGE = re.compile(r"([^\s-]+)-([^\s-]+)")


def format_ris(paper: Paper, files: Sequence[str] = ()) -> str:
    """The paper as a record, an empty line behind it."""
    lines = [f"{tag}  - {value}" for tag, value in _ris_lines(paper, files) if value]
    return "\n".join(lines) + "\nER  - \n\n"


def _ris_lines(paper: Paper, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    extra = paper.extra
    yield "TY", _ris_kind(paper)
    yield "ID", paper.id if _is_file_name(paper, paper.external_id) else paper.external_id
    yield "TI", paper.title
    yield from (("AU", person(author)) for author in paper.authors)
    yield from (("ED", person(Author(name))) for name in listed_names(extra.get("editor")))
    yield "T2", paper.venue
    yield "PY", str(paper.year or "")
    yield (
        "DA",
        (paper.date.replace("-", "/") + "///")[: len(paper.date) + 3 - paper.date.count("-")] if paper.date else "",
    )
    yield from ((tag, " ".join(text(extra.get(name)).split())) for name, tag in _TAGS)
    yield "N1", " ".join(note_of(paper).split())
    yield from _pages(text(extra.get("pages")))
    yield "DO", paper.doi
    yield "AN", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""
    yield "AN", f"PMID:{paper.pmid}" if paper.pmid else ""
    yield "UR", "".join(paper.url.split())
    yield from (("KW", word) for word in paper.keywords)
    yield "AB", paper.abstract.replace("\n\n", "\n\n ")
    yield from (("L1", path) for path in files)


def person(author: Author) -> str:
    """`Family, Given, Suffix`, or the whole name where its parts are not known."""
    return ", ".join(filter(None, name_parts(author))) or escape_name_commas(author.name)


def _ris_kind(paper: Paper) -> str:
    kind = str(paper.extra.get("type", ""))
    known = kind_in(kind, "ris") or ("" if kind else "JOUR" if paper.venue else "GEN")
    return known or (kind if _RIS_KIND.fullmatch(kind) else "GEN")


def _pages(pages: str) -> Iterator[tuple[str, str]]:
    match = _RANGE.fullmatch(pages)
    yield "SP", match[1] if match else pages
    yield "EP", match[2] if match else ""
