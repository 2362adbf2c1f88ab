"""The outline of a report: evidence in groups that are about the same thing, each with a title."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.text import line
from conspectus.evidence.model_text import cleaned
from conspectus.lexicon.word_lists import count_shared, roots
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.map.region_phrases import LIKELY, STEEPNESS
from conspectus.map.subject_model import singular_words, subject_log_odds
from conspectus.parse.text.key_phrases import key_phrases

LEAST_EACH = 2
"""Pieces of evidence that a section has, unless there is only one in all."""
LONGEST_TITLE = 100
_SHOWN = 5
"""Sentences of a section that a model sees to name it."""
_PHRASES = 40
_SECOND = 0.5
"""A second phrase joins a title if it fits at least so well as the first, as a share."""


def group_evidence(vectors: FloatArray, most: int) -> list[list[int]]:
    """Places of pieces of evidence in at most `most` groups by Ward's method, the group of the first piece first.

    What all have in common, since all are about one question, is taken off first. Nothing is drawn at random. A group
    that would have one piece joins the nearest.

    Args:
        vectors: unit vectors, the most relevant piece first, float32 [pieces, dimensions].
        most: groups.
    """
    middles = (vectors - vectors.mean(axis=0)).astype(float) if len(vectors) else vectors
    sizes = np.ones(len(vectors))
    groups = [[place] for place in range(len(vectors))]
    while len(groups) > 1:
        squares = (middles**2).sum(axis=1)
        distances = np.maximum(squares[:, None] + squares - 2 * middles @ middles.T, 0.0)
        costs = sizes[:, None] * sizes / (sizes[:, None] + sizes) * distances
        np.fill_diagonal(costs, np.inf)
        lone = int(np.argmin(sizes))
        first, other = divmod(int(np.argmin(costs)), len(groups))
        if len(groups) <= most and costs.min() > _SAME:
            if sizes[lone] >= LEAST_EACH:
                break
            first, other = lone, int(np.argmin(costs[lone]))
        first, other = sorted((first, other))
        middles[first] = (sizes[first] * middles[first] + sizes[other] * middles[other]) / (sizes[first] + sizes[other])
        sizes[first] += sizes[other]
        groups[first] += groups.pop(other)
        middles, sizes = np.delete(middles, other, axis=0), np.delete(sizes, other)
    return sorted(map(sorted, groups))


_SAME = 1e-9
"""Groups that differ by no more are one."""


def phrase_titles(groups: Sequence[Sequence[str]], question: str = "", papers: Collection[str] = ()) -> list[str]:
    """A title for each group of texts: one or two names of a subject that it has more of than the others.

    The question's own words tell no groups apart, nor does what most of the `papers` (titles and abstracts) have.
    """
    question_roots = roots(question)
    titles: list[str] = []
    for number, texts in enumerate(groups, 1):
        others = [text for other, group_texts in enumerate(groups, 1) if other != number for text in group_texts]
        score_by_phrase = {
            key_phrase.text: key_phrase.score for key_phrase in key_phrases("", "\n".join(texts), _PHRASES)
        }
        phrases = [
            phrase for phrase in score_by_phrase if count_shared(phrase, question_roots) < max(len(roots(phrase)), 1)
        ]
        odds = subject_log_odds([*map(singular_words, phrases)])
        likely = 1 / (1 + np.exp((LIKELY - odds) / STEEPNESS))
        weights = {
            phrase: score_by_phrase[phrase]
            * weight
            * (_share(phrase, texts) - _share(phrase, others))
            * (1 - _share(phrase, papers))
            for phrase, weight in zip(phrases, likely, strict=True)
        }
        best = sorted(weights, key=lambda phrase: -weights[phrase])
        chosen = best[:1]
        for phrase in best[1:]:
            is_distinct = not set(roots(phrase)) & set(roots(chosen[0]))
            if is_distinct and len(chosen) == 1 and weights[phrase] >= _SECOND * weights[chosen[0]]:
                chosen.append(phrase)
        title = " and ".join(chosen)
        title = f"{title[:1].upper()}{title[1:]}" or f"Part {number}"
        titles.append(title if title not in titles else f"{title} ({number})")
    return titles


def _share(phrase: str, texts: Collection[str]) -> float:
    """How many of the texts have a phrase."""
    return sum(phrase.casefold() in text.casefold() for text in texts) / max(len(texts), 1)


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
    sections = [
        f"[{number}]\n" + "\n".join(f"- {' '.join(text.split())}" for text in texts[:_SHOWN])
        for number, texts in enumerate(groups, 1)
    ]
    values = {"question": fenced("question", question), "sections": fenced("sections", "\n\n".join(sections))}
    spec = OutputSpec(OutlineReply, lambda reply: _trouble(reply, len(groups)))
    reply = await client.ask("write", "outline", values, spec, papers=papers)
    texts = [text for group in groups for text in group]
    return [_title(title, texts) or f"Part {number}" for number, title in enumerate(reply.titles, 1)]


def _title(text: str, quotes: Sequence[str] = ()) -> str:
    return re.sub(r"^[\W\d_]+", "", line(cleaned(line(text), quotes)[0])).rstrip(" .:")


def _trouble(reply: OutlineReply, count: int) -> str:
    titles = [_title(title) for title in reply.titles]
    if len(titles) != count:
        return f"there are {count} sections, and it gives {len(titles)} titles"
    if not all(titles) or max(map(len, titles)) > LONGEST_TITLE:
        return f"a title is empty, or longer than {LONGEST_TITLE} characters"
    return "two titles are the same" if len({title.casefold() for title in titles}) < count else ""
