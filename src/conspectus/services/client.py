"""The client of a service: it keeps the service's limits and the user's budget, and caches answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import RETRY, HttpReply, NoAnswerError, is_here, load_client, once, once_only, user_agent
from conspectus.core.job_context import emit_wait, sleep
from conspectus.services import gate
from conspectus.services.gate import ReplyLimits, Spending, read_limits
from conspectus.services.protocol import RateLimit, Service
from conspectus.services.state import (
    QUESTIONS,
    CachedAnswer,
    find_answer,
    forget_answer,
    keep_answer,
    renew_answer,
)
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.keys import find_service_key
from conspectus.settings.secret import Secret

MAX_ANSWER = 64 * 2**20
_DAY = 86400.0
_NOT_THERE = (404, 410)
_NOT_THERE_SECONDS = _DAY
"""For which a 404 is cached at most."""
_MARGIN_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFacts:
    """A service's settings and its state today (UTC), counted for all processes.

    Attributes:
        address: without a password.
        has_key: whether a key is known.
        limit: its published limits.
        stated_limit: the limits that its replies stated; None: none.
        requests: sent today.
        budget_left: US dollars that may still be spent today; None where it has no prices.
        answered: when it was last asked, in seconds since 1970; None: never.
        status: HTTP status of that answer; 0: none came; None: never asked.
    """

    address: str
    has_key: bool
    limit: RateLimit
    stated_limit: RateLimit | None
    requests: int
    budget_left: float | None
    answered: float | None
    status: int | None


class ServiceClient:
    """Asks one service.

    Attributes:
        requests: number sent.
        cost: of these, in US dollars.

    Args:
        service: to ask.
        settings: addresses, keys and limits.
    """

    def __init__(self, service: Service, settings: SourcesSettings) -> None:
        self._service = service
        self._settings = settings
        self.url: str = getattr(settings, f"{service.name}_url", service.url).rstrip("/")
        self.mailto = settings.mailto.strip()
        self.requests = 0
        self.cost = 0.0
        self._lock = threading.Lock()
        self._thread = threading.local()

    @cached_property
    def key(self) -> Secret:
        """The service's key; empty where none is known."""
        return find_service_key(self._settings, "pubmed" if self._service.name == "pmc" else self._service.name)

    @property
    def limits(self) -> RateLimit:
        """What the service permits: more with a key."""
        return (self._service.keyed_limits if self.key else None) or self._service.limits

    @property
    def address(self) -> str:
        """The service's address, without a password in it."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    @property
    def label(self) -> str:
        """The service's title and address, for messages."""
        return f"{self._service.title} ({self.address})"

    @cached_property
    def _gate(self) -> gate.Gate:
        return gate.Gate(self.address, self.label, self.limits)

    @cached_property
    def _spending(self) -> Spending:
        return Spending(self._gate, self._service.name, self.limits.free_dollars, self._settings.max_cost)

    def budget_left(self) -> float | None:
        """US dollars that may still be spent today; None where the service has no prices."""
        return self._spending.remaining_dollars() if self.limits.free_dollars > 0 else None

    def turn(self, seconds: float) -> AbstractContextManager[object]:
        """A context in which other code may ask the service within its limits, for at most `seconds`."""
        return self._gate.turn(seconds, time.monotonic() + gate.MOST_WAIT)

    def client_for(self, service: Service) -> ServiceClient:
        """A client of another service with the same settings, for a service that has two addresses."""
        return ServiceClient(service, self._settings)

    def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        price: float = 0.0,
        limits: RateLimit | None = None,
        place: str = "",
    ) -> bytes | None:
        """Ask the service. Returns the answer, which may come from the cache; None for HTTP 404 and 410.

        Keys belong into `headers` or `params`: they are in no message and no cached answer. Empty values are not sent.

        Args:
            path: behind the service's address, with its slash.
            params: the query.
            headers: besides the usual ones.
            body: sent by POST: a text as it is, anything else as JSON.
            price: US dollars.
            limits: what the service permits for this path, if that is counted apart.
            place: in a list that a cursor leads through: Crossref gives one cursor for several pages.

        Raises:
            ServiceAwayError: it does not answer now, or its limit or budget is reached.
            ServiceError: it refused.
        """
        query, more = ({name: text for name, text in (pairs or {}).items() if text} for pairs in (params, headers))
        question = self._question(path, query, more, body, place)
        self._thread.question = None
        send = {"User-Agent": user_agent(self.mailto), **more}
        path_gate = gate.Gate(self.address + path, self.label, limits) if limits else self._gate
        answer = QUESTIONS.ask(question, lambda: self._answer(question, path, query, send, body, price, path_gate))
        self._thread.question = question
        return answer

    def get_json(self, path: str, params: Mapping[str, str] | None = None, **options: Any) -> Any:
        """`get`, decoded. Errors as `get`; a ServiceError too where it is not JSON."""
        answer = self.get(path, params, **options)
        if answer is None:
            return None
        try:
            return msgspec.json.decode(answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.failure(f"answered with something that is not JSON ({error})") from error

    def failure(self, what: str) -> ServiceError:
        """A permanent error: `refused: HTTP 400`.

        The last answer of this thread is removed from the cache, for it cannot be used.
        """
        self._forget_last()
        return ServiceError(self._message(what), f"Check the settings sources.{self._service.name}.*.")

    def away(self, what: str) -> ServiceAwayError:
        """An error that may pass: `did not answer`. Removes the last answer as `failed` does."""
        self._forget_last()
        return ServiceAwayError(self._message(what), "Try again later, or check that it can be reached.")

    def facts(self) -> ServiceFacts:
        """The service's settings and its state today."""
        state = self._gate.state()
        return ServiceFacts(
            address=self.address,
            has_key=bool(self.key),
            limit=self.limits,
            stated_limit=state.limit,
            requests=state.sent,
            budget_left=self.budget_left(),
            answered=state.answered,
            status=state.status,
        )

    def _answer(
        self,
        question: bytes,
        path: str,
        params: Mapping[str, str],
        headers: Mapping[str, str],
        body: Any,
        price: float,
        entry: gate.Gate,
    ) -> bytes | None:
        """The cached answer if it is fresh, else that of the service, which is cached."""
        most = self._settings.max_age * _DAY
        known = find_answer(question)
        if known and known.is_fresh(most if known.status == 200 else min(most, _NOT_THERE_SECONDS)):
            return known.body if known.status == 200 else None
        send = {**headers, **(known.conditions if known else {})}
        content = {"content": body} if isinstance(body, str) else {"json": body}
        reply = self._ask(path, price, entry, headers=send, params=params, **content)
        if reply.status == 304 and known and known.conditions:
            renew_answer(question, known)
            return known.body
        if reply.status in _NOT_THERE:
            keep_answer(question, CachedAnswer(b"", 404))
            return None
        if not reply.ok:
            what = f"refused: HTTP {reply.status}, {reply.words()!r}"
            raise self.away(what) if RETRY.may_pass(reply.status) else self.failure(what)
        etag, modified = (reply.headers.get(name, "") for name in ("etag", "last-modified"))
        if reply.status == 200 and not self._has_secret(reply.body, etag, modified):
            keep_answer(question, CachedAnswer(reply.body, 200, etag, modified))
        return reply.body

    def _ask(self, path: str, price: float, entry: gate.Gate, **content: Any) -> HttpReply:
        """The service's answer to the last try, each of which waits for its turn."""
        load_client()
        until = time.monotonic() + gate.MOST_WAIT
        tries = 1 if once_only.get() else RETRY.tries
        for attempt in range(tries):
            is_last = attempt == tries - 1
            reply = self._try(path, price, entry, until, is_last=is_last, **content)
            if reply is not None and (is_last or not RETRY.may_pass(reply.status)):
                return reply
            seconds = RETRY.pause(attempt)
            if reply is None or reply.status != 429:
                emit_wait(seconds, f"{self.label} {f'answers HTTP {reply.status}' if reply else 'cannot be reached'}.")
                sleep(seconds)
            elif not read_limits(reply, time.time()).pause:
                entry.note(429, ReplyLimits(pause=seconds))  # nobody is to ask in that time
        raise AssertionError("unreachable")

    def _try(
        self, path: str, price: float, entry: gate.Gate, until: float, *, is_last: bool, **content: Any
    ) -> HttpReply | None:
        """What the service answers; None where it does not and may when it is asked again."""
        timeout = self._settings.timeout
        method = "GET" if content.get("json", "") is None else "POST"
        with self._spending.reserve(price) as bill, entry.turn(timeout + _MARGIN_SECONDS, until):
            self._count(1, 0.0)
            bill.cost = price
            try:
                reply = once(method, self.url + path, timeout=timeout, most=MAX_ANSWER, **content)
            except NoAnswerError as error:
                bill.cost = 0.0 if error.nobody or error.address else price
                self._count(0, bill.cost)
                entry.note(0, ReplyLimits())
                if is_last or not error.retry or (error.nobody and is_here(self.url)):
                    raise (self.away if error.retry else self.failure)(f"did not answer ({error})") from error
                return None
            limits = read_limits(reply, time.time())
            if not (reply.ok or reply.status == 304):
                bill.cost = 0.0
            bill.cost = bill.cost if limits.cost is None else limits.cost
            bill.credit, bill.prepaid = limits.credit, limits.prepaid
            self._count(0, bill.cost)
            entry.note(reply.status, limits)
        if reply.status == 429:
            self._spending.check_refusal(price, bill)
        return reply

    def _count(self, requests: int, cost: float) -> None:
        with self._lock:
            self.requests += requests
            self.cost += cost

    def _question(
        self, path: str, params: Mapping[str, str], headers: Mapping[str, str], body: Any, place: str
    ) -> bytes:
        """A digest of what is asked, the same whoever asks: without keys and e-mail addresses."""
        private = {self.key.reveal(), self.mailto} - {""}
        public = {name: value for name, value in params.items() if value not in private}
        accepts = [value for name, value in headers.items() if name.lower() == "accept"]
        parts = [self.address, path, public, accepts, body, *([place] if place else [])]
        raw = msgspec.json.encode(parts, order="deterministic")
        return blake2b(raw, digest_size=20).digest()

    def _has_secret(self, body: bytes, *texts: str) -> bool:
        """Whether an answer repeats the key or the user's e-mail address."""
        texts_of = {form for text in (self.key.reveal(), self.mailto) if text for form in _forms(text)}
        return any(form.encode() in body or any(form in text for text in texts) for form in texts_of)

    def _message(self, what: str) -> str:
        for form in _forms(self.key.reveal()) if self.key else ():
            what = what.replace(form, "***")
        return f"{self.label} {what}."

    def _forget_last(self) -> None:
        if question := getattr(self._thread, "question", None):
            forget_answer(question)


def service_facts(service: Service, settings: SourcesSettings) -> ServiceFacts:
    """A service's settings and its state today; nothing is asked."""
    return ServiceClient(service, settings).facts()


def _forms(text: str) -> tuple[str, ...]:
    """A text as it is, and as it is written in addresses."""
    return tuple(dict.fromkeys((text, quote(text, safe=""), quote_plus(text), quote(text))))
