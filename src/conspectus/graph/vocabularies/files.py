"""The files of a vocabulary: those named, those in folders and archives, and imports next to them."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from lxml import etree

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import open_file
from conspectus.core.errors import InputError, LimitError
from conspectus.parse.files.streams import Source, cannot_open, opened, read_limited, tar_files
from conspectus.parse.markup.xml_tree import safe_root

ONTOLOGIES = (".ttl", ".n3", ".nt", ".nq", ".trig", ".owl", ".rdf", ".xml", ".jsonld", ".obo")
TABLES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
PACKED = (".gz", ".xz", ".bz2", ".zst")
MOST_FILES = 2_000
_CATALOG_MOST = 2**20
CATALOG = "catalog-v001.xml"
"""In which Protégé and others say which file an IRI means."""
_NOTHING = f"A vocabulary has files that end in {', '.join(ONTOLOGIES)}, or are tables: {', '.join(TABLES)}."


def stem(path: str) -> str:
    """The name of a file or folder without its endings that say what it is."""
    name = PurePosixPath(path.replace("\\", "/")).name
    while (ending := PurePosixPath(name).suffix.lower()) in (
        *ONTOLOGIES,
        *TABLES,
        *PACKED,
        ".tar",
        ".tgz",
        ".zip",
        ".txt",
    ):
        name = name[: -len(ending)]
    return name


def ending(name: str) -> str:
    """What a file's name ends in, before what says how it is packed."""
    path = PurePosixPath(name.lower())
    return PurePosixPath(path.stem).suffix if path.suffix in PACKED else path.suffix


def list_files(folder: Path, *, tables: bool = True) -> list[Path]:
    """The files of a folder, and of those inside, that can be of a vocabulary; tables where there is nothing else."""
    every = (
        path
        for path in sorted(folder.rglob("*"))
        if path.name != CATALOG and _is_inside(path, folder) and path.is_file()
    )
    paths = list(islice((path for path in every if ending(path.name) in (*ONTOLOGIES, *TABLES)), MOST_FILES + 1))
    if len(paths) > MOST_FILES:
        raise LimitError(f"'{folder.name}' has more than {MOST_FILES:,} files.", "Name those that are the vocabulary.")
    return [path for path in paths if ending(path.name) in ONTOLOGIES] or (paths if tables else [])


def _chosen(names: Iterable[str]) -> list[str]:
    """Those of an archive's files that can be of a vocabulary; tables where there is nothing else."""
    candidates = [name for name in names if ending(name) in (*ONTOLOGIES, *TABLES)]
    return [name for name in candidates if ending(name) in ONTOLOGIES] or candidates


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether a path in a folder, if it is a link, leads to something in that folder."""
    return not path.is_symlink() or path.resolve().is_relative_to(folder.resolve())


def _links_out(folder: Path) -> Iterator[str]:
    """Yield what to say of the links in a folder that are not followed."""
    for path in sorted(folder.rglob("*")):
        if not _is_inside(path, folder):
            yield f"left out: '{path.relative_to(folder)}' is a link that leads out of '{folder.name}'"


def footprint(paths: Sequence[Path], imported: Sequence[str], *, incomplete: bool) -> dict[str, str]:
    """File -> SHA-256 of all that a vocabulary was read of; where imports are missing, also what lies beside (`""`).

    Raises:
        InputError: a file cannot be read.
    """
    files = [file for path in paths for file in (list_files(path) if path.is_dir() else [path])]
    digests = {str(path): _sha256(path) for path in [*files, *map(Path, imported)]}
    if incomplete:
        digests |= {
            str(neighbour): ""
            for path in paths
            if path.is_file()
            for neighbour in _list_neighbours(path)
            if str(neighbour) not in digests
        }
    return digests


def _sha256(path: Path) -> str:
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise cannot_open(path.name, error) from error


def _list_neighbours(path: Path) -> list[Path]:
    if ending(path.name) not in ONTOLOGIES:
        return []
    try:
        return [neighbour for neighbour in list_files(path.parent, tables=False) if neighbour != path]
    except LimitError:
        return []


class Shelf:
    """Files by their names.

    Args:
        paths: files, folders and archives (zip, tar).

    Attributes:
        roots: the names of those to be read in any case.
        notes: which links are not followed, because they lead out of a folder or an archive.

    Raises:
        InputError: one cannot be opened, or there is nothing in it.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.roots: list[str] = []
        self.notes: list[str] = []
        self._files: dict[str, Path | bytes] = {}
        self._ontology_by_name: dict[str, str] = {}
        for path in paths:
            files = self._find_files(path)
            if not files:
                raise InputError(f"'{path.name}' has nothing in it that could be a vocabulary.", _NOTHING)
            self._files |= files
            self.roots += files
        for path in paths:
            if path.is_file():
                self._files |= {
                    str(neighbour): neighbour
                    for neighbour in _list_neighbours(path)
                    if str(neighbour) not in self._files
                }

    def path(self, name: str) -> Path | None:
        """Where a file lies on the disk; None within an archive."""
        source = self._files[name]
        return source if isinstance(source, Path) else None

    def open(self, name: str) -> io.BufferedReader:
        """The bytes of a file, unpacked; raises as `parse.files.streams.Source`."""
        source, most = self._files[name], BOUNDS.vocabulary.most
        if isinstance(source, bytes):
            return io.BufferedReader(io.BytesIO(source))
        if source.stat().st_size > most:
            raise LimitError(
                f"'{source.name}' is larger than {most // 2**20:,} MB, the most for a vocabulary.",
                "Cut out what you need, for example with `robot extract`, or split it.",
            )
        return io.BufferedReader(Source(source, most), 1 << 20)

    def find(self, iri: str, ontology_of: Callable[[str], str]) -> str:
        """The file that an IRI means: by a catalog, its name, or the ontology that it says it is; else ""."""
        file_name = PurePosixPath(unquote(re.split("[?#]", iri, maxsplit=1)[0])).name.lower()
        by_name = [name for name in self._files if PurePosixPath(name).name.lower() == file_name]
        by_stem = [name for name in self._files if stem(name).lower() == stem(file_name) and ending(name) in ONTOLOGIES]
        if file := self._find_in_catalog(iri) or next(iter([*by_name, *by_stem]), ""):
            return file
        for name in self._files:
            if name not in self._ontology_by_name:
                self._ontology_by_name[name] = ontology_of(name)
        return next((name for name, ontology in self._ontology_by_name.items() if ontology == iri), "")

    def _find_in_catalog(self, iri: str) -> str:
        for root in self.roots:
            place = Path(root).parent / CATALOG
            for attributes in _uris(place) if place.is_file() else ():
                target = str(Path(root).parent / attributes.get("uri", ""))
                if attributes.get("name") == iri and target in self._files:
                    return target
        return ""

    def _find_files(self, path: Path) -> dict[str, Path | bytes]:
        if path.is_dir():
            self.notes += _links_out(path)
            return {str(file): file for file in list_files(path)}
        name = path.name.lower()
        if name.endswith(".zip"):
            with opened(path) as archive:
                self.notes += [_link_in(path, link) for link in archive.links]
                names = _chosen(archive.names())
                return {f"{path}/{member}": archive.read(member) for member in names}
        if name.endswith(".tgz") or ending(name) == ".tar":
            with io.BufferedReader(Source(path, BOUNDS.vocabulary.most), 1 << 20) as stream:
                links: list[str] = []
                members = tar_files(stream, path.name, (*ONTOLOGIES, *TABLES), path.stat().st_size, links)
            self.notes += [_link_in(path, link) for link in links]
            there = sorted((member, data) for member, data in members.items() if data is not None)
            chosen = set(_chosen(member for member, _ in there))
            return {f"{path}/{member}": data for member, data in there if member in chosen}
        return {str(path): path}


def _link_in(path: Path, link: str) -> str:
    return f"left out: '{link}' in '{path.name}' is a link, and these are not followed in archives"


def _uris(place: Path) -> list[etree._Element]:
    """What a catalog says; nothing where it is none."""
    try:
        return list(safe_root(read_limited(place, _CATALOG_MOST, "a catalog of files")).iter("{*}uri"))
    except (SyntaxError, ValueError, InputError):  # lxml's is a SyntaxError
        return []
