"""One small call to a language model, to see whether it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conspectus.core.errors import ConspectusError
from conspectus.models.language import LanguageModel, Message, Request
from conspectus.models.languages.names import LanguageModels
from conspectus.settings import LanguageSettings

QUESTION = Request((Message("user", "Answer with the word: ready"),), max_tokens=16)
TIMEOUT = 30.0
"""Seconds; a model that has to be loaded first needs some."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How it went with the model of a name. `remedy` is empty where it answered."""

    name: str
    told: str
    remedy: str = ""


def try_models(
    names: Sequence[str], settings: LanguageSettings, given: Mapping[str, LanguageModel] | None = None
) -> list[Trial]:
    """Ask each model once; it makes its own event loop, so it is not for use in one. `given` as `LanguageModels`."""
    models = LanguageModels(replace(settings, timeout=min(settings.timeout, TIMEOUT)), given)

    async def run() -> list[Trial]:
        try:
            return list(await asyncio.gather(*(_try(models, name) for name in names)))
        finally:
            await models.close()

    return asyncio.run(run())


async def _try(models: LanguageModels, name: str) -> Trial:
    try:
        model = models.named(name)
        reply = await model.complete(QUESTION)
        context = await asyncio.to_thread(lambda: model.context)
    except ConspectusError as error:
        return Trial(name, error.message, error.hint or "Look at the settings of language models: docs/models.md.")
    size = f", {context} tokens of context" if context else ""
    return Trial(name, f"{model.id} answered in {reply.seconds:.1f} s{size}")
