"""What language models write for a question to be searched by (F5): never shown as an answer, never cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import msgspec

from conspectus.evidence.gather import phrasings
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, schema_of
from conspectus.llm.prompts import fenced
from conspectus.records import Filters, Paper
from conspectus.search.encoded_query import count_expansions
from conspectus.search.query_syntax import Query
from conspectus.search.retriever import Retriever
from conspectus.search.search import search_papers
from conspectus.settings import SearchSettings

TITLES = 5
"""Papers near the question whose titles show the field's style."""
LONGEST = 4000
"""Characters of one abstract that are searched by."""
PROMPTS = {"hyde": "hyde", "rephrase": "rephrase"}
"""The prompts of the ways that need a model."""
CONCLUSION = "Let each end with two sentences of the paper's conclusion."


class Hypothetical(msgspec.Struct):
    """What the prompt `hyde` gives."""

    abstracts: Annotated[list[str], msgspec.Meta(min_length=1)]


def near(retriever: Retriever, question: Query | str, filters: Filters) -> list[Paper]:
    """The papers whose titles show the field's style: those found by the question alone."""
    settings = replace(retriever.settings, expand="no", mmr=1.0, use="raw", reranker="late")
    return [
        hit.paper
        for hit in search_papers(replace(retriever, settings=settings, reranker=None), question, TITLES, filters).hits
    ]


async def expansions(
    client: LlmClient, question: str, settings: SearchSettings, nearby_papers: Sequence[Paper]
) -> tuple[str, ...]:
    """The texts to search by beside the question, as `search.expand` says.

    Args:
        client: asks the model for the role `ask`.
        question: as it is searched for.
        settings: which texts, and how many.
        nearby_papers: as `near` finds them.

    Raises:
        ServiceError: the model cannot be asked, or gives nothing that can be used.
    """
    count = count_expansions(settings)
    if settings.expand == "rephrase":
        return tuple(await phrasings(client, question, count))
    titles = "\n".join(" ".join(paper.title.split()) for paper in nearby_papers if paper.title)
    values = {
        "question": fenced("question", question),
        "titles": fenced("titles", titles or "(none)"),
        "count": "one abstract" if count == 1 else f"{count} abstracts, of papers that differ in what they did",
        "ending": CONCLUSION if settings.conclusion else "",
    }
    schema = schema_of(Hypothetical)
    schema["properties"]["abstracts"]["maxItems"] = count
    spec = OutputSpec(Hypothetical, schema=schema, check=_refuse_empty)
    reply = await client.ask("ask", "hyde", values, spec, papers=[paper.id for paper in nearby_papers])
    texts = (" ".join(text.split())[:LONGEST] for text in reply.abstracts)
    return tuple(dict.fromkeys(text for text in texts if text))[:count]


def _refuse_empty(reply: Hypothetical) -> str:
    return "" if any(text.split() for text in reply.abstracts) else "the abstracts are empty"
