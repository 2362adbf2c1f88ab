"""Write to Zotero: new items for papers that it lacks; of the others only what users changed here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from conspectus.core.errors import ConspectusError, UsageError
from conspectus.figures.page_images import sizes_of
from conspectus.parse.text.identifiers import normal_doi
from conspectus.records import Paper
from conspectus.records.curation import Highlight, PaperNote
from conspectus.records.filters import set_term
from conspectus.records.parsed_paper import PageSize
from conspectus.records.zotero import ZoteroConflict, ZoteroExport
from conspectus.session.session import Session
from conspectus.zotero.client import Item, ReadOnlyZoteroError, WriteResult, ZoteroApi, open_writable
from conspectus.zotero.item_import import other_libraries, papers_of_items
from conspectus.zotero.new_items import (
    HIGHLIGHTS_NOTE,
    annotation_of,
    can_be_annotation,
    copied_item,
    find_attachment,
    is_same,
    is_unchanged,
    item_of_paper,
    known_annotation,
    note_of_highlights,
    without_citation_key,
    written_fields,
)
from conspectus.zotero.note_texts import markdown_of_note, note_of_markdown
from conspectus.zotero.state import (
    GROUP,
    SLASH,
    TakenItem,
    TakenNote,
    ZoteroState,
    load_state,
    name_collections,
    place_of,
    save_state,
    tag_names,
)

_CONFLICT = 412
Marks = Mapping[str, Sequence[tuple[Highlight, str]]]
"""Id of a paper -> its highlights, each with its Markdown."""


@dataclass(slots=True)
class _Write:
    """An object that is to be written, and what it is for; `taken_item`: both sides when it is."""

    paper: str
    body: Item
    taken_item: TakenItem | None = None
    note: PaperNote | None = None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class _Annotation:
    """A highlight that is written as an annotation of a PDF, and the sizes of its pages."""

    highlight: Highlight
    attachment: str
    sizes: Sequence[PageSize]


@dataclass(slots=True)
class _Outcome:
    """What has become of it so far."""

    made: int = 0
    changed: int = 0
    unchanged: int = 0
    notes: int = 0
    annotations: int = 0
    conflicts: list[ZoteroConflict] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


def export_items(
    session: Session,
    papers: Sequence[Paper],
    collection: str,
    notes: Mapping[str, Sequence[PaperNote]],
    marks: Marks,
    highlights: Collection[str],
) -> ZoteroExport:
    """Write papers to a collection of Zotero, which is created if necessary.

    An item is the paper's if it was imported from it or made of it, or has its DOI. For existing items, only
    tags, collections and notes are written, and only those that were changed here since both sides last agreed.
    Highlights become annotations of the PDF that was imported from Zotero, else a note; those of highlights that were
    removed here go into Zotero's bin.

    Args:
        session: the library.
        papers: what is written.
        collection: `Reading/Grid cells`; "": none.
        notes: of papers, by their ids.
        marks: their highlights.
        highlights: the ids of all that the library has.

    Raises:
        ReadOnlyZoteroError: no Zotero allows Conspectus to write.
        ServiceError: it does not answer, or not as Zotero does.
        UsageError: a part of the collection's name is empty, or it is a group's.
    """
    api, path = open_writable(session.settings.sources), collection.strip().strip("/")
    if path.startswith(GROUP):
        raise UsageError(f"'{path}' is a group's, and groups are not written.", "Name a collection of your own.")
    try:
        return _Exporter(session, api, notes, marks, highlights).run(papers, path)
    except ReadOnlyZoteroError as error:
        if not api.is_local or api.has_written:
            raise
        api = open_writable(session.settings.sources, error)
    return _Exporter(session, api, notes, marks, highlights).run(papers, path)


class _Exporter:
    """One export.

    Args:
        session, notes, marks, highlights: as `export_items`.
        api: where it is written to.
    """

    def __init__(
        self,
        session: Session,
        api: ZoteroApi,
        notes: Mapping[str, Sequence[PaperNote]],
        marks: Marks,
        highlights: Collection[str],
    ) -> None:
        self._session, self._api, self._notes, self._marks = session, api, dict(notes), marks
        self._highlights = highlights
        self._place = place_of(session.folder)
        self._state: ZoteroState = load_state(self._place)
        self._groups = other_libraries(session, self._place)
        self._known: dict[str, list[str]] = {}
        for key, paper in papers_of_items(session, self._place, self._state).items():
            self._known.setdefault(paper, []).append(key)
        self._paths = name_collections(api.list_all("/collections")[0])
        self._outcome = _Outcome()

    def run(self, papers: Sequence[Paper], collection: str) -> ZoteroExport:
        """All of it; what was done is remembered, also where it ends early."""
        done = self._outcome
        try:
            target = [self._make_collection(collection)] if collection else []
            current = self._find_items(papers)
            writes, new = list[_Write](), list[_Write]()
            for paper in papers:
                items = current.get(paper.id, [])
                writes += [write for item in items if (write := self._change(paper, item, target))]
                new += [] if items else [self._new(paper, target)]
            annotations = self._take_marks(papers, current)
            self._write_changes(writes)
            new_keys = self._write_new(new)
            notes = [
                write for paper in papers for write in self._note_writes(paper, current.get(paper.id, ()), new_keys)
            ]
            self._write_notes(notes)
            self._write_annotations(annotations)
            self._trash_removed(current)
        finally:
            save_state(self._place, self._state)
        return ZoteroExport(
            self._api.origin, collection, done.made, done.changed, done.unchanged, done.notes, done.annotations,
            tuple(done.conflicts), tuple(done.failed),
        )  # fmt: skip

    def _make_collection(self, path: str) -> str:
        """The key of a collection; what is missing of its path is made."""
        parent, known = "", {set_term(name): key for key, name in self._paths.items()}
        names = path.split("/")
        if not all(name.strip() for name in names):
            raise UsageError(f"A part of the collection '{path}' has no name.", "Name it as Reading/Grid cells.")
        for number, name in enumerate(names, 1):
            so_far = "/".join(names[:number])
            if not (key := known.get(set_term(so_far))):
                result = self._api.write(
                    "/collections", [{"name": name.replace(SLASH, "/"), "parentCollection": parent or False}]
                )[0]
                if not result.key:
                    raise self._api.failure(f"did not make the collection '{so_far}': {result.error}")
                key = result.key
                self._paths[key] = so_far
            parent = key
        return parent

    def _find_items(self, papers: Sequence[Paper]) -> dict[str, list[Item]]:
        """The items that Zotero has of papers, by the papers' ids."""
        exported = self._state.exported.setdefault(self._api.origin, {})
        keys = {paper.id: [*self._known.get(paper.id, ()), *filter(None, [exported.get(paper.id)])] for paper in papers}
        there = self._api.items(list(dict.fromkeys(key for item_keys in keys.values() for key in item_keys)))
        items_of = {
            paper: [
                there[key] for key in dict.fromkeys(item_keys) if key in there and not there[key]["data"].get("deleted")
            ]
            for paper, item_keys in keys.items()
        }
        if any(paper.doi and not items_of[paper.id] for paper in papers):
            by_doi = {
                normal_doi(str(item["data"]["DOI"])).lower(): item
                for item in self._api.list_all("/items/top")[0]
                if item["data"].get("DOI")
            }
            claimed = {*exported.values(), *(key for item_keys in self._known.values() for key in item_keys)}
            for paper in papers:
                item = by_doi.get(paper.doi.lower())
                if not items_of[paper.id] and item and item["key"] not in claimed:
                    items_of[paper.id] = [item]
                    claimed.add(item["key"])
        return items_of

    def _change(self, paper: Paper, item: Item, target: Sequence[str]) -> _Write | None:
        """What is to be written of an item that Zotero has; None where there is nothing, or a conflict."""
        data, before = item["data"], self._state.taken.get(item["key"])
        theirs = TakenItem(tag_names(data), [self._paths[key] for key in data.get("collections") or ()
                                             if key in self._paths])  # fmt: skip
        target_state, clashes = TakenItem(), list[ZoteroConflict]()
        for name, paper_names in (("tags", paper.tags), ("collections", paper.collections)):
            there: list[str] = getattr(theirs, name)
            base = getattr(before, name) if before else None
            ours = self._ours(paper, name, paper_names, base if base is not None else there)
            if base is not None and _differ(there, base) and _differ(ours, base) and _differ(there, ours):
                clashes.append(ZoteroConflict(paper.id, item["key"], name, "; ".join(ours), "; ".join(there)))
            elif base is not None and not _differ(ours, base):
                ours = there
            setattr(target_state, name, ours)
        if clashes:
            self._outcome.conflicts += clashes
            return None
        body: Item = {}
        if _differ(target_state.tags, theirs.tags):
            body["tags"] = _tags(data, target_state.tags)
        keys = list(dict.fromkeys([*self._collection_keys(data, target_state.collections), *target]))
        if set(keys) != set(data.get("collections") or ()):
            body["collections"] = keys
        notes = before.notes if before else {}
        taken = TakenItem(target_state.tags, [self._paths[key] for key in keys if key in self._paths], notes)
        if not body:
            self._outcome.unchanged += 1
            self._state.taken.setdefault(item["key"], taken)
            return None
        return _Write(paper.id, {"key": item["key"], "version": item["version"], **body}, taken)

    def _ours(self, paper: Paper, name: str, names: Sequence[str], base: Sequence[str]) -> list[str]:
        """The names that an item has by us: what was added to its paper, or taken from it, since they were the same.

        A paper of several items has the names of all; each item gets only what is new.
        """
        taken = [self._state.taken[key] for key in self._known.get(paper.id, ()) if key in self._state.taken]
        exported = self._state.exported[self._api.origin].get(paper.id, "")
        taken += [self._state.taken[exported]] if exported in self._state.taken else []
        taken += [state.taken[key] for state, key in self._items_of_groups(paper) if key in state.taken]
        before = {set_term(term) for item in taken for term in getattr(item, name)}
        now = {set_term(term) for term in names}
        remaining = [term for term in base if set_term(term) in now or set_term(term) not in before]
        there = {set_term(term) for term in remaining}
        return [*remaining, *(term for term in names if set_term(term) not in before | there)]

    def _collection_keys(self, data: Item, names: Iterable[str]) -> list[str]:
        """Keys of collections by their paths; those that Zotero lacks are made."""
        known = {set_term(path): key for key, path in self._paths.items()}
        there = [key for key in data.get("collections") or () if key not in self._paths]
        return [*there, *(known.get(set_term(name)) or self._make_collection(name) for name in names)]

    def _new(self, paper: Paper, target: Sequence[str]) -> _Write:
        """A paper as a new item."""
        known = [*((self._state, key) for key in self._known.get(paper.id, ())), *self._items_of_groups(paper)]
        raw = next((state.items[key] for state, key in known if key in state.items), None)
        keys = list(dict.fromkeys([*self._collection_keys({}, paper.collections), *target]))
        body = {**(copied_item(raw) if raw else item_of_paper(paper)), "collections": keys}
        body["tags"] = _tags(raw or {}, paper.tags)
        return _Write(paper.id, body, TakenItem(list(paper.tags), [self._paths[key] for key in keys]))

    def _items_of_groups(self, paper: Paper) -> list[tuple[ZoteroState, str]]:
        """The paper's items in libraries of groups, with what is remembered there."""
        return [(state, key) for state, known in self._groups for key in known.get(paper.id, ())]

    def _write_changes(self, writes: Sequence[_Write]) -> None:
        clashing = list[_Write]()
        for write, result in zip(writes, self._api.write("/items", [write.body for write in writes]), strict=True):
            if result.key and write.taken_item:
                self._state.taken[result.key] = write.taken_item
                self._outcome.changed += 1
            elif result.code == _CONFLICT:
                clashing.append(write)
            else:
                self._fail(write, result)
        if not clashing:
            return
        now = self._api.items([write.body["key"] for write in clashing])
        for write in clashing:
            data = now.get(write.body["key"], {}).get("data", {})
            for name in write.body.keys() & {"tags", "collections"}:
                ours, theirs = self._describe_field(write.body, name), self._describe_field(data, name)
                self._outcome.conflicts.append(ZoteroConflict(write.paper, write.body["key"], name, ours, theirs))

    def _describe_field(self, data: Item, name: str) -> str:
        """The tags or collections of an item, for people to read."""
        keys = data.get("collections") or ()
        return "; ".join(tag_names(data) if name == "tags" else [self._paths.get(key, key) for key in keys])

    def _write_new(self, writes: Sequence[_Write]) -> dict[str, str]:
        """Makes items; their keys by the ids of papers."""
        results = self._api.write("/items", [write.body for write in writes]) if writes else []
        refused = [number for number, result in enumerate(results)
                 if result.code == 400 and "citationKey" in writes[number].body]  # fmt: skip
        if refused:
            bodies = [without_citation_key(writes[number].body) for number in refused]
            for number, result in zip(refused, self._api.write("/items", bodies), strict=True):
                results[number] = result
        new_keys = {}
        for write, result in zip(writes, results, strict=True):
            if result.key and write.taken_item:
                new_keys[write.paper] = result.key
                self._state.exported[self._api.origin][write.paper] = result.key
                self._state.taken[result.key] = write.taken_item
                self._outcome.made += 1
            else:
                self._fail(write, result)
        return new_keys

    def _note_writes(self, paper: Paper, items: Sequence[Item], new_keys: Mapping[str, str]) -> list[_Write]:
        """Notes that are new, and those that were changed here."""
        parent = new_keys.get(paper.id) or next((item["key"] for item in items), "")
        if not parent:
            return []
        item_keys = [parent] if paper.id in new_keys else list(dict.fromkeys([parent, *self._known.get(paper.id, ())]))
        known = {
            taken.note: (key, child, taken)
            for key in item_keys if key in self._state.taken
            for child, taken in self._state.taken[key].notes.items()
        }  # fmt: skip
        of_groups = {
            note.note
            for state, key in ([] if paper.id in new_keys else self._items_of_groups(paper)) if key in state.taken
            for note in state.taken[key].notes.values()
        }  # fmt: skip
        writes = []
        for note in self._notes.get(paper.id, ()):
            if note.id in of_groups:
                continue
            if note.id not in known:
                html = self._copied_note(note) if paper.id in new_keys else note_of_markdown(note.text)
                if html:
                    body: Item = {"itemType": "note", "parentItem": parent, "note": html, "tags": []}
                    writes.append(_Write(paper.id, body, note=note, parent=parent))
                continue
            key, child, taken = known[note.id]
            if taken.is_whole and note.text != taken.text:
                writes.append(_Write(paper.id, {"key": child, "note": note_of_markdown(note.text)}, None, note, key))
        return writes

    def _copied_note(self, note: PaperNote) -> str:
        """The HTML of a note in another Zotero: as the first one had it, where it is the same; "" for annotations."""
        states = [self._state, *(state for state, _ in self._groups)]
        items = [(state.items, item) for state in states for item in state.taken.values()]
        for known, item in items:
            for child, taken in item.notes.items():
                if taken.note == note.id:
                    raw = known.get(child, {})
                    if raw.get("itemType") == "annotation":
                        return ""
                    return (
                        str(raw["note"]) if taken.text == note.text and "note" in raw else note_of_markdown(note.text)
                    )
        return note_of_markdown(note.text)

    def _write_notes(self, writes: Sequence[_Write]) -> None:
        """Make and change notes; one that was changed there too is a conflict."""
        there = self._api.items([write.body["key"] for write in writes if "key" in write.body])
        fit = list[_Write]()
        for write in writes:
            if not (key := write.body.get("key")):
                fit.append(write)
            elif key in there:
                theirs = markdown_of_note(str(there[key]["data"].get("note") or ""))
                if theirs == self._state.taken[write.parent].notes[key].there:
                    write.body["version"] = there[key]["version"]
                    fit.append(write)
                elif write.note:
                    self._outcome.conflicts.append(ZoteroConflict(write.paper, key, "note", write.note.text, theirs))
        for write, result in zip(fit, self._api.write("/items", [write.body for write in fit]), strict=True):
            if result.key and write.note:
                text = markdown_of_note(write.body["note"])
                self._state.taken[write.parent].notes[result.key] = TakenNote(write.note.id, write.note.text, text)
                self._outcome.notes += 1
            elif result.code == _CONFLICT and write.note:
                now = self._api.items([write.body["key"]]).get(write.body["key"], {}).get("data", {})
                theirs = markdown_of_note(str(now.get("note") or ""))
                clash = ZoteroConflict(write.paper, write.body["key"], "note", write.note.text, theirs)
                self._outcome.conflicts.append(clash)
            else:
                self._fail(write, result)

    def _take_marks(self, papers: Sequence[Paper], current: Mapping[str, Sequence[Item]]) -> list[_Annotation]:
        """The highlights that become annotations; those of papers without their PDF in Zotero join the notes."""
        marked = list[_Annotation]()
        for paper in papers:
            marks, items = self._marks.get(paper.id, ()), [item["key"] for item in current.get(paper.id, ())]
            attachment = find_attachment(self._state, items, paper) if marks else ""
            sizes: Sequence[PageSize] = ()
            with suppress(ConspectusError):  # the file is not here any more
                sizes = sizes_of(self._session, paper) if attachment else ()
            fit = {highlight.id for highlight, _ in marks if can_be_annotation(highlight, sizes)}
            marked += [_Annotation(highlight, attachment, sizes) for highlight, _ in marks if highlight.id in fit]
            rest = [text for highlight, text in marks if highlight.id not in fit]
            if rest or self._has_marks_note(paper, items):
                self._notes[paper.id] = [*self._notes.get(paper.id, ()), note_of_highlights(paper, rest)]
        return marked

    def _has_marks_note(self, paper: Paper, items: Sequence[str]) -> bool:
        """Whether Zotero has a note with the paper's highlights; it stays without those that were removed."""
        taken = [self._state.taken[key] for key in (*items[:1], *self._known.get(paper.id, ()))
                 if key in self._state.taken]  # fmt: skip
        return any(note.note == f"{HIGHLIGHTS_NOTE}{paper.id}" for item in taken for note in item.notes.values())

    def _write_annotations(self, annotations: Sequence[_Annotation]) -> None:
        """Make and change annotations; one that was changed there too is a conflict, one that is gone stays gone."""
        known, writes = self._state.annotations, list[tuple[Highlight, _Write]]()
        there = self._api.items(
            [known[annotation.highlight.id].key for annotation in annotations if annotation.highlight.id in known]
        )
        for annotation in annotations:
            highlight, fields = annotation.highlight, written_fields(annotation.highlight)
            if (old := known.get(highlight.id)) is None:
                body = annotation_of(highlight, annotation.attachment, annotation.sizes)
                writes.append((highlight, _Write(highlight.paper, body)))
            elif old.key in there and not is_unchanged(old, highlight.color, highlight.note):
                data = there[old.key]["data"]
                if is_same(old, data):
                    body = {"key": old.key, "version": there[old.key]["version"], **fields}
                    writes.append((highlight, _Write(highlight.paper, body)))
                else:
                    theirs = str(data.get("annotationComment") or data.get("annotationColor") or "")
                    clash = ZoteroConflict(highlight.paper, old.key, "highlight", highlight.note, theirs)
                    self._outcome.conflicts.append(clash)
        results = self._api.write("/items", [write.body for _, write in writes])
        for (highlight, write), result in zip(writes, results, strict=True):
            if result.key:
                known[highlight.id] = known_annotation(result.key, written_fields(highlight), highlight.note)
                self._outcome.annotations += 1
            else:
                self._fail(write, result)

    def _trash_removed(self, current: Mapping[str, Sequence[Item]]) -> None:
        """Put annotations whose highlights were removed here into Zotero's bin.

        One that was changed there is a conflict; from then on it is Zotero's own. Those of papers that are not written
        are left alone.
        """
        known = self._state.annotations
        gone = {annotation.key: name for name, annotation in known.items() if name not in self._highlights}
        owners = {item["key"]: paper for paper, items in current.items() for item in items}
        writes = list[_Write]()
        for key, item in self._api.items([*gone]).items():
            data = item["data"]
            attachment = self._state.items.get(str(data.get("parentItem")), {})
            paper = owners.get(str(attachment.get("parentItem")), "")
            if not paper or data.get("deleted"):
                continue
            if is_same(known[gone[key]], data):
                writes.append(_Write(paper, {"key": key, "version": item["version"], "deleted": 1}))
            else:
                theirs = str(data.get("annotationComment") or data.get("annotationColor") or "")
                self._outcome.conflicts.append(ZoteroConflict(paper, key, "highlight", "", theirs))
                del known[gone[key]]
        for write, result in zip(writes, self._api.write("/items", [write.body for write in writes]), strict=True):
            if result.key:
                del known[gone[result.key]]
                self._outcome.annotations += 1
            else:
                self._fail(write, result)

    def _fail(self, write: _Write, result: WriteResult) -> None:
        self._outcome.failed.append((write.paper, f"{result.error or 'no reason given'} (HTTP {result.code})"))


def _differ(ours: Iterable[str], other: Iterable[str]) -> bool:
    return {set_term(name) for name in ours} != {set_term(name) for name in other}


def _tags(data: Item, names: Sequence[str]) -> list[Item]:
    """Tags as Zotero has them; those that it has keep their kind and how they are written."""
    there = {set_term(str(tag.get("tag"))): tag for tag in data.get("tags") or () if isinstance(tag, dict)}
    return [there.get(set_term(name), {"tag": name}) for name in names]
