"""Zotero and the library: adding what it has with tags, collections and notes, and writing papers to it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection

from conspectus.core.errors import NotFoundError, ServiceAwayError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, emit
from conspectus.core.text import pluralize
from conspectus.curation import sql
from conspectus.curation.highlights import SentenceText, list_paper_highlights, new_highlight
from conspectus.curation.sql import StoredHighlight
from conspectus.curation.verbs import write_aside
from conspectus.records import Filters
from conspectus.records.zotero import ZoteroExport
from conspectus.session.session import Session
from conspectus.store import connection, schema
from conspectus.zotero import item_export, item_import, user_data
from conspectus.zotero.state import known_places, load_state
from conspectus.zotero.user_data import HighlightChange, NewHighlight, UserDataChanges

POLL_SECONDS = 30.0


def fetch(session: Session, names: Sequence[str | Path]) -> list[str | Path]:
    """The names of what is to be added, with the files of what Zotero has in place of `zotero:…`."""
    paths: list[str | Path] = []
    for name in names:
        paths += item_import.import_items(session, str(name)) if item_import.is_zotero(name) else [name]
    return paths


def take_user_data(session: Session) -> None:
    """Give papers the tags, collections, notes and highlights of their items, as far as these changed in Zotero."""
    for place in known_places(session.folder):
        _take_from(session, place)


def _take_from(session: Session, place: Path) -> None:
    state = load_state(place)
    texts = {note.id: note.text for note in sql.list_notes(session.catalog)}
    marks = {highlight.id: (highlight.color, highlight.note) for highlight in sql.list_highlights(session.catalog)}
    changes = user_data.plan_user_data(session, place, state, texts, marks)
    changes, new = _place(session, changes, set(state.annotations))
    new_notes = [change.child for change in changes.notes if not change.note]
    note_ids = {child: connection.new_id(session.catalog, schema.notes, sql.NOTE_PREFIX) for child in new_notes}
    write_aside(session, lambda connection: _apply(session, connection, changes, note_ids, new))
    user_data.remember_taken(place, state, changes, note_ids | {key: highlight.id for key, highlight in new.items()})
    sets = sum(map(len, (*changes.added.values(), *changes.removed.values())))
    highlight_count = len(changes.highlights) + len(new)
    if sets or changes.notes or highlight_count:
        tags, notes = (
            pluralize(sets, "tag or collection", "tags and collections"),
            pluralize(len(changes.notes), "note"),
        )
        emit(Notice(f"Took {tags}, {notes} and {pluralize(highlight_count, 'highlight')} from Zotero."))


def _place(
    session: Session, changes: UserDataChanges, linked: set[str]
) -> tuple[UserDataChanges, dict[str, StoredHighlight]]:
    """The changes with new highlights only where the paper's text has the words, else with notes; and the highlights.

    Words that are highlighted already keep that highlight, unless it has a note of its own or is in `linked`: it goes
    with another annotation.
    """
    new_highlights, notes = list[NewHighlight](), [*changes.notes]
    changed, new = [*changes.highlights], dict[str, StoredHighlight]()
    for paper, paper_changes in grouped((change.as_note.paper, change) for change in changes.new_highlights).items():
        text = SentenceText(session.catalog.passages(paper))
        highlight_by_place = {
            text.find(highlight.anchor, highlight.quote): highlight
            for highlight in sql.list_highlights(session.catalog, paper)
        }
        for change in paper_changes:
            place = text.find_words(change.quote, near=next(iter(change.near), ""))
            if place is None:
                notes.append(change.as_note)
            elif place not in highlight_by_place:
                quote = " ".join(sentence.text for sentence in text.sentences_in(place))
                note, anchor = change.known.note, text.anchor(place)
                highlight_by_place[place] = new_highlight(session, paper, anchor, quote, change.color, note)
                new[change.known.key] = highlight_by_place[place]
                linked.add(highlight_by_place[place].id)
                new_highlights.append(change)
            elif highlight_by_place[place].id in linked or highlight_by_place[place].note not in (
                "",
                change.known.note,
            ):
                notes.append(change.as_note)
            else:
                linked.add(highlight_by_place[place].id)
                changed.append(HighlightChange(highlight_by_place[place].id, change.color, change.known))
    return replace(changes, notes=notes, new_highlights=new_highlights, highlights=changed), new


def _apply(
    session: Session,
    write: Connection,
    changes: UserDataChanges,
    note_ids: Mapping[str, str],
    new: Mapping[str, StoredHighlight],
) -> None:
    for (kind, name), papers in changes.added.items():
        set_id = connection.new_id(session.catalog, schema.sets, f"{kind[:3]}-")
        sql.put_in_set(write, sql.make_set(write, kind, set_id, name, connection.utc_now()), papers)
    for (kind, name), papers in changes.removed.items():
        with suppress(NotFoundError):  # users have deleted it
            keys = list(session.catalog.keys_of(papers).values())
            sql.take_from_set(write, sql.find_set_id(write, kind, name), keys)
    for change in changes.notes:
        if change.note:
            sql.change_note(write, change.note, change.text)
        else:
            sql.add_note(write, note_ids[change.child], change.paper, change.text)
    for mark in changes.highlights:
        sql.change_highlight(write, mark.highlight, mark.color, mark.known.note)
    for highlight in new.values():
        sql.add_highlight(write, highlight)


def changes(session: Session, names: Sequence[str | Path]) -> Iterator[None]:
    """Yields at once, and whenever Zotero has changed; without end. That it is away is told once."""
    item_import.check_watchable(names)
    is_away = False
    yield
    while True:
        time.sleep(POLL_SECONDS)
        try:
            changed, is_away = any(item_import.has_changed(session, str(name)) for name in names), False
        except ServiceAwayError as error:
            changed = False
            if not is_away:
                emit(Notice(f"{error} It is asked again every {POLL_SECONDS:g} s."))
            is_away = True
        if changed:
            yield


def export_to_zotero(
    session: Session, collection: str, papers: Sequence[str] = (), filters: Filters | None = None
) -> ZoteroExport:
    """Write papers (by any names; none: all) that pass the filters to a collection of Zotero.

    Raises:
        ReadOnlyZoteroError: no Zotero allows Conspectus to write.
        ServiceError: it does not answer, or not as Zotero does.
    """
    from conspectus.export.reading_notes import format_highlight

    ids = session.paper_ids(papers) if papers else None
    chosen_papers = [paper for paper in session.catalog.papers(filters) if ids is None or paper.id in ids]
    notes = grouped((note.paper, note) for note in sql.list_notes(session.catalog))
    highlights = {highlight.id: highlight.paper for highlight in sql.list_highlights(session.catalog)}
    marked_papers = set(highlights.values())
    marks = {
        paper.id: [
            (highlight, format_highlight(highlight)) for highlight in list_paper_highlights(session.catalog, paper.id)
        ]
        for paper in chosen_papers
        if paper.id in marked_papers
    }
    return item_export.export_items(session, chosen_papers, collection, notes, marks, highlights)
