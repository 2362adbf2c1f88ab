"""How much of anything is taken from outside: every bound by its name, with its unit and the reason for the number.

What is cut or left out for a bound is told: of a paper in its warnings, of what a user gave in an error.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """The most of something that is taken."""

    most: int
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """All bounds. Those of a paper hold in the process that reads it, before anything comes to the parent."""

    sentence: Bound = Bound(4_000, "characters", "twice the longest that authors write")
    heading: Bound = Bound(500, "characters", "it stands before each passage of its section")
    block: Bound = Bound(20_000, "characters", "a paragraph of seven pages; what finds marks looks at it as a whole")
    reference: Bound = Bound(4_000, "characters", "entries with all of 300 authors are as long")
    label: Bound = Bound(200, "characters", "`Supplementary Figure 12`")
    text: Bound = Bound(6_000_000, "characters", "2,000 pages; the parent holds a paper as a whole")
    blocks: Bound = Bound(200_000, "blocks", "one every 30 characters of the longest text")
    references: Bound = Bound(20_000, "references", "the longest lists of reviews have 5,000")
    figures: Bound = Bound(10_000, "figures and tables", "a book has 2,000")
    figure_words: Bound = Bound(5_000, "words inside a figure", "a poster's labels; a map has 500")
    cells: Bound = Bound(200_000, "cells of tables", "400 tables of 500 cells")
    title: Bound = Bound(2_000, "characters", "it stands before each passage")
    abstract: Bound = Bound(50_000, "characters", "ten times the longest that journals allow")
    field: Bound = Bound(2_000, "characters", "of a venue, a keyword, an identifier, an address")
    name: Bound = Bound(500, "characters", "of a person or a consortium")
    authors: Bound = Bound(10_000, "authors", "experiments at CERN name 5,154")
    affiliations: Bound = Bound(50, "affiliations of one author", "nobody has more")
    keywords: Bound = Bound(1_000, "keywords", "MeSH terms of one paper are below 100")
    references_text: Bound = Bound(4_000_000, "characters of references", "5,000 of 800 characters")
    extra: Bound = Bound(200_000, "characters of unknown fields", "they are kept as they stand, in one row")
    files: Bound = Bound(1_000, "linked files", "a thesis with all its supplements")
    hidden: Bound = Bound(200_000, "characters of hidden text", "it is only told of")
    warnings: Bound = Bound(20, "warnings", "the ledger shows as many")
    report: Bound = Bound(48 * 2**20, "bytes from a reading process", "the longest text with all its rectangles")
    picture: Bound = Bound(256 * 2**20, "bytes of a drawn page", "a poster at 300 dots per inch")
    vocabulary: Bound = Bound(2**30, "bytes of a vocabulary's file, unpacked", "MeSH has 0.3 GB, ChEBI in OWL 0.8")
    upload: Bound = Bound(500 * 2**20, "bytes of one upload", "a zipped export of a large library; `serve` may set it")
    query: Bound = Bound(20_000, "characters", "a page pasted as a question; an embedder reads the start")
    terms: Bound = Bound(2_000, "words and signs of a query in the language", "each is searched for")


BOUNDS = Bounds()
