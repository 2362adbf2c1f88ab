"""What became of a paper after its publication: retracted, doubted, corrected, reinstated, or that nobody was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

PublicationStatus = Literal["", "unchecked", "corrected", "concern", "retracted", "reinstated"]
"""`""`: a service that knows was asked, and knows of nothing; `unchecked`: none was asked."""
_STATUS: Mapping[str, PublicationStatus] = {
    "retraction": "retracted",
    "concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}
_WORDS: Mapping[str, str] = {
    "retracted": "retracted",
    "concern": "under an expression of concern",
    "corrected": "corrected",
    "reinstated": "reinstated after a retraction or a concern",
}
_MARKS: Mapping[str, str] = {"retracted": "RETRACTED: ", "concern": "EXPRESSION OF CONCERN: "}
_MARKED = re.compile(r"\W*(?:RETRACTED|Retracted (?:Article|Paper|Chapter))\b(?! (?:and|by)\b)[^:\])]{0,20}[:\])]")
"""How publishers mark the title of a retracted paper."""
_AROUND = re.compile(
    r"^\W*+(?:retracted|withdrawn)(?: (?:article|paper|chapter))?\s*+[:.\])]+\s*+"
    r"|(?<!\s)\s*+[\[(](?:retracted|withdrawn)(?: (?:article|paper))?[\])]\W*+$",
    re.I,
)
"""The same, also behind the title, and of papers that were withdrawn."""
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_DOI = re.compile(r"10\.\d{4,9}/\S{1,200}")


def publication_status(title: str, extra: Mapping[str, Any]) -> PublicationStatus:
    """The status that a paper's notices give it; the gravest, unless it was reinstated later.

    Without a notice it is what the source says of it as a whole (`retracted`, `publication_status`), or its title does.
    """
    by_kind = {kind: max(_date(one) for one in notices) for kind, notices in _by_kind(extra).items()}
    doubts = [by_kind[kind] for kind in ("retraction", "concern") if kind in by_kind]
    lifted = by_kind.get("reinstatement", "")
    if "reinstatement" in by_kind and (not doubts or (lifted > max(doubts) != "")):
        return "reinstated"
    if "retraction" in by_kind or _says_retracted(extra) or _MARKED.match(title):
        return "retracted"
    for kind in ("concern", "correction"):
        if kind in by_kind:
            return _STATUS[kind]
    said = extra.get("publication_status")
    for status in get_args(PublicationStatus)[2:]:
        if status == said:
            found: PublicationStatus = status
            return found
    return "" if _DATE.match(str(extra.get("checked") or "")) else "unchecked"


def describe_status(title: str, extra: Mapping[str, Any]) -> str:
    """The status with its date and who says so, as a sentence has it: `retracted 2013-01-01 (crossref, 10.1000/x)`."""
    status, checked = publication_status(title, extra), str(extra.get("checked") or "")[:10]
    if status in ("", "unchecked"):
        return f"no notice known on {checked}" if not status and checked else status and f"{status} for retractions"
    last, date = _last_notice(status, extra), status_date(title, extra)
    by = [text for text in (str(last.get("service") or ""), _doi(last)) if text]
    return _WORDS[status] + (f" {date}" if date else "") + (f" ({', '.join(by)})" if by else "")


def status_date(title: str, extra: Mapping[str, Any]) -> str:
    """The date of the notice that the status is from, ISO 8601; "" if not known."""
    return _date(_last_notice(publication_status(title, extra), extra))


def _last_notice(status: str, extra: Mapping[str, Any]) -> Mapping[str, Any]:
    kinds = [kind for kind, name in _STATUS.items() if name == status]
    return max((notice for kind in kinds for notice in _by_kind(extra).get(kind, ())), key=_date, default={})


def title_mark(title: str, extra: Mapping[str, Any]) -> str:
    """What is before the title of a paper that was retracted or is doubted, unless the title says it itself."""
    return "" if _MARKED.match(title) else _MARKS.get(publication_status(title, extra), "")


def without_mark(title: str) -> str:
    """A title without what publishers add to it when the paper is retracted or withdrawn."""
    return _AROUND.sub("", title) or title


def _by_kind(extra: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for notice in _notices(extra):
        found.setdefault(notice["kind"], []).append(notice)
    return found


def _notices(extra: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    listed = extra.get("notices")
    for notice in listed if isinstance(listed, list) else ():
        if isinstance(notice, Mapping) and isinstance(notice.get("kind"), str) and notice["kind"] in _STATUS:
            yield notice


def _date(notice: Mapping[str, Any]) -> str:
    match = _DATE.match(str(notice.get("date") or ""))
    return match[0] if match else ""


def _doi(notice: Mapping[str, Any]) -> str:
    doi = str(notice.get("doi") or "")
    return doi if _DOI.fullmatch(doi) else ""


def _says_retracted(extra: Mapping[str, Any]) -> bool:
    said = extra.get("retracted")
    return said is True or (isinstance(said, str) and said.lower() in ("true", "yes", "retracted", "1"))
