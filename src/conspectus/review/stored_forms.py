"""The forms in which each kind of review is stored; a review that comes from elsewhere is checked against them.

What this library stores itself has them by construction, so it is read without a check. An export can have been
changed by hand or with intent, and one wrong review must not keep a page or a verb from working later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from conspectus.core.errors import ConspectusError, InputError
from conspectus.core.text import line
from conspectus.records.curation import LONGEST_NAME
from conspectus.records.filters import Filters
from conspectus.records.ranks import Preference, RankMethod
from conspectus.records.review import NOUNS, Category, CellStatus, ColumnKind, Review, ReviewEntry, ReviewKind
from conspectus.records.review_screen import ScreeningChoice
from conspectus.review.classify.files import CategorySet, check_categories
from conspectus.review.screen.criteria import parse_criteria
from conspectus.review.table.columns import LONGEST_COLUMN, check_columns
from conspectus.review.table.measures import parse_unit
from conspectus.review.table.tables import columns_of

_LONGEST_SHOWN = 80
"""Characters of a damaged review's name that a message repeats."""
_Text = Annotated[str, msgspec.Meta(max_length=100_000)]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Number = Annotated[float, msgspec.Meta(ge=-1e300, le=1e300)]
_Moment = Annotated[
    str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)$", max_length=40)
]
_AnswerId = Annotated[str, msgspec.Meta(pattern=r"^ans-[0-9a-z]{1,40}$")]
_REVIEW_ID = re.compile(r"rev-[0-9a-z]{1,40}")


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    """What is not named here is refused."""


class _Ranking(_Form):
    criterion: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    method: RankMethod
    judge: Literal["user", "model"]
    budget: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    filters: Filters = msgspec.field(default_factory=Filters)


class _Category(_Form):
    name: _Name
    description: _Text


class _Classification(_Form):
    categories: list[_Category]
    several: bool
    least: _Share
    by: Annotated[str, msgspec.Meta(pattern=r"^(vectors|model:.{1,300})$")]
    digests: dict[str, _Text]
    filters: Filters = msgspec.field(default_factory=Filters)


class _Screening(_Form):
    criteria: dict[str, Any]
    filters: Filters = msgspec.field(default_factory=Filters)
    ended: _Moment | None = None


class _Column(_Form):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_COLUMN)]
    kind: ColumnKind
    unit: _Text
    choices: list[_Name]


class _Table(_Form):
    columns: Annotated[list[_Column], msgspec.Meta(min_length=1)]
    filters: Filters = msgspec.field(default_factory=Filters)


class _Section(_Form):
    answer: _AnswerId
    title: _Text
    kept: bool = False


class _Coverage(_Form):
    searched: _Count = 0
    found: _Count = 0
    read: _Count = 0
    abstract_only: _Count = 0
    left_out: _Count = 0


class _Report(_Form):
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]
    stage: Literal["begun", "outlined", "compared"]
    sections: list[_Section] = []
    filters: Filters = msgspec.field(default_factory=Filters)
    notes: dict[str, _Text] = {}
    coverage: _Coverage = msgspec.field(default_factory=_Coverage)
    parts: list[Annotated[str, msgspec.Meta(pattern=r"^(consensus|figures|table:rev-[0-9a-z]{1,40})$")]] = (
        msgspec.field(name="with", default_factory=list)
    )


class _Verdict(_Form):
    preferred: Preference
    reason: _Text = ""
    spans: list[_Name] = []


class _Decision(_Form):
    name: _Name
    probability: _Share | None
    passage: _Text
    span: _Text


class _Decisions(_Form):
    categories: list[_Decision]
    closest: _Decision | None = None
    learnt: bool = False


class _Label(_Form):
    label: ScreeningChoice
    reason: _Text = ""
    resolves: bool = False


class _Cell(_Form):
    value: _Text
    unit: _Text
    status: CellStatus
    why: _Text
    number: _Number | None
    spans: list[_Name]
    of: _Text = ""


class _Disagreement(_Form):
    spans: Annotated[list[_Name], msgspec.Meta(min_length=2, max_length=2)]
    why: _Text
    score: _Number


_SPECS: Mapping[ReviewKind, type[_Form]] = {
    "rank": _Ranking,
    "classify": _Classification,
    "screen": _Screening,
    "table": _Table,
    "report": _Report,
}
_VALUES: Mapping[ReviewKind, type[_Form]] = {
    "rank": _Verdict,
    "classify": _Decisions,
    "screen": _Label,
    "table": _Cell,
    "report": _Disagreement,
}


def check_stored(review: Review, entries: Sequence[ReviewEntry]) -> None:
    """See that a review, and what it says of papers, have the form of their kind.

    Raises:
        InputError: they have not; the message names the review and the part.
    """
    try:
        _check_head(review)
        msgspec.convert(review.spec, _SPECS[review.kind])
        _check_meaning(review)
        for entry in entries:
            msgspec.convert(entry.value, _VALUES[review.kind])
            msgspec.convert(entry.made, _Moment)
            msgspec.convert([entry.field, entry.by], list[_Name])
            if review.kind in ("rank", "report") and entry.other in ("", entry.paper):
                raise InputError("A pair has one paper.", "")
    except (msgspec.ValidationError, ConspectusError) as error:
        message = error.message if isinstance(error, ConspectusError) else str(error)
        name = line(review.name)[:_LONGEST_SHOWN] or line(review.id)[:_LONGEST_SHOWN]
        raise InputError(
            f"The {NOUNS[review.kind]} '{name}' is damaged: {line(message)[:300].rstrip('.')}.", "Export it again."
        ) from error


def _check_head(review: Review) -> None:
    if not _REVIEW_ID.fullmatch(review.id):
        raise InputError(f"'{line(review.id)[:_LONGEST_SHOWN]}' is no id of a review.", "")
    if not line(review.name) or len(line(review.name)) > LONGEST_NAME:
        raise InputError(f"Its name is empty, or longer than {LONGEST_NAME} characters.", "")
    msgspec.convert([review.made, review.updated], list[_Moment])


def _check_meaning(review: Review) -> None:
    """What the types alone do not say."""
    match review.kind:
        case "rank":
            if not line(review.spec["criterion"]):
                raise InputError("It has no criterion.", "")
        case "classify":
            listed = tuple(Category(**row) for row in review.spec["categories"])
            if any(category.name != line(category.name) for category in listed):
                raise InputError("The name of a category is not a line.", "")
            check_categories(CategorySet(listed))
        case "screen":
            parse_criteria(review.spec["criteria"])
        case "table":
            columns = columns_of(review)
            check_columns(columns)
            for column in columns:
                is_choice = column.kind == "choice"
                if column.name != line(column.name) or (len(column.choices) > 1) != is_choice:
                    raise InputError(f"The column '{column.name}' has no name or wrong choices.", "")
                if column.unit and (column.kind != "number" or not parse_unit(column.unit)):
                    raise InputError(f"The column '{column.name}' has the unit '{column.unit}', which is none.", "")
        case "report":
            if not line(review.spec["question"]):
                raise InputError("It has no question.", "")
