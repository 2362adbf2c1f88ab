"""Collections of images: their files, pictures and what is said of these, read and written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, and_, bindparam, delete, exists, func, insert, select, update

from conspectus.core.groups import grouped
from conspectus.records import normal_name
from conspectus.records.images import CollectedImage, ImageCollection
from conspectus.store.codec import unpack_halves
from conspectus.store.connection import CatalogReader, count_on, delete_where, insert_rows, keys_by_id, rows_in
from conspectus.store.schema import image_collections, image_facts, image_files, images, meta

UNFINISHED = -1
"""The time of change of a file of which not all pages are there."""
_CHANGE = "images_change"
_BATCH = 2000
_WHOLE = image_files.join(image_collections, image_collections.c.key == image_files.c.collection_key)
Facts = Sequence[tuple[str, str]]
Where = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of a collection. `encoders`: of its images' vectors."""

    key: int
    size: int
    mtime_ns: int
    encoders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewImage:
    """An image as it is stored: vector float16 [dimensions], hash of 16 bytes, thumbnail a JPEG."""

    path: str
    page: int
    width: int
    height: int
    sha256: str
    note: str
    facts: Facts
    hash: bytes
    thumbnail: bytes
    vector: npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read to its end, which then had so many bytes, at this time, and these pages."""

    path: str
    size: int
    mtime_ns: int
    pages: tuple[int, ...]


def change(catalog: CatalogReader) -> str:
    """Something else after each change of images."""
    return str(catalog.scalar(select(meta.c.value).where(meta.c.name == _CHANGE)) or "")


def collections(catalog: CatalogReader) -> dict[int, ImageCollection]:
    """The collections by their keys, in the order of their names."""
    count = select(func.count()).select_from(images).join(image_files, image_files.c.key == images.c.file_key)
    count = count.where(image_files.c.collection_key == image_collections.c.key)
    query = select(image_collections, count.scalar_subquery().label("images")).order_by(image_collections.c.term)
    return {row.key: ImageCollection(row.name, row.images) for row in catalog.rows(query)}


def names(catalog: CatalogReader) -> dict[int, str]:
    """The names of the collections by their keys, in order."""
    query = select(image_collections.c.key, image_collections.c.name).order_by(image_collections.c.term)
    return {row.key: row.name for row in catalog.rows(query)}


def collection_key(catalog: CatalogReader, name: str) -> int | None:
    """The key of the collection called so, in any case; None where there is none."""
    key = catalog.scalar(select(image_collections.c.key).where(image_collections.c.term == normal_name(name)))
    return None if key is None else int(key)


def files_of(catalog: CatalogReader, collection: int, paths: Sequence[str]) -> dict[str, KnownFile]:
    """Those of the files that a collection knows, by their paths."""
    query = select(image_files).where(image_files.c.collection_key == collection)
    rows = list(catalog.rows_where(query, image_files.c.path, paths))
    encoder_query = select(images.c.file_key, images.c.encoder).distinct()
    encoders = grouped(
        (r.file_key, r.encoder) for r in catalog.rows_where(encoder_query, images.c.file_key, [r.key for r in rows])
    )
    return {row.path: KnownFile(row.key, row.size, row.mtime_ns, tuple(encoders.get(row.key, ()))) for row in rows}


def paths_of(catalog: CatalogReader, collection: int) -> Iterator[tuple[int, str]]:
    """(key, path) of all files of a collection, in the order of their paths."""
    query = select(image_files.c.key, image_files.c.path).where(image_files.c.collection_key == collection)
    for rows in catalog.pages(query, image_files.c.path, "", _BATCH):
        yield from ((row.key, row.path) for row in rows)


def matching(
    catalog: CatalogReader, collection: int | None, words: str = "", where: Where = ()
) -> npt.NDArray[np.int64]:
    """The keys of the images that have all facts asked for, and all words in what is known of them, ascending."""
    query = select(images.c.key).join(image_files, image_files.c.key == images.c.file_key)
    if collection is not None:
        query = query.where(image_files.c.collection_key == collection)
    mine = image_facts.c.image_key == images.c.key
    for name, value in where:
        query = query.where(exists().where(mine, image_facts.c.name == name, image_facts.c.term == normal_name(value)))
    for word in normal_name(words).split():
        query = query.where(exists().where(mine, image_facts.c.term.contains(word, autoescape=True)))
    return catalog.numbers(query.order_by(images.c.key))


def find_keys(catalog: CatalogReader, name: str, collection: int | None = None) -> list[int]:
    """The keys of the images that a name can mean: an id, or a file's path (all of its pages)."""
    query = select(images.c.key).join(image_files, image_files.c.key == images.c.file_key)
    if collection is not None:
        query = query.where(image_files.c.collection_key == collection)
    for condition in (images.c.id == name, image_files.c.path == name):
        if rows := catalog.rows(query.where(condition).order_by(images.c.key)):
            return [row.key for row in rows]
    return []


def images_of(catalog: CatalogReader, keys: Sequence[int]) -> dict[int, CollectedImage]:
    """The images with these keys, in their order; those that are gone are left out."""
    names = ("id", "page", "width", "height", "note")
    query = select(images.c.key, *(images.c[name] for name in names), image_files.c.path, image_files.c.sha256)
    query = query.add_columns(image_collections.c.name.label("collection"))
    query = query.select_from(images.join(_WHOLE, image_files.c.key == images.c.file_key))
    rows = {row.key: row for row in catalog.rows_where(query, images.c.key, keys)}
    facts: dict[int, dict[str, tuple[str, ...]]] = {}
    ordered = select(image_facts).order_by(image_facts.c.image_key, image_facts.c.name, image_facts.c.term)
    for row in catalog.rows_where(ordered, image_facts.c.image_key, keys):
        facts_by_name = facts.setdefault(row.image_key, {})
        facts_by_name[row.name] = (*facts_by_name.get(row.name, ()), row.value)
    images_by_key: dict[int, CollectedImage] = {}
    for key in (key for key in keys if key in rows):
        values = {name: value for name, value in rows[key]._mapping.items() if name != "key"}
        images_by_key[key] = CollectedImage(**values, facts=facts.get(key, {}))
    return images_by_key


def thumbnails(catalog: CatalogReader, ids: Sequence[str]) -> dict[str, bytes]:
    """Image id -> its thumbnail, a JPEG."""
    query = select(images.c.id, images.c.thumbnail)
    return {row.id: bytes(row.thumbnail) for row in catalog.rows_where(query, images.c.id, ids)}


def vectors(
    catalog: CatalogReader, collection: int, encoder: str, dimensions: int
) -> tuple[list[int], npt.NDArray[np.float16], list[bytes]]:
    """Keys, ascending, vectors, float16 [images, dimensions], and hashes of a collection's images, by an encoder.

    Raises:
        LibraryDamagedError: they are not of this length, or have what are no numbers.
    """
    count = int(catalog.scalar(_by(select(func.count()).select_from(images), collection, encoder)))
    query = _by(select(images.c.key, images.c.hash, images.c.vector), collection, encoder)
    keys: list[int] = []
    hashes: list[bytes] = []
    matrix: npt.NDArray[np.float16] = np.empty((count, dimensions), np.float16)
    last = 0
    while len(keys) < count and (
        rows := catalog.rows(query.where(images.c.key > last).order_by(images.c.key).limit(_BATCH))
    ):
        last, rows = rows[-1].key, rows[: count - len(keys)]
        part = unpack_halves([row.vector for row in rows], dimensions, "an image's vector")
        matrix[len(keys) : len(keys) + len(rows)] = part
        keys += [row.key for row in rows]
        hashes += [bytes(row.hash) for row in rows]
    return keys, matrix[: len(keys)], hashes


def some_vectors(
    catalog: CatalogReader, encoder: str, limit: int
) -> Iterator[tuple[str, str, npt.NDArray[np.float16]]]:
    """(path, SHA-256 of the file, vector) of the first images by an encoder that are their files' first pictures."""
    query = select(image_files.c.path, image_files.c.sha256, images.c.vector)
    query = query.join(images, images.c.file_key == image_files.c.key)
    query = query.where(images.c.encoder == encoder, images.c.page == 1).order_by(images.c.key).limit(limit)
    return ((row.path, row.sha256, np.frombuffer(row.vector, "<f2")) for row in catalog.rows(query))


def odd_vectors(catalog: CatalogReader, encoder: str, dimensions: int) -> int:
    """How many vectors of images by an encoder are not of so many numbers."""
    query = select(func.count()).select_from(images).where(images.c.encoder == encoder)
    return int(catalog.scalar(query.where(func.length(images.c.vector) != 2 * dimensions)))


def encoders(catalog: CatalogReader, collection: int | None = None) -> dict[str, int]:
    """Encoder id -> how many images (of a collection) have its vectors."""
    query = select(images.c.encoder, func.count().label("number")).group_by(images.c.encoder)
    if collection is not None:
        query = _by(query, collection)
    return {row.encoder: row.number for row in catalog.rows(query.order_by(images.c.encoder))}


def _by(query: Select[Any], collection: int, encoder: str = "") -> Select[Any]:
    query = query.join(image_files, image_files.c.key == images.c.file_key)
    query = query.where(image_files.c.collection_key == collection)
    return query.where(images.c.encoder == encoder) if encoder else query


def put_collection(connection: Connection, name: str) -> int:
    """The key of the collection called so, made where there is none."""
    query = select(image_collections.c.key).where(image_collections.c.term == normal_name(name))
    if (key := connection.scalar(query)) is None:
        connection.execute(insert(image_collections).values(name=name, term=normal_name(name)))
        key = connection.scalar(query)
    assert key is not None
    return int(key)


def save_images(
    connection: Connection, collection: int, encoder: str, new: Sequence[NewImage], read: Sequence[ReadFile]
) -> None:
    """Store images, also in the place of older ones of their files and pages, and which files are now complete."""
    keys = _put_files(connection, collection, new)
    rows = [_row(image, collection, keys[image.path], encoder) for image in new]
    known = keys_by_id(connection, images, [row["id"] for row in rows])
    if fresh := [row for row in rows if row["id"] not in known]:
        connection.execute(insert(images), fresh)
    if known_rows := [{**row, "b_id": row["id"]} for row in rows if row["id"] in known]:
        names: dict[str, Any] = {name: bindparam(name) for name in known_rows[0] if name not in ("b_id", "id")}
        connection.execute(update(images).where(images.c.id == bindparam("b_id")).values(names), known_rows)
    known |= keys_by_id(connection, images, [row["id"] for row in fresh])
    put_facts(connection, {known[row["id"]]: image.facts for row, image in zip(rows, new, strict=True)}, "file")
    _finish(connection, collection, read)
    count_on(connection, _CHANGE)


def _put_files(connection: Connection, collection: int, new: Sequence[NewImage]) -> dict[str, int]:
    """The keys of the images' files, which are not complete from now on."""
    digests = {image.path: image.sha256 for image in new}
    mine = image_files.c.collection_key == collection
    query = select(image_files.c.path, image_files.c.key).where(mine)
    rows = connection.execute(query.where(image_files.c.path.in_(list(digests)))).all()
    known: dict[str, int] = {row.path: row.key for row in rows}
    blank = {"collection_key": collection, "size": 0, "mtime_ns": UNFINISHED}
    if fresh := [{**blank, "path": path, "sha256": sha} for path, sha in digests.items() if path not in known]:
        connection.execute(insert(image_files), fresh)
        fresh_rows = connection.execute(query.where(image_files.c.path.in_([row["path"] for row in fresh])))
        known |= {row.path: row.key for row in fresh_rows}
    for path, digest in digests.items():
        values = {"sha256": digest, "mtime_ns": UNFINISHED}
        connection.execute(update(image_files).where(image_files.c.key == known[path]).values(values))
    return known


def _row(image: NewImage, collection: int, file_key: int, encoder: str) -> dict[str, Any]:
    name = hashlib.blake2b(f"{collection}\0{image.path}\0{image.page}".encode(), digest_size=8).hexdigest()
    names: tuple[str, ...] = ("page", "width", "height", "note", "hash", "thumbnail")
    fields = {field: getattr(image, field) for field in names}
    return fields | {
        "id": name,
        "file_key": file_key,
        "encoder": encoder,
        "vector": image.vector.astype("<f2").tobytes(),
    }


def put_facts(connection: Connection, facts: Mapping[int, Facts], source: str) -> None:
    """Let images, by their keys, have these facts of a source, and no others of it."""
    delete_where(connection, image_facts.c.image_key, facts, image_facts.c.source == source)
    others = rows_in(connection, select(image_facts), image_facts.c.image_key, facts)
    other_facts = {(row.image_key, row.name, row.term) for row in others}
    rows: dict[tuple[int, str, str], dict[str, Any]] = {}
    for key, pairs in facts.items():
        for name, value in pairs:
            place = (key, name[:64], normal_name(value))
            if place[2] and place not in other_facts:
                rows[place] = dict(zip(("image_key", "name", "term"), place, strict=True)) | {
                    "value": value,
                    "source": source,
                }
    insert_rows(connection, image_facts, list(rows.values()))


def _finish(connection: Connection, collection: int, read: Iterable[ReadFile]) -> None:
    for file in read:
        mine = and_(image_files.c.collection_key == collection, image_files.c.path == file.path)
        connection.execute(update(image_files).where(mine).values(size=file.size, mtime_ns=file.mtime_ns))
        key = select(image_files.c.key).where(mine).scalar_subquery()
        connection.execute(delete(images).where(images.c.file_key == key, images.c.page.not_in(file.pages)))


def remove_files(connection: Connection, keys: Iterable[int]) -> None:
    """Delete files with all that is theirs; a collection without files goes with them."""
    delete_where(connection, image_files.c.key, keys)
    _tidy(connection)


def remove_images(connection: Connection, keys: Iterable[int]) -> None:
    """Delete images with all that is theirs; a file without images, and a collection without files, go with them."""
    delete_where(connection, images.c.key, keys)
    connection.execute(delete(image_files).where(~exists().where(images.c.file_key == image_files.c.key)))
    _tidy(connection)


def remove_collection(connection: Connection, key: int) -> None:
    """Delete a collection with all that is in it."""
    connection.execute(delete(image_collections).where(image_collections.c.key == key))
    count_on(connection, _CHANGE)


def _tidy(connection: Connection) -> None:
    used = exists().where(image_files.c.collection_key == image_collections.c.key)
    connection.execute(delete(image_collections).where(~used))
    count_on(connection, _CHANGE)
