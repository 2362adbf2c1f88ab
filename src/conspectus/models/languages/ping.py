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
class ModelPing:
    """How the model of a name answered: `detail` says it in words; `remedy` is empty where it answered."""

    name: str
    detail: str
    remedy: str = ""


def ping_models(
    names: Sequence[str], settings: LanguageSettings, given: Mapping[str, LanguageModel] | None = None
) -> list[ModelPing]:
    """Ask each model once; it makes its own event loop, so it is not for use in one. `given` as `LanguageModels`."""
    models = LanguageModels(replace(settings, timeout=min(settings.timeout, TIMEOUT)), given)

    async def run() -> list[ModelPing]:
        try:
            return list(await asyncio.gather(*(_ping(models, name) for name in names)))
        finally:
            await models.close()

    return asyncio.run(run())


async def _ping(models: LanguageModels, name: str) -> ModelPing:
    try:
        model = models.named(name)
        reply = await model.complete(QUESTION)
        context = await asyncio.to_thread(lambda: model.context)
    except ConspectusError as error:
        return ModelPing(name, error.message, error.hint or "Look at the settings of language models: docs/models.md.")
    size = f", {context} tokens of context" if context else ""
    return ModelPing(name, f"{model.id} answered in {reply.seconds:.1f} s{size}")
