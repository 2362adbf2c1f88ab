"""Failures of a call: what happened, whether another try can help, when it is made, and else what the user can do."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec

from conspectus.core.errors import ServiceAwayError, ServiceError, describe_os_error
from conspectus.core.http import NoAnswerError, RetryPolicy, once_only, read_retry_after
from conspectus.core.job_context import emit_wait

TOO_LONG = ("context", "too long", "too large", "exceeds the", "maximum number of tokens", "input token")
SHOWN = 300
"""Characters of a server's own words that an error repeats."""


@dataclass(frozen=True, slots=True)
class ServiceLabel:
    """A service as errors name it.

    Attributes:
        name: what is shown; holds no secret.
        key: where its key is set.
        secret: the key itself, so that no error repeats it.
        model: the setting or words that name the model.
        address: where it is.
    """

    name: str
    key: str
    secret: str
    model: str
    address: str

    def hide(self, text: str) -> str:
        """The text without the key, and not too long."""
        hidden = text.replace(self.secret, "***") if self.secret else text
        return hidden if len(hidden) <= SHOWN else hidden[:SHOWN] + " …"


class BrokenAnswerError(Exception):
    """An answer that did not come to its end."""


class UnreadableAnswerError(Exception):
    """An answer that came to its end and is no chat completion."""


class RefusedError(Exception):
    """The server refused a request.

    Attributes:
        status: the HTTP status.
        words: the server's own words.
        code: its name for the reason; "" where it gives none.
        wait: seconds that it asks to wait; 0: it does not ask.
        final: it says that asking again does not help.
    """

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status = status
        self.words, self.code = read_error(body)
        self.wait = read_retry_after(headers.get("retry-after", ""))
        self.final = headers.get("x-should-retry") == "false"
        super().__init__(f"HTTP {status}: {self.words}")

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt did not fit."""
        words = self.words.lower()
        long = self.status in {400, 413, 422, 500} and "token" in words and any(word in words for word in TOO_LONG)
        return long or self.code == "context_length_exceeded"


def read_error(body: bytes | Any) -> tuple[str, str]:
    """The words and the code of an error: as OpenAI and most others write it, in a list (Google), or as plain text."""
    content = body
    if isinstance(body, bytes):
        try:
            content = msgspec.json.decode(body)
        except (ValueError, RecursionError):
            return " ".join(body.decode(errors="replace").split()), ""
    if isinstance(content, list) and content:
        content = content[0]
    if isinstance(content, dict):
        inner = content.get("error") or content
        if isinstance(inner, dict):
            words = inner.get("message") or inner.get("detail") or content.get("message") or inner
            return str(words).strip(), str(inner.get("code") or inner.get("type") or "")
        content = inner
    return str(content).strip(), ""


RETRY = RetryPolicy(longest=60.0)
CALL_ERRORS = (
    *(RefusedError, BrokenAnswerError, UnreadableAnswerError, NoAnswerError),
    *(httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, TimeoutError, OSError),
)
"""What is raised where a try fails."""
_NO_MONEY = ("insufficient_quota", "billing_error", "credit balance", "exceeded your current quota")
_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.PoolTimeout)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """One try that failed. `wait` is what the server asked for, in seconds; 0: it did not ask."""

    error: ServiceError
    transient: bool
    wait: float = 0.0


def describe_failure(error: Exception, service: ServiceLabel, timeout: float) -> CallFailure:
    """What an error of a try means."""
    words = service.hide(str(error)).rstrip(".")
    happened = service.hide(describe_os_error(error, urlsplit(service.address).hostname or ""))
    reach = f"Check that the server at {service.address} runs and the network is there, then try again."
    if isinstance(error, RefusedError):
        return _describe_refusal(error, service)
    if isinstance(error, _UNREACHED):
        return CallFailure(ServiceAwayError(f"{service.name} cannot be reached: {happened}.", reach), transient=True)
    if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
        hint = "Try again later, or give it more time: language.timeout."
        away = ServiceAwayError(f"{service.name} did not answer within {timeout:g} s.", hint)
        return CallFailure(away, transient=True)
    if isinstance(error, (httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        wrong = ServiceError(f"{service.name} has an address that cannot be asked: {words}.", service.model)
        return CallFailure(wrong, transient=False)
    if isinstance(error, (UnreadableAnswerError, NoAnswerError, httpx2.DecodingError)):
        what = words if isinstance(error, NoAnswerError) else f"its reply is no chat completion ({words})"
        foreign = ServiceError(
            f"{service.name} did not answer as a server of language models does: {what}.",
            f"Check that {service.address} is the address of one; it often ends in /v1.",
        )
        return CallFailure(foreign, transient=False)
    broken = ServiceAwayError(f"{service.name} broke off: {happened}.", reach)
    return CallFailure(broken, transient=True)


def _describe_refusal(error: RefusedError, service: ServiceLabel) -> CallFailure:
    what = f"{service.name} refused: HTTP {error.status}, {service.hide(error.words)!r}."
    if hint := _remedy(error, service):
        return CallFailure(ServiceError(what, hint), transient=False)
    if RETRY.may_pass(error.status) and not error.final:
        asks = f" It asks to wait {error.wait:g} s." if error.wait else ""
        return CallFailure(ServiceAwayError(what + asks, "Try again later."), True, error.wait)
    hint = f"Check the model's name, {service.model}, and its address."
    return CallFailure(ServiceError(what, hint), transient=False)


def _remedy(error: RefusedError, service: ServiceLabel) -> str:
    """What to do about a refusal that another try does not help; "" where it is not known to be one."""
    words = f"{error.code} {error.words}".lower()
    if error.is_too_long:
        return "The prompt is too long for it. Take a model with a larger context, or set language.context to its size."
    if "image" in words and "support" in words:  # llama.cpp calls it a failure of its own (500)
        return "It takes no pictures: set language.vision to one that does."
    if "reasoning_effort" in words:
        return "It does not take this effort: change language.effort, or leave it empty."
    if error.status == 402 or any(sign in words for sign in _NO_MONEY):
        return "The account has nothing left: look at it, or take another model."
    if error.status in {401, 403} or "api key" in words or "api_key" in words:
        return f"Check the key: {service.key}."
    return ""


@dataclass(slots=True)
class CallRetries:
    """The tries of one call: how long to wait before the next, or that there is none.

    Waits double from half a second, with up to as much again by chance so that many callers do not come back together.

    Attributes:
        label: names the service.
        pause: lets nobody else call for so many seconds, because the server asked for it.
        timeout: seconds that a try may take.
    """

    label: Callable[[], ServiceLabel]
    pause: Callable[[float], None]
    timeout: float
    sleep: Callable[[float], Awaitable[object]]
    tries: int = 0

    def final(self, error: Exception) -> ServiceError:
        """What is raised for a try that no other may follow."""
        return describe_failure(error, self.label(), self.timeout).error

    async def wait(self, error: Exception) -> None:
        """Return when it is time for the next try.

        Raises:
            ServiceError: there is none.
        """
        self.tries += 1
        failure = describe_failure(error, self.label(), self.timeout)
        is_last = self.tries == RETRY.tries
        if failure.transient and is_last:
            failure.error.message += f" It was asked {RETRY.tries} times."
        if not failure.transient or is_last or once_only.get():
            raise failure.error from None  # what is under it may show the key
        seconds = RETRY.pause(self.tries - 1) * (1 + random.random())  # noqa: S311 - not for a secret
        if failure.wait:
            seconds = min(failure.wait, RETRY.longest)
            self.pause(seconds)
        emit_wait(seconds, failure.error.message)
        await self.sleep(seconds)
