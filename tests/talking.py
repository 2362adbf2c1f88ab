"""Speaking with a language model, each time in an event loop of its own."""

import asyncio

from conspectus.models.language import LanguageModel, ModelReply, Request


def ask(model: LanguageModel, *requests: Request) -> list[ModelReply]:
    async def run() -> list[ModelReply]:
        try:
            return [await model.complete(request) for request in requests]
        finally:
            await model.close()

    return asyncio.run(run())


def stream(model: LanguageModel, request: Request) -> list[str | ModelReply]:
    async def run() -> list[str | ModelReply]:
        try:
            return [piece async for piece in model.stream(request)]
        finally:
            await model.close()

    return asyncio.run(run())
