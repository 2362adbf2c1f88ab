"""What models answered, written to the library while the answer is still being made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from conspectus.core.errors import BusyError, LibraryError, ServiceError
from conspectus.llm import sql
from conspectus.llm.budget import CallUsage
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.prompts import Prompts
from conspectus.models.language import ModelReply
from conspectus.settings import Settings
from conspectus.store.catalog import Catalog


class LibraryCallCache:
    """Keeps calls for one answer: what has come by the time of a write goes into one transaction, in a thread.

    Args:
        catalog: where they are kept.
        answer_id: of the answer that the calls are for.

    Attributes:
        trouble: why nothing can be kept; "" as long as it can.
    """

    def __init__(self, catalog: Catalog, answer_id: str) -> None:
        self.trouble = ""
        self._catalog = catalog
        self._answer_id = answer_id
        self._calls: list[sql.Call] = []
        self._spent: list[sql.Spent] = []
        self._writing: asyncio.Task[None] | None = None

    def find_replies(self, digests: Sequence[str]) -> Mapping[str, ModelReply]:
        """Those answers that are there."""
        return sql.read_replies(self._catalog, digests)

    def keep(self, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        """Keep an answer to a prompt that has words of these papers in it."""
        self._calls.append((digest, reply, papers))
        self._write_soon()

    def spend(self, spent: CallUsage) -> None:
        """Note what a call took."""
        self._spent.append(self._row(spent))
        self._write_soon()

    async def finish(self) -> None:
        """Write what is left."""
        while (writing := self._writing) is not None:
            await writing
            if self._writing is writing:
                self._writing = None
        await self._write()

    def _write_soon(self) -> None:
        if not self.trouble and (self._writing is None or self._writing.done()):
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while not self.trouble and (self._calls or self._spent):
            calls, spent = self._calls, self._spent
            self._calls, self._spent = [], []
            try:
                await asyncio.to_thread(sql.keep_calls, self._catalog.engine, calls, spent)
            except (LibraryError, ServiceError, BusyError) as error:  # an answer is worth more than its keeping
                self.trouble = f"The answer and the replies of models are not kept: {error}"

    def _row(self, spent: CallUsage) -> sql.Spent:
        reply = spent.reply
        return sql.Spent(
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            role=spent.role,
            model=spent.model,
            answer_id=self._answer_id,
            prompt=spent.prompt,
            prompt_tokens=reply.tokens.prompt,
            cached_tokens=reply.tokens.cached,
            completion_tokens=reply.tokens.completion,
            cost=reply.cost,
            seconds=reply.seconds,
            from_cache=spent.from_cache,
            failed=spent.failed,
        )


@asynccontextmanager
async def caching_client(
    catalog: Catalog, models: RoleModels, prompts: Prompts, settings: Settings, *, fresh: bool = False
) -> AsyncIterator[LlmClient]:
    """A client for what is not an answer; what models say to it is kept, also where what asks them fails.

    Args:
        catalog: where it is kept.
        models, prompts, fresh: as `LlmClient`.
        settings: `language` and `budget` of these hold.
    """
    call_cache = LibraryCallCache(catalog, "")
    try:
        yield LlmClient(models, prompts, call_cache, settings.language, settings.budget, fresh=fresh)
    finally:
        await call_cache.finish()
