"""The graph in a database that speaks Bolt (Neo4j, ArcadeDB …), by Neo4j's own driver: loaded in batches, and asked."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from ipaddress import ip_address
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conspectus.core.errors import ServiceError, UnavailableError, UsageError
from conspectus.graph.formats import NODES, OWN, TIES, Node, Parts, Tie, all_fields
from conspectus.settings import keys
from conspectus.settings.secret import Secret, without_user

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Session

SCHEMES = ("neo4j", "neo4j+s", "bolt", "bolt+s")
BATCH = 1000
"""Nodes and edges of one transaction."""
LOADS = "conspectus_loads"
"""Which libraries brought a node or an edge, and when each did last: a list of texts, one a library."""
SECONDS = 15.0
"""For a connection."""
KEPT_AS = "graph.password"
"""The name under which the keyring has the password."""

logging.getLogger("neo4j").addHandler(logging.NullHandler())  # else the driver prints what it raises as well


def is_address(text: str) -> bool:
    """Whether a text is meant for the address of a database."""
    return text.partition("://")[0] in (*SCHEMES, "neo4j+ssc", "bolt+ssc")


def check_address(address: str) -> str:
    """The address of a database of which it is sure who gets the password and the papers' words.

    Raises:
        UsageError: it is none; or a user or a password is in it; or no certificate tells whose the server is, and
            it is not this machine.
    """
    parts = urlsplit(address)
    safe_address = without_user(address)
    if "@" in parts.netloc:
        raise UsageError(
            f"'{safe_address}' has a user or a password in it, which logs and lists of processes would show.",
            "Give them as NEO4J_USERNAME and NEO4J_PASSWORD in the environment, or the password in the keyring.",
        )
    if parts.scheme not in SCHEMES or not parts.hostname or parts.path.strip("/") or parts.query:
        raise UsageError(
            f"'{safe_address}' is no address of a graph database that shows who it is.",
            "neo4j+s://HOST:7687 is one, or bolt+s://…",
        )
    if not parts.scheme.endswith("+s") and not _is_here(parts.hostname):
        raise UsageError(
            f"'{safe_address}' would get the password and the papers' words unencrypted, and might be anybody.",
            "Give the server a certificate, and use neo4j+s:// or bolt+s://. On this machine neo4j:// will do.",
        )
    return address


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def load_graph(parts: Parts, address: str, library: str, database: str = "", *, prune: bool = False) -> int:
    """Put the graph of a library into a database, or bring it up to date there; twice is as once.

    Args:
        parts: nodes before what ties them.
        address: see `checked`.
        library: a name that no other library has, and that none begins with.
        database: its name; "": the server's own choice.
        prune: take out what earlier loads of this library brought and this one did not, unless another library brought
            it as well; else that stays.

    Returns:
        How many nodes and edges were taken out; what hung on a node of that and was never loaded is not counted.

    Raises:
        UsageError: see `checked`.
        UnavailableError: the driver is not installed.
        ServiceError: the database is away, or refuses.
    """
    load = {"library": library, "load": f"{library} {datetime.now(UTC).isoformat()}"}
    with _session(check_address(address), database, "WRITE") as session:
        for kind in NODES:
            session.run(f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{kind}) REQUIRE n.id IS UNIQUE").consume()
        for batch in _batches(parts):
            session.execute_write(_write_batch, batch, load)
        if not prune:
            return 0
        gone = sum(_changed(session, PRUNE[kind], load) for kind in (*TIES, *NODES))
        for kind in (*TIES, *NODES):
            _changed(session, LEAVE[kind], load)
        return gone


def _changed(session: Session, statement: str, load: dict[str, str]) -> int:
    """How many a statement changed that takes a batch at a time, until nothing was left to it."""
    number = 0
    while more := session.execute_write(_change, statement, load):
        number += more
    return number


def _change(transaction: ManagedTransaction, statement: str, load: dict[str, str]) -> int:
    record = transaction.run(statement, load, most=BATCH).single(strict=True)
    return int(record["number"])


def read_values(values: Mapping[str, Any] | Sequence[str]) -> Mapping[str, Any]:
    """The values of a statement by their names; texts are `NAME=TEXT`.

    Raises:
        UsageError: one has no name.
    """
    if isinstance(values, Mapping):
        return values
    pairs = [value.partition("=") for value in values]
    if wrong := next((name for name, equals, _ in pairs if not equals), ""):
        raise UsageError(f"The value '{wrong}' has no name.", "Give NAME=TEXT.")
    return {name: text for name, _, text in pairs}


def run_query(
    statement: str, address: str, values: Mapping[str, Any], database: str = "", k: int = 100
) -> list[dict[str, Any]]:
    """The first k rows of what a statement of Cypher finds, as JSON has them; what it changes is taken back.

    Neo4j refuses to write where only reading is asked for; others do not, so nothing is ever committed.

    Raises:
        UsageError, UnavailableError, ServiceError: see `load`.
    """
    with (
        _session(check_address(address), database, "READ") as session,
        closing(session.begin_transaction()) as transaction,  # leaving one by itself would commit it
    ):
        return [_plain(dict(row)) for row in transaction.run(statement, dict(values)).fetch(k)]


def _plain(value: Any) -> Any:
    """A value as JSON has it: of nodes and relations what is said of them, a path as a list; dates, places as texts."""
    from neo4j.graph import Path

    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, Path):
        value = [value.start_node, *chain.from_iterable(zip(value.relationships, value.nodes[1:], strict=True))]
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _batches(parts: Parts) -> Iterator[dict[str, list[dict[str, Any]]]]:
    """Rows by kinds, nodes first, so many at a time."""
    rows_by_kind: dict[str, list[dict[str, Any]]] = {kind: [] for kind in (*NODES, *TIES)}
    number = 0
    for number, part in enumerate(parts, 1):
        rows_by_kind[part.kind].append(_row(part))
        if number % BATCH == 0:
            yield rows_by_kind
            rows_by_kind = {kind: [] for kind in rows_by_kind}
    if number % BATCH:
        yield rows_by_kind


def _row(part: Node | Tie) -> dict[str, Any]:
    if isinstance(part, Node):
        return {"id": part.id, "said": all_fields(part)}
    key_field = {"own": part.properties[OWN[part.kind]]} if part.kind in OWN else {}
    return {"first": part.first, "second": part.second, **key_field, "said": all_fields(part)}


def _write_batch(
    transaction: ManagedTransaction, batch: Mapping[str, list[dict[str, Any]]], load: dict[str, str]
) -> None:
    for kind, rows in batch.items():
        if rows:
            transaction.run(STATEMENTS[kind], load, rows=rows).consume()


_OTHERS = f"[by IN coalesce(x.{LOADS}, []) WHERE NOT by STARTS WITH $library]"
"""The loads of other libraries."""


def _statement(kind: str) -> str:
    brought = f"SET x += row.said, x.{LOADS} = {_OTHERS} + [$load]"
    if kind in NODES:
        return f"UNWIND $rows AS row MERGE (x:{kind} {{id: row.id}}) {brought}"
    start, end, _ = TIES[kind]
    key_field = f" {{{OWN[kind]}: row.own}}" if kind in OWN else ""
    ends = f"MATCH (a:{start} {{id: row.first}}) MATCH (b:{end} {{id: row.second}})"
    return f"UNWIND $rows AS row {ends} MERGE (a)-[x:{kind}{key_field}]->(b) {brought}"


def _match_stale(kind: str) -> str:
    """What this library brought, and not now; what others put there has no loads."""
    pattern = f"(x:{kind})" if kind in NODES else f"()-[x:{kind}]->()"
    return f"MATCH {pattern} WHERE any(by IN x.{LOADS} WHERE by STARTS WITH $library AND by <> $load)"


def _prune_statement(kind: str) -> str:
    """Takes out what no other library brought."""
    delete = "DETACH DELETE" if kind in NODES else "DELETE"
    return f"{_match_stale(kind)} AND size(x.{LOADS}) = 1 WITH x LIMIT $most {delete} x RETURN count(*) AS number"


def _leave_statement(kind: str) -> str:
    """Leaves what is there to the others that brought it."""
    return f"{_match_stale(kind)} WITH x LIMIT $most SET x.{LOADS} = {_OTHERS} RETURN count(*) AS number"


STATEMENTS: Mapping[str, str] = {kind: _statement(kind) for kind in (*NODES, *TIES)}
PRUNE: Mapping[str, str] = {kind: _prune_statement(kind) for kind in (*NODES, *TIES)}
LEAVE: Mapping[str, str] = {kind: _leave_statement(kind) for kind in (*NODES, *TIES)}


@contextmanager
def _session(address: str, database: str, access: str) -> Iterator[Session]:
    try:
        from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError
    except ImportError as error:
        raise UnavailableError("Neo4j's driver is not installed.", "pip install 'conspectus[neo4j]'") from error
    try:
        with (
            _driver(address) as driver,
            driver.session(database=database or None, default_access_mode=access) as session,
        ):
            yield session
    except AuthError as error:
        raise ServiceError(f"'{address}' does not let us in.", "Look at NEO4J_USERNAME and NEO4J_PASSWORD.") from error
    except ConfigurationError as error:
        raise UsageError(f"'{address}' cannot be used: {error}.") from error
    except Neo4jError as error:
        raise ServiceError(f"'{address}' refused: {error.message or error}") from error
    except DriverError as error:
        raise ServiceError(f"'{address}' did not answer: {error}", "Is it running there?") from error


def _driver(address: str) -> Driver:
    from neo4j import GraphDatabase

    password = keys.find_key(Secret(), KEPT_AS, ("NEO4J_PASSWORD",)).reveal()
    user = os.environ.get("NEO4J_USERNAME") or "neo4j"
    return GraphDatabase.driver(
        address,
        auth=(user, password) if password else None,
        connection_timeout=SECONDS,
        connection_acquisition_timeout=2 * SECONDS,
        max_transaction_retry_time=2 * SECONDS,
        telemetry_disabled=True,
        user_agent="conspectus",
    )
