"""Calls of language models for one answer: checked, cached, counted, within a budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from conspectus.core.errors import ServiceAwayError, UnavailableError
from conspectus.core.threads import run_in_daemon
from conspectus.llm.budget import Budget, CallCache, CallUsage, UsageMeter, count_call
from conspectus.llm.output_spec import OutputSpec, UselessAnswerError, ask_again, check_reply, schema_of, useless_twice
from conspectus.llm.prompts import Prompts, answer_room, new_seal, sealed
from conspectus.models.language import ImagePart, LanguageModel, Message, ModelReply, Request, Tool
from conspectus.models.languages.registry import LanguageModels
from conspectus.models.pairs import OnnxEntailment
from conspectus.records import Usage
from conspectus.records.models import Role
from conspectus.settings import BudgetSettings, LanguageSettings


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of the settings, or `name` for all roles."""

    models: LanguageModels
    name: str = ""

    def of(self, role: Role) -> LanguageModel:
        """The model for a role; the one that reads figures is only its own.

        Raises:
            UnavailableError: none is set.
            SettingsError: its name has no known form.
        """
        model = self.models.get_model(self.name) if self.name and role != "vision" else self.models.of(role)
        if model is None and role == "vision":
            raise UnavailableError(
                "There is no language model that reads figures.",
                "Set language.vision to one that accepts images, or leave out `read_figures=True`.",
            )
        if model is None:
            raise UnavailableError(
                f"There is no language model for the role '{role}'.",
                "Connect one (`models connect`), or name one with `model=NAME`.",
            )
        return model

    def get_model(self, name: str) -> LanguageModel:
        """The model of this name."""
        return self.models.get_model(name)

    def entailment(self) -> OnnxEntailment | None:
        """The model of entailment that judges statements, whatever model has the roles; None where there is none."""
        return self.models.entailment()


T = TypeVar("T")
Values = Mapping[str, str | ImagePart]
"""What a prompt takes, by names; under `picture` what is shown with it."""
NOTHING = ModelReply("")
LAST_MOMENT = 0.2
"""Seconds after the budget's time in which an answer is made of what there is."""


@dataclass(frozen=True, slots=True)
class ReplyShare:
    """What a call about several things said of one of them.

    Attributes:
        values: of the prompt of a call about it alone.
        text: what that call would have said.
        papers: the ids of those whose words it is about.
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
        models: RoleModels,
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
        self._ids: dict[int, tuple[LanguageModel, asyncio.Future[str]]] = {}
        self._sent: dict[Message, Message] = {}
        self._contexts: dict[int, int] = {}

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
        return await self._in_time(work, 1.0, LAST_MOMENT)

    async def name_of(self, role: Role) -> str:
        """The id of the model for a role."""
        return await self._id(self.models.of(role))

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
        models_used = [*map(self.models.of, roles), *map(self.models.get_model, models)]
        for model in {id(model): model for model in models_used}.values():
            with suppress(ServiceAwayError):
                await self._context(model)

    async def context(self, role: Role) -> int:
        """Tokens that a prompt and its answer may have together with the model for a role; 0 where nobody knows.

        Raises:
            ServiceError, BudgetError: its server cannot be asked.
        """
        return self._settings.context or await self._context(self.models.of(role))

    async def _context(self, model: LanguageModel) -> int:
        await self._id(model)  # a server that was away is not asked again
        self._contexts[id(model)] = await self._in_time(run_in_daemon(lambda: model.context), 1.0)
        return self._contexts[id(model)]

    async def ask(
        self,
        role: Role,
        name: str,
        values: Values,
        output: OutputSpec[T],
        *,
        papers: Sequence[str] = (),
        share: float = 1.0,
        watch: Callable[[str], None] | None = None,
        by: str = "",
    ) -> T:
        """What a model answers to a prompt, checked; asked once more with the error where it cannot be used.

        Args:
            role: whose model is asked.
            name: of the prompt.
            values: that the prompt takes; `picture` is shown with it.
            output: what it has to give.
            papers: the ids of those whose words are in the prompt.
            share: of the budget that may be used up by the end of this call.
            watch: told the answer's JSON as far as it has come, while it comes.
            by: the name of the model that is asked instead of the role's.

        Raises:
            ModelAnswerError: it cannot be used the second time either, or the model refused.
            BudgetError: the budget is used up.
            ServiceError: the model cannot be asked.
        """
        model = self.models.get_model(by) if by else self.models.of(role)
        request = self._request(name, values, output)
        digest = self._digest(await self._id(model, share), request)
        if (cached := await self._find_cached(role, model, name, digest, output)) is not None:
            return cached
        value, reply = await self._ask_twice(role, model, name, request, output, share, watch)
        await self._keep(model, digest, reply, papers)
        return value

    async def _ask_twice(
        self,
        role: Role,
        model: LanguageModel,
        name: str,
        request: Request,
        output: OutputSpec[T],
        share: float,
        seen: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        """What a model answers, checked, and its reply; asked once more with the error. Raises as `ask`."""
        prompt, attempt = self.prompts.get(name), request
        for last in (False, True):
            reply = await self._call(role, model, prompt.id, attempt, share, seen)
            try:
                return check_reply(reply, output), reply
            except UselessAnswerError as useless:
                if last or reply.finish == "refused":
                    raise useless_twice(await self._id(model, share), name, useless, reply) from None
                attempt = replace(request, messages=(*request.messages, *ask_again(reply, useless)))
        raise AssertionError("unreachable")

    async def cache_key(self, role: Role, name: str, values: Values, output: OutputSpec[T]) -> tuple[str, str]:
        """The model's id, and the digest by which the library keeps its answer to such a call. See `ask`."""
        model = await self.name_of(role)
        return model, self._digest(model, self._request(name, values, output))

    async def find_cached(
        self, role: Role, name: str, values: Mapping[str, str], output: OutputSpec[T], share: float
    ) -> T | None:
        """What is kept of a call, checked; None where there is nothing that can be used. See `ask`."""
        model = self.models.of(role)
        digest = self._digest(await self._id(model, share), self._request(name, values, output))
        return await self._find_cached(role, model, name, digest, output)

    async def ask_about_several(
        self,
        role: Role,
        name: str,
        values: Mapping[str, str],
        output: OutputSpec[T],
        split: Callable[[T], Sequence[ReplyShare]],
        share: float,
    ) -> T:
        """What a model says of several things in one call; each is kept as what a call about it alone would say.

        See `ask` for what it raises.
        """
        model = self.models.of(role)
        value, reply = await self._ask_twice(role, model, name, self._request(name, values, output), output, share)
        parts = split(value)
        for part in parts:
            digest = self._digest(await self._id(model, share), self._request(name, part.values, output))
            await self._keep(model, digest, replace(reply.part_of(len(parts)), text=part.text), part.papers)
        return value

    async def turn(
        self,
        role: Role,
        prompt_id: str,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        papers: Sequence[str] = (),
        share: float = 1.0,
    ) -> ModelReply:
        """A model's next turn in a conversation with tools; `share` of the budget may be used up by its end.

        Raises:
            BudgetError: the budget is used up.
            ServiceError: the model cannot be asked.
        """
        settings = self._settings
        request = Request(
            tuple(messages), tools=tuple(tools), max_tokens=settings.max_tokens, temperature=settings.temperature
        )
        model = self.models.of(role)
        digest = self._digest(await self._id(model, share), request)
        if reply := self._find_reply(digest):
            await self._count_cached(role, model, prompt_id, reply)
            return reply
        reply = await self._call(role, model, prompt_id, request, share, None)
        if reply.finish != "length":  # what a budget cut short is not what the model has to say
            await self._keep(model, digest, reply, papers)
        return reply

    def _request(self, name: str, values: Values, output: OutputSpec[T]) -> Request:
        picture = values.get("picture")
        return Request(
            self.prompts.get(name).messages({key: text for key, text in values.items() if isinstance(text, str)}),
            dict(output.schema or schema_of(output.kind)),
            name,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            picture=picture if isinstance(picture, ImagePart) else None,
        )

    async def _call(
        self,
        role: Role,
        model: LanguageModel,
        prompt_id: str,
        request: Request,
        share: float,
        seen: Callable[[str], None] | None,
    ) -> ModelReply:
        """The reply to one request; what it took is counted, also where it fails."""
        name = await self._id(model, share)
        request = self._seal_request(self._within_context(model, request))

        async def affordable() -> ModelReply:
            async with self._budget.hold(name, prompt_id, request, share) as allowed:
                spent, began = CallUsage(role, name, prompt_id, NOTHING), time.monotonic()
                try:
                    reply = await (_streamed(model, allowed, seen) if seen else model.complete(allowed))
                except BaseException:
                    failed = replace(NOTHING, seconds=time.monotonic() - began)
                    self._spend(replace(spent, reply=failed, failed=True))
                    raise
                self._spend(replace(spent, reply=reply))
                return reply

        return await self._in_time(affordable(), share)

    def _within_context(self, model: LanguageModel, request: Request) -> Request:
        """The request with an answer that fits the model's context, as far as that is known: some servers refuse more.

        What is kept is found by the request as it was, so that another context asks for nothing again.
        """
        context = self._settings.context or self._contexts.get(id(model), 0)
        return replace(request, max_tokens=answer_room(context, request.max_tokens))

    def _seal_request(self, request: Request) -> Request:
        """The request with random fences. A message of a conversation that was sent stays what it was.

        So a server has the beginning of what it gets still in its memory.
        """
        seal = new_seal()
        if not request.tools:
            return replace(request, messages=tuple(sealed(message, seal) for message in request.messages))
        messages = (self._sent.setdefault(message, sealed(message, seal)) for message in request.messages)
        return replace(request, messages=tuple(messages))

    async def _in_time(self, work: Coroutine[Any, Any, T], share: float, longer: float = 0.0) -> T:
        """What comes of work within the budget's time, and `longer` seconds."""
        left = self._budget.remaining_seconds(share)
        limit = asyncio.timeout(None if left is None else left + longer)
        try:
            async with limit:
                return await work
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise self._budget.out_of_time(share) from error

    async def _id(self, model: LanguageModel, share: float = 1.0) -> str:
        """A model's id. Its server may have to be asked for it: once, and meanwhile other calls go on."""
        if id(model) not in self._ids:
            pending = asyncio.ensure_future(run_in_daemon(lambda: model.id))
            pending.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may be awaited by nobody
            self._ids[id(model)] = model, pending
        _, known = self._ids[id(model)]

        async def answered() -> str:
            return await asyncio.shield(known)  # others wait for it too

        return known.result() if known.done() else await self._in_time(answered(), share)

    def _digest(self, model: str, request: Request) -> str:
        """What an answer is kept by; how much the model reasoned counts where it was told.

        A request without a picture has the digest that it had before there were any: what was paid for stays known.
        """
        effort = self._settings.effort
        values = ((field.name, getattr(request, field.name)) for field in fields(request))
        content = {name: value for name, value in values if value or name != "picture"}
        key = f"{model} effort={effort}" if effort else model
        return blake2b(msgspec.json.encode((key, content)), digest_size=32).hexdigest()

    async def _find_cached(
        self, role: Role, model: LanguageModel, name: str, digest: str, output: OutputSpec[T]
    ) -> T | None:
        if reply := self._find_reply(digest):
            with suppress(UselessAnswerError):  # the check has become stricter since: it is asked and kept again
                value = check_reply(reply, output)
                await self._count_cached(role, model, self.prompts.get(name).id, reply)
                return value
        return None

    def _find_reply(self, digest: str) -> ModelReply | None:
        if not self._settings.cache or self._fresh:
            return None
        return self._call_cache.find_replies([digest]).get(digest)

    async def _count_cached(self, role: Role, model: LanguageModel, prompt_id: str, reply: ModelReply) -> None:
        """Count a call that the library had the answer to."""
        self._spend(CallUsage(role, await self._id(model), prompt_id, reply, from_cache=True))

    async def _keep(self, model: LanguageModel, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        """Keep what was paid for; then see that its price is known, where dollars are limited."""
        if self._settings.cache:
            self._call_cache.keep(digest, reply, papers)
        self._budget.check_price(await self._id(model))

    def _spend(self, spent: CallUsage) -> None:
        self.meter.add(spent)
        self._budget.learn(spent)
        count_call(spent)
        self._call_cache.spend(spent)


async def _streamed(model: LanguageModel, request: Request, seen: Callable[[str], None]) -> ModelReply:
    """The answer piece by piece; where it breaks off on the way, asked for once more as a whole."""
    text = ""
    try:
        async for piece in model.stream(request):
            if isinstance(piece, ModelReply):
                return piece
            text += piece
            seen(text)
    except ServiceAwayError:
        if not text:
            raise
    return await model.complete(request)
