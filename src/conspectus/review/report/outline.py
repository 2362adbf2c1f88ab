"""The outline of a report: evidence in groups that are about the same thing, each with a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
from conspectus.parse.text.key_phrases import find_short_forms, key_phrases, singular, write_out
from conspectus.records import Evidence

LEAST_EACH = 2
"""Pieces of evidence that a section has, unless there is only one in all."""
LONGEST_TITLE = 100
_SHOWN = 5
"""Sentences of a section that a model sees to name it."""
_PHRASES = 10
"""For each piece of evidence, that are tried as names of sections."""
MOST_NAMES = 2
"""Names in a title."""
_LEAST_COVERED = 0.5
"""The share of the pieces not yet covered that a name of a title has to cover."""
IN_TITLE = 0.7
"""How far a piece has a name that only the title of its paper has; 1: its quote has it."""
_LEAST_KNOWN = 0.2
"""Of a name, the probability that it is one of a subject, less what the papers share of it: others make no title."""
_MOST_SHARE = 0.25
"""Of all pieces, that a group made by one name has at most; it may have `_FEW` if this is no more than half."""
_FEW = 6
_KNOWN, _ALIKE = 0.1, 0.4
"""What a group counts whose name says little, or whose pieces are not alike."""
_SEVERAL_WORDS = 1.2
"""What a name of several words counts more."""
_WORD = re.compile(r"\w+")


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


@dataclass(frozen=True, slots=True)
class OutlinePiece:
    """What a piece of evidence is about, as far as words say: its sentences and the title of its paper."""

    quote: str
    title: str
    abstract: str = ""

    def written_out(self) -> tuple[str, str]:
        """The quote and the title, with short forms written out."""
        forms = find_short_forms(f"{self.title}\n{self.abstract}\n{self.quote}")
        quote, title = (write_out(" ".join(text.split()), forms) for text in (self.quote, self.title))
        return quote, title


def outline_pieces(evidence: Sequence[Evidence]) -> list[OutlinePiece]:
    """What pieces of evidence are about."""
    return [OutlinePiece(item.quote, item.paper.title, item.paper.abstract) for item in evidence]


class SubjectPhrases:
    """Names of subjects that some pieces of evidence share, and which piece has which.

    The question's own words tell no pieces apart, nor does what most of the papers have.
    """

    def __init__(self, pieces: Sequence[OutlinePiece], question: str) -> None:
        read = [piece.written_out() for piece in pieces]
        papers = [_words(text) for text in {f"{piece.title}\n{piece.abstract}\n" for piece in pieces}]
        texts = [".\n".join(texts) for texts in read]
        texts.append(".\n".join(sorted({text for texts in read for text in texts})))
        names = [phrase.text for text in texts for phrase in key_phrases("", text, _PHRASES * len(read))]
        names.sort(key=lambda phrase: (-sum(map(str.isupper, phrase)), phrase))  # what small letters write holds
        named = {tuple(_words(phrase)): phrase for phrase in names}
        question_roots = roots(question)
        phrases = [
            phrase for phrase in named.values() if count_shared(phrase, question_roots) < max(len(roots(phrase)), 1)
        ]
        odds = subject_log_odds([*map(singular_words, phrases)])
        likely = 1 / (1 + np.exp((LIKELY - odds) / STEEPNESS))
        keys = [_words(phrase) for phrase in phrases]
        shares = np.array([sum(_has(paper, key) for paper in papers) / len(papers) for key in keys])
        known = likely * (1 - shares) ** 3
        usable = [place for place, weight in enumerate(known.tolist()) if weight >= _LEAST_KNOWN and keys[place]]
        self.phrases = [phrases[place] for place in usable]
        self.weights: FloatArray = known[usable].astype(np.float32)
        self.having: FloatArray = np.array(
            [
                [1.0 if _has(quote, keys[place]) else IN_TITLE if _has(title, keys[place]) else 0.0 for place in usable]
                for quote, title in ((_words(quote), _words(title)) for quote, title in read)
            ],
            np.float32,
        ).reshape(len(pieces), len(usable))
        """How far each piece has each phrase, float32 [pieces, phrases]."""


def _words(text: str) -> list[str]:
    return [singular(re.sub("yses$", "ysis", word.casefold())) for word in _WORD.findall(text)]


def _has(text_words: Sequence[str], key: Sequence[str]) -> bool:
    """Whether words stand in a text one after the other."""
    length = len(key)
    return any(text_words[at : at + length] == key for at in range(len(text_words) - length + 1))


def group_by_subject(
    pieces: Sequence[OutlinePiece], vectors: FloatArray, question: str, most: int
) -> tuple[list[list[int]], list[int]]:
    """Groups of pieces that share the name of a subject, at most `most`, and the pieces that are in none.

    Names come before groups, so that each piece of a section is about what its title says (Osinski and Weiss 2005,
    Lingo). The name that most pieces have that are in no group yet, and whose pieces are most alike, makes the next
    group; one that more than a quarter of all have, or that only one of several papers has, tells too little.

    Args:
        pieces: the most relevant first.
        vectors: unit vectors of their quotes, float32 [pieces, dimensions].
        question: what all are about.
        most: groups.
    """
    subjects = SubjectPhrases(pieces, question)
    middle = vectors - vectors.mean(axis=0)
    middle /= np.maximum(np.linalg.norm(middle, axis=1, keepdims=True), 1e-9)
    alike = middle @ middle.T
    counts = (subjects.having > 0).sum(axis=0)
    of_several = len({piece.title for piece in pieces}) > 1
    largest = max(LEAST_EACH, _MOST_SHARE * len(pieces), min(_FEW, len(pieces) / 2))
    groups: list[list[int]] = []
    open_pieces = np.ones(len(pieces), bool)
    while len(groups) < most:
        best: tuple[float, list[int]] = 0.0, []
        for place in np.flatnonzero((counts >= LEAST_EACH) & (counts <= largest)):
            having = subjects.having[:, place]
            members = np.flatnonzero((having > 0) & open_pieces).tolist()
            if len(members) < LEAST_EACH or (of_several and len({pieces[member].title for member in members}) == 1):
                continue
            pairs = len(members) * (len(members) - 1)
            likeness = float(alike[np.ix_(members, members)].sum() - len(members)) / pairs
            gain = (
                float(having[members].sum()) * (_KNOWN + float(subjects.weights[place])) * (_ALIKE + max(likeness, 0))
            )
            if " " in subjects.phrases[place]:
                gain *= _SEVERAL_WORDS
            if gain > best[0]:
                best = gain, members
        if not best[1]:
            break
        groups.append(best[1])
        open_pieces[best[1]] = False
    return sorted(groups), np.flatnonzero(open_pieces).tolist()


def phrase_titles(groups: Sequence[Sequence[OutlinePiece]], question: str = "") -> list[str]:
    """A title for each group: the name of a subject that most of it has and the others have not.

    A second name joins it if there are pieces that do not have the first, and half of these have the second.
    """
    subjects = SubjectPhrases([piece for group in groups for piece in group], question)
    ends = np.cumsum([len(group) for group in groups])
    titles: list[str] = []
    for number, (end, group) in enumerate(zip(ends.tolist(), groups, strict=True), 1):
        inside = np.zeros(len(subjects.having), bool)
        inside[end - len(group) : end] = True
        chosen: list[int] = []
        missing = inside.copy()
        while missing.any() and len(chosen) < MOST_NAMES and subjects.phrases:
            having = subjects.having > 0
            share = subjects.having[missing].mean(axis=0)
            others = having[~inside].mean(axis=0) if (~inside).any() else np.zeros(len(share))
            weights = np.where(share >= _LEAST_COVERED, share**2 * (_KNOWN + subjects.weights) * (1 - others), 0)
            best = int(weights.argmax())
            if not weights[best]:
                break
            chosen.append(best)
            missing &= ~having[:, best]
        title = " and ".join(subjects.phrases[place] for place in chosen)
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
