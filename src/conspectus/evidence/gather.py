"""Evidence: the passages found for a question, each read by a model for what it says on it (P3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.rows import StoredPassage
from conspectus.core.errors import BudgetError, ConspectusError, ServiceError
from conspectus.core.grouped import grouped
from conspectus.evidence.reading import SHARE, Candidate, Reader, once
from conspectus.lexicon.sections import ENGLISH, OTHER, headings
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import MOST_CHARS, fenced
from conspectus.llm.wanted import Wanted, schema_of
from conspectus.records import Evidence, Filters, Paper, Passage, Span
from conspectus.records.events import Event, Found, Gathered, Reading, Searching
from conspectus.records.labels import labels
from conspectus.search.diverse import diverse
from conspectus.search.retrieve import Retriever
from conspectus.search.sources import traced
from conspectus.settings import EvidenceSettings

MOST_READ_OF_ONE = 3
"""Times the evidence that may be kept of a paper: so many of its passages are read, while others wait."""

FIRST, NEXT = 0.4, 0.3
"""Of the passages to be read, those read together at first, and then each time."""
LAST = 0.2
"""Of the passages to be read, the last ones read: where they bring nothing half as good as others did, reading ends."""
GOOD = 7
"""Relevance from which on a piece of evidence is good; as many of these as will be kept are enough."""
Tell = Callable[[Event], None]


class Phrasings(msgspec.Struct):
    """What the prompt `rephrase` gives."""

    phrasings: list[str]


@dataclass(frozen=True, slots=True)
class Gathering:
    """All evidence found, and how it was come by.

    Attributes:
        evidence: the most relevant first, ties by the score of the search.
        read: ids of the passages that a model read.
        papers: ids of their papers.
        searched: the phrasings searched by.
        unread: what kept a model from reading a passage.
        over: the budget was used up before all were read.
    """

    evidence: tuple[Evidence, ...] = ()
    read: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    unread: tuple[ServiceError, ...] = ()
    over: BudgetError | None = None

    def __add__(self, other: Gathering) -> Gathering:
        """Both. A passage read for another question counts again where it brings other sentences."""
        return Gathering(
            tuple(sorted([*self.evidence, *self.new_in(other)], key=_order)),
            _merged(self.read, other.read),
            _merged(self.papers, other.papers),
            _merged(self.searched, other.searched),
            self.unread + other.unread,
            self.over or other.over,
        )

    def new_in(self, other: Gathering) -> tuple[Evidence, ...]:
        """The evidence of another gathering that has sentences which this one has not."""
        known: dict[str, set[str]] = {}
        for item in self.evidence:
            known.setdefault(item.passage_id, set()).update(span.id for span in item.spans)
        return tuple(
            item for item in other.evidence if not {span.id for span in item.spans} <= known.get(item.passage_id, set())
        )


async def phrasings(client: LlmClient, question: str, count: int) -> list[str]:
    """Other ways to ask the question, at most `count`."""
    if not count:
        return []
    values = {"question": fenced("question", question), "count": str(count)}
    schema = schema_of(Phrasings)
    schema["properties"]["phrasings"]["maxItems"] = count
    found = await client.ask("ask", "rephrase", values, Wanted(Phrasings, schema=schema), share=SHARE)
    wordings = dict.fromkeys(" ".join(text.split()) for text in found.phrasings)
    return [text for text in wordings if text and text.lower() != question.lower()][:count]


def search(
    retriever: Retriever, question: str, filters: Filters, settings: EvidenceSettings, tell: Tell
) -> dict[int, float]:
    """Scores of passages for one phrasing, by key."""
    tell(Searching(question))
    with retriever.at_one_moment() as now:
        found = now.retrieve(now.asked(question, filters), filters, max(now.settings.candidates, 2 * settings.read))
    return {scored.key: scored.score for scored in found}


def candidates(
    retriever: Retriever, searched: Sequence[Mapping[int, float]], settings: EvidenceSettings, tell: Tell
) -> list[Candidate]:
    """The best of the passages found by any phrasing, `settings.read` at most, best first.

    A passage has the best score that it has for any of them. Not more than `MOST_READ_OF_ONE` times
    `settings.per_paper` are of one paper, unless there are no others. What says nothing of the matter, such as thanks,
    is left out. With `search.mmr` below 1 they are chosen by marginal relevance (P2).
    """
    best: dict[int, float] = {}
    for scores in searched:
        for key, score in scores.items():
            best[key] = max(best.get(key, 0.0), score)
    with retriever.at_one_moment() as now:
        order = sorted(best, key=lambda key: (-best[key], key))
        if now.settings.mmr < 1:
            order = list(diverse(now, {key: best[key] for key in order}, settings.read))
        paper_of = now.catalog.papers_of_passages(order)
        count: Counter[int] = Counter()
        first: list[int] = []
        later: list[int] = []
        for key in order:
            if key in paper_of:
                count[paper_of[key]] += 1
                (first if count[paper_of[key]] <= MOST_READ_OF_ONE * settings.per_paper else later).append(key)
        stored = now.catalog.passages_by_key((first + later)[: 2 * settings.read])
        chosen = [key for key in first + later if key in stored and worth_reading(stored[key].passage)]
        chosen = chosen[: settings.read]
        papers = now.catalog.papers_by_key(sorted({stored[key].paper_key for key in chosen}))
        led = traced(now.catalog, chosen) if now.use != "raw" else {}
        abstracts = _abstracts(now.catalog, [stored[key] for key in chosen], papers)
    found: list[Candidate] = []
    read: set[int] = set()
    for key in chosen:
        one = stored[key]
        whole = abstracts.get(one.paper_key, ()) if one.passage.kind == "abstract" else ()
        if one.paper_key in papers and not (whole and one.paper_key in read):  # else it was read with its other part
            sources = led[key].sources if key in led else ()
            found.append(Candidate(one.passage, papers[one.paper_key], best[key], sources, whole))
            read |= {one.paper_key} if whole else set()
    tell(Found(len(found), len({item.paper.id for item in found})))
    return found


def _abstracts(
    catalog: Catalog, chosen: Sequence[StoredPassage], papers: Mapping[int, Paper]
) -> dict[int, tuple[tuple[Passage, tuple[Span, ...]], ...]]:
    """All of the abstracts, by their papers' keys, of which a part was chosen: a model reads them whole."""
    cut = {
        one.paper_key
        for one in chosen
        if one.passage.kind == "abstract"
        and one.paper_key in papers
        and len(one.passage.text) < len(papers[one.paper_key].abstract)
    }
    abstracts = (one for one in catalog.passages_of(sorted(cut)).values() if one.passage.kind == "abstract")
    parts = grouped((one.paper_key, (one.passage, one.passage.spans)) for one in abstracts)
    return {key: once(found) for key, found in parts.items() if len(found) > 1}


async def gather(
    client: LlmClient,
    question: str,
    found: Sequence[Candidate],
    settings: EvidenceSettings,
    tell: Tell,
    room: int = MOST_CHARS,
) -> Gathering:
    """What the passages say on the question, read at the same time, the best first.

    Reading ends before the last where there is as much good evidence as will be kept, or where there is some and the
    last ones read brought nothing half as relevant. While there is nothing good, all are read. `room` is how many
    characters of passages a call has room for.

    Raises:
        ServiceError: none of them could be read.
    """
    done = 0

    def told(said: list[Evidence] | ConspectusError) -> None:
        nonlocal done
        if isinstance(said, list):
            done += 1
            tell(Reading(done, len(found), client.usage))
            for one in said:
                if one.score >= settings.least:
                    tell(Gathered(one))

    reader = Reader(client, question, labels(item.paper for item in found), room, told)
    results: list[list[Evidence] | ConspectusError] = []
    while len(results) < len(found) and not _enough(results, settings):
        size = max(int(settings.read * (NEXT if results else FIRST)), 1)
        read = await reader.read(found[len(results) : len(results) + size])
        results += [
            [one for one in said if one.score >= settings.least] if isinstance(said, list) else said for said in read
        ]
    unread, over = [], None
    for result in results:
        if isinstance(result, BudgetError):
            over = result
        elif isinstance(result, ServiceError):
            unread.append(result)
        elif isinstance(result, ConspectusError):
            raise result
    if unread and len(unread) == len(results):
        raise unread[0]
    read_ones = [item for item, result in zip(found, results, strict=False) if isinstance(result, list)]
    return Gathering(
        tuple(sorted((item for result in results if isinstance(result, list) for item in result), key=_order)),
        tuple(item.passage.id for item in read_ones),
        tuple(dict.fromkeys(item.paper.id for item in read_ones)),
        (),
        tuple(unread),
        over,
    )


def _enough(results: Sequence[list[Evidence] | ConspectusError], settings: EvidenceSettings) -> bool:
    """Whether the passages not yet read need not be, or cannot."""
    if any(isinstance(result, ConspectusError) and not isinstance(result, ServiceError) for result in results):
        return True
    if results and all(isinstance(result, ServiceError) for result in results):
        return True
    scores = [
        max((item.score for item in result), default=0) if isinstance(result, list) else None for result in results
    ]
    best = max((score for score in scores if score), default=0)
    good = sum(item.score >= GOOD for result in results if isinstance(result, list) for item in result)
    last = scores[-max(int(settings.read * LAST), 1) :]
    return good >= settings.keep or (best >= GOOD and all(score is not None and 2 * score < best for score in last))


def select(gathered: Sequence[Evidence], settings: EvidenceSettings) -> tuple[Evidence, ...]:
    """The evidence to answer from, the best first, numbered and labelled.

    Of one paper there are at most `settings.per_paper` pieces, and more only in the room that others leave.
    """
    distinct = {frozenset(span.id for span in item.spans): item for item in sorted(gathered, key=_order, reverse=True)}
    first: list[Evidence] = []
    more: list[Evidence] = []
    count: Counter[str] = Counter()
    for item in sorted(distinct.values(), key=_order):  # overlapping passages can bring the same sentences
        count[item.paper.id] += 1
        (first if count[item.paper.id] <= settings.per_paper else more).append(item)
    chosen = sorted([*first, *more][: settings.keep], key=_order)
    named = labels(item.paper for item in chosen)
    return tuple(replace(item, id=f"e{n}", label=named[item.paper.id]) for n, item in enumerate(chosen, 1))


def _order(item: Evidence) -> tuple[float, float, str]:
    return -item.score, -item.retrieval, item.passage_id


def _merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second))


_ASIDE = re.compile(
    rf"(?:{headings('thanks', 'support', 'references', languages=(ENGLISH, OTHER))}"
    r"|(?:conflicts?|competing|declaration)(?: of)?(?: \w+)? interests?|author(?:s[’']?)?(?: \w+)* contributions?"
    r"|contributions? of (?:the )?authors|credit authorship.*|abbreviations|keywords)"
)
_NUMBER = re.compile(r"^(?:section\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[ivx]+\.)\s+")
_MOST_PARTS = 3
_LEAST_WORDS = 6
"""Of a caption: `Figure 3. Continued.` has fewer."""


def worth_reading(passage: Passage) -> bool:
    """Whether a passage can bear on a question: by the headings that it stands under, and what a caption says."""
    if passage.kind == "caption":
        return len(passage.text.split()) >= _LEAST_WORDS
    if passage.kind in ("abstract", "summary", "table"):
        return True
    parts = re.split(r",|&|\band\b|/", heading(passage.section))
    return len(parts) > _MOST_PARTS or not all(_ASIDE.fullmatch(part.strip()) for part in parts)


def heading(section: str) -> str:
    """The last heading of a section's path, in small letters, without its number and what ends it."""
    return _NUMBER.sub("", section.rpartition(" > ")[2].lower()).strip(" .:")
