"""Calls of language models for one answer: checked, kept, counted, within a budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from typing import Any, Protocol, TypeVar

import msgspec

from conspectus.core.daemon_threads import run_in_daemon
from conspectus.core.errors import ModelAnswerError, ModelRefusalError, ServiceAwayError
from conspectus.core.roles import Role
from conspectus.llm.budget import Budget
from conspectus.llm.prompting import Prompts, new_seal, sealed
from conspectus.llm.usage import Spent, UsageMeter, count
from conspectus.llm.wanted import UNREADABLE, Wanted, read, schema_of
from conspectus.models.entailment import OnnxEntailment
from conspectus.models.language import LanguageModel, Message, Picture, Reply, Request, Tool
from conspectus.records import Usage
from conspectus.settings import BudgetSettings, LanguageSettings

T = TypeVar("T")
Values = Mapping[str, str | Picture]
"""What a prompt takes, by names; under `picture` what is shown with it."""
_SHOWN = 300
"""Characters of a useless answer that an error shows."""
NOTHING = Reply("")
LAST_MOMENT = 0.2
"""Seconds after the budget's time in which an answer is made of what there is."""


class CallCache(Protocol):
    """Where answers of models are kept, and what they took."""

    def known(self, digests: Sequence[str]) -> Mapping[str, Reply]:
        """Those answers that are there."""

    def keep(self, digest: str, reply: Reply, papers: Sequence[str]) -> None:
        """Keep an answer to a prompt that has words of these papers (ids) in it; written soon."""

    def spend(self, spent: Spent) -> None:
        """Note what a call took; written soon."""


class Models(Protocol):
    """The language models of a library, by what they are used for."""

    def of(self, role: Role) -> LanguageModel:
        """The model for a role; loads or connects at first use.

        Raises:
            UnavailableError: none is set.
            SettingsError: its name has no known form.
        """

    def named(self, name: str) -> LanguageModel:
        """The model of this name."""

    def entailment(self) -> OnnxEntailment | None:
        """The model of entailment that judges statements; None where there is none."""


@dataclass(frozen=True, slots=True)
class Apart:
    """One of several things that a call said: `text` is what a call about it alone, with its `values`, would say.

    `papers` are the ids of those whose words it is about.
    """

    values: Mapping[str, str]
    text: str
    papers: tuple[str, ...]


class LlmClient:
    """Asks models for one answer, and keeps account.

    Args:
        models: which model has which role.
        prompts: what is asked.
        call_cache: where answers are kept.
        settings: temperature, length, whether answers are kept.
        budget: what all calls together may take.
        fresh: do not read what is kept; what comes takes its place.
        began: when the question was asked, by `time.monotonic`; None: now.
    """

    def __init__(
        self,
        models: Models,
        prompts: Prompts,
        call_cache: CallCache,
        settings: LanguageSettings,
        budget: BudgetSettings,
        *,
        fresh: bool = False,
        began: float | None = None,
    ) -> None:
        self.models = models
        self.prompts = prompts
        self.meter = UsageMeter()
        self._call_cache = call_cache
        self._settings = settings
        self._fresh = fresh
        self._budget = Budget(budget, self.meter, settings.concurrency, began)
        self._ids: dict[int, tuple[LanguageModel, str]] = {}
        self._away: dict[int, ServiceAwayError] = {}
        self._naming = asyncio.Lock()
        self._sent: dict[Message, Message] = {}

    @property
    def usage(self) -> Usage:
        """What has been spent so far; seconds are from the beginning."""
        return self.meter.usage(self._budget.seconds)

    @property
    def tokens_left(self) -> int | None:
        """Tokens that the budget has left; None: they are not limited."""
        return self._budget.tokens_left

    async def within_budget(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of work that may wait for more than models, such as a search, within the budget's time.

        Raises:
            BudgetError: the time is over. What waits for a model hears of it a little earlier.
        """
        left = self._budget.left(1.0)
        try:
            async with asyncio.timeout(None if left is None else left + LAST_MOMENT) as limit:
                return await work
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise self._budget.out_of_time(1.0) from error

    async def name_of(self, role: Role) -> str:
        """The id of the model for a role."""
        return await self._id(self.models.of(role), 1.0)

    def names(self) -> tuple[str, ...]:
        """The models that were used, in the order of their first use."""
        return tuple(self.meter.models)

    async def prepare(self, roles: Sequence[Role], prompts: Sequence[str], models: Sequence[str] = ()) -> None:
        """See, before anything is paid for, that what will be asked can be; learn what servers tell of their models.

        A server that does not answer now is no error here: it is told when it is needed.

        Args:
            roles: whose models will be asked.
            prompts: the names of what will be asked.
            models: the names of those that are asked instead of a role's.

        Raises:
            UnavailableError: no model has a role.
            SettingsError: a name has no known form, or a prompt of the library cannot be used.
            NotFoundError: there is no such prompt.
            ServiceError, ModelMissingError: a key, a package or a file is missing.
            BudgetError: the budget's time is used up.
        """
        for name in prompts:
            self.prompts.get(name)
        found = [*map(self.models.of, roles), *map(self.models.named, models)]
        for model in {id(model): model for model in found}.values():
            with suppress(ServiceAwayError):
                await self._context(model)

    async def context(self, role: Role) -> int:
        """Tokens that a prompt and its answer may have together with the model for a role; 0 where nobody knows.

        Raises:
            ServiceError, BudgetError: its server cannot be asked.
        """
        return self._settings.context or await self._context(self.models.of(role))

    async def _context(self, model: LanguageModel) -> int:
        await self._id(model, 1.0)  # a server that was away is not asked again
        return await self._in_time(run_in_daemon(lambda: model.context), 1.0)

    async def ask(
        self,
        role: Role,
        name: str,
        values: Values,
        wanted: Wanted[T],
        *,
        papers: Sequence[str] = (),
        share: float = 1.0,
        seen: Callable[[str], None] | None = None,
        by: str = "",
    ) -> T:
        """What a model answers to a prompt, checked; asked once more with the error where it cannot be used.

        Args:
            role: whose model is asked.
            name: of the prompt.
            values: that the prompt takes; `picture` is shown with it.
            wanted: what it has to give.
            papers: the ids of those whose words are in the prompt.
            share: of the budget that may be used up by the end of this call.
            seen: told the answer's JSON as far as it has come, while it comes.
            by: the name of the model that is asked instead of the role's.

        Raises:
            ModelAnswerError: it cannot be used the second time either, or the model refused.
            BudgetError: the budget is used up.
            ServiceError: the model cannot be asked.
        """
        model = self.models.named(by) if by else self.models.of(role)
        request = self._request(name, values, wanted)
        digest = self._digest(await self._id(model, share), request)
        if (kept := await self._kept(role, model, self.prompts.get(name).id, digest, wanted)) is not None:
            return kept
        value, reply = await self._twice(role, model, name, request, wanted, share, seen)
        await self._keep(model, digest, reply, papers)
        return value

    async def _twice(
        self,
        role: Role,
        model: LanguageModel,
        name: str,
        request: Request,
        wanted: Wanted[T],
        share: float,
        seen: Callable[[str], None] | None = None,
    ) -> tuple[T, Reply]:
        """What a model answers, checked, and its reply; asked once more with the error. Raises as `ask`."""
        prompt, asked = self.prompts.get(name), request
        for last in (False, True):
            reply = await self._call(role, model, prompt.id, asked, share, seen)
            try:
                return self._checked(reply, wanted), reply
            except _Useless as useless:
                if last or reply.finish == "refused":
                    raise _unusable(await self._id(model, share), name, useless, reply) from None
                asked = replace(request, messages=(*request.messages, *_again(reply, useless)))
        raise AssertionError("unreachable")

    async def kept_as(self, role: Role, name: str, values: Values, wanted: Wanted[T]) -> tuple[str, str]:
        """The model's id, and the digest by which the library keeps its answer to such a call. See `ask`."""
        model = await self._id(self.models.of(role), 1.0)
        return model, self._digest(model, self._request(name, values, wanted))

    async def known(
        self, role: Role, name: str, values: Mapping[str, str], wanted: Wanted[T], share: float
    ) -> T | None:
        """What is kept of a call, checked; None where there is nothing that can be used. See `ask`."""
        model = self.models.of(role)
        digest = self._digest(await self._id(model, share), self._request(name, values, wanted))
        return await self._kept(role, model, self.prompts.get(name).id, digest, wanted)

    async def ask_at_once(
        self,
        role: Role,
        name: str,
        values: Mapping[str, str],
        wanted: Wanted[T],
        apart: Callable[[T], Sequence[Apart]],
        share: float,
    ) -> T:
        """What a model says of several things in one call; each is kept as what a call about it alone would say.

        See `ask` for what it raises.
        """
        model = self.models.of(role)
        value, reply = await self._twice(role, model, name, self._request(name, values, wanted), wanted, share)
        parts = apart(value)
        for part in parts:
            digest = self._digest(await self._id(model, share), self._request(name, part.values, wanted))
            await self._keep(model, digest, replace(reply.part_of(len(parts)), text=part.text), part.papers)
        return value

    def _request(self, name: str, values: Values, wanted: Wanted[T]) -> Request:
        picture = values.get("picture")
        return Request(
            self.prompts.get(name).messages({one: text for one, text in values.items() if isinstance(text, str)}),
            dict(wanted.schema or schema_of(wanted.kind)),
            name,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            picture=picture if isinstance(picture, Picture) else None,
        )

    async def turn(
        self,
        role: Role,
        prompt_id: str,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        papers: Sequence[str] = (),
        share: float = 1.0,
    ) -> Reply:
        """A model's next turn in a conversation with tools; `share` of the budget may be used up by its end.

        Raises:
            BudgetError: the budget is used up.
            ServiceError: the model cannot be asked.
        """
        request = Request(
            tuple(messages),
            tools=tuple(tools),
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
        )
        model = self.models.of(role)
        digest = self._digest(await self._id(model, share), request)
        if reply := self._known(digest):
            await self._found(role, model, prompt_id, reply)
            return reply
        reply = await self._call(role, model, prompt_id, request, share, None)
        if reply.finish != "length":  # what a budget cut short is not what the model has to say
            await self._keep(model, digest, reply, papers)
        return reply

    async def _call(
        self,
        role: Role,
        model: LanguageModel,
        prompt_id: str,
        request: Request,
        share: float,
        seen: Callable[[str], None] | None,
    ) -> Reply:
        name = await self._id(model, share)
        request = self._sealed(request)

        async def held() -> Reply:
            async with self._budget.hold(name, prompt_id, request, share) as allowed:
                return await self._asked(Spent(role, name, prompt_id, NOTHING), model, allowed, seen)

        return await self._in_time(held(), share)

    def _sealed(self, request: Request) -> Request:
        """The request with random fences. A message of a conversation that was sent stays what it was.

        So a server has the beginning of what it gets still in its memory.
        """
        seal = new_seal()
        if not request.tools:
            return replace(request, messages=tuple(sealed(message, seal) for message in request.messages))
        return replace(
            request, messages=tuple(self._sent.setdefault(one, sealed(one, seal)) for one in request.messages)
        )

    async def _asked(
        self, spent: Spent, model: LanguageModel, request: Request, seen: Callable[[str], None] | None
    ) -> Reply:
        began = time.monotonic()
        try:
            reply = await (_streamed(model, request, seen) if seen else model.complete(request))
        except BaseException:
            failed = replace(NOTHING, seconds=time.monotonic() - began)
            self._spend(replace(spent, reply=failed, failed=True))
            raise
        self._spend(replace(spent, reply=reply))
        return reply

    async def _in_time(self, doing: Coroutine[Any, Any, T], share: float) -> T:
        """What comes of something within the budget's time."""
        limit = asyncio.timeout(self._budget.left(share))
        try:
            async with limit:
                return await doing
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise self._budget.out_of_time(share) from error

    async def _id(self, model: LanguageModel, share: float) -> str:
        """A model's id. Its server may have to be asked for it: once, and meanwhile other calls go on."""
        if id(model) not in self._ids:
            self._ids[id(model)] = model, await self._in_time(self._ask_id(model), share)
        return self._ids[id(model)][1]

    async def _ask_id(self, model: LanguageModel) -> str:
        async with self._naming:  # the first asks, the others wait for what it hears
            if known := self._ids.get(id(model)):
                return known[1]
            if away := self._away.get(id(model)):
                raise away
            try:
                return await run_in_daemon(lambda: model.id)
            except ServiceAwayError as error:  # it was asked more than once, and waited for
                self._away[id(model)] = error
                raise

    def _digest(self, model: str, request: Request) -> str:
        """What an answer is kept by; how much the model reasoned counts where it was told."""
        effort = self._settings.effort
        return _digest(f"{model} effort={effort}" if effort else model, request)

    async def _kept(self, role: Role, model: LanguageModel, prompt_id: str, digest: str, wanted: Wanted[T]) -> T | None:
        if reply := self._known(digest):
            with suppress(_Useless):  # the check has become stricter since: it is asked again, and kept anew
                value = self._checked(reply, wanted)
                await self._found(role, model, prompt_id, reply)
                return value
        return None

    def _known(self, digest: str) -> Reply | None:
        if not self._settings.cache or self._fresh:
            return None
        return self._call_cache.known([digest]).get(digest)

    async def _found(self, role: Role, model: LanguageModel, prompt_id: str, reply: Reply) -> None:
        """Count a call that the library had the answer to."""
        self._spend(Spent(role, await self._id(model, 1.0), prompt_id, reply, from_cache=True))

    async def _keep(self, model: LanguageModel, digest: str, reply: Reply, papers: Sequence[str]) -> None:
        """Keep what was paid for; then see that its price is known, where dollars are limited."""
        if self._settings.cache:
            self._call_cache.keep(digest, reply, papers)
        self._budget.check_price(await self._id(model, 1.0))

    def _spend(self, spent: Spent) -> None:
        self.meter.add(spent)
        self._budget.learn(spent)
        count(spent)
        self._call_cache.spend(spent)

    def _checked(self, reply: Reply, wanted: Wanted[T]) -> T:
        if reply.finish == "refused":
            raise _Useless("it refuses to answer")
        if reply.finish == "length":
            raise _Useless("it is too long and breaks off; be shorter")
        try:
            value = read(reply.text, wanted.kind)
        except UNREADABLE as error:
            raise _Useless(f"it is not the JSON asked for ({error})") from error
        if trouble := wanted.check(value):
            raise _Useless(trouble)
        return value


class _Useless(Exception):
    """An answer that cannot be used, and why."""


async def _streamed(model: LanguageModel, request: Request, seen: Callable[[str], None]) -> Reply:
    """The answer piece by piece; where it breaks off on the way, asked for once more as a whole."""
    text = ""
    try:
        async for piece in model.stream(request):
            if isinstance(piece, Reply):
                return piece
            text += piece
            seen(text)
    except ServiceAwayError:
        if not text:
            raise
    return await model.complete(request)


def _digest(model: str, request: Request) -> str:
    """Of a request without a picture as it was before there were any: what was paid for stays known."""
    asked = {
        one.name: value for one in fields(request) if (value := getattr(request, one.name)) or one.name != "picture"
    }
    return blake2b(msgspec.json.encode((model, asked)), digest_size=32).hexdigest()


def _again(reply: Reply, useless: _Useless) -> tuple[Message, Message]:
    said = f"That cannot be used: {useless}. Answer again, with nothing but the JSON object that was asked for."
    return Message("assistant", reply.text or "(nothing)"), Message("user", said)


def _unusable(model: str, name: str, useless: _Useless, reply: Reply) -> ModelAnswerError:
    if reply.finish == "refused":
        said = f": {reply.text[:_SHOWN]!r}" if reply.text else ""
        return ModelRefusalError(
            f"The model '{model}' refused the prompt '{name}'{said}.", "Ask otherwise, or choose another model."
        )
    return ModelAnswerError(
        f"The model '{model}' answered the prompt '{name}' twice with something that cannot be used: {useless}.",
        f"It said {reply.text[:_SHOWN]!r}. A stronger model may do better; what was read is kept.",
    )
