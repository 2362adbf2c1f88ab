"""What formats without structure leave out: references told apart, figures by their captions, marks that lead to them.

What a reader gave is kept: only what a paper has none of is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from conspectus.parse.references.citation_marks import CITING, citation_marks
from conspectus.parse.references.entries import parse_reference, split_entries, split_label
from conspectus.parse.text.blocks import next_key
from conspectus.parse.text.figure_mentions import by_label, label_of, mention_marks
from conspectus.records import Author, Block, Figure, Mark, ParsedPaper, Reference

COMPLETE_VERSION = 4
"""Raised whenever the same paper may come to be completed otherwise: libraries then read all files anew."""

_FIGURE_KINDS = ("figure", "table")
_FOOTNOTE_LABEL = re.compile(r"(?P<label>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[*†‡§¶]{1,3}|\d{1,2}(?=\s+[A-Z]))\s*")


def complete(paper: ParsedPaper) -> ParsedPaper:
    """The paper with references, figures, labels and marks where its reader gave none."""
    if not any(block.kind in ("reference", "caption") for block in paper.blocks) and not paper.references:
        return paper
    blocks = list(paper.blocks)
    references = tuple(_parse_all(paper.references)) or tuple(_references(blocks))
    figures = paper.figures or tuple(_figures(blocks))
    _label_footnotes(blocks)
    has = {mark.kind for block in blocks for mark in block.marks}
    if "reference" not in has:
        for number, marks in citation_marks(blocks, references).items():
            _add(blocks, number, marks)
    if not has.intersection(_FIGURE_KINDS) and (labelled := by_label(figures)):
        for number, block in enumerate(blocks):
            if block.kind in CITING:
                _add(blocks, number, tuple(mention_marks(block.text, labelled, caption=block.kind == "caption")))
    return replace(paper, blocks=tuple(blocks), references=references, figures=figures)


def _parse_all(references: Sequence[Reference]) -> Iterator[Reference]:
    """The references; one that its reader gave only as printed is parsed, and keeps what the reader knew."""
    authors: Sequence[Author] = ()
    for reference in references:
        parsed = reference
        if not reference.title and not reference.authors and reference.text:
            known = {field.name: value for field in fields(Reference) if (value := getattr(reference, field.name))}
            parsed = replace(parse_reference(reference.text, reference.key, reference.label, authors), **known)
        authors = parsed.authors
        yield parsed


def _references(blocks: list[Block]) -> Iterator[Reference]:
    """The entries of the reference blocks; sets the blocks' labels."""
    count = 0
    authors: Sequence[Author] = ()
    for number, block in enumerate(blocks):
        if block.kind != "reference":
            continue
        entries = split_entries(block.text)
        for entry in entries:
            count += 1
            reference = parse_reference(entry, f"b{count}", before=authors)
            authors = reference.authors
            yield reference
        if len(entries) == 1 and not block.label:
            blocks[number] = replace(block, label=split_label(block.text)[0] or reference.label)


def _figures(blocks: list[Block]) -> list[Figure]:
    """A figure or table for each caption, the first of each label; sets the blocks' labels."""
    figures: list[Figure] = []
    seen = set()
    for number, block in enumerate(blocks):
        if block.kind != "caption":
            continue
        printed, label = label_of(block.label or block.text) or ("", None)
        if printed and not block.label:
            blocks[number] = replace(block, label=printed)
        if label and label in seen:
            continue
        seen.add(label)
        kind = label.figure_kind if label else "figure"
        figures.append(Figure(next_key(kind, figures), kind, printed, number))
    return figures


def _label_footnotes(blocks: list[Block]) -> None:
    for number, block in enumerate(blocks):
        if block.kind == "footnote" and not block.label and (match := _FOOTNOTE_LABEL.match(block.text)):
            blocks[number] = replace(block, label=match["label"])


def _add(blocks: list[Block], number: int, marks: Sequence[Mark]) -> None:
    """Adds marks to a block, but for those that overlap with marks that it has."""
    have = blocks[number].marks
    fresh = [mark for mark in marks if not any(mark.start < old.end and old.start < mark.end for old in have)]
    if fresh:
        together = tuple(sorted((*have, *fresh), key=lambda mark: mark.start))
        blocks[number] = replace(blocks[number], marks=together)
