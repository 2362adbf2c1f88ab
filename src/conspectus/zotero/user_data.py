"""What users keep of papers, taken over from Zotero: tags, collections, notes and highlights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from conspectus.core.errors import ConspectusError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, emit
from conspectus.core.text import line
from conspectus.figures.page_images import sizes_of
from conspectus.records import Paper
from conspectus.records.curation import HIGHLIGHT_COLORS, LONGEST_NAME, LONGEST_NOTE, HighlightColor, SetKind
from conspectus.session.session import Session
from conspectus.zotero.client import Item
from conspectus.zotero.item_import import other_libraries, papers_of_items
from conspectus.zotero.new_items import is_same, is_unchanged, known_annotation
from conspectus.zotero.note_texts import (
    annotated_spans,
    annotation_rects,
    markdown_of_note,
    note_of_annotation,
    shorten,
)
from conspectus.zotero.state import KnownAnnotation, TakenItem, TakenNote, ZoteroState, save_state, tag_names

_COLORS = {code: name for name, code in HIGHLIGHT_COLORS.items()}


@dataclass(frozen=True, slots=True)
class NoteChange:
    """A note to be made (`note` is ""), or to be given another text.

    Attributes:
        item: key of the work in Zotero.
        child: key of the note or annotation there.
        spans: ids of the sentences that an annotation marks.
    """

    item: str
    child: str
    paper: str
    text: str
    note: str = ""
    is_whole: bool = True
    spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewHighlight:
    """An annotation that becomes a highlight.

    Attributes:
        as_note: what is done instead if the paper's text does not have the words.
        quote: the words.
        near: ids of the sentences under the annotation.
        known: what is remembered of it then.
    """

    as_note: NoteChange
    quote: str
    near: tuple[str, ...]
    color: HighlightColor
    known: KnownAnnotation


@dataclass(frozen=True, slots=True)
class HighlightChange:
    """The highlight of this id gets the colour, and the note in `known`, which is remembered then."""

    highlight: str
    color: HighlightColor
    known: KnownAnnotation


@dataclass(frozen=True, slots=True)
class UserDataChanges:
    """What is to be changed of what a library's users keep, so that it is as in Zotero.

    Attributes:
        added, removed: ids of papers by the kind and the name of a tag or a collection.
        notes: to be made or changed.
        new_highlights, highlights: to be made; to be changed.
        taken_items: what both sides have then, by keys of items; without the notes.
    """

    added: dict[tuple[SetKind, str], list[str]] = field(default_factory=dict)
    removed: dict[tuple[SetKind, str], list[str]] = field(default_factory=dict)
    notes: list[NoteChange] = field(default_factory=list)
    new_highlights: list[NewHighlight] = field(default_factory=list)
    highlights: list[HighlightChange] = field(default_factory=list)
    taken_items: dict[str, TakenItem] = field(default_factory=dict)


def plan_user_data(
    session: Session,
    place: Path,
    state: ZoteroState,
    notes: Mapping[str, str],
    highlights: Mapping[str, tuple[HighlightColor, str]],
) -> UserDataChanges:
    """What is to be changed of tags, collections, notes and highlights after an import: what has changed in Zotero.

    What users have changed here and not there stays; a note that was changed on both sides does too, and is told.

    Args:
        session: the library, with the papers added.
        place, state: where what is remembered of a library of Zotero lies, and this.
        notes: texts of the library's notes by their ids.
        highlights: colours and notes of the library's highlights by their ids.
    """
    changes, children = UserDataChanges(), state.children()
    items, elsewhere = papers_of_items(session, place, state), other_libraries(session, place)
    papers = session.catalog.papers_by_key(list(session.catalog.keys_of(list(set(items.values()))).values()))
    by_id = {paper.id: paper for paper in papers.values()}
    here = {key: paper for key, paper in items.items() if key in state.items and key not in state.gone}
    of_paper = grouped((paper, key) for key, paper in here.items())
    changes.highlights.extend(_changed_highlights(state, highlights))
    known = {annotation.key for annotation in state.annotations.values()}
    for key, paper_id in here.items():
        before = state.taken.get(key, TakenItem())
        now = changes.taken_items[key] = _now_taken(state, key)
        others = [_now_taken(state, other) for other in of_paper[paper_id] if other != key]
        others += [
            other_state.taken[other]
            for other_state, keys in elsewhere
            for other in keys.get(paper_id, ())
            if other in other_state.taken
        ]
        kinds: tuple[tuple[SetKind, list[str], list[str]], ...] = (
            ("tag", before.tags, now.tags),
            ("collection", before.collections, now.collections),
        )
        for kind, old, new in kinds:
            for name in set(new) - set(old):
                changes.added.setdefault((kind, name), []).append(paper_id)
            still = {name for other in others for name in (other.tags if kind == "tag" else other.collections)}
            for name in set(old) - set(new) - still:
                changes.removed.setdefault((kind, name), []).append(paper_id)
        item_children = children.get(key, ())
        changes.notes.extend(_note_changes(state.group, key, item_children, paper_id, before, notes))
        marks = [
            mark
            for file in item_children
            for mark in children.get(str(file.get("key")), ())
            if mark["key"] not in known
        ]
        if marks:
            for change in _annotation_changes(session, state.group, key, marks, by_id[paper_id], before, notes):
                if highlight := _as_highlight(change, state.items[change.child], before):
                    changes.new_highlights.append(highlight)
                else:
                    changes.notes.append(change)
    return changes


def _as_highlight(change: NoteChange, annotation: Item, before: TakenItem) -> NewHighlight | None:
    """An annotation as a highlight; None for ink, pictures and notes, other colours, and what is a note already."""
    quote, color = str(annotation.get("annotationText") or ""), str(annotation.get("annotationColor") or "").lower()
    is_mark = annotation.get("annotationType") in ("highlight", "underline") and color in _COLORS
    if not is_mark or not quote.strip() or 2 * len(quote) > LONGEST_NOTE or change.child in before.notes:
        return None
    comment = markdown_of_note(str(annotation.get("annotationComment") or ""))[:LONGEST_NOTE]
    known = known_annotation(change.child, annotation, comment)
    return NewHighlight(change, quote, change.spans, _COLORS[color], known)


def _changed_highlights(
    state: ZoteroState, highlights: Mapping[str, tuple[HighlightColor, str]]
) -> Iterator[HighlightChange]:
    """Highlights whose annotations were changed in Zotero; those that were changed here, too, are told."""
    for name, known in state.annotations.items():
        annotation = state.items.get(known.key)
        if name not in highlights or annotation is None or is_same(known, annotation):
            continue
        ours, comment = highlights[name], str(annotation.get("annotationComment") or "")
        if not is_unchanged(known, *ours):
            emit(Notice(
                f"A highlight was changed here and in Zotero, and the library keeps its own ({name}). In Zotero: "
                f"'{line(comment)[:100]}'."
            ))  # fmt: skip
            continue
        note = markdown_of_note(comment)[:LONGEST_NOTE] if comment.strip() != known.comment.strip() else known.note
        color = _COLORS.get(str(annotation.get("annotationColor") or "").lower(), ours[0])
        yield HighlightChange(name, color, known_annotation(known.key, annotation, note))


def _now_taken(state: ZoteroState, key: str) -> TakenItem:
    """What an item has in Zotero now, with the notes that were taken over."""
    item = state.items[key]
    notes = state.taken[key].notes if key in state.taken else {}
    return TakenItem(_names(tag_names(item)), _names(state.collection_paths(item)), dict(notes))


def _names(names: Iterable[str]) -> list[str]:
    """Names of tags or collections as the library can have them, each once."""
    lines = (line(name) for name in names)
    return list(dict.fromkeys(name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}" for name in lines))


def _note_changes(
    group: int, key: str, children: Iterable[Item], paper: str, before: TakenItem, notes: Mapping[str, str]
) -> Iterator[NoteChange]:
    for child in children:
        if child.get("itemType") != "note":
            continue
        markdown = markdown_of_note(str(child.get("note") or ""))
        text = shorten(markdown, child["key"], group)
        known = before.notes.get(child["key"])
        if not text or (known and (known.there == text or known.note not in notes)):
            continue
        if not known or _is_ours_unchanged(known, text, notes):
            yield NoteChange(key, child["key"], paper, text, known.note if known else "", text == markdown)


def _is_ours_unchanged(known: TakenNote, text: str, notes: Mapping[str, str]) -> bool:
    """Whether Zotero's text may take the place of the library's note; if not, both are told."""
    if notes[known.note] != known.text:
        emit(Notice(
            f"A note was changed here and in Zotero, and the library keeps its own ({known.note}). Here: "
            f"'{line(notes[known.note])[:100]}'. In Zotero: '{line(text)[:100]}'."
        ))  # fmt: skip
        return False
    return True


def _annotation_changes(
    session: Session,
    group: int,
    key: str,
    annotations: Sequence[Item],
    paper: Paper,
    before: TakenItem,
    notes: Mapping[str, str],
) -> Iterator[NoteChange]:
    """Notes of annotations that are new or were changed; which sentences they mark is found anew then."""
    passages, sizes = list(session.catalog.passages(paper.id)), list[tuple[float, float]]()
    with suppress(ConspectusError):  # where the file is not here, the annotation is a note without a place
        sizes = [(page.width, page.height) for page in sizes_of(session, paper)]
    for annotation in sorted(annotations, key=lambda mark: str(mark.get("annotationSortIndex") or "")):
        if annotation.get("itemType") != "annotation":
            continue
        places = annotation_rects(annotation, sizes)
        spans = annotated_spans(str(annotation.get("annotationText") or ""), places, passages)
        text = shorten(note_of_annotation(annotation, places, spans, group), annotation["key"], group)
        known = before.notes.get(annotation["key"])
        if known and (known.there == text or known.note not in notes):
            continue
        if not known or _is_ours_unchanged(known, text, notes):
            ids = tuple(span.id for span in spans)
            note = known.note if known else ""
            yield NoteChange(key, annotation["key"], paper.id, text, note, is_whole=False, spans=ids)


def remember_taken(place: Path, state: ZoteroState, changes: UserDataChanges, new_ids: Mapping[str, str]) -> None:
    """Remember what was taken over. `new_ids`: ids of new notes and highlights by keys of Zotero's."""
    state.taken |= changes.taken_items
    state.annotations |= {highlight.highlight: highlight.known for highlight in changes.highlights}
    state.annotations |= {new_ids[highlight.known.key]: highlight.known for highlight in changes.new_highlights}
    for change in changes.notes:
        if note := change.note or new_ids.get(change.child):
            state.taken[change.item].notes[change.child] = TakenNote(note, change.text, change.text, change.is_whole)
    save_state(place, state)
