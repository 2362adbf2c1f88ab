"""The jobs of several servers over one catalog on PostgreSQL: each writes what its jobs tell, and reads the others'.

They are in tables next to the catalog's, which backups do not have. A server looks at them every `ROUND_SECONDS`, and
whenever it is asked for a job that it does not know.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from conspectus.core.errors import ConspectusError, StoppedError
from conspectus.core.job_context import Notice
from conspectus.core.text import json_text
from conspectus.records.events import (
    Cancelled,
    Ending,
    Failed,
    Finished,
    JobEvent,
    JobLogEntry,
    JobState,
    Progress,
    Reading,
    RelayedEntry,
    Reset,
)
from conspectus.server import guard
from conspectus.session.jobs import Journal
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside, transact
from conspectus.wire import events

if TYPE_CHECKING:
    from conspectus.server.board import Board
    from conspectus.session.jobs import Job

ROUND_SECONDS = 0.5
"""What a job tells is known to the other servers after so long."""
LOST_SECONDS = 60
"""A server that has not been heard of for so long was killed, and its jobs with it."""
ENDED = 200
"""Jobs that ended and can still be asked for, of all servers."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS server_jobs (id text PRIMARY KEY, server text NOT NULL, verb text NOT NULL, "
    "state text NOT NULL DEFAULT 'running', failed bigint NOT NULL DEFAULT 0, "
    "is_unwanted boolean NOT NULL DEFAULT false, begun double precision NOT NULL, "
    "seen timestamptz NOT NULL DEFAULT now())",
    "CREATE TABLE IF NOT EXISTS server_events (job text NOT NULL REFERENCES server_jobs ON DELETE CASCADE, "
    "seq bigint NOT NULL, at double precision NOT NULL, body text NOT NULL, PRIMARY KEY (job, seq))",
    guard.TABLE,
)
_JOBS = "SELECT id, verb, state, failed, begun FROM server_jobs WHERE server <> :me"
_EVENTS = "SELECT seq, at, body FROM server_events WHERE job = :job AND seq > :last ORDER BY seq"


class RelayedJob:
    """A job of another server, as far as it is known here; see `Job`."""

    def __init__(self, name: str, verb: str, begun: float) -> None:
        self.id, self.verb, self.begun = name, verb, begun
        self.state: JobState = "running"
        self.failed = 0
        self.journal = Journal(name)

    @property
    def is_done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state != "running"


class SharedJobs:
    """What one server knows of the jobs of all.

    Args:
        catalog: on a server.
        board: the jobs of this one.

    Attributes:
        also: called in each round.
    """

    def __init__(self, catalog: Catalog, board: Board) -> None:
        self.also: Callable[[], object] = lambda: None
        self._catalog, self._board = catalog, board
        self._server_id = secrets.token_hex(8)
        self._written_seqs: dict[str, int] = {}
        self._slots: dict[tuple[str, type, str], int] = {}
        self._relayed_jobs: dict[str, RelayedJob] = {}
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Make the tables, and begin to look at them; where they cannot be made this server's jobs are its own."""
        with suppress(ConspectusError):
            with aside(self._catalog.engine) as connection:
                self._catalog.store.begin_making(connection)  # two servers may start at once
                for statement in _TABLES:
                    connection.execute(text(statement))
            self._thread = threading.Thread(target=self._run, name="conspectus-shared-jobs", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """The server ends, and its jobs with it."""
        if self._thread is None:
            return
        self._stopping.set()
        self._thread.join()
        with suppress(ConspectusError):
            self._write_entries()
            self._end_lost_jobs("server = :me", {"me": self._server_id})

    def publish(self, job: Job[Any]) -> None:
        """Let the other servers know a job of this one, before anybody is told its id."""
        if self._thread is None:
            return
        values = {"id": job.id, "me": self._server_id, "verb": job.verb, "begun": job.begun}
        new = "INSERT INTO server_jobs (id, server, verb, begun) VALUES (:id, :me, :verb, :begun)"
        old = "SELECT id FROM server_jobs WHERE state <> 'running' ORDER BY begun DESC OFFSET :most"

        def put(connection: Connection) -> None:
            connection.execute(text(new), values)
            connection.execute(text(f"DELETE FROM server_jobs WHERE id IN ({old})"), {"most": ENDED})  # noqa: S608

        with suppress(ConspectusError):
            transact(self._catalog.engine, put, aside)
            with self._lock:
                self._written_seqs[job.id] = 0

    def find(self, name: str) -> RelayedJob | None:
        """A job of another server with all that it has told; None where there is none, or the catalog is away."""
        if self._thread is not None:
            with suppress(ConspectusError):
                self._read_jobs(name)
        with self._lock:
            return self._relayed_jobs.get(name)

    def cancel(self, job: RelayedJob) -> None:
        """Have the server that runs a job end it."""
        with aside(self._catalog.engine) as connection:
            connection.execute(text("UPDATE server_jobs SET is_unwanted = true WHERE id = :id"), {"id": job.id})

    def jobs(self) -> list[RelayedJob]:
        """The jobs of the other servers."""
        with self._lock:
            return list(self._relayed_jobs.values())

    def _run(self) -> None:
        while not self._stopping.wait(ROUND_SECONDS):
            with suppress(ConspectusError, SQLAlchemyError):  # the catalog is away: the next round has it all
                self._write_entries()
                self._end_lost_jobs("seen < now() - make_interval(secs => :seconds)", {"seconds": LOST_SECONDS})
                self._read_jobs()
                self.also()

    # this server's jobs

    def _write_entries(self) -> None:
        with self._lock:
            written_seqs = dict(self._written_seqs)
        if not written_seqs:
            return
        jobs = [job for job in self._board.own_jobs() if job.id in written_seqs]
        for job in jobs:
            entries = [entry for entry in job.journal.after(written_seqs[job.id]) if not isinstance(entry.event, Reset)]
            if not entries:
                continue
            with aside(self._catalog.engine) as connection:
                self._put_entries(connection, entries)
                if is_ended := isinstance(entries[-1].event, Ending):
                    state = {"id": job.id, "state": job.state, "failed": job.failed}
                    connection.execute(
                        text("UPDATE server_jobs SET state = :state, failed = :failed WHERE id = :id"), state
                    )
            with self._lock:
                self._written_seqs[job.id] = entries[-1].seq
                if is_ended:
                    del self._written_seqs[job.id]
                    self._slots = {slot: seq for slot, seq in self._slots.items() if slot[0] != job.id}
        update = text(
            "UPDATE server_jobs SET seen = now() WHERE server = :me AND state = 'running' RETURNING id, is_unwanted"
        )
        with aside(self._catalog.engine) as connection:
            unwanted_ids = [row.id for row in connection.execute(update, {"me": self._server_id}) if row.is_unwanted]
        for name in unwanted_ids:
            if not any(self._board.is_unwanted(job) for job in jobs if job.id == name):
                self._board.cancel(name)

    def _put_entries(self, connection: Connection, entries: list[JobLogEntry]) -> None:
        """Write entries; how far a stage is takes the place of how far it was."""
        rows, over = [], []
        for entry in entries:
            if isinstance(entry.event, Progress | Reading):
                slot = entry.job, type(entry.event), getattr(entry.event, "stage", "")
                if slot in self._slots:
                    over.append({"job": entry.job, "seq": self._slots[slot]})
                self._slots[slot] = entry.seq
            rows.append({"job": entry.job, "seq": entry.seq, "at": entry.at, "body": json_text(events.event(entry))})
        if over:
            connection.execute(text("DELETE FROM server_events WHERE job = :job AND seq = :seq"), over)
        connection.execute(
            text(
                "INSERT INTO server_events (job, seq, at, body) VALUES (:job, :seq, :at, :body) ON CONFLICT DO NOTHING"
            ),
            rows,
        )

    def _end_lost_jobs(self, which: str, values: Mapping[str, Any]) -> None:
        """End the jobs of servers that have ended, whichever server sees it first."""
        update = f"UPDATE server_jobs SET state = 'failed' WHERE state = 'running' AND {which} RETURNING id"  # noqa: S608
        error = StoppedError("The server that ran this job has ended.", "Begin it again: what it has stored stays.")
        with aside(self._catalog.engine) as connection:
            for name in connection.scalars(text(update), values).all():
                last = text("SELECT coalesce(max(seq), 0) FROM server_events WHERE job = :job")
                seq = int(connection.scalar(last, {"job": name}) or 0) + 1
                self._put_entries(connection, [JobLogEntry(name, seq, time.time(), Failed(error))])

    # the others' jobs

    def _read_jobs(self, name: str = "") -> None:
        """What is new of the others' jobs that run, and of the one that is called `name`."""
        only = " AND id = :name" if name else ""
        with self._catalog.engine.connect() as connection:
            rows = connection.execute(text(_JOBS + only), {"me": self._server_id, "name": name}).all()
        with self._lock:
            if not name:
                known_ids = {row.id for row in rows}
                self._relayed_jobs = {key: job for key, job in self._relayed_jobs.items() if key in known_ids}
            for row in rows:
                job = self._relayed_jobs.get(row.id)
                if is_new := job is None:
                    job = self._relayed_jobs[row.id] = RelayedJob(row.id, row.verb, row.begun)
                is_followed = row.state == "running" or (not is_new and not job.is_done)
                if is_followed or name:
                    self._relay(job)
                if is_new and is_followed:
                    job.journal.hear(self._board.feed.put)
                job.state, job.failed = row.state, row.failed

    def _relay(self, job: RelayedJob) -> None:
        with self._catalog.engine.connect() as connection:
            rows = connection.execute(text(_EVENTS), {"job": job.id, "last": job.journal.last}).all()
        for row in rows:
            body = json.loads(row.body)
            job.journal.relay(RelayedEntry(job.id, row.seq, row.at, _event_like(body), body))


def _event_like(body: Mapping[str, Any]) -> JobEvent:
    """An event of the kind that a body has, as far as journals and feeds look at it."""
    match body["kind"]:
        case "progress":
            names = ("stage", "done", "total", "unit", "detail")
            return Progress(*(body[name] for name in names))
        case "done":
            return Finished(None)
        case "failed":
            return Failed(StoppedError(str(body["error"]["message"])))
        case "cancelled":
            return Cancelled()
        case kind:
            return cast(JobEvent, Notice(kind))
