"""Labels of directions in a language model's words, which have to be words of the sentences that it was shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from conspectus.core.errors import ServiceError
from conspectus.core.job_context import emit
from conspectus.core.text import line
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.parse.text.key_phrases import singular
from conspectus.records.events import Progress
from conspectus.records.models import Role
from conspectus.session.session import Session

ROLE: Role = "summarise"
PROMPT = "directions"
AT_ONCE = 10
"""Directions of one call."""
LONGEST, WORDS = 60, 5
"""Letters and words of a label."""
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class LabelEvidence:
    """What a label is worded by: words, sentences that have the direction, near misses, and the papers of these."""

    words: tuple[str, ...]
    sentences: tuple[str, ...]
    near_misses: tuple[str, ...]
    papers: tuple[str, ...]


class LabelReply(msgspec.Struct):
    """What the prompt `directions` gives."""

    names: list[str]


def word_labels(session: Session, evidence: Sequence[LabelEvidence], model: str) -> list[str]:
    """The label of each; "" where the model's is not in words of the evidence, or was given before.

    Raises:
        UnavailableError: no language model is set.
        ServiceError: the model gave none.
    """
    batches = [evidence[start : start + AT_ONCE] for start in range(0, len(evidence), AT_ONCE)]
    names_by_batch: dict[int, list[str]] = {}
    failed: list[ServiceError] = []

    async def job(put: Callable[[Progress], None]) -> None:
        async with session.client(model) as client:
            await client.prepare((ROLE,), [PROMPT])

            async def ask(number: int) -> None:
                try:
                    names_by_batch[number] = await _word_batch(client, batches[number])
                except ServiceError as error:
                    failed.append(error)
                put(
                    Progress(
                        "wording labels",
                        min((len(names_by_batch) + 1) * AT_ONCE, len(evidence)),
                        len(evidence),
                        "labels",
                    )
                )

            await asyncio.gather(*map(ask, range(len(batches))))

    for event in session.loop.events(job):
        emit(event)
    if failed and not names_by_batch:
        raise failed[0]
    taken: set[str] = set()
    labels = []
    for number, batch in enumerate(batches):
        for label_evidence, name in zip(batch, names_by_batch.get(number, [""] * len(batch)), strict=True):
            text = line(name).strip(" .\"'")
            is_new = text.casefold() not in taken and is_bound(text, label_evidence)
            labels.append(text if is_new else "")
            taken.add(text.casefold())
    return labels


async def _word_batch(client: LlmClient, batch: Sequence[LabelEvidence]) -> list[str]:
    groups = "\n\n".join(f"[{number}] {_format(label_evidence)}" for number, label_evidence in enumerate(batch, 1))
    output = OutputSpec(LabelReply, lambda reply: _find_fault(reply, len(batch)))
    papers = list(dict.fromkeys(paper for label_evidence in batch for paper in label_evidence.papers))
    return (await client.ask(ROLE, PROMPT, {"groups": groups}, output, papers=papers)).names


def _format(evidence: LabelEvidence) -> str:
    parts = [fenced("words", ", ".join(evidence.words))]
    parts += [fenced("sentence", text) for text in evidence.sentences]
    parts += [fenced("near_miss", text) for text in evidence.near_misses]
    return "\n".join(parts)


def _find_fault(reply: LabelReply, count: int) -> str:
    return "" if len(reply.names) == count else f"There are {count} groups, and {len(reply.names)} names."


def is_bound(label: str, evidence: LabelEvidence) -> bool:
    """Whether a label is short, and each of its words is one of the sentences or words that it was worded by."""
    words = label_words(label)
    known = label_words(" ".join((*evidence.words, *evidence.sentences)))
    return bool(words) and words <= known and len(label) <= LONGEST and len(label.split()) <= WORDS


def label_words(text: str) -> set[str]:
    """The words of a text, in the singular."""
    return {singular(match) for match in _WORD.findall(text)}
