"""Where what a reader made of a file comes into the program: cleaned of characters that lie, and within the bounds.

This is done in the process that reads, before anything else looks at the paper. What is cut or left out is cuts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import msgspec

from conspectus.core.bounds import BOUNDS, Bound
from conspectus.core.text import cleaned, cleaned_deep, line, mapped
from conspectus.parse.protocol import BadRecord
from conspectus.parse.text.sentences import pieces, split_sentences, stripped
from conspectus.records import (
    Author,
    Block,
    Figure,
    Hidden,
    LeftOut,
    Mark,
    Metadata,
    PageAccount,
    ParsedPaper,
    Reference,
    Sentence,
)

_T = TypeVar("_T")
_LONG_TEXTS = {"title": BOUNDS.title, "abstract": BOUNDS.abstract}
_ENTRIES = "entries of the reference list"
_GOES_ON = frozenset({"abstract", "code"})
_WHOLE = frozenset({"reference", "equation"})
"""Blocks that are cut where they are too long; others go on as paragraphs."""


def sanitize(paper: ParsedPaper) -> ParsedPaper:
    """The paper, cleaned and within `bounds.BOUNDS`, with a warning for each kind of thing that was cut or left out."""
    cuts = _Cuts()
    blocks, moved = _blocks(paper.blocks, cuts)
    clean_paper = replace(
        paper,
        metadata=_metadata(paper.metadata, cuts),
        blocks=tuple(blocks),
        references=tuple(_references(paper.references, cuts)),
        figures=tuple(_figures(paper.figures, moved, cuts)),
        files=cuts.first(tuple(map(cleaned, paper.files)), BOUNDS.files),
        hidden=tuple(_hidden(paper.hidden, cuts)),
        accounts=tuple(map(_account, paper.accounts)),
        left_out=tuple(_left_out(paper.left_out)),
    )
    return replace(clean_paper, warnings=_warnings(cuts.notes(), paper.warnings))


def sanitize_bad_record(bad: BadRecord) -> BadRecord:
    """Where and why, cleaned, as long as one reads."""
    return BadRecord(line(bad.where)[: BOUNDS.label.most], line(bad.reason)[: BOUNDS.field.most])


class _Cuts:
    """What was cut or left out, counted by what it is."""

    def __init__(self) -> None:
        self._cut: Counter[str] = Counter()
        self._out: Counter[str] = Counter()

    def notes(self) -> tuple[str, ...]:
        return tuple(f"{what} ({count:,})." for what, count in (*self._out.items(), *self._cut.items()))

    def cut(self, text: str, bound: Bound, what: str) -> str:
        """The text, of at most so many characters."""
        if len(text) <= bound.most:
            return text
        self._cut[f"Cut after {bound.most:,} characters: {what}"] += 1
        return text[: bound.most]

    def text(self, text: str, bound: Bound, what: str) -> str:
        """The text of a field, cut and cleaned."""
        return cleaned(self.cut(text, bound, what))

    def first(self, items: Sequence[_T], bound: Bound) -> tuple[_T, ...]:
        """The first items."""
        if len(items) > bound.most:
            self.left_out(len(items) - bound.most, bound)
        return tuple(items[: bound.most])

    def left_out(self, count: int, bound: Bound) -> None:
        """Take note of what is above a bound."""
        self._out[f"Left out of what was read: {bound.unit} above {bound.most:,}"] += count

    def note_other(self, what: str) -> None:
        """Take note of something else."""
        self._cut[what] += 1


def _warnings(cut_notes: Sequence[str], paper_warnings: Sequence[str]) -> tuple[str, ...]:
    warnings = [line(text)[: BOUNDS.field.most] for text in (*cut_notes, *paper_warnings)]
    most = BOUNDS.warnings.most
    return (
        tuple(warnings)
        if len(warnings) <= most
        else (*warnings[: most - 1], f"And {len(warnings) - most + 1:,} notes more.")
    )


def _blocks(blocks: Sequence[Block], cuts: _Cuts) -> tuple[list[Block], dict[int, int]]:
    """The blocks, and where those of before have come to; what is above the bound of all is left out."""
    out: list[Block] = []
    moved: dict[int, int] = {}
    left = BOUNDS.text.most
    for number, block in enumerate(blocks):
        if len(block.text) > left:
            cuts.left_out(len(block.text) - left, BOUNDS.text)
            block = _shortened(block, left)  # noqa: PLW2901
        if not block.text:
            continue
        if len(out) >= BOUNDS.blocks.most:
            cuts.left_out(len(blocks) - number, BOUNDS.blocks)
            break
        left -= len(block.text)
        parts = list(_block(_cleaned_block(block), cuts))
        if parts:
            moved[number] = len(out)
            out += parts
    return out, moved


def _cleaned_block(block: Block) -> Block:
    label = line(block.label)[: BOUNDS.label.most]
    if label != block.label:
        block = replace(block, label=label)
    if (mapping := mapped(block.text)) is None:
        return block
    text, at = mapping
    return replace(
        block,
        text=text,
        sentences=tuple(
            replace(sentence, start=start, end=end)
            for sentence in block.sentences
            for start, end in (stripped(text, at[sentence.start], at[sentence.end]),)
            if start < end
        ),
        marks=tuple(
            replace(mark, start=at[mark.start], end=at[mark.end])
            for mark in block.marks
            if at[mark.start] < at[mark.end]
        ),
    )


def _block(block: Block, cuts: _Cuts) -> Iterator[Block]:
    """The block, its long sentences in pieces; a long one as several, each within the bound."""
    if not block.sentences:
        if block.text.strip():
            yield replace(block, text=cuts.cut(block.text, BOUNDS.block, "blocks"))
        return
    if block.kind == "heading":
        if len(block.text) <= BOUNDS.heading.most:
            yield block
            return
        cuts.note_other(f"Headings of more than {BOUNDS.heading.most:,} characters are read as text")
        spans = tuple(Sentence(start, end, block.sentences[0].places) for start, end in split_sentences(block.text))
        block = replace(block, kind="paragraph", level=0, sentences=spans)
    if any(sentence.end - sentence.start > BOUNDS.sentence.most // 2 for sentence in block.sentences):
        block = replace(block, sentences=tuple(_in_pieces(block, cuts)))
    if block.kind in _WHOLE:
        yield _cut_block(block, cuts)
    elif len(block.text) <= BOUNDS.block.most:
        yield block
    else:
        yield from _split(block)


def _in_pieces(block: Block, cuts: _Cuts) -> Iterator[Sentence]:
    most = BOUNDS.sentence.most
    for sentence in block.sentences:
        if sentence.end - sentence.start > most // 2:  # who finds sentences cuts them already
            cuts.note_other(
                f"Sentences are longer than {most // 2:,} characters; of more than {most:,} they are in pieces"
            )
        spans = pieces(block.text, sentence.start, sentence.end, most)
        yield from (replace(sentence, start=start, end=end) for start, end in spans)


def _cut_block(block: Block, cuts: _Cuts) -> Block:
    bound = BOUNDS.reference if block.kind == "reference" else BOUNDS.block
    text = cuts.cut(block.text, bound, _ENTRIES if block.kind == "reference" else "equations")
    return block if text == block.text else _shortened(block, len(text))


def _shortened(block: Block, end: int) -> Block:
    """The first part of a block."""
    spans = (
        stripped(block.text, sentence.start, min(sentence.end, end))
        for sentence in block.sentences
        if sentence.start < end
    )
    pairs = zip(block.sentences, spans, strict=False)
    return replace(
        block,
        text=block.text[:end],
        sentences=tuple(replace(sentence, start=first, end=last) for sentence, (first, last) in pairs if first < last),
        marks=tuple(mark for mark in block.marks if mark.end <= end),
    )


def _split(block: Block) -> Iterator[Block]:
    """A long block as several; all but the first are paragraphs, if it is no abstract or listing."""
    first = 0
    kind, label = block.kind, block.label
    sentences = block.sentences
    while first < len(sentences):
        start, last = sentences[first].start, first
        while last + 1 < len(sentences) and sentences[last + 1].end - start <= BOUNDS.block.most:
            last += 1
        yield _part(block, kind, label, first, last)
        kind, label, first = block.kind if block.kind in _GOES_ON else "paragraph", "", last + 1


def _part(block: Block, kind: Any, label: str, first: int, last: int) -> Block:
    start, end = block.sentences[first].start, block.sentences[last].end
    spans = (
        replace(sentence, start=sentence.start - start, end=sentence.end - start)
        for sentence in block.sentences[first : last + 1]
    )
    marks = tuple(_shifted(block.marks, start, end))
    return replace(block, kind=kind, text=block.text[start:end], sentences=tuple(spans), label=label, marks=marks)


def _shifted(marks: Iterable[Mark], start: int, end: int) -> Iterator[Mark]:
    for mark in marks:
        if start <= mark.start and mark.end <= end:
            yield replace(mark, start=mark.start - start, end=mark.end - start)


def _account(account: PageAccount) -> PageAccount:
    return replace(account, shares=tuple(replace(share, reason=line(share.reason)) for share in account.shares))


def _left_out(left: Iterable[LeftOut]) -> Iterator[LeftOut]:
    """What was left out, of each piece as much as of a block; its account has the whole number of letters."""
    for piece in left:
        yield replace(piece, reason=line(piece.reason), text=line(piece.text)[: BOUNDS.block.most])


def _figures(figures: Sequence[Figure], moved: dict[int, int], cuts: _Cuts) -> Iterator[Figure]:
    cells = BOUNDS.cells.most
    for figure in cuts.first(figures, BOUNDS.figures):
        count = sum(map(len, figure.cells))
        cells -= count
        if cells < 0:
            cuts.left_out(count, BOUNDS.cells)
        yield replace(
            figure,
            label=line(figure.label)[: BOUNDS.label.most],
            caption=None if figure.caption is None else moved.get(figure.caption),
            block=None if figure.block is None else moved.get(figure.block),
            href=cleaned(figure.href)[: BOUNDS.field.most],
            cells=tuple(tuple(cuts.text(cell, BOUNDS.field, "cells of tables") for cell in row) for row in figure.cells)
            if cells >= 0
            else (),
        )


def _references(references: Sequence[Reference], cuts: _Cuts) -> Iterator[Reference]:
    left = BOUNDS.references_text.most
    for number, reference in enumerate(cuts.first(references, BOUNDS.references)):
        left -= len(reference.text)
        if left < 0:
            cuts.left_out(len(references) - number, BOUNDS.references)
            return
        short: dict[str, Any] = {
            field.name: cuts.text(value, BOUNDS.field, "fields of references")
            for field in fields(Reference)
            if field.name not in ("key", "text") and isinstance(value := getattr(reference, field.name), str) and value
        }
        text = cuts.cut(cleaned(reference.text), BOUNDS.reference, _ENTRIES)
        yield replace(reference, text=text, authors=_authors(reference.authors, cuts), **short)


def _hidden(hidden: Sequence[Hidden], cuts: _Cuts) -> Iterator[Hidden]:
    left = BOUNDS.hidden.most
    for hidden_text in hidden:
        if len(hidden_text.text) > left:
            cuts.left_out(len(hidden_text.text) - left, BOUNDS.hidden)
        if left <= 0:
            return
        yield replace(hidden_text, text=cleaned(hidden_text.text[:left]))
        left -= len(hidden_text.text)


def _metadata(metadata: Metadata, cuts: _Cuts) -> Metadata:
    values: dict[str, Any] = {
        field.name: cuts.text(value, _LONG_TEXTS.get(field.name, BOUNDS.field), f"the field {field.name}")
        for field in fields(Metadata)
        if isinstance(value := getattr(metadata, field.name), str) and value
    }
    return replace(
        metadata,
        **values,
        authors=_authors(metadata.authors, cuts),
        keywords=_texts(metadata.keywords, BOUNDS.keywords, BOUNDS.field, cuts),
        references=_texts(metadata.references, BOUNDS.references, BOUNDS.reference, cuts),
        extra=_extra(metadata.extra, cuts),
    )


def _texts(texts: Sequence[str], most: Bound, longest: Bound, cuts: _Cuts) -> tuple[str, ...]:
    return tuple(cuts.text(text, longest, most.unit) for text in cuts.first(texts, most))


def _authors(authors: Sequence[Author], cuts: _Cuts) -> tuple[Author, ...]:
    return tuple(_author(author, cuts) for author in cuts.first(authors, BOUNDS.authors))


def _author(author: Author, cuts: _Cuts) -> Author:
    name, family, given_name, orcid = (
        cuts.text(text, BOUNDS.name, "names of authors")
        for text in (author.name, author.family, author.given, author.orcid)
    )
    return Author(name, family, given_name, orcid, _texts(author.affiliations, BOUNDS.affiliations, BOUNDS.field, cuts))


def _extra(extra: dict[str, Any], cuts: _Cuts) -> dict[str, Any]:
    """Unknown fields, in their order, as long as there is room."""
    left = BOUNDS.extra.most
    kept_fields: dict[str, Any] = {}
    for name, value in cleaned_deep(extra).items():
        size = len(name) + len(msgspec.json.encode(value))
        if size > left:
            cuts.left_out(size, BOUNDS.extra)
            continue
        left -= size
        kept_fields[line(name)] = value
    return kept_fields
