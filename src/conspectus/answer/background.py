"""What a model knows itself on a question (P4): offered apart, labelled, never cited and never written from."""

from __future__ import annotations

import msgspec

from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced


class Background(msgspec.Struct):
    """What the prompt `background` gives."""

    text: str


async def background(client: LlmClient, question: str, language: str) -> str:
    """Some fifty words; "" where the model has nothing to say. References that it names are taken out."""
    values = {"question": fenced("question", question), "language": language}
    reply = await client.ask("ask", "background", values, OutputSpec(Background))
    return cleaned(reply.text)[0]
