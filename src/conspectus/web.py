"""Talking to services over HTTP: what can pass is tried again, answers have a greatest size, redirects stay at home."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conspectus._version import __version__
from conspectus.waiting import tell_wait

if TYPE_CHECKING:
    import httpx

TRIES = 4
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""What a service says when the same question may be answered later."""
MAX_ANSWER = 64 * 2**20
LONGEST_WAIT = 30.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3


class NoAnswerError(Exception):
    """Nobody answered, or not in a way that can be read; the message says why. Callers make a `ServiceError` of it.

    `retry` says whether the same call may succeed later.
    """

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        super().__init__(reason)
        self.retry = retry


@dataclass(frozen=True, slots=True)
class Reply:
    """What a service answered in the end: the status and the bytes."""

    status: int
    body: bytes

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
    tries: int = TRIES,
) -> Reply:
    """The answer, of whatever status, after at most `tries` tries with waits where trying again can help.

    Where nobody listens on this machine that is told at once. Waits are told to who hears them (`hearing_waits`).

    Args:
        method: `GET` or `POST`.
        url: an address that settings gave, never one that a paper or a model wrote.
        timeout: seconds for one try.
        headers: sent besides the name of the program.
        params: the query of the address.
        body: sent as JSON.
        most: bytes of an answer that are read.
        tries: how often it is asked.

    Raises:
        NoAnswerError: nobody answered, the address is none, or the answer is too large or leads to another host.
    """
    import httpx

    send = {"User-Agent": user_agent(), **(headers or {})}
    with httpx.Client(timeout=timeout, follow_redirects=False, verify=_certificates()) as client:
        for attempt in range(tries):
            last = attempt == tries - 1
            try:
                reply, wait = _followed(
                    client, client.build_request(method, url, headers=send, params=params, json=body), most
                )
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
                raise NoAnswerError(f"the address cannot be asked: {error}", retry=False) from error
            except httpx.TransportError as error:
                why = str(error) or type(error).__name__
                if last or (isinstance(error, httpx.ConnectError) and is_here(url)):
                    raise NoAnswerError(why) from error
                _wait(pause(attempt), f"'{urlsplit(url).netloc}' cannot be reached: {why}.")
                continue
            except UnicodeError as error:  # a header cannot be sent
                raise NoAnswerError(f"what is sent to it holds a sign that cannot be: {error}", retry=False) from error
            except httpx.DecodingError as error:
                raise NoAnswerError(f"the answer cannot be unpacked: {error}", retry=False) from error
            if last or reply.status not in TRANSIENT:
                return reply
            _wait(
                min(asked_pause(wait) or pause(attempt), LONGEST_WAIT),
                f"'{urlsplit(url).netloc}' answers HTTP {reply.status}.",
            )
    raise AssertionError("unreachable")


@cache
def _certificates() -> ssl.SSLContext:
    """Who is trusted; reading it takes longer than most answers."""
    import httpx

    return httpx.create_ssl_context()


def _wait(seconds: float, why: str) -> None:
    tell_wait(seconds, why)
    time.sleep(seconds)


def is_here(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def pause(attempt: int) -> float:
    """Seconds to wait after the try of this number, from 0, where the service does not say."""
    return 0.5 * 2.0**attempt


def asked_pause(retry_after: str) -> float:
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


def _followed(client: httpx.Client, request: httpx.Request, most: int) -> tuple[Reply, str]:
    """The reply, and what it says of trying again; redirects are followed on the same host only."""
    for _ in range(_MOST_REDIRECTS + 1):
        reply = client.send(request, stream=True)
        try:
            following = reply.next_request if reply.status_code in _REDIRECTS else None
            if following is None:
                return Reply(reply.status_code, _limited(reply, most)), reply.headers.get("retry-after", "")
        finally:
            reply.close()
        if following.url.host != request.url.host:
            raise NoAnswerError(f"it sends on to another host, '{following.url.host}'", retry=False)
        request = following
    raise NoAnswerError("it sends on without end", retry=False)


def _limited(reply: httpx.Response, most: int) -> bytes:
    parts, length = [], 0
    for part in reply.iter_bytes():
        length += len(part)
        if length > most:
            raise NoAnswerError(f"its answer is larger than {most // 2**20} MB", retry=False)
        parts.append(part)
    return b"".join(parts)
