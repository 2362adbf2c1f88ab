"""What every test needs and none looks at, made once: the tables of a new catalog, statements as SQL, the model.

What read or drew a file for one test does so for the next, too.
"""

import os
import subprocess
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from fastapi import routing
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.util import LRUCache

from conspectus.graph.vocabularies import loader
from conspectus.models import minilm
from conspectus.parse.process import pool, worker_process
from conspectus.parse.process.wire import Order
from conspectus.store import postgres, sqlite
from conspectus.store.columns import metadata

_create_all = metadata.create_all
_load = minilm._Encoder.load
_make_route = routing._EffectiveRouteContext.from_api_route
_routes: dict[Any, tuple[Any, Any]] = {}
"""What FastAPI works out of a route within a router: the route, and what was made of it."""
_statements: dict[str, list[str]] = {}
"""The statements that create the tables of a catalog, by dialect."""
_compiled: dict[str, LRUCache[Any, Any]] = {}
_idle: deque[tuple[Any, subprocess.Popen[bytes]]] = deque()
"""Processes that have read their files, each with what it was started with; they take the next one's."""
_using = threading.Lock()
MOST_IDLE = 6


@contextmanager
def in_use() -> Iterator[None]:
    """Within, tables are created by the first catalog's statements, a model is loaded once, and no disk is waited for.

    A statement is compiled to SQL once for all catalogs of a kind.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (sqlite, postgres):
            patch.setattr(module, "create_engine", _quick_engine)
        patch.setattr(metadata, "create_all", _quick_create_all)
        patch.setattr(minilm._Encoder, "load", lambda folder: _loaded(folder, *map(_stamp, _files(folder))))
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(routing._EffectiveRouteContext, "from_api_route", _quick_route)
        patch.setattr(worker_process, "WorkerProcess", _Child)
        for module in (pool, loader):
            patch.setattr(module, "WorkerProcess", _Child)
        yield
        while _idle:
            _end(_idle.popleft()[1])


class _Child(worker_process.WorkerProcess):
    """A child process that goes on to the next library, unless it was left in the midst of a file."""

    _kind: Any = None
    _is_idle = False

    def read(self, order: Order) -> Iterator[Any]:
        self._is_idle = False
        for report, error in super().read(order):
            self._is_idle = report.done and not report.leaving
            yield report, error

    def close(self) -> None:
        process = self._process
        if not (process and self._kind and self._is_idle and process.poll() is None):
            return super().close()
        self._process = None
        with _using:
            _idle.append((self._kind, process))
            if len(_idle) > MOST_IDLE:
                _end(_idle.popleft()[1])
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        if "-m" not in self._command:  # a test's own
            return super()._start()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        self._kind = (*self._command, Path.cwd(), *sorted(environment.items()))
        with _using:
            found = next((one for one in _idle if one[0] == self._kind), None)
            if found:
                _idle.remove(found)
        if found and found[1].poll() is None:
            return found[1]
        if found:
            _end(found[1])
        return super()._start()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


class _Compiled:
    """What SQLAlchemy keeps of the statements that it made SQL, for all engines of one kind: see `Engine.__init__`."""

    def __init__(self, known: LRUCache[Any, Any]) -> None:
        self._known = known

    def get(self, key: tuple[Any, ...]) -> Any:
        return self._known.get(key[1:])  # without the engine's own dialect

    def __setitem__(self, key: tuple[Any, ...], made: Any) -> None:
        self._known[key[1:]] = made


def _quick_engine(*place: Any, **options: Any) -> Engine:
    engine = create_engine(*place, **options)
    known = _compiled.setdefault(engine.dialect.name, LRUCache(2000))
    engine._compiled_cache = _Compiled(known)  # type: ignore[assignment]
    return engine


def _quick_route(*, original_route: Any, include_context: Any) -> Any:
    """A route that another application has worked out; the application that is asked comes with the request."""
    needs = (one.dependency for one in include_context.dependencies)
    key = id(original_route), include_context.prefix, include_context.max_body_size, *needs
    if key not in _routes:
        made = _make_route(original_route=original_route, include_context=include_context)
        _routes[key] = original_route, made  # an id is another's when its owner is gone
    return _routes[key][1]


def _quick_create_all(bind: Connection | Engine, *, checkfirst: bool = True) -> None:
    if checkfirst or not isinstance(bind, Connection):
        _create_all(bind, checkfirst=checkfirst)
    elif known := _statements.get(bind.dialect.name):
        for statement in known:
            bind.exec_driver_sql(statement)
    else:
        _statements[bind.dialect.name] = _recorded(bind)


def _recorded(connection: Connection) -> list[str]:
    statements: list[str] = []

    def record(_: Any, __: Any, statement: str, *___: Any) -> None:
        statements.append(statement)

    event.listen(connection, "before_cursor_execute", record)
    try:
        _create_all(connection, checkfirst=False)
    finally:
        event.remove(connection, "before_cursor_execute", record)
    return statements


@lru_cache(maxsize=2)
def _loaded(folder: Path, *_stamps: object) -> Any:
    return _load(folder)


def _files(folder: Path) -> list[Path]:
    return [folder / name for name in (minilm.MODEL_FILE, minilm.BASIS_FILE, "tokenizer.json")]


def _stamp(path: Path) -> object:
    if not path.exists():
        return None
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
