"""Parameters that verbs of several wings share: which papers, which years, how many, where a list goes on."""

from __future__ import annotations

from typing import Annotated, Any

from conspectus.faces.declare import Option, OptionsOf
from conspectus.records import Filters
from conspectus.records.filters import MOST_LETTERS, MOST_NAMES, asked_years
from conspectus.records.passage import PassageKind

YearRange = Annotated[
    tuple[int | None, int | None] | None,
    Option(
        "Years: 2005..2015, 2010, 2005.. or ..2015.", read=asked_years, metavar="YEARS", max_length=20, example="2005.."
    ),
]
"""First and last year; either may be None."""
Limit = Annotated[int, Option("How many at most.", ge=1, le=1000, short="n", metavar="N")]
Next = Annotated[str, Option("Continue a list: `next` of the part before.", max_length=2000, metavar="NEXT")]
FullText = Annotated[bool | None, Option("Only papers with full text, or only those without.", off="abstract-only")]
PaperName = Annotated[
    str, Option("A paper: id, DOI, arXiv id, PMID, file or title.", metavar="PAPER", example="10.1038/nature03721")
]
PaperNames = Annotated[
    tuple[str, ...], Option("Papers: ids, DOIs, arXiv ids, PMIDs, files or titles.", metavar="PAPER…", max_items=10_000)
]
ModelName = Annotated[
    str, Option("Language model to use instead of the one in the settings.", metavar="MODEL", max_length=200)
]


def _names(help: str, metavar: str = "NAME") -> Any:
    return Option(help, metavar=metavar, max_length=MOST_LETTERS, max_items=MOST_NAMES)


def make_filters(  # noqa: PLR0913 - as many as `Filters` has
    *,
    year: YearRange = None,
    venue: Annotated[tuple[str, ...], _names("Journal or conference. Repeatable: any of them.")] = (),
    author: Annotated[tuple[str, ...], _names("Author, by family name or whole name. Repeatable.")] = (),
    keyword: Annotated[tuple[str, ...], _names("Keyword or key phrase. Repeatable.", "WORD")] = (),
    language: Annotated[tuple[str, ...], _names("Language, as an ISO 639-1 code. Repeatable.", "CODE")] = (),
    kind: Annotated[tuple[PassageKind, ...], Option("Kind of passage. Repeatable.")] = (),
    full_text: FullText = None,
    tag: Annotated[tuple[str, ...], _names("Tag. Repeatable: any of them.")] = (),
    collection: Annotated[tuple[str, ...], _names("Collection, by name or id. Repeatable: any of them.")] = (),
) -> Filters:
    """Filters from the options that all faces have for them."""
    return Filters(
        year=year,
        venue=venue,
        author=author,
        keyword=keyword,
        language=language,
        kind=kind,
        full_text=full_text,
        tag=tag,
        collection=collection,
    )


PaperFilters = Annotated[Filters | None, OptionsOf(make_filters)]
"""Which papers, and which kinds of their passages."""
