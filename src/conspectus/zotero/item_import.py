"""Import from Zotero: what has changed there since the last time, as a file of records, and what goes with papers."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from conspectus.core.characters import line
from conspectus.core.disk import user_path
from conspectus.core.errors import ConspectusError, UnavailableError, UsageError
from conspectus.core.groups import grouped
from conspectus.core.job_context import Notice, emit
from conspectus.core.plural import pluralize
from conspectus.figures.page_images import sizes_of
from conspectus.ingest.files import lies_in
from conspectus.records import Paper
from conspectus.records.curation import LONGEST_NAME, LONGEST_NOTE, SetKind
from conspectus.records.highlights import HIGHLIGHT_COLORS, HighlightColor
from conspectus.session.session import Session
from conspectus.store.connection import utc_now
from conspectus.zotero import database
from conspectus.zotero.annotation_export import is_same, is_unchanged, known_annotation
from conspectus.zotero.client import Item, ZoteroApi, open_local, open_web
from conspectus.zotero.note_texts import (
    annotated_spans,
    annotation_rects,
    markdown_of_note,
    note_of_annotation,
    shorten,
)
from conspectus.zotero.state import (
    GROUP,
    RECORDS,
    KnownAnnotation,
    TakenItem,
    TakenNote,
    ZoteroState,
    find_group,
    group_names,
    is_work,
    known_places,
    load_state,
    name_collections,
    place_of,
    read_records,
    save_state,
    tag_names,
    write_bytes,
)

PREFIX = "zotero:"
_PINNED = re.compile(r"^[ \t]*+citation key[ \t]*+:[ \t]*+(\S+)", re.I | re.M)
_SYNCHRONISED = frozenset({"version", "dateModified", "relations", "links"})
_COLORS = {code: name for name, code in HIGHLIGHT_COLORS.items()}
_TYPES = (".pdf", ".epub")
"""Endings of files that are added with an item; pages that Zotero saved are not."""


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
class HighlightChange:
    """A highlight to be made of an annotation (`highlight` is ""), or to be given its colour and note.

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
    highlight: str = ""


@dataclass(frozen=True, slots=True)
class UserDataChanges:
    """What is to be changed of what a library's users keep, so that it is as in Zotero.

    Attributes:
        added, removed: ids of papers by the kind and the name of a tag or a collection.
        notes, highlights: to be made or changed.
        taken: what both sides have then, by keys of items; without the notes.
    """

    added: dict[tuple[SetKind, str], list[str]] = field(default_factory=dict)
    removed: dict[tuple[SetKind, str], list[str]] = field(default_factory=dict)
    notes: list[NoteChange] = field(default_factory=list)
    highlights: list[HighlightChange] = field(default_factory=list)
    taken: dict[str, TakenItem] = field(default_factory=dict)


def import_items(session: Session, name: str) -> list[Path]:
    """Read what is new in Zotero and write the file of records; returns what is to be added: it, and files of items.

    What is gone in Zotero stays here, and is told.

    Args:
        session: the library.
        name: `zotero:`, `zotero:Collection/Within`, `zotero:group/Name/Collection`, or
            `zotero:/path/to/zotero.sqlite`; also the key of an item whose paper was removed, to take it again.

    Raises:
        UnavailableError: no Zotero can be read.
        NotFoundError: there is no such collection, group, or file.
    """
    file = user_path(name.removeprefix(PREFIX)) if names_file(name) else None
    scope = "" if file else name.removeprefix(PREFIX).strip().strip("/")
    again = next((place for place in known_places(session.folder) if scope in load_state(place).removed), None)
    source = file or open_readable(session)
    place, state, collection = (again, load_state(again), "") if again else _find_library(session, source, scope)
    if again:
        state.take_again(scope)
    _update(state, source)
    collection = state.find_collection(collection) if collection else ""
    if collection not in state.scopes and not again:
        state.scopes.append(collection)
    children, folders = state.children(), database.data_folders()
    if file:
        folders.insert(0, file.parent)
    works = state.chosen()
    files, missing = {}, list[str]()
    for work in works:
        found, lost = _files(children.get(work["key"], ()), folders, session.settings.sources.root_folders)
        files[work["key"]] = found
        missing += lost
    records = [_record(state, work, files[work["key"]]) for work in works]
    if missing:
        emit(Notice(f"{pluralize(len(missing), 'file')} of Zotero cannot be added, such as {missing[0]}."))
    _tell_left_out(state)
    state.read_as, state.imported = [], utc_now()
    write_bytes(place / RECORDS, msgspec.json.encode(records))
    save_state(place, state)
    return [place / RECORDS, *dict.fromkeys(path for found in files.values() for path in found)]


def _find_library(session: Session, source: ZoteroApi | Path, scope: str) -> tuple[Path, ZoteroState, str]:
    """Where what is remembered of the library of a scope lies, this, and the name of the scope's collection there."""
    group, name = 0, ""
    if scope.startswith(GROUP):
        groups = group_names(source.groups() if isinstance(source, ZoteroApi) else database.read_groups(source))
        group, scope = find_group(groups, scope)
        name = groups[group]
    place = place_of(session.folder, group)
    state = load_state(place)
    state.group, state.name = group, name
    return place, state, scope


def _tell_left_out(state: ZoteroState) -> None:
    """Tell what of the scopes is in Zotero and does not come."""
    counted = {kind: state.without_work(kind) for kind in ("note", "attachment")}
    if any(counted.values()):
        alone = [pluralize(number, kind) for kind, number in counted.items() if number]
        emit(Notice(
            f"{' and '.join(alone)} of Zotero without an item left out. Create a parent item for a file there to have "
            "it added; the library has notes of papers only."
        ))  # fmt: skip
    if state.removed:
        emit(Notice(
            f"{pluralize(len(state.removed), 'item')} of papers that you removed here left out; "
            f"`add zotero:{next(iter(state.removed))}` adds {'it' if len(state.removed) == 1 else 'the first'} again."
        ))  # fmt: skip


def names_file(name: str) -> bool:
    """Whether what is to be imported is a file of Zotero, and no collection."""
    return name.endswith(".sqlite")


def has_changed(session: Session, name: str) -> bool:
    """Whether what is imported by a name has changed in Zotero since the last import, as far as it can be asked."""
    api = open_local(session.settings.sources) or open_web(session.settings.sources)
    if api is None:
        return True
    _, state, _ = _find_library(session, api, name.removeprefix(PREFIX).strip())
    return api.origin != state.origin or api.of_group(state.group).has_changed(state.version)


def _update(state: ZoteroState, source: ZoteroApi | Path) -> None:
    """Bring what is remembered up to Zotero."""
    api: ZoteroApi | None = None
    if isinstance(source, ZoteroApi):
        api = source.of_group(state.group)
        if api.origin == state.origin and not api.has_changed(state.version):
            return
        items, version, current = _changed_items(api, state.version if api.origin == state.origin else 0)
        collections, _ = api.list_all("/collections")
        origin = api.origin
    else:
        found, collections = database.read_database(source, state.group)
        items, version, current, origin = found, 0, set(found), f"the file {source}"
    state.items |= items
    state.drop_removed()
    state.collections = name_collections(collections)
    _note_gone(state, current if origin == state.origin else set(state.items))
    state.origin, state.version = origin, version
    _find_citation_keys(state, api)


def open_readable(session: Session) -> ZoteroApi | Path:
    """The Zotero on this machine, or on the web, or the file of one that does not run."""
    sources, why = session.settings.sources, ""
    try:
        if local := open_local(sources):
            return local
    except UnavailableError as error:
        why = f" {error}"
    if web := open_web(sources):
        return web
    if folders := database.data_folders():
        return folders[0] / database.NAME
    raise UnavailableError(
        f"No Zotero library was found.{why}" if why else "Zotero isn't running and its data folder wasn't found.",
        "Start Zotero, or enter the path to zotero.sqlite (zotero:/path/to/zotero.sqlite). For a library on "
        "zotero.org, set sources.zotero.key and turn sources.online on.",
    )


def _changed_items(api: ZoteroApi, since: int) -> tuple[dict[str, Item], int, set[str]]:
    """(items that changed since a version, the version now, keys of all items)."""
    params = {"since": str(since)} if since else {}
    found, version = api.list_all("/items", params)
    annotations, _ = api.list_all("/items", {**params, "itemType": "annotation"})  # Zotero leaves them out above
    items = {
        item["key"]: {**item["data"], "key": item["key"], "version": item.get("version", 0)}
        for item in (*found, *annotations)
        if isinstance(item["data"].get("itemType"), str) and not item["data"].get("deleted")
    }
    return items, version, api.keys() | {item["key"] for item in annotations} | set(items)


def _note_gone(state: ZoteroState, current: set[str]) -> None:
    """Tell of works that are gone from Zotero; they stay in the library."""
    gone = [key for key, item in state.items.items() if key not in current and item.get("itemType") != "annotation"]
    new = [line(str(state.items[key].get("title") or key)) for key in gone if key not in state.gone]
    works = [title for key, title in zip((k for k in gone if k not in state.gone), new, strict=True)
             if is_work(state.items[key])]  # fmt: skip
    if works:
        emit(Notice(
            f"{pluralize(len(works), 'item')} no longer in Zotero, such as '{works[0][:80]}'. The library keeps what "
            "it has of them; `remove` deletes it."
        ))  # fmt: skip
    state.gone = gone


def _find_citation_keys(state: ZoteroState, api: ZoteroApi | None) -> None:
    """Note the citation key of each work, and who made it."""
    works = [item for item in state.items.values() if is_work(item)]
    asked = [item["key"] for item in works] if api and api.is_local and not state.group else []
    generated = api.find_generated_keys(asked) if api and asked else {}
    for item in works:
        pinned = _PINNED.search(str(item.get("extra") or ""))
        if pinned:
            state.cited_as[item["key"]] = pinned[1], "pinned by Better BibTeX"
        elif isinstance(own := item.get("citationKey"), str) and own.strip():
            state.cited_as[item["key"]] = own.strip(), "kept by Zotero"
        elif item["key"] in generated:
            state.cited_as[item["key"]] = generated[item["key"]], "generated by Better BibTeX"


def _record(state: ZoteroState, work: Item, files: Iterable[Path]) -> Item:
    """A work as a record that readers of Zotero's JSON read."""
    record = {name: value for name, value in work.items() if name not in _SYNCHRONISED}
    record |= {"zoteroKey": work["key"], "attachments": [{"path": str(path)} for path in files]}
    if work["key"] in state.cited_as:
        record["citationKey"], record["citationKeyOrigin"] = state.cited_as[work["key"]]
    return record


def _files(children: Iterable[Item], folders: Sequence[Path], roots: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files of an item on this machine that may be added, and why others may not."""
    found, lost = list[Path](), list[str]()
    for item in children:
        mode, name = str(item.get("linkMode") or ""), str(item.get("filename") or "")
        if item.get("itemType") != "attachment" or mode not in ("imported_file", "imported_url", "linked_file"):
            continue
        linked = str(item.get("path") or "") if mode == "linked_file" else ""
        if not (linked or name).lower().endswith(_TYPES) or "\0" in linked + name:
            continue
        if mode == "linked_file":
            if not lies_in(linked, roots):
                lost.append(f"'{line(linked)[:100]}' (set sources.roots to its folder)")
            elif os.path.isfile(linked):  # noqa: PTH113 - false for names that no path can have, without an error
                found.append(Path(linked))
            continue
        stored = [folder / "storage" / item["key"] for folder in folders]
        path = next((place / name for place in stored if _is_stored(place, name)), None)
        found += [path] if path else []
        lost += [] if path else [f"'{line(name)[:100]}' (not in Zotero's folder on this machine)"]
    return found, lost


def _is_stored(place: Path, name: str) -> bool:
    """Whether a file of this name lies in a folder of Zotero's storage itself, and no link leads elsewhere."""
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        return False
    return os.path.isfile(place / name) and lies_in(place / name, [place])  # noqa: PTH113 - as above


def papers_of_items(session: Session, place: Path, state: ZoteroState) -> dict[str, str]:
    """The id of the paper that each item imported from a library of Zotero has become, by its key."""
    path = place / RECORDS
    rows = list(session.catalog.file_rows([str(path)]))
    if not rows:
        return {}
    keys = [record["key"] for record in read_records(place)]
    if state.read_as and rows[0].sha256 != hashlib.sha256(path.read_bytes()).hexdigest():
        keys = state.read_as
    places = session.catalog.places(rows[0].key)
    ids = session.catalog.ids_of({paper for _, _, paper in places})
    return {keys[number - 1]: ids[paper] for _, number, paper in places if 0 < number <= len(keys)}


def other_libraries(session: Session, place: Path) -> list[tuple[ZoteroState, dict[str, list[str]]]]:
    """What is remembered of the other libraries of Zotero, each with the keys of its items by the ids of papers."""
    states = [(other, load_state(other)) for other in known_places(session.folder) if other != place]
    return [
        (state, grouped((paper, key) for key, paper in papers_of_items(session, other, state).items()))
        for other, state in states
    ]


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
    known = {one.key for one in state.annotations.values()}
    for key, paper_id in here.items():
        before = state.taken.get(key, TakenItem())
        now = changes.taken[key] = _now_taken(state, key)
        others = [_now_taken(state, other) for other in of_paper[paper_id] if other != key]
        others += [
            one.taken[other] for one, keys in elsewhere for other in keys.get(paper_id, ()) if other in one.taken
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
        own = children.get(key, ())
        changes.notes.extend(_note_changes(state.group, key, own, paper_id, before, notes))
        marks = [one for file in own for one in children.get(str(file.get("key")), ()) if one["key"] not in known]
        if marks:
            for change in _annotation_changes(session, state.group, key, marks, by_id[paper_id], before, notes):
                as_highlight = _as_highlight(change, state.items[change.child], before)
                changes.highlights.extend([as_highlight] if as_highlight else [])
                changes.notes.extend([] if as_highlight else [change])
    return changes


def _as_highlight(change: NoteChange, annotation: Item, before: TakenItem) -> HighlightChange | None:
    """An annotation as a highlight; None for ink, pictures and notes, other colours, and what is a note already."""
    quote, color = str(annotation.get("annotationText") or ""), str(annotation.get("annotationColor") or "").lower()
    is_mark = annotation.get("annotationType") in ("highlight", "underline") and color in _COLORS
    if not is_mark or not quote.strip() or len(quote) > LONGEST_NOTE or change.child in before.notes:
        return None
    comment = markdown_of_note(str(annotation.get("annotationComment") or ""))[:LONGEST_NOTE]
    known = known_annotation(change.child, annotation, comment)
    return HighlightChange(change, quote, change.spans, _COLORS[color], known)


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
        now = known_annotation(known.key, annotation, note)
        yield HighlightChange(NoteChange("", known.key, "", note), "", (), color, now, name)


def _now_taken(state: ZoteroState, key: str) -> TakenItem:
    """What an item has in Zotero now, with the notes that were taken over."""
    item = state.items[key]
    notes = state.taken[key].notes if key in state.taken else {}
    return TakenItem(_names(tag_names(item)), _names(state.collection_paths(item)), dict(notes))


def _names(names: Iterable[str]) -> list[str]:
    """Names of tags or collections as the library can have them, each once."""
    found = (line(name) for name in names)
    return list(dict.fromkeys(name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}" for name in found))


def _note_changes(
    group: int, key: str, children: Iterable[Item], paper: str, before: TakenItem, notes: Mapping[str, str]
) -> Iterator[NoteChange]:
    for child in children:
        if child.get("itemType") != "note":
            continue
        whole = markdown_of_note(str(child.get("note") or ""))
        text = shorten(whole, child["key"], group)
        known = before.notes.get(child["key"])
        if not text or (known and (known.there == text or known.note not in notes)):
            continue
        if not known or _is_ours_unchanged(known, text, notes):
            yield NoteChange(key, child["key"], paper, text, known.note if known else "", text == whole)


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
    for annotation in sorted(annotations, key=lambda one: str(one.get("annotationSortIndex") or "")):
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


def is_zotero(name: object) -> bool:
    """Whether what is to be added is in Zotero."""
    return isinstance(name, str) and name.startswith(PREFIX)


def check_watchable(names: Sequence[object]) -> None:
    """See that Zotero is watched alone.

    Raises:
        UsageError: files are named as well.
    """
    if any(map(is_zotero, names)) and not all(map(is_zotero, names)):
        raise UsageError("Zotero is watched on its own.", "Watch files and folders with another call.")


def remember_taken(place: Path, state: ZoteroState, changes: UserDataChanges, made: Mapping[str, str]) -> None:
    """Remember what was taken over. `made`: ids of new notes and highlights by keys of Zotero's."""
    state.taken |= changes.taken
    state.annotations |= {one.highlight or made[one.known.key]: one.known for one in changes.highlights}
    for change in changes.notes:
        if note := change.note or made.get(change.child):
            state.taken[change.item].notes[change.child] = TakenNote(note, change.text, change.text, change.is_whole)
    save_state(place, state)
