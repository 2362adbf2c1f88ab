"""Items of Zotero's own JSON: as its web interface gives them, and as Better BibTeX exports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conspectus.parse.bibliography.csl import text
from conspectus.parse.bibliography.dialects import ZOTERO
from conspectus.parse.bibliography.mapping import paper_of_values
from conspectus.parse.bibliography.names import organisation, person
from conspectus.parse.protocol import Item

_NO_WORKS = frozenset({"attachment", "note", "annotation"})
_NO_AUTHORS = frozenset({"editor", "seriesEditor", "translator", "contributor", "reviewedAuthor", "recipient"})
_NO_TEXTS = frozenset(
    {"creators", "tags", "attachments", "notes", "collections", "relations", "dateAdded", "dateModified", "version"}
)
"""Lists, and what Zotero keeps to synchronise an item."""


def is_zotero(value: Mapping[str, Any]) -> bool:
    """Whether an object is an item of Zotero."""
    return isinstance(value.get("itemType"), str)


def is_no_work(value: Mapping[str, Any]) -> bool:
    """Whether an object is a note or a file that Zotero keeps with an item."""
    inner = value.get("data")
    return (inner if isinstance(inner, Mapping) else value).get("itemType") in _NO_WORKS


def zotero_item(value: Mapping[str, Any], where: str) -> Item:
    """The paper of an item; or why it is none."""
    values = {name: [text(word)] for name, word in value.items() if name not in _NO_TEXTS and text(word)}
    if "citationKey" in values:
        values.pop("key", None)
    tags = [tag.get("tag") if isinstance(tag, Mapping) else tag for tag in _list(value.get("tags"))]
    values["tags"] = [tag for tag in tags if isinstance(tag, str)]
    files = [file.get("path") or file.get("localPath") for file in _list(value.get("attachments")) if _is_object(file)]
    values["File Attachments"] = [path for path in files if isinstance(path, str)]
    return paper_of_values(ZOTERO, values, where, _people(value))


def _people(value: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Authors, editors and translators. Where nobody is called an author, whoever made the work is one."""
    creators = [creator for creator in _list(value.get("creators")) if _is_object(creator)]
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for creator in creators:
        if (name := _name(creator))["literal"]:
            by_kind.setdefault(text(creator.get("creatorType")) or "author", []).append(name)
    makers = [name for kind, names in by_kind.items() if kind not in _NO_AUTHORS for name in names]
    return {
        "authors": by_kind.get("author") or makers,
        "editor": by_kind.get("editor", []),
        "translator": by_kind.get("translator", []),
    }


def _name(creator: Mapping[str, Any]) -> dict[str, Any]:
    family, given, whole = (text(creator.get(name)) for name in ("lastName", "firstName", "name"))
    return person(given, family) if given else organisation(whole or family)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)
