"""Results on disk: one JSON file each, under a short id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from conspectus.core.disk import explained, read_file, replacing, user_path
from conspectus.core.errors import InputError, NotFoundError
from conspectus.evals.records import Head, Result

SCHEMA = "conspectus.eval-result/1"
PREFIX = "ev-"


class _File(msgspec.Struct):
    """A stored result, and the schema it has."""

    schema: str
    result: Result


class _HeadFile(msgspec.Struct):
    schema: str
    result: Head


T = TypeVar("T", _File, _HeadFile)


class ResultStore:
    """The results in one folder, which is made when the first is stored."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = user_path(folder)

    def save(self, result: Result) -> Result:
        """Keep a result; returns it with its id, which is of its content: the same is kept once.

        Raises:
            LibraryError: the folder cannot be written.
        """
        bare = msgspec.json.encode(replace(result, id=""), order="deterministic")
        named = replace(result, id=PREFIX + blake2b(bare, digest_size=4).hexdigest())
        text = msgspec.json.format(msgspec.json.encode(_File(SCHEMA, named)), indent=1) + b"\n"
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._path(named.id)) as part:
                part.touch(0o600)
                part.write_bytes(text)
        return named

    def get(self, name: str) -> Result:
        """The result with this id, or whose id begins so; `last`: the newest.

        Raises:
            NotFoundError: none, or more than one.
            InputError: its file cannot be read as one.
        """
        return _read(self._find(name), _File).result

    def heads(self) -> list[Head]:
        """All results without their questions, the newest first; files that are none are passed over."""
        found = []
        for path in self._paths():
            with suppress(InputError):
                found.append(_read(path, _HeadFile).result)
        return sorted(found, key=lambda head: (head.made, head.id), reverse=True)

    def _find(self, name: str) -> Path:
        if name == "last" and (heads := self.heads()):
            return self._path(heads[0].id)
        wanted = name if name.startswith(PREFIX) else PREFIX + name
        found = [path for path in self._paths() if path.stem.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            some = ", ".join(path.stem for path in found[:5])
            raise NotFoundError(f"'{name}' can mean {len(found)} results: {some}.", "Write more of its id.")
        raise NotFoundError(
            f"There is no result '{name}' in '{self.folder}'.",
            "`conspectus eval show` lists them; its folder of results may be another.",
        )

    def _paths(self) -> Iterator[Path]:
        yield from sorted(self.folder.glob(f"{PREFIX}*.json"))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def head_of(result: Result) -> Head:
    """A result without its questions."""
    return Head(**{one.name: getattr(result, one.name) for one in fields(Head)})


def _read(path: Path, kind: type[T]) -> T:
    try:
        found = msgspec.json.decode(read_file(path), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(
            f"The result '{path}' cannot be read: {error}.", "Take the file away, or measure again."
        ) from error
    if found.schema != SCHEMA:
        raise InputError(
            f"The result '{path}' is of another version ({found.schema}).", "Read it with the Conspectus that wrote it."
        )
    return found
