"""Lines of a library's export: papers as JSON Lines that are read again without loss, and lines of other schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from conspectus.core.job_context import Notice, emit
from conspectus.core.text import escaped_json, pluralize
from conspectus.parse.bibliography.fields import FIELDS
from conspectus.parse.files.streams import MAX_LINE, Source, byte_lines
from conspectus.records import Author, Metadata

PAPER_LINE = "conspectus.paper/1"
CONVERSATION_LINE, ANSWER_LINE = "conspectus.conversation/1", "conspectus.answer/1"
CATALOG_LINES = tuple(
    f"conspectus.{name}/1" for name in ("library", "file", "reading", "passage", "vector", "summary", "split-name")
)
COLLECTION_LINE, REVIEW_LINE = "conspectus.collection/1", "conspectus.review/1"
VOCABULARY_LINE, CONCEPT_LINE = "conspectus.vocabulary/1", "conspectus.concept/1"
RULE_LINE, MERGE_LINE = "conspectus.name-rule/1", "conspectus.entity-merge/1"
NAME_LINES = (VOCABULARY_LINE, CONCEPT_LINE, RULE_LINE, MERGE_LINE)
MAP_LINES = MAP_LINE, REGION_LINE, PLACE_LINE = ("conspectus.map/1", "conspectus.region/1", "conspectus.place/1")
DIRECTION_LINE = "conspectus.direction/1"
_KEPT_LINES = (CONVERSATION_LINE, ANSWER_LINE, COLLECTION_LINE, REVIEW_LINE)
OTHER_LINES = (*CATALOG_LINES, *_KEPT_LINES, *NAME_LINES, *MAP_LINES, DIRECTION_LINE)
"""The schemas of lines of an export of a whole library: of all that it holds only the papers are records."""


def record_line(paper: Metadata, files: Sequence[str] = (), user_fields: Mapping[str, Any] | None = None) -> str:
    """The paper as one JSON object on a line, with all fields of a record and what is extra beside them.

    `user_fields`: what users keep about it stands under `conspectus`, which no reader takes for what the paper says.
    """
    values: dict[str, Any] = {name: getattr(paper, name) for name in Metadata.__dataclass_fields__}
    extra: Mapping[str, Any] = values.pop("extra")
    record: dict[str, Any] = {"id": values.pop("external_id"), **values}
    record["authors"] = [_person(author) for author in paper.authors]
    # Every field is there, even if empty, so that nothing extra is taken for it by a synonym of its name.
    record |= {"files": list(files), "text": ""}
    record |= {name.capitalize() if name in FIELDS else name: value for name, value in extra.items()}
    if user_fields or any(name.lower() == "conspectus" for name in extra):
        record["conspectus"] = user_fields or {}
    return escaped_json(msgspec.json.encode(record).decode()) + "\n"


def _person(author: Author) -> dict[str, Any]:
    known = {name: getattr(author, name) for name in ("family", "given", "orcid", "affiliations")}
    return {"literal" if "," in author.name else "name": author.name} | {k: v for k, v in known.items() if v}


Line = TypeVar("Line")
_HEAD = 100
"""Bytes of a line in which its schema stands."""


class ExportLines(Generic[Line]):
    """What of a file's lines has these schemas, as often as it is read; what has none of them is passed over.

    Args:
        path: of the file.
        schemas: `conspectus.map/1`, for instance.
        decode: makes a record of a line.
    """

    def __init__(self, path: str, schemas: Sequence[str], decode: Callable[[bytes], Line]) -> None:
        self.path, self._decode = path, decode
        self._marks = tuple(f'"{name}"'.encode() for name in schemas)
        self._wrong: set[int] = set()
        self._such = ""

    def __iter__(self) -> Iterator[Line]:
        for number, line in enumerate(byte_lines(Source(Path(self.path)), MAX_LINE), 1):
            if line and any(mark in line[:_HEAD] for mark in self._marks):
                try:
                    record = self._decode(line)
                except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                    self._wrong.add(number)
                    self._such = self._such or f"line {number}: {error}"
                else:
                    yield record

    def emit(self, what: str) -> None:
        """Say how many lines of `what` could not be read."""
        if self._wrong:
            lines = f"{pluralize(len(self._wrong), 'line')} of {what} in '{self.path}'"
            emit(Notice(f"{lines} could not be read and left out, such as {self._such}. Export it again."))
