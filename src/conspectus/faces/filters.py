"""Parameters that verbs of several wings share: which papers, which years, how many, where a list goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from conspectus.faces.declare import Face, Option, OptionsOf
from conspectus.records import Filters, PassageKind, Use
from conspectus.records.events import ProgressCallback
from conspectus.records.filters import MOST_LETTERS, MOST_NAMES, MOST_PAPERS, parse_years

YearRange = Annotated[
    tuple[int | None, int | None] | None,
    Option(
        "Years: 2005..2015, 2010, 2005.. or ..2015.", read=parse_years, metavar="YEARS", max_length=20, example="2005.."
    ),
]
"""First and last year; either may be None."""
Limit = Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="n", metavar="N")]
Next = Annotated[str, Option("Continue a list: `next` of the previous part.", max_length=2000, metavar="NEXT")]
FullText = Annotated[bool | None, Option("Only papers with full text, or only those without.", off="abstract-only")]
PaperName = Annotated[
    str, Option("A paper: id, DOI, arXiv id, PMID, file or title.", metavar="PAPER", example="10.1038/nature03721")
]
PaperNames = Annotated[
    tuple[str, ...], Option("Papers: ids, DOIs, arXiv ids, PMIDs, files or titles.", metavar="PAPER…", max_items=10_000)
]
ModelName = Annotated[
    str,
    Option(
        "Language model to use instead of the one in the settings.",
        metavar="MODEL",
        max_length=200,
        faces=("cli", "http"),
    ),
]
UsedText = Annotated[
    Use | Literal[""],
    Option(
        "Search papers' own passages, their summaries, or both (default: the setting search.use).",
        faces=("cli", "http"),
    ),
]


def model_or_none(help: str, faces: tuple[Face, ...] = ("cli", "http")) -> Any:
    """A language model that is only asked if the option is given: by name, or the one in the settings."""
    return Option(help, max_length=200, metavar="[NAME]", bare="", example="", faces=faces)


UseCache = Annotated[bool, Option("Reuse earlier replies of models.", faces=("cli", "http"))]


def _names(help: str, metavar: str = "NAME") -> Any:
    return Option(help, metavar=metavar, max_length=MOST_LETTERS, max_items=MOST_NAMES)


Progressing = Annotated[ProgressCallback | None, Option("Called with each step.", faces=())]
Venues = Annotated[tuple[str, ...], _names("Journal or conference, or any of several.")]
Authors = Annotated[tuple[str, ...], _names("Author, by family name or full name, or any of several.")]
Keywords = Annotated[tuple[str, ...], _names("Keyword or key phrase, or any of several.", "WORD")]
Languages = Annotated[tuple[str, ...], _names("Language of the paper (ISO 639-1), or any of several.", "CODE")]
Tags = Annotated[tuple[str, ...], _names("Tag of the paper, or any of several.")]
Collections = Annotated[tuple[str, ...], _names("Collection, by name or id, or any of several.")]
Among = Annotated[
    tuple[str, ...],
    Option(
        "Only these papers: ids, DOIs, arXiv ids, PMIDs or files.",
        metavar="PAPER",
        max_length=MOST_LETTERS,
        max_items=MOST_PAPERS,
    ),
]


def make_filters(  # noqa: PLR0913 - an option each
    *,
    year: YearRange = None,
    venue: Venues = (),
    author: Authors = (),
    keyword: Keywords = (),
    language: Languages = (),
    full_text: FullText = None,
    tag: Tags = (),
    collection: Collections = (),
    among: Among = (),
) -> Filters:
    """Filters from the options that all faces have for them."""
    return Filters(
        year=year,
        venue=venue,
        author=author,
        keyword=keyword,
        language=language,
        full_text=full_text,
        tag=tag,
        collection=collection,
        among=among,
    )


PaperFilters = Annotated[Filters | None, OptionsOf(make_filters)]
"""Which papers, for verbs to which the kind of a passage makes no difference."""


def make_question_filters(  # noqa: PLR0913 - an option each
    *,
    year: YearRange = None,
    venue: Venues = (),
    author: Authors = (),
    keyword: Keywords = (),
    full_text: FullText = None,
    tag: Tags = (),
    collection: Collections = (),
    among: Among = (),
    passage_kind: Annotated[tuple[PassageKind, ...], Option("Kind of passage.", faces=("cli",))] = (),
) -> Filters:
    """Filters of a question, whose `language` and `kind` are those of its answer."""
    return Filters(
        year=year,
        venue=venue,
        author=author,
        keyword=keyword,
        full_text=full_text,
        tag=tag,
        collection=collection,
        among=among,
        kind=passage_kind,
    )


QuestionFilters = Annotated[Filters | None, OptionsOf(make_question_filters)]
"""Which papers and passages, for verbs that answer a question."""


def make_passage_filters(
    *,
    papers: PaperFilters = None,
    kind: Annotated[tuple[PassageKind, ...], Option("Kind of passage.", max_items=MOST_NAMES)] = (),
) -> Filters:
    """Filters of papers, and which kinds of their passages."""
    return replace(papers or Filters(), kind=kind)


PassageFilters = Annotated[Filters | None, OptionsOf(make_passage_filters)]
"""Which papers and which kinds of passages."""


def make_budget(
    *,
    max_cost: Annotated[
        float | None, Option("Stop at this cost and keep what is done.", ge=0, metavar="USD", faces=("cli",))
    ] = None,
    max_tokens: Annotated[
        int | None,
        Option("Stop at this number of tokens in prompts and replies.", ge=0, metavar="N", faces=("cli",)),
    ] = None,
    max_seconds: Annotated[
        float | None, Option("Stop after this many seconds.", ge=0, metavar="S", faces=("cli",))
    ] = None,
) -> Mapping[str, Any]:
    """Settings of the budget for one call, for `Session.changed`."""
    limits = {"cost": max_cost, "tokens": max_tokens, "seconds": max_seconds}
    return {f"budget.{name}": limit for name, limit in limits.items() if limit is not None}


Budget = Annotated[Mapping[str, Any] | None, OptionsOf(make_budget)]
"""What one call of language models may take; None: what the settings say."""
