"""A catalog in a PostgreSQL database, for a group: a schema of its own, and a lock that the server keeps."""

from __future__ import annotations

import re
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from typing import Any
from uuid import uuid4

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from conspectus.core.errors import (
    BusyError,
    ConspectusError,
    LibraryDamagedError,
    LibraryError,
    LibraryReadOnlyError,
    ServiceAwayError,
    ServiceError,
    SettingsError,
    UnavailableError,
)
from conspectus.settings import keys
from conspectus.settings.secret import Secret

_AGAIN = "Try again when it is up; nothing that was acknowledged is lost."


def raise_explained(display_name: str, context: ExceptionContext) -> None:
    """Raise what the complaint means; what only our own mistake can bring about stays as it is."""
    original = context.original_exception
    if context.is_pre_ping or not type(original).__module__.startswith("psycopg"):
        return  # a connection kept from before that is found dead is replaced
    state = getattr(original, "sqlstate", None) or ""
    ours = state.startswith(("22", "23", "42")) and state not in ("42501", "42P01")
    if not ours:
        error = error_for_sqlstate(display_name, state, str(original), connected=context.connection is not None)
        if (
            state == "42501"
            and context.connection is not None
            and context.connection.get_execution_options().get("write")
        ):
            error = LibraryReadOnlyError(error.message, error.hint)
        raise error from original


def error_for_sqlstate(display_name: str, state: str, reason: str, *, connected: bool = True) -> ConspectusError:
    """The error for a SQLSTATE ("": there is none) and the server's or the driver's words."""
    first = reason.strip().splitlines()[0] if reason.strip() else "no reason given"
    if not state and not connected:
        return _not_connected(display_name, reason, first)
    for prefix, make in _MEANINGS.items():
        if state.startswith(prefix):
            kind, message, hint = make
            return kind(message.format(name=display_name, reason=first), hint)
    if not state and ("connection" in reason or "server closed" in reason or "SSL" in reason):
        return ServiceAwayError(f"The connection to '{display_name}' was lost ({first}).", _AGAIN)
    return LibraryError(
        f"The catalog '{display_name}' cannot be used: {first}.", "Show the message to who runs the server."
    )


_Meaning = tuple[type[ConspectusError], str, str]
_MEANINGS: dict[str, _Meaning] = {  # the longer prefixes first
    "25006": (
        LibraryReadOnlyError,
        "The catalog '{name}' can only be read ({reason}).",
        "It may be a standby: name the primary server in catalog.url.",
    ),
    "28": (
        ServiceError,
        "The server of '{name}' refused the user or the password ({reason}).",
        "Check catalog.url, PGPASSWORD and ~/.pgpass.",
    ),
    "3D": (ServiceError, "There is no such database: '{name}' ({reason}).", "Make it: createdb NAME"),
    "40": (
        BusyError,
        "The server of '{name}' gave this change up for another's sake ({reason}).",
        "Run the same command again.",
    ),
    "42501": (
        LibraryError,
        "The user has no right to do this in '{name}' ({reason}).",
        "Ask who owns the database: GRANT CREATE ON DATABASE for a new catalog, GRANT on its schema and tables else.",
    ),
    "42P01": (
        LibraryDamagedError,
        "The catalog '{name}' lacks a table ({reason}).",
        "Restore it from a backup, or name another with catalog.schema.",
    ),
    "53100": (
        LibraryError,
        "The disk of the server of '{name}' is full.",
        "Make room there, then run the same command again.",
    ),
    "53200": (ServiceAwayError, "The server of '{name}' is out of memory ({reason}).", _AGAIN),
    "53300": (
        ServiceAwayError,
        "The server of '{name}' has no connection free ({reason}).",
        "Try again later, or raise max_connections there.",
    ),
    "54": (
        LibraryError,
        "A value is too large for '{name}' ({reason}).",
        "Please report this.",
    ),
    "55P03": (
        BusyError,
        "Another process, or a job of this one, is holding what is needed in '{name}' ({reason}).",
        "Try again when it is done.",
    ),
    "57014": (
        ServiceAwayError,
        "The server of '{name}' stopped the work ({reason}).",
        "Try again; if it comes back, raise statement_timeout for this user on the server.",
    ),
    "57": (ServiceAwayError, "The server of '{name}' ended the connection ({reason}).", _AGAIN),
    "08": (ServiceAwayError, "The connection to '{name}' was lost ({reason}).", _AGAIN),
    "58": (LibraryError, "The server of '{name}' cannot read or write its files ({reason}).", "See the server's log."),
    "XX": (LibraryDamagedError, "The catalog '{name}' is damaged ({reason}).", "Restore it from a backup."),
}


def _not_connected(address: str, reason: str, first: str) -> ConspectusError:
    """No connection was made. The driver gives no SQLSTATE for it, so the words must do."""
    words = reason.lower()
    if (
        "password" in words
        or "pg_hba" in words
        or ("role" in words and "does not exist" in words)
        or "authenti" in words
    ):
        return _make_error("28", address, first)
    if "database" in words and "does not exist" in words:
        return _make_error("3D", address, first)
    if "too many" in words or "remaining connection slots" in words:
        return _make_error("53300", address, first)
    if "permission denied" in words:
        return _make_error("42501", address, first)
    return ServiceAwayError(
        f"The server of '{address}' does not answer ({first}).",
        "Check that it runs, the address in catalog.url, and the network.",
    )


def _make_error(state: str, address: str, reason: str) -> ConspectusError:
    kind, message, hint = _MEANINGS[state]
    return kind(message.format(name=address, reason=reason), hint)


OLDEST = (13,)
CONNECT_SECONDS = 10
IDLE_SECONDS = 30
"""A connection that was not used for so long is asked whether it holds; a network may have dropped it in silence."""
TURN_SECONDS = 1.0
"""A wait for the lock is told so often."""
SCHEMA_NAME = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}")
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")


class PostgresStore:
    """See `Store`. Several catalogs can share a database, each in its schema.

    Raises:
        SettingsError: `url` is not an address of a PostgreSQL database, or `schema` no name for one.
    """

    def __init__(self, url: str, schema: str) -> None:
        if not SCHEMA_NAME.fullmatch(schema):
            raise SettingsError(
                f"catalog.schema cannot be {schema!r}.",
                "It must be small letters, digits and _, at most 63, and not begin with a digit or pg_.",
            )
        self.url = _url(url)
        self.schema = schema
        place = URL.create("postgresql", self.url.username, None, self.url.host, self.url.port, self.url.database)
        self.display_name = f"{place} (schema {schema})"
        self.index_name = ""
        self.server = ""
        self._marks: list[Connection] = []
        self._runs = 0
        self._marking = threading.Lock()

    def make_engine(self) -> Engine:
        """See `Store.make_engine`.

        Raises:
            UnavailableError: the driver is not installed.
        """
        url_options = {str(name): str(value) for name, value in self.url.query.items()}
        options = f"{url_options.pop('options', '')} -csearch_path={self.schema}".strip()
        if not self.url.password and not url_options.keys() & {"passfile", "service"}:
            password = keys.find_key(Secret(), "catalog.password", ("PGPASSWORD",)).reveal()
            url_options |= {"password": password} if password else {}
        connect_options = {
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "conspectus",
            "keepalives_idle": 30,
        } | url_options
        try:
            engine = create_engine(
                self.url.set(query={}),
                connect_args=connect_options | {"options": options, "client_encoding": "utf8"},
                hide_parameters=True,
                use_native_hstore=False,
            )
        except ImportError as error:
            raise UnavailableError(
                "The catalog is in PostgreSQL, but its driver is not installed.", "pip install 'conspectus[postgres]'"
            ) from error
        event.listen(engine, "checkout", partial(_check, engine.dialect))
        event.listen(engine, "before_cursor_execute", _binary)
        event.listen(engine, "handle_error", partial(raise_explained, self.display_name))
        return engine

    def tables(self, connection: Connection) -> set[str]:
        """See `Store.tables`; also refuses a server that is too old and a database in another encoding.

        Raises:
            ServiceError: it is one of these.
        """
        version = connection.dialect.server_version_info or (0,)
        if version < OLDEST:
            raise ServiceError(
                f"The server of '{self.display_name}' is PostgreSQL {_dotted(version)}, which is too old.",
                f"PostgreSQL {_dotted(OLDEST)} or newer is needed.",
            )
        encoding = connection.scalar(text("SELECT current_setting('server_encoding')"))
        if encoding != "UTF8":
            raise ServiceError(
                f"The database of '{self.display_name}' is encoded in {encoding}, which cannot hold every text.",
                "Make another one: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0",
            )
        query = text("SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = :schema")
        return set(connection.scalars(query, {"schema": self.schema}))

    def foreign(self) -> LibraryDamagedError:
        """See `Store.foreign`."""
        return LibraryDamagedError(
            f"'{self.display_name}' has tables, but is not a catalog that Conspectus 0.1.0 or later made.",
            "Choose another schema: catalog.schema. Nothing was changed.",
        )

    def before_making(self, engine: Engine) -> None:
        """See `Store.before_making`."""

    def begin_making(self, connection: Connection) -> None:
        """See `Store.begin_making`: a lock until the transaction ends, and the schema."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": self.lock_key("making")})
        there = text("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = :schema")
        if connection.scalar(there, {"schema": self.schema}) is None:  # else the right to make one would be needed
            connection.execute(text(f'CREATE SCHEMA "{self.schema}"'))

    def after_making(self, connection: Connection) -> None:
        """A name for this catalog: an index on some machine must not follow another one at the same address."""
        statement = text("INSERT INTO meta (name, value) VALUES ('catalog', :id) ON CONFLICT DO NOTHING")
        connection.execute(statement, {"id": uuid4().hex})

    def on_opened(self, connection: Connection) -> None:
        """See `Store.on_opened`."""
        self.server = f"PostgreSQL {_dotted(connection.dialect.server_version_info or (0,))}"
        known = connection.scalar(text("SELECT value FROM meta WHERE name = 'catalog'"))
        if not known:
            raise LibraryDamagedError(
                f"The catalog '{self.display_name}' has lost its name.", "Restore it from a backup."
            )
        self.index_name = f"index-{known[:12]}"

    def size(self, connection: Connection) -> int:
        """See `Store.size`."""
        query = text(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r' "
            "AND c.relname !~ '^search_(rows|postings)_'"  # an index that is there too has its own size
        )
        return int(connection.scalar(query, {"schema": self.schema}) or 0)

    def table_sizes(self, connection: Connection) -> dict[str, int]:
        """See `Store.table_sizes`."""
        query = text(
            "SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r' "
            "AND c.relname !~ '^search_(rows|postings)_'"  # see `lock`
        )
        return {name: int(size) for name, size in connection.execute(query, {"schema": self.schema})}

    def check(self, connection: Connection) -> str:
        """See `Store.check`: the server keeps its own rules; here only that it can be written."""
        if connection.scalar(text("SELECT pg_is_in_recovery()")):
            return "the server is a copy that can only be read"
        return ""

    def count_orphans(self, _: Connection) -> int:
        """See `Store.count_orphans`: the server lets nobody make one."""
        return 0

    def erase_deleted(self, engine: Engine) -> None:
        """See `Store.erase_deleted`: the server's own vacuum does so, when its administrator has it run."""

    # the lock

    def lock_key(self, purpose: str) -> int:
        """The key of an advisory lock of this schema."""
        digest = blake2b(f"conspectus {purpose} {self.schema}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)

    def is_held(self, connection: Connection) -> bool:
        """Whether somebody has the writer lock, or takes it commit by commit."""
        keys = [self.lock_key(purpose) for purpose in ("writing", "adding")]
        query = text(
            "SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
            "AND (classid::bigint << 32) | objid::bigint = ANY(:keys) "
            "AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
        )
        return connection.scalar(query, {"keys": keys}) is not None

    @contextmanager
    def mark_busy(self, engine: Engine) -> Iterator[None]:
        """Within, `is_held` is true on all machines, and nobody waits; runs of a process share a connection for it."""
        key = {"key": self.lock_key("adding")}
        with self._marking:
            if not self._runs:
                mark = engine.connect()
                try:
                    mark.execute(text("SELECT pg_advisory_lock_shared(:key)"), key)
                    mark.commit()
                except BaseException:  # see `lock`
                    mark.invalidate()
                    mark.close()
                    raise
                self._marks.append(mark)
            self._runs += 1
        try:
            yield
        finally:
            with self._marking:
                self._runs -= 1
                if not self._runs:
                    with self._marks.pop() as mark, suppress(ConspectusError):
                        mark.invalidate()

    @contextmanager
    def lock(self, engine: Engine, wait: float, tell: Callable[[float], None]) -> Iterator[Connection]:
        """The writer lock of this catalog, for all machines; it ends with the connection, so a killed process has none.

        Who waits stands in the server's queue, so that writers take turns.

        Args:
            wait: seconds, at most.
            tell: called now and then with the seconds waited so far.

        Raises:
            BusyError: another held it for so long.
        """
        with engine.connect() as connection:
            try:
                is_ours = self._acquire(connection, wait, tell)
            except BaseException:  # it may have the lock all the same, and would keep it among the idle connections
                connection.invalidate()
                raise
            if not is_ours:
                raise BusyError(
                    f"Another process, or a job of this one, is writing to '{self.display_name}' "
                    f"and did not finish in {wait:g} s.",
                    "Try again when it is done.",
                )
            try:
                yield connection
            finally:
                self._release(connection)

    def _release(self, connection: Connection) -> None:
        if connection.invalidated:
            return
        try:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": self.lock_key("writing")})
            connection.commit()
        except ConspectusError:  # what was written is kept; the lock goes with the connection
            connection.invalidate()

    def _acquire(self, connection: Connection, wait: float, tell: Callable[[float], None]) -> bool:
        key, began = {"key": self.lock_key("writing")}, time.monotonic()
        with connection.begin():
            if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), key):
                return True
        while (waited := time.monotonic() - began) < wait:
            tell(waited)
            turn = max(1, round(1000 * min(TURN_SECONDS, wait - waited)))
            try:
                with connection.begin():
                    connection.execute(text(f"SET LOCAL lock_timeout = {turn}"))
                    connection.execute(text("SET LOCAL statement_timeout = 0"))
                    connection.execute(text("SELECT pg_advisory_lock(:key)"), key)
                return True
            except BusyError:
                continue
        return False


def _check(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _used: Any) -> None:
    """Before each use: is the connection still there? What a server says unasked is its farewell; that takes no turn.

    Raises:
        DisconnectionError: it is not; SQLAlchemy then makes another.
    """
    now = time.monotonic()
    last, record.info["used"] = record.info.get("used", now), now
    try:
        if now - last > IDLE_SECONDS:
            dialect.do_ping(connection)
        with selectors.DefaultSelector() as unasked:
            unasked.register(connection, selectors.EVENT_READ)
            gone = bool(unasked.select(0))
    except dialect.loaded_dbapi.Error:
        gone = True
    if gone:
        raise DisconnectionError


def _binary(_connection: Any, cursor: Any, _statement: Any, _parameters: Any, context: Any, _many: bool) -> None:
    """Get vectors as they are, not written out in twice as many bytes."""
    if context is not None and context.execution_options.get("binary"):
        from psycopg.pq import Format

        cursor.format = Format.BINARY


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise _no_url("it is not a URL") from None  # the cause would show the password
    if url.drivername not in SCHEMES:
        raise _no_url(f"it begins with '{url.drivername}'")
    query = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
    password = query.pop("password", None)
    url = url.set(drivername="postgresql+psycopg", query=query)
    return url.set(password=password) if password and not url.password else url


def _no_url(why: str) -> SettingsError:
    return SettingsError(
        f"catalog.url cannot be used: {why}.",
        "It must be like postgresql://USER@HOST/DATABASE; the password may be in PGPASSWORD or ~/.pgpass.",
    )


def _dotted(version: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in version)
