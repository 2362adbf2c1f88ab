"""What went wrong with a call: whether trying again can help, and else what the user can do."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import NoAnswerError
from conspectus.core.retry import RetryPolicy, once_only
from conspectus.core.waiting import emit_wait
from conspectus.models.languages.limits import RateLimiter, Sleep

RETRY = RetryPolicy(longest=60.0)
SHOWN = 300
"""Characters of a server's own words that an error repeats."""

TOO_LONG = ("context", "too long", "too large", "exceeds the", "maximum number of tokens", "input token")


@dataclass(frozen=True, slots=True)
class Service:
    """A service as errors name it.

    Attributes:
        name: what is shown; holds no secret.
        key: where its key is set.
        secret: the key itself, so that no error repeats it.
        model: the setting or words that name the model.
        address: where it is.
        speaks: whose language it is spoken to in.
    """

    name: str
    key: str
    secret: str
    model: str
    address: str
    speaks: str = "OpenAI"

    def hide(self, text: str) -> str:
        """The text without the key, and not too long."""
        hidden = text.replace(self.secret, "***") if self.secret else text
        return hidden if len(hidden) <= SHOWN else hidden[:SHOWN] + " …"


class BrokenAnswerError(Exception):
    """An answer that did not come to its end."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One try that failed. `wait` is what the server asked for, in seconds."""

    error: ServiceError
    transient: bool
    wait: float | None = None


def caught() -> tuple[type[Exception], ...]:
    """What pydantic-ai and what is under it raise when a call fails."""
    import httpx2
    from pydantic_ai.exceptions import AgentRunError, UserError

    ours = (AgentRunError, UserError, BrokenAnswerError, NoAnswerError)
    return *ours, httpx2.HTTPError, httpx2.StreamError, TimeoutError, OSError, ValueError


@contextmanager
def unreadable_told() -> Iterator[None]:
    """For a call of pydantic-ai: what it stumbles over in a server's answer is that server's fault.

    Its readers expect what providers send; other servers send what makes them fail anyhow.
    """
    from pydantic_ai.exceptions import UnexpectedModelBehavior

    try:
        yield
    except caught():
        raise
    except Exception as error:
        raise UnexpectedModelBehavior(f"{type(error).__name__}: {error}") from error


def said(error: BaseException) -> str:
    """The server's own words, or the error's."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return str(inner["message"])
        return str(inner)
    return str(body or getattr(error, "message", "") or error or type(error).__name__).strip()


def status_of(error: BaseException) -> int:
    """The HTTP status; 0 where there is none."""
    return int(getattr(error, "status_code", 0) or 0)


def is_too_long(error: BaseException) -> bool:
    """Whether the prompt did not fit."""
    from pydantic_ai.exceptions import ModelContextWindowExceededError

    words = said(error).lower()
    return isinstance(error, ModelContextWindowExceededError) or (
        status_of(error) in {400, 413, 422, 500} and any(word in words for word in TOO_LONG) and "token" in words
    )


def failure(error: Exception, service: Service, timeout: float) -> Failure:
    """What an error of a call means."""
    from pydantic_ai.exceptions import ModelConnectionError, ModelTimeoutError, UnexpectedModelBehavior, UserError

    words = service.hide(said(error))
    if isinstance(error, (TimeoutError, ModelTimeoutError)):
        hint = "Try again later, or give it more time: language.timeout."
        return Failure(ServiceAwayError(f"{service.name} did not answer within {timeout:g} s.", hint), True)
    if status := status_of(error):
        return _refused(error, service, status, words)
    bound = _bound(error)
    if bound or isinstance(error, UnexpectedModelBehavior) or unreadable(error):
        what = bound or f"its answer is no chat completion, {words!r}"
        hint = f"Check that {service.address} is the address of a server that does."
        return Failure(ServiceError(f"{service.name} did not speak {service.speaks}'s language: {what}.", hint), False)
    words = words.rstrip(".")  # the sentence has its own
    if isinstance(error, UserError):
        return Failure(ServiceError(f"{service.name} cannot be asked so: {words}.", service.model), False)
    if isinstance(error, ModelConnectionError) and error.phase != "read":
        return Failure(ServiceAwayError(f"{service.name} cannot be reached: {words}.", _reach(service)), True)
    return Failure(ServiceAwayError(f"{service.name} broke off: {words}.", _reach(service)), True)


def unreadable(error: BaseException | None) -> bool:
    """Whether an answer came to its end and is no JSON, no text, or not packed as it says; not one that was cut off."""
    from httpx2 import DecodingError

    while error is not None:
        if isinstance(error, json.JSONDecodeError):
            text = error.doc.strip()
            return not (text.startswith("{") and (not text.endswith("}") or error.pos >= len(text)))
        if isinstance(error, UnicodeDecodeError):
            return error.end < len(error.object) or error.reason != "unexpected end of data"
        if isinstance(error, DecodingError) or type(error) in (RecursionError, ValueError):  # depth, a number's digits
            return True
        error = error.__cause__ or error.__context__
    return False


def _bound(error: BaseException | None) -> str:
    """Which bound of answers this one passed; "" where it is no such error."""
    while error is not None and not isinstance(error, NoAnswerError):
        error = error.__cause__ or error.__context__
    return str(error or "")


def _reach(service: Service) -> str:
    return f"Check that the server at {service.address} runs and the network is there, then try again."


def _refused(error: Exception, service: Service, status: int, words: str) -> Failure:
    what = f"{service.name} refused: HTTP {status}, {words!r}."
    if hint := _remedy(error, service, status, words.lower()):
        return Failure(ServiceError(what, hint), False)
    if RETRY.may_pass(status) and getattr(error, "provider_retry_hint", None) is not False:
        wait = getattr(error, "retry_after", None)
        asks = f" It asks to wait {wait:g} s." if wait else ""
        return Failure(ServiceAwayError(what + asks, "Try again later."), True, wait)
    return Failure(ServiceError(what, f"Check the model's name, {service.model}, and its address."), False)


def _remedy(error: Exception, service: Service, status: int, words: str) -> str:
    """What to do about a refusal that another try does not help; "" where it is not known to be one."""
    from pydantic_ai.exceptions import ModelAuthenticationError, ModelQuotaExceededError

    if is_too_long(error):
        return "The prompt is too long for it. Take a model with a larger context, or set language.context to its size."
    if "image" in words and "support" in words:  # llama.cpp calls it a failure of its own (500)
        return "It takes no pictures: set language.vision to one that does."
    if isinstance(error, ModelQuotaExceededError):
        return "The account has nothing left: look at it, or take another model."
    if isinstance(error, ModelAuthenticationError) or status in {401, 403}:
        return f"Check the key: {service.key}."
    return ""


@dataclass(slots=True)
class Effort:
    """The tries of one call: how long to wait before the next, or that there is none.

    Waits double from half a second, with up to as much again by chance so that many callers do not come back together.
    """

    service: Callable[[], Service]
    limiter: RateLimiter
    timeout: float
    sleep: Sleep
    tries: int = 0

    def failed(self, error: Exception) -> ServiceError:
        """What is raised for a try that no other may follow."""
        return failure(error, self.service(), self.timeout).error

    async def again(self, error: Exception) -> None:
        """Return when it is time for the next try.

        Raises:
            ServiceError: there is none.
        """
        self.tries += 1
        found = failure(error, self.service(), self.timeout)
        is_last = self.tries == RETRY.tries
        if found.transient and is_last:
            found.error.message += f" It was asked {RETRY.tries} times."
        if not found.transient or is_last or once_only.get():
            raise found.error from None  # what is under it may show the key
        wait = RETRY.pause(self.tries - 1) * (1 + random.random())  # noqa: S311 - not for a secret
        if found.wait is not None:
            wait = min(found.wait, RETRY.longest)
            self.limiter.pause(wait)
        emit_wait(wait, found.error.message)
        await self.sleep(wait)
