"""The libraries of sets: made once for each embedder in a work folder, then found unchanged."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from platformdirs import user_cache_path
from sqlalchemy import select

from conspectus.catalog.schema import papers
from conspectus.core.disk import explained, user_path
from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.evals.datasets.registry import Dataset, Document
from conspectus.evals.records import Configuration, Result
from conspectus.library import Library
from conspectus.settings import Settings, load_settings

_UNFIT = re.compile(r"[^A-Za-z0-9.-]+")
_MAKING = ("models.embedder", "passages.chars", "passages.overlap")
"""Settings that decide what is in a set's library: each combination has its own."""

_CHUNK = 500


def work_folder(named: Path | str | None = None) -> Path:
    """Where libraries of sets and results are: `named`, else `evals` in the user's cache folder."""
    return Path(os.path.abspath(user_path(named))) if named else user_cache_path("conspectus") / "evals"  # noqa: PTH100


def settings_of(flags: Mapping[str, Any], configuration: Configuration, folder: Path | None = None) -> Settings:
    """The settings of a configuration: the user's (with those of the library in `folder`), then its own."""
    return load_settings(folder, {**flags, **configuration.overrides})


@contextmanager
def library_of(
    dataset: Dataset,
    configuration: Configuration,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Library]:
    """The library of a set, with the settings of a configuration; made or completed first where it is not whole.

    It lies in the work folder, whatever `catalog.url` says: nothing is added to a catalog that others use.

    Raises:
        InputError: a paper of the set cannot be added.
        ModelMissingError: the embedder is not in the model store.
        LibraryError: the work folder cannot be written.
    """
    settings = settings_of({**(flags or {}), "catalog.url": ""}, configuration)
    base = work_folder(work) / "libraries"
    with explained(base):
        records = _records(dataset, base)
    with Library(records.parent / _slug(settings), settings) as library:
        report = library.add(records)
        if troubles := [row for row in (*report.added, *report.updated, *report.failed) if row.reason]:
            why = ": ".join((troubles[0].reason, *troubles[0].notes[:1]))
            raise InputError(f"Not every paper of the set '{dataset.name}' can be added: {why}", "Mend the set.")
        yield library


def aliases(library: Library, prefix: str, wanted: Iterable[str]) -> dict[str, str]:
    """What the library calls those papers of a set that it calls otherwise: copies of one paper have one name."""
    held = library.session.catalog.rows(select(papers.c.external_id))
    missing = {f"{prefix}{name}" for name in wanted} - {row.external_id for row in held}
    found: dict[str, str] = {}
    for keys in library.session.catalog.paper_keys(_CHUNK) if missing else ():
        kept = library.session.catalog.papers_by_key(keys)
        for key, documents in library.session.catalog.documents_of(keys).items():
            for one in documents:
                if one.parsed.metadata.external_id in missing:
                    name = one.parsed.metadata.external_id.removeprefix(prefix)
                    found[name] = kept[key].external_id.removeprefix(prefix)
    return found


def titles(result: Result, names: Iterable[str]) -> dict[str, str]:
    """Name -> title (of a paper without one the beginning of its abstract), where the library is there and has it.

    Results keep no titles, so that a removed paper leaves no words in them.
    """
    wanted = list(names)
    if not wanted or result.library is None or not (Path(result.library.folder) / "catalog.sqlite").is_file():
        return {}
    prefix = f"{result.dataset}:" if result.kind == "retrieval" else ""
    found = {}
    try:
        with Library(result.library.folder, create=False) as library:
            for name in wanted:
                try:
                    paper = library.paper(f"{prefix}{name}")
                except NotFoundError:
                    continue
                found[name] = paper.title or f"{paper.abstract[:80]}…"
    except ConspectusError:  # a library that cannot be opened now: the names alone are shown
        return found
    return found


def _records(dataset: Dataset, base: Path) -> Path:
    """The set's papers as a file that `add` takes; the folder's name has a digest of them, so that another corpus of
    the same name gets libraries of its own."""
    name = _UNFIT.sub("-", dataset.name)
    base.mkdir(parents=True, exist_ok=True)
    scratch = base / f".{name}-{os.getpid()}.part"
    digest = blake2b(digest_size=4)
    try:
        with scratch.open("wb") as file:
            for document in dataset.documents():
                if not document.is_empty:
                    line = msgspec.json.encode(_record(dataset.name, document)) + b"\n"
                    digest.update(line)
                    file.write(line)
        path = base / f"{name}-{digest.hexdigest()}" / "records.jsonl"
        path.parent.mkdir(exist_ok=True)
        if not path.is_file():
            scratch.replace(path)
        return path
    finally:
        scratch.unlink(missing_ok=True)


def _record(dataset: str, document: Document) -> dict[str, object]:
    said = {"title": document.title, "abstract": document.abstract, "authors": document.authors, "year": document.year}
    return {"id": f"{dataset}:{document.id}", **{name: value for name, value in said.items() if value}}


def _slug(settings: Settings) -> str:
    values = [str(settings.get(key)) for key in _MAKING]
    digest = blake2b("\0".join(values).encode(), digest_size=3).hexdigest()
    return f"{_UNFIT.sub('-', '-'.join(values))[:60]}-{digest}"
