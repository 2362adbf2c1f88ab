"""The outline of a report: evidence in groups that are about the same thing, each with a title."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.characters import line
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.parse.text.key_phrases import key_phrases

LEAST_EACH = 2
"""Pieces of evidence that a section has, unless there is only one in all."""
LONGEST_TITLE = 100
_ROUNDS = 25
_SHOWN = 5
"""Sentences of a section that a model sees to name it."""
_PHRASES = 20
_IN_TITLE = 2


def group_evidence(vectors: FloatArray, most: int) -> list[list[int]]:
    """Places of pieces of evidence in at most `most` groups by spherical k-means, the group of the first piece first.

    The first centres are the first piece and, one after the other, the one least like those chosen: nothing is drawn at
    random. What is left alone joins the nearest group.

    Args:
        vectors: unit vectors, the most relevant piece first, float32 [pieces, dimensions].
        most: groups.
    """
    count = len(vectors)
    wanted = min(most, max(count // LEAST_EACH, 1))
    if count == 0:
        return []
    centres = [0]
    while len(centres) < wanted:
        centres.append(int(np.argmin((vectors @ vectors[centres].T).max(axis=1))))
    middle = vectors[centres]
    of = np.zeros(count, np.int64)
    for _ in range(_ROUNDS):
        new = np.argmax(vectors @ middle.T, axis=1)
        if np.array_equal(new, of) and _:
            break
        of = new
        middle = _middles(vectors, of, middle)
    sizes = Counter(of.tolist())
    large = [group for group in range(len(middle)) if sizes[group] >= LEAST_EACH] or [of[0]]
    of = np.array(large)[np.argmax(vectors @ middle[large].T, axis=1)]
    groups = dict.fromkeys(of.tolist())
    return [np.flatnonzero(of == group).tolist() for group in groups]


def _middles(vectors: FloatArray, of: np.ndarray[tuple[int], np.dtype[np.int64]], before: FloatArray) -> FloatArray:
    sums = np.array([vectors[of == group].sum(axis=0) for group in range(len(before))], np.float32)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), before)


def phrase_titles(groups: Sequence[Sequence[str]]) -> list[str]:
    """A title for each group of texts: the key phrases that it has more of than the others."""
    scored = [{one.text: one.score for one in key_phrases("", "\n".join(texts), _PHRASES)} for texts in groups]
    having = Counter(phrase.casefold() for own in scored for phrase in own)
    titles: list[str] = []
    for number, own in enumerate(scored, 1):
        weights = {one: score * math.log(1 + len(groups) / having[one.casefold()]) for one, score in own.items()}
        best = sorted(weights, key=lambda one: -weights[one])
        chosen: list[str] = []
        for phrase in best:
            if len(chosen) < _IN_TITLE and not any(set(phrase.split()) & set(other.split()) for other in chosen):
                chosen.append(phrase)
        title = ", ".join(chosen)
        title = f"{title[:1].upper()}{title[1:]}" or f"Part {number}"
        titles.append(title if title not in titles else f"{title} ({number})")
    return titles


class OutlineReply(msgspec.Struct):
    """What the prompt `outline` gives."""

    titles: list[str]


async def model_titles(
    client: LlmClient, question: str, groups: Sequence[Sequence[str]], papers: Sequence[str]
) -> list[str]:
    """A title for each group of sentences, by a model.

    Raises:
        ModelAnswerError: it gives no titles that can be used.
        ServiceError, BudgetError: it cannot be asked.
    """
    shown = [
        f"[{number}]\n" + "\n".join(f"- {' '.join(text.split())}" for text in texts[:_SHOWN])
        for number, texts in enumerate(groups, 1)
    ]
    values = {"question": fenced("question", question), "sections": fenced("sections", "\n\n".join(shown))}
    wanted = OutputSpec(OutlineReply, lambda reply: _trouble(reply, len(groups)))
    reply = await client.ask("write", "outline", values, wanted, papers=papers)
    texts = [text for group in groups for text in group]
    return [_title(title, texts) or f"Part {number}" for number, title in enumerate(reply.titles, 1)]


def _title(text: str, quotes: Sequence[str] = ()) -> str:
    return re.sub(r"^[\W\d_]+", "", line(cleaned(line(text), quotes)[0])).rstrip(" .:")


def _trouble(reply: OutlineReply, count: int) -> str:
    titles = [_title(one) for one in reply.titles]
    if len(titles) != count:
        return f"there are {count} sections, and it gives {len(titles)} titles"
    if not all(titles) or max(map(len, titles)) > LONGEST_TITLE:
        return f"a title is empty, or longer than {LONGEST_TITLE} characters"
    return "two titles are the same" if len({one.casefold() for one in titles}) < count else ""
