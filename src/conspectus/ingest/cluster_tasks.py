"""What the workers of a Dask cluster do: read a file in a child process, embed texts.

Orders and replies are MessagePack of declared types: what Dask pickles is the name of a function, and bytes. A worker
refuses what another version of Conspectus, of a reader or of a model would do otherwise.
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import open_file
from conspectus.core.errors import ConspectusError, LimitError
from conspectus.core.version import __version__
from conspectus.models.protocol import Embedder
from conspectus.models.registry import make_embedder
from conspectus.parse.process.pool import WORKER
from conspectus.parse.process.wire import Order, Report
from conspectus.parse.process.worker_process import WorkerProcess

Failure = tuple[str, str, str]
"""An error's class, message and hint, as in `wire.Report`."""


class FileOrder(msgspec.Struct, frozen=True, array_like=True):
    """To read a file: at `path`, if it is that of `size` and `sha256`, by the reader that the ledger calls `key`."""

    path: bytes
    reader: str
    key: str
    size: int
    sha256: str
    seconds: float
    memory_mb: int
    version: str = __version__


class FileReply(msgspec.Struct, frozen=True, array_like=True):
    """What was read on `machine`; `unseen`: the file is not there, send its bytes; `refusal`: why it does nothing."""

    machine: str
    reports: tuple[Report, ...] = ()
    unseen: bool = False
    refusal: str = ""


class TextOrder(msgspec.Struct, frozen=True, array_like=True):
    """To embed texts by what the setting `models.embedder` calls `name`, if that is the model `id`."""

    texts: tuple[str, ...]
    name: str
    id: str
    version: str = __version__


class TextReply(msgspec.Struct, frozen=True, array_like=True):
    """Float32 vectors, one after another; for each text the starts (uint32) and vectors (int8) of words, or none."""

    machine: str
    vectors: bytes = b""
    words: tuple[tuple[bytes, bytes] | None, ...] = ()
    refusal: str = ""
    failure: Failure | None = None


def check_worker(embedder: str, model_id: str, version: str) -> str:
    """Why this worker cannot work for such a client; "" where it can. `embedder` "": it is to read only."""
    if version != __version__:
        return f"has Conspectus {__version__}, and this is {version}"
    try:
        worker_model = _embedder(embedder).id if embedder else ""
    except ConspectusError as error:
        return f"cannot embed: {error}"
    return (
        f"has the model '{worker_model}', and this library needs '{model_id}'"
        if embedder and worker_model != model_id
        else ""
    )


def read_file(packed: bytes, data: bytes | None) -> bytes:
    """A `FileReply` to a `FileOrder`; `data`: the file's bytes, where it is not taken from its path."""
    from distributed import get_worker

    order, machine = msgspec.msgpack.decode(packed, type=FileOrder), socket.gethostname()
    if refusal := check_worker("", "", order.version) or _check_reader(order):
        return msgspec.msgpack.encode(FileReply(machine, refusal=refusal))
    path = Path(os.fsdecode(order.path))
    if data is None:
        reply = FileReply(machine, _read(path, order)) if _is_same(path, order) else FileReply(machine, unseen=True)
        return _bounded(reply, path.name)
    with TemporaryDirectory(prefix="conspectus-", dir=get_worker().local_directory) as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(data)
        return _bounded(FileReply(machine, _read(copy, order)), path.name)


def embed_texts(packed: bytes) -> bytes:
    """A `TextReply` to a `TextOrder`."""
    order, machine = msgspec.msgpack.decode(packed, type=TextOrder), socket.gethostname()
    if refusal := check_worker(order.name, order.id, order.version):
        return msgspec.msgpack.encode(TextReply(machine, refusal=refusal))
    try:
        embeddings = list(_embedder(order.name).embed(order.texts))
    except ConspectusError as error:
        return msgspec.msgpack.encode(TextReply(machine, failure=_failure(error)))
    words = [
        (embedding.tokens.starts.tobytes(), embedding.tokens.vectors.tobytes()) if embedding.tokens else None
        for embedding in embeddings
    ]
    vectors = b"".join(np.asarray(embedding.vector, np.float32).tobytes() for embedding in embeddings)
    return msgspec.msgpack.encode(TextReply(machine, vectors, tuple(words)))


@lru_cache
def _embedder(name: str) -> Embedder:
    """As this worker's user has set it, but for its name. A task has one thread unless that user gives it more."""
    from conspectus.settings import load_settings

    models = load_settings().models
    return make_embedder(replace(models, embedder=name, threads=models.threads or 1))


def _check_reader(order: FileOrder) -> str:
    from conspectus.ingest.ledger import reader_key
    from conspectus.parse.registry import get_reader

    key = reader_key(order.reader, get_reader(order.reader).version)
    return "" if key == order.key else f"reads such files by '{key}', and here they are read by '{order.key}'"


def _is_same(path: Path, order: FileOrder) -> bool:
    """Whether the file of the order is what this worker sees at the path."""
    try:
        with open_file(path) as file:
            same = os.fstat(file.fileno()).st_size == order.size
            return same and hashlib.file_digest(file, "sha256").hexdigest() == order.sha256
    except (OSError, ConspectusError):
        return False


_idle: defaultdict[tuple[float, int], list[WorkerProcess]] = defaultdict(list)
"""Child processes that wait for a file, by their limits: at most one for each of this worker's threads."""


def _read(path: Path, order: FileOrder) -> tuple[Report, ...]:
    """The reports of a child process, without mere signs of life."""
    idle = _idle[order.seconds, order.memory_mb]
    try:
        child = idle.pop()
    except IndexError:
        child = WorkerProcess(WORKER, order.seconds, order.memory_mb)
    reports = []
    try:
        for report, error in child.read(Order(os.fsencode(path), order.reader)):
            if report.slots or report.done:
                reports.append(msgspec.structs.replace(report, error=_failure(error)) if error else report)
    except BaseException:
        child.close()
        raise
    idle.append(child)
    return tuple(reports)


def _failure(error: ConspectusError) -> Failure:
    return type(error).__name__, error.message, error.hint


def _bounded(reply: FileReply, name: str) -> bytes:
    data = msgspec.msgpack.encode(reply)
    if len(data) <= BOUNDS.report.most:
        return data
    error = LimitError(f"'{name}' says too much at once: {len(data):,} bytes.", "Split the file.")
    return msgspec.msgpack.encode(FileReply(reply.machine, (Report(done=True, error=_failure(error)),)))
