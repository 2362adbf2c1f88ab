"""CSL-JSON, which citation processors read. What CSL has no variable for stands under `custom.conspectus`."""

from __future__ import annotations

from typing import Any

from conspectus.core.characters import json_text
from conspectus.export.people import parts
from conspectus.parse.bibliography.csl import EXTRA
from conspectus.parse.bibliography.kinds import kind_in, kind_of
from conspectus.records import Author, Paper

_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset "
    "document entry entry-dictionary entry-encyclopedia event figure graphic hearing interview legal_case legislation "
    "manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software song speech standard thesis "
    "treaty webpage".split()
)
_VARIABLES = {ours: name for name, ours in EXTRA.items()} | {"isbn": "ISBN", "issn": "ISSN"}
_NAMES = ("editor", "translator", "collection-editor", "container-author")


def item(paper: Paper, key: str) -> str:
    """The paper as one line of JSON."""
    own: dict[str, Any] = {name: value for name in ("arxiv_id", "bibcode") if (value := getattr(paper, name))}
    left: dict[str, Any] = {}
    found: dict[str, Any] = {"id": key, "type": _kind(paper, left), "title": paper.title}
    found |= {"author": [_name(author) for author in paper.authors], "container-title": paper.venue}
    found |= _issued(paper, own)
    for name, value in paper.extra.items():
        if name in _VARIABLES and isinstance(value, str):
            found[_VARIABLES[name]] = value
        elif name in _NAMES and isinstance(value, list) and all(isinstance(person, str) for person in value):
            found[name] = [{"literal": person} for person in value]
        elif name == "number" and isinstance(value, str):
            found["issue" if found["type"].startswith("article") else "number"] = value
        elif name != "type":
            left[name] = value
    found |= {"DOI": paper.doi, "PMID": paper.pmid, "URL": paper.url, "abstract": _html(paper.abstract)}
    found["title"], found["container-title"] = _html(paper.title), _html(paper.venue)
    found["keyword"] = ", ".join(paper.keywords)
    own |= {"keywords": list(paper.keywords), "references": list(paper.references), "extra": left}
    own = {name: value for name, value in own.items() if value not in ([], {}, "")}
    if paper.citation_count is not None:
        own["citation_count"] = paper.citation_count
    kept = {name: value for name, value in found.items() if value not in ("", [], {})}
    return json_text(kept | {"custom": {"conspectus": own}})  # by which it is known for CSL


def _kind(paper: Paper, left: dict[str, Any]) -> str:
    """The type that CSL has for the paper; our own is left for `custom` where that does not lead back to it."""
    kind = str(paper.extra.get("type", ""))
    csl = kind_in(kind, "csl") or kind
    if csl not in _TYPES:
        csl = "article-journal" if paper.venue else "document"
    if kind_of(csl, "csl") != kind:
        left["type"] = kind
    return csl


def _name(author: Author) -> dict[str, Any]:
    family, given, _ = parts(author)
    name: dict[str, Any] = {"family": family, "given": given}
    if not family or author.name != f"{given} {family}":
        name["literal"] = author.name
    name["ORCID"] = f"https://orcid.org/{author.orcid}" if author.orcid else ""
    name["affiliation"] = [{"name": affiliation} for affiliation in author.affiliations]
    return {part: value for part, value in name.items() if value}


def _issued(paper: Paper, own: dict[str, Any]) -> dict[str, Any]:
    """The date; where it does not lead back to both year and date, they are left for `custom`."""
    if len(paper.date) == 4 or (paper.date and paper.date[:4] != str(paper.year)):
        own |= {"date": paper.date, "year": paper.year}
    parts = paper.date or str(paper.year or "")
    numbers = [int(part) for part in parts.split("-") if part.isdecimal()]
    return {"issued": {"date-parts": [numbers]}} if numbers else {}


def _html(text: str) -> str:
    """CSL texts may have tags in them, so what looks like one is written as an entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;") if "<" in text or "&" in text else text
