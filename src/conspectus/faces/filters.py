"""Parameters that verbs of several wings share: which papers, which years, how many, where a list goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal

from conspectus.faces.declare import Face, Option, OptionsOf, type_hints
from conspectus.records import Filters, PassageKind, Use
from conspectus.records.events import ProgressCallback

Limit = Annotated[int, Option("Maximum number of results.", ge=1, le=1000, short="n", metavar="N")]
Next = Annotated[str, Option("Continue a list: `next` of the previous part.", max_length=2000, metavar="NEXT")]
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


Progressing = Annotated[ProgressCallback | None, Option("Called with each step.", faces=())]


def _make_from(names: Iterable[str]) -> Callable[..., Filters]:
    """A function that makes filters from these fields of theirs, each an option of the faces."""
    known = {field.name: field for field in fields(Filters)}
    annotations = {name: type_hints(Filters)[name] for name in names}

    def make(**values: Any) -> Filters:
        return Filters(**values)

    make.__annotations__ = annotations
    make.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=known[name].default, annotation=kind)
            for name, kind in annotations.items()
        ]
    )
    return make


_PAPER_FIELDS = [field.name for field in fields(Filters) if field.name != "kind"]
make_filters = _make_from(_PAPER_FIELDS)
PaperFilters = Annotated[Filters | None, OptionsOf(make_filters)]
"""Which papers, for verbs to which the kind of a passage makes no difference."""
make_passage_filters = _make_from([*_PAPER_FIELDS, "kind"])
PassageFilters = Annotated[Filters | None, OptionsOf(make_passage_filters)]
"""Which papers and which kinds of passages."""
_ApartFromLanguage = Annotated[
    Filters | None, OptionsOf(_make_from(name for name in _PAPER_FIELDS if name != "language"))
]


def make_question_filters(
    *,
    papers: _ApartFromLanguage = None,
    passage_kind: Annotated[tuple[PassageKind, ...], Option("Kind of passage.", faces=("cli",))] = (),
) -> Filters:
    """Filters of a question, whose `language` and `kind` are those of its answer."""
    return replace(papers or Filters(), kind=passage_kind)


QuestionFilters = Annotated[Filters | None, OptionsOf(make_question_filters)]
"""Which papers and passages, for verbs that answer a question."""


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
    """Settings of the budget for one call, for `Session.with_settings`."""
    limits = {"cost": max_cost, "tokens": max_tokens, "seconds": max_seconds}
    return {f"budget.{name}": limit for name, limit in limits.items() if limit is not None}


Budget = Annotated[Mapping[str, Any] | None, OptionsOf(make_budget)]
"""What one call of language models may take; None: what the settings say."""
