"""BibTeX in UTF-8: accents and formulas as they are, what else LaTeX would take for a command escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from conspectus.export.people import parts, people, text
from conspectus.lexicon.calendar import MONTHS
from conspectus.parse.bibliography.fields import canonical
from conspectus.parse.bibliography.kinds import kind_in
from conspectus.parse.text.plain_text import is_known
from conspectus.records import Author, Paper

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
_WORD = re.compile(rf"(?:{_FORMULA}|\S)+")
_LIGATURE = re.compile(r"-(?=-)|'(?=')|`(?=`)")
_IN_BOOKS = frozenset({"inproceedings", "incollection", "inbook", "conference"})
_OTHER_KINDS = {"preprint": "misc", "magazine": "article", "newspaper": "article"}
_OWN_KIND = re.compile(r"(?!(?:comment|string|preamble|xdata|set|control|misc)$)[a-z]{3,20}")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_RESERVED = frozenset(
    "type month day bibcode eprint archiveprefix eprinttype crossref xdata file pdf subtitle journaltitle booktitle "
    "howpublished adsurl local-url owner timestamp groups citationcount editor translator keywords pages".split()
)
_DASH = re.compile(r"(?<=\w)-(?=\w)")

_MONTHS = {f"{number:02}": name[:3].lower() for number, name in enumerate(MONTHS, 1)}


def entry(paper: Paper, key: str, files: Sequence[str] = ()) -> str:
    """The paper as an entry, an empty line behind it."""
    kind = _kind(paper)
    lines = [f"  {name} = {value}" for name, value in _fields(paper, kind, files)]
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


def _kind(paper: Paper) -> str:
    kind = str(paper.extra.get("type", ""))
    if not kind:
        return "article" if paper.venue else "misc"
    known = kind_in(kind, "bibtex") or _OTHER_KINDS.get(kind, "")
    return known or (kind if _OWN_KIND.fullmatch(kind) else "misc")


def _fields(paper: Paper, kind: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
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
    for name, value in extra.items():
        said = text(value)
        if said and _NAME.fullmatch(name) and name not in _RESERVED and not canonical({name: ""}):
            yield name, f"{{{escaped(said)}}}"


def names(authors: Sequence[Author]) -> str:
    """Authors apart by `and`; a name without parts in braces, so that it is not taken apart."""
    return " and ".join(_name(author) for author in authors)


def _name(author: Author) -> str:
    family, given, suffix = parts(author)
    if not family:
        return f"{{{escaped(author.name)}}}"
    return ", ".join(_part(part) for part in (family, suffix, given) if part)


def _part(text: str) -> str:
    apart = "," in text or re.search(r"(?:^|\s)and(?:\s|$)", text, re.I)
    return f"{{{escaped(text)}}}" if apart else escaped(text)


def _protected(title: str) -> str:
    """The title; words with capitals inside stand in braces, as styles make titles small."""
    return " ".join(
        f"{{{escaped(word)}}}" if any(sign.isupper() for sign in word[1:]) else escaped(word)
        for word in _WORD.findall(title)
    )


def _people(value: Any) -> str:
    return names([Author(name) for name in people(value)])


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
