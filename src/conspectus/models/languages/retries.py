"""A call that failed: whether another try can help, when it is made, and else what the user can do."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx2

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import NoAnswerError
from conspectus.core.retry import RetryPolicy, once_only
from conspectus.core.waiting import emit_wait
from conspectus.models.languages.backend import ServiceLabel
from conspectus.models.languages.chat_errors import BrokenAnswerError, RefusedError, UnreadableAnswerError

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
    reach = f"Check that the server at {service.address} runs and the network is there, then try again."
    if isinstance(error, RefusedError):
        return _describe_refusal(error, service)
    if isinstance(error, _UNREACHED):
        return CallFailure(ServiceAwayError(f"{service.name} cannot be reached: {words}.", reach), transient=True)
    if isinstance(error, (TimeoutError, httpx2.TimeoutException)):
        hint = "Try again later, or give it more time: language.timeout."
        away = ServiceAwayError(f"{service.name} did not answer within {timeout:g} s.", hint)
        return CallFailure(away, transient=True)
    if isinstance(error, (httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        wrong = ServiceError(f"{service.name} has an address that cannot be asked: {words}.", service.model)
        return CallFailure(wrong, transient=False)
    if isinstance(error, (UnreadableAnswerError, NoAnswerError, httpx2.DecodingError)):
        what = words if isinstance(error, NoAnswerError) else f"its answer is no chat completion, {words!r}"
        foreign = ServiceError(
            f"{service.name} did not speak OpenAI's language: {what}.",
            f"Check that {service.address} is the address of a server that does.",
        )
        return CallFailure(foreign, transient=False)
    broken = ServiceAwayError(f"{service.name} broke off: {words or type(error).__name__}.", reach)
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
