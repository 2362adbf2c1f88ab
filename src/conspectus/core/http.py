"""Talking to services over HTTP: what can pass is tried again, answers have a greatest size, redirects stay at home."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conspectus.core.errors import describe_os_error
from conspectus.core.job_context import emit_wait
from conspectus.core.version import __version__

if TYPE_CHECKING:
    from httpx2 import URL, Request

    from conspectus.core.transport import BoundedClient


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and when.

    Attributes:
        tries: how often is asked, in all.
        first: seconds before the second try; they double from try to try.
        longest: seconds, at most, before the next try, whatever the service asks for.
        statuses: what a service says when the same question may be answered later; all else is permanent.
    """

    tries: int = 4
    first: float = 0.5
    longest: float = 30.0
    statuses: frozenset[int] = frozenset({408, 409, 425, 429, *range(500, 600)}) - {501, 505}

    def pause(self, attempt: int, retry_after: str = "") -> float:
        """Seconds to wait after the try of this number, from 0: as `Retry-After` says, where it says something."""
        return min(read_retry_after(retry_after) or self.first * 2.0 ** min(attempt, 60), self.longest)

    def may_pass(self, status: int) -> bool:
        """Whether the same question may be answered later."""
        return status in self.statuses


RETRY = RetryPolicy()
"""What holds where nothing else is said."""
once_only: ContextVar[bool] = ContextVar("once_only", default=False)
"""Whether nothing is asked again, because the caller can do without."""


def read_retry_after(retry_after: str) -> float:
    """The seconds that `Retry-After` asks for, given as such or as a date; 0 where it says nothing to go by."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text[:6])
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


MAX_ANSWER = 64 * 2**20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3
_LONGEST_HEADER = 200
KEPT_HEADERS = (
    "backoff",
    "etag",
    "last-modified",
    "last-modified-version",
    "retry-after",
    "total-results",
    "x-concurrency-limit",
    "x-rate-limit-interval",
    "x-rate-limit-limit",
    "x-ratelimit-cost-usd",
    "x-ratelimit-prepaid-remaining-usd",
    "x-ratelimit-remaining",
    "x-ratelimit-remaining-usd",
    "x-ratelimit-reset",
    "x-zotero-version",
    "zotero-server-id",
)
"""Headers of a reply that callers may read: its version, and what the service permits."""


class NoAnswerError(Exception):
    """Nobody answered, or not in a way that can be read; the message says why. Callers make a `ServiceError` of it.

    `retry` says whether the same call may succeed later, `nobody` that nobody listens, `address` that it is none.
    """

    def __init__(self, reason: str, *, retry: bool = True, nobody: bool = False, address: bool = False) -> None:
        super().__init__(reason)
        self.retry = retry
        self.nobody = nobody
        self.address = address


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a service answered in the end: the status, the bytes, and those of `KEPT_HEADERS` that it sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def retry_after(self) -> str:
        """What it says of trying again; "" where it says nothing."""
        return self.headers.get("retry-after", "")

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked."""
        return 200 <= self.status < 300

    def json(self) -> Any:
        """What it said; None where it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    def words(self, most: int = 200) -> str:
        """The beginning of the answer as one line, for a message."""
        return " ".join(self.body[: 4 * most].decode(errors="replace").split())[:most]


def is_address(text: str) -> bool:
    """Whether `text` can be the address of a server."""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        return False
    return fits and not re.search(r"[\s\x00-\x1f\x7f]", text)


def user_agent(mailto: str = "") -> str:
    """Who asks: the program with its version, and where somebody can be reached."""
    return f"conspectus/{__version__}" + (f" (mailto:{mailto})" if mailto else "")


def exchange(
    method: str,
    url: str,
    *,
    timeout: float,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str] | None = None,
    body: Any = None,
    most: int = MAX_ANSWER,
    tries: int = RETRY.tries,
) -> HttpReply:
    """The answer, of whatever status, after at most `tries` tries with waits where trying again can help.

    Where nobody listens on this machine that is told at once. Waits are told to who listens (`core.job_context`).

    Args:
        method: `GET` or `POST`.
        url: an address that settings gave, never one that a paper or a model wrote.
        timeout: seconds for one try, to the last byte of its answer.
        headers: sent besides the name of the program.
        params: the query of the address.
        body: sent as JSON.
        most: bytes of an answer that are read.
        tries: how often it is asked.

    Raises:
        NoAnswerError: nobody answered, the address is none, or the answer is too large or leads to another host.
    """
    send = {"User-Agent": user_agent(), **(headers or {})}
    for attempt in range(tries):
        last = attempt == tries - 1 or once_only.get()
        try:
            reply = once(method, url, timeout=timeout, headers=send, most=most, params=params, json=body)
        except NoAnswerError as error:
            if last or not error.retry or (error.nobody and is_here(url)):
                raise
            _wait(RETRY.pause(attempt), f"'{urlsplit(url).netloc}' cannot be reached: {error}.")
            continue
        if last or not RETRY.may_pass(reply.status):
            return reply
        _wait(RETRY.pause(attempt, reply.retry_after), f"'{urlsplit(url).netloc}' answers HTTP {reply.status}.")
    raise AssertionError("unreachable")


def load_client() -> None:
    """Load what requests need, so that the first is sent at once when its turn has come."""
    from conspectus.core import transport

    transport.load()


def once(
    method: str,
    url: str,
    *,
    timeout: float,
    headers: Mapping[str, str] | None = None,
    most: int = MAX_ANSWER,
    direct: bool = False,
    **content: Any,
) -> HttpReply:
    """The answer to one try, whole within `timeout` seconds; arguments and errors as `exchange`.

    Args:
        direct: whether no proxy is asked, whatever the environment says.
        content: what is sent, as httpx2 takes it: `params`, `json`, `data`, `files`.
    """
    import asyncio

    from conspectus.core.transport import BoundedClient, wait_for

    async def ask() -> HttpReply:
        async with asyncio.timeout(timeout), BoundedClient(most, timeout, direct=direct) as client:
            request = client.build_request(method, url, headers=headers, **content)
            return await _followed(client, request)

    with explain_http_errors(timeout):
        return wait_for(ask())


@contextmanager
def explain_http_errors(timeout: float) -> Iterator[None]:
    """Within, whatever keeps an answer from coming in `timeout` seconds is raised as a `NoAnswerError`."""
    import httpx2

    try:
        yield
    except TimeoutError as error:
        raise NoAnswerError(f"no complete reply came within {timeout:g} s") from error
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise NoAnswerError(f"the address cannot be asked: {error}", retry=False, address=True) from error
    except httpx2.TransportError as error:
        nobody = isinstance(error, httpx2.ConnectError)
        host = error.request.url.host if getattr(error, "_request", None) is not None else ""
        raise NoAnswerError(describe_os_error(error, host), nobody=nobody) from error
    except UnicodeError as error:  # a header cannot be sent
        raise NoAnswerError(f"the request contains a character that cannot be sent: {error}", retry=False) from error
    except httpx2.DecodingError as error:
        raise NoAnswerError(f"the answer cannot be unpacked: {error}", retry=False) from error


def _wait(seconds: float, why: str) -> None:
    emit_wait(seconds, why)
    time.sleep(seconds)


def is_here(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


async def _followed(client: BoundedClient, request: Request) -> HttpReply:
    """The reply; redirects are followed on the same host and port only, and from HTTP to HTTPS on that host."""
    for _ in range(_MOST_REDIRECTS + 1):
        reply = await client.send(request, stream=True)
        async with aclosing(reply):
            following = reply.next_request if reply.status_code in _REDIRECTS else None
            if following is None:
                headers = {name: text for name in KEPT_HEADERS if (text := reply.headers.get(name, ""))}
                short = {name: text for name, text in headers.items() if len(text) <= _LONGEST_HEADER}
                return HttpReply(reply.status_code, await reply.aread(), short)
        if not _is_at_home(request.url, following.url):
            where = following.url.netloc.decode("ascii", "replace")
            raise NoAnswerError(f"it sends on to another host, '{following.url.scheme}://{where}'", retry=False)
        request = following
    raise NoAnswerError("it sends on without end", retry=False)


def _is_at_home(origin: URL, following: URL) -> bool:
    """Whether both are of one server: another port may be another user's, and HTTP after HTTPS is open to all."""
    if origin.host != following.host:
        return False
    ports = {"http": 80, "https": 443}
    places = [(url.scheme, url.port or ports.get(url.scheme)) for url in (origin, following)]
    return places[0] == places[1] or places == [("http", 80), ("https", 443)]
