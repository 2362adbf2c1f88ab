"""Summaries and the papers they were made of: cut into passages, and kept as long as they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from conspectus.ingest.derivations.vectors import Vectors
from conspectus.models.protocol import Embedder
from conspectus.parse.text.passages import Ids, cuts
from conspectus.records import Paper, Passage, Span, Summary
from conspectus.records.passage import embedding_text
from conspectus.store import rows, summaries
from conspectus.store.catalog import Catalog
from conspectus.store.connection import bump, transact
from conspectus.store.derivations import Stored
from conspectus.store.summaries import digest_of


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a model wrote, and the ids of the paper's spans that carry it."""

    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condensed:
    """A stretch of a paper, condensed; `section` is the path of headings that it stands under."""

    section: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Who wrote a summary, asked what, when (ISO 8601, UTC), of which sentences (`digest_of`)."""

    model: str
    prompt: str
    made: str
    digest: bytes


def as_summaries(paper_id: str, condensed: Sequence[Condensed], by: Written, chars: int, own: int) -> list[Summary]:
    """Summary passages of at most `chars` characters, each of one stretch; `own`: how many passages the paper has.

    Their ids, and those of their sentences, are made as the paper's own are, with other letters.
    """
    ids = Ids(paper_id)
    made: list[Summary] = []
    for stretch in condensed:
        spans = _spans(stretch.sentences, ids)
        for first, last in cuts(spans, chars, 0):
            passage = _passage(paper_id, stretch, spans[first : last + 1], own + len(made), ids)
            links = tuple(sentence.sources for sentence in stretch.sentences[first : last + 1])
            made.append(Summary(passage, links, by.model, by.prompt, by.made, by.digest))
    return made


def _spans(sentences: Sequence[Sentence], ids: Ids) -> list[Span]:
    found: list[Span] = []
    start = 0
    for sentence in sentences:
        end = start + len(sentence.text)
        found.append(Span(ids.make("v", sentence.text), start, end, sentence.text))
        start = end + 1
    return found


def _passage(paper_id: str, stretch: Condensed, spans: Sequence[Span], ordinal: int, ids: Ids) -> Passage:
    start = spans[0].start
    text = " ".join(span.text for span in spans)
    own = tuple(replace(span, start=span.start - start, end=span.end - start) for span in spans)
    name = ids.make("u", "\0".join((stretch.section, text)))
    return Passage(name, paper_id, "summary", stretch.section, text, own, ordinal)


def store(catalog: Catalog, embedder: Embedder, paper: Paper, made: Sequence[Summary]) -> bool:
    """Make `made` the summaries of a paper, in one transaction; False, and nothing done, if it has changed since.

    The caller holds the library's writer lock.
    """
    if not catalog.has_paper(paper.id) or made[0].digest != digest_of(catalog.passages(paper.id)):
        return False
    key = catalog.paper_key(paper.id)
    texts = {one.passage.id: embedding_text(paper, one.passage)[0] for one in made}
    embedded = Vectors(embedder).of_texts(catalog, texts, {}, [key])

    def put(connection: Connection) -> None:
        summaries.drop(connection, key)
        keys = rows.add_passages(connection, [(key, one.passage) for one in made])
        embedded.put(connection, Stored([key], (), keys, {}))
        summaries.put(connection, [(keys[one.passage.id], one) for one in made])
        bump(connection)

    transact(catalog.engine, put)
    return True
