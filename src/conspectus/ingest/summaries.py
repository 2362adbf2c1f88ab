"""Summaries and the papers they were made of: cut into passages, and kept as long as they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conspectus.catalog import summaries, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.catalog.rows import Draft, StoredSummary
from conspectus.catalog.summaries import digest_of
from conspectus.ingest.merge import embedding_text, text_digest
from conspectus.models.protocol import Embedder
from conspectus.parse.passages import Ids, cuts
from conspectus.records import Paper, Passage, Span, Summary


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
    have = catalog.embeddings_of([key], embedder.id)
    new = {digest: text for text in texts.values() if (digest := text_digest(text)) not in have}
    have |= zip(new, embedder.embed(list(new.values())), strict=True)
    embedded = {name: (text_digest(text), have[text_digest(text)]) for name, text in texts.items()}
    transact(catalog.engine, lambda link: writer.put_summaries(link, key, made, embedded, embedder.id))
    return True


def keep_summaries(catalog: Catalog, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with those of their papers' summaries that still hold.

    They hold as long as the paper has the same sentences in the same order, whatever is known of it otherwise and
    however it is cut. Else none is kept: what a model wrote of the paper as it was may say what it no longer says.
    """
    keys = [key for draft in drafts for key in (draft.key, *draft.absorbs) if key]
    stored = summaries.of_papers(catalog, keys)
    ids = {key: paper.id for key, paper in catalog.papers_by_key(list(stored)).items()}
    return [_with(draft, stored, ids) if stored else draft for draft in drafts]


def _with(draft: Draft, stored: Mapping[int, Sequence[StoredSummary]], ids: Mapping[int, str]) -> Draft:
    """The draft with the summaries of the first of its papers, of those that it takes up too, whose summaries hold."""
    for key in (draft.key, *draft.absorbs):
        if key in stored:
            digest = digest_of(_called(passage, draft.id, ids[key]) for passage in draft.passages)
            holding = [_moved(one.summary, ids[key], draft) for one in stored[key] if one.summary.digest == digest]
            if holding:
                numbered = enumerate(holding, len(draft.passages))
                return replace(draft, summaries=tuple(_numbered(one, number) for number, one in numbered))
    return draft


def _moved(summary: Summary, old: str, draft: Draft) -> Summary:
    """The summary of a paper that was called `old` as one of a draft, which takes that up."""
    if old == draft.id:
        return summary
    links = tuple(tuple(_name(name, old, draft.id) for name in names) for names in summary.links)
    passage = _called(summary.passage, old, draft.id)
    return replace(summary, passage=passage, links=links, digest=digest_of(draft.passages))


def _called(passage: Passage, old: str, new: str) -> Passage:
    """A passage with its spans, of a paper that is called otherwise."""
    if old == new:
        return passage
    spans = tuple(replace(span, id=_name(span.id, old, new)) for span in passage.spans)
    return replace(passage, id=_name(passage.id, old, new), paper_id=new, spans=spans)


def _name(name: str, old: str, new: str) -> str:
    return f"{new}{name.removeprefix(old)}"


def _numbered(summary: Summary, number: int) -> Summary:
    return replace(summary, passage=replace(summary.passage, ordinal=number))
