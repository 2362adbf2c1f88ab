"""Results: where each comes from, and the folder that keeps them, one JSON file each under a short id."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import select

from conspectus.core.disk import explained, read_file, replacing, user_path
from conspectus.core.errors import InputError, NotFoundError, describe_os_error
from conspectus.core.packages import running
from conspectus.core.version import __version__
from conspectus.evaluation.comparison import estimates
from conspectus.evaluation.records import Environment, Result, ResultHead, Scalar, ScoredQuestion, Snapshot
from conspectus.settings import KEYS, Secret, Settings
from conspectus.store.connection import utc_now
from conspectus.store.schema import SUMMARY, papers, passages

if TYPE_CHECKING:
    from conspectus.library import Library


SCHEMA = "conspectus.eval-result/1"
PREFIX = "ev-"


class _File(msgspec.Struct):
    """A stored result, and the schema it has."""

    schema: str
    result: Result


class _HeadFile(msgspec.Struct):
    schema: str
    result: ResultHead


T = TypeVar("T", _File, _HeadFile)


class ResultStore:
    """Results in one folder, which is created with the first of them."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = user_path(folder)

    def save(self, result: Result) -> Result:
        """Store a result; returns it with its id, a digest of its content.

        Raises:
            LibraryError: the folder cannot be written.
        """
        bare = msgspec.json.encode(replace(result, id=""), order="deterministic")
        stored_result = replace(result, id=PREFIX + blake2b(bare, digest_size=4).hexdigest())
        text = msgspec.json.format(msgspec.json.encode(_File(SCHEMA, stored_result)), indent=1) + b"\n"
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(self._path(stored_result.id)) as part:
                part.touch(0o600)
                part.write_bytes(text)
        return stored_result

    def get(self, name: str) -> Result:
        """Read the result with this id or the beginning of one; `last`: the newest.

        Raises:
            NotFoundError: none, or more than one.
            InputError: its file cannot be read as one.
        """
        return _read_result(self._find(name), _File).result

    def heads(self) -> list[ResultHead]:
        """All results without their questions, newest first; other files are skipped."""
        heads = []
        for path in self._paths():
            with suppress(InputError):
                heads.append(_read_result(path, _HeadFile).result)
        return sorted(heads, key=lambda head: (head.made, head.id), reverse=True)

    def _find(self, name: str) -> Path:
        if name == "last" and (heads := self.heads()):
            return self._path(heads[0].id)
        id_prefix = name if name.startswith(PREFIX) else PREFIX + name
        paths = [path for path in self._paths() if path.stem.startswith(id_prefix)]
        if len(paths) == 1:
            return paths[0]
        if paths:
            first_ids = ", ".join(path.stem for path in paths[:5])
            raise NotFoundError(f"'{name}' can mean {len(paths)} results: {first_ids}.", "Write more of its id.")
        raise NotFoundError(
            f"There is no result '{name}' in '{self.folder}'.",
            "`conspectus eval show` lists them; its folder of results may be another.",
        )

    def _paths(self) -> Iterator[Path]:
        yield from sorted(self.folder.glob(f"{PREFIX}*.json"))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def head_of(result: Result) -> ResultHead:
    """The result without its questions."""
    return ResultHead(**{field.name: getattr(result, field.name) for field in fields(ResultHead)})


def _read_result(path: Path, kind: type[T]) -> T:
    try:
        stored_file = msgspec.json.decode(read_file(path), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(
            f"The result '{path}' cannot be read: {describe_os_error(error)}.", "Take the file away, or measure again."
        ) from error
    if stored_file.schema != SCHEMA:
        raise InputError(
            f"The result '{path}' is of another version ({stored_file.schema}).",
            "Read it with the Conspectus that wrote it.",
        )
    return stored_file


_CHECKOUT = Path(__file__).resolve().parents[3]


def snapshot(library: Library) -> Snapshot:
    """The library's state now. Summaries do not count as content."""
    with library.session.catalog.snapshot() as catalog:
        digest = blake2b(digest_size=8)
        counts = catalog.counts()
        for row in catalog.rows(select(papers.c.id, papers.c.title).order_by(papers.c.id)):
            digest.update(f"{row.id}\0{row.title}\0".encode())
        query = select(passages.c.id).where(passages.c.kind != SUMMARY).order_by(passages.c.id)
        for row in catalog.rows(query):
            digest.update(f"{row.id}\0".encode())
        return Snapshot(str(library.folder), counts["papers"], counts["passages"], catalog.change(), digest.hexdigest())


def effective_settings(settings: Settings) -> dict[str, Scalar]:
    """Every setting in effect, without secrets."""
    return {key: settings.get(key) for key, spec in KEYS.items() if spec.type is not Secret}


@cache
def environment() -> Environment:
    """The program's version, its git revision where it runs from a checkout, and versions of its engines."""
    return Environment(__version__, _revision(), running())


def _revision() -> str:
    """`8503b03…`, with `+` if files are changed; "" outside a checkout or without git."""
    git = shutil.which("git")
    if git is None or not (_CHECKOUT / ".git").exists():
        return ""
    outputs = [_git(git, "rev-parse", "HEAD"), _git(git, "status", "--porcelain", "--untracked-files=no")]
    return f"{outputs[0]}{'+' if outputs[1] else ''}" if outputs[0] else ""


def _git(git: str, *words: str) -> str:
    command = [git, "-C", str(_CHECKOUT), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - ours
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def new_run() -> str:
    """A new name for results that are measured together."""
    return f"run-{secrets.token_hex(4)}"


def result_of(
    settings: Settings, questions: tuple[ScoredQuestion, ...], metrics: tuple[str, ...], seed: int, **other_fields: Any
) -> Result:
    """Make a result with its provenance and means; `other_fields` are the rest."""
    return Result(
        settings=effective_settings(settings),
        environment=environment(),
        made=utc_now(),
        seed=seed,
        metrics=metrics,
        aggregates=estimates(questions, metrics, seed),
        questions=questions,
        **other_fields,
    )
