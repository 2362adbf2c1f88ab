"""What users kept of papers in another library, as its export in JSON Lines has it: tags, collections and notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from conspectus.core.errors import ConspectusError, NotFoundError
from conspectus.core.listening import Told, tell
from conspectus.library import curating
from conspectus.library.session import Session
from conspectus.parse.recordfile import PAPER_LINE
from conspectus.parse.streams import MAX_LINE, Source, byte_lines
from conspectus.records import LedgerRow

_NAMES = ("id", "doi", "arxiv_id", "pmid", "bibcode", "title")
_MARK = b'"conspectus'


class _Note(msgspec.Struct):
    text: str


class _Kept(msgspec.Struct):
    tags: list[str] = []
    collections: list[str] = []
    notes: list[_Note] = []


def take_over(session: Session, rows: Iterable[LedgerRow]) -> None:
    """Give papers what files that are new say that users kept of them; how many is told, and what could not be."""
    for row in rows:
        if not row.reader.startswith("jsonl"):
            continue
        sets, papers, wrong = defaultdict[tuple[str, str], list[str]](list), set[str](), list[str]()
        for record, said in _said(Path(row.path)):
            try:
                kept, paper = msgspec.convert(said, _Kept), _paper(session, record)
                before = {note.text for note in curating.notes(session, paper)} if kept.notes else set()
                for note in kept.notes:
                    if note.text.strip() not in before:
                        curating.note(session, paper, note.text)
            except (ConspectusError, msgspec.ValidationError) as error:
                wrong.append(str(error))
                continue
            papers |= {paper} if kept.tags or kept.collections or kept.notes else set()
            for kind, names in (("tag", kept.tags), ("collection", kept.collections)):
                for name in names:
                    sets[kind, name].append(paper)
        for (kind, name), ids in sets.items():
            try:
                (curating.tag if kind == "tag" else curating.collect)(session, name, ids)
            except ConspectusError as error:
                wrong.append(str(error))
        if papers or wrong:
            left = f" Of {len(wrong)} it could not be, such as: {wrong[0]}" if wrong else ""
            tell(Told(f"What was kept of {len(papers)} papers was taken over from '{row.path}'.{left}"))


def _said(path: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    """Records, with what the file says that users kept of the paper."""
    for line in byte_lines(Source(path), MAX_LINE):
        if line and _MARK in line:
            try:
                found = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue  # `add` has told of it
            if isinstance(found, dict) and found.get("schema") == PAPER_LINE and isinstance(found.get("record"), dict):
                yield found["record"], {name: found.get(name) or [] for name in _Kept.__struct_fields__}
            elif isinstance(found, dict) and found.get("conspectus"):
                yield found, found["conspectus"]


def _paper(session: Session, record: dict[str, Any]) -> str:
    """The id of the paper that a record has become."""
    names = [str(record[name]) for name in _NAMES if record.get(name)]
    for name in names:
        try:
            return session.paper(name).id
        except NotFoundError:  # it may be another's too
            continue
    raise NotFoundError(f"No one paper is called '{names[0] if names else ''}'.")
