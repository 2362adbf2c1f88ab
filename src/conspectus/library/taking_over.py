"""What users kept in another library, as its export has it: tags, notes, highlights, answers, reviews, maps …"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from conspectus.core.errors import ConspectusError, NotFoundError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.curation import sql as curation_sql
from conspectus.curation.anchors import SentenceText
from conspectus.curation.highlights import import_highlight
from conspectus.curation.sql import StoredHighlight
from conspectus.curation.verbs import checked_note, keep_all
from conspectus.graph.vocabularies.loader import import_name_rules
from conspectus.library.work_import import import_work
from conspectus.map.import_maps import import_maps
from conspectus.parse.bibliography.record_lines import PAPER_LINE
from conspectus.parse.files.streams import MAX_LINE, Source, byte_lines
from conspectus.records import LedgerRow
from conspectus.records.curation import SetKind, checked_name
from conspectus.records.highlights import Anchor, HighlightColor
from conspectus.session.session import Session

_CALLED = ("id", "doi", "arxiv_id", "pmid", "bibcode", "title")
_AGAIN = "They come when its papers are removed and it is added again."
_MARK = b'"conspectus'


class _Note(msgspec.Struct):
    text: str


class _Highlight(msgspec.Struct):
    color: HighlightColor
    quote: str
    anchor: Anchor
    note: str = ""
    made: str = ""
    updated: str = ""


class _UserData(msgspec.Struct):
    tags: list[str] = []
    collections: list[str] = []
    notes: list[_Note] = []
    highlights: list[Any] = []


def take_over(session: Session, rows: Iterable[LedgerRow]) -> None:
    """Give papers what files that are new say that users kept of them; how many is told, and what could not be."""
    for path in (row.path for row in rows if row.reader.startswith("jsonl")):
        try:
            ids = _of_file(session, path)
            import_work(session, path, ids)
            import_name_rules(session, path)
            import_maps(session, path)
        except BaseException:
            what = f"Tags, notes, highlights, answers, reviews, vocabularies and maps in '{path}' were not imported."
            emit(Notice(f"{what} {_AGAIN}"))
            raise


def _of_file(session: Session, path: str) -> dict[str, str]:
    """All that one file says of papers, at once; returns the id of each of its papers in the export -> its id here."""
    ids: dict[str, str] = {}
    sets, texts = defaultdict[tuple[SetKind, str], list[str]](list), list[tuple[str, str]]()
    papers, wrong, marks = set[str](), list[str](), _Marks(session)
    for there, record, said in _read_user_data(Path(path)):
        called = next(iter(_names(record)), "")
        try:
            kept, paper = msgspec.convert(said, _UserData), _paper(session, record)
            ids |= {there: paper} if there else {}
        except (ConspectusError, msgspec.ValidationError) as error:
            wrong.append(f"'{called}': {error}")
            continue
        before = {note.text for note in curation_sql.list_notes(session.catalog, paper)} if kept.notes else set()
        kinds: dict[SetKind | Literal["note"], list[str]] = {
            "tag": kept.tags,
            "collection": kept.collections,
            "note": [note.text for note in kept.notes],
        }
        for kind, text in ((kind, text) for kind, group in kinds.items() for text in group):
            try:
                if kind == "note":
                    texts += [(paper, checked_note(text))] if text.strip() not in before else []
                else:
                    sets[kind, checked_name(text, kind)].append(paper)
                papers.add(paper)
            except UsageError as error:
                wrong.append(f"'{called}': {error}")
        for one in kept.highlights:
            try:
                marks.take(paper, msgspec.convert(one, _Highlight))
                papers.add(paper)
            except (UsageError, msgspec.ValidationError) as error:
                wrong.append(f"'{called}': {error}")
    keep_all(session, sets, texts, [*marks.kept.values()])
    if papers or wrong:
        left = f" {len(wrong)} could not be imported, such as: {wrong[0]}" if wrong else ""
        emit(
            Notice(
                f"Imported tags, collections, highlights, notes and edits of {len(papers)} papers from '{path}'.{left}"
            )
        )
    return ids


class _Marks:
    """Highlights that a file brings.

    Attributes:
        kept: what is to be stored of them, by ids: new ones, and those of the library that were edited in another.
    """

    def __init__(self, session: Session) -> None:
        self.kept: dict[str, StoredHighlight] = {}
        self._session = session
        self._known: dict[str, dict[tuple[Any, ...], StoredHighlight]] = {}
        self._text = "", SentenceText(())

    def take(self, paper: str, given: _Highlight) -> None:
        """Take one more. Of the same one the newer colour and note are kept; words are marked once.

        Raises:
            UsageError: there are no words, or too many; or the words have another note already.
        """
        new = import_highlight(self._session, StoredHighlight("", paper, **msgspec.structs.asdict(given)))
        place = self._place(new)
        if paper not in self._known:
            own = curation_sql.list_highlights(self._session.catalog, paper)
            self._known[paper] = {self._place(one): one for one in own}
        known = self._known[paper]
        old = known.get(place)
        if old is None:
            known[place] = self.kept[new.id] = new
        elif (new.updated > old.updated) if new.made == old.made else (new.note and not old.note):
            known[place] = self.kept[old.id] = replace(new, id=old.id, made=old.made)
        elif new.made != old.made and new.note not in ("", old.note):
            raise UsageError(f"The words '{new.quote[:60]}' have another note already.", "Edit it.")

    def _place(self, one: StoredHighlight) -> tuple[Any, ...]:
        """Where its words are in the paper as it was read last; where they are not, the words."""
        if self._text[0] != one.paper:
            self._text = one.paper, SentenceText(self._session.catalog.passages(one.paper))
        return self._text[1].find(one.anchor, one.quote) or (one.quote, one.anchor.before)


def _read_user_data(path: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """The paper's id in an export of a library, else ""; its record; and what the file says that users kept of it."""
    for line in byte_lines(Source(path), MAX_LINE):
        if line and _MARK in line:
            try:
                found = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue  # `add` has told of it
            if isinstance(found, dict) and found.get("schema") == PAPER_LINE and isinstance(found.get("record"), dict):
                own_id = found.get("paper")
                kept = {name: found.get(name) or [] for name in _UserData.__struct_fields__}
                yield own_id if isinstance(own_id, str) else "", found["record"], kept
            elif isinstance(found, dict) and found.get("conspectus"):
                yield "", found, found["conspectus"]


def _names(record: Mapping[str, Any]) -> list[str]:
    """What a record may be called by."""
    return [str(record[name]) for name in _CALLED if record.get(name)]


def _paper(session: Session, record: dict[str, Any]) -> str:
    """The id of the paper that a record has become."""
    names = _names(record)
    for name in names:
        try:
            return session.paper(name, suggest=False).id
        except NotFoundError:  # it may be another's too
            continue
    raise NotFoundError(f"No one paper is called '{names[0] if names else ''}'.")
