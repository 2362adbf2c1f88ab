"""JSON files: CSL-JSON, Zotero, answers of services of publications, and lists of records with our own fields."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

from conspectus.core.errors import InputError, LimitError
from conspectus.parse.bibliography.csl import describe_csl, is_csl
from conspectus.parse.bibliography.dialects import ZOTERO
from conspectus.parse.bibliography.europepmc import describe_europepmc, is_europepmc
from conspectus.parse.bibliography.field_map import paper_of_values
from conspectus.parse.bibliography.fields import Description, FieldError, list_at, objects_at, text
from conspectus.parse.bibliography.records import RecordItems, item_of_record, with_extra
from conspectus.parse.bibliography.services import (
    describe_ads,
    describe_crossref,
    describe_datacite,
    describe_openalex,
    describe_semantic_scholar,
    describe_unpaywall,
    is_ads,
    is_crossref,
    is_datacite,
    is_openalex,
    is_semantic_scholar,
    is_unpaywall,
)
from conspectus.parse.files.streams import Source
from conspectus.parse.people.authors import organisation, person
from conspectus.parse.protocol import BadRecord, Item

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
    tags = [tag.get("tag") if isinstance(tag, Mapping) else tag for tag in list_at(value, "tags")]
    values["tags"] = [tag for tag in tags if isinstance(tag, str)]
    files = [file.get("path") or file.get("localPath") for file in objects_at(value, "attachments")]
    values["File Attachments"] = [path for path in files if isinstance(path, str)]
    return paper_of_values(ZOTERO, values, where, _people(value))


def _people(value: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Authors, editors and translators. Where nobody is called an author, whoever made the work is one."""
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for creator in objects_at(value, "creators"):
        if (name := _name(creator))["literal"]:
            by_kind.setdefault(text(creator.get("creatorType")) or "author", []).append(name)
    makers = [name for kind, names in by_kind.items() if kind not in _NO_AUTHORS for name in names]
    return {
        "authors": by_kind.get("author") or makers,
        "editor": by_kind.get("editor", []),
        "translator": by_kind.get("translator", []),
    }


def _name(creator: Mapping[str, Any]) -> dict[str, Any]:
    family, given_name, full_name = (text(creator.get(name)) for name in ("lastName", "firstName", "name"))
    return person(given_name, family) if given_name else organisation(full_name or family)


_WRAPPERS = ("citingPaper", "citedPaper", "paper", "response", "message", "_source", "data")
MAX_RECORD = 32 * 2**20
"""The most bytes of one record (and of what stands beside the list in a page)."""
LISTS = frozenset(
    {"result", "results", "data", "items", "docs", "recommendedPapers", "papers", "records", "references", "hits"}
)
INNER = frozenset({"response", "message", "resultList"})
_KINDS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], Description]], ...] = (
    (is_europepmc, describe_europepmc),
    (is_openalex, describe_openalex),
    (is_unpaywall, describe_unpaywall),
    (is_datacite, describe_datacite),
    (is_ads, describe_ads),
    (is_semantic_scholar, describe_semantic_scholar),
    (is_crossref, describe_crossref),
    (is_csl, describe_csl),
)
"""How an object is known, and what reads it."""
_CHUNK = 2**18
_SPACE = re.compile(r"[ \t\r\n]*")


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    source = Source(path)
    return RecordItems(_items(source, path.name), source, path.name)


def _items(source: Source, name: str) -> Iterator[Item]:
    for where, value in objects(source, name):
        if isinstance(value, Mapping):
            if not is_no_work(value):
                yield paper_of_object(value, where)
        elif value is None:
            yield BadRecord(where, "It is null: the service did not know this paper.")
        else:
            yield BadRecord(where, "It is not a JSON object.")


def paper_of_object(value: Mapping[str, Any], where: str) -> Item:
    """The paper that an object of some service, or of a reference manager, describes; or why it is none."""
    for name in _WRAPPERS:
        inner = value.get(name)
        if isinstance(inner, Mapping) and "title" not in value:
            value = inner
    read = next((read for is_kind, read in _KINDS if is_kind(value)), None)
    try:
        if is_zotero(value):
            return zotero_item(value, where)
        return with_extra(*read(value), where) if read else item_of_record(value, where)
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        if isinstance(error, FieldError):
            raise
        return BadRecord(where, f"It is not as its service writes it ({type(error).__name__}: {error}).")


def objects(source: Source, name: str) -> Iterator[tuple[str, Any]]:
    """(where, value) of each element of the document's list; the document itself where it has none.

    Raises:
        InputError: It is not valid JSON; what stood before was yielded.
        LimitError: A record is larger than `MAX_RECORD`.
    """
    text = _Text(source, name)
    first = text.peek()
    if first == "[":
        yield from _numbered(text)
    elif first == "{":
        document: dict[str, Any] = {}
        listed = yield from _page(text, document)
        if not listed:
            yield "the document", document
    elif first:
        raise text.wrong("a list or an object is expected")


def _numbered(text: _Text) -> Iterator[tuple[str, Any]]:
    for number, value in enumerate(text.array(), 1):
        yield f"record {number}", value


def _page(text: _Text, members: dict[str, Any]) -> Generator[tuple[str, Any], None, bool]:
    """Elements of the first list by which the object is a page; returns whether there was one."""
    listed = False
    for key in text.names():
        sign = text.peek()
        page = not ({"title", "bibcode", "paperId", "DOI"} & members.keys())
        if key in LISTS and sign == "[" and page and not listed and text.list_of_objects():
            listed = True
            yield from _numbered(text)
        elif key in INNER and sign == "{" and page and not listed:
            inner: dict[str, Any] = {}
            listed = yield from _page(text, inner)
            if not listed:
                members |= inner
                if "title" in inner or "items" not in inner:
                    members[key] = inner
        else:
            value = text.value()
            if not listed:
                members[key] = value
    return listed


def _parse_integer(digits: str) -> int | None:
    """The number; None for one that nothing has, and that Python refuses to read."""
    return int(digits) if len(digits) < 400 else None


class _Text:
    """The characters of a document from one place on, with as much of what follows as is needed."""

    def __init__(self, source: Source, name: str) -> None:
        self._stream = io.TextIOWrapper(io.BufferedReader(source, _CHUNK), "utf-8-sig", errors="strict")
        self._name = name
        self._text = ""
        self._at = 0
        self._passed = 0
        self._decoder = json.JSONDecoder(parse_constant=lambda _: None, parse_int=_parse_integer)

    def peek(self) -> str:
        """The next sign that is no white space; "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """The next sign, one of `expected`."""
        sign = self.peek()
        if not sign or sign not in expected:
            raise self.wrong(f"one of {' '.join(expected)} is expected" if sign else "it ends in the middle")
        self._at += 1
        return sign

    def value(self) -> Any:
        """The next value, whole."""
        self.peek()
        want = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._grow(want):
                    raise self.wrong(error.msg) from error
            except RecursionError as error:
                raise self.wrong("it is too deep") from error
            else:
                if end < len(self._text) or not self._grow(want):  # a number may go on
                    self._at = end
                    return value
            want *= 2

    def array(self) -> Iterator[Any]:
        """The elements of the list that begins here."""
        self.take("[")
        if self.peek() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.take(",]") == "]":
                return

    def names(self) -> Iterator[str]:
        """The names in the object that begins here; the caller takes the value of each."""
        self.take("{")
        if self.peek() == "}":
            self.take("}")
            return
        while True:
            if self.peek() != '"':
                raise self.wrong("a name in quotation marks is expected")
            key = self.value()
            self.take(":")
            yield str(key)
            if self.take(",}") == "}":
                return

    def list_of_objects(self) -> bool:
        """Whether the list that begins here has objects in it, or nothing."""
        if len(self._text) - self._at < 64:
            self._grow(64)
        return re.match(r"\[\s*(?:[{\]]|null\b)", self._text[self._at : self._at + 64]) is not None

    def wrong(self, why: str) -> InputError:
        """An error that says where."""
        place = self._passed + self._at
        return InputError(
            f"'{self._name}' is not valid JSON: {why} (character {place:,}).",
            "If it has one object a line, call it .jsonl.",
        )

    def _grow(self, want: int) -> bool:
        """Reads on; whether there was more. What has been passed is let go."""
        if len(self._text) - self._at > MAX_RECORD:
            raise LimitError(
                f"'{self._name}' has a record of more than {MAX_RECORD // 2**20} MB.", "Is it a list of papers?"
            )
        return self._more(want)

    def _more(self, want: int = _CHUNK) -> bool:
        try:
            more = self._stream.read(want)
        except UnicodeDecodeError as error:
            raise InputError(f"'{self._name}' is not UTF-8, as JSON has to be.", "Save it as UTF-8.") from error
        self._passed += self._at
        self._text = self._text[self._at :] + more
        self._at = 0
        return bool(more)
