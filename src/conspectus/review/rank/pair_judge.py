"""Which of two papers is preferred, by a language model that sees neither names, venues nor institutions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from conspectus.core.text import line
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, SpanNumbers
from conspectus.llm.prompts import fenced
from conspectus.records import Citation, Paper, Passage, Span
from conspectus.records.models import Role
from conspectus.records.ranks import PairSide, PairVerdict
from conspectus.records.review import ReviewEntry
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog

PAIR_ROLE: Role = "judge"
PROMPT = "compare"
FIELD = "verdict"
MOST_TEXT = 4000
"""Characters of a paper's abstract and text that a judge is shown."""
LONGEST_REASON = 300
HIDDEN = "[hidden]"
_LEAST_NAME = 3
"""Letters of a family name that is hidden wherever it is: `Li` would be hidden in too many words."""
_PLACES = re.compile(
    r"(?<![\w'’.-])(?:[A-Z][\w'’.-]*+ ){0,4}"
    r"(?:University|Universit[àéäy]t?|Universidade?|Institut[eo]?|Hospital|College|Academy|Laborator(?:y|ies)|Polytechnic)\b"
    r"(?: (?:of|for|de|di|del|der|für)(?: [A-Z][\w'’-]*+){1,4})?"
)
_ADDRESSES = re.compile(
    r"(?<!\S)(?:[^\s@]++@\S++|\(?https?://\S++|\(?(?i:doi:?) ?10\.\S++|\(?10\.\d{4,9}/\S++|arXiv:\s?\S++)"
)


class PairReply(msgspec.Struct):
    """What the prompt `compare` gives; the preference last, so that it follows from the sentences."""

    spans: SpanNumbers
    why: str
    preferred: Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class BlindPaper:
    """A paper as a judge is shown it: sentences of its abstract and the first part of its text."""

    id: str
    title: str
    sentences: tuple[tuple[str, str], ...]
    """Ids of spans, and their texts without names."""

    @property
    def side(self) -> PairSide:
        """The paper for a person to judge."""
        return PairSide(self.id, self.title, " ".join(text for _, text in self.sentences))


def hide_origin(text: str, paper: Paper) -> str:
    """A text of a paper without the names of its authors, its venue, institutions and addresses."""
    names = {author.name for author in paper.authors} | {author.surname for author in paper.authors}
    names |= {part.strip() for author in paper.authors for place in author.affiliations for part in place.split(",")}
    known = sorted((name for name in names | {paper.venue} if len(name) >= _LEAST_NAME), key=len, reverse=True)
    text = _ADDRESSES.sub(HIDDEN, text)
    if known:
        text = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)", HIDDEN, text)
    return _PLACES.sub(HIDDEN, text)


def read_blind(catalog: Catalog, paper: Paper, most: int = MOST_TEXT) -> BlindPaper:
    """What a judge is shown of a paper; at most `most` characters, but one sentence at least."""
    sentences: list[tuple[str, str]] = []
    left = most
    for span in _first_spans(catalog.passages(paper.id)):
        text = line(hide_origin(span.text, paper))
        if sentences and len(text) > left:
            break
        sentences.append((span.id, text[:most]))
        left -= len(text)
    return BlindPaper(paper.id, line(hide_origin(paper.title, paper)), tuple(sentences))


def _first_spans(passages: Iterator[Passage]) -> Iterator[Span]:
    """The sentences of abstract and text in their order, each once."""
    seen: set[str] = set()
    for passage in passages:
        for span in passage.spans if passage.kind in ("abstract", "body") else ():
            if span.id not in seen:
                seen.add(span.id)
                yield span


async def judge_pair(client: LlmClient, criterion: str, first: BlindPaper, second: BlindPaper, by: str) -> ReviewEntry:
    """The verdict of a model on a pair, as it is kept: sentences by their ids.

    Raises:
        ModelAnswerError: it gives no verdict, or names sentences that there are not.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up.
    """
    sentences = [*first.sentences, *second.sentences]
    values = {
        "criterion": fenced("criterion", criterion),
        "first": _format_paper("first", first, 1),
        "second": _format_paper("second", second, 1 + len(first.sentences)),
    }
    output = OutputSpec(PairReply, lambda reply: _trouble(reply, len(sentences)))
    reply = await client.ask(PAIR_ROLE, PROMPT, values, output, papers=[first.id, second.id])
    chosen = [sentences[number - 1] for number in sorted(set(reply.spans))]
    reason = line(cleaned(line(reply.why), [text for _, text in chosen])[0])[:LONGEST_REASON]
    value = {"preferred": reply.preferred, "reason": reason, "spans": [name for name, _ in chosen]}
    return ReviewEntry(first.id, FIELD, by, value, other=second.id)


def _format_paper(kind: str, paper: BlindPaper, number: int) -> str:
    rows = [f"[{place}] {text}" for place, (_, text) in enumerate(paper.sentences, number)]
    return fenced(kind, "\n".join(rows), title=paper.title)


def _trouble(reply: PairReply, count: int) -> str:
    """What is wrong with a verdict."""
    if wrong := [number for number in reply.spans if not 1 <= number <= count]:
        return f"there is no sentence {wrong[0]}; the papers have the sentences 1 to {count}"
    needs = reply.preferred != "tie" and count and not reply.spans
    return "name the numbers of the sentences that decide" if needs else ""


def read_verdicts(session: Session, entries: Sequence[ReviewEntry], paper: str) -> Iterator[PairVerdict]:
    """What was said of a paper in each comparison; sentences that are gone since are left out."""
    for entry in entries:
        if paper in (entry.paper, entry.other):
            pair = session.paper(entry.paper), session.paper(entry.other)
            value = entry.value
            spans = value.get("spans", ())
            citations = (citation for member in pair for citation in _cite(session.catalog, member, spans))
            yield PairVerdict(*pair, value["preferred"], value["reason"], tuple(citations), entry.by, entry.made)


def _cite(catalog: Catalog, paper: Paper, span_ids: Sequence[str]) -> Iterator[Citation]:
    """Citations of those of the sentences that are of the paper."""
    remaining_ids = set(span_ids)
    for passage in catalog.passages(paper.id) if remaining_ids else ():
        if spans := tuple(span for span in passage.spans if span.id in remaining_ids):
            remaining_ids -= {span.id for span in spans}
            yield Citation(paper, passage.id, spans, " … ".join(span.text for span in spans), paper.label)
