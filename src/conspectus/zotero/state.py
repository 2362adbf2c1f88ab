"""What is remembered of a Zotero library between imports: its items, their version, and what was taken over of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from conspectus.core.disk import explain_write_errors, read_file, replacing
from conspectus.core.errors import NotFoundError
from conspectus.core.text import line
from conspectus.zotero.client import Item

_FOLDER = Path("online", "zotero")
RECORDS = "items.json"
"""The file of records of one library of Zotero, in its place."""
_STATE = "state.json"
GROUP = "group/"
"""How the name of what is imported from a group begins: `group/Lab`, `group/Lab/Reading`."""
_MOST_BYTES = 4 * 2**30
SLASH = "\N{DIVISION SLASH}"
"""In paths of collections, the slash in a name."""
_PARENTS = 50
"""Collections within each other that are followed."""


class TakenNote(msgspec.Struct):
    """A note of Zotero that a paper has.

    Attributes:
        note: id of the paper's note.
        text: of the paper's note when both sides last agreed.
        there: of Zotero's note then, as Markdown.
        is_whole: whether all of Zotero's note is in it.
    """

    note: str
    text: str
    there: str = ""
    is_whole: bool = True


class TakenItem(msgspec.Struct):
    """What was taken over of an item: how both sides were when they last agreed."""

    tags: list[str] = []
    collections: list[str] = []
    notes: dict[str, TakenNote] = {}


class KnownAnnotation(msgspec.Struct, frozen=True):
    """The annotation that a highlight came from, or was written as: how both were when they last agreed.

    Attributes:
        key: of the annotation in Zotero.
        color, comment: its own.
        note: the highlight's, in Markdown.
    """

    key: str
    color: str
    comment: str
    note: str


class ZoteroState(msgspec.Struct):
    """A Zotero library as it was last read.

    Attributes:
        group: number of the group whose library it is; 0: the user's own.
        name: of the group.
        origin: which Zotero it is.
        version: of the library.
        items: as Zotero has them, by their keys, in the order in which they came; also those that are gone there.
        collections: path (`Reading/Grid cells`) of each, by its key.
        gone: keys of items that are no longer there.
        scopes: paths of the collections that were imported; "" is the whole library.
        taken: by keys of items.
        cited_as: (citation key, its origin) by keys of items.
        exported: keys of items in other Zoteros, by origin, then by id of the paper.
        annotations: those that go with highlights, by the ids of these.
        removed: keys of works whose papers users have removed -> keys of what belongs to them; imports leave them out.
        imported: when it was last read for an import (ISO 8601, UTC).
        read_as: keys of the records as the library has read them, where the file has others since; else none.
    """

    group: int = 0
    name: str = ""
    origin: str = ""
    version: int = 0
    items: dict[str, Item] = {}
    collections: dict[str, str] = {}
    gone: list[str] = []
    scopes: list[str] = []
    taken: dict[str, TakenItem] = {}
    cited_as: dict[str, tuple[str, str]] = {}
    exported: dict[str, dict[str, str]] = {}
    annotations: dict[str, KnownAnnotation] = {}
    removed: dict[str, list[str]] = {}
    imported: str = ""
    read_as: list[str] = []

    def children(self) -> dict[str, list[Item]]:
        """Notes, attachments and annotations, by the key of what they belong to."""
        children: dict[str, list[Item]] = {}
        for item in self.items.values():
            if parent := item.get("parentItem"):
                children.setdefault(str(parent), []).append(item)
        return children

    def drop_removed(self) -> dict[str, Item]:
        """Forget all of removed works but the keys; returns what was forgotten."""
        dropped: dict[str, Item] = {}
        works = {key: work for work, child_keys in self.removed.items() for key in (work, *child_keys)}
        children = self.children() if works else {}
        waiting = list(works)
        for key in waiting:
            if item := self.items.pop(key, None):
                dropped[key] = item
            for child in children.get(key, ()):
                if child["key"] not in works:
                    works[child["key"]] = works[key]
                    self.removed[works[key]].append(child["key"])
                    waiting.append(child["key"])
        return dropped

    def take_again(self, work: str) -> None:
        """Let the next import bring a removed work, wherever it is in Zotero."""
        del self.removed[work]
        self.taken.setdefault(work, TakenItem())
        self.version = 0  # all is read again

    def chosen(self) -> list[Item]:
        """The works in the scopes, in the order in which they came."""
        return [item for item in self.items.values() if is_work(item) and self._is_chosen(item)]

    def without_work(self, kind: str) -> int:
        """How many notes or attachments in the scopes belong to no work."""
        alone = (item for item in self.items.values() if item.get("itemType") == kind and not item.get("parentItem"))
        return sum(map(self._is_chosen, alone))

    def _is_chosen(self, item: Item) -> bool:
        return "" in self.scopes or item["key"] in self.taken or any(
            self.is_in_scope(self.collections[key]) for key in item.get("collections") or () if key in self.collections
        )  # fmt: skip

    def is_in_scope(self, path: str) -> bool:
        """Whether a collection is imported."""
        return any(not scope or path == scope or path.startswith(f"{scope}/") for scope in self.scopes)

    def find_collection(self, name: str) -> str:
        """The path of a collection that is called so, in any case.

        Raises:
            NotFoundError: there is none.
        """
        sought = name.casefold().replace(SLASH, "/")
        plain = {path: path.casefold().replace(SLASH, "/") for path in self.collections.values()}
        same = [path for path, written in plain.items() if written == sought]
        same += [path for path, written in plain.items() if written.endswith(f"/{sought}")]
        if not same:
            examples = ", ".join(sorted(self.collections.values())[:10]) or "none"
            raise NotFoundError(f"Zotero has no collection '{name}'.", f"It has: {examples}.")
        return same[0]

    def collection_paths(self, item: Item) -> list[str]:
        """What the library calls the collections that an item is in; a group is one, with its own within it."""
        paths = [self.collections[key] for key in item.get("collections") or () if key in self.collections]
        return [self.name, *(f"{self.name}/{path}" for path in paths)] if self.group else paths


def is_work(item: Item) -> bool:
    """Whether an item is a work, and no note, file or annotation."""
    return item.get("itemType") not in ("attachment", "note", "annotation") and not item.get("parentItem")


def name_collections(collections: Iterable[Item]) -> dict[str, str]:
    """The path of each collection by its key."""
    known = {item["key"]: item["data"] for item in collections}

    def path(key: str, depth: int = 0) -> str:
        data = known[key]
        name, parent = str(data.get("name") or "").replace("/", SLASH), data.get("parentCollection")
        return f"{path(parent, depth + 1)}/{name}" if parent in known and depth < _PARENTS else name

    return {key: path(key) for key in known}


def group_names(groups: Mapping[int, Item]) -> dict[int, str]:
    """What groups are called by their numbers, without a slash in a name."""
    return {key: line(str(group["data"].get("name") or key)).replace("/", SLASH) for key, group in groups.items()}


def find_group(groups: Mapping[int, str], scope: str) -> tuple[int, str]:
    """The number of the group that a scope (`group/Lab/Reading`) names, in any case, and the rest (`Reading`).

    Raises:
        NotFoundError: there is none.
    """
    sought = scope.removeprefix(GROUP).casefold().replace(SLASH, "/")
    for group, name in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        for known in (name.casefold().replace(SLASH, "/"), str(group)):
            if sought == known or sought.startswith(f"{known}/"):
                return group, sought[len(known) :].strip("/")
    examples = ", ".join(sorted(groups.values())[:10]) or "none"
    raise NotFoundError(f"Zotero has no group '{scope.removeprefix(GROUP)}'.", f"Its groups: {examples}.")


def tag_names(item: Item) -> list[str]:
    """The tags of an item, without those that nobody sees."""
    tags = [tag.get("tag") for tag in item.get("tags") or () if isinstance(tag, dict)]
    return [tag for tag in tags if isinstance(tag, str) and tag.strip()]


def place_of(library: Path, group: int = 0) -> Path:
    """The folder with what the library in a folder has of a group's library of Zotero, or of the user's own."""
    return library / _FOLDER / f"group-{group}" if group else library / _FOLDER


def known_places(library: Path) -> list[Path]:
    """The user's own, whether or not anything was imported, and those of groups."""
    return [place_of(library), *sorted(place_of(library).glob("group-*"))]


def load_state(place: Path) -> ZoteroState:
    """What is remembered there; nothing where nothing was imported yet, or that cannot be read."""
    path = place / _STATE
    if not path.is_file():
        return ZoteroState()
    try:
        return msgspec.json.decode(read_file(path, _MOST_BYTES), type=ZoteroState)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return ZoteroState()


def read_records(place: Path) -> list[Item]:
    """The file of records; none where it is not there."""
    path = place / RECORDS
    return msgspec.json.decode(read_file(path, _MOST_BYTES), type=list[Item]) if path.is_file() else []


def save_state(place: Path, state: ZoteroState) -> None:
    """Remember it, whole or not at all."""
    write_bytes(place / _STATE, msgspec.json.encode(state))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all; one that has these bytes already is left as it is."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            part.write_bytes(data)
