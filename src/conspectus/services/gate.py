"""The gate of a service: how many requests it gets in a time and at once, from all processes of a user on this machine.

Whoever asks takes a numbered turn in a file (`limits.sqlite`), waits until it is the first in line and the limits let
it through, and gives the turn back with what the reply said of limits. Turns of processes that are gone end by
themselves.
"""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import TypeVar

from conspectus.core.errors import ServiceAwayError
from conspectus.core.http import HttpReply, read_retry_after
from conspectus.core.job_context import Notice, emit, emit_wait, sleep
from conspectus.core.text import pluralize
from conspectus.services.protocol import RateLimit
from conspectus.services.state import StateFile, StateFileError

LONGEST_PAUSE = 2 * 86400.0
"""Seconds for which a service can hold off everybody."""
MOST_REQUESTS = 10_000
"""Where a service does not limit them."""
_INTERVAL = re.compile(r"\s*+(\d{1,6})\s*+([smh]?)\s*+", re.ASCII)
_NUMBER = re.compile(r"\s*+(\d{1,12}(?:\.\d{1,12})?)\d*+\s*+", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
_FIRST_EPOCH = 10**9
"""A reset from here on is a time (ADS), before it is in so many seconds (OpenAlex)."""


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """What a reply says of limits.

    Attributes:
        pause: seconds in which nobody is to ask; 0: none.
        limit: rate and requests at once; None where it says neither.
        cost: US dollars that it cost; None where it does not say.
        credit: US dollars that it gives for nothing today and that are left; None where it does not say.
        prepaid: US dollars that were paid before and are left.
    """

    pause: float = 0.0
    limit: RateLimit | None = None
    cost: float | None = None
    credit: float | None = None
    prepaid: float = 0.0


def read_limits(reply: HttpReply, now: float) -> ReplyLimits:
    """What a reply says, within bounds; what cannot be understood is left out.

    Args:
        reply: of any status.
        now: seconds since 1970.
    """
    headers = reply.headers
    credit = _number(headers.get("x-ratelimit-remaining-usd"))
    pause = read_retry_after(reply.retry_after)
    has_money_left = credit is None or credit > 0
    if credit is None and _number(headers.get("x-ratelimit-remaining")) == 0:
        reset = _number(headers.get("x-ratelimit-reset")) or 0.0
        pause = max(pause, reset - now if reset >= _FIRST_EPOCH else reset)
    return ReplyLimits(
        pause=min(pause, LONGEST_PAUSE) if has_money_left else 0.0,  # what costs nothing goes on
        limit=_read_rate(headers),
        cost=_number(headers.get("x-ratelimit-cost-usd")),
        credit=credit,
        prepaid=_number(headers.get("x-ratelimit-prepaid-remaining-usd")) or 0.0,
    )


def _read_rate(headers: Mapping[str, str]) -> RateLimit | None:
    requests, at_once = (_count(headers.get(name)) for name in ("x-rate-limit-limit", "x-concurrency-limit"))
    interval = _INTERVAL.fullmatch(headers.get("x-rate-limit-interval", ""))
    seconds = float(interval[1]) * _SECONDS[interval[2]] if interval else 0.0
    if not requests or not 0 < seconds <= LONGEST_PAUSE:
        return RateLimit(requests=MOST_REQUESTS, at_once=at_once) if at_once else None
    return RateLimit(requests=requests, seconds=seconds, at_once=at_once or MOST_REQUESTS)


def _count(text: str | None) -> int:
    return min(int(_number(text) or 0), MOST_REQUESTS)


def _number(text: str | None) -> float | None:
    match = _NUMBER.fullmatch(text or "")
    return float(match[1]) if match else None


T = TypeVar("T")

PACE = 1.05
"""By how much a limit's time is kept longer than published: requests do not travel equally fast."""
MOST_WAIT = 120.0
"""Seconds that a request waits for its turn, at most."""
_POLL_SECONDS = 0.02
_STEP_SECONDS = 0.5
_SIGN_SECONDS = 5.0
"""A process that waits and shows no sign of life for so long has left the line."""
_NOTICE_SECONDS = 1.0
_HEARD_SECONDS = 86400.0
"""So long holds what a reply said of rates."""
_DAY = "%Y-%m-%d"
_STARTED = "SELECT started FROM turns WHERE gate = ? AND started IS NOT NULL ORDER BY started DESC LIMIT 1 OFFSET ?"
_STATE = """SELECT held, requests, seconds, at_once, heard, sent, cost, credit, answered, status
    FROM gates WHERE gate = ?"""

LIMITS_FILE = StateFile(
    "limits.sqlite",
    """CREATE TABLE IF NOT EXISTS turns (
        id INTEGER PRIMARY KEY AUTOINCREMENT, gate TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
        alive REAL NOT NULL, started REAL, ended REAL)""",
    "CREATE INDEX IF NOT EXISTS turns_started ON turns (gate, started)",
    """CREATE TABLE IF NOT EXISTS gates (
        gate TEXT PRIMARY KEY, held REAL NOT NULL DEFAULT 0, requests INTEGER, seconds REAL, at_once INTEGER,
        heard REAL NOT NULL DEFAULT 0, day TEXT NOT NULL DEFAULT '', sent INTEGER NOT NULL DEFAULT 0,
        cost REAL NOT NULL DEFAULT 0, credit REAL, answered REAL, status INTEGER)""",
)
"""Turns, and for each gate what holds today; times are seconds since 1970."""


@dataclass(frozen=True, slots=True)
class GateState:
    """What is known of a service today, in UTC.

    Attributes:
        blocked_until: until when nobody may ask, in seconds since 1970.
        limit: what replies said that it permits; None: nothing.
        sent: requests.
        cost: US dollars.
        credit: US dollars that are left, as it said; None: it did not.
        answered: when it last answered, or did not, in seconds since 1970; None: never asked.
        status: of that answer, as HTTP has it; 0: there was none.
    """

    blocked_until: float = 0.0
    limit: RateLimit | None = None
    sent: int = 0
    cost: float = 0.0
    credit: float | None = None
    answered: float | None = None
    status: int | None = None


class Gate:
    """The gate of one service.

    Args:
        address: the service's, without a password.
        title: for messages.
        limit: what the service permits as it publishes it; what it says in replies holds besides.
    """

    def __init__(self, address: str, title: str, limit: RateLimit) -> None:
        self.address = address
        self.title = title
        self._limit = limit
        self._notices: set[str] = set()

    @contextmanager
    def turn(self, seconds: float, until: float) -> Iterator[None]:
        """Wait until a request may be sent, and hold the place that it takes among those at once.

        Args:
            seconds: after which the request has ended, whatever becomes of it.
            until: when waiting ends with an error, by `time.monotonic`.

        Raises:
            ServiceAwayError: it would have to wait for longer.
        """
        ticket = self._wait(seconds, until)
        try:
            yield
        finally:
            self.run(lambda db: db.execute("UPDATE turns SET ended = ? WHERE id = ?", (time.time(), ticket)))

    def note(self, status: int, limits: ReplyLimits) -> None:
        """Keep what a reply said (status 0: there was none), for all processes."""
        self.run(partial(_note, self.address, status, limits))

    def state(self) -> GateState:
        """What is known of the service."""
        return self.run(lambda db: read_state(db, self.address, time.time()))

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns, done in one transaction on the file of limits, or where none can be written in memory.

        Raises:
            ServiceAwayError: another process keeps the file locked.
        """
        try:
            return LIMITS_FILE.run(work)
        except StateFileError as error:
            if error.busy:
                raise ServiceAwayError(
                    f"{self.title} cannot be asked: {error}.", "End the process that uses it, or delete the file."
                ) from error
            self._say_once(f"Limits of services hold for this process only: {error}.")
            return LIMITS_FILE.run_in_memory(work)

    def _wait(self, seconds: float, until: float) -> int:
        ticket: int | None = None
        is_through = False
        try:
            while True:
                ticket, wait, why = self.run(partial(self._step, ticket, seconds))
                if wait <= 0:
                    is_through = True
                    return ticket
                if time.monotonic() + wait > until:
                    raise self._too_long(wait, why)
                if wait >= _NOTICE_SECONDS and why not in self._notices:
                    self._notices.add(why)
                    emit_wait(wait, f"{self.title} {why}.")
                sleep(min(wait, _STEP_SECONDS))
        finally:
            if ticket is not None and not is_through:
                self.run(lambda db: db.execute("DELETE FROM turns WHERE id = ?", (ticket,)))

    def _step(self, ticket: int | None, seconds: float, db: sqlite3.Connection) -> tuple[int, float, str]:
        """Go through if the limits allow it; else returns how many seconds that takes at least, and why."""
        now = time.time()
        state = read_state(db, self.address, now)
        limits = [self._limit, state.limit] if state.limit else [self._limit]
        _end_turns(db, self.address, now, max(limit.seconds for limit in limits))
        changed = db.execute("UPDATE turns SET alive = ? WHERE id = ?", (now + _SIGN_SECONDS, ticket)).rowcount
        if ticket is None or not changed:
            values = (self.address, _host(), os.getpid(), now + _SIGN_SECONDS)
            ticket = db.execute("INSERT INTO turns (gate, host, pid, alive) VALUES (?, ?, ?, ?)", values).lastrowid
            assert ticket is not None
        wait, why = max(self._hindrances(db, ticket, state, limits, now))
        if wait <= 0:
            db.execute("UPDATE turns SET started = ?, alive = ? WHERE id = ?", (now, now + seconds, ticket))
            db.execute("UPDATE gates SET sent = sent + 1 WHERE gate = ?", (self.address,))
        return ticket, wait, why

    def _hindrances(
        self, db: sqlite3.Connection, ticket: int, state: GateState, limits: list[RateLimit], now: float
    ) -> Iterator[tuple[float, str]]:
        """What keeps a turn from beginning: the seconds for which it does, 0 or less where it does not, and why.

        Turns ahead of it in the line count as begun: there is to be room for them, too.
        """
        yield state.blocked_until - now, f"asks for a pause until {_clock(state.blocked_until)}"
        count = "SELECT count(*) FROM turns WHERE gate = ?"
        ahead = db.execute(f"{count} AND started IS NULL AND id < ?", (self.address, ticket)).fetchone()[0]
        for limit in limits:
            permits = f"permits {pluralize(limit.requests, 'request')} in {limit.seconds:g} s"
            index = max(limit.requests, 1) - 1 - ahead
            row = db.execute(_STARTED, (self.address, max(index, 0))).fetchone()
            wait = row[0] + limit.seconds * PACE - now if row else 0.0
            yield (wait if index >= 0 else max(wait, -index * _POLL_SECONDS)), permits
        at_once = max(min(limit.at_once for limit in limits), 1)
        active = db.execute(f"{count} AND started IS NOT NULL AND ended IS NULL", (self.address,)).fetchone()[0]
        permits = f"permits {pluralize(at_once, 'request')} at once"
        yield max(active + ahead + 1 - at_once, 0) * _POLL_SECONDS, permits

    def _too_long(self, wait: float, why: str) -> ServiceAwayError:
        when = f"until {_clock(time.time() + wait)}" if wait > MOST_WAIT else f"for more than {MOST_WAIT:.0f} s"
        return ServiceAwayError(
            f"{self.title} {why}, so a request would wait {when}.",
            "Try again then, or ask for less at once. A key, where the service gives one, permits more.",
        )

    def _say_once(self, text: str) -> None:
        if text not in self._notices:
            self._notices.add(text)
            emit(Notice(text), ends=False)


def read_state(db: sqlite3.Connection, gate: str, now: float) -> GateState:
    """What the file says of a gate, which is in it afterwards; counts of another day are gone."""
    today = datetime.fromtimestamp(now, UTC).strftime(_DAY)
    db.execute("INSERT OR IGNORE INTO gates (gate, day) VALUES (?, ?)", (gate, today))
    new_day = "UPDATE gates SET day = ?, sent = 0, cost = 0, credit = NULL WHERE gate = ? AND day <> ?"
    db.execute(new_day, (today, gate, today))
    row = db.execute(_STATE, (gate,)).fetchone()
    blocked_until, requests, seconds, at_once, heard, *others = row
    is_current = requests and now - _HEARD_SECONDS < heard <= now + 60
    limit = RateLimit(requests=requests, seconds=seconds, at_once=at_once) if is_current else None
    return GateState(blocked_until if blocked_until < now + LONGEST_PAUSE + 60 else 0.0, limit, *others)


def _note(gate: str, status: int, limits: ReplyLimits, db: sqlite3.Connection) -> None:
    now = time.time()
    read_state(db, gate, now)
    db.execute("UPDATE gates SET answered = ?, status = ? WHERE gate = ?", (now, status, gate))
    if limits.pause > 0:
        db.execute("UPDATE gates SET held = max(held, ?) WHERE gate = ?", (now + limits.pause, gate))
    if (heard := limits.limit) is not None:
        values = (heard.requests, heard.seconds, heard.at_once or MOST_REQUESTS, now, gate)
        db.execute("UPDATE gates SET requests = ?, seconds = ?, at_once = ?, heard = ? WHERE gate = ?", values)


def _end_turns(db: sqlite3.Connection, gate: str, now: float, window: float) -> None:
    """End the turns of processes that are gone, and forget those that no limit counts any more.

    A turn that began counts until its time is over: its request may have been sent.
    """
    for (pid,) in db.execute(
        "SELECT DISTINCT pid FROM turns WHERE gate = ? AND host = ? AND ended IS NULL", (gate, _host())
    ).fetchall():
        if not _is_running(pid):
            db.execute("UPDATE turns SET alive = 0 WHERE host = ? AND pid = ? AND ended IS NULL", (_host(), pid))
    db.execute("DELETE FROM turns WHERE gate = ? AND started IS NULL AND alive < ?", (gate, now))
    db.execute("UPDATE turns SET ended = ? WHERE gate = ? AND ended IS NULL AND alive < ?", (now, gate, now))
    old = "DELETE FROM turns WHERE gate = ? AND (ended IS NOT NULL AND started < ? OR started > ?)"
    db.execute(old, (gate, now - window * max(PACE, 1.0), now + 60))  # the last: the clock was set back


def _is_running(pid: int) -> bool:
    """Whether a process of this machine is there; True where the system does not say without harm."""
    if os.name != "posix" or pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC).astimezone():%H:%M:%S on %d %B}"


@cache
def _host() -> str:
    return socket.gethostname()


_ROUNDING = 1e-9


@dataclass(slots=True)
class Bill:
    """What a request costs, in US dollars: 0 until it is sent.

    Attributes:
        cost: as the service says, else its price.
        credit: what the service says is left today of what it gives for nothing; None: it does not say.
        prepaid: what it says is left of what was paid before.
    """

    cost: float = 0.0
    credit: float | None = None
    prepaid: float = 0.0


class Spending:
    """The money that one service costs.

    Args:
        gate: the service's.
        name: the service's, as in the settings.
        free: US dollars a day that it gives for nothing.
        most: US dollars a day that the user permits; 0: only `free`.
    """

    def __init__(self, gate: Gate, name: str, free: float, most: float) -> None:
        self._gate = gate
        self._name = name
        self._has_own_budget = most > 0
        self.budget = most or free

    def remaining_dollars(self) -> float:
        """US dollars that requests may still cost today: of the budget, and of what the service itself says."""
        return self._remaining_dollars(self._gate.state())

    @contextmanager
    def reserve(self, price: float) -> Iterator[Bill]:
        """Count the price of a request before it is sent; afterwards what the bill says in its place.

        Raises:
            ServiceAwayError: the price is more than what is left.
        """
        if price > 0:
            before = self._gate.run(lambda db: self._reserve(db, price))
            if self._remaining_dollars(before) + _ROUNDING < price:
                raise self._make_exhausted_error(price, before)
        bill = Bill()
        try:
            yield bill
        finally:
            self._settle(price, bill)

    def check_refusal(self, price: float, bill: Bill) -> None:
        """Raise the error that the budget is used up where this is why the service refused; other errors do not."""
        if bill.credit is not None and bill.credit < price:
            raise self._make_exhausted_error(price, self._gate.state())

    def _make_exhausted_error(self, price: float, state: GateState) -> ServiceAwayError:
        credit = "" if state.credit is None else f", and the service says that {format_dollars(state.credit)} are left"
        spent = f"{format_dollars(state.cost)} of {format_dollars(self.budget)}"
        return ServiceAwayError(
            f"{self._gate.title} would go beyond its budget: today {spent} are spent{credit}; this request costs "
            f"{format_dollars(price)}.",
            f"Raise sources.max_cost, set sources.{self._name}.key if there is none, or go on after 00:00 UTC.",
        )

    def _remaining_dollars(self, state: GateState) -> float:
        left = self.budget - state.cost
        return max(left if state.credit is None else min(left, state.credit), 0.0)

    def _reserve(self, db: sqlite3.Connection, price: float) -> GateState:
        before = read_state(db, self._gate.address, time.time())
        if self._remaining_dollars(before) + _ROUNDING >= price:
            db.execute(
                "UPDATE gates SET cost = cost + ?, credit = credit - ? WHERE gate = ?",
                (price, price, self._gate.address),
            )
        return before

    def _settle(self, price: float, bill: Bill) -> None:
        credit, more = bill.credit, bill.cost - price
        if credit is not None and self._has_own_budget:
            credit += bill.prepaid
        if not more and credit is None:
            return

        def settle(db: sqlite3.Connection) -> None:
            read_state(db, self._gate.address, time.time())
            db.execute(
                "UPDATE gates SET cost = max(cost + ?, 0), credit = coalesce(?, max(credit - ?, 0)) WHERE gate = ?",
                (more, credit, more, self._gate.address),
            )

        self._gate.run(settle)


def format_dollars(amount: float) -> str:
    """`$0.10`, and more places where there are: `$0.0015`."""
    text = f"{max(amount, 0.0):.6f}".rstrip("0")
    dollars, _, part = text.partition(".")
    return f"${dollars}.{part:0<2}"
